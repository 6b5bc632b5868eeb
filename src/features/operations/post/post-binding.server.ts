import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { z } from 'zod';
import type { Label } from '../../../kernel/contract/label.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { runOne, type Executor } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, Refusal } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Call, type Endpoint, type TodoKind } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { HIDE_CODES, voteShares, type PostKind } from '../../../domain/content/content.rules.ts';
import {
  countComments,
  giveCommentPoints,
  givePostPoints,
  takeCommentPoints,
} from '../../../domain/content/content.server.ts';
import {
  hidingOf,
  postRow,
  requireRoomOnTop,
  rewardEssence,
  showingOf,
  tellRefused,
} from '../../../domain/content/moderate.server.ts';
import { gradeIdSql } from '../../../domain/grade/member-grade.server.ts';
import { tellMembers } from '../../../domain/message-send/tell-member.server.ts';
import { moderationReason } from '../moderation-reason.ts';
import { tagOptions } from '../tag-options.server.ts';
import { picturesOf } from '../../property/picture-columns.server.ts';
import { groupsForPosts } from './group-options.server.ts';
import type { PostExtras } from './post.contract.ts';

/** What waits for a look; what its author deleted waits no more. */
const WAITING = `(t.review_state = 'pending' AND t.deleted_at IS NULL)`;
const SCOPE = { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.created_by' } as const;
const HIDDEN: Label = ['已隐藏的内容须先显示', 'Show it first'];
const DELETED: Label = ['内容已被作者删除', 'Its author has deleted it'];

/** Posts of a kind under their menu: list, detail with votes and revisions, moderation. */
export function bindPosts(resource: Resource, kind: PostKind): BoundResource {
  const bound: BoundResource = bindResource(resource, {
    table: 'post',
    stateColumn: 'review_state',
    from: `post t LEFT JOIN member a ON a.id = t.member_id LEFT JOIN post_vote v ON v.post_id = t.id`,
    where: `t.kind = '${kind}'`,
    joins: {
      project: 'project',
      ...(kind === 'chamber' && { tag: 'topic_tag' }),
      ...(kind === 'group_post' && { group: 'interest_group' }),
    },
    columns: {
      author: 'a.name',
      phone: 'a.phone',
      official: 'a.official',
      grade: {
        id: gradeIdSql('t.member_id'),
        title: `(SELECT gt.title FROM grade gt WHERE gt.id = ${gradeIdSql('t.member_id')})`,
      },
      // A code that the cut would leave half is left out whole.
      excerpt: `CASE WHEN length(t.content) > 60 THEN regexp_replace(left(t.content, 60), '\\[[^\\]]{0,6}$', '') || '…' ELSE t.content END`,
      pictures: picturesOf('t.image_ids'),
      pictureCount: 'cardinality(t.image_ids)',
      type: `CASE WHEN v.post_id IS NULL THEN 'topic' ELSE 'vote' END`,
      participants: 'v.participants',
      topped: '(t.topped_at IS NOT NULL)',
      ...(kind !== 'chamber' && { tag: { id: 'NULL::bigint', title: 'NULL::text' } }),
    },
    scope: SCOPE,
    tabs: { waiting: () => WAITING },
    search: 'lower(t.content)',
    // As an array, so that the index of members answers it beside that of words.
    searchExact: [
      't.member_id = ANY(ARRAY(SELECT m.id FROM member m WHERE m.name = :value OR m.phone = :value))',
    ],
    extra: {
      deletedAt: 't.deleted_at',
      memberId: 't.member_id',
      reviewer: `(SELECT s.name FROM staff s WHERE s.id = t.reviewed_by)`,
    },
    ruleReads: ['shown', 'topped', 'deletedAt', 'reviewer', ...(kind === 'chamber' ? [] : ['essence'])],
    rowRules: {
      top: (row) => gone(row) ?? (row.shown === true ? (row.topped === true ? ALREADY : undefined) : HIDDEN),
      untop: (row) => (row.topped === true ? undefined : NOT_TOPPED),
      hide: (row) => gone(row) ?? (row.shown === true ? undefined : ALREADY),
      show: (row) => gone(row) ?? (row.shown === true ? ALREADY : undefined),
      essence: (row) => gone(row) ?? (row.essence === true ? ALREADY : undefined),
      unessence: (row) => (row.essence === true ? undefined : ALREADY),
      pass: waits,
      refuse: waits,
    },
    checks: { top: roomOnTop },
    sets: { top: { topped_at: NOW }, untop: { topped_at: null }, unessence: { essence: false } },
    handlers: {
      pass: async ({ tx, platform, id, caller }) => {
        const row = await postRow(tx, id);
        // What is hidden earns when it is shown again.
        if (row.shown) await givePostPoints(tx, platform, row);
        return { set: { reviewed_by: caller.staffId, reviewed_at: new Date(), review_reason: '' } };
      },
      refuse: async ({ tx, id, input, caller }) => {
        const remark = moderationReason(input);
        await tellRefused(tx, await postRow(tx, id), remark);
        return {
          remark,
          set: {
            reviewed_by: caller.staffId,
            reviewed_at: new Date(),
            review_reason: remark,
            topped_at: null,
          },
        };
      },
      hide: async ({ tx, platform, id, input, caller }) => {
        const reason = moderationReason(input);
        return hidingOf(tx, platform, id, { code: String(input.code), reason, staffId: caller.staffId });
      },
      show: async ({ tx, platform, id }) => ({ set: await showingOf(tx, platform, id) }),
      essence: async ({ tx, platform, id }) => {
        await rewardEssence(tx, platform, id);
        return { set: { essence: true } };
      },
      retag: async ({ tx, input, row }) => {
        const tag = Number(input.tag);
        const held = await runOne(
          tx,
          'SELECT 1 AS one FROM topic_tag_project WHERE tag_id = $1 AND project_id = $2',
          [tag, row.project_id],
        );
        if (!held) throw invalid({ tag: ['该项目没有此标签', 'The project has no such tag'] });
        return { to: String(row.review_state), set: { tag_id: tag } };
      },
      move,
    },
    detail: (db, id) => extrasOf(db, id),
    also: {
      ...(kind === 'chamber' && { options: [tagOptions('hallTag', resource.menu)] }),
      ...(kind === 'group_post' && { options: [groupsForPosts] }),
      todos: [waitingTodo(() => bound, kind)],
    },
  });
  return bound;
}

const ALREADY: Label = ['已是该状态', 'It is so already'];
const NOT_TOPPED: Label = ['未置顶', 'It is not on top'];
const gone = (row: DbRow): Label | undefined => (row.deletedAt === null ? undefined : DELETED);

/** Of two moderators the second is told who was first. */
const waits = (row: DbRow): Label | undefined =>
  gone(row) ??
  (row.state === 'pending'
    ? undefined
    : row.reviewer
      ? [`已被 ${String(row.reviewer)} 处理`, `Already handled by ${String(row.reviewer)}`]
      : ['不在待审中', 'It waits for no review']);

async function roomOnTop({ tx, platform, row }: ActionContext): Promise<void> {
  await requireRoomOnTop(tx, platform, {
    kind: String(row.kind),
    projectId: Number(row.project_id),
    groupId: row.group_id === null ? null : Number(row.group_id),
  });
}

/** Into another published group of the post's project; what was on top there is not on top here. */
async function move({ tx, input, row }: ActionContext): Promise<ActionResult> {
  const to = await runOne<{ name: string; here: string }>(
    tx,
    `SELECT g.name, (SELECT o.name FROM interest_group o WHERE o.id = $3) AS here FROM interest_group g
      WHERE g.id = $1 AND g.state = 'published' AND g.id <> $3
        AND EXISTS (SELECT FROM interest_group_project p WHERE p.group_id = g.id AND p.project_id = $2)`,
    [Number(input.group), row.project_id, row.group_id],
  );
  if (!to)
    throw invalid({
      group: ['只能移到同一项目的其他已发布小组', 'Only into another published group of the same project'],
    });
  await tellMembers(
    tx,
    [Number(row.member_id)],
    ['帖子已移至其他小组', 'Your post was moved'],
    [`您的帖子已从「${to.here}」移至「${to.name}」`, `Your post was moved from “${to.here}” to “${to.name}”`],
  );
  return {
    to: String(row.review_state),
    remark: `${to.here} → ${to.name}`,
    set: { group_id: Number(input.group), topped_at: null },
  };
}

async function extrasOf(db: Executor, id: number): Promise<Record<string, unknown>> {
  const row = (await runOne<{
    hits: PostExtras['hits'];
    multiple: boolean | null;
    ends_at: Date | null;
    over: boolean | null;
    participants: number;
    options: { no: number; text: string; votes: number }[];
    revisions: { seq: number; content: string; at: string }[];
  }>(
    db,
    `SELECT p.hits, v.multiple, v.ends_at, v.ends_at <= now() AS over, coalesce(v.participants, 0) AS participants,
            coalesce((SELECT jsonb_agg(jsonb_build_object('no', o.no, 'text', o.text, 'votes', o.votes) ORDER BY o.no) FROM post_vote_option o WHERE o.post_id = p.id), '[]') AS options,
            coalesce((SELECT jsonb_agg(jsonb_build_object('seq', r.seq, 'content', r.content, 'at', r.at) ORDER BY r.seq DESC) FROM content_revision r WHERE r.post_id = p.id), '[]') AS revisions
       FROM post p LEFT JOIN post_vote v ON v.post_id = p.id WHERE p.id = $1`,
    [id],
  ))!;
  const shares = voteShares(
    row.options.map((one) => one.votes),
    row.participants,
    row.multiple === true,
  );
  const extras: PostExtras = {
    hits: row.hits,
    revisions: row.revisions.map((one) => ({ ...one, at: isoInstant(new Date(one.at)) })),
    vote:
      row.ends_at === null
        ? null
        : {
            multiple: row.multiple === true,
            endsAt: isoInstant(row.ends_at),
            over: row.over === true,
            participants: row.participants,
            options: row.options.map((one, index) => ({ ...one, share: shares[index]! })),
          },
  };
  return { ...extras };
}

/** Refuses a comment; its author is told why. */
export async function refuseComment({ tx, row, input }: ActionContext): Promise<ActionResult> {
  const remark = moderationReason(input);
  await tellRefused(
    tx,
    { member_id: row.member_id === null ? null : Number(row.member_id), content: String(row.content) },
    remark,
  );
  return { remark };
}

/** Comments of the posts of a kind. */
export function bindComments(resource: Resource, kind: PostKind): BoundResource {
  return bindResource(resource, {
    table: 'content_comment',
    stateColumn: 'review_state',
    from: 'content_comment t LEFT JOIN member a ON a.id = t.member_id LEFT JOIN post p ON p.id = t.post_id',
    where: `t.post_id IS NOT NULL AND t.deleted_at IS NULL AND p.kind = '${kind}'`,
    columns: {
      author: 'a.name',
      phone: 'a.phone',
      post: { id: 't.post_id', title: 'left(p.content, 30)' },
    },
    scope: { tenant: 'NULL::bigint', project: 'p.project_id', owner: 'p.created_by' },
    keyword: (value, parameters) =>
      `lower(t.content) LIKE ${parameters.bind(containing(value.toLowerCase()))}`,
    ruleReads: ['shown'],
    rowRules: {
      hide: (row) => (row.shown === true ? undefined : ALREADY),
      show: (row) => (row.shown === true ? ALREADY : undefined),
    },
    handlers: {
      pass: async ({ tx, platform, id, row }) => {
        if (row.shown === true) await giveCommentPoints(tx, platform, id);
      },
      refuse: refuseComment,
      hide: async ({ tx, platform, id, input, caller }) => {
        const remark = moderationReason(input);
        const back = await takeCommentPoints(tx, platform, id, remark, caller.staffId);
        return { remark: back > 0 ? `${remark} -${back}` : remark, set: { shown: false } };
      },
      show: async ({ tx, platform, id }) => {
        await giveCommentPoints(tx, platform, id);
        return { set: { shown: true } };
      },
    },
    after: [
      async ({ tx, row }) => {
        await countComments(tx, { post_id: Number(row.post_id), topic_id: null });
        return [];
      },
    ],
  });
}

/** Operation codes of the specification and the actions they are. */
const OPERATIONS = ['hide', 'show', 'essence', 'top', 'untop', 'unessence'] as const;
const operation = z.number().int().min(0).max(5);
const idText = z.string().regex(/^\d{1,15}$/);
const reasonShape = {
  operation,
  reasonCode: z.enum(Object.keys(HIDE_CODES) as [string, ...string[]]).optional(),
  reason: z.string().max(200).optional(),
} as const;
interface Operation {
  readonly operation: number;
  readonly reasonCode?: string | undefined;
  readonly reason?: string | undefined;
}

/** `post/{id}/operate` and `post/batchOperate` over the screens of posts: each row goes to the screen of its kind. */
export function operateEndpoints(bounds: Readonly<Record<PostKind, BoundResource>>): readonly Endpoint[] {
  const anyOf = Object.values(bounds).map((bound) => bound.resource.menu);
  const operate = async (call: Pick<Call, 'caller' | 'platform' | 'facts'>, id: number, asked: Operation) => {
    const row = await runOne<{ kind: PostKind }>(
      call.platform.database.db,
      'SELECT kind FROM post WHERE id = $1',
      [id],
    );
    const bound = bounds[row?.kind ?? 'family'];
    const action = OPERATIONS[asked.operation]!;
    if (!bound.resource.actions?.[action])
      throw invalid({ operation: ['该类内容没有此操作', 'There is no such operation for this kind'] });
    const input = action === 'hide' ? { code: asked.reasonCode, text: asked.reason ?? '' } : {};
    return bound.act(call, action, id, input);
  };
  return [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/post/:id/operate',
      title: ['内容操作', 'Operate on a post'],
      access: { anyOf },
      body: z.strictObject(reasonShape),
      handle: async (call) => {
        const id = idOf(call.params.id);
        await operate(call, id, call.body);
        return { id: String(id) };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/jinmao/web/post/batchOperate',
      title: ['批量内容操作', 'Operate on posts'],
      access: { anyOf },
      body: z.strictObject({ ids: z.array(idText).min(1).max(200), ...reasonShape }),
      handle: async (call) => {
        const results: { id: string; ok: boolean; message: Label }[] = [];
        for (const id of new Set(call.body.ids))
          try {
            await operate(call, Number(id), call.body);
            results.push({ id, ok: true, message: ['', ''] });
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            results.push({ id, ok: false, message: error.label });
          }
        const at = call.facts.language === 'en' ? 1 : 0;
        return results.map((one) => ({ ...one, message: one.message[at] }));
      },
    }),
  ];
}

/** To-dos of each kind: where they are shown and how they are called. */
const WAITING_TODOS = {
  family: [
    'family_post_review',
    ['待审家人圈帖子', 'Family posts to review'],
    '/operService/os_familyPosts',
    60,
  ],
  chamber: [
    'chamber_post_review',
    ['待审议事厅话题', 'Hall topics to review'],
    '/operService/os_conHallManage',
    61,
  ],
  group_post: [
    'group_post_review',
    ['待审小组帖子', 'Group posts to review'],
    '/ownersmanager/cs_interestGroupPost',
    62,
  ],
} as const;

/** To-do: posts that wait for a look, those older than a day overdue. */
function waitingTodo(bound: () => BoundResource, kind: PostKind): TodoKind {
  const [name, label, route, order] = WAITING_TODOS[kind];
  return {
    kind: name,
    label,
    menu: route.split('/').at(-1)!,
    route: `${route}?tab=waiting`,
    order,
    count: async ({ caller, platform }) => {
      const parameters = new Parameters();
      const seen = scopeCondition(caller, bound().resource.menu, SCOPE, parameters);
      const row = (await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*)::int AS count, min(t.published_at) AS oldest, count(*) FILTER (WHERE t.published_at < now() - interval '1 day')::int AS overdue
           FROM post t WHERE t.kind = '${kind}' AND ${WAITING} AND ${seen}`,
        parameters.values,
      ))!;
      return row;
    },
  };
}
