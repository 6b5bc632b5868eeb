import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { merchantBinding } from './merchant-binding.server.ts';
import { selfMerchant } from './merchant.contract.ts';

/** Self-operated merchants. */
export const registration = bindResource(selfMerchant, merchantBinding).registration;
