import { byCode, idsOfRows, moneyRange, words, yes } from '../../../testing/oracle/filters.ts';
import { defineOracle, type Oracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Raw, type World } from '../../../testing/oracle/world.ts';

const dayAt = (shift: number) =>
  new Date(Date.now() + 8 * 3_600_000 + shift * 86_400_000).toISOString().slice(0, 10);

const live = (one: Raw) =>
  one.released_at === null && (one.expires_at === null || one.expires_at.getTime() > Date.now());

const occupancies = (row: Raw, world: World) =>
  (by(world, 'position_occupancy', 'position_id').get(row.id) ?? []).filter(live);

/** What has a position today, in the words of the list. */
const standing = (row: Raw, world: World) => {
  const today = dayAt(0);
  const one = occupancies(row, world).find((each) => each.from_on <= today && each.to_on >= today);
  return one === undefined
    ? 'free'
    : ({ lease: 'leased', hold: 'held', repair: 'repair' } as Record<string, string>)[one.kind];
};

/** Rows of positions under a menu. */
export const positions = {
  table: 'position',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: {
    type: idsOfRows('type_id', 'position'),
    listPrice: moneyRange('list_price'),
    enabled: yes('enabled'),
    standing: {
      ...words('code', ['free', 'held', 'repair', 'leased']),
      keeps: (row, value, world) => value.split(',').includes(standing(row, world)!),
    },
    freeIn: {
      value: (dice) => `${dayAt(dice.upTo(30) - 15)}~${dice.chance(0.7) ? dayAt(20 + dice.upTo(30)) : ''}`,
      keeps: (row, value, world) => {
        const [from = '', to = ''] = value.split('~');
        return !occupancies(row, world).some(
          (one) => (to === '' || one.from_on <= to) && (from === '' || one.to_on >= from),
        );
      },
    },
  },
  text: (row) => `${row.code} ${row.name} ${row.location}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: ['position_occupancy'],
} satisfies Omit<Oracle, 'name' | 'menu'>;

export const oracle = defineOracle({
  name: 'position',
  menu: 'positionList',
  ...positions,
  sample: (turn) => ({
    code: `CS-${turn}`,
    // Only one of the same project fits.
    building: undefined,
    listPrice: '3000.00',
    floorPrice: '2000.00',
    pinX: undefined,
    pinY: undefined,
    area: '2.50',
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 40).entries()) {
      const kind = dice.pick(['hold', 'lease', 'repair']);
      await run(
        db,
        `WITH made AS (
           INSERT INTO position (code, name, project_id, type_id, location, list_price, floor_price, enabled, created_by)
           SELECT $1, $2, p.id, (SELECT min(v.id) + $3::int % 8 FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = 'position_type' AND v.parent_id IS NOT NULL),
                  '大堂', $4, 1000, $5, $6 FROM project p ORDER BY (p.id * 31) % (7 + $3::int), p.id LIMIT 1 RETURNING id),
              prices AS (INSERT INTO position_price (position_id, list_price, floor_price, staff_id) SELECT id, $4, 1000, $6 FROM made)
         INSERT INTO position_occupancy (position_id, kind, from_on, to_on, holder_id, reason, expires_at, released_at, created_by)
         SELECT id, $7, current_date - $8::int, current_date + $9::int, $6, '随机', CASE WHEN $7 = 'hold' THEN now() + make_interval(days => $10) END, CASE WHEN $11 THEN now() END, $6 FROM made`,
        [
          `SJ-${index}`,
          `随机点位${index}`,
          index,
          10_000 + dice.upTo(90) * 1_000,
          dice.chance(0.8),
          id,
          kind,
          dice.upTo(20),
          dice.upTo(30),
          dice.upTo(10) - 3,
          dice.chance(0.2),
        ],
      );
    }
  },
});
