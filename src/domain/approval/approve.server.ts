import type { Label } from '../../kernel/contract/label.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import type { Caller, RequestFacts } from '../../kernel/server/people/caller.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { forbidden, notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { notify, type NoticeText } from '../notification/notify.server.ts';
import { approvalKind, type ApprovalSubject, type Decider } from './approval-kind.server.ts';
import { deciderOf, holdLeaders, leadersAbove } from './approvers.server.ts';

/** What is submitted for approval. */
export interface ApprovalRequest {
  readonly kind: string;
  readonly bizId: number;
  readonly tenantId: number;
  readonly projectId?: number;
  /** One line that names the object. */
  readonly title: Label;
  /** Up to four facts for the approver: label and value. */
  readonly summary: readonly { readonly label: Label; readonly value: Label }[];
  readonly starterId: number;
  /** Whom it is about, when that is a staff. */
  readonly subjectId?: number;
}

/** A running approval with its kind. */
export interface OpenApproval extends ApprovalSubject {
  readonly kind: string;
}

/** A running approval with what a message says of it. */
export interface ToldApproval extends OpenApproval {
  readonly code: string;
  readonly titleZh: string;
  readonly titleEn: string;
}

/** One decision or withdrawal. */
export interface ApprovalStep {
  readonly kind: string;
  readonly bizId: number;
  readonly caller: Caller;
  readonly facts: RequestFacts;
  readonly opinion?: string;
  /** The object's own action runs around this call. */
  readonly insideAction?: boolean;
}

/** Refused to whoever submitted. Source: group 02, overtime. */
export const OWN_RECORD: Label = ['不能审批自己提交的记录', 'You cannot approve your own record'];
const NOT_YOURS: Label = ['该审批不由您处理', 'This approval is not yours to decide'];
const NO_APPROVER: Label = [
  '没有可用的审批人，请先设置部门负责人',
  'There is no approver: name a leader of the department first',
];
/** Told to an assignee who lost the right to decide, or no longer answers for whom it is about. */
export const NOT_ANY_MORE: Label = [
  '您没有审批权限或已不负责该员工，请联系管理员',
  'You may not approve, or are no longer responsible for this staff: ask an administrator',
];
const ENDED: Label = ['审批已结束', 'The approval has ended'];
/** Menu under which approvals are shown, until the approval centre of group 17 is there. */
export const APPROVALS_MENU = 'workOvertimeManager';

/**
 * Starts an approval in the caller's transaction and returns its id. Any one of the approvers decides. Refuses with 30101
 * when nobody but the starter and the subject could, or when the object is in approval already. Who leads whom stays as it
 * is until the transaction ends.
 */
export async function submitApproval(tx: Tx, platform: Platform, request: ApprovalRequest): Promise<number> {
  const subject: ApprovalSubject = { ...request, subjectId: request.subjectId ?? null };
  await holdLeaders(tx, barredOf(subject));
  const approvers = await approversOf(tx, platform, { ...subject, kind: request.kind });
  if (approvers.length === 0) throw ruleBroken(NO_APPROVER);
  const instance = await runOne<{ id: number; code: string }>(
    tx,
    `INSERT INTO approval_instance (code, biz_type, biz_id, tenant_id, project_id, title_zh, title_en, summary, starter_id, subject_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, $10) ON CONFLICT (biz_type, biz_id) WHERE state = 'running' DO NOTHING RETURNING id, code`,
    [
      await nextCode(tx, 'AP'),
      request.kind,
      request.bizId,
      request.tenantId,
      request.projectId ?? null,
      request.title[0],
      request.title[1],
      JSON.stringify(request.summary),
      request.starterId,
      request.subjectId ?? null,
    ],
  );
  if (!instance) throw ruleBroken(['已在审批中', 'It is in approval already']);
  await run(
    tx,
    `INSERT INTO approval_task (instance_id, seat, first_assignee_id, assignee_id)
     SELECT $1, seat, id, id FROM unnest($2::bigint[]) WITH ORDINALITY AS a (id, seat)`,
    [instance.id, approvers],
  );
  await tellApprovers(tx, platform, approvers, {
    ...subject,
    kind: request.kind,
    code: instance.code,
    titleZh: request.title[0],
    titleEn: request.title[1],
  });
  return instance.id;
}

/** Who is asked to decide at this moment: as the kind finds them, never the starter or the subject. */
export async function approversOf(
  tx: Tx,
  platform: Pick<Platform, 'registrations'>,
  approval: OpenApproval,
): Promise<number[]> {
  const barred = barredOf(approval);
  const kind = approvalKind(platform, approval.kind);
  const found = kind.approvers
    ? await kind.approvers(tx, approval)
    : await leadersAbove(tx, approval.subjectId ?? approval.starterId, barred);
  return [...new Set(found)].filter((id) => !barred.includes(id));
}

/** Tells staff that something waits for them; what it is about, those only who may read it. */
export async function tellApprovers(
  tx: Tx,
  platform: Pick<Platform, 'registrations'>,
  staffIds: readonly number[],
  approval: ToldApproval,
): Promise<void> {
  const { label, sights } = approvalKind(platform, approval.kind);
  const about = { kind: 'approval', route: APPROVALS_ROUTE } as const;
  const may: number[] = [];
  for (const id of staffIds)
    if ((await decidableAmong(tx, platform, await deciderOf(tx, id), [approval])).size > 0) may.push(id);
  await notify(tx, {
    ...about,
    staffIds: may,
    rows: { sight: sights.toDecide, ids: [approval.bizId] },
    title: [`待审批：${approval.titleZh}`, `To approve: ${approval.titleEn}`],
  });
  await notify(tx, {
    ...about,
    staffIds: staffIds.filter((id) => !may.includes(id)),
    // No more than that something came to them, by its number.
    aboutReceiver: true,
    title: [`待审批：${label[0]} ${approval.code}`, `To approve: ${label[1]} ${approval.code}`],
    body: NOT_ANY_MORE,
  });
}

/**
 * Gives an open task to somebody else, tells that one and notes it where the object's history is read; who has a task of
 * the same approval already keeps that one. `via` tells a handover from a change of who stands above.
 */
export async function giveTask(
  tx: Tx,
  {
    caller,
    platform,
  }: {
    /** Left out when the product itself did. */
    readonly caller?: Caller;
    readonly platform: Pick<Platform, 'registrations' | 'changed'>;
  },
  task: ToldApproval & { readonly id: number; readonly instanceId: number },
  to: number,
  via: 'none' | 'replacement',
): Promise<void> {
  const has = await runOne(
    tx,
    `SELECT 1 FROM approval_task WHERE instance_id = $1 AND assignee_id = $2 AND state = 'pending'`,
    [task.instanceId, to],
  );
  if (has) return dropTask(tx, task.id);
  const names = await runOne<{ before: string; after: string }>(
    tx,
    `WITH old AS (SELECT assignee_id FROM approval_task WHERE id = $1),
          given AS (UPDATE approval_task SET assignee_id = $2, via = $3, arrived_at = now() WHERE id = $1)
     SELECT b.name AS before, a.name AS after FROM old JOIN staff b ON b.id = old.assignee_id JOIN staff a ON a.id = $2`,
    [task.id, to, via],
  );
  const { entity } = approvalKind(platform, task.kind);
  await writeTimeline(tx, {
    entity,
    entityId: task.bizId,
    ...(caller ? { caller } : {}),
    action: 'replaceApprover',
    label: ['更换审批人', 'Approver replaced'],
    remark: `${names!.before} → ${names!.after}`,
  });
  platform.changed(entity);
  await tellApprovers(tx, platform, [to], task);
}

/** One more assignee of a running approval, who is told. */
export async function addTask(
  tx: Tx,
  platform: Pick<Platform, 'registrations'>,
  approval: ToldApproval & { readonly instanceId: number },
  to: number,
): Promise<void> {
  await run(
    tx,
    `INSERT INTO approval_task (instance_id, seat, first_assignee_id, assignee_id)
     SELECT $1, max(seat) + 1, $2, $2 FROM approval_task WHERE instance_id = $1`,
    [approval.instanceId, to],
  );
  await tellApprovers(tx, platform, [to], approval);
}

/** Ends one open task of several. */
export async function dropTask(tx: Tx, id: number): Promise<void> {
  await run(tx, `UPDATE approval_task SET state = 'cancelled', decided_at = now() WHERE id = $1`, [id]);
}

/**
 * Of running approvals those an assignee may read and decide about now. The one rule for lists, counts, messages,
 * decisions and handovers: being assigned shows nothing to who lost the right or does not answer for the staff any more.
 */
export async function decidableAmong<A extends OpenApproval>(
  db: Executor,
  platform: Pick<Platform, 'registrations'>,
  decider: Decider,
  approvals: readonly A[],
): Promise<ReadonlySet<A>> {
  const open = approvals.filter((one) => !barredOf(one).includes(decider.staffId));
  const found = new Set<A>();
  for (const kind of new Set(open.map((one) => one.kind))) {
    const ofKind = open.filter((one) => one.kind === kind);
    const may = await approvalKind(platform, kind).decidable(db, decider, ofKind);
    for (const one of ofKind) if (may.has(one.bizId)) found.add(one);
  }
  return found;
}

/** Submits again after the object was edited: the running approval ends as withdrawn, its tasks with it. */
export async function resubmitApproval(
  tx: Tx,
  platform: Platform,
  request: ApprovalRequest,
): Promise<number> {
  const instance = await lockInstance(tx, request);
  await closeTasks(tx, instance.id);
  await endInstance(tx, instance.id, 'withdrawn');
  return submitApproval(tx, platform, request);
}

/** Decides as one of the assignees; the object's `onApproved` or `onRejected` runs in the same transaction. */
export async function decideApproval(
  tx: Tx,
  platform: Platform,
  step: ApprovalStep & {
    readonly approved: boolean;
    /** The task that is decided, when the caller named one. */ readonly taskId?: number;
  },
): Promise<void> {
  const instance = await lockInstance(tx, step);
  const refused = await decisionProblem(tx, platform, step, instance);
  if (refused) throw ruleBroken(refused);
  const kind = approvalKind(platform, step.kind);
  const opinion = step.opinion ?? '';
  await run(
    tx,
    `UPDATE approval_task SET state = CASE WHEN assignee_id = $2 THEN $3 ELSE 'cancelled' END, decided_by = CASE WHEN assignee_id = $2 THEN $2::bigint END,
            decided_at = now(), opinion = CASE WHEN assignee_id = $2 THEN $4 ELSE '' END
      WHERE instance_id = $1 AND state = 'pending'`,
    [instance.id, step.caller.staffId, step.approved ? 'approved' : 'refused', opinion],
  );
  await endInstance(tx, instance.id, step.approved ? 'passed' : 'refused');
  const outcome = {
    tx,
    platform,
    bizId: step.bizId,
    caller: step.caller,
    facts: step.facts,
    opinion,
    insideAction: step.insideAction ?? false,
  };
  await (step.approved ? kind.onApproved(outcome) : kind.onRejected(outcome));
  const word: Label = step.approved ? ['已通过', 'approved'] : ['已驳回', 'rejected'];
  const result: NoticeText = {
    kind: 'approval',
    title: [`${word[0]}：${instance.titleZh}`, `${instance.titleEn}: ${word[1]}`],
    ...(opinion ? { body: [opinion, opinion] as Label } : {}),
    route: kind.route(step.bizId),
  };
  const { starterId, subjectId } = instance;
  if (subjectId !== null) await notify(tx, { ...result, staffIds: [subjectId], aboutReceiver: true });
  if (starterId !== subjectId)
    await notify(tx, {
      ...result,
      staffIds: [starterId],
      rows: { sight: kind.sights.outcome, ids: [step.bizId] },
    });
}

/** Takes an undecided approval back. Only the starter may. */
export async function withdrawApproval(tx: Tx, platform: Platform, step: ApprovalStep): Promise<void> {
  const instance = await lockInstance(tx, step);
  if (instance.starterId !== step.caller.staffId)
    throw ruleBroken(['只有提交人可以撤销', 'Only who submitted it may withdraw it']);
  await closeTasks(tx, instance.id);
  await endInstance(tx, instance.id, 'withdrawn');
  await approvalKind(platform, step.kind).onWithdrawn({
    tx,
    platform,
    bizId: step.bizId,
    caller: step.caller,
    facts: step.facts,
    opinion: step.opinion ?? '',
    insideAction: step.insideAction ?? false,
  });
}

/** Path that shows what waits for the caller's decision, until the approval centre of group 17 is there. */
export const APPROVALS_ROUTE = '/adminSys/workOvertimeManager?approvals=1';

/** SQL of the people who may decide on an object now, as an array, for row rules: `approversSql('overtime', 't.id')`. */
export function approversSql(kind: string, id: string): string {
  return `ARRAY(SELECT k.assignee_id FROM approval_instance i JOIN approval_task k ON k.instance_id = i.id AND k.state = 'pending' WHERE i.biz_type = '${kind}' AND i.biz_id = ${id} AND i.state = 'running')`;
}

/** The row rule of an approve button: why this caller may not decide, by the columns `recorder` and `approvers` of the row. */
export function decisionRule(
  row: { readonly recorderId?: unknown; readonly subjectId?: unknown; readonly approvers?: unknown },
  caller: Caller,
): Label | undefined {
  if (Number(row.recorderId) === caller.staffId || Number(row.subjectId) === caller.staffId)
    return OWN_RECORD;
  return (row.approvers as readonly number[] | undefined)?.includes(caller.staffId) ? undefined : NOT_YOURS;
}

interface Instance extends ApprovalSubject {
  readonly id: number;
  readonly titleZh: string;
  readonly titleEn: string;
}

async function lockInstance(tx: Tx, step: Pick<ApprovalStep, 'kind' | 'bizId'>): Promise<Instance> {
  const row = await runOne<Instance & { state: string }>(
    tx,
    `SELECT id, biz_id AS "bizId", tenant_id AS "tenantId", starter_id AS "starterId", subject_id AS "subjectId", title_zh AS "titleZh", title_en AS "titleEn", state
       FROM approval_instance WHERE biz_type = $1 AND biz_id = $2 ORDER BY id DESC LIMIT 1 FOR UPDATE`,
    [step.kind, step.bizId],
  );
  if (!row) throw notFound();
  if (row.state !== 'running') throw ruleBroken(ENDED);
  return row;
}

async function decisionProblem(
  tx: Tx,
  platform: Platform,
  step: ApprovalStep & { readonly taskId?: number },
  instance: Instance,
): Promise<Label | undefined> {
  if (barredOf(instance).includes(step.caller.staffId)) return OWN_RECORD;
  const task = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM approval_task WHERE instance_id = $1 AND assignee_id = $2 AND state = 'pending'`,
    [instance.id, step.caller.staffId],
  );
  if (!task) return NOT_YOURS;
  // The object was edited and submitted again since the task was shown.
  if (step.taskId !== undefined && step.taskId !== task.id) return ENDED;
  const approval = { ...instance, kind: step.kind };
  if ((await decidableAmong(tx, platform, step.caller, [approval])).size === 0) throw forbidden(NOT_ANY_MORE);
  return undefined;
}

async function endInstance(tx: Tx, id: number, state: 'passed' | 'refused' | 'withdrawn'): Promise<void> {
  await run(
    tx,
    'UPDATE approval_instance SET state = $2, ended_at = now(), version = version + 1 WHERE id = $1',
    [id, state],
  );
}

async function closeTasks(tx: Tx, instanceId: number): Promise<void> {
  await run(
    tx,
    `UPDATE approval_task SET state = 'cancelled', decided_at = now() WHERE instance_id = $1 AND state = 'pending'`,
    [instanceId],
  );
}

function barredOf(subject: Pick<ApprovalSubject, 'starterId' | 'subjectId'>): number[] {
  return [subject.starterId, ...(subject.subjectId === null ? [] : [subject.subjectId])];
}
