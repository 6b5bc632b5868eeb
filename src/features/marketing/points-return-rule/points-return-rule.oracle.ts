import { counted, linked, projectsOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

const JOINS = 'points_return_project';

export const oracle = defineOracle({
  name: 'pointsReturnRule',
  menu: 'mk_returnIntegralRule',
  table: 'points_return_rule',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'rule_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    projects: projectsOf(JOINS, 'rule_id'),
    businesses: linked('points_return_business', 'rule_id', 'business_id', 'business'),
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
  reads: [JOINS, 'points_return_business'],
  sample: (turn) => ({
    asset: 'points',
    budget: undefined,
    grades: [],
    grantAt: 'after',
    afterDays: 7,
    startsOn: '2040-01-01',
    endsOn: '2040-12-31',
    priority: 1 + (turn % 900),
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `WITH made AS (
           INSERT INTO points_return_rule (name, asset, give, per, starts_on, ends_on, priority, state, budget_id, created_by)
           VALUES ($1, 'coin', 5, 1000, current_date + $2::int, current_date + $2::int + 30, 900, $3, NULL, $4) RETURNING id),
         kinds AS (INSERT INTO points_return_business SELECT made.id, b.id FROM made, business b WHERE b.id % 2 = $5 % 2)
         INSERT INTO points_return_project SELECT made.id, p.id FROM made, project p WHERE p.id % 3 = $5`,
        [`随机返积分${index}`, dice.upTo(90) - 60, dice.pick(['draft', 'stopped']), id, index % 3],
      );
  },
});
