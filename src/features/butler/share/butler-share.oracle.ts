import { counted, idsOfRows, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Raw, type World } from '../../../testing/oracle/world.ts';

const keeper = (row: Raw, world: World) => by(world, 'housekeeper', 'id').get(row.housekeeper_id)![0]!;
const sold = (row: Raw, world: World) =>
  (by(world, 'butler_performance', 'share_id').get(row.id) ?? []).some(
    (one) => one.way === 1 && one.housekeeper_id !== null,
  );
const live = (row: Raw, world: World) =>
  row.disabled_at === null &&
  new Date(row.expires_at).getTime() > Date.now() &&
  keeper(row, world).left_at === null;

export const oracle = defineOracle({
  name: 'butlerShare',
  menu: 'butler_share',
  table: 'butler_share',
  standing: (row, world) => ({
    tenant: null,
    projects: [Number(row.project_id)],
    owner: keeper(row, world).staff_id,
    rule: 'places',
  }),
  filters: {
    butler: idsOfRows('housekeeper_id', 'butler_share'),
    source: words(
      (row) => (row.reminder_id !== null ? 'reminder' : row.task_id !== null ? 'task' : 'own'),
      ['own', 'reminder', 'task'],
    ),
    standing: {
      value: (dice) => dice.pick(['live', 'expired']),
      keeps: (row, value, world) => (value === 'live') === live(row, world),
    },
    withOrders: {
      value: (dice) => String(dice.chance(0.5)),
      keeps: (row, value, world) => String(sold(row, world)) === value,
    },
  },
  text: (row) => `${row.code} ${row.target_name}`.toLowerCase(),
  export: counted,
  reads: ['housekeeper', 'butler_performance'],
  fill: async ({ db, dice, staff }) => {
    for (const { id } of staff.slice(0, 40))
      await run(db, 'INSERT INTO housekeeper (staff_id) VALUES ($1) ON CONFLICT DO NOTHING', [id]);
    await run(
      db,
      `INSERT INTO butler_share (code, housekeeper_id, project_id, target_kind, product_id, target_id, target_name, channel, shared_at, expires_at)
       SELECT substr(md5(k.id || '-' || n), 1, 10), k.id, (SELECT id FROM project ORDER BY (id * 7919 + k.id * 31 + n) % 101, id LIMIT 1), 'product', p.id, p.id, p.name,
              (ARRAY['link', 'poster', 'qr'])[1 + (k.id + n) % 3], now() - make_interval(days => (k.id + n)::int % 120), now() - make_interval(days => (k.id + n)::int % 120 - 90)
         FROM housekeeper k CROSS JOIN generate_series(1, 3) n CROSS JOIN LATERAL (SELECT id, name FROM product ORDER BY (id * 31 + k.id * $1) % 97, id LIMIT 1) p`,
      [1 + dice.upTo(50)],
    );
  },
});
