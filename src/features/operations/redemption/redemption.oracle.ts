import { byCode, dayRange, ids, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

const STATES = [
  'pending_payment',
  'to_fulfil',
  'shipped',
  'to_collect',
  'completed',
  'cancelled',
  'refunded',
];

export const oracle = defineOracle({
  name: 'redemption',
  menu: 'os_integralCash',
  table: 'points_redemption',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: {
    project: ids('project_id', 'project'),
    product: ids('product_id', 'points_product'),
    state: words('state', STATES),
    way: words('way', ['ship', 'collect', 'card', 'coupon']),
    createdAt: dayRange('created_at'),
  },
  tabs: {
    all: () => true,
    pay: (row) => row.state === 'pending_payment',
    ship: (row) => row.state === 'to_fulfil',
    collect: (row) => row.state === 'to_collect',
  },
  text: (row) => `${row.code} ${row.product_name}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: ['points_product'],
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `INSERT INTO points_redemption (code, product_id, spec_id, product_name, spec_name, member_id, project_id, month, qty, points, way, state, created_by)
         SELECT $1, s.points_product_id, s.id, '随机兑换', '标准', m.id, m.project_id, '2026-01', 1, 100, 'ship', $2, $3
           FROM (SELECT * FROM points_product_spec ORDER BY id LIMIT 1) s, (SELECT * FROM member WHERE project_id IS NOT NULL ORDER BY id OFFSET $4 LIMIT 1) m`,
        [`RDX${index}`, dice.pick(['to_fulfil', 'shipped', 'completed', 'cancelled']), id, dice.upTo(30)],
      );
  },
});
