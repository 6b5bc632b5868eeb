import type { RefValue } from '../../../kernel/contract/fields.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { plainContent } from '../../../domain/content/content.rules.ts';
import {
  filteredProjects,
  inReach,
  projectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import { checkPictures, picturesOf } from '../../property/picture-columns.server.ts';
import { moderationReason } from '../moderation-reason.ts';
import { tagOptions } from '../tag-options.server.ts';
import { communityTopic } from './community-topic.contract.ts';

/** Topics lie in all their projects. */
export const TOPIC_SCOPE: ScopeColumns = {
  tenant: 'NULL::bigint',
  project: (ids) =>
    `EXISTS (SELECT FROM community_topic_project p WHERE p.topic_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`,
  owner: 't.created_by',
};

const bound: BoundResource = bindResource(communityTopic, {
  table: 'community_topic',
  joins: { tag: 'topic_tag' },
  links: {
    projects: { table: 'community_topic_project', own: 'topic_id', other: 'project_id', to: 'project' },
  },
  columns: {
    cover: `(${picturesOf('CASE WHEN t.cover_id IS NULL THEN ARRAY[]::uuid[] ELSE ARRAY[t.cover_id] END')}->0)`,
    pictures: picturesOf('t.image_ids'),
    topped: '(t.topped_at IS NOT NULL)',
    viewers: '(SELECT count(*)::int FROM topic_viewer v WHERE v.topic_id = t.id)',
  },
  writes: { cover: 'cover_id', pictures: 'image_ids' },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM community_topic_project p WHERE p.topic_id = t.id AND p.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  scope: TOPIC_SCOPE,
  search: 'lower(t.title)',
  extra: {
    projectIds: 'ARRAY(SELECT p.project_id FROM community_topic_project p WHERE p.topic_id = t.id)',
    imageIds: 't.image_ids',
    coverId: 't.cover_id',
  },
  ruleReads: ['projectIds', 'topped'],
  rowRules: {
    update: inReach,
    publish: inReach,
    unschedule: inReach,
    reply: inReach,
    hide: inReach,
    show: inReach,
    remove: inReach,
    top: (row, caller) =>
      inReach(row, caller) ?? (row.topped === true ? ['已置顶', 'It is on top'] : undefined),
    untop: (row, caller) =>
      inReach(row, caller) ?? (row.topped === true ? undefined : ['未置顶', 'It is not on top']),
  },
  before: [check, keepTopLimit],
  checks: { top: (context) => requireRoomOnTop(context, context.id) },
  sets: {
    top: { topped_at: NOW },
    appear: { published_at: NOW },
    untop: { topped_at: null },
    remove: { topped_at: null },
  },
  handlers: {
    publish: async ({ tx, row }): Promise<ActionResult> => {
      const at = row.publish_at === null ? undefined : new Date(String(row.publish_at));
      const later =
        at && (await runOne<{ later: boolean }>(tx, 'SELECT $1::timestamptz > now() AS later', [at]));
      return later?.later ? { to: 'scheduled' } : { to: 'published', set: { published_at: new Date() } };
    },
    reply,
    hide: ({ input }) => Promise.resolve({ remark: moderationReason(input), set: { topped_at: null } }),
  },
  present: (rows, _db, caller) => {
    for (const row of rows)
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
    return Promise.resolve();
  },
  also: {
    options: [tagOptions('topicTagOf', communityTopic.menu)],
    jobs: [
      dueJob(() => bound, {
        name: 'topic.publish',
        title: ['社区话题定时发布', 'Topics whose time has come'],
        cron: '* * * * *',
        action: 'appear',
        when: 't.publish_at <= now()',
      }),
    ],
  },
});

/** Topics of the community. */
export const registration = bound.registration;

async function check(context: ActionContext): Promise<void> {
  const { action, input, row, columns, tx } = context;
  if (action !== 'create' && action !== 'update') return;
  if (Array.isArray(input.pictures))
    await checkPictures(context, 'pictures', input.pictures as string[], (row?.image_ids ?? []) as string[]);
  if (typeof input.cover === 'string')
    await checkPictures(context, 'cover', [input.cover], row?.cover_id ? [String(row.cover_id)] : []);
  if (columns.publish_at && row?.state !== 'published' && row?.state !== 'hidden') {
    const past = await runOne<{ past: boolean }>(tx, 'SELECT $1::timestamptz <= now() AS past', [
      columns.publish_at,
    ]);
    if (past!.past) throw invalid({ publishAt: ['定时须晚于现在', 'The time lies in the past'] });
  }
}

/** An answer in the name of the topic. */
async function reply({ tx, id, input, caller, row }: ActionContext): Promise<ActionResult> {
  const content = plainContent(String(input.answer));
  if (content === '') throw invalid({ answer: ['请填写内容', 'Write something'] });
  if (row.comments_allowed !== true) throw ruleBroken(['该话题不允许评论', 'Comments are off']);
  await run(
    tx,
    'INSERT INTO content_comment (topic_id, staff_id, content, created_by) VALUES ($1, $2, $3, $2)',
    [id, caller.staffId, content],
  );
  return {
    remark: content.slice(0, 60),
    set: { comments: Number(row.comments) + 1 },
  };
}

/** A topic on top that comes into further projects needs room there, too. */
async function keepTopLimit(context: ActionContext): Promise<void> {
  const { action, row, input, id } = context;
  if (action === 'update' && row.topped_at !== null && Array.isArray(input.projects))
    await requireRoomOnTop(context, id, (input.projects as number[]).map(Number));
}

/** On top: at most so many in each of its projects, whoever tops at the same time. */
async function requireRoomOnTop(
  { tx, platform }: ActionContext,
  id: number,
  asked?: readonly number[],
): Promise<void> {
  await run(tx, `SELECT pg_advisory_xact_lock(hashtext('topic_top'))`);
  const projects = await run<{ id: number; n: number }>(
    tx,
    `SELECT p.project_id AS id, (SELECT count(*)::int FROM community_topic o JOIN community_topic_project q ON q.topic_id = o.id
              WHERE q.project_id = p.project_id AND o.topped_at IS NOT NULL AND o.id <> $1) AS n
       FROM (SELECT unnest($2::bigint[]) AS project_id UNION ALL
             SELECT project_id FROM community_topic_project WHERE $2::bigint[] IS NULL AND topic_id = $1) p`,
    [id, asked ?? null],
  );
  for (const project of projects) {
    const most = await platform.settings.numberIn(tx, 'post.top.max', { projectId: project.id });
    if (project.n >= most) throw ruleBroken([`最多置顶${most}条`, `At most ${most} can be on top`]);
  }
}
