import { counted, projectsOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

const JOINS = 'find_goods_project';
const IMAGE = '0a992000-0000-4000-8000-0000000000f1';

export const oracle = defineOracle({
  name: 'findGoods',
  menu: 'mm_findGoods',
  table: 'find_goods_article',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'article_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: { projects: projectsOf(JOINS, 'article_id') },
  text: (row) => `${row.title} ${row.subtitle}`.toLowerCase(),
  export: counted,
  owner: 'created_by',
  reads: [JOINS],
  sample: () => ({ avatar: undefined, body: '<p>好物</p>', products: undefined }),
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
           INSERT INTO find_goods_article (title, subtitle, image_ids, body_html, state, published_at, created_by)
           VALUES ($1, $2, ARRAY[$3::uuid], '<p>x</p>', $4, CASE WHEN $4 <> 'draft' THEN now() - make_interval(days => $5) END, $6) RETURNING id)
         INSERT INTO find_goods_project SELECT made.id, p.id FROM made, project p WHERE p.id % 3 = $7`,
        [
          `随机探访${index}`,
          dice.pick(['油', '米', '5']),
          IMAGE,
          dice.pick(['draft', 'published', 'withdrawn']),
          dice.upTo(40),
          id,
          index % 3,
        ],
      );
  },
});
