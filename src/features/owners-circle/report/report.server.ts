import { z } from 'zod';
import { businessMinutesBetween } from '../../../domain/business-calendar/business-hours.server.ts';
import { HIDE_CODES } from '../../../domain/content/content.rules.ts';
import {
  deleteContent,
  hideContent,
  hideMeanwhile,
  restoreContent,
  showContent,
  type ContentRef,
} from '../../../domain/content/moderate.server.ts';
import { dictionaryOptions } from '../../../domain/dictionary/dictionary.server.ts';
import { tellMembers } from '../../../domain/message-send/tell-member.server.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { daysOf, type PENALTY_KINDS } from '../../../domain/report-case/report-case.rules.ts';
import { recordSql } from '../../../domain/report-case/report-case.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { TODAY } from '../../../kernel/server/today.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { CALLER } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { picturesOf } from '../../property/picture-columns.server.ts';
import { liftPenalties, punish } from './penalty-approval.server.ts';
import { reportCase, type CaseExtras, type ReportFigures } from './report.contract.ts';

const OPEN = `t.state IN ('open', 'handling', 'appealed')`;
const SCOPE = residentScope('t.project_id', 't.created_by');
const ALREADY: Label = ['已是该状态', 'It is so already'];
/** SQL: the post that is reported, or the one the comment stands under. */
const POST = 'coalesce(t.post_id, c.post_id)';

/** Cases as those read of them who see the list. */
const caseSight = listSight({
  entity: reportCase.name,
  menu: reportCase.menu,
  table: 'report_case',
  scope: SCOPE,
});

const bound: BoundResource = bindResource(reportCase, {
  table: 'report_case',
  from: `report_case t LEFT JOIN member a ON a.id = t.author_id LEFT JOIN post p ON p.id = t.post_id
    LEFT JOIN content_comment c ON c.id = t.comment_id`,
  joins: {
    project: 'project',
    group: 'interest_group',
    assignee: 'staff',
    decidedBy: { table: 'staff', column: 'decided_by' },
  },
  columns: {
    // A code of an emoji that the cut would leave half is left out whole.
    excerpt: `CASE WHEN length(t.content) > 60 THEN regexp_replace(left(t.content, 60), '\\[[^\\]]{0,6}$', '') || '…' ELSE t.content END`,
    pictures: picturesOf('t.image_ids'),
    author: 'a.name',
    phone: 'a.phone',
    record: recordSql('t.author_id'),
    topReasons: `(SELECT coalesce(jsonb_agg(jsonb_build_object('code', x.reason, 'n', x.n) ORDER BY x.n DESC, x.reason), '[]')
       FROM (SELECT r.reason, count(*)::int AS n FROM post_report r WHERE r.case_id = t.id GROUP BY r.reason ORDER BY n DESC, r.reason LIMIT 3) x)`,
    reason: `(SELECT r.reason FROM post_report r WHERE r.case_id = t.id GROUP BY r.reason ORDER BY count(*) DESC, r.reason LIMIT 1)`,
    contentState: `CASE WHEN coalesce(p.deleted_at, c.deleted_at) IS NOT NULL THEN 'deleted' WHEN coalesce(p.shown, c.shown) THEN 'visible' ELSE 'hidden' END`,
    commentsAllowed: `coalesce((SELECT q.comments_allowed FROM post q WHERE q.id = ${POST}), (SELECT q.comments_allowed FROM activity q WHERE q.id = c.activity_id))`,
    // The queue: urgent ones, then by their time; behind them what was decided, the newest first.
    queue: `(CASE WHEN ${OPEN} THEN extract(epoch FROM t.due_at)::bigint - CASE WHEN t.urgent THEN 100000000000 ELSE 0 END
       ELSE 1000000000000 - extract(epoch FROM t.decided_at)::bigint END)`,
  },
  scope: SCOPE,
  tabs: {
    todo: () => OPEN,
    mine: (caller, parameters) => `(${OPEN} AND t.assignee_id = ${parameters.bind(caller.staffId)})`,
    done: () => `t.state IN ('upheld', 'dismissed')`,
  },
  filters: {
    reason: (value, parameters) =>
      `EXISTS (SELECT FROM post_report r WHERE r.case_id = t.id AND r.reason = ANY(${parameters.bind(value.split(','))}::text[]))`,
  },
  keyword: (value, parameters) => {
    const part = parameters.bind(containing(value.toLowerCase()));
    const exact = parameters.bind(value);
    return `(lower(t.content) LIKE ${part} OR t.code = ${exact} OR t.author_id IN (SELECT m.id FROM member m WHERE m.name = ${exact} OR m.phone = ${exact}))`;
  },
  extra: {
    assigneeId: 't.assignee_id',
    decidedById: 't.decided_by',
    leaderId: `(SELECT coalesce(s.leader_id, d.leader_id) FROM staff s LEFT JOIN department d ON d.id = s.department_id WHERE s.id = t.decided_by)`,
  },
  ruleReads: ['assigneeId', 'assignee', 'decidedById', 'leaderId', 'contentState', 'commentsAllowed'],
  rowRules: {
    uphold: assigned,
    dismiss: assigned,
    acceptAppeal: fresh,
    refuseAppeal: fresh,
    hide: (row) => (row.contentState === 'visible' ? undefined : ALREADY),
    closeComments: (row) =>
      row.contentState === 'deleted'
        ? ['内容已删除', 'The content is deleted']
        : row.commentsAllowed === true
          ? undefined
          : ALREADY,
    openComments: (row) => (row.commentsAllowed === true ? ALREADY : undefined),
    reopen: (row, caller) =>
      caller.tenantKind === 3 || Number(row.leaderId) === caller.staffId
        ? undefined
        : ['仅平台或处理人的上级可重新处理', 'Only the platform, or who leads the person who decided'],
  },
  sets: {
    claim: { assignee_id: CALLER },
    reopen: { assignee_id: null, decided_by: null, decided_at: null, appealed_at: null, overdue_told: false },
  },
  handlers: {
    uphold,
    dismiss: async (context) => {
      const { tx, platform, row, input, caller } = context;
      const remark = noteOf(input);
      if (row.content_action !== null) await undoVerdict(context, true, '重新处理');
      if (row.held === true) await showContent(tx, platform, targetOf(row), { caller, reason: '举报不属实' });
      await tellReporters(tx, context.id, ['经核实，未发现违规', 'it was found to break no rule']);
      return { remark, set: { ...(await verdict(context)), verdict_note: remark, content_action: null } };
    },
    acceptAppeal: async (context) => {
      const { tx, row, input } = context;
      await undoVerdict(context, true, '申诉成立');
      await tellAuthor(tx, row, [
        `申诉成立：${String(input.answer)}`,
        `Your appeal was accepted: ${String(input.answer)}`,
      ]);
      return {
        remark: String(input.answer),
        set: { ...(await verdict(context)), appeal_answer: input.answer, content_action: null },
      };
    },
    refuseAppeal: async (context) => {
      const answer = String(context.input.answer);
      await tellAuthor(context.tx, context.row, [
        `申诉未成立：${answer}`,
        `Your appeal was refused: ${answer}`,
      ]);
      return { remark: answer, set: { ...(await verdict(context)), appeal_answer: answer } };
    },
    hide: async ({ tx, platform, row, caller }) => {
      await hideMeanwhile(tx, platform, targetOf(row), { caller, reason: `举报 ${String(row.code)} 处理中` });
      return { to: String(row.state), set: { held: true } };
    },
    closeComments: (context) => comments(context, false),
    openComments: (context) => comments(context, true),
    penalty: async (context) => {
      const { tx, row, id, input } = context;
      const word = await runOne<{ name: string }>(tx, 'SELECT name FROM dictionary_value WHERE id = $1', [
        input.reason,
      ]);
      const remark = await punish(context, {
        ...whom(row, id),
        kind: input.kind as keyof typeof PENALTY_KINDS,
        days: daysOf(String(input.length)),
        reason: [word!.name, String(input.text ?? '').trim()].filter((one) => one !== '').join('：'),
      });
      await tellAuthor(tx, row, [`您被处罚：${remark}`, `A penalty was put on you: ${remark}`]);
      return { to: String(row.state), remark };
    },
    overdue: async ({ tx, row, id }) => {
      const leader = await runOne<{ id: number | null }>(
        tx,
        'SELECT coalesce(s.leader_id, d.leader_id) AS id FROM staff s LEFT JOIN department d ON d.id = s.department_id WHERE s.id = $1',
        [row.assignee_id],
      );
      if (leader?.id)
        await notify(tx, {
          staffIds: [leader.id],
          kind: 'reportOverdue',
          level: 'important',
          title: [`举报 ${String(row.code)} 已超时`, `Report ${String(row.code)} is overdue`],
          route: `/ownersmanager/${reportCase.menu}?detail=${id}`,
          rows: { sight: caseSight, ids: [id] },
        });
      return { set: { overdue_told: true } };
    },
  },
  unique: {
    report_case_open_post: ['该内容已有待处理的举报', 'An open case for this content exists'],
    report_case_open_comment: ['该内容已有待处理的举报', 'An open case for this content exists'],
  },
  detail: (db, id) => extrasOf(db, id),
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/reportCase/figures',
      title: ['举报数据', 'Figures of reports'],
      access: { code: reportCase.menu },
      query: z.strictObject({}),
      handle: ({ caller, platform }) => figuresOf(platform.replica.db, caller),
    }),
  ],
  also: {
    sights: [caseSight],
    options: [dictionaryOptions({ catalogue: 'platform', dictionary: 'penalty_reason' })],
    jobs: [
      dueJob(() => bound, {
        name: 'report.due',
        title: ['举报超时提醒', 'Overdue reports'],
        cron: '*/15 * * * *',
        action: 'overdue',
        when: 't.due_at <= now() AND NOT t.overdue_told AND t.assignee_id IS NOT NULL',
      }),
    ],
    todos: [
      {
        kind: 'report_case',
        label: ['待处理举报', 'Reports to decide'],
        menu: reportCase.menu,
        route: `/ownersmanager/${reportCase.menu}?tab=todo`,
        order: 63,
        count: async ({ caller, platform }) => {
          const parameters = new Parameters();
          const sees = scopeCondition(caller, reportCase.menu, SCOPE, parameters);
          return (await runOne<{ count: number; oldest: Date | null; overdue: number }>(
            platform.database.db,
            `SELECT count(*)::int AS count, min(t.first_at) AS oldest, count(*) FILTER (WHERE t.due_at < now())::int AS overdue
               FROM report_case t WHERE ${OPEN} AND ${sees}`,
            parameters.values,
          ))!;
        },
      },
    ],
  },
});

/** Cases of reported content. */
export const registration = bound.registration;

/** Verdicts the median is taken of: each asks the calendar. */
const MEDIAN_OF = 100;

async function figuresOf(db: Executor, caller: Caller): Promise<ReportFigures> {
  const parameters = new Parameters();
  const sees = scopeCondition(caller, reportCase.menu, SCOPE, parameters);
  const from = `${TODAY} - 29`;
  const day = (at: string) => `(${at} AT TIME ZONE 'Asia/Shanghai')::date`;
  const rows = await run<{
    first_at: Date;
    decided_at: Date | null;
    opened: string | null;
    decided: string | null;
    upheld: boolean;
    auto: boolean;
  }>(
    db,
    `SELECT t.first_at, t.decided_at, CASE WHEN ${day('t.first_at')} >= ${from} THEN ${day('t.first_at')}::text END AS opened,
            CASE WHEN t.state IN ('upheld', 'dismissed') AND ${day('t.decided_at')} >= ${from} THEN ${day('t.decided_at')}::text END AS decided,
            t.state = 'upheld' AS upheld, t.auto_hidden AS auto
       FROM report_case t WHERE (${day('t.first_at')} >= ${from} OR ${day('t.decided_at')} >= ${from}) AND ${sees}
      ORDER BY t.decided_at DESC NULLS LAST LIMIT 20000`,
    parameters.values,
  );
  const decided = rows.filter((row) => row.decided !== null);
  const minutes: number[] = [];
  for (const row of decided.slice(0, MEDIAN_OF))
    minutes.push(await businessMinutesBetween(db, row.first_at, row.decided_at!));
  minutes.sort((a, b) => a - b);
  const middle = [minutes[Math.floor((minutes.length - 1) / 2)], minutes[Math.floor(minutes.length / 2)]];
  const days = await run<{ day: string }>(
    db,
    `SELECT d::date::text AS day FROM generate_series(${from}, ${TODAY}, interval '1 day') d ORDER BY d`,
  );
  const auto = rows.filter((row) => row.auto && (row.opened !== null || row.decided !== null));
  return {
    opened: rows.filter((row) => row.opened !== null).length,
    decided: decided.length,
    upheld: decided.filter((row) => row.upheld).length,
    medianHours: minutes.length === 0 ? null : Math.round((middle[0]! + middle[1]!) / 12) / 10,
    autoHidden: auto.length,
    autoDismissed: auto.filter((row) => row.decided !== null && !row.upheld).length,
    days: days.map(({ day: one }) => ({
      day: one,
      opened: rows.filter((row) => row.opened === one).length,
      decided: rows.filter((row) => row.decided === one).length,
    })),
  };
}

/** Who claimed a case decides it. */
function assigned(row: DbRow, caller: { readonly staffId: number }): Label | undefined {
  return Number(row.assigneeId) === caller.staffId
    ? undefined
    : ['由认领人处理', 'Decided by who claimed it'];
}

/** An appeal is decided by somebody else than the verdict. */
function fresh(row: DbRow, caller: { readonly staffId: number }): Label | undefined {
  return Number(row.decidedById) === caller.staffId
    ? ['申诉须由他人处理', 'An appeal is decided by somebody else']
    : undefined;
}

const targetOf = (row: DbRow): ContentRef =>
  row.post_id === null
    ? { type: 'comment', id: Number(row.comment_id) }
    : { type: 'post', id: Number(row.post_id) };

const whom = (row: DbRow, caseId: number) => ({
  caseId,
  code: String(row.code),
  memberId: Number(row.author_id),
  projectId: Number(row.project_id),
});

const noteOf = (input: Readonly<Record<string, unknown>>): string => String(input.note ?? '').trim();

async function verdict({ tx, caller }: ActionContext) {
  const { at } = (await runOne<{ at: Date }>(tx, 'SELECT clock_timestamp() AS at'))!;
  return { decided_by: caller.staffId, decided_at: at, held: false };
}

const CONTENT_ACTIONS = {
  hide: ['已被隐藏', 'was hidden'],
  delete: ['已被删除', 'was deleted'],
  keep: ['被警告', 'was warned about'],
} as const satisfies Readonly<Record<string, Label>>;

/** The verdict, or the answer to an appeal, to whom the content is of; reporters are never named. */
function tellAuthor(tx: Tx, row: DbRow, body: Label): Promise<void> {
  return tellMembers(tx, [Number(row.author_id)], ['举报处理结果', 'A report was decided'], body);
}

/** The verdict to everybody who reported. */
async function tellReporters(tx: Tx, caseId: number, verdictWords: Label): Promise<void> {
  const rows = await run<{ id: number }>(
    tx,
    'SELECT DISTINCT reporter_id AS id FROM post_report WHERE case_id = $1',
    [caseId],
  );
  await tellMembers(
    tx,
    rows.map((one) => one.id),
    ['举报处理结果', 'A report was decided'],
    [`您举报的内容：${verdictWords[0]}`, `What you reported: ${verdictWords[1]}`],
  );
}

/**
 * Takes back what a verdict did: its penalties, and what became of the content. A case that was reopened keeps its former
 * verdict until the next one, which stands in its place.
 */
async function undoVerdict(context: ActionContext, content: boolean, reason: string): Promise<void> {
  const { tx, platform, row, id, caller } = context;
  const by = { caller, reason };
  if (content && row.content_action === 'delete') await restoreContent(tx, platform, targetOf(row), by);
  if (content && row.content_action === 'hide') await showContent(tx, platform, targetOf(row), by);
  await liftPenalties(context, id, reason);
}

/** The verdict against the author: what becomes of the content, and a penalty. */
async function uphold(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, row, id, input, caller } = context;
  const code = String(input.code) as keyof typeof HIDE_CODES;
  const note = noteOf(input);
  if (code === 'other' && note.length < 5)
    throw invalid({ note: ['选“其他”时至少5个字', 'At least 5 characters for “Other”'] });
  const reason = [HIDE_CODES[code].label[0], note].filter((one) => one !== '').join('：');
  const target = targetOf(row);
  if (row.content_action !== null)
    await undoVerdict(context, input.contentAction !== row.content_action, '重新处理');
  if (input.contentAction === 'hide') await hideContent(tx, platform, target, { caller, reason, code });
  else if (input.contentAction === 'delete') await deleteContent(tx, platform, target, { caller, reason });
  else if (row.held === true) await showContent(tx, platform, target, { caller, reason: '保留并警告' });
  const penalty =
    input.penalty === 'none'
      ? ''
      : await punish(context, {
          ...whom(row, id),
          kind: 'no_comment',
          days: daysOf(String(input.penalty)),
          reason,
        });
  const done = CONTENT_ACTIONS[String(input.contentAction) as keyof typeof CONTENT_ACTIONS];
  const more = [penalty, String(input.messageText ?? '').trim()].filter((one) => one !== '').join('；');
  await tellAuthor(tx, row, [
    `您的内容${done[0]}（${reason}）${more === '' ? '' : `：${more}`}`,
    `Your content ${done[1]} (${reason})${more === '' ? '' : `: ${more}`}`,
  ]);
  await tellReporters(tx, id, ['举报属实，已处理', 'it was upheld and dealt with']);
  return {
    remark: [reason, penalty].filter((one) => one !== '').join(' · '),
    set: { ...(await verdict(context)), content_action: input.contentAction, verdict_note: reason },
  };
}

/** Closes or opens the comments of the post or the activity. */
async function comments({ tx, row, platform }: ActionContext, allowed: boolean): Promise<ActionResult> {
  await run(
    tx,
    `UPDATE post SET comments_allowed = $2, version = version + 1, updated_at = now()
      WHERE id = coalesce($1, (SELECT post_id FROM content_comment WHERE id = $3))`,
    [row.post_id, allowed, row.comment_id],
  );
  await run(
    tx,
    `UPDATE activity SET comments_allowed = $1 WHERE id = (SELECT activity_id FROM content_comment WHERE id = $2)`,
    [allowed, row.comment_id],
  );
  platform.changed('groupPost');
  return { to: String(row.state) };
}

async function extrasOf(db: Executor | Tx, id: number): Promise<Record<string, unknown>> {
  const row = (await runOne<{
    post_id: number | null;
    comment_id: number | null;
    parent: number | null;
    activity_id: number | null;
    author_id: number;
    content: string;
    revision: number;
    present: string | null;
    latest: number;
    entity: string | null;
  }>(
    db,
    `SELECT t.post_id, t.comment_id, coalesce(t.post_id, c.post_id) AS parent, c.activity_id, t.author_id, t.content, t.revision,
            coalesce(p.content, c.content) AS present,
            CASE WHEN t.post_id IS NULL THEN 1 ELSE (SELECT coalesce(max(r.seq), 0)::int + 1 FROM content_revision r WHERE r.post_id = t.post_id) END AS latest,
            CASE WHEN c.activity_id IS NOT NULL THEN 'activityComment' ELSE (SELECT CASE q.kind WHEN 'family' THEN 'familyPost' WHEN 'chamber' THEN 'chamberPost' ELSE 'groupPost' END
               || CASE WHEN t.post_id IS NULL THEN 'Comment' ELSE '' END FROM post q WHERE q.id = coalesce(t.post_id, c.post_id)) END AS entity
       FROM report_case t LEFT JOIN post p ON p.id = t.post_id LEFT JOIN content_comment c ON c.id = t.comment_id WHERE t.id = $1`,
    [id],
  ))!;
  const around = await run<{ id: number; content: string; at: Date }>(
    db,
    `SELECT x.id, x.content, x.published_at AS at FROM content_comment x
      WHERE (x.post_id = $1 OR x.activity_id = $3) AND x.deleted_at IS NULL
      ORDER BY abs(extract(epoch FROM x.published_at - coalesce((SELECT o.published_at FROM content_comment o WHERE o.id = $2), now()))), x.id LIMIT 7`,
    [row.parent, row.comment_id, row.activity_id],
  );
  const history = await run<{ id: number; code: string; state: string; at: Date; content: string }>(
    db,
    `SELECT h.id, h.code, h.state, h.first_at AS at, h.content FROM report_case h JOIN report_case o ON o.id = $2
      WHERE h.author_id = $1 AND h.id <> $2 AND h.project_id = o.project_id ORDER BY h.id DESC LIMIT 10`,
    [row.author_id, id],
  );
  const moderation = await run<{ at: Date; who: string; label_zh: string; label_en: string; remark: string }>(
    db,
    `SELECT at, who, label_zh, label_en, remark FROM entity_event WHERE entity = $1 AND entity_id = $2 ORDER BY at DESC, id DESC LIMIT 20`,
    [row.entity, row.post_id ?? row.comment_id],
  );
  const extras: CaseExtras = {
    was: { content: row.content, revision: row.revision },
    now: row.present === null ? null : { content: row.present, revision: row.latest },
    around: around
      .map((one) => ({
        id: String(one.id),
        content: one.content,
        at: isoInstant(one.at),
        own: one.id === row.comment_id,
      }))
      .sort((a, b) => a.at.localeCompare(b.at)),
    history: history.map((one) => ({
      id: String(one.id),
      code: one.code,
      state: one.state as CaseExtras['history'][number]['state'],
      at: isoInstant(one.at),
      excerpt: one.content.slice(0, 40),
    })),
    moderation: moderation.map((one) => ({
      at: isoInstant(one.at),
      who: one.who,
      label: [one.label_zh, one.label_en],
      remark: one.remark,
    })),
  };
  return { ...extras };
}
