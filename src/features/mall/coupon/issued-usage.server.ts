import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { usageBinding } from './coupon-usage.server.ts';
import { ISSUED_MENU, issuedUsage } from './issued-coupon.contract.ts';

/** What members hold of coupons, as marketing reads it. */
export const registration = bindResource(issuedUsage, usageBinding(ISSUED_MENU)).registration;
