import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { couponPushItem } from './coupon-push.contract.ts';
import { PUSH_SCOPE } from './push-approval.server.ts';

/** What became of each coupon of a push, for those who see the push. */
export const registration = bindResource(couponPushItem, {
  table: 'coupon_push_item',
  from: `coupon_push_item t LEFT JOIN coupon_push u ON u.id = t.push_id LEFT JOIN member m ON m.id = t.member_id
         LEFT JOIN member_coupon mc ON mc.id = t.member_coupon_id`,
  scope: {
    tenant: '(SELECT u.tenant_id FROM coupon_push u WHERE u.id = t.push_id)',
    project: (ids, tenant) =>
      `EXISTS (SELECT FROM coupon_push o WHERE o.id = t.push_id AND ${(PUSH_SCOPE.project as (ids: string, tenant: () => string) => string)(ids, tenant).replaceAll('t.coupon_id', 'o.coupon_id')})`,
    owner: '(SELECT u.created_by FROM coupon_push u WHERE u.id = t.push_id)',
  },
  searchExact: ['m.phone'],
  columns: {
    push: { id: 't.push_id', title: 'u.name' },
    member: 'm.name',
    phone: 'm.phone',
    reason: `CASE WHEN t.reason_zh <> '' THEN t.reason_zh || '｜' || t.reason_en ELSE '' END`,
    coupon: 'mc.code',
    sequence: 't.id',
  },
  words: { reason: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0] },
}).registration;
