import { ids } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run, type Raw, type World } from '../../../testing/oracle/world.ts';

const noticeOf = (row: Raw, world: World) => world.rows.notice!.find((one) => one.id === row.notice_id)!;

export const oracle = defineOracle({
  name: 'noticeReader',
  menu: 'cs_pronotice',
  table: 'notice_reader',
  standing: (row, world) => ({
    tenant: null,
    projects: [row.project_id],
    owner: noticeOf(row, world).created_by,
    rule: 'places',
  }),
  filters: {
    notice: ids('notice_id', 'notice'),
    read: {
      value: (dice) => dice.pick(['read', 'unread', 'read,unread']),
      keeps: (row, value) => value.split(',').includes(row.read_at === null ? 'unread' : 'read'),
    },
    identity: {
      value: (dice) => dice.pick(['owner', 'family', 'tenant']),
      keeps: (row, value, world) =>
        world.rows.household!.find((one) => one.id === row.household_id)!.identity === value,
    },
  },
  reads: ['notice', 'household'],
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 12).entries())
      await run(
        db,
        `WITH made AS (
           INSERT INTO notice (title, type, importance, body_html, signature, state, published_at, created_by)
           VALUES ($1, '003', '2', '<p>x</p>', '', 'published', now(), $2) RETURNING id),
         places AS (INSERT INTO notice_project SELECT made.id, p.id FROM made, project p WHERE p.id % 2 = $3)
         INSERT INTO notice_reader (notice_id, household_id, member_id, house_id, project_id, read_at)
         SELECT made.id, h.id, h.member_id, h.house_id, x.project_id, CASE WHEN h.id % 3 = $4 THEN now() END
           FROM made, household h JOIN house x ON x.id = h.house_id WHERE x.project_id % 2 = $3 AND h.id % 37 = $5`,
        [`随机公告读${index}`, id, index % 2, dice.upTo(3), index],
      );
  },
});
