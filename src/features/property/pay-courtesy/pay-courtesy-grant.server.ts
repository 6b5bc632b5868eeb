import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { retryGift } from '../../../domain/payment-gift/payment-gift.server.ts';
import { houseOptions } from '../../../domain/residents/residents.server.ts';
import { COURTESY_MENU, payCourtesyGrant } from './pay-courtesy.contract.ts';

/** An amount of the gift as people read it: fen as yuan. */
const amount = (column: string) =>
  `CASE WHEN t.kind = 'prepaid' THEN to_char(${column} / 100.0, 'FM999999990.00') ELSE ${column}::text END`;

/** What payments got. */
export const registration = bindResource(payCourtesyGrant, {
  table: 'payment_gift_grant',
  from: `payment_gift_grant t LEFT JOIN member m ON m.id = t.member_id LEFT JOIN house x ON x.id = t.house_id
    LEFT JOIN building_unit u ON u.id = x.unit_id LEFT JOIN building b ON b.id = u.building_id LEFT JOIN payment_gift g ON g.id = t.gift_id`,
  joins: { project: 'project' },
  columns: {
    activity: { id: 't.gift_id', title: 'g.name' },
    house: { id: 't.house_id', title: `(b.name || ' ' || u.name || ' ' || x.number)` },
    member: `coalesce(nullif(m.name, ''), m.nickname)`,
    gift: amount('t.quantity'),
    back: amount('t.taken_back'),
    recover: amount('t.to_recover'),
  },
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.created_by' },
  search: 'lower(t.receipt_no)',
  words: { failure: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0] },
  handlers: {
    retry: async ({ tx, id, platform }) => {
      const to = await retryGift(tx, platform, id);
      platform.changed('payCourtesy');
      return { to };
    },
  },
  also: { options: [houseOptions('courtesyHouse', [COURTESY_MENU])] },
}).registration;
