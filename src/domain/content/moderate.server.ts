import type { Label } from '../../kernel/contract/label.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { staffIdOf, type Caller } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { tellMembers } from '../message-send/tell-member.server.ts';
import { grantTask } from '../points-task/points-task.server.ts';
import { POST_ENTITIES, type HIDE_CODES, type PostKind } from './content.rules.ts';
import {
  countComments,
  giveCommentPoints,
  givePostPoints,
  takeCommentPoints,
  takePostPoints,
  type PostRow,
} from './content.server.ts';

/** Tells the author of something that was refused why. Source: group 01, Review. */
export const tellRefused = (
  tx: Tx,
  of: { readonly member_id: number | null; readonly content: string },
  reason: string,
): Promise<void> => {
  const said = of.content.slice(0, 30);
  return tellMembers(
    tx,
    of.member_id === null ? [] : [of.member_id],
    ['内容未通过审核', 'What you wrote was refused'],
    [`「${said}」未通过审核：${reason}`, `“${said}”: ${reason}`],
  );
};

/** A post of an id. */
export const postRow = async (tx: Tx, id: number): Promise<PostRow> =>
  (await runOne<PostRow>(tx, 'SELECT * FROM post WHERE id = $1', [id]))!;

/** What hiding a post for a violation does besides: its points go back, it leaves the top. Answers with what is written. */
export async function hidingOf(
  tx: Tx,
  platform: Platform,
  id: number,
  why: { readonly code: string; readonly reason: string; readonly staffId?: number | undefined },
): Promise<{ readonly remark: string; readonly set: Readonly<Record<string, unknown>> }> {
  const back = await takePostPoints(tx, platform, await postRow(tx, id), why.reason, why.staffId);
  return {
    remark: back > 0 ? `${why.reason} -${back}` : why.reason,
    set: { shown: false, topped_at: null, hide_code: why.code },
  };
}

/** What showing a post again does besides: its points are given again, at most once. */
export async function showingOf(
  tx: Tx,
  platform: Platform,
  id: number,
): Promise<Readonly<Record<string, unknown>>> {
  await givePostPoints(tx, platform, await postRow(tx, id));
  return { shown: true, hide_code: null };
}

/**
 * Refuses (30101) one more post on top: at most `post.top.max` in a project and kind, for group posts in their group, whoever
 * tops at the same time.
 */
export async function requireRoomOnTop(
  tx: Tx,
  platform: Platform,
  post: { readonly kind: string; readonly projectId: number; readonly groupId: number | null },
): Promise<void> {
  const most = await platform.settings.numberIn(tx, 'post.top.max', { projectId: post.projectId });
  const [column, place] =
    post.groupId === null ? (['project_id', post.projectId] as const) : (['group_id', post.groupId] as const);
  await run(tx, `SELECT pg_advisory_xact_lock(hashtext('post_top ' || $1), $2::int)`, [column, place]);
  const now = await runOne<{ n: number }>(
    tx,
    `SELECT count(*)::int AS n FROM post WHERE ${column} = $1 AND kind = $2 AND topped_at IS NOT NULL`,
    [place, post.kind],
  );
  if (now!.n >= most) throw ruleBroken([`最多置顶${most}条`, `At most ${most} can be on top`]);
}

/** Points of a post that became an essence, once. */
export async function rewardEssence(tx: Tx, platform: Platform, id: number): Promise<void> {
  const post = await postRow(tx, id);
  await grantTask(tx, platform.settings, {
    task: 'T06',
    memberId: post.member_id,
    projectId: post.project_id,
    subject: `post:${id}`,
  });
}

/** Something members wrote. */
export interface ContentRef {
  readonly type: 'post' | 'comment';
  readonly id: number;
}

/** Who moderates: staff, or nobody where a rule does. */
export interface Moderation {
  readonly caller?: Caller | undefined;
  readonly reason: string;
}

interface Piece {
  readonly kind: PostKind | null;
  readonly shown: boolean;
  readonly deleted: boolean;
  readonly postId: number | null;
  readonly topicId: number | null;
  readonly activityId: number | null;
}

/** Locks what was written and says what it is. */
async function lockPiece(tx: Tx, target: ContentRef): Promise<Piece> {
  return (await runOne<Piece>(
    tx,
    target.type === 'post'
      ? `SELECT kind, shown, deleted_at IS NOT NULL AS deleted, id AS "postId", NULL::bigint AS "topicId", NULL::bigint AS "activityId" FROM post WHERE id = $1 FOR UPDATE`
      : `SELECT p.kind, t.shown, t.deleted_at IS NOT NULL AS deleted, t.post_id AS "postId", t.topic_id AS "topicId", t.activity_id AS "activityId"
           FROM content_comment t LEFT JOIN post p ON p.id = t.post_id WHERE t.id = $1 FOR UPDATE OF t`,
    [target.id],
  ))!;
}

/** Name of what was written in timelines. */
const entityOf = (target: ContentRef, { kind, activityId }: Piece): string => {
  if (target.type === 'post') return POST_ENTITIES[kind!];
  if (kind) return `${POST_ENTITIES[kind]}Comment`;
  return activityId === null ? 'topicComment' : 'activityComment';
};

async function written(
  tx: Tx,
  platform: Platform,
  target: ContentRef,
  piece: Piece,
  change: {
    readonly set: string;
    readonly values?: readonly unknown[];
    readonly action: string;
    readonly label: Label;
    readonly remark: string;
    readonly caller?: Caller | undefined;
  },
): Promise<void> {
  const table = target.type === 'post' ? 'post' : 'content_comment';
  const staff = change.caller ? staffIdOf(change.caller) : null;
  await run(
    tx,
    `UPDATE ${table} SET ${change.set}, version = version + 1, updated_at = now(), updated_by = coalesce($2, updated_by) WHERE id = $1`,
    [target.id, staff, ...(change.values ?? [])],
  );
  if (target.type === 'comment') await countComments(tx, { post_id: piece.postId, topic_id: piece.topicId });
  const entity = entityOf(target, piece);
  await writeTimeline(tx, {
    entity,
    entityId: target.id,
    ...(change.caller && { caller: change.caller }),
    action: change.action,
    label: change.label,
    remark: change.remark,
  });
  platform.changed(entity);
}

/** Hides content until somebody has decided about it: its points stay meanwhile. Answers whether it was visible. */
export async function hideMeanwhile(
  tx: Tx,
  platform: Platform,
  target: ContentRef,
  by: Moderation,
): Promise<boolean> {
  const piece = await lockPiece(tx, target);
  if (!piece.shown || piece.deleted) return false;
  await written(tx, platform, target, piece, {
    set: target.type === 'post' ? 'shown = false, topped_at = NULL' : 'shown = false',
    action: 'hide',
    label: ['隐藏', 'Hide'],
    remark: by.reason,
    caller: by.caller,
  });
  return true;
}

/** Hides content for a violation: its points go back, also where it was hidden before. */
export async function hideContent(
  tx: Tx,
  platform: Platform,
  target: ContentRef,
  by: Moderation & { readonly code: keyof typeof HIDE_CODES },
): Promise<void> {
  const piece = await lockPiece(tx, target);
  if (piece.deleted) return;
  const back = await takePoints(tx, platform, target, by);
  await written(tx, platform, target, piece, {
    set: target.type === 'post' ? 'shown = false, topped_at = NULL, hide_code = $3' : 'shown = false',
    values: target.type === 'post' ? [by.code] : [],
    action: 'hide',
    label: ['隐藏', 'Hide'],
    remark: back > 0 ? `${by.reason} -${back}` : by.reason,
    caller: by.caller,
  });
}

const takePoints = async (
  tx: Tx,
  platform: Platform,
  target: ContentRef,
  by: Moderation,
): Promise<number> => {
  const staffId = by.caller?.staffId;
  return target.type === 'post'
    ? takePostPoints(tx, platform, await postRow(tx, target.id), by.reason, staffId)
    : takeCommentPoints(tx, platform, target.id, by.reason, staffId);
};

/** Shows content again; points that were taken are given again, at most once. Nothing happens to what its author deleted. */
export async function showContent(
  tx: Tx,
  platform: Platform,
  target: ContentRef,
  by: Moderation,
): Promise<void> {
  const piece = await lockPiece(tx, target);
  if (piece.shown || piece.deleted) return;
  if (target.type === 'post') await givePostPoints(tx, platform, await postRow(tx, target.id));
  else await giveCommentPoints(tx, platform, target.id);
  await written(tx, platform, target, piece, {
    set: target.type === 'post' ? 'shown = true, hide_code = NULL' : 'shown = true',
    action: 'show',
    label: ['显示', 'Show'],
    remark: by.reason,
    caller: by.caller,
  });
}

/** Deletes content for a violation, for good but for an appeal. */
export async function deleteContent(
  tx: Tx,
  platform: Platform,
  target: ContentRef,
  by: Moderation,
): Promise<void> {
  const piece = await lockPiece(tx, target);
  if (piece.deleted) return;
  const back = await takePoints(tx, platform, target, by);
  await written(tx, platform, target, piece, {
    set: `deleted_at = clock_timestamp(), deleted_by = 'staff'${target.type === 'post' ? ', topped_at = NULL' : ''}`,
    action: 'delete',
    label: ['删除', 'Deleted'],
    remark: back > 0 ? `${by.reason} -${back}` : by.reason,
    caller: by.caller,
  });
}

/** Takes a deletion by staff back after an appeal: the content is visible again, with its points. */
export async function restoreContent(
  tx: Tx,
  platform: Platform,
  target: ContentRef,
  by: Moderation,
): Promise<void> {
  await run(
    tx,
    `UPDATE ${target.type === 'post' ? 'post' : 'content_comment'} SET deleted_at = NULL, deleted_by = NULL, shown = false WHERE id = $1 AND deleted_by = 'staff'`,
    [target.id],
  );
  await showContent(tx, platform, target, by);
}
