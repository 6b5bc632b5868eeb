import { byCode, moneyRange, projectsOf, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

const JOINS = 'service_package_project';
const ITEMS = 'service_package_item';

export const oracle = defineOracle({
  name: 'package',
  menu: 'pack',
  table: 'service_package',
  standing: (row, world) => ({
    tenant: row.tenant_id,
    projects: (by(world, JOINS, 'package_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    projects: projectsOf(JOINS, 'package_id'),
    state: words('state', ['draft', 'reviewing', 'published', 'rejected', 'off_shelf']),
    price: moneyRange('price'),
    service: {
      value: (dice, world) =>
        String(dice.pick(world.rows[ITEMS]!.filter((one) => one.service_id !== null)).service_id),
      keeps: (row, value, world) =>
        (by(world, ITEMS, 'package_id').get(row.id) ?? []).some((one) => String(one.service_id) === value),
    },
  },
  text: (row) => String(row.name).toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: [JOINS, ITEMS],
  sample: () => ({
    items: [{ name: '日常保洁', times: 12, unlimited: false, listPrice: '150.00' }],
    plans: [],
    validity: 12,
    validityUnit: 'month',
    startRule: 'first_payment',
    firstUseDays: undefined,
    payOnce: true,
    refundMethod: 'by_days',
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `WITH made AS (
           INSERT INTO service_package (tenant_id, name, image_ids, price, validity, validity_unit, start_rule, refund_method, terms, state, created_by)
           SELECT s.tenant_id, $1, ARRAY[gen_random_uuid()], $2, 12, 'month', 'first_payment', 'none', '条款', $3, s.id FROM staff s WHERE s.id = $4 RETURNING id),
         items AS (INSERT INTO service_package_item (package_id, position, name, times, list_price, service_id)
           SELECT made.id, 1, '保洁', 4, 10000, (SELECT id FROM product WHERE kind = 'service' ORDER BY id LIMIT 1 OFFSET $5::int % 3) FROM made)
         INSERT INTO service_package_project SELECT made.id, p.id FROM made, project p WHERE p.id % 3 = $5::int % 3`,
        [
          `随机套餐${index}`,
          5_000 + dice.upTo(40_000),
          dice.pick(['draft', 'rejected', 'off_shelf']),
          id,
          index,
        ],
      );
  },
});
