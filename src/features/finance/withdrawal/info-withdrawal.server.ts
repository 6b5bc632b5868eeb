import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { infoWithdrawal } from './withdrawal.contract.ts';
import { withdrawalBinding } from './withdrawal-binding.server.ts';

/** A merchant's own withdrawals. */
export const registration = bindResource(infoWithdrawal, withdrawalBinding).registration;
