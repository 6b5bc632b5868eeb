import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { EventEffect } from '../member-event/member-event.server.ts';
import { belongsTo, requireNotBanned } from '../member-event/member-standing.server.ts';
import { giveTaskAgain, grantTask, takeBackTask } from '../points-task/points-task.server.ts';
import { checkSensitive, noteSensitiveHits } from '../sensitive-words/sensitive-words.server.ts';
import type { SensitiveVerdict } from '../sensitive-words/matcher.rules.ts';
import { grantGroupPoints, requireGroupMember } from '../interest-group/interest-group.server.ts';
import { plainContent, SENSITIVE, type PostKind } from './content.rules.ts';

/** Characters a post or comment needs to be rewarded. */
const REWARDED_LENGTH = 10;

/** SQL: what members may see of a post (alias); a withdrawn group takes its posts along. Source: group 01, Content rules. */
export const visiblePost = (p: string): string =>
  `(${p}.review_state = 'passed' AND ${p}.shown AND ${p}.deleted_at IS NULL
    AND (${p}.group_id IS NULL OR EXISTS (SELECT FROM interest_group vg WHERE vg.id = ${p}.group_id AND vg.state = 'published')))`;

/** What somebody writes. */
export interface Written {
  readonly memberId: number;
  readonly projectId: number;
  readonly content: string;
  readonly at: Date;
  /** Staff who writes as an operation user: official authors are not reviewed. */
  readonly staffId?: number | undefined;
}

interface Checked {
  readonly content: string;
  readonly verdict: SensitiveVerdict;
  readonly state: 'pending' | 'passed';
  readonly official: boolean;
}

/** Looks at a text by the list of words and the mode of review. Throws 30101 where a word blocks it. */
async function checked(tx: Tx, platform: Platform, written: Written, most: number): Promise<Checked> {
  const plain = plainContent(written.content);
  if (plain.length > most) throw invalid({ content: [`不能超过${most}个字`, `At most ${most} characters`] });
  const inside = { ...platform, database: { ...platform.database, db: tx as never } };
  const [author, verdict] = [
    await runOne<{ official: boolean }>(tx, 'SELECT official FROM member WHERE id = $1', [written.memberId]),
    await checkSensitive(inside, plain),
  ];
  const official = author?.official === true;
  if (verdict.level === 'block') throw ruleBroken(SENSITIVE);
  const mode = await platform.settings.textIn(tx, 'post.review.mode', { projectId: written.projectId });
  return {
    content: verdict.level === 'replace' ? verdict.shown : plain,
    verdict,
    state: !official && (verdict.level === 'review' || mode === 'before') ? 'pending' : 'passed',
    official,
  };
}

const hitsOf = (verdict: SensitiveVerdict) =>
  JSON.stringify(verdict.hits.map(({ word, start, end }) => ({ word: word.word, start, end })));

/** A post and what it brought. */
export interface PostWritten {
  readonly postId: number;
  readonly reviewState: 'pending' | 'passed';
  readonly effects: readonly EventEffect[];
}

/** A vote of a post of the council hall. */
export interface NewVote {
  readonly options: readonly string[];
  readonly multiple: boolean;
  readonly endsAt: Date;
}

/** Writes a post of the family circle, the council hall or a group. Throws 30101 for muted members and blocked words. */
export async function writePost(
  tx: Tx,
  platform: Platform,
  post: Written & {
    readonly kind: PostKind;
    /** Group of a group post; its author is a member of it. */
    readonly groupId?: number | undefined;
    readonly imageIds: readonly string[];
    readonly tagId?: number | undefined;
    readonly vote?: NewVote | undefined;
  },
): Promise<PostWritten> {
  await requireNotBanned(tx, post.memberId);
  if (post.groupId !== undefined) await requireGroupMember(tx, { ...post, groupId: post.groupId });
  const look = await checked(tx, platform, post, 2_000);
  if (look.content === '' && post.imageIds.length === 0)
    throw invalid({ content: ['请填写内容或上传图片', 'Write something, or add a picture'] });
  await requireImages(tx, post.imageIds);
  if (post.vote && post.vote.endsAt <= post.at)
    throw invalid({ 'vote.endsAt': ['投票须晚于现在结束', 'The vote has to end later'] });
  if (post.tagId !== undefined) {
    const tag = await runOne(
      tx,
      'SELECT 1 AS one FROM topic_tag_project WHERE tag_id = $1 AND project_id = $2',
      [post.tagId, post.projectId],
    );
    if (!tag) throw invalid({ tagId: ['该项目没有此标签', 'The project has no such tag'] });
  }
  const { id } = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO post (kind, member_id, project_id, tag_id, content, image_ids, hits, review_state, published_at, staff_id, created_by, group_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11) RETURNING id`,
    [
      post.kind,
      post.memberId,
      post.projectId,
      post.tagId ?? null,
      look.content,
      post.imageIds,
      hitsOf(look.verdict),
      look.state,
      post.at,
      post.staffId ?? null,
      post.groupId ?? null,
    ],
  ))!;
  if (post.vote) {
    await run(tx, 'INSERT INTO post_vote (post_id, multiple, ends_at) VALUES ($1, $2, $3)', [
      id,
      post.vote.multiple,
      post.vote.endsAt,
    ]);
    await run(
      tx,
      'INSERT INTO post_vote_option (post_id, no, text) SELECT $1, o.no, o.text FROM unnest($2::text[]) WITH ORDINALITY AS o (text, no)',
      [id, post.vote.options],
    );
  }
  await noteSensitiveHits(tx, look.verdict, { type: 'post', id, memberId: post.memberId });
  const effects =
    look.state === 'passed' ? await rewardPost(tx, platform, { ...post, id, content: look.content }) : [];
  return { postId: id, reviewState: look.state, effects };
}

/** Refuses (422) pictures that are not there. */
export async function requireImages(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const found = await runOne<{ n: number }>(
    tx,
    `SELECT count(*)::int AS n FROM stored_file WHERE id = ANY($1::uuid[]) AND type LIKE 'image/%'`,
    [ids],
  );
  if (found!.n < new Set(ids).size) throw invalid({ imageIds: ['图片不存在', 'There is no such picture'] });
}

/** Points of a visible post of the family circle or a group that is long enough, and those of its group. */
async function rewardPost(
  tx: Tx,
  platform: Platform,
  post: {
    readonly id: number;
    readonly kind: string;
    readonly memberId: number;
    readonly projectId: number;
    readonly groupId?: number | null | undefined;
    readonly content: string;
    readonly at: Date;
  },
): Promise<readonly EventEffect[]> {
  if (post.kind === 'chamber' || post.content.length < REWARDED_LENGTH) return [];
  const { memberId, projectId, at, groupId } = post;
  const subject = `post:${post.id}`;
  const own = await grantTask(tx, platform.settings, { task: 'T04', memberId, projectId, subject, at });
  if (!groupId) return [own];
  const ofGroup = { groupId, event: 'post.create', subject, memberId, projectId, at } as const;
  return [own, ...(await grantGroupPoints(tx, platform.settings, ofGroup))];
}

/** A post as it is kept. */
export interface PostRow {
  readonly id: number;
  readonly kind: PostKind;
  readonly group_id: number | null;
  readonly member_id: number;
  readonly project_id: number;
  readonly content: string;
  readonly image_ids: string[];
  readonly hits: unknown;
  readonly review_state: string;
  readonly shown: boolean;
  readonly comments_allowed: boolean;
  readonly published_at: Date;
  readonly deleted_at: Date | null;
}

/** SQL: the member of this parameter is at home in the project of a post (alias). */
const nearby = (p: string, member: string): string =>
  `EXISTS (SELECT FROM member nm WHERE nm.id = ${member} AND ${belongsTo('nm', `${p}.project_id`)})`;
const POSTS_OF = {
  own: 'member_id = $2',
  nearby: `${visiblePost('p')} AND ${nearby('p', '$2')}`,
  visible: `${visiblePost('p')} AND $2::bigint IS NOT NULL`,
} as const;

/** A post as members may act on it: their own, or a visible one, of their projects or of any. Throws 404 for anything else. */
async function memberPost(
  tx: Tx,
  postId: number,
  memberId: number,
  which: keyof typeof POSTS_OF,
): Promise<PostRow> {
  const row = await runOne<PostRow>(
    tx,
    `SELECT * FROM post p WHERE id = $1 AND deleted_at IS NULL AND ${POSTS_OF[which]} FOR UPDATE`,
    [postId, memberId],
  );
  if (!row) throw notFound(['内容不存在', 'There is no such content']);
  return row;
}

/** An author's edit: the version before is kept, the new one is looked at again. */
export async function editPost(
  tx: Tx,
  platform: Platform,
  edit: Written & { readonly postId: number },
): Promise<{ readonly reviewState: string }> {
  await requireNotBanned(tx, edit.memberId);
  const post = await memberPost(tx, edit.postId, edit.memberId, 'own');
  const look = await checked(tx, platform, { ...edit, projectId: post.project_id }, 2_000);
  if (look.content === '' && post.image_ids.length === 0)
    throw invalid({ content: ['请填写内容', 'Write something'] });
  await run(
    tx,
    `INSERT INTO content_revision (post_id, seq, content, image_ids, hits)
     SELECT $1, coalesce(max(seq), 0) + 1, $2, $3, $4 FROM content_revision WHERE post_id = $1`,
    [post.id, post.content, post.image_ids, JSON.stringify(post.hits)],
  );
  // A post that was refused is looked at by staff again.
  const state = post.review_state === 'refused' && !look.official ? 'pending' : look.state;
  await run(
    tx,
    `UPDATE post SET content = $2, hits = $3, review_state = $4, topped_at = CASE WHEN $4 = 'passed' THEN topped_at END,
            version = version + 1, updated_at = now() WHERE id = $1`,
    [post.id, look.content, hitsOf(look.verdict), state],
  );
  await noteSensitiveHits(tx, look.verdict, { type: 'post', id: post.id, memberId: edit.memberId });
  return { reviewState: state };
}

/** An author deletes a post; its points go back when that is soon after it was written. */
export async function deletePost(
  tx: Tx,
  platform: Platform,
  wish: { readonly memberId: number; readonly postId: number },
): Promise<{ readonly takenBack: number }> {
  const post = await memberPost(tx, wish.postId, wish.memberId, 'own');
  await run(
    tx,
    `UPDATE post SET deleted_at = clock_timestamp(), deleted_by = 'author', topped_at = NULL, version = version + 1, updated_at = now() WHERE id = $1`,
    [post.id],
  );
  return { takenBack: await takePostPoints(tx, platform, post, '作者删除') };
}

/** Whether something was written so recently that its points go back with it. */
async function isYoung(tx: Tx, platform: Platform, at: Date): Promise<boolean> {
  const days = await platform.settings.numberIn(tx, 'post.reward.keep_days');
  const row = await runOne<{ young: boolean }>(
    tx,
    'SELECT $1::timestamptz > clock_timestamp() - make_interval(days => $2) AS young',
    [at, days],
  );
  return row!.young;
}

/** Takes the points of a post back while it is young enough. Source: group 01, Content rules, Points. */
export async function takePostPoints(
  tx: Tx,
  platform: Platform,
  post: { readonly id: number; readonly member_id: number; readonly published_at: Date },
  note: string,
  staffId?: number,
): Promise<number> {
  if (!(await isYoung(tx, platform, post.published_at))) return 0;
  return takeBackTask(tx, {
    task: 'T04',
    memberId: post.member_id,
    subject: `post:${post.id}`,
    note,
    staffId,
  });
}

/** Gives a post its points: the first time it is visible, or once more after it was hidden by mistake. */
export async function givePostPoints(tx: Tx, platform: Platform, post: PostRow): Promise<void> {
  const again = await giveTaskAgain(tx, platform.settings, {
    task: 'T04',
    memberId: post.member_id,
    subject: `post:${post.id}`,
  });
  if (again === 0)
    await rewardPost(tx, platform, {
      id: post.id,
      kind: post.kind,
      memberId: post.member_id,
      projectId: post.project_id,
      groupId: post.group_id,
      content: post.content,
      at: post.published_at,
    });
}

/** A comment that was written, and what it brought. */
export interface CommentWritten {
  readonly commentId: number;
  readonly reviewState: string;
  readonly effects: readonly EventEffect[];
}

/** Keeps a comment under something that is open for it; who wrote that earns nothing by it. */
async function placeComment(
  tx: Tx,
  platform: Platform,
  comment: Written,
  under: {
    readonly column: 'post_id' | 'activity_id' | 'topic_id';
    readonly id: number;
    readonly open: boolean;
    /** Whose words are looked at. */
    readonly projectId: number;
    readonly authorId?: number;
  },
): Promise<CommentWritten> {
  if (!under.open) throw ruleBroken(['该内容不允许评论', 'Comments are closed here']);
  const look = await checked(tx, platform, { ...comment, projectId: under.projectId }, 500);
  if (look.content === '') throw invalid({ content: ['请填写内容', 'Write something'] });
  const { id } = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO content_comment (${under.column}, member_id, project_id, content, hits, review_state, published_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
    [
      under.id,
      comment.memberId,
      comment.projectId,
      look.content,
      hitsOf(look.verdict),
      look.state,
      comment.at,
    ],
  ))!;
  await noteSensitiveHits(tx, look.verdict, { type: 'comment', id, memberId: comment.memberId });
  const rewarded =
    look.state === 'passed' && under.authorId !== comment.memberId && look.content.length >= REWARDED_LENGTH;
  const { memberId, projectId, at } = comment;
  return {
    commentId: id,
    reviewState: look.state,
    effects: rewarded
      ? [
          await grantTask(tx, platform.settings, {
            task: 'T05',
            memberId,
            projectId,
            subject: `comment:${id}`,
            at,
          }),
        ]
      : [],
  };
}

/** Comments a visible post of the member's projects. Throws 404 for any other. */
export async function writeComment(
  tx: Tx,
  platform: Platform,
  comment: Written & { readonly postId: number },
): Promise<CommentWritten> {
  await requireNotBanned(tx, comment.memberId);
  const post = await memberPost(tx, comment.postId, comment.memberId, 'nearby');
  const written = await placeComment(tx, platform, comment, {
    column: 'post_id',
    id: post.id,
    open: post.comments_allowed,
    projectId: post.project_id,
    authorId: post.member_id,
  });
  if (written.reviewState === 'passed')
    await run(tx, 'UPDATE post SET comments = comments + 1 WHERE id = $1', [post.id]);
  return written;
}

/** Comments a published activity of the member's projects. Throws 404 for any other. */
export async function writeActivityComment(
  tx: Tx,
  platform: Platform,
  comment: Written & { readonly activityId: number },
): Promise<CommentWritten> {
  await requireNotBanned(tx, comment.memberId);
  const activity = await runOne<{ id: number; comments_allowed: boolean }>(
    tx,
    `SELECT a.id, a.comments_allowed FROM activity a WHERE a.id = $1 AND a.state = 'published'
        AND EXISTS (SELECT FROM activity_project p WHERE p.activity_id = a.id AND p.project_id = $2) FOR SHARE`,
    [comment.activityId, comment.projectId],
  );
  if (!activity) throw notFound(['活动不存在', 'There is no such activity']);
  return placeComment(tx, platform, comment, {
    column: 'activity_id',
    id: activity.id,
    open: activity.comments_allowed,
    projectId: comment.projectId,
  });
}

/** Locks a published topic of the member's project. Throws 404 for any other. */
async function memberTopic(
  tx: Tx,
  topicId: number,
  projectId: number,
): Promise<{ readonly id: number; readonly comments_allowed: boolean }> {
  const topic = await runOne<{ id: number; comments_allowed: boolean }>(
    tx,
    `SELECT t.id, t.comments_allowed FROM community_topic t WHERE t.id = $1 AND t.state = 'published'
        AND EXISTS (SELECT FROM community_topic_project p WHERE p.topic_id = t.id AND p.project_id = $2) FOR UPDATE`,
    [topicId, projectId],
  );
  if (!topic) throw notFound(['内容不存在', 'There is no such content']);
  return topic;
}

/** Comments a published topic of the member's project. Throws 404 for any other. */
export async function writeTopicComment(
  tx: Tx,
  platform: Platform,
  comment: Written & { readonly topicId: number },
): Promise<CommentWritten> {
  await requireNotBanned(tx, comment.memberId);
  const topic = await memberTopic(tx, comment.topicId, comment.projectId);
  const written = await placeComment(tx, platform, comment, {
    column: 'topic_id',
    id: topic.id,
    open: topic.comments_allowed,
    projectId: comment.projectId,
  });
  if (written.reviewState === 'passed')
    await run(tx, 'UPDATE community_topic SET comments = comments + 1 WHERE id = $1', [topic.id]);
  return written;
}

/** Notes that a member likes something, or no longer does; by how many the likes change. */
async function setLike(
  tx: Tx,
  what: 'post' | 'topic',
  id: number,
  { memberId, on }: { readonly memberId: number; readonly on: boolean },
): Promise<-1 | 0 | 1> {
  const changed = await runOne(
    tx,
    on
      ? `INSERT INTO ${what}_like (${what}_id, member_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1 AS one`
      : `DELETE FROM ${what}_like WHERE ${what}_id = $1 AND member_id = $2 RETURNING 1 AS one`,
    [id, memberId],
  );
  return changed ? (on ? 1 : -1) : 0;
}

/** Likes a published topic, once; the company that wrote it earns nothing. */
export async function likeTopic(
  tx: Tx,
  like: {
    readonly memberId: number;
    readonly projectId: number;
    readonly topicId: number;
    readonly on: boolean;
  },
): Promise<{ readonly likes: number }> {
  await requireNotBanned(tx, like.memberId);
  const topic = await memberTopic(tx, like.topicId, like.projectId);
  const more = await setLike(tx, 'topic', topic.id, like);
  return (await runOne<{ likes: number }>(
    tx,
    'UPDATE community_topic SET likes = greatest(likes + $2, 0) WHERE id = $1 RETURNING likes',
    [topic.id, more],
  ))!;
}

/** Counts the visible comments of a post anew, after one was hidden, shown, passed or deleted. */
export async function countComments(
  tx: Tx,
  comment: { post_id: number | null; topic_id: number | null },
): Promise<void> {
  const visible = `review_state = 'passed' AND shown AND deleted_at IS NULL`;
  if (comment.post_id !== null)
    await run(
      tx,
      `UPDATE post SET comments = (SELECT count(*) FROM content_comment WHERE post_id = $1 AND ${visible}) WHERE id = $1`,
      [comment.post_id],
    );
  if (comment.topic_id !== null)
    await run(
      tx,
      `UPDATE community_topic SET comments = (SELECT count(*) FROM content_comment WHERE topic_id = $1 AND ${visible}) WHERE id = $1`,
      [comment.topic_id],
    );
}

interface CommentRow {
  readonly id: number;
  readonly member_id: number | null;
  readonly project_id: number | null;
  readonly content: string;
  readonly published_at: Date;
  /** Who wrote the post. */
  readonly author_id: number | null;
}

const commentRow = (tx: Tx, id: number): Promise<CommentRow | undefined> =>
  runOne<CommentRow>(
    tx,
    'SELECT c.id, c.member_id, c.project_id, c.content, c.published_at, p.member_id AS author_id FROM content_comment c LEFT JOIN post p ON p.id = c.post_id WHERE c.id = $1',
    [id],
  );

/** Gives a comment its points: the first time it is visible, or once more after it was hidden by mistake. */
export async function giveCommentPoints(tx: Tx, platform: Platform, id: number): Promise<void> {
  const row = await commentRow(tx, id);
  if (!row || row.member_id === null || row.project_id === null || row.member_id === row.author_id) return;
  const proof = { task: 'T05', memberId: row.member_id, subject: `comment:${id}` };
  if ((await giveTaskAgain(tx, platform.settings, proof)) > 0) return;
  if (row.content.length >= REWARDED_LENGTH)
    await grantTask(tx, platform.settings, { ...proof, projectId: row.project_id, at: row.published_at });
}

/** Takes the points of a comment back while it is young enough; answers with the points taken. */
export async function takeCommentPoints(
  tx: Tx,
  platform: Platform,
  id: number,
  note: string,
  staffId?: number,
): Promise<number> {
  const row = await commentRow(tx, id);
  if (!row || row.member_id === null || !(await isYoung(tx, platform, row.published_at))) return 0;
  return takeBackTask(tx, {
    task: 'T05',
    memberId: row.member_id,
    subject: `comment:${id}`,
    note,
    staffId,
  });
}

/** A member deletes an own comment. */
export async function deleteComment(
  tx: Tx,
  platform: Platform,
  wish: { readonly memberId: number; readonly commentId: number },
): Promise<void> {
  const row = await runOne<{ post_id: number | null; topic_id: number | null }>(
    tx,
    `UPDATE content_comment SET deleted_at = clock_timestamp(), deleted_by = 'author', version = version + 1 WHERE id = $1 AND member_id = $2 AND deleted_at IS NULL
     RETURNING post_id, topic_id`,
    [wish.commentId, wish.memberId],
  );
  if (!row) throw notFound(['内容不存在', 'There is no such content']);
  await countComments(tx, row);
  await takeCommentPoints(tx, platform, wish.commentId, '作者删除');
}

/** Likes a visible post of the member's projects, once; its author is rewarded for each other member once. */
export async function likePost(
  tx: Tx,
  platform: Platform,
  like: { readonly memberId: number; readonly postId: number; readonly at: Date; readonly on: boolean },
): Promise<{ readonly likes: number; readonly effects: readonly EventEffect[] }> {
  await requireNotBanned(tx, like.memberId);
  const post = await memberPost(tx, like.postId, like.memberId, 'nearby');
  const more = await setLike(tx, 'post', post.id, like);
  const counted = (await runOne<{ likes: number }>(
    tx,
    'UPDATE post SET likes = likes + $2 WHERE id = $1 RETURNING likes',
    [post.id, more],
  ))!;
  const effects =
    more > 0 && post.member_id !== like.memberId
      ? [
          await grantTask(tx, platform.settings, {
            task: 'T07',
            memberId: post.member_id,
            projectId: post.project_id,
            subject: `like:${post.id}:${like.memberId}`,
            at: like.at,
          }),
        ]
      : [];
  return { likes: counted.likes, effects };
}

/** Counts a look at a visible post or topic; the same viewer within five seconds counts once. */
export async function viewContent(
  tx: Tx,
  view: {
    readonly memberId: number;
    readonly projectId: number;
    readonly postId?: number | undefined;
    readonly topicId?: number | undefined;
    readonly at: Date;
  },
): Promise<{ readonly counted: boolean }> {
  const viewer = `m:${view.memberId}`;
  const counted =
    view.postId !== undefined
      ? await runOne(
          tx,
          `INSERT INTO post_viewer AS v (post_id, viewer, at) SELECT p.id, $2, $3::timestamptz FROM post p WHERE p.id = $1 AND ${visiblePost('p')} AND ${nearby('p', '$4')}
           ON CONFLICT (post_id, viewer) DO UPDATE SET at = excluded.at WHERE v.at < excluded.at - interval '5 seconds' RETURNING 1 AS one`,
          [view.postId, viewer, view.at, view.memberId],
        )
      : await runOne(
          tx,
          `INSERT INTO topic_viewer AS v (topic_id, viewer, at)
           SELECT p.id, $2, $3::timestamptz FROM community_topic p
            WHERE p.id = $1 AND p.state = 'published' AND EXISTS (SELECT FROM community_topic_project x WHERE x.topic_id = p.id AND x.project_id = $4)
           ON CONFLICT (topic_id, viewer) DO UPDATE SET at = excluded.at WHERE v.at < excluded.at - interval '5 seconds' RETURNING 1 AS one`,
          [view.topicId, viewer, view.at, view.projectId],
        );
  if (!counted) return { counted: false };
  const [table, id] =
    view.postId !== undefined
      ? (['post', view.postId] as const)
      : (['community_topic', view.topicId] as const);
  await run(tx, `UPDATE ${table} SET views = views + 1 WHERE id = $1`, [id]);
  await run(
    tx,
    `INSERT INTO content_view (kind, post_id, topic_id, project_id, member_id, viewer, at)
     SELECT coalesce((SELECT kind FROM post WHERE id = $1), 'topic'), $1, $2, $3, $4, $5, $6`,
    [view.postId ?? null, view.topicId ?? null, view.projectId, view.memberId, viewer, view.at],
  );
  return { counted: true };
}

/** Votes in a post of the council hall, once and for good. */
export async function castVote(
  tx: Tx,
  platform: Platform,
  cast: {
    readonly memberId: number;
    readonly projectId: number;
    readonly postId: number;
    readonly options: readonly number[];
    readonly at: Date;
  },
): Promise<{ readonly participants: number; readonly effects: readonly EventEffect[] }> {
  const post = await memberPost(tx, cast.postId, cast.memberId, 'visible');
  // A council hall asks those who live in its project.
  const at = await runOne(
    tx,
    `SELECT 1 AS one FROM member m WHERE m.id = $1 AND ${belongsTo('m', '$2::bigint')}`,
    [cast.memberId, post.project_id],
  );
  if (!at) throw ruleBroken(['仅本项目的会员可投票', 'Only members of the project vote']);
  const vote = await runOne<{ multiple: boolean; over: boolean; known: number }>(
    tx,
    `SELECT v.multiple, v.ends_at <= clock_timestamp() AS over,
            (SELECT count(*)::int FROM post_vote_option o WHERE o.post_id = v.post_id AND o.no = ANY($2::smallint[])) AS known
       FROM post_vote v WHERE v.post_id = $1 FOR UPDATE`,
    [post.id, cast.options],
  );
  if (!vote) throw notFound(['投票不存在', 'There is no such vote']);
  if (vote.over) throw ruleBroken(['投票已结束', 'The vote is over']);
  const chosen = [...new Set(cast.options)];
  if (chosen.length === 0 || vote.known < chosen.length || (!vote.multiple && chosen.length > 1))
    throw invalid({ options: ['选项不正确', 'The choice is not valid'] });
  const counted = await runOne(
    tx,
    'INSERT INTO post_vote_cast (post_id, member_id, options) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1 AS one',
    [post.id, cast.memberId, chosen],
  );
  if (!counted) throw ruleBroken(['您已投过票', 'You have voted already']);
  await run(
    tx,
    'UPDATE post_vote_option SET votes = votes + 1 WHERE post_id = $1 AND no = ANY($2::smallint[])',
    [post.id, chosen],
  );
  const all = (await runOne<{ participants: number }>(
    tx,
    'UPDATE post_vote SET participants = participants + 1 WHERE post_id = $1 RETURNING participants',
    [post.id],
  ))!;
  const effect = await grantTask(tx, platform.settings, {
    task: 'T08',
    memberId: cast.memberId,
    projectId: cast.projectId,
    subject: `vote:${post.id}`,
    at: cast.at,
  });
  return { participants: all.participants, effects: [effect] };
}
