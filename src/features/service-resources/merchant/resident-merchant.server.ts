import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { merchantBinding } from './merchant-binding.server.ts';
import { residentMerchant } from './merchant.contract.ts';

/** Resident merchants. */
export const registration = bindResource(residentMerchant, merchantBinding).registration;
