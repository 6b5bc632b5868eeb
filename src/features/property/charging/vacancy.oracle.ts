import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'vacancy',
  menu: 'cs_propertyChargingBill',
  table: 'vacancy',
  standing: (row) => ({
    tenant: row.tenant_id,
    projects: [row.project_id],
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    rule: {
      value: (dice, world) => String(dice.pick(world.rows.vacancy!).rule_id),
      keeps: (row, value) => value.split(',').includes(String(row.rule_id)),
    },
  },
  export: counted,
  owner: 'created_by',
  ownSample: 'src/features/property/charging/charging.test.ts',
  fill: async ({ db, dice, staff }) => {
    const houses = await run<{ id: number; project_id: number; tenant_id: number; rule: number }>(
      db,
      `SELECT h.id, h.project_id, c.tenant_id, r.id AS rule FROM house h
         JOIN LATERAL (SELECT tp.tenant_id FROM tenant_project tp JOIN tenant x ON x.id = tp.tenant_id AND x.kind = 1 WHERE tp.project_id = h.project_id ORDER BY 1 LIMIT 1) c ON TRUE
         JOIN LATERAL (SELECT d.id FROM discount_rule d WHERE d.tenant_id = c.tenant_id ORDER BY d.id LIMIT 1) r ON TRUE
        WHERE h.id % 43 = 0 ORDER BY h.id LIMIT 40`,
    );
    for (const house of houses)
      await run(
        db,
        `INSERT INTO vacancy (tenant_id, project_id, house_id, rule_id, valid_from, valid_to, inspected_on, photos, state, created_by)
         VALUES ($1, $2, $3, $4, $5, $5::date + 20, $5, ARRAY[gen_random_uuid()], $6, $7) ON CONFLICT DO NOTHING`,
        [
          house.tenant_id,
          house.project_id,
          house.id,
          house.rule,
          dice.pick(['2024-01-01', '2024-05-01', '2025-02-01']),
          dice.pick(['approved', 'refused', 'withdrawn']),
          dice.pick(staff).id,
        ],
      );
  },
});
