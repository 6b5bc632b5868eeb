import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { houseBill } from './house-parts.contract.ts';
import { HOUSE_REF, houseJoins, onHouse } from './house-place.server.ts';

/** Bills on the card of their house. */
export const registration = bindResource(houseBill, {
  table: 'bill',
  from: `bill t ${houseJoins('t.house_id')} LEFT JOIN fee_item i ON i.id = t.fee_item_id`,
  columns: {
    house: HOUSE_REF,
    item: 'i.name',
    debtor: 't.debtor_name',
    paid: '(t.paid_principal + t.paid_late_fee)',
    owed: `CASE WHEN t.state = 'void' THEN 0 ELSE t.owed_principal + t.owed_late_fee END`,
  },
  scope: onHouse('t.created_by'),
}).registration;
