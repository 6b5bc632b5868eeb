import { SYSTEM_NAME, type Caller } from '../../kernel/server/people/caller.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { afterBusinessHours } from '../business-calendar/business-hours.server.ts';
import { listSight } from '../notification/row-sight.server.ts';
import { notify } from '../notification/notify.server.ts';
import { residentScope } from '../residents/residents.server.ts';
import { poolOf, REPLY_HOURS, type AdviceSource, type AdviceType } from './advice.rules.ts';

export const ADVICE_ENTITY = 'advice';
export const ADVICE_MENU = 'cs_advise';
export const ADVICE_ROUTE = '/companymanager/cs_advise';

/** Where an advice `t` stands: its project; it is the handler's own. */
export const ADVICE_SCOPE = residentScope('t.project_id', 't.handler_id');

/** Advice as its list shows it. */
export const adviceSight = listSight({
  entity: ADVICE_ENTITY,
  menu: ADVICE_MENU,
  table: 'advice',
  scope: ADVICE_SCOPE,
});

/** What a resident tells, as it is taken in. */
export interface NewAdvice {
  readonly type: AdviceType;
  readonly source: AdviceSource;
  readonly projectId: number;
  readonly memberId?: number | null;
  readonly name: string;
  readonly phone: string;
  readonly address?: string;
  readonly content: string;
  readonly imageIds?: readonly string[];
  readonly feedbackId?: number | null;
}

/**
 * SQL condition: the staff `s` works in a project (an expression): it is one of the own ones, or one of the tenant's for who is
 * given all of them.
 */
export const worksIn = (project: string): string =>
  `(EXISTS (SELECT FROM staff_project sp WHERE sp.staff_id = s.id AND sp.project_id = ${project})
    OR (s.all_projects AND EXISTS (SELECT FROM tenant_project tp WHERE tp.tenant_id = s.tenant_id AND tp.project_id = ${project})))`;

/** SQL condition: somebody of customer service, `c`, is on duty at an instant (an expression). */
export const onDuty = (at: string): string =>
  `EXISTS (SELECT FROM customer_duty d WHERE d.customer_staff_id = c.id
     AND d.weekday = extract(isodow FROM ${at} AT TIME ZONE 'Asia/Shanghai')::text
     AND to_char(${at} AT TIME ZONE 'Asia/Shanghai', 'HH24:MI') >= d.from_time AND to_char(${at} AT TIME ZONE 'Asia/Shanghai', 'HH24:MI') < d.to_time)`;

/** The instants of the ladder of a reply asked for at `from`: 70, 100 and 150 % of its business hours. */
export async function replyTimes(
  db: Executor,
  from: Date,
): Promise<{ readonly warn_at: Date; readonly reply_due_at: Date; readonly escalate_at: Date }> {
  return {
    warn_at: await afterBusinessHours(db, from, REPLY_HOURS * 0.7),
    reply_due_at: await afterBusinessHours(db, from, REPLY_HOURS),
    escalate_at: await afterBusinessHours(db, from, REPLY_HOURS * 1.5),
  };
}

/**
 * The member of customer service who gets new advice: enabled, on duty, of the pool of its type, working in the project, with
 * the fewest open items; of several the one given something longest ago. Undefined when nobody is there. Choices are made one
 * after the other until COMMIT, so that many at once are spread.
 */
export async function chooseHandler(
  tx: Tx,
  projectId: number,
  type: AdviceType,
  at = new Date(),
): Promise<number | undefined> {
  await run(tx, 'SELECT pg_advisory_xact_lock(7106, 1)');
  const row = await runOne<{ id: number }>(
    tx,
    `SELECT s.id FROM customer_staff c JOIN staff s ON s.id = c.staff_id
      WHERE c.enabled AND s.is_customer_service AND s.state = 'normal' AND c.${poolOf(type)} AND ${onDuty('$2::timestamptz')} AND ${worksIn('$1::bigint')}
      ORDER BY (SELECT count(*) FROM advice a WHERE a.handler_id = s.id AND a.state = 'unreplied'),
               (SELECT max(a.assigned_at) FROM advice a WHERE a.handler_id = s.id) NULLS FIRST, s.id
      LIMIT 1`,
    [projectId, at],
  );
  return row?.id;
}

/** Columns a new advice gets besides what was told: number, handler of the pool, times of its reply. */
export async function newAdviceColumns(
  tx: Tx,
  advice: Pick<NewAdvice, 'projectId' | 'type'>,
  now = new Date(),
): Promise<Record<string, unknown>> {
  const handler = await chooseHandler(tx, advice.projectId, advice.type, now);
  return {
    code: await nextCode(tx, 'AD'),
    handler_id: handler ?? null,
    assigned_at: handler === undefined ? null : now,
    ...(await replyTimes(tx, now)),
  };
}

/**
 * Takes in an advice: gives it a number, the member of the pool on duty with the fewest open items and the times of its reply,
 * writes its first line and tells the handler. Returns id and code. Source: group 06, cs_advise.
 */
export async function createAdvice(
  tx: Tx,
  advice: NewAdvice,
  caller?: Caller,
): Promise<{ readonly id: number; readonly code: string; readonly handlerId: number | null }> {
  const columns: Record<string, unknown> = {
    ...(await newAdviceColumns(tx, advice)),
    type: advice.type,
    source: advice.source,
    project_id: advice.projectId,
    member_id: advice.memberId ?? null,
    name: advice.name,
    phone: advice.phone,
    address: advice.address ?? '',
    content: advice.content,
    image_ids: advice.imageIds ?? [],
    feedback_id: advice.feedbackId ?? null,
    created_by: caller?.staffId ?? null,
    updated_by: caller?.staffId ?? null,
  };
  const names = Object.keys(columns);
  const row = (await runOne<{ id: number; code: string; handler_id: number | null }>(
    tx,
    `INSERT INTO advice (${names.join(', ')}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')}) RETURNING id, code, handler_id`,
    Object.values(columns),
  ))!;
  await writeTimeline(tx, {
    entity: ADVICE_ENTITY,
    entityId: row.id,
    caller: caller ?? { staffId: null as unknown as number, name: advice.name },
    action: 'create',
    label: ['提交', 'Handed in'],
    to: 'unreplied',
  });
  await tellHandler(tx, row.id, row.code, row.handler_id);
  return { id: row.id, code: row.code, handlerId: row.handler_id };
}

/** Tells somebody of customer service that an advice waits for a reply. */
export async function tellHandler(
  tx: Executor,
  id: number,
  code: string,
  staffId: number | null,
): Promise<void> {
  if (staffId === null) return;
  await notify(tx, {
    kind: 'advice',
    staffIds: [staffId],
    rows: { sight: adviceSight, ids: [id] },
    title: ['有投诉建议待回复', 'Advice waits for your reply'],
    body: [
      `${code} 已分派给您，请在 8 个工作小时内回复`,
      `${code} was given to you; reply within 8 business hours`,
    ],
    route: `${ADVICE_ROUTE}?detail=${id}`,
  });
}

/** Appends a line to the conversation. Lines are never changed. */
export async function appendReply(
  tx: Executor,
  adviceId: number,
  reply: {
    readonly who: 'staff' | 'member' | 'work_order';
    readonly name: string;
    readonly staffId?: number | null;
    readonly content: string;
  },
): Promise<void> {
  await run(
    tx,
    'INSERT INTO advice_reply (advice_id, who, name, staff_id, content) VALUES ($1, $2, $3, $4, $5)',
    [adviceId, reply.who, reply.name, reply.staffId ?? null, reply.content],
  );
}

/**
 * Replies to the advice a finished work order came from, with what was done; of an order without one nothing happens, and of one
 * that is closed neither. Returns the advice's id. Called by the work-order domain in the transaction that finishes the order.
 */
export async function replyFinishedWorkOrder(
  tx: Tx,
  workOrderId: number,
  text: string,
): Promise<number | undefined> {
  const row = await runOne<{ id: number; state: string; code: string }>(
    tx,
    `SELECT a.id, a.state, w.code FROM advice a JOIN work_order w ON w.id = a.work_order_id WHERE a.work_order_id = $1 FOR NO KEY UPDATE OF a`,
    [workOrderId],
  );
  if (!row || row.state === 'closed') return undefined;
  await appendReply(tx, row.id, { who: 'work_order', name: row.code, content: text.slice(0, 1000) });
  await run(
    tx,
    `UPDATE advice SET state = 'replied', replied_at = now(), first_replied_at = coalesce(first_replied_at, now()),
        version = version + 1, updated_at = now() WHERE id = $1`,
    [row.id],
  );
  await writeTimeline(tx, {
    entity: ADVICE_ENTITY,
    entityId: row.id,
    caller: { staffId: null as unknown as number, name: SYSTEM_NAME },
    action: 'reply',
    label: ['工单完成，自动回复', 'Replied by the finished work order'],
    from: row.state,
    to: 'replied',
    remark: row.code,
  });
  return row.id;
}

/**
 * Climbs the ladder of unanswered advice: 70 % of the time tells the handler, 100 % the leader of the handler's department, 150 %
 * the leader of the project; each once a round, on its timeline. Returns how many steps were told.
 */
export async function climbLadder(tx: Tx, now = new Date()): Promise<number> {
  const steps = await run<{
    id: number;
    code: string;
    round: number;
    step: number;
    staff_id: number | null;
  }>(
    tx,
    `INSERT INTO advice_escalation (advice_id, round, step, staff_id)
     SELECT a.id, a.round, l.step, CASE l.step WHEN 70 THEN a.handler_id WHEN 100 THEN d.leader_id ELSE coalesce(o.leader_id, d.leader_id) END
       FROM advice a CROSS JOIN LATERAL (VALUES (70, a.warn_at), (100, a.reply_due_at), (150, a.escalate_at)) AS l (step, at)
       JOIN project p ON p.id = a.project_id LEFT JOIN organisation o ON o.id = p.unit_id
       LEFT JOIN staff s ON s.id = a.handler_id LEFT JOIN department d ON d.id = s.department_id
      WHERE a.state = 'unreplied' AND l.at <= $1
     ON CONFLICT DO NOTHING
     RETURNING advice_id AS id, round, step, staff_id, (SELECT code FROM advice WHERE id = advice_id) AS code`,
    [now],
  );
  for (const step of steps) {
    const [zh, en] =
      step.step === 70
        ? ['即将超时', 'is due soon']
        : step.step === 100
          ? ['回复已超时', 'is overdue']
          : ['回复严重超时', 'is long overdue'];
    await writeTimeline(tx, {
      entity: ADVICE_ENTITY,
      entityId: step.id,
      caller: { staffId: null as unknown as number, name: SYSTEM_NAME },
      action: 'escalate',
      label: [`${zh}（${step.step}%）`, `The reply ${en} (${step.step} %)`],
    });
    if (step.staff_id !== null)
      await notify(tx, {
        kind: 'advice',
        level: step.step === 70 ? 'normal' : 'important',
        staffIds: [step.staff_id],
        rows: { sight: adviceSight, ids: [step.id] },
        title: [`投诉建议${zh}`, `The reply to an advice ${en}`],
        body: [`${step.code} 尚未回复`, `${step.code} has no reply yet`],
        route: `${ADVICE_ROUTE}?detail=${step.id}`,
      });
  }
  return steps.length;
}
