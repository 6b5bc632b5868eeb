import { counted, projectsOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

const JOINS = 'payment_gift_project';
const ITEMS = 'payment_gift_item';

export const oracle = defineOracle({
  name: 'payCourtesy',
  menu: 'cs_payCourtesy',
  table: 'payment_gift',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'gift_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    projects: projectsOf(JOINS, 'gift_id'),
    items: {
      value: (dice, world) => String(dice.pick(world.rows[ITEMS]!).fee_item_id),
      keeps: (row, value, world) =>
        (by(world, ITEMS, 'gift_id').get(row.id) ?? []).some((one) => String(one.fee_item_id) === value),
    },
  },
  tabs: {
    all: () => true,
    running: (row) => row.state === 'running',
    scheduled: (row) => row.state === 'scheduled',
    draft: (row) => row.state === 'draft',
    over: (row) => row.state === 'ended' || row.state === 'stopped',
  },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  export: counted,
  owner: 'created_by',
  reads: [JOINS, ITEMS],
  sample: () => ({
    condition: 'amount',
    gift: 'points',
    coupon: undefined,
    tiers: [{ threshold: 100, quantity: 10 }],
    startsOn: '2040-01-01',
    endsOn: '2040-12-31',
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `WITH made AS (
           INSERT INTO payment_gift (name, condition, gift, house_limit, total, starts_on, ends_on, state, created_by)
           VALUES ($1, $2, 'points', 1, 100, current_date + $3::int, current_date + $3::int + 30, $4, $5) RETURNING id),
         items AS (INSERT INTO payment_gift_item SELECT made.id, i.id FROM made, (SELECT id FROM fee_item ORDER BY id LIMIT 3) i)
         INSERT INTO payment_gift_project SELECT made.id, p.id FROM made, project p WHERE p.id % 3 = $6`,
        [
          `随机活动${index}`,
          dice.pick(['amount', 'months', 'early']),
          dice.upTo(90) - 60,
          dice.pick(['draft', 'scheduled', 'stopped', 'ended']),
          id,
          index % 3,
        ],
      );
  },
});
