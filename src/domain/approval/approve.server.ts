import type { Label } from '../../kernel/contract/label.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { forbidden, invalid, notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import { SYSTEM, type Caller, type RequestFacts } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { notify, type NoticeText } from '../notification/notify.server.ts';
import { whoSees } from '../notification/row-sight.server.ts';
import {
  approvalKind,
  type ApprovalKind,
  type ApprovalSubject,
  type Decider,
} from './approval-kind.server.ts';
import { deciderOf, holdLeaders } from './approvers.server.ts';
import { chooseProcess, processOf, titlesOf } from './choose-process.server.ts';
import {
  advance,
  closeTasks,
  lockInstance,
  lockLatest,
  nodesOf,
  resume,
  takeUp,
  tell,
  wake,
  type Flow,
  type Instance,
} from './flow.server.ts';
import { asks, nodeOf } from './process.rules.ts';
import { approversByType, barred } from './seats.server.ts';

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
  /** Staff the starter names for nodes that ask for it. */
  readonly chosen?: Readonly<Record<string, readonly number[]>>;
  /** When it is handed in: now, unless demonstration rows have lived it. */
  readonly at?: Date;
}

/** A running approval with its kind. */
export interface OpenApproval extends ApprovalSubject {
  readonly kind: string;
}

/** A running approval with what a message says of it. */
export interface ToldApproval extends OpenApproval {
  readonly instanceId: number;
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
/** Told to who is not asked. */
export const NOT_YOURS: Label = ['该审批不由您处理', 'This approval is not yours to decide'];
/** Told when somebody else was quicker. Source: group 17, concurrency. */
export const HANDLED: Label = ['该任务已被处理', 'This task has already been handled'];
const NO_APPROVER: Label = [
  '没有可用的审批人，请先设置部门负责人',
  'There is no approver: name a leader of the department first',
];
const NO_APPROVER_AT: Label = [
  '下一节点没有可用的审批人，请联系流程管理员',
  'Nobody could decide at the next node: ask the administrator of the process',
];
/** Told to an assignee who lost the right to decide, or no longer answers for whom it is about. */
export const NOT_ANY_MORE: Label = [
  '您没有审批权限或已不负责该员工，请联系管理员',
  'You may not approve, or are no longer responsible for this staff: ask an administrator',
];
/** Told when there is nothing to decide any more. */
export const ENDED: Label = ['审批已结束', 'The approval has ended'];
/** Menu of the drawer that shows approvals to who does not hold the approval centre, and of the right to approve overtime. */
export const APPROVALS_MENU = 'workOvertimeManager';

/**
 * Starts an approval in the caller's transaction by the published process that fits most closely, and returns its id.
 * Refuses with 30101 when nobody but the starter and the subject could decide, or when the object is in approval already.
 * Who leads whom stays as it is until the transaction ends. What passes without anybody ends at once.
 */
export async function submitApproval(
  tx: Tx,
  platform: Platform,
  request: ApprovalRequest,
  by?: ApprovalBy,
): Promise<number> {
  const subject: ApprovalSubject = { ...request, subjectId: request.subjectId ?? null };
  await holdLeaders(tx, barred(subject));
  const open = await lockLatest(tx, request.kind, request.bizId);
  // It was returned: the screen of the object hands it in again.
  if (open?.state === 'running' && open.awaitsStarter) return resubmitApproval(tx, platform, request, by);
  const kind = approvalKind(platform, request.kind);
  const facts = (await kind.facts?.(tx, request.bizId)) ?? {};
  const chosen = await chooseProcess(tx, {
    kind: request.kind,
    tenantId: request.tenantId,
    projectId: request.projectId ?? null,
  });
  const titles = titlesOf(kind, chosen, request, facts);
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO approval_instance (code, biz_type, biz_id, tenant_id, project_id, title_zh, title_en, summary, starter_id, subject_id, process_id, facts, chosen, started_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, $10, $11, $12::jsonb, $13::jsonb, coalesce($14, now())) ON CONFLICT (biz_type, biz_id) WHERE state = 'running' DO NOTHING RETURNING id`,
    [
      await nextCode(tx, 'AP'),
      request.kind,
      request.bizId,
      request.tenantId,
      request.projectId ?? null,
      titles.title[0],
      titles.title[1],
      JSON.stringify(titles.summary),
      request.starterId,
      request.subjectId ?? null,
      chosen?.id ?? null,
      JSON.stringify(facts),
      JSON.stringify(request.chosen ?? {}),
      request.at ?? null,
    ],
  );
  if (!row) throw ruleBroken(['已在审批中', 'It is in approval already']);
  const instance = (await lockInstance(tx, row.id))!;
  const starter = by ?? (await startedBy(tx, request.starterId));
  const flow = await takeUp(tx, platform, instance, starter, request.at);
  await tell(flow, 'submit', ['提交审批', 'Handed in']);
  await moveOn(flow, { ...starter, opinion: '' }, kind, false);
  return row.id;
}

/** Who acts in an approval. */
export interface ApprovalBy {
  readonly caller: Caller;
  readonly facts: RequestFacts;
  /** When it happens: now, unless demonstration rows have lived it. */
  readonly at?: Date;
}

/** The starter, where the command that hands in has no caller of its own. */
async function startedBy(tx: Tx, staffId: number): Promise<ApprovalBy> {
  const row = await runOne<{ name: string; tenant_id: number }>(
    tx,
    'SELECT name, tenant_id FROM staff WHERE id = $1',
    [staffId],
  );
  return {
    caller: { ...SYSTEM, staffId, name: row!.name, tenantId: row!.tenant_id },
    facts: NO_REQUEST,
  };
}

/** Facts of what nobody asked for by a request. */
export const NO_REQUEST: RequestFacts = { address: '', userAgent: '', language: 'zh', traceId: '' };

/**
 * Moves an approval on, ends it when its result is certain and tells those it waits for. Refuses where nobody could decide
 * at a node it reaches. Returns the result, undefined while it goes on.
 */
export async function moveOn(
  flow: Flow,
  step: ApprovalBy & { readonly opinion: string },
  kind: ApprovalKind,
  insideAction: boolean,
): Promise<'passed' | 'refused' | undefined> {
  const { tx, platform, instance } = flow;
  const status = await advance(flow);
  const isEmpty = [...flow.runs.values()].some(
    (one) => one.state === 'active' && one.seats === 0 && asks(nodeOf(flow.nodes, one.node)),
  );
  if (status === 'active' && isEmpty)
    throw ruleBroken(instance.processId === null ? NO_APPROVER : NO_APPROVER_AT);
  await tellApprovers(tx, platform, [...flow.asked], toldOf(instance));
  if (flow.copied.size > 0)
    await notify(tx, {
      kind: 'approval',
      staffIds: [...flow.copied],
      aboutReceiver: true,
      title: [
        `抄送我的：${kind.label[0]} ${instance.code}`,
        `Copied to you: ${kind.label[1]} ${instance.code}`,
      ],
      route: approvalRoute(instance.id),
    });
  if (status === 'active') return undefined;
  await endInstance(tx, instance.id, status, flow.at);
  await tell(
    flow,
    status,
    status === 'passed' ? ['审批通过', 'Approved'] : ['审批驳回', 'Rejected'],
    step.opinion,
  );
  const outcome = {
    tx,
    platform,
    bizId: instance.bizId,
    caller: step.caller,
    facts: step.facts,
    opinion: step.opinion,
    insideAction,
  };
  await (status === 'passed' ? kind.onApproved(outcome) : kind.onRejected(outcome));
  await tellResult(flow, kind, status, step.opinion);
  return status;
}

async function tellResult(
  { tx, instance }: Flow,
  kind: ApprovalKind,
  status: 'passed' | 'refused',
  opinion: string,
): Promise<void> {
  const word: Label = status === 'passed' ? ['已通过', 'approved'] : ['已驳回', 'rejected'];
  const result: NoticeText = {
    kind: 'approval',
    title: [`${word[0]}：${instance.titleZh}`, `${instance.titleEn}: ${word[1]}`],
    ...(opinion ? { body: [opinion, opinion] as Label } : {}),
    route: kind.route(instance.bizId),
  };
  const { starterId, subjectId } = instance;
  if (subjectId !== null) await notify(tx, { ...result, staffIds: [subjectId], aboutReceiver: true });
  if (starterId !== subjectId)
    await notify(tx, {
      ...result,
      staffIds: [starterId],
      rows: { sight: kind.sights.outcome, ids: [instance.bizId] },
    });
}

/** A running approval with what a message says of it. */
export function toldOf(instance: Instance): ToldApproval {
  const { id: instanceId, kind, bizId, tenantId, starterId, subjectId, code, titleZh, titleEn } = instance;
  return { instanceId, kind, bizId, tenantId, starterId, subjectId, code, titleZh, titleEn };
}

/** Who is asked to decide at this moment: as the kind finds them, never the starter or the subject. */
export async function approversOf(
  tx: Tx,
  platform: Pick<Platform, 'registrations'>,
  approval: OpenApproval,
): Promise<number[]> {
  const out = barred(approval);
  const found = await approversByType(tx, platform, approval);
  return [...new Set(found)].filter((id) => !out.includes(id));
}

/** Tells staff that something waits for them; what it is about, those only who may read it. */
export async function tellApprovers(
  tx: Tx,
  platform: Pick<Platform, 'registrations'>,
  staffIds: readonly number[],
  approval: ToldApproval,
): Promise<void> {
  const { label, sights } = approvalKind(platform, approval.kind);
  const about = { kind: 'approval', route: approvalRoute(approval.instanceId) } as const;
  const may: number[] = [];
  for (const id of staffIds)
    if ((await decidableAmong(tx, platform, await deciderOf(tx, id), [approval])).size > 0) may.push(id);
  const rows = { sight: sights.toDecide, ids: [approval.bizId] };
  const see = await whoSees(tx, may, rows);
  await notify(tx, {
    ...about,
    staffIds: see,
    rows,
    title: [`待审批：${approval.titleZh}`, `To approve: ${approval.titleEn}`],
  });
  // No more than that something came to them, by its number; the page shows what they may read.
  const number = {
    ...about,
    aboutReceiver: true,
    title: [`待审批：${label[0]} ${approval.code}`, `To approve: ${label[1]} ${approval.code}`],
  } as const;
  await notify(tx, { ...number, staffIds: may.filter((id) => !see.includes(id)) });
  await notify(tx, {
    ...number,
    staffIds: staffIds.filter((id) => !may.includes(id)),
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
  task: ToldApproval & { readonly id: number },
  to: number,
  via: 'none' | 'replacement',
): Promise<void> {
  const has = await runOne(
    tx,
    // Where seats are counted, each stays.
    `SELECT 1 FROM approval_task k JOIN approval_instance i ON i.id = k.instance_id AND i.process_id IS NULL
      WHERE k.instance_id = $1 AND k.assignee_id = $2 AND k.state = 'pending'`,
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
  approval: ToldApproval,
  to: number,
): Promise<void> {
  await run(
    tx,
    `INSERT INTO approval_task (instance_id, round, seat, first_assignee_id, assignee_id)
     SELECT $1, i.round, (SELECT max(seat) + 1 FROM approval_task k WHERE k.instance_id = $1 AND k.round = i.round), $2, $2
       FROM approval_instance i WHERE i.id = $1`,
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
  const open = approvals.filter((one) => !barred(one).includes(decider.staffId));
  const found = new Set<A>();
  for (const kind of new Set(open.map((one) => one.kind))) {
    const ofKind = open.filter((one) => one.kind === kind);
    const { decidable } = approvalKind(platform, kind);
    const may = await decidable?.(db, decider, ofKind);
    for (const one of ofKind) if (!may || may.has(one.bizId)) found.add(one);
  }
  return found;
}

/**
 * Hands in again after the object was edited. What was returned to the starter goes on in its new round; what still runs
 * ends as withdrawn and starts anew.
 */
export async function resubmitApproval(
  tx: Tx,
  platform: Platform,
  request: ApprovalRequest,
  by?: ApprovalBy,
): Promise<number> {
  const instance = await running(tx, request);
  // Who hands in what somebody else had started has started it: never do they decide about it.
  if (instance.awaitsStarter && instance.starterId === request.starterId) {
    await handInAgain(tx, platform, instance, by ?? (await startedBy(tx, request.starterId)), request);
    return instance.id;
  }
  const flow = await takeUp(tx, platform, instance, by ?? { caller: SYSTEM, facts: NO_REQUEST });
  await closeTasks(flow, undefined, 'withdrawn');
  await endInstance(tx, instance.id, 'withdrawn', flow.at);
  return submitApproval(tx, platform, request, by);
}

const OWN_SCREEN: Label = [
  '已退回修改，请在业务单据中重新提交',
  'It was returned to be edited: hand it in again where the record is',
];

/** The starter hands in what was returned, with what the object holds now. */
export async function handInAgain(
  tx: Tx,
  platform: Platform,
  instance: Instance,
  by: ApprovalBy,
  request?: Pick<ApprovalRequest, 'title' | 'summary' | 'chosen'>,
): Promise<void> {
  if (!instance.awaitsStarter) throw ruleBroken(ENDED);
  const kind = approvalKind(platform, instance.kind);
  // Its object went back to where it is edited: what is approved must be what its own screen hands in.
  if (!request && kind.onReturned) throw ruleBroken(OWN_SCREEN);
  const facts = (await kind.facts?.(tx, instance.bizId)) ?? {};
  const titles = request && titlesOf(kind, await processOf(tx, instance.processId), request, facts);
  await run(
    tx,
    `UPDATE approval_instance SET awaits_starter = false, facts = $2::jsonb, title_zh = coalesce($3, title_zh), title_en = coalesce($4, title_en),
            summary = coalesce($5::jsonb, summary), chosen = coalesce($6::jsonb, chosen), version = version + 1 WHERE id = $1`,
    [
      instance.id,
      JSON.stringify(facts),
      titles?.title[0] ?? null,
      titles?.title[1] ?? null,
      titles ? JSON.stringify(titles.summary) : null,
      request?.chosen ? JSON.stringify(request.chosen) : null,
    ],
  );
  const flow = await takeUp(tx, platform, (await lockInstance(tx, instance.id))!, by);
  const from = instance.returnedFrom === null ? undefined : nodeOf(flow.nodes, instance.returnedFrom);
  // Straight back to the node that returned it, over what had passed before.
  if (from && asks(from) && from.resubmit === 'straight') await resume(flow, from.key);
  await tell(flow, 'resubmit', ['重新提交', 'Handed in again']);
  await moveOn(flow, { ...by, opinion: '' }, kind, false);
}

/**
 * Decides as one of the assignees. When that ends the approval, the object's `onApproved` or `onRejected` runs in the same
 * transaction; the answer is undefined while others still have to decide. Refuses (30101) what was handled meanwhile.
 */
export async function decideApproval(
  tx: Tx,
  platform: Platform,
  step: ApprovalStep & {
    readonly approved: boolean;
    /** The task that is decided, when the caller named one. */
    readonly taskId?: number;
    readonly attachments?: readonly string[];
    /** Instant of the decision: now, unless demonstration rows have lived it. */
    readonly at?: Date;
  },
): Promise<'passed' | 'refused' | undefined> {
  const { instance, task } = await taskToDecide(tx, platform, step);
  const kind = approvalKind(platform, step.kind);
  const flow = await takeUp(tx, platform, instance, step, step.at);
  const node = nodeOf(flow.nodes, task.node);
  const opinion = step.opinion ?? '';
  if (!step.approved && node.type === 'handle' && task.kind === 'handle')
    throw ruleBroken(['办理节点不能驳回', 'A handle node cannot refuse']);
  if (step.approved && asks(node) && node.opinionRequired && opinion.trim() === '')
    throw invalid({ opinion: ['请填写意见', 'An opinion is required'] });
  await run(
    tx,
    `UPDATE approval_task SET state = $2, decided_by = $3, decided_at = $4, opinion = $5, attachments = $6::jsonb, next_at = NULL WHERE id = $1`,
    [
      task.id,
      step.approved ? 'approved' : 'refused',
      step.caller.staffId,
      flow.at,
      opinion,
      JSON.stringify(step.attachments ?? []),
    ],
  );
  await wakeParent(flow, task);
  return moveOn(flow, { ...step, opinion }, kind, step.insideAction ?? false);
}

/** The task a decision is about, its approval locked. Refuses who may not decide, and what was handled meanwhile. */
export async function taskToDecide(
  tx: Tx,
  platform: Platform,
  step: Pick<ApprovalStep, 'kind' | 'bizId' | 'caller'> & { readonly taskId?: number },
): Promise<{ readonly instance: Instance; readonly task: DecidedTask }> {
  const instance = await running(tx, step);
  const tasks = await run<DecidedTask>(
    tx,
    `SELECT id, node, kind, seat, parent_id AS "parentId", depth, first_assignee_id AS "firstId", due_at AS "dueAt", state FROM approval_task
      WHERE instance_id = $1 AND round = $2 AND assignee_id = $3 AND kind <> 'copy' ORDER BY id`,
    [instance.id, instance.round, step.caller.staffId],
  );
  const task = tasks.find(
    (one) => one.state === 'pending' && (step.taskId === undefined || one.id === step.taskId),
  );
  const own = await decidesOwn(tx, instance, task);
  if (barred(instance).includes(step.caller.staffId) && !own) throw ruleBroken(OWN_RECORD);
  if (!task) {
    // The object was edited and handed in again since the task was shown.
    const before = step.taskId !== undefined && !tasks.some((one) => one.id === step.taskId);
    throw ruleBroken(before ? ENDED : tasks.length > 0 ? HANDLED : NOT_YOURS);
  }
  const { decidable } = approvalKind(platform, step.kind);
  if (decidable && !(await decidable(tx, step.caller, [instance])).has(instance.bizId))
    throw forbidden(NOT_ANY_MORE);
  return { instance, task };
}

/** A task as a decision needs it. */
export interface DecidedTask {
  readonly id: number;
  readonly node: string;
  readonly kind: string;
  readonly seat: number;
  readonly parentId: number | null;
  readonly depth: number;
  readonly firstId: number;
  readonly dueAt: Date | null;
  readonly state: string;
}

/** Whether the node lets the starter decide about the own. */
async function decidesOwn(tx: Tx, instance: Instance, task: DecidedTask | undefined): Promise<boolean> {
  if (!task || instance.processId === null) return false;
  const node = nodeOf(await nodesOf(tx, instance.processId), task.node);
  return asks(node) && node.starterRule === 'self' && instance.subjectId === null;
}

/** Once everybody who was asked before a decision has answered, the one who asked decides. */
export async function wakeParent(flow: Flow, task: Pick<DecidedTask, 'kind' | 'parentId'>): Promise<void> {
  if (task.kind !== 'add_before' || task.parentId === null) return;
  const open = await runOne(
    flow.tx,
    `SELECT 1 FROM approval_task WHERE parent_id = $1 AND kind = 'add_before' AND state IN ('pending', 'waiting') LIMIT 1`,
    [task.parentId],
  );
  if (open) return;
  const parent = await runOne<{ assignee_id: number; state: string; due_at: Date | null }>(
    flow.tx,
    'SELECT assignee_id, state, due_at FROM approval_task WHERE id = $1',
    [task.parentId],
  );
  if (parent?.state !== 'waiting') return;
  await wake(flow, task.parentId, parent.due_at);
  flow.asked.add(parent.assignee_id);
}

/** Takes a running approval back. Only the starter may, as far as the process allows it. */
export async function withdrawApproval(tx: Tx, platform: Platform, step: ApprovalStep): Promise<void> {
  const instance = await running(tx, step);
  if (instance.starterId !== step.caller.staffId)
    throw ruleBroken(['只有提交人可以撤销', 'Only who submitted it may withdraw it']);
  await requireWithdrawable(tx, instance);
  await endWithout(tx, platform, instance, step, 'withdrawn');
}

/** Ends an approval without a result: the object goes back to where it was before. */
export async function endWithout(
  tx: Tx,
  platform: Platform,
  instance: Instance,
  step: ApprovalBy & { readonly opinion?: string; readonly insideAction?: boolean },
  state: 'withdrawn' | 'cancelled',
): Promise<void> {
  const flow = await takeUp(tx, platform, instance, step);
  await closeTasks(flow, undefined, state);
  await endInstance(tx, instance.id, state, flow.at);
  await tell(
    flow,
    state,
    state === 'withdrawn' ? ['撤回', 'Withdrawn'] : ['终止', 'Cancelled'],
    step.opinion ?? '',
  );
  await approvalKind(platform, instance.kind).onWithdrawn({
    tx,
    platform,
    bizId: instance.bizId,
    caller: step.caller,
    facts: step.facts,
    opinion: step.opinion ?? '',
    insideAction: step.insideAction ?? false,
  });
}

async function requireWithdrawable(tx: Tx, instance: Instance): Promise<void> {
  if (instance.processId === null || instance.awaitsStarter) return;
  const row = await runOne<{ policy: string; decided: boolean }>(
    tx,
    `SELECT withdraw_policy AS policy, EXISTS (SELECT FROM approval_task k WHERE k.instance_id = $2 AND k.decided_by IS NOT NULL) AS decided
       FROM approval_process WHERE id = $1`,
    [instance.processId, instance.id],
  );
  if (row!.policy === 'never')
    throw ruleBroken(['该流程不允许撤回', 'This process does not allow withdrawing']);
  if (row!.policy === 'before_first_decision' && row!.decided)
    throw ruleBroken(['已有审批意见，不能撤回', 'Somebody has decided already: it cannot be withdrawn']);
}

/** Path of the drawer that shows what waits for the caller's decision. */
export const APPROVALS_ROUTE = '/adminSys/workOvertimeManager?approvals=1';
/** Menu and path of the approval centre. */
export const CENTRE_MENU = 'pr_auditManagement';
export const CENTRE_ROUTE = '/publicResource/pr_auditManagement';

/** Page that shows one approval to everybody it concerns, whatever menus they hold. */
export function approvalRoute(instanceId: number): string {
  return `/publicResource/pr_approvalProcess/${instanceId}`;
}

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

/** The running approval of an object, locked. Throws 404 without one, 30101 when it has ended. */
export async function running(tx: Tx, step: Pick<ApprovalStep, 'kind' | 'bizId'>): Promise<Instance> {
  const instance = await lockLatest(tx, step.kind, step.bizId);
  if (!instance) throw notFound();
  if (instance.state !== 'running') throw ruleBroken(ENDED);
  return instance;
}

async function endInstance(
  tx: Tx,
  id: number,
  state: 'passed' | 'refused' | 'withdrawn' | 'cancelled',
  at: Date,
): Promise<void> {
  await run(
    tx,
    'UPDATE approval_instance SET state = $2, ended_at = $3, awaits_starter = false, version = version + 1 WHERE id = $1',
    [id, state, at],
  );
  await run(
    tx,
    `UPDATE approval_node_run SET state = 'cancelled', ended_at = $2 WHERE instance_id = $1 AND state = 'active'`,
    [id, at],
  );
  await run(
    tx,
    `UPDATE approval_task SET state = 'cancelled', decided_at = $2, rule = 'decided', next_at = NULL
      WHERE instance_id = $1 AND state IN ('pending', 'waiting') AND kind <> 'copy'`,
    [id, at],
  );
}
