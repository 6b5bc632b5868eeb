import { BILL_QUERY_EFFECT } from '../../../domain/charging/online-query.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { addEffect } from '../../../kernel/server/tasks/outbox.ts';
import { onlineBillOrder } from './bill-payment.contract.ts';

/** Orders of pay codes. Source: group 06, cs_propertyBill, btn_query. */
const bound = bindResource(onlineBillOrder, {
  table: 'online_bill_order',
  from: `online_bill_order t LEFT JOIN house h ON h.id = t.house_id LEFT JOIN building_unit u ON u.id = h.unit_id LEFT JOIN building b ON b.id = u.building_id
    LEFT JOIN project p ON p.id = t.project_id LEFT JOIN staff s ON s.id = t.created_by LEFT JOIN bill_payment y ON y.id = t.payment_id`,
  where: `t.channel <> 'transfer'`,
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    house: { id: 't.house_id', title: '(b.name || u.name || h.number)' },
    creator: { id: 't.created_by', title: 's.name' },
    receipt: `coalesce(y.receipt_no, '')`,
  },
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.created_by' },
  search: 'lower(t.code)',
  handlers: {
    query: async ({ tx, row }) => {
      await addEffect(tx, BILL_QUERY_EFFECT, { code: String(row.code) });
      return {};
    },
  },
});

/** Orders of pay codes. */
export const registration = bound.registration;
