import { counted, projectsOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

const JOINS = 'mall_ad_project';
const IMAGE = '0a992000-0000-4000-8000-0000000000f2';

export const oracle = defineOracle({
  name: 'mallAd',
  menu: 'mm_advertForMall',
  table: 'mall_ad',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'mall_ad_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    projects: projectsOf(JOINS, 'mall_ad_id'),
    running: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value) =>
        (row.state === 'on' && row.starts_at <= new Date() && row.ends_at > new Date()) ===
        (value === 'true'),
    },
  },
  text: (row) => String(row.title).toLowerCase(),
  export: counted,
  owner: 'created_by',
  reads: [JOINS],
  sample: () => ({
    startsAt: '2030-01-01T00:00:00+08:00',
    endsAt: '2030-02-01T00:00:00+08:00',
    jump: 'url',
    innerClass: undefined,
    product: undefined,
    url: 'https://example.com/a',
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
           INSERT INTO mall_ad (title, slot, jump, url, image_ids, starts_at, ends_at, state, created_by)
           VALUES ($1, $2, 'url', 'https://example.com', ARRAY[$3::uuid], now() + make_interval(days => $4), now() + make_interval(days => $4 + 20), $5, $6) RETURNING id)
         INSERT INTO mall_ad_project SELECT made.id, p.id FROM made, project p WHERE p.id % 3 = $7`,
        [
          `随机广告${index}`,
          dice.pick(['home', 'category', 'popup']),
          IMAGE,
          dice.upTo(40) - 30,
          dice.pick(['off', 'on', 'ended']),
          id,
          index % 3,
        ],
      );
  },
});
