import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { bossWithdrawal } from './withdrawal.contract.ts';
import { withdrawalBinding } from './withdrawal-binding.server.ts';

/** Withdrawals beside the accounts of the merchants' app. */
export const registration = bindResource(bossWithdrawal, withdrawalBinding).registration;
