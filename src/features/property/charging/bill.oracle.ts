import { byCode, yes } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Raw } from '../../../testing/oracle/world.ts';

const today = () => new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);
const open = (row: Raw) => row.state === 'unpaid' || row.state === 'part';
const days = (row: Raw) =>
  open(row) && row.due_date < today()
    ? Math.round((Date.parse(today()) - Date.parse(row.due_date)) / 86_400_000)
    : 0;

export const oracle = defineOracle({
  name: 'bill',
  menu: 'cs_propertyChargingBill',
  table: 'bill',
  standing: (row) => ({
    tenant: row.tenant_id,
    projects: [row.project_id],
    owner: row.created_by,
    rule: 'places',
  }),
  tabs: {
    all: () => true,
    overdue: (row) => days(row) > 0,
    disputed: (row) => row.disputed === true,
  },
  filters: {
    building: {
      value: (dice, world) => String(dice.pick(world.rows.building!).id),
      keeps: (row, value, world) => {
        const house = by(world, 'house', 'id').get(row.house_id)![0]!;
        const unit = by(world, 'building_unit', 'id').get(house.unit_id)![0]!;
        return value.split(',').includes(String(unit.building_id));
      },
    },
    item: {
      value: (dice, world) => String(dice.pick(world.rows.fee_item!).id),
      keeps: (row, value) => value.split(',').includes(String(row.fee_item_id)),
    },
    kind: {
      value: (dice) => dice.pick(['management', 'parking', 'other']),
      keeps: (row, value, world) =>
        value.split(',').includes(String(by(world, 'fee_item', 'id').get(row.fee_item_id)![0]!.kind)),
    },
    overdueDays: {
      value: (dice) => `${dice.upTo(30)}~${30 + dice.upTo(400)}`,
      keeps: (row, value) => {
        const [least, most] = value.split('~').map(Number);
        return days(row) >= least! && days(row) <= most!;
      },
    },
    disputed: yes('disputed'),
  },
  text: (row) => `${row.code} ${row.debtor_name}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: ['house', 'building_unit', 'building', 'fee_item'],
  sample: () => ({
    periodFrom: '2026-01-01',
    periodTo: '2026-01-31',
    dueDate: '2026-02-10',
    principal: '10.00',
  }),
  fill: async ({ db, dice, staff }) => {
    const houses = await run<{ id: number; project_id: number; tenant_id: number; item: number }>(
      db,
      `SELECT h.id, h.project_id, c.tenant_id, (SELECT i.id FROM fee_item i WHERE i.tenant_id = c.tenant_id ORDER BY i.id LIMIT 1) AS item
         FROM house h JOIN LATERAL (SELECT tp.tenant_id FROM tenant_project tp JOIN tenant x ON x.id = tp.tenant_id AND x.kind = 1 WHERE tp.project_id = h.project_id ORDER BY 1 LIMIT 1) c ON TRUE
        WHERE h.id % 37 = 0 ORDER BY h.id LIMIT 60`,
    );
    for (const [index, house] of houses.filter((one) => one.item !== null).entries())
      await run(
        db,
        `WITH made AS (
           INSERT INTO bill (code, tenant_id, project_id, house_id, fee_item_id, debtor_name, period_from, period_to, due_date, principal, terms, disputed, created_by)
           VALUES ($1, $2, $3, $4, $5, $6, $7, ($7::date + 29), ($7::date + 40), $8, '{}', $9, $10) RETURNING id, principal)
         INSERT INTO bill_line (bill_id, kind, amount, on_day) SELECT id, 'principal', principal, '2026-01-01' FROM made`,
        [
          `ORA${index}`,
          house.tenant_id,
          house.project_id,
          house.id,
          house.item,
          dice.pick(['张三', '李四']),
          dice.pick(['2026-01-01', '2026-05-01', '2027-12-01']),
          dice.upTo(90_000) + 1,
          dice.chance(0.1),
          dice.pick(staff).id,
        ],
      );
  },
});
