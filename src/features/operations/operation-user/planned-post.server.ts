import { saidTwice } from '../../../domain/coupon/said-twice.rules.ts';
import { writePost } from '../../../domain/content/content.server.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { invalid, Refusal, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { plannedPost } from './operation-user.contract.ts';

/** What staff write in the name of an operation user. */
export interface OfficialPost {
  readonly kind: 'family' | 'chamber';
  readonly memberId: number;
  readonly projectId: number;
  readonly content: string;
  readonly imageIds: readonly string[];
  readonly tagId: number | null;
  /** Of a vote; none: no vote. */
  readonly options: readonly string[];
  readonly multiple: boolean;
  readonly voteDays: number;
  readonly staffId: number;
}

/** Publishes an official post now; returns its id. Throws 30101 for muted members and blocked words. */
export async function publishAs(tx: Tx, platform: Platform, post: OfficialPost): Promise<number> {
  const at = new Date();
  const made = await writePost(tx, platform, {
    kind: post.kind,
    memberId: post.memberId,
    projectId: post.projectId,
    content: post.content,
    imageIds: post.imageIds,
    at,
    staffId: post.staffId,
    ...(post.tagId !== null ? { tagId: post.tagId } : {}),
    ...(post.options.length > 0
      ? {
          vote: {
            options: post.options,
            multiple: post.multiple,
            endsAt: new Date(at.getTime() + post.voteDays * 86_400_000),
          },
        }
      : {}),
  });
  for (const name of ['familyPost', 'chamberPost']) platform.changed(name);
  return made.postId;
}

/** Keeps an official post until its time, which lies ahead; returns its id. */
export async function planPost(tx: Tx, userId: number, post: OfficialPost, publishAt: Date): Promise<number> {
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO planned_post (operation_user_id, kind, project_id, content, image_ids, tag_id, options, vote_days, publish_at, created_by, updated_by, multiple)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11 WHERE $9::timestamptz > clock_timestamp() RETURNING id`,
    [
      userId,
      post.kind,
      post.projectId,
      post.content,
      post.imageIds,
      post.tagId,
      post.options,
      post.voteDays,
      publishAt,
      post.staffId,
      post.multiple,
    ],
  );
  if (!row) throw invalid({ publishAt: ['定时须晚于现在', 'The time lies in the past'] });
  return row.id;
}

const bound: BoundResource = bindResource(plannedPost, {
  table: 'planned_post',
  joins: { project: 'project' },
  from: 'planned_post t LEFT JOIN operation_user o ON o.id = t.operation_user_id LEFT JOIN member m ON m.id = o.member_id',
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.created_by' },
  columns: {
    // Shown as pickers show it: by the first character of its name.
    user: { id: 't.operation_user_id', title: `left(m.name, 1) || '**'` },
    failure: `nullif(t.failure, '')`,
  },
  handlers: { appear },
  also: {
    jobs: [
      dueJob(() => bound, {
        name: 'operation.publish',
        title: ['运营用户定时发帖', 'Planned posts of operation users'],
        cron: '* * * * *',
        action: 'appear',
        when: 't.publish_at <= now()',
      }),
    ],
  },
});

/** Official posts that wait for their time. */
export const registration = bound.registration;

/** Publishes it as the operation user is by then; what is refused stays with its reason. */
async function appear({ tx, platform, id }: ActionContext): Promise<ActionResult> {
  const post = (await runOne<OfficialPost & { enabled: boolean }>(
    tx,
    `SELECT t.kind, u.member_id AS "memberId", t.project_id AS "projectId", t.content, t.image_ids AS "imageIds", t.tag_id AS "tagId", t.options, t.multiple,
            t.vote_days AS "voteDays", t.created_by AS "staffId", u.enabled AND EXISTS (
              SELECT FROM operation_user_project p WHERE p.operation_user_id = u.id AND p.project_id = t.project_id) AS enabled
       FROM planned_post t JOIN operation_user u ON u.id = t.operation_user_id WHERE t.id = $1`,
    [id],
  ))!;
  try {
    if (!post.enabled)
      throw ruleBroken(['该运营用户已停用或不在此项目', 'The operation user is off, or not in this project']);
    const postId = await publishAs(tx, platform, post);
    await run(tx, 'UPDATE planned_post SET post_id = $2 WHERE id = $1', [id, postId]);
    return { to: 'published', remark: `#${postId}` };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { to: 'failed', set: { failure: saidTwice(error.label) }, remark: error.label[0] };
  }
}
