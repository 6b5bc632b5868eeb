import type { Label } from '../../kernel/contract/label.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import type { Caller, RequestFacts } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { afterBusinessHours } from '../business-calendar/business-hours.server.ts';
import type { ApprovalSubject } from './approval-kind.server.ts';
import {
  allNodes,
  asks,
  branchesTaken,
  BUILT_IN,
  isBranching,
  needOf,
  ratioResult,
  type AskNode,
  type BranchNode,
  type CopyNode,
  type DelayNode,
  type Facts,
  type ProcessNode,
} from './process.rules.ts';
import { adminOf, seatsOf, type Seat, type SeatSubject } from './seats.server.ts';

/** A running approval, locked by whoever moves it. */
export interface Instance extends ApprovalSubject {
  readonly id: number;
  readonly code: string;
  readonly kind: string;
  readonly processId: number | null;
  readonly projectId: number | null;
  readonly state: string;
  round: number;
  readonly titleZh: string;
  readonly titleEn: string;
  readonly facts: Facts;
  readonly chosen: Readonly<Record<string, readonly number[]>>;
  readonly awaitsStarter: boolean;
  readonly returnedFrom: string | null;
}

/** What became of a node in the round. */
export interface NodeRun {
  readonly node: string;
  readonly state: 'active' | 'passed' | 'refused' | 'returned' | 'cancelled';
  readonly step: number;
  readonly branches: readonly string[];
  readonly seats: number;
  readonly need: number;
  readonly carried: boolean;
  readonly dueAt: Date | null;
}

/** A seat's task, or one that was added to it. */
export interface TaskRow {
  readonly id: number;
  readonly node: string;
  readonly seat: number;
  readonly kind: 'approve' | 'handle' | 'copy' | 'add_before' | 'add_after';
  readonly state:
    'waiting' | 'pending' | 'approved' | 'refused' | 'returned' | 'transferred' | 'cancelled' | 'read';
  readonly assigneeId: number;
  readonly parentId: number | null;
}

/** Who moves an approval, with what happens once it has moved. */
export interface Flow {
  readonly tx: Tx;
  readonly platform: Platform;
  readonly instance: Instance;
  readonly nodes: readonly ProcessNode[];
  readonly at: Date;
  readonly caller: Caller;
  readonly facts: RequestFacts;
  /** Staff who have to be told that something waits for them. */
  readonly asked: Set<number>;
  /** Staff who are sent a copy. */
  readonly copied: Set<number>;
  runs: Map<string, NodeRun>;
}

const INSTANCE = `id, code, biz_type AS kind, biz_id AS "bizId", tenant_id AS "tenantId", project_id AS "projectId", process_id AS "processId",
  starter_id AS "starterId", subject_id AS "subjectId", title_zh AS "titleZh", title_en AS "titleEn", state, round, facts, chosen,
  awaits_starter AS "awaitsStarter", returned_from AS "returnedFrom"`;

/** The latest approval of an object, locked; undefined when there never was one. */
export function lockLatest(tx: Tx, kind: string, bizId: number): Promise<Instance | undefined> {
  return runOne<Instance>(
    tx,
    `SELECT ${INSTANCE} FROM approval_instance WHERE biz_type = $1 AND biz_id = $2 ORDER BY id DESC LIMIT 1 FOR UPDATE`,
    [kind, bizId],
  );
}

/** An approval by its id, locked. */
export function lockInstance(tx: Tx, id: number): Promise<Instance | undefined> {
  return runOne<Instance>(tx, `SELECT ${INSTANCE} FROM approval_instance WHERE id = $1 FOR UPDATE`, [id]);
}

/** An approval by its id, as it stands. */
export function readInstance(db: Executor, id: number): Promise<Instance | undefined> {
  return runOne<Instance>(db, `SELECT ${INSTANCE} FROM approval_instance WHERE id = $1`, [id]);
}

/** Nodes of a process version; those of the built-in process without one. */
export async function nodesOf(db: Executor, processId: number | null): Promise<readonly ProcessNode[]> {
  if (processId === null) return BUILT_IN;
  return (await runOne<{ nodes: ProcessNode[] }>(db, 'SELECT nodes FROM approval_process WHERE id = $1', [
    processId,
  ]))!.nodes;
}

/** Takes a locked approval in hand. `at` is the moment things happen at: now, unless a test or demonstration rows say so. */
export async function takeUp(
  tx: Tx,
  platform: Platform,
  instance: Instance,
  by: { readonly caller: Caller; readonly facts: RequestFacts; readonly at?: Date },
  at = by.at ?? new Date(),
): Promise<Flow> {
  const flow: Flow = {
    tx,
    platform,
    instance,
    nodes: await nodesOf(tx, instance.processId),
    at,
    caller: by.caller,
    facts: by.facts,
    asked: new Set(),
    copied: new Set(),
    runs: await runsOf({ tx, instance }, instance.round),
  };
  return flow;
}

type Status = 'active' | 'passed' | 'refused';
/** A refusal sent the approval back to an earlier node: the walk starts again in the new round. */
const AGAIN = Symbol('again');

/**
 * Moves an approval on as far as it goes: enters nodes, asks people, takes branches, ends nodes whose result is certain.
 * Says what the whole has come to.
 */
export async function advance(flow: Flow): Promise<Status> {
  for (;;) {
    const status = await sequence(flow, flow.nodes);
    if (status !== AGAIN) return status;
  }
}

async function sequence(flow: Flow, nodes: readonly ProcessNode[]): Promise<Status | typeof AGAIN> {
  for (const node of nodes) {
    const status = await step(flow, node);
    if (status !== 'passed') return status;
  }
  return 'passed';
}

async function step(flow: Flow, node: ProcessNode): Promise<Status | typeof AGAIN> {
  let current = flow.runs.get(node.key);
  if (!current) {
    await enter(flow, node);
    current = flow.runs.get(node.key)!;
  }
  if (current.state === 'passed') return 'passed';
  if (current.state !== 'active') return 'refused';
  if (isBranching(node)) return joins(flow, node, current);
  if (node.type === 'delay') {
    if (current.dueAt !== null && current.dueAt > flow.at) return 'active';
    await endRun(flow, node.key, 'passed', '');
    return 'passed';
  }
  if (!asks(node)) return 'passed';
  const status = await settle(flow, node, current);
  if (status !== 'refused' || node.onRefuse === 'end') return status;
  await startRound(flow, node.onRefuse);
  return AGAIN;
}

/** Goes on when every branch that was taken has come to its end; one refused branch refuses the whole. */
async function joins(flow: Flow, node: BranchNode, current: NodeRun): Promise<Status | typeof AGAIN> {
  let open = false;
  for (const branch of node.branches.filter((one) => current.branches.includes(one.key))) {
    const status = await sequence(flow, branch.nodes);
    if (status === AGAIN || status === 'refused') return status;
    if (status === 'active') open = true;
  }
  if (open) return 'active';
  await endRun(flow, node.key, 'passed', '');
  return 'passed';
}

async function enter(flow: Flow, node: ProcessNode): Promise<void> {
  if (isBranching(node)) {
    const taken = branchesTaken(node, flow.instance.facts);
    return openRun(flow, node.key, { branches: taken.map((branch) => branch.key) });
  }
  if (node.type === 'delay') return openRun(flow, node.key, { dueAt: delayEnd(flow, node) });
  const admin = await adminOf(flow.tx, flow.instance.processId);
  const { seats, automatic } = await seatsOf(
    flow.tx,
    flow.platform,
    subjectOf(flow.instance),
    node,
    admin,
    flow.at,
  );
  if (node.type === 'copy') return sendCopies(flow, node, seats);
  if (automatic === 'auto_pass' || automatic === 'auto_refuse') {
    await openRun(flow, node.key, {});
    return endRun(flow, node.key, automatic === 'auto_pass' ? 'passed' : 'refused', automatic);
  }
  await ask(flow, node, seats);
}

/** An approval as candidates are found for it. */
export function subjectOf(instance: Instance): SeatSubject {
  const { kind, bizId, tenantId, projectId, starterId, subjectId, facts, chosen } = instance;
  return { kind, bizId, tenantId, projectId, starterId, subjectId, facts, chosen };
}

function delayEnd(flow: Flow, node: DelayNode): Date {
  if (node.until === undefined) return new Date(flow.at.getTime() + node.hours! * 3_600_000);
  const value = flow.instance.facts[node.until];
  // Without the date there is nothing to wait for.
  return typeof value === 'string' ? new Date(`${value.slice(0, 10)}T00:00:00+08:00`) : flow.at;
}

async function sendCopies(flow: Flow, node: CopyNode, seats: readonly Seat[]): Promise<void> {
  await openRun(flow, node.key, { seats: seats.length });
  await run(
    flow.tx,
    `INSERT INTO approval_task (instance_id, node, round, seat, kind, first_assignee_id, assignee_id, state, arrived_at)
     SELECT $1, $2, $3, seat, 'copy', id, id, 'waiting', $5 FROM unnest($4::bigint[]) WITH ORDINALITY AS a (id, seat)`,
    [flow.instance.id, node.key, flow.instance.round, seats.map((seat) => seat.staffId), flow.at],
  );
  for (const seat of seats) flow.copied.add(seat.staffId);
  await endRun(flow, node.key, 'passed', '');
}

async function ask(flow: Flow, node: AskNode, seats: readonly Seat[]): Promise<void> {
  const count = seats.length;
  const need =
    node.mode === 'ratio' ? needOf(count, node.ratio!) : node.mode === 'order' ? count : Math.min(1, count);
  await openRun(flow, node.key, { seats: count, need });
  const dueAt = await dueOf(flow.tx, node, flow.at);
  const before = await agreedBefore(flow, node);
  for (const [index, seat] of seats.entries()) {
    const repeated = before.has(seat.staffId);
    const waits = node.mode === 'order' && index > 0;
    await run(
      flow.tx,
      `INSERT INTO approval_task (instance_id, node, round, seat, kind, first_assignee_id, assignee_id, via, state, rule, decided_at, arrived_at, due_at, next_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)`,
      [
        flow.instance.id,
        node.key,
        flow.instance.round,
        index + 1,
        node.type,
        seat.firstId,
        seat.staffId,
        seat.via,
        repeated ? 'approved' : waits ? 'waiting' : 'pending',
        repeated ? 'repeat' : '',
        repeated ? flow.at : null,
        flow.at,
        repeated || waits ? null : dueAt,
      ],
    );
    if (!repeated && !waits) flow.asked.add(seat.staffId);
  }
}

/** When the time of a node that is entered now is over. */
export async function dueOf(db: Executor, node: AskNode, at: Date): Promise<Date | null> {
  return node.limit ? afterBusinessHours(db, at, node.limit.hours) : null;
}

/** Staff who agreed before in this round, as far as the process lets that count. */
async function agreedBefore(flow: Flow, node: AskNode): Promise<ReadonlySet<number>> {
  if (node.type === 'handle' || flow.instance.processId === null) return new Set();
  const policy = (await runOne<{ policy: string }>(
    flow.tx,
    'SELECT repeat_policy AS policy FROM approval_process WHERE id = $1',
    [flow.instance.processId],
  ))!.policy;
  if (policy === 'never') return new Set();
  const earlier = [...flow.runs.values()]
    .filter((one) => one.node !== node.key && one.seats > 0 && one.state === 'passed' && !one.carried)
    .sort((a, b) => b.step - a.step);
  const nodes = (policy === 'only_consecutive' ? earlier.slice(0, 1) : earlier).map((one) => one.node);
  const rows = await run<{ id: number }>(
    flow.tx,
    `SELECT DISTINCT decided_by AS id FROM approval_task
      WHERE instance_id = $1 AND round = $2 AND node = ANY($3) AND kind = 'approve' AND state = 'approved' AND decided_by IS NOT NULL`,
    [flow.instance.id, flow.instance.round, nodes],
  );
  return new Set(rows.map((row) => row.id));
}

/** What a node's seats have come to; when that is certain the node ends and its open tasks with it. */
async function settle(flow: Flow, node: AskNode, current: NodeRun): Promise<Status> {
  const tasks = await tasksOf(flow, node.key);
  const seats = tasks.filter((task) => task.parentId === null);
  const results = seats.map((seat) => resultOf(seat, tasks));
  const agreed = results.filter((one) => one === 'approved').length;
  const refused = results.filter((one) => one === 'refused').length;
  const result = outcome(node, current, agreed, refused);
  if (result) {
    await closeTasks(flow, node.key, 'decided');
    await endRun(flow, node.key, result, '');
    return result;
  }
  if (node.mode === 'order') await callNext(flow, node, seats, results);
  return 'active';
}

function outcome(
  node: AskNode,
  current: NodeRun,
  agreed: number,
  refused: number,
): 'passed' | 'refused' | undefined {
  // Nobody was asked, so nothing was agreed.
  if (current.seats === 0) return undefined;
  if (node.mode === 'ratio') return ratioResult(current.seats, current.need, agreed, refused);
  if (refused > 0) return 'refused';
  return agreed >= Math.max(1, current.need) ? 'passed' : undefined;
}

/** In order: the next seat is asked once the one before it agreed. */
async function callNext(
  flow: Flow,
  node: AskNode,
  seats: readonly TaskRow[],
  results: readonly ('approved' | 'refused' | 'open')[],
): Promise<void> {
  const index = results.findIndex((one) => one === 'open');
  const next = seats[index];
  if (!next || next.state !== 'waiting' || (await hasOpenAdded(flow, next.id))) return;
  await wake(flow, next.id, await dueOf(flow.tx, node, flow.at));
  flow.asked.add(next.assigneeId);
}

async function hasOpenAdded(flow: Flow, taskId: number): Promise<boolean> {
  const row = await runOne(
    flow.tx,
    `SELECT 1 FROM approval_task WHERE parent_id = $1 AND kind = 'add_before' AND state IN ('pending', 'waiting') LIMIT 1`,
    [taskId],
  );
  return row !== undefined;
}

/** Lets a waiting task be decided from now on. */
export async function wake(flow: Flow, taskId: number, dueAt: Date | null): Promise<void> {
  await run(
    flow.tx,
    `UPDATE approval_task SET state = 'pending', arrived_at = $2, due_at = $3, next_at = $3, reminded_count = 0 WHERE id = $1`,
    [taskId, flow.at, dueAt],
  );
}

/** What a task comes to together with those that were added after it: its agreement counts only when theirs is there. */
export function resultOf(task: TaskRow, tasks: readonly TaskRow[]): 'approved' | 'refused' | 'open' {
  if (task.state === 'refused') return 'refused';
  if (task.state !== 'approved') return 'open';
  const added = tasks
    .filter((one) => one.parentId === task.id && one.kind === 'add_after')
    .map((one) => resultOf(one, tasks));
  if (added.includes('refused')) return 'refused';
  return added.includes('open') ? 'open' : 'approved';
}

/** Live tasks of a node in this round: neither cancelled nor handed on. */
export async function tasksOf(flow: Flow, node: string): Promise<TaskRow[]> {
  return run<TaskRow>(
    flow.tx,
    `SELECT id, node, seat, kind, state, assignee_id AS "assigneeId", parent_id AS "parentId" FROM approval_task
      WHERE instance_id = $1 AND round = $2 AND node = $3 AND state NOT IN ('cancelled', 'transferred', 'returned') ORDER BY seat, id`,
    [flow.instance.id, flow.instance.round, node],
  );
}

/** Ends open tasks: of a node in this round, or of all of them. `rule` says why. */
export async function closeTasks(flow: Flow, node: string | undefined, rule: string): Promise<void> {
  await run(
    flow.tx,
    `UPDATE approval_task SET state = 'cancelled', decided_at = $3, rule = $4, next_at = NULL
      WHERE instance_id = $1 AND ($2::text IS NULL OR node = $2) AND state IN ('pending', 'waiting') AND kind <> 'copy'`,
    [flow.instance.id, node ?? null, flow.at, rule],
  );
}

/**
 * Begins a new round at a node: what was passed before it stays passed, everything from it on is asked again. Without a
 * node all is asked again.
 */
export async function startRound(flow: Flow, target: string | undefined): Promise<void> {
  await closeTasks(flow, undefined, 'returned');
  const old = flow.runs;
  await run(
    flow.tx,
    `UPDATE approval_node_run SET state = 'returned', ended_at = $3 WHERE instance_id = $1 AND round = $2 AND state = 'active'`,
    [flow.instance.id, flow.instance.round, flow.at],
  );
  flow.instance.round += 1;
  await run(flow.tx, 'UPDATE approval_instance SET round = $2, version = version + 1 WHERE id = $1', [
    flow.instance.id,
    flow.instance.round,
  ]);
  flow.runs = new Map();
  if (target !== undefined) await carry(flow, flow.nodes, target, old);
}

/** Goes on in a round that has not begun yet at a node: over all that had passed before it in the round before. */
export async function resume(flow: Flow, target: string): Promise<void> {
  await carry(flow, flow.nodes, target, await runsOf(flow, flow.instance.round - 1));
}

/** Takes over what stands before a node; says whether the node was met. */
async function carry(
  flow: Flow,
  nodes: readonly ProcessNode[],
  target: string,
  old: ReadonlyMap<string, NodeRun>,
): Promise<boolean> {
  for (const node of nodes) {
    if (node.key === target) return true;
    const before = old.get(node.key);
    if (!before) return false;
    if (isBranching(node)) {
      const inside = node.branches.some((branch) => allNodes(branch.nodes).some((one) => one.key === target));
      const open = inside || before.state !== 'passed';
      await openRun(flow, node.key, { branches: [...before.branches], carried: true });
      for (const branch of node.branches)
        if (before.branches.includes(branch.key)) await carry(flow, branch.nodes, target, old);
      if (open) return inside;
      await endRun(flow, node.key, 'passed', '');
    } else {
      if (before.state !== 'passed') return false;
      await openRun(flow, node.key, { carried: true, seats: before.seats, need: before.need });
      await endRun(flow, node.key, 'passed', '');
    }
  }
  return false;
}

async function openRun(
  flow: Flow,
  node: string,
  values: {
    readonly branches?: readonly string[];
    readonly seats?: number;
    readonly need?: number;
    readonly carried?: boolean;
    readonly dueAt?: Date;
  },
): Promise<void> {
  const opened: NodeRun = {
    node,
    state: 'active',
    step: Math.max(0, ...[...flow.runs.values()].map((one) => one.step)) + 1,
    branches: values.branches ?? [],
    seats: values.seats ?? 0,
    need: values.need ?? 0,
    carried: values.carried ?? false,
    dueAt: values.dueAt ?? null,
  };
  await run(
    flow.tx,
    `INSERT INTO approval_node_run (instance_id, round, node, step, branches, seats, need, carried, arrived_at, due_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      flow.instance.id,
      flow.instance.round,
      node,
      opened.step,
      opened.branches,
      opened.seats,
      opened.need,
      opened.carried,
      flow.at,
      opened.dueAt,
    ],
  );
  flow.runs.set(node, opened);
}

async function endRun(flow: Flow, node: string, state: 'passed' | 'refused', rule: string): Promise<void> {
  await run(
    flow.tx,
    `UPDATE approval_node_run SET state = $4, ended_at = $5, rule = $6 WHERE instance_id = $1 AND round = $2 AND node = $3`,
    [flow.instance.id, flow.instance.round, node, state, flow.at, rule],
  );
  flow.runs.set(node, { ...flow.runs.get(node)!, state });
}

/** What became of the nodes in a round, in the order they were reached. */
async function runsOf(flow: Pick<Flow, 'tx' | 'instance'>, round: number): Promise<Map<string, NodeRun>> {
  const rows = await run<NodeRun>(
    flow.tx,
    `SELECT node, state, step, branches, seats, need, carried, due_at AS "dueAt" FROM approval_node_run WHERE instance_id = $1 AND round = $2 ORDER BY step`,
    [flow.instance.id, round],
  );
  return new Map(rows.map((row) => [row.node, row]));
}

/** One line of an approval's own history. */
export async function tell(flow: Flow, action: string, label: Label, remark = ''): Promise<void> {
  await writeTimeline(flow.tx, {
    entity: 'approvalInstance',
    entityId: flow.instance.id,
    ...(flow.caller.staffId === 0 ? {} : { caller: flow.caller }),
    at: flow.at,
    action,
    label,
    remark,
  });
}
