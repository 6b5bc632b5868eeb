import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { merchantEndpoints, merchantBinding } from './merchant-binding.server.ts';
import { residentMerchant } from './merchant.contract.ts';

const bound: BoundResource = bindResource(residentMerchant, {
  ...merchantBinding,
  endpoints: merchantEndpoints('/jinmao/web/residentMerchant', residentMerchant.menu, () => bound),
});

/** Resident merchants. */
export const registration = bound.registration;
