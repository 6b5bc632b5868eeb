import { z } from 'zod';
import { countAd } from '../../../domain/ad-metric/ad-metric.server.ts';
import {
  filteredProjects,
  inReach,
  projectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { endpoint, type OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { checkPeriod, checkPictures } from '../../mall/mall-content/content-checks.server.ts';
import { familyAdvert, type AdvertDay } from './family-advert.contract.ts';

const ROOT = '/jinmao/web/familyAdvert';
/** What the programs behind the owners' app hold. */
const APP_SCOPE = 'member_event';
const idText = z.string().regex(/^\d{1,15}$/);
const NOT_VISIBLE: Label = ['跳转内容不可见', 'The target is not visible to this audience'];
const REQUIRED: Label = ['此项必填', 'This field is required'];

/** SQL: a post (alias) members can see. */
const POST_SEEN = (o: string) => `(${o}.shown AND ${o}.review_state = 'passed' AND ${o}.deleted_at IS NULL)`;
/** SQL: what advert `t` opens is not there any more. */
const DEAD = `(CASE WHEN t.post_id IS NOT NULL THEN NOT EXISTS (SELECT FROM post o WHERE o.id = t.post_id AND ${POST_SEEN('o')})
  WHEN t.topic_id IS NOT NULL THEN NOT EXISTS (SELECT FROM community_topic o WHERE o.id = t.topic_id AND o.state = 'published') ELSE false END)`;
const metric = (column: string) =>
  `(SELECT coalesce(sum(x.${column}), 0)::int FROM ad_metric x WHERE x.kind = 'family' AND x.advert_id = t.id)`;
const POST_TITLE = `coalesce(nullif(left(r_post.content, 30), ''), '#' || r_post.id)`;

const bound: BoundResource = bindResource(familyAdvert, {
  table: 'family_advert',
  from: 'family_advert t LEFT JOIN post r_post ON r_post.id = t.post_id LEFT JOIN community_topic r_topic ON r_topic.id = t.topic_id',
  links: {
    projects: {
      table: 'family_advert_project',
      own: 'family_advert_id',
      other: 'project_id',
      to: 'project',
    },
  },
  columns: {
    image: 't.image_id',
    familyPost: {
      id: `CASE WHEN t.inner_class = 'family' THEN t.post_id END`,
      title: `CASE WHEN t.inner_class = 'family' THEN ${POST_TITLE} END`,
    },
    chamberPost: {
      id: `CASE WHEN t.inner_class = 'chamber' THEN t.post_id END`,
      title: `CASE WHEN t.inner_class = 'chamber' THEN ${POST_TITLE} END`,
    },
    topic: { id: 't.topic_id', title: 'r_topic.title' },
    target: `CASE WHEN t.jump = 'url' THEN t.url WHEN t.post_id IS NOT NULL THEN ${POST_TITLE} ELSE r_topic.title END`,
    dead: DEAD,
    phase: `CASE WHEN NOT t.enabled THEN 'off' WHEN t.ends_at <= now() THEN 'over' WHEN t.starts_at > now() THEN 'future' ELSE 'running' END`,
    shown: metric('exposures'),
    clicked: metric('clicks'),
    clickRate: `(SELECT round(100.0 * sum(x.clicks) / nullif(sum(x.exposures), 0), 2) FROM ad_metric x WHERE x.kind = 'family' AND x.advert_id = t.id)`,
  },
  writes: { image: 'image_id', familyPost: false, chamberPost: false, topic: 'topic_id' },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM family_advert_project p WHERE p.family_advert_id = t.id AND p.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  scope: {
    tenant: 'NULL::bigint',
    project: (ids) =>
      `EXISTS (SELECT FROM family_advert_project p WHERE p.family_advert_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`,
    owner: 't.created_by',
  },
  search: 'lower(t.title)',
  extra: {
    projectIds: 'ARRAY(SELECT p.project_id FROM family_advert_project p WHERE p.family_advert_id = t.id)',
  },
  ruleReads: ['projectIds', 'enabled'],
  rowRules: {
    update: inReach,
    remove: inReach,
    enable: (row, caller) =>
      inReach(row, caller) ?? (row.enabled === true ? ['已启用', 'It is enabled'] : undefined),
    disable: (row, caller) =>
      inReach(row, caller) ?? (row.enabled === true ? undefined : ['已停用', 'It is disabled']),
  },
  handlers: {
    enable: () => Promise.resolve({ set: { enabled: true } }),
    disable: () => Promise.resolve({ set: { enabled: false } }),
  },
  present: async (rows, db, caller) => {
    await showFiles(rows, db, 'image');
    for (const row of rows)
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
  },
  before: [check, checkAudience],
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/days`,
      title: ['每日数据', 'Figures by day'],
      access: { code: familyAdvert.menu },
      handle: async (call): Promise<AdvertDay[]> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return run<AdvertDay>(
          call.platform.database.db,
          `SELECT x.day::text AS day, sum(x.exposures)::int AS exposures, sum(x.clicks)::int AS clicks, sum(x.viewers)::int AS viewers, sum(x.clickers)::int AS clickers
             FROM ad_metric x WHERE x.kind = 'family' AND x.advert_id = $1 AND ($2::bigint[] IS NULL OR x.project_id = ANY($2::bigint[]))
            GROUP BY x.day ORDER BY x.day DESC LIMIT 90`,
          [id, call.caller.projectIds],
        );
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/app/list`,
      title: ['App 家人圈广告', 'Family adverts in the app'],
      access: { program: APP_SCOPE },
      query: z.strictObject({ projectId: idText }),
      handle: async ({ platform, query }) => {
        const projectId = Number(query.projectId);
        const rows = await run<{
          id: number;
          title: string;
          image: string;
          jump: 'none' | 'inner' | 'url';
          inner: 'family' | 'chamber' | 'topic' | null;
          object: number | null;
          url: string;
        }>(
          platform.database.db,
          `SELECT t.id, t.title, t.image_id AS image, t.jump, t.inner_class AS inner, coalesce(t.post_id, t.topic_id) AS object, t.url
             FROM family_advert t JOIN family_advert_project p ON p.family_advert_id = t.id
            WHERE p.project_id = $1 AND t.enabled AND t.starts_at <= now() AND t.ends_at > now() AND NOT ${DEAD}
            ORDER BY t.sort, t.created_at DESC, t.id DESC LIMIT $2`,
          [projectId, await platform.settings.number('advert.family.max', { projectId })],
        );
        return rows.map((row) => ({
          id: String(row.id),
          title: row.title,
          image: `/api/file/${row.image}`,
          jumpType: familyAdvert.fields.jump.choices![row.jump].code,
          ...(row.inner && {
            innerClass: familyAdvert.fields.innerClass.choices![row.inner].code,
            objectId: String(row.object),
          }),
          ...(row.jump === 'url' && { url: row.url }),
        }));
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/app/event`,
      title: ['家人圈广告曝光与点击', 'A family advert shown or clicked'],
      access: { program: APP_SCOPE },
      body: z.strictObject({
        eventId: z.string().min(1).max(64),
        advertId: idText,
        projectId: idText,
        memberId: idText.optional(),
        type: z.enum(['ad.show', 'ad.click']),
      }),
      handle: async ({ platform, body }) => {
        const memberId = body.memberId ? Number(body.memberId) : undefined;
        const counted = await transaction(platform.database.db, async (tx) => {
          const known = await runOne(
            tx,
            `SELECT FROM family_advert_project p WHERE p.family_advert_id = $1 AND p.project_id = $2
                AND ($3::bigint IS NULL OR EXISTS (SELECT FROM member WHERE id = $3))`,
            [Number(body.advertId), Number(body.projectId), memberId ?? null],
          );
          if (!known) throw notFound();
          return countAd(tx, {
            eventId: body.eventId,
            kind: 'family',
            advertId: Number(body.advertId),
            projectId: Number(body.projectId),
            memberId,
            what: body.type === 'ad.show' ? 'show' : 'click',
          });
        });
        return { accepted: counted, duplicate: !counted };
      },
    }),
  ],
  also: {
    options: [
      postOptions('advertFamilyPost', 'family'),
      postOptions('advertChamberPost', 'chamber'),
      topicOptions(),
    ],
  },
});

/** Adverts of the family circle. */
export const registration = bound.registration;

/** Period and picture fit, what is opened is named, and what is not opened is let go. */
async function check(context: ActionContext): Promise<void> {
  const { action, input, row, columns, tx } = context;
  if (action !== 'create' && action !== 'update') return;
  await checkPeriod(tx, input, row);
  if (input.image)
    await checkPictures(context, 'image', [String(input.image)], row.image_id ? [String(row.image_id)] : []);
  const jump = String(input.jump ?? row.jump);
  const inner = jump === 'inner' ? (input.innerClass ?? row.inner_class) : null;
  const problems: Record<string, Label> = {};
  if (jump === 'inner' && !inner) problems.innerClass = REQUIRED;
  columns.inner_class = inner;
  const post = inner === 'family' ? 'familyPost' : inner === 'chamber' ? 'chamberPost' : undefined;
  columns.post_id = post
    ? (input[post] ?? (row.inner_class === inner && !(post in input) ? row.post_id : null))
    : null;
  if (post && !columns.post_id) problems[post] = REQUIRED;
  columns.topic_id = inner === 'topic' ? ('topic' in input ? input.topic : row.topic_id) : null;
  if (inner === 'topic' && !columns.topic_id) problems.topic = REQUIRED;
  columns.url = jump === 'url' ? (input.url ?? row.url ?? '') : '';
  if (jump === 'url' && !columns.url) problems.url = REQUIRED;
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

/** What is opened can be seen in every project the advert is shown in. */
async function checkAudience({ tx, action, input, row, columns, id }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const inner = columns.inner_class as 'family' | 'chamber' | 'topic' | null;
  if (inner === null) return;
  const projects = Array.isArray(input.projects) ? (input.projects as number[]).map(Number) : null;
  const blind = await runOne(
    tx,
    `SELECT FROM (SELECT unnest($1::bigint[]) AS project_id UNION ALL
                  SELECT project_id FROM family_advert_project WHERE $1::bigint[] IS NULL AND family_advert_id = $2) p
      WHERE NOT CASE WHEN $3 = 'topic'
        THEN EXISTS (SELECT FROM community_topic o JOIN community_topic_project x ON x.topic_id = o.id
                      WHERE o.id = $5 AND o.state = 'published' AND x.project_id = p.project_id)
        ELSE EXISTS (SELECT FROM post o WHERE o.id = $4 AND o.kind = $3 AND o.project_id = p.project_id AND ${POST_SEEN('o')}) END`,
    [projects, row.id ? id : null, inner, columns.post_id ?? null, columns.topic_id ?? null],
  );
  if (blind)
    throw invalid({
      [inner === 'family' ? 'familyPost' : inner === 'chamber' ? 'chamberPost' : 'topic']: NOT_VISIBLE,
    });
}

const POST_PLACE: Omit<ScopeColumns, 'owner'> = { tenant: 'NULL::bigint', project: 't.project_id' };

/** Posts members can see, in the projects the caller works in. */
function postOptions(target: string, kind: 'family' | 'chamber'): OptionSource {
  return {
    target,
    anyOf: [familyAdvert.menu],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [`t.kind = '${kind}'`, placeCondition(caller, POST_PLACE, parameters)];
      if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else parts.push(POST_SEEN('t'));
      if (query.searchVal)
        parts.push(`lower(t.content) LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`);
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT t.id, coalesce(nullif(left(t.content, 30), ''), '#' || t.id) AS title, p.name AS note FROM post t JOIN project p ON p.id = t.project_id
          WHERE ${parts.join(' AND ')} ORDER BY t.published_at DESC, t.id DESC LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}

/** Topics members can see, in the projects the caller works in. */
function topicOptions(): OptionSource {
  return {
    target: 'advertTopic',
    anyOf: [familyAdvert.menu],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [
        placeCondition(
          caller,
          {
            tenant: 'NULL::bigint',
            project: (ids) =>
              `EXISTS (SELECT FROM community_topic_project x WHERE x.topic_id = t.id AND x.project_id = ANY(${ids}::bigint[]))`,
          },
          parameters,
        ),
      ];
      if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else parts.push(`t.state = 'published'`);
      if (query.searchVal)
        parts.push(`lower(t.title) LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`);
      const rows = await run<{ id: number; title: string }>(
        platform.database.db,
        `SELECT t.id, t.title FROM community_topic t WHERE ${parts.join(' AND ')} ORDER BY t.published_at DESC, t.id DESC
          LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}
