import { counted, linked, projectsOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

const JOINS = 'coin_deduction_project';

export const oracle = defineOracle({
  name: 'coinDeductionRule',
  menu: 'mk_coinDeductionRule',
  table: 'coin_deduction_rule',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'rule_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    projects: projectsOf(JOINS, 'rule_id'),
    businesses: linked('coin_deduction_business', 'rule_id', 'business_id', 'business'),
    period: {
      value: (dice) => {
        const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
        const from = dice.upTo(120) - 60;
        return `${dice.chance(0.8) ? day(from) : ''}~${dice.chance(0.8) ? day(from + dice.upTo(40)) : ''}`;
      },
      keeps: (row, value) => {
        const [from = '', to = ''] = value.split('~');
        return (from === '' || row.ends_on >= from) && (to === '' || row.starts_on <= to);
      },
    },
  },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  export: counted,
  owner: 'created_by',
  reads: [JOINS, 'coin_deduction_business'],
  sample: (turn) => ({
    budget: undefined,
    startsOn: '2040-01-01',
    endsOn: '2040-12-31',
    priority: 500 + (turn % 499),
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `WITH made AS (
           INSERT INTO coin_deduction_rule (name, coins_per_yuan, step, max_percent, starts_on, ends_on, priority, state, created_by)
           VALUES ($1, 100, 10, 20, current_date + $2::int, current_date + $2::int + 30, 900, $3, $4) RETURNING id),
         kinds AS (INSERT INTO coin_deduction_business SELECT made.id, b.id FROM made, business b WHERE b.id % 2 = $5 % 2)
         INSERT INTO coin_deduction_project SELECT made.id, p.id FROM made, project p WHERE p.id % 3 = $5`,
        [`随机抵扣${index}`, dice.upTo(90) - 60, dice.pick(['draft', 'stopped']), id, index % 3],
      );
  },
});
