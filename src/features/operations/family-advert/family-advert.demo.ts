import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { familyAdvert } from './family-advert.contract.ts';

const DAY = 86_400_000;
const ADVERTS = [
  { title: '邻里摄影展作品征集', days: [-9, 20], inner: 'family', sort: 10 },
  { title: '电梯更新方案大家议', days: [-6, 9], inner: 'chamber', sort: 20 },
  { title: '冬季消防安全话题', days: [-15, 15], inner: 'topic', sort: 30 },
  { title: '社区公益基金年报', days: [-30, 30], url: 'https://example.org/report', sort: 40 },
  { title: '跳蚤市场开市', days: [6, 20], sort: 50 },
  { title: '中秋灯会回顾', days: [-60, -30], inner: 'family', sort: 60 },
  { title: '双十一拼团攻略', days: [-20, 10], url: 'https://example.org/deals', sort: 70, off: true },
] as const;

/** Adverts that run, wait, are over or off, with how often they were shown. */
export const demo = defineDemo({
  key: 'familyAdverts',
  after: ['launchAdverts', 'posts', 'communityTopics'],
  run: async ({ tx, now, as, random, tell }) => {
    const author = as('mall1');
    const picture = (await runOne<{ id: string }>(
      tx,
      `SELECT id FROM stored_file WHERE access = 'picture' AND name LIKE 'launch-%' ORDER BY id LIMIT 1`,
    ))!.id;
    for (const advert of ADVERTS) {
      const inner = 'inner' in advert ? advert.inner : null;
      const post =
        inner === 'family' || inner === 'chamber'
          ? await runOne<{ id: number; project_id: number }>(
              tx,
              `SELECT id, project_id FROM post WHERE kind = $1 AND shown AND review_state = 'passed' AND deleted_at IS NULL ORDER BY likes DESC, id OFFSET $2 LIMIT 1`,
              [inner, ADVERTS.indexOf(advert) % 2],
            )
          : undefined;
      const topic =
        inner === 'topic'
          ? await runOne<{ id: number }>(
              tx,
              `SELECT id FROM community_topic WHERE state = 'published' ORDER BY id LIMIT 1`,
            )
          : undefined;
      if (inner && !post && !topic) continue;
      const at = (days: number) => new Date(now.getTime() + days * DAY);
      const made = (await runOne<{ id: number }>(
        tx,
        `INSERT INTO family_advert (title, jump, inner_class, post_id, topic_id, url, image_id, starts_at, ends_at, sort, enabled, created_at, updated_at, created_by, updated_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, $13) RETURNING id`,
        [
          advert.title,
          inner ? 'inner' : 'url' in advert ? 'url' : 'none',
          inner,
          post?.id ?? null,
          topic?.id ?? null,
          'url' in advert ? advert.url : '',
          picture,
          at(advert.days[0]),
          at(advert.days[1]),
          advert.sort,
          !('off' in advert),
          at(Math.min(advert.days[0], 0) - 2),
          author.staffId,
        ],
      ))!.id;
      await run(
        tx,
        `INSERT INTO family_advert_project SELECT $1, p.id FROM project p
          WHERE CASE WHEN $2::bigint IS NOT NULL THEN p.id = $2
                     WHEN $3::bigint IS NOT NULL THEN EXISTS (SELECT FROM community_topic_project x WHERE x.topic_id = $3 AND x.project_id = p.id) ELSE true END`,
        [made, post?.project_id ?? null, topic?.id ?? null],
      );
      await tell({
        entity: familyAdvert.name,
        entityId: made,
        caller: author,
        action: 'create',
        label: familyAdvert.actions!.create.label,
        at: at(Math.min(advert.days[0], 0) - 2),
      });
      for (let day = advert.days[0]; day <= Math.min(0, advert.days[1]); day++) {
        const exposures = random.int(80, 420);
        const clicks = random.int(2, 40);
        await run(
          tx,
          `INSERT INTO ad_metric (kind, advert_id, day, project_id, exposures, clicks, viewers, clickers)
           SELECT 'family', $1, ($2::timestamptz AT TIME ZONE 'Asia/Shanghai')::date, p.project_id, $3, $4, $3 * 2 / 3, $4 * 4 / 5
             FROM family_advert_project p WHERE p.family_advert_id = $1 ORDER BY p.project_id LIMIT 1 ON CONFLICT DO NOTHING`,
          [made, at(day), exposures, clicks],
        );
      }
    }
  },
});
