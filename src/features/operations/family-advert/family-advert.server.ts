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
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { checkPeriod, checkPictures } from '../../mall/mall-content/content-checks.server.ts';
import { postTitle, targetOptions, visibleTarget, type ContentTarget } from '../content-targets.server.ts';
import { PUSH_MENU } from '../info-push/info-push.contract.ts';
import { familyAdvert, type AdvertDay } from './family-advert.contract.ts';

const ROOT = '/jinmao/web/familyAdvert';
/** Who picks content to be opened. */
const TARGET_MENUS = [familyAdvert.menu, PUSH_MENU];
/** What the programs behind the owners' app hold. */
const APP_SCOPE = 'member_event';
const idText = z.string().regex(/^\d{1,15}$/);
const NOT_VISIBLE: Label = ['跳转内容不可见', 'The target is not visible to this audience'];
const REQUIRED: Label = ['此项必填', 'This field is required'];

/** What adverts open: the input that names it and the column it is kept in. */
const OPENS = {
  family: ['familyPost', 'post_id'],
  chamber: ['chamberPost', 'post_id'],
  activity: ['activity', 'activity_id'],
  topic: ['topic', 'topic_id'],
  group_post: ['groupPost', 'post_id'],
} as const satisfies Readonly<Record<ContentTarget, readonly [string, string]>>;
const KINDS = Object.keys(OPENS) as ContentTarget[];
const isKind = (value: unknown): value is ContentTarget => KINDS.includes(value as ContentTarget);
/** SQL: what advert `t` opens is not there any more. */
const DEAD = `(CASE t.inner_class ${KINDS.map(
  (kind) => `WHEN '${kind}' THEN NOT ${visibleTarget(kind, `t.${OPENS[kind][1]}`)}`,
).join(' ')} ELSE false END)`;
const metric = (column: string) =>
  `(SELECT coalesce(sum(x.${column}), 0)::int FROM ad_metric x WHERE x.kind = 'family' AND x.advert_id = t.id)`;
const POST_TITLE = postTitle('r_post');
const postOf = (kind: ContentTarget) => ({
  id: `CASE WHEN t.inner_class = '${kind}' THEN t.post_id END`,
  title: `CASE WHEN t.inner_class = '${kind}' THEN ${POST_TITLE} END`,
});

const bound: BoundResource = bindResource(familyAdvert, {
  table: 'family_advert',
  from: 'family_advert t LEFT JOIN post r_post ON r_post.id = t.post_id LEFT JOIN community_topic r_topic ON r_topic.id = t.topic_id LEFT JOIN activity r_activity ON r_activity.id = t.activity_id',
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
    familyPost: postOf('family'),
    chamberPost: postOf('chamber'),
    groupPost: postOf('group_post'),
    activity: { id: 't.activity_id', title: 'r_activity.title' },
    topic: { id: 't.topic_id', title: 'r_topic.title' },
    target: `CASE WHEN t.jump = 'url' THEN t.url WHEN t.post_id IS NOT NULL THEN ${POST_TITLE} ELSE coalesce(r_topic.title, r_activity.title) END`,
    dead: DEAD,
    phase: `CASE WHEN NOT t.enabled THEN 'off' WHEN t.ends_at <= now() THEN 'over' WHEN t.starts_at > now() THEN 'future' ELSE 'running' END`,
    shown: metric('exposures'),
    clicked: metric('clicks'),
    clickRate: `(SELECT round(100.0 * sum(x.clicks) / nullif(sum(x.exposures), 0), 2) FROM ad_metric x WHERE x.kind = 'family' AND x.advert_id = t.id)`,
  },
  writes: {
    image: 'image_id',
    familyPost: false,
    chamberPost: false,
    groupPost: false,
    topic: false,
    activity: false,
  },
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
  sets: { enable: { enabled: true }, disable: { enabled: false } },
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
          inner: ContentTarget | null;
          object: number | null;
          url: string;
        }>(
          platform.database.db,
          `SELECT t.id, t.title, t.image_id AS image, t.jump, t.inner_class AS inner, coalesce(t.post_id, t.topic_id, t.activity_id) AS object, t.url
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
      targetOptions('advertFamilyPost', 'family', TARGET_MENUS),
      targetOptions('advertChamberPost', 'chamber', TARGET_MENUS),
      targetOptions('advertGroupPost', 'group_post', TARGET_MENUS),
      targetOptions('advertActivity', 'activity', TARGET_MENUS),
      targetOptions('advertTopic', 'topic', TARGET_MENUS),
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
  const asked = jump === 'inner' ? (input.innerClass ?? row.inner_class) : null;
  const inner = isKind(asked) ? asked : null;
  const problems: Record<string, Label> = {};
  if (jump === 'inner' && !inner) problems.innerClass = REQUIRED;
  columns.inner_class = inner;
  for (const column of ['post_id', 'topic_id', 'activity_id']) columns[column] = null;
  if (inner) {
    const [field, column] = OPENS[inner];
    columns[column] =
      field in input ? (input[field] ?? null) : row.inner_class === inner ? (row[column] ?? null) : null;
    if (!columns[column]) problems[field] = REQUIRED;
  }
  columns.url = jump === 'url' ? (input.url ?? row.url ?? '') : '';
  if (jump === 'url' && !columns.url) problems.url = REQUIRED;
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

/** What is opened can be seen in every project the advert is shown in. */
async function checkAudience({ tx, action, input, row, columns, id }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const inner = columns.inner_class;
  if (!isKind(inner)) return;
  const [field, column] = OPENS[inner];
  const projects = Array.isArray(input.projects) ? (input.projects as number[]).map(Number) : null;
  const blind = await runOne(
    tx,
    `SELECT FROM (SELECT unnest($1::bigint[]) AS project_id UNION ALL
                  SELECT project_id FROM family_advert_project WHERE $1::bigint[] IS NULL AND family_advert_id = $2) p
      WHERE NOT ${visibleTarget(inner, '$3::bigint', 'p.project_id')}`,
    [projects, row.id ? id : null, columns[column]],
  );
  if (blind) throw invalid({ [field]: NOT_VISIBLE });
}
