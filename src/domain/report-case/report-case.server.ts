import type { Label } from '../../kernel/contract/label.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { afterBusinessHours } from '../business-calendar/business-hours.server.ts';
import { requireImages, visiblePost } from '../content/content.server.ts';
import { hideMeanwhile, type ContentRef } from '../content/moderate.server.ts';
import { gradeIdSql } from '../grade/member-grade.server.ts';
import { requireNotBanned } from '../member-event/member-standing.server.ts';
import {
  APPEAL_DAYS,
  APPEAL_OVER,
  APPEALED_ONCE,
  DISMISSED_REPORTS,
  HIDING_HOUSES,
  LAST_REPORTS,
  NO_CONTENT,
  OWN_CONTENT,
  RECORD_DAYS,
  TRUSTED_GRADE,
  URGENT_HOURS,
  type REPORT_REASONS,
} from './report-case.rules.ts';

/** Name of cases in timelines. */
export const CASE_ENTITY = 'reportCase';

/** SQL: cases against the content of a member (SQL of its id) that were upheld lately. */
export const recordSql = (member: string): string =>
  `(SELECT count(*)::integer FROM report_case rc WHERE rc.author_id = ${member} AND rc.state IN ('upheld', 'appealed')
     AND rc.decided_at > now() - interval '${RECORD_DAYS} days')`;

/** What members report: the words of the cases. */
export type ReportTarget = 'post' | 'comment' | 'activity_comment';

interface Reported {
  readonly author_id: number | null;
  readonly project_id: number;
  readonly group_id: number | null;
  readonly content: string;
  readonly image_ids: readonly string[];
  readonly revision: number;
  readonly visible: boolean;
  readonly kind: ReportTarget;
}

/** Locks what is reported, so that reports of one content come one after the other. */
async function lockReported(tx: Tx, target: ContentRef): Promise<Reported | undefined> {
  return target.type === 'post'
    ? runOne<Reported>(
        tx,
        `SELECT p.member_id AS author_id, p.project_id, p.group_id, p.content, p.image_ids, ${visiblePost('p')} AS visible, 'post' AS kind,
                (SELECT coalesce(max(r.seq), 0) + 1 FROM content_revision r WHERE r.post_id = p.id) AS revision
           FROM post p WHERE p.id = $1 FOR UPDATE OF p`,
        [target.id],
      )
    : runOne<Reported>(
        tx,
        `SELECT c.member_id AS author_id, coalesce(p.project_id, c.project_id) AS project_id, p.group_id, c.content, '{}'::uuid[] AS image_ids,
                1 AS revision, CASE WHEN p.id IS NULL THEN 'activity_comment' ELSE 'comment' END AS kind,
                (c.review_state = 'passed' AND c.shown AND c.deleted_at IS NULL
                  AND CASE WHEN p.id IS NULL THEN a.state = 'published' ELSE ${visiblePost('p')} END) AS visible
           FROM content_comment c LEFT JOIN post p ON p.id = c.post_id LEFT JOIN activity a ON a.id = c.activity_id
          WHERE c.id = $1 AND c.topic_id IS NULL FOR UPDATE OF c`,
        [target.id],
      );
}

interface OpenCase {
  readonly id: number;
  readonly state: string;
  readonly urgent: boolean;
}

/**
 * A member reports a post or a comment, once for each version of it. The report joins the open case, or the verdict on this
 * very version, else it opens a case. Enough reporters of enough houses hide the content until somebody decides. Throws
 * 30101 for muted members and the own content, 404 for what the member does not see. Source: group 10, cs_reportManagement.
 */
export async function reportContent(
  tx: Tx,
  platform: Platform,
  report: {
    readonly memberId: number;
    readonly target: ContentRef;
    /** What the member says it is; another kind is not found. */
    readonly kind?: ReportTarget;
    readonly reason: keyof typeof REPORT_REASONS;
    readonly text: string;
    readonly imageIds: readonly string[];
  },
): Promise<{ readonly caseId: number; readonly counted: boolean }> {
  await requireNotBanned(tx, report.memberId);
  const { target } = report;
  const column = target.type === 'post' ? 'post_id' : 'comment_id';
  const content = await lockReported(tx, target);
  if (!content || content.author_id === null || content.kind !== (report.kind ?? target.type))
    throw notFound(NO_CONTENT);
  if (content.author_id === report.memberId) throw ruleBroken(OWN_CONTENT);
  const had = await runOne<{ case_id: number }>(
    tx,
    `SELECT case_id FROM post_report WHERE reporter_id = $1 AND ${column} = $2 AND revision = $3`,
    [report.memberId, target.id, content.revision],
  );
  if (had) return { caseId: had.case_id, counted: false };
  if (!content.visible) throw notFound(NO_CONTENT);
  await requireImages(tx, report.imageIds);
  const found = await caseOf(tx, platform, target, content);
  const { counts } = (await runOne<{ counts: boolean }>(
    tx,
    `SELECT count(*) FILTER (WHERE l.state = 'dismissed') < ${DISMISSED_REPORTS} AS counts FROM (
       SELECT c.state FROM post_report r JOIN report_case c ON c.id = r.case_id
        WHERE r.reporter_id = $1 AND c.state IN ('upheld', 'dismissed', 'appealed') ORDER BY r.at DESC, r.id DESC LIMIT ${LAST_REPORTS}) l`,
    [report.memberId],
  ))!;
  await run(
    tx,
    `INSERT INTO post_report (case_id, reporter_id, ${column}, revision, house_id, reason, text, image_ids, counts)
     SELECT $1, $2, $3, $4, (SELECT h.house_id FROM household h JOIN house o ON o.id = h.house_id
        WHERE h.member_id = $2 AND h.status = 'normal' AND o.project_id = $5 ORDER BY h.id LIMIT 1), $6, $7, $8, $9`,
    [
      found.id,
      report.memberId,
      target.id,
      content.revision,
      content.project_id,
      report.reason,
      report.text,
      report.imageIds,
      counts,
    ],
  );
  await run(
    tx,
    `UPDATE report_case c SET reports = reports + 1, last_at = clock_timestamp(), updated_at = now(),
            houses = (SELECT count(DISTINCT r.house_id) FROM post_report r WHERE r.case_id = c.id) WHERE c.id = $1`,
    [found.id],
  );
  if ((found.state === 'open' || found.state === 'handling') && !found.urgent)
    await weigh(tx, platform, found.id, target, content);
  return { caseId: found.id, counted: true };
}

/** The case a report belongs to: the open one, the verdict on this version, else a new one. */
async function caseOf(
  tx: Tx,
  platform: Platform,
  target: ContentRef,
  content: Reported,
  why: Label = ['收到举报', 'Reported'],
): Promise<OpenCase & { readonly fresh?: true }> {
  const column = target.type === 'post' ? 'post_id' : 'comment_id';
  const found = await runOne<OpenCase>(
    tx,
    `SELECT id, state, urgent FROM report_case WHERE ${column} = $1 AND (state IN ('open', 'handling', 'appealed') OR revision = $2)
      ORDER BY state IN ('open', 'handling', 'appealed') DESC, id DESC LIMIT 1 FOR UPDATE`,
    [target.id, content.revision],
  );
  if (found) return found;
  const hours = await platform.settings.numberIn(tx, 'report.due_hours');
  const { at } = (await runOne<{ at: Date }>(tx, 'SELECT clock_timestamp() AS at'))!;
  const { id } = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO report_case (code, target, ${column}, project_id, group_id, author_id, revision, content, image_ids, due_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id`,
    [
      await nextCode(tx, 'RP'),
      content.kind,
      target.id,
      content.project_id,
      content.group_id,
      content.author_id,
      content.revision,
      content.content,
      content.image_ids,
      await afterBusinessHours(tx, at, hours),
    ],
  ))!;
  await writeTimeline(tx, {
    entity: CASE_ENTITY,
    entityId: id,
    action: 'open',
    label: why,
    to: 'open',
  });
  return { id, state: 'open', urgent: false, fresh: true };
}

/**
 * The product itself found something in content that is shown: a case without reporters, unless one is open or this version
 * was judged. Says whether it opened one.
 */
export async function caseOfProduct(
  tx: Tx,
  platform: Platform,
  target: ContentRef,
  why: Label,
): Promise<boolean> {
  const content = await lockReported(tx, target);
  if (!content || content.author_id === null || !content.visible) return false;
  return (await caseOf(tx, platform, target, content, why)).fresh === true;
}

/** Hides content that enough people of enough houses reported, unless its author is trusted: then it goes to the head of the queue. */
async function weigh(
  tx: Tx,
  platform: Platform,
  caseId: number,
  target: ContentRef,
  content: Reported,
): Promise<void> {
  const column = target.type === 'post' ? 'post_id' : 'comment_id';
  const most = await platform.settings.numberIn(tx, 'report.auto_hide');
  const now = (await runOne<{ reporters: number; houses: number }>(
    tx,
    `SELECT count(DISTINCT reporter_id)::int AS reporters, count(DISTINCT house_id)::int AS houses
       FROM post_report WHERE ${column} = $1 AND revision = $2 AND counts`,
    [target.id, content.revision],
  ))!;
  if (now.reporters < most || now.houses < HIDING_HOUSES) return;
  const trusted = await isTrusted(tx, content.author_id!);
  const reason = `${now.reporters} 人（${now.houses} 户）举报`;
  const hidden = !trusted && (await hideMeanwhile(tx, platform, target, { reason }));
  await run(
    tx,
    `UPDATE report_case SET urgent = true, auto_hidden = $2, held = held OR $2, due_at = least(due_at, $3), version = version + 1 WHERE id = $1`,
    [caseId, hidden, hidden ? await inUrgentHours(tx) : null],
  );
  await writeTimeline(tx, {
    entity: CASE_ENTITY,
    entityId: caseId,
    action: hidden ? 'autoHide' : 'urgent',
    label: hidden
      ? ['自动隐藏', 'Hidden by itself']
      : ['可信作者，优先处理', 'Trusted author: looked at first'],
    remark: reason,
  });
}

async function inUrgentHours(tx: Tx): Promise<Date> {
  const { at } = (await runOne<{ at: Date }>(tx, 'SELECT clock_timestamp() AS at'))!;
  return afterBusinessHours(tx, at, URGENT_HOURS);
}

/** Official authors, and those of a good grade without upheld cases. */
async function isTrusted(tx: Tx, memberId: number): Promise<boolean> {
  const row = await runOne<{ official: boolean; level: number; record: number }>(
    tx,
    `SELECT m.official, ${recordSql('m.id')} AS record,
            (SELECT count(*)::int FROM grade g WHERE g.threshold <= (SELECT o.threshold FROM grade o WHERE o.id = ${gradeIdSql('m.id')})) AS level
       FROM member m WHERE m.id = $1`,
    [memberId],
  );
  return row!.official || (row!.level >= TRUSTED_GRADE && row!.record === 0);
}

/** The author appeals against a verdict: once, within some days. Throws 404 for cases of others. */
export async function appealCase(
  tx: Tx,
  wish: { readonly memberId: number; readonly caseId: number; readonly text: string },
): Promise<void> {
  const row = await runOne<{ id: number; state: string; late: boolean; appealed: boolean }>(
    tx,
    `SELECT id, state, decided_at < clock_timestamp() - interval '${APPEAL_DAYS} days' AS late, appealed_at IS NOT NULL AS appealed
       FROM report_case WHERE id = $1 AND author_id = $2 FOR UPDATE`,
    [wish.caseId, wish.memberId],
  );
  if (!row) throw notFound();
  if (row.appealed) throw ruleBroken(APPEALED_ONCE);
  if (row.state !== 'upheld') throw ruleBroken(['没有可申诉的处理', 'There is nothing to appeal against']);
  if (row.late) throw ruleBroken(APPEAL_OVER);
  await run(
    tx,
    `UPDATE report_case SET state = 'appealed', appeal_text = $2, appealed_at = clock_timestamp(), version = version + 1, updated_at = now() WHERE id = $1`,
    [row.id, wish.text],
  );
  await writeTimeline(tx, {
    entity: CASE_ENTITY,
    entityId: row.id,
    action: 'appeal',
    label: ['作者申诉', 'The author appealed'],
    from: 'upheld',
    to: 'appealed',
    remark: wish.text.slice(0, 200),
  });
}
