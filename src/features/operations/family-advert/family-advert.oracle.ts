import { counted, dayRange, projectsOf, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Raw } from '../../../testing/oracle/world.ts';

const JOINS = 'family_advert_project';
const IMAGE = '0a992000-0000-4000-8000-0000000000f7';
const phase = (row: Raw) =>
  !row.enabled
    ? 'off'
    : row.ends_at <= new Date()
      ? 'over'
      : row.starts_at > new Date()
        ? 'future'
        : 'running';

export const oracle = defineOracle({
  name: 'familyAdvert',
  menu: 'os_familyAdvert',
  table: 'family_advert',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'family_advert_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    projects: projectsOf(JOINS, 'family_advert_id'),
    phase: words(phase, ['future', 'running', 'over', 'off']),
    jump: words('jump', ['none', 'inner', 'url']),
    dead: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value, world) => {
        const post = world.rows.post!.find((one) => one.id === row.post_id);
        const topic = world.rows.community_topic!.find((one) => one.id === row.topic_id);
        const activity = world.rows.activity!.find((one) => one.id === row.activity_id);
        const group = post && world.rows.interest_group!.find((one) => one.id === post.group_id);
        const gone = post
          ? !(post.shown && post.review_state === 'passed' && post.deleted_at === null) ||
            (group !== undefined && group.state !== 'published')
          : activity
            ? activity.state !== 'published' || activity.ends_at <= new Date()
            : topic
              ? topic.state !== 'published'
              : false;
        return gone === (value === 'true');
      },
    },
    startsAt: dayRange('starts_at'),
  },
  text: (row) => String(row.title).toLowerCase(),
  export: counted,
  owner: 'created_by',
  reads: [JOINS, 'post', 'community_topic', 'activity', 'interest_group'],
  sample: () => ({
    startsAt: '2030-01-01T00:00:00+08:00',
    endsAt: '2030-02-01T00:00:00+08:00',
    jump: 'url',
    innerClass: undefined,
    familyPost: undefined,
    chamberPost: undefined,
    groupPost: undefined,
    activity: undefined,
    topic: undefined,
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
           INSERT INTO family_advert (title, jump, url, image_id, starts_at, ends_at, enabled, created_by)
           VALUES ($1, 'url', 'https://example.com', $2::uuid, now() + make_interval(days => $3), now() + make_interval(days => $3 + 20), $4, $5) RETURNING id)
         INSERT INTO family_advert_project SELECT made.id, p.id FROM made, project p WHERE p.id % 3 = $6`,
        [`随机家人${index}`, IMAGE, dice.upTo(40) - 30, dice.chance(0.7), id, index % 3],
      );
  },
});
