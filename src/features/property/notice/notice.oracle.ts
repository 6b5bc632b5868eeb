import { counted, projectsOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

const JOINS = 'notice_project';

export const oracle = defineOracle({
  name: 'notice',
  menu: 'cs_pronotice',
  table: 'notice',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'notice_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    projects: projectsOf(JOINS, 'notice_id'),
    pinned: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value) =>
        (row.state === 'published' && row.pinned_until !== null && row.pinned_until > new Date()) ===
        (value === 'true'),
    },
  },
  text: (row) => `${row.title} ${row.signature}`.toLowerCase(),
  export: counted,
  owner: 'created_by',
  reads: [JOINS],
  sample: () => ({
    body: '<p>公告</p>',
    saveAs: 'draft',
    buildings: undefined,
    units: undefined,
    identities: undefined,
    publishAt: '2030-03-01T08:00:00+08:00',
    expiresOn: '2030-04-01',
    pinnedUntil: '2030-03-10T08:00:00+08:00',
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `WITH made AS (
           INSERT INTO notice (title, type, importance, body_html, signature, state, publish_at, published_at, recall_reason, recalled_at, reject_reason, pinned_until, created_by)
           SELECT $1, $2, $3, '<p>x</p>', $4, $5, CASE WHEN $5 = 'scheduled' OR $6 % 2 = 0 THEN x.at END, CASE WHEN $5 IN ('published', 'expired') THEN x.at END,
                  CASE WHEN $5 = 'recalled' THEN '内容有误' ELSE '' END, CASE WHEN $5 = 'recalled' THEN now() END, CASE WHEN $5 = 'rejected' THEN '内容有误' ELSE '' END,
                  CASE WHEN $6 % 3 = 0 THEN now() + interval '2 days' END, $7
             FROM (SELECT now() - make_interval(days => $6) AS at) x RETURNING id)
         INSERT INTO notice_project SELECT made.id, p.id FROM made, project p WHERE p.id % 3 = $8`,
        [
          `随机公告${index}`,
          dice.pick(['001', '003', '004', '006']),
          dice.pick(['1', '2']),
          dice.pick(['服务中心', '5号楼', '油']),
          dice.pick(['draft', 'reviewing', 'rejected', 'scheduled', 'published', 'recalled', 'expired']),
          dice.upTo(40),
          id,
          index % 3,
        ],
      );
  },
});
