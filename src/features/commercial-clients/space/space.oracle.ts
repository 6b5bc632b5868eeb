import { counted, dayOf, idsOfRows, moneyRange, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Raw, type World } from '../../../testing/oracle/world.ts';

const DAY = 86_400_000;
const dayAt = (shift: number) => dayOf(new Date(Date.now() + shift * DAY));
const present = (row: Raw) => row.closed_on === null || row.closed_on > dayAt(0);

const live = (row: Raw, world: World) =>
  (by(world, 'position_occupancy', 'position_id').get(row.id) ?? []).filter(
    (one) => one.released_at === null && (one.expires_at === null || one.expires_at.getTime() > Date.now()),
  );
const now = (row: Raw, world: World) =>
  live(row, world).find((one) => one.from_on <= dayAt(0) && one.to_on >= dayAt(0));

const STANDINGS: Record<string, string> = { lease: 'leased', hold: 'held', repair: 'repair' };

/** Days nobody leased it, up to today; none where it is let or closed. */
function vacant(row: Raw, world: World): number | undefined {
  if (now(row, world)?.kind === 'lease' || !present(row)) return undefined;
  const ends = (by(world, 'position_occupancy', 'position_id').get(row.id) ?? [])
    .filter((one) => one.kind === 'lease' && one.released_at === null && one.to_on < dayAt(0))
    .map((one) => dayOf(new Date(Date.parse(`${one.to_on}T00:00:00+08:00`) + DAY)));
  const start = [row.opens_on ?? row.delivered_on ?? dayOf(row.created_at), ...ends].sort().at(-1)!;
  return Math.max(0, Math.round((Date.parse(dayAt(0)) - Date.parse(start)) / DAY));
}

const between = (
  value: string,
  own: number | string | undefined,
  side: (text: string) => number | string,
) => {
  const [low = '', high = ''] = value.split('~');
  if (own === undefined) return low === '' && high === '';
  return (low === '' || own >= side(low)) && (high === '' || own <= side(high));
};

export const oracle = defineOracle({
  name: 'space',
  menu: 'proAdministration',
  table: 'space',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: {
    building: idsOfRows('building_id', 'space'),
    format: idsOfRows('format_id', 'space'),
    place: {
      value: (dice, world) => {
        const row = dice.pick(world.rows.space!);
        return `${row.building_id}.${row.floor}`;
      },
      keeps: (row, value) => `${row.building_id}.${row.floor}` === value,
    },
    rent: moneyRange('rent'),
    builtArea: {
      value: (dice) =>
        `${dice.chance(0.8) ? dice.upTo(150) : ''}~${dice.chance(0.8) ? 100 + dice.upTo(200) : ''}`,
      keeps: (row, value) => between(value, row.built_area, (text) => Number(text) * 100),
    },
    standing: {
      ...words('id', ['free', 'held', 'repair', 'leased']),
      keeps: (row, value, world) =>
        value.split(',').includes(STANDINGS[now(row, world)?.kind as string] ?? 'free'),
    },
    vacantDays: {
      value: (dice) => `${dice.upTo(60)}~${dice.chance(0.3) ? 60 + dice.upTo(200) : ''}`,
      keeps: (row, value, world) => between(value, vacant(row, world), Number),
    },
    endsOn: {
      value: (dice) => `${dayAt(0)}~${dayAt(dice.upTo(300))}`,
      keeps: (row, value, world) => {
        const one = now(row, world);
        return between(value, one?.kind === 'lease' ? one.to_on : undefined, String);
      },
    },
  },
  tabs: { present, closed: (row) => !present(row) },
  text: (row) => String(row.number).toLowerCase(),
  export: counted,
  owner: 'created_by',
  reads: ['position_occupancy'],
  sample: (turn) => ({
    number: `PS-${turn}`,
    floor: 1,
    builtArea: '100.00',
    usableArea: '80.00',
    rent: '120.00',
    rentMin: '90.00',
    plan: undefined,
    pin: undefined,
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries()) {
      const kind = dice.pick(['hold', 'lease', 'repair']);
      await run(
        db,
        `WITH place AS (SELECT b.id, b.project_id FROM building b ORDER BY (b.id * 31) % (7 + $1::int), b.id LIMIT 1),
              spot AS (INSERT INTO position (code, name, project_id, type_id, building_id, area, list_price, created_by)
                SELECT $2, $2, place.project_id, (SELECT min(v.id) FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = 'position_type' AND v.val = 'shop'),
                       place.id, $3 / 100.0, 100000, $4 FROM place RETURNING id, project_id, building_id),
              made AS (INSERT INTO space (id, project_id, building_id, floor, number, kind, built_area, rent, delivered_on, closed_on, created_by)
                SELECT id, project_id, building_id, $5, $2, $6, $3, $7, current_date - $8::int, CASE WHEN $9 THEN current_date + 400 - $10::int END, $4 FROM spot RETURNING id)
         INSERT INTO position_occupancy (position_id, kind, from_on, to_on, holder_id, reason, expires_at, released_at, created_by)
         SELECT id, $11, current_date - $12::int, current_date + $13::int, $4, '随机', CASE WHEN $11 = 'hold' THEN now() + make_interval(days => $14) END, CASE WHEN $15 THEN now() END, $4 FROM spot`,
        [
          index,
          `SX-${index}`,
          3_000 + dice.upTo(20_000),
          id,
          1 + (index % 4),
          dice.pick(['shop', 'office', 'venue', 'kiosk']),
          5_000 + dice.upTo(15_000),
          100 + dice.upTo(200),
          index % 9 === 0,
          index % 2 === 0 ? 300 : 0,
          kind,
          22 + dice.upTo(40),
          dice.upTo(60) - 20 - 1,
          dice.upTo(10) - 3,
          dice.chance(0.2),
        ],
      );
    }
    // Some are there no longer.
    await run(
      db,
      `UPDATE space s SET closed_on = current_date - 1 WHERE s.number LIKE 'SX-%' AND s.floor = 2
          AND NOT EXISTS (SELECT FROM position_occupancy o WHERE o.position_id = s.id AND o.released_at IS NULL AND o.to_on >= current_date - 1)`,
      [],
    );
  },
});
