import { byCode, dayRange, ids, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Raw, type World } from '../../../testing/oracle/world.ts';

const stands = (row: Raw) => row.state === 'requested' || row.state === 'issued';
/** What a payment has on bills now. */
function onBills(row: Raw, world: World): number {
  const payment = by(world, 'bill_payment', 'id').get(row.payment_id)![0]!;
  if (payment.state === 'void') return 0;
  let sum = Number(payment.allocated);
  for (const one of by(world, 'bill_payment', 'refund_of').get(payment.id) ?? [])
    sum += Number(one.allocated);
  return sum;
}

export const oracle = defineOracle({
  name: 'billInvoice',
  menu: 'cs_propertyBill',
  table: 'bill_invoice',
  standing: (row) => ({
    tenant: row.tenant_id,
    projects: [row.project_id],
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    project: ids('project_id', 'project'),
    payment: ids('payment_id', 'bill_payment'),
    type: words('type', ['personal', 'company']),
    state: words('state', ['requested', 'issued', 'cancelled', 'void', 'red']),
    issuedOn: dayRange('issued_on'),
  },
  tabs: {
    all: () => true,
    requested: (row) => row.state === 'requested',
    above: (row, world) => {
      let sum = 0;
      for (const one of by(world, 'bill_invoice', 'payment_id').get(row.payment_id) ?? [])
        if (stands(one)) sum += Number(one.amount);
      return stands(row) && sum > onBills(row, world);
    },
  },
  text: (row) => `${row.code} ${row.number} ${row.title}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: ['bill_payment', 'project'],
  fill: async ({ db, dice, staff }) => {
    const payments = await run<{ id: number; tenant_id: number; project_id: number }>(
      db,
      `SELECT id, tenant_id, project_id FROM bill_payment p WHERE state = 'valid' AND allocated > 1000 AND refund_of IS NULL
          AND NOT EXISTS (SELECT FROM bill_payment r WHERE r.refund_of = p.id) ORDER BY id LIMIT 40`,
    );
    for (const [index, one] of payments.entries())
      await run(
        db,
        `INSERT INTO bill_invoice (code, payment_id, tenant_id, project_id, type, title, amount, created_by) VALUES ($1, $2, $3, $4, 'personal', $5, $6, $7)`,
        [
          `ORAIV${index}`,
          one.id,
          one.tenant_id,
          one.project_id,
          dice.pick(['张三', '李四']),
          1 + dice.upTo(100),
          dice.pick(staff).id,
        ],
      );
  },
});
