import { counted, projectsOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

const JOINS = 'payment_rebate_project';
const ITEMS = 'payment_rebate_item';

export const oracle = defineOracle({
  name: 'paymentRebateRule',
  menu: 'mk_propertyPaymentRebateRules',
  table: 'payment_rebate_rule',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'rule_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    projects: projectsOf(JOINS, 'rule_id'),
    items: {
      value: (dice, world) => String(dice.pick(world.rows[ITEMS]!).fee_item_id),
      keeps: (row, value, world) =>
        (by(world, ITEMS, 'rule_id').get(row.id) ?? []).some((one) => String(one.fee_item_id) === value),
    },
    period: {
      value: (dice) =>
        `${dice.pick(['2026-01-01', '2026-10-15', ''])}~${dice.pick(['2026-12-31', '2027-06-30', ''])}`,
      keeps: (row, value) => {
        const [from = '', to = ''] = value.split('~');
        return (from === '' || row.ends_on >= from) && (to === '' || row.starts_on <= to);
      },
    },
    phase: {
      value: (dice) => dice.pick(['before', 'running', 'ended']),
      keeps: (row, value) => {
        const today = new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);
        const phase = row.ends_on < today ? 'ended' : row.starts_on > today ? 'before' : 'running';
        return value.split(',').includes(phase);
      },
    },
  },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  export: counted,
  owner: 'created_by',
  reads: [JOINS, ITEMS],
  sample: (turn) => ({
    basis: 'amount',
    perYuan: 100,
    givePoints: 50,
    tiers: [],
    monthPoints: undefined,
    minMonths: undefined,
    payCash: true,
    startsOn: '2040-01-01',
    endsOn: '2040-12-31',
    priority: 1 + (turn % 999),
    budget: undefined,
    rewardKind: 'points',
    coupon: undefined,
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `WITH made AS (
           INSERT INTO payment_rebate_rule (name, receiver, basis, per_yuan, give_points, final_days, starts_on, ends_on, priority, state, created_by)
           VALUES ($1, 'payer', 'amount', 100, 10, 7, current_date + $2::int, current_date + $2::int + 30, 900, $3, $4) RETURNING id),
         items AS (INSERT INTO payment_rebate_item SELECT made.id, i.id FROM made, (SELECT id FROM fee_item ORDER BY id LIMIT 3) i)
         INSERT INTO payment_rebate_project SELECT made.id, p.id FROM made, project p WHERE p.id % 3 = $5`,
        [`随机返利${index}`, dice.upTo(90) - 60, dice.pick(['draft', 'stopped']), id, index % 3],
      );
  },
});
