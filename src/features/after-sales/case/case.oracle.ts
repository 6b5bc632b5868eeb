import {
  byCode,
  dayRange,
  exactly,
  ids,
  inProject,
  isMerchant,
  moneyRange,
  part,
  words,
  yes,
} from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run, type Raw, type World } from '../../../testing/oracle/world.ts';

const refundOf = (row: Raw, world: World) => world.rows.refund!.find((one) => one.id === row.refund_id);
const live = (row: Raw) => !['done', 'refused', 'withdrawn'].includes(row.state);

export const oracle = defineOracle({
  name: 'afterSale',
  menu: 'am_orderlist',
  table: 'after_sale',
  where: (row) => row.order_kind !== 'home_decor',
  standing: inProject,
  leftOut: ['orderCode'],
  filters: {
    code: part('code'),
    productName: part('product_name'),
    backTracking: exactly('back_tracking', 'after_sale'),
    merchant: ids('tenant_id', 'tenant', isMerchant),
    project: ids('project_id', 'project'),
    type: words('type', ['refund_only', 'return_refund', 'exchange']),
    state: words('state', [
      'applied',
      'agreed',
      'returned',
      'received',
      'refunding',
      'done',
      'refused',
      'withdrawn',
    ]),
    reasonCode: words('reason_code', [
      'quality',
      'wrong',
      'missing',
      'damaged',
      'late',
      'no_want',
      'price',
      'other',
    ]),
    stage: words('stage', ['before', 'after']),
    escalated: yes('escalated'),
    appliedCash: moneyRange('applied_cash'),
    appliedAt: dayRange('applied_at'),
    decidedAt: dayRange('decided_at'),
    agreedAt: dayRange('agreed_at'),
    refundState: {
      ...words('state', ['reviewing', 'refunding', 'succeeded', 'failed', 'cancelled']),
      keeps: (row, value, world) => value.split(',').includes(String(refundOf(row, world)?.state)),
    },
    refundedAt: {
      ...dayRange('succeeded_at'),
      keeps: (row, value, world, held) => {
        const refund = refundOf(row, world);
        return refund !== undefined && dayRange('succeeded_at').keeps(refund, value, world, held);
      },
    },
  },
  tabs: {
    all: () => true,
    applied: (row) => row.state === 'applied' && !row.escalated,
    agreed: (row) => row.state === 'agreed',
    returned: (row) => row.state === 'returned',
    refunding: (row, world) =>
      ['received', 'refunding'].includes(row.state) && refundOf(row, world)?.state !== 'failed',
    failed: (row, world) => row.state === 'refunding' && refundOf(row, world)?.state === 'failed',
    platform: (row) => row.escalated && live(row),
    done: (row) => row.state === 'done',
    closed: (row) => row.state === 'refused' || row.state === 'withdrawn',
  },
  text: (row) => `${row.code} ${row.product_name}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: ['refund'],
  fill: async ({ db }) => {
    await run(db, `UPDATE after_sale SET escalated = true WHERE state = 'applied' AND id % 3 = 0`, []);
  },
});
