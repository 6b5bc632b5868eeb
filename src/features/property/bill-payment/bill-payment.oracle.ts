import { words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Raw, type World } from '../../../testing/oracle/world.ts';

const today = () => new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);

/** By what was paid back of it, whatever the order of the trade says. */
function refundStatusOf(row: Raw, world: World): string {
  const order =
    row.sales_order_id === null ? undefined : by(world, 'sales_order', 'id').get(row.sales_order_id)![0]!;
  if (order?.refund_status === 'refunding') return 'refunding';
  const back = (by(world, 'bill_payment', 'refund_of').get(row.id) ?? []).reduce(
    (sum, one) => sum - Number(one.amount),
    0,
  );
  return back === 0 ? 'none' : back === Number(row.amount) ? 'full' : 'part';
}

export const oracle = defineOracle({
  name: 'billPayment',
  menu: 'cs_propertyBill',
  table: 'bill_payment',
  standing: (row) => ({
    tenant: row.tenant_id,
    projects: [row.project_id],
    owner: row.created_by,
    rule: 'places',
  }),
  tabs: {
    all: () => true,
    today: (row) => new Date(row.created_at.getTime() + 8 * 3_600_000).toISOString().slice(0, 10) === today(),
    excess: (row) => Number(row.excess) > 0 && row.excess_seen_at === null && row.state === 'valid',
    refunds: (row) => row.refund_of !== null,
    void: (row) => row.state === 'void',
  },
  text: (row) => `${row.receipt_no} ${row.payer_name} ${row.trade_no}`.toLowerCase(),
  export: { field: 'receiptNo', key: (row) => String(row.receipt_no) },
  owner: 'created_by',
  filters: {
    crmSync: words('crm_sync', ['0', '1', '2']),
    centre: {
      value: (dice, world) => String(dice.pick(world.rows.project!).centre_id ?? 1),
      keeps: (row, value, world) =>
        value.split(',').includes(String(by(world, 'project', 'id').get(row.project_id)![0]!.centre_id)),
    },
    refundStatus: {
      value: (dice) => dice.pick(['none', 'refunding', 'part', 'full']),
      keeps: (row, value, world) => value.split(',').includes(refundStatusOf(row, world)),
    },
    hasInvoice: {
      value: (dice) => String(dice.chance(0.5)),
      keeps: (row, value, world) =>
        String(
          (by(world, 'bill_invoice', 'payment_id').get(row.id) ?? []).some(
            (one) => one.state === 'requested' || one.state === 'issued',
          ),
        ) === value,
    },
    cashier: {
      value: (dice, world) => String(dice.pick(world.rows.staff!).id),
      keeps: (row, value) => row.cashier_id !== null && value.split(',').includes(String(row.cashier_id)),
    },
  },
  reads: ['staff', 'sales_order', 'bill_payment', 'project', 'bill_invoice'],
  fill: async ({ db, dice, staff }) => {
    const houses = await run<{ id: number; project_id: number; tenant_id: number }>(
      db,
      `SELECT h.id, h.project_id, c.tenant_id FROM house h JOIN LATERAL (SELECT tp.tenant_id FROM tenant_project tp JOIN tenant x ON x.id = tp.tenant_id AND x.kind = 1 WHERE tp.project_id = h.project_id ORDER BY 1 LIMIT 1) c ON TRUE
        WHERE h.id % 41 = 0 ORDER BY h.id LIMIT 50`,
    );
    for (const [index, house] of houses.entries())
      await run(
        db,
        `INSERT INTO bill_payment (receipt_no, tenant_id, project_id, house_id, payer_name, channel, amount, received, allocated, to_prepaid, prepaid_kind, value_date, cashier_id, created_by, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $7, 0, $7, 'general', '2026-05-01', $8, $8, now() - make_interval(hours => $9))`,
        [
          `ORA${index}`,
          house.tenant_id,
          house.project_id,
          house.id,
          dice.pick(['张三', '李四']),
          dice.pick(['cash', 'pos']),
          dice.upTo(90_000) + 1,
          dice.pick(staff).id,
          dice.upTo(200),
        ],
      );
  },
});
