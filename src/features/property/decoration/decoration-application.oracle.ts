import { byCode, dayOf, idsOfRows } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run, type Raw } from '../../../testing/oracle/world.ts';

const overdue = (row: Raw) => row.state === 'supervising' && String(row.ends_on) < dayOf(new Date());

export const oracle = defineOracle({
  name: 'decorationApplication',
  menu: 'cs_decoreteApply',
  table: 'decoration_application',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: {
    overdue: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value) => overdue(row) === (value === 'true'),
    },
    supervisor: idsOfRows('supervisor_id', 'decoration_application'),
  },
  tabs: {
    all: () => true,
    to_pay: (row) => row.state === 'to_pay',
    to_take: (row) => row.state === 'to_take',
    supervising: (row) => row.state === 'supervising',
    overdue,
    refund: (row) => row.refund_state === 'waiting',
    ended: (row) => ['done', 'rated', 'cancelled'].includes(row.state),
  },
  text: (row) => `${row.code} ${row.company}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  sample: () => ({
    area: '89.50',
    deposit: '3000.00',
    startsOn: '2030-03-01',
    endsOn: '2030-06-01',
    company: '家和装饰',
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 40).entries()) {
      const state = dice.pick([
        'to_pay',
        'to_take',
        'supervising',
        'supervising',
        'done',
        'rated',
        'cancelled',
      ]);
      const paid = state !== 'to_pay' && !(state === 'cancelled' && dice.chance(0.5));
      await run(
        db,
        `INSERT INTO decoration_application (code, tenant_id, project_id, offer_id, house_id, household_id, area, company, starts_on, ends_on, price, deposit, stage, stages_passed, state,
           supervisor_id, channel, paid_at, done_at, score, cancelled_at, cancelled_by, refund_state, created_at, created_by)
         SELECT 'DC20200101' || lpad($1::text, 6, '0'), (SELECT min(id) FROM tenant WHERE kind = 1), x.project_id, (SELECT min(id) FROM decoration_offer), x.id, hh.id, 88, $2, current_date - 60,
                current_date + $3::int, 1000, 0, $4, CASE WHEN $5 IN ('done', 'rated') THEN 6 ELSE 0 END, $5, CASE WHEN $5 IN ('supervising', 'done', 'rated') THEN $6::bigint END,
                CASE WHEN $7 THEN 'cash' END, CASE WHEN $7 THEN now() END, CASE WHEN $5 IN ('done', 'rated') THEN now() END, CASE WHEN $5 = 'rated' THEN 5 END,
                CASE WHEN $5 = 'cancelled' THEN now() END, NULL, CASE WHEN $5 = 'cancelled' AND $7 THEN 'waiting' ELSE 'none' END, now() - make_interval(days => $8), $6::bigint
           FROM household hh JOIN house x ON x.id = hh.house_id
          WHERE hh.status = 'normal' AND NOT EXISTS (SELECT FROM decoration_application a WHERE a.house_id = x.id) ORDER BY (x.id * 7919) % (100 + $1::int), hh.id LIMIT 1`,
        [
          index,
          dice.pick(['家和装饰', '尚品空间', '自装']),
          dice.upTo(60) - 30,
          dice.pick(['demolition', 'utilities', 'masonry', 'paint']),
          state,
          id,
          paid,
          dice.upTo(50),
        ],
      );
    }
  },
});
