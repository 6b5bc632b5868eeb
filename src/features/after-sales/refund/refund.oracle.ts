import {
  words,
  ids,
  moneyRange,
  dayRange,
  part,
  centres,
  inProject,
  stateTabs,
  byCode,
  isMerchant,
} from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run, type Raw, type Held } from '../../../testing/oracle/world.ts';

/** Who waits for whom: the refunds a staff may pass or reject now. */
export function waitsFor(row: Raw, held: Held): boolean {
  if (row.state !== 'reviewing') return false;
  if (row.applicant_type === 2 && row.applicant_id === held.row.id) return false;
  return row.level === 1
    ? held.elements.has('mm_orderRefund:btn_audit')
    : held.elements.has('mm_orderRefund:btn_auditFinance') && row.auditor1 !== held.row.id;
}

export const oracle = defineOracle({
  name: 'refund',
  menu: 'mm_orderRefund',
  table: 'refund',
  standing: inProject,
  leftOut: ['orderCode', 'paymentCode', 'product', 'soldAt', 'backAt'],
  filters: {
    state: words('state', ['reviewing', 'refunding', 'succeeded', 'failed', 'cancelled']),
    merchant: ids('tenant_id', 'tenant', isMerchant),
    project: ids('project_id', 'project'),
    centreCity: centres(),
    applicantType: words((row) => (row.applicant_type === 1 ? 'buyer' : 'staff'), ['buyer', 'staff']),
    level: words((row) => (row.level === 1 ? 'one' : 'two'), ['one', 'two']),
    businessType: words(
      (row) => ['original', 'goods', 'service'][row.business_type],
      ['original', 'goods', 'service'],
    ),
    cost: moneyRange('cash'),
    appliedAt: dayRange('created_at'),
    productName: part('product_name'),
  },
  tabs: {
    mine: (row, _world, held) => waitsFor(row, held),
    all: () => true,
    ...stateTabs('reviewing', 'refunding', 'failed', 'succeeded', 'cancelled'),
  },
  text: (row) => `${row.code} ${row.product_name}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: ['refund_line'],
  fill: async ({ db, staff }) => {
    const owners = staff.slice(0, 60).map((one) => one.id);
    await run(
      db,
      `UPDATE refund SET auditor1 = ($1::bigint[])[1 + (id % cardinality($1::bigint[]))], level = 2 WHERE state = 'reviewing' AND id % 3 = 0`,
      [owners],
    );
    await run(
      db,
      `UPDATE refund SET applicant_type = 2, applicant_id = ($1::bigint[])[1 + (id % cardinality($1::bigint[]))] WHERE state = 'reviewing' AND id % 2 = 0`,
      [owners],
    );
  },
});
