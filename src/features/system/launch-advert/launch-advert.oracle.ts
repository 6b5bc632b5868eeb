import { counted, projectsOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

const JOINS = 'launch_advert_project';
const IMAGE = '0a992000-0000-4000-8000-000000000001';

export const oracle = defineOracle({
  name: 'launchAdvert',
  menu: 'ssm_appAdvertPage',
  table: 'launch_advert',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'launch_advert_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    projects: projectsOf(JOINS, 'launch_advert_id'),
    running: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value) =>
        (row.state === 'published' && row.starts_at <= new Date() && row.ends_at > new Date()) ===
        (value === 'true'),
    },
  },
  text: (row) => String(row.title).toLowerCase(),
  export: counted,
  owner: 'created_by',
  reads: [JOINS],
  sample: () => ({
    androidImage: IMAGE,
    iosImage: IMAGE,
    startsAt: '2030-01-01T00:00:00+08:00',
    endsAt: '2030-02-01T00:00:00+08:00',
    jump: 'none',
    link: undefined,
    module: undefined,
  }),
  fill: async ({ db, dice, staff }) => {
    await run(
      db,
      `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access) VALUES ($1::uuid, 'a.png', 'image/png', 1, '\\x00', $1::uuid::text, 'picture') ON CONFLICT DO NOTHING`,
      [IMAGE],
    );
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `WITH made AS (
           INSERT INTO launch_advert (title, android_image_id, ios_image_id, starts_at, ends_at, state, created_by)
           VALUES ($1, $2, $2, now() + make_interval(days => $3), now() + make_interval(days => $3 + 20), $4, $5) RETURNING id)
         INSERT INTO launch_advert_project SELECT made.id, p.id FROM made, project p WHERE p.id % 3 = $6`,
        [
          `随机启动页${index}`,
          IMAGE,
          dice.upTo(40) - 30,
          dice.pick(['draft', 'published', 'withdrawn']),
          id,
          index % 3,
        ],
      );
  },
});
