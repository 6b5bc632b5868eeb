import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { merchantEndpoints, merchantBinding } from './merchant-binding.server.ts';
import { selfMerchant } from './merchant.contract.ts';

const bound: BoundResource = bindResource(selfMerchant, {
  ...merchantBinding,
  endpoints: merchantEndpoints('/jinmao/web/selfMerchant', selfMerchant.menu, () => bound),
});

/** Self-operated merchants. */
export const registration = bound.registration;
