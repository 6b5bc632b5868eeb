import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

const IMAGE = '0a992000-0000-4000-8000-0000000000f6';

export const oracle = defineOracle({
  name: 'decorationOffer',
  menu: 'cs_decoreteSupervise',
  table: 'decoration_offer',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  owner: 'created_by',
  sample: () => ({ introduction: '<p>监理</p>' }),
  fill: async ({ db, dice, staff }) => {
    await run(
      db,
      `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access) VALUES ($1::uuid, 'a.png', 'image/png', 1, '\\x00', $1::uuid::text, 'picture') ON CONFLICT DO NOTHING`,
      [IMAGE],
    );
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `INSERT INTO decoration_offer (project_id, price, cost, image_ids, introduction_html, updated_at, created_by)
         SELECT p.id, $1, $2, ARRAY[$3::uuid], '<p>x</p>', now() - make_interval(days => $4), $5 FROM project p ORDER BY (p.id * 31) % (7 + $6::int), p.id LIMIT 1`,
        [100 + dice.upTo(90_000), 50 + dice.upTo(9_000), IMAGE, dice.upTo(50), id, index],
      );
  },
});
