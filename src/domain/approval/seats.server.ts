import { randomInt } from 'node:crypto';
import type { Label } from '../../kernel/contract/label.ts';
import { businessDayOf } from '../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { approvalKind, type ApprovalSubject } from './approval-kind.server.ts';
import { deciderOf, leadersAbove } from './approvers.server.ts';
import type { AskNode, Candidate, CopyNode, Facts } from './process.rules.ts';

/** An approval as candidates are found for it. */
export interface SeatSubject extends ApprovalSubject {
  readonly kind: string;
  readonly projectId: number | null;
  readonly facts: Facts;
  /** Staff the starter named, by node. */
  readonly chosen: Readonly<Record<string, readonly number[]>>;
}

/** Somebody who is asked at a node, and why. */
export interface Seat {
  readonly staffId: number;
  /** Whom the seat belongs to; differs where a stand-in sits. */
  readonly firstId: number;
  readonly via: 'none' | 'standin' | 'replacement';
  readonly reason: Label;
}

/** Who is asked at a node, or what happens when nobody is left. */
export interface Seats {
  readonly seats: readonly Seat[];
  readonly automatic?: 'auto_pass' | 'auto_refuse';
}

interface Found {
  readonly id: number;
  readonly reason: Label;
}

/**
 * Who is asked at a node at this moment: distinct, working, with the object's project in reach; then stand-ins; then the
 * rule about the starter; then what the node says when nobody is left. `adminId` is the administrator of the process.
 * Source: group 17, candidates.
 */
export async function seatsOf(
  db: Executor,
  platform: Pick<Platform, 'registrations'>,
  subject: SeatSubject,
  node: AskNode | CopyNode,
  adminId: number | null,
  at: Date,
): Promise<Seats> {
  const found = new Map<number, Found>();
  for (const candidate of node.candidates)
    for (const one of await foundBy(db, platform, subject, node.key, candidate))
      if (!found.has(one.id)) found.set(one.id, one);
  const byType = node.candidates.some((one) => one.kind === 'byType');
  const working = await workingAmong(db, [...found.keys()], byType ? null : subject.projectId);
  let seats: Seat[] = [...found.values()]
    .filter((one) => working.has(one.id))
    .map((one) => ({ staffId: one.id, firstId: one.id, via: 'none', reason: one.reason }));
  if (node.type === 'copy') return { seats };
  seats = await withStandins(db, platform, subject, seats, adminId, at);
  seats = distinct(await starterRule(db, subject, node, seats));
  seats = await ableTo(db, platform, subject, seats, byType);
  if (seats.length > 0) return { seats: node.mode === 'random' ? [await leastBusy(db, seats)] : seats };
  // Where the own seat is the one that fell away, passing by itself would be an approval of the own.
  const own =
    (approvalKind(platform, subject.kind).moves ?? false) && barred(subject).some((id) => found.has(id));
  if (node.nobody === 'auto_refuse' || (node.nobody === 'auto_pass' && !own))
    return { seats: [], automatic: node.nobody };
  return { seats: await lastResort(db, platform, subject, node, adminId) };
}

/** Where nobody is left: whom the node names, the administrator of the process, else who stands above that one. */
async function lastResort(
  db: Executor,
  platform: Pick<Platform, 'registrations'>,
  subject: SeatSubject,
  node: AskNode,
  adminId: number | null,
): Promise<Seat[]> {
  const out = barred(subject);
  const named = [node.nobody === 'staff' ? node.nobodyStaff : undefined, adminId].filter(
    (id): id is number => typeof id === 'number' && !out.includes(id),
  );
  const working = await workingAmong(db, named, null);
  let last = named.find((id) => working.has(id));
  // An administrator who started it never decides about the own.
  if (last === undefined)
    for (const id of await leadersAbove(db, adminId ?? subject.starterId, out))
      if (await mayDecide(db, platform, subject, id)) {
        last = id;
        break;
      }
  if (last === undefined) return [];
  const reason: Label =
    last === adminId
      ? ['无可用审批人，由流程管理员处理', 'Nobody was found: the process administrator decides']
      : last === node.nobodyStaff
        ? ['无可用审批人，由指定人员处理', 'Nobody was found: somebody named decides']
        : ['无可用审批人，由上级处理', 'Nobody was found: who stands above decides'];
  return [{ staffId: last, firstId: last, via: 'replacement', reason }];
}

/** Those of some staff who work and, where the object has a project, work in it. */
export async function workingAmong(
  db: Executor,
  ids: readonly number[],
  projectId: number | null,
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const rows = await run<{ id: number }>(
    db,
    `SELECT s.id FROM staff s WHERE s.id = ANY($1::bigint[]) AND s.state = 'normal'
        AND ($2::bigint IS NULL OR s.all_projects OR EXISTS (SELECT FROM staff_project p WHERE p.staff_id = s.id AND p.project_id = $2))`,
    [ids, projectId],
  );
  return new Set(rows.map((row) => row.id));
}

/** Who sits in for whom for a business type on the day of an instant, of some staff. */
export async function standinsOf(
  db: Executor,
  staffIds: readonly number[],
  kind: string,
  at: Date,
): Promise<ReadonlyMap<number, number>> {
  const rows = await run<{ staff_id: number; standin_id: number }>(
    db,
    `SELECT d.staff_id, d.standin_id FROM approval_standin d JOIN staff s ON s.id = d.standin_id AND s.state = 'normal'
      WHERE d.staff_id = ANY($1::bigint[]) AND d.cancelled_at IS NULL AND $2::date BETWEEN d.from_day AND d.to_day
        AND (cardinality(d.biz_types) = 0 OR $3 = ANY(d.biz_types))`,
    [staffIds, businessDayOf(at), kind],
  );
  return new Map(rows.map((row) => [row.staff_id, row.standin_id]));
}

/** Neither the starter nor whom it is about. */
export function barred(subject: Pick<ApprovalSubject, 'starterId' | 'subjectId'>): number[] {
  return [subject.starterId, ...(subject.subjectId === null ? [] : [subject.subjectId])];
}

async function foundBy(
  db: Executor,
  platform: Pick<Platform, 'registrations'>,
  subject: SeatSubject,
  node: string,
  candidate: Candidate,
): Promise<Found[]> {
  switch (candidate.kind) {
    case 'staff':
      return candidate.ids.map((id) => ({ id, reason: ['指定人员', 'Named'] }));
    case 'group':
      return rowsOf(
        db,
        `SELECT m.staff_id AS id, g.name FROM group_member m JOIN permission_group g ON g.id = m.group_id
          WHERE g.id = $1 AND g.enabled AND (m.expires_at IS NULL OR m.expires_at > now()) ORDER BY m.staff_id LIMIT 200`,
        candidate.id,
        ['权限组', 'Group'],
      );
    case 'station':
      return rowsOf(
        db,
        `SELECT l.staff_id AS id, p.name FROM staff_station l JOIN station p ON p.id = l.station_id WHERE p.id = $1 ORDER BY l.staff_id LIMIT 200`,
        candidate.id,
        ['岗位', 'Post'],
      );
    case 'department':
      return candidate.who === 'leader'
        ? rowsOf(
            db,
            'SELECT leader_id AS id, name FROM department WHERE id = $1 AND leader_id IS NOT NULL',
            candidate.id,
            ['部门负责人', 'Leader of'],
          )
        : rowsOf(
            db,
            `SELECT s.id, d.name FROM staff s JOIN department d ON d.id = s.department_id WHERE d.id = $1 AND s.state = 'normal' ORDER BY s.id LIMIT 200`,
            candidate.id,
            ['部门成员', 'Member of'],
          );
    case 'leader':
      return leadersUp(db, subject.starterId, candidate.levels);
    case 'unitLeader':
      return subject.projectId === null
        ? []
        : rowsOf(
            db,
            'SELECT u.leader_id AS id, u.name FROM project p JOIN organisation u ON u.id = p.unit_id WHERE p.id = $1 AND u.leader_id IS NOT NULL',
            subject.projectId,
            ['管理处负责人', 'Leader of'],
          );
    case 'field': {
      const value = subject.facts[candidate.field];
      const ids = Array.isArray(value) ? value : typeof value === 'number' ? [value] : [];
      return ids.map((id: number) => ({ id, reason: ['单据指定人员', 'Named in the record'] }));
    }
    case 'chosen':
      return (subject.chosen[node] ?? []).map((id) => ({
        id,
        reason: ['发起人指定', 'Chosen by the starter'],
      }));
    case 'byType': {
      const ids = await approversByType(db, platform, subject);
      return ids.map((id) => ({ id, reason: ['业务默认审批人', 'As the business type finds them'] }));
    }
  }
}

/** Whom a business type asks: as it says, else the group `approval_default` of the company, else the leader of whom it is about. */
export async function approversByType(
  db: Executor,
  platform: Pick<Platform, 'registrations'>,
  subject: ApprovalSubject & { readonly kind: string },
): Promise<readonly number[]> {
  const kind = approvalKind(platform, subject.kind);
  if (kind.approvers) return kind.approvers(db as Tx, subject);
  const rows = await run<{ id: number }>(
    db,
    `SELECT DISTINCT m.staff_id AS id FROM group_member m JOIN permission_group g ON g.id = m.group_id JOIN staff s ON s.id = m.staff_id
      WHERE g.code = 'approval_default' AND g.enabled AND s.tenant_id = $1 AND (m.expires_at IS NULL OR m.expires_at > now()) ORDER BY 1 LIMIT 50`,
    [subject.tenantId],
  );
  return rows.length > 0
    ? rows.map((row) => row.id)
    : leadersAbove(db, subject.subjectId ?? subject.starterId, barred(subject));
}

async function rowsOf(db: Executor, sql: string, id: number, words: Label): Promise<Found[]> {
  const rows = await run<{ id: number; name: string }>(db, sql, [id]);
  return rows.map((row) => ({ id: row.id, reason: [`${words[0]} ${row.name}`, `${words[1]} ${row.name}`] }));
}

/** Leaders of the departments above a staff, nearest first, each once and never the staff itself: the nth, or all of them. */
async function leadersUp(db: Executor, staffId: number, levels: number): Promise<Found[]> {
  const rows = await run<{ id: number; name: string }>(
    db,
    `SELECT above.leader_id AS id, above.name FROM staff s JOIN department d ON d.id = s.department_id
       CROSS JOIN LATERAL unnest(CASE WHEN cardinality(d.path) = 0 THEN ARRAY[d.id] ELSE d.path END) WITH ORDINALITY AS p (id, level)
       JOIN department above ON above.id = p.id WHERE s.id = $1 AND above.leader_id IS NOT NULL AND above.leader_id <> s.id ORDER BY p.level DESC`,
    [staffId],
  );
  const distinctLeaders = rows.filter((row, index) => rows.findIndex((one) => one.id === row.id) === index);
  const taken = levels === 0 ? distinctLeaders : distinctLeaders.slice(levels - 1, levels);
  return taken.map((row) => ({
    id: row.id,
    reason: [`上级负责人（${row.name}）`, `Leader above (${row.name})`],
  }));
}

async function withStandins(
  db: Executor,
  platform: Pick<Platform, 'registrations'>,
  subject: SeatSubject,
  seats: readonly Seat[],
  adminId: number | null,
  at: Date,
): Promise<Seat[]> {
  const standins = await standinsOf(
    db,
    seats.map((seat) => seat.staffId),
    subject.kind,
    at,
  );
  if (standins.size === 0) return [...seats];
  const names = await namesOf(db, [...standins.keys()]);
  const result: Seat[] = [];
  for (const seat of seats) {
    const standin = standins.get(seat.staffId);
    // A stand-in who started it, or whom it is about, leaves it to the administrator of the process.
    const sits = standin !== undefined && barred(subject).includes(standin) ? adminId : standin;
    if (sits === undefined || sits === null || !(await mayDecide(db, platform, subject, sits)))
      result.push(seat);
    else
      result.push({
        ...seat,
        staffId: sits,
        via: 'standin',
        reason: [`代 ${names.get(seat.staffId) ?? ''}`, `For ${names.get(seat.staffId) ?? ''}`],
      });
  }
  return result;
}

async function starterRule(
  db: Executor,
  subject: SeatSubject,
  node: AskNode,
  seats: readonly Seat[],
): Promise<Seat[]> {
  const out = barred(subject);
  const result: Seat[] = [];
  for (const seat of seats) {
    const own = node.starterRule === 'self' && seat.staffId !== subject.subjectId;
    if (!out.includes(seat.staffId) || own) result.push(seat);
    else if (node.starterRule === 'head')
      for (const id of await leadersAbove(db, seat.staffId, out))
        result.push({
          staffId: id,
          firstId: id,
          via: 'none',
          reason: ['发起人的上级', 'Stands above the starter'],
        });
  }
  return result;
}

/** Seats of those the business type lets decide; where it finds them itself, it has looked already. */
async function ableTo(
  db: Executor,
  platform: Pick<Platform, 'registrations'>,
  subject: SeatSubject,
  seats: readonly Seat[],
  byType: boolean,
): Promise<Seat[]> {
  if (byType) return [...seats];
  const able: Seat[] = [];
  for (const seat of seats) if (await mayDecide(db, platform, subject, seat.staffId)) able.push(seat);
  return able;
}

/** Whether the business type lets a staff decide about an object; without a rule of its own, being asked is enough. */
export async function mayDecide(
  db: Executor,
  platform: Pick<Platform, 'registrations'>,
  subject: SeatSubject,
  staffId: number,
): Promise<boolean> {
  const kind = approvalKind(platform, subject.kind);
  if (!kind.decidable) return true;
  return (await kind.decidable(db, await deciderOf(db, staffId), [subject])).has(subject.bizId);
}

/** Names of staff by id. */
export async function namesOf(db: Executor, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await run<{ id: number; name: string }>(
    db,
    'SELECT id, name FROM staff WHERE id = ANY($1::bigint[])',
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row.name]));
}

async function leastBusy(db: Executor, seats: readonly Seat[]): Promise<Seat> {
  const rows = await run<{ id: number; open: number }>(
    db,
    `SELECT s.id, (SELECT count(*) FROM approval_task k WHERE k.assignee_id = s.id AND k.state = 'pending') AS open FROM staff s WHERE s.id = ANY($1::bigint[])`,
    [seats.map((seat) => seat.staffId)],
  );
  const open = new Map(rows.map((row) => [row.id, row.open]));
  const fewest = Math.min(...seats.map((seat) => open.get(seat.staffId) ?? 0));
  const idle = seats.filter((seat) => (open.get(seat.staffId) ?? 0) === fewest);
  return idle[randomInt(idle.length)]!;
}

function distinct(seats: readonly Seat[]): Seat[] {
  return seats.filter((seat, index) => seats.findIndex((one) => one.staffId === seat.staffId) === index);
}

/** The leader a task goes to when its time is over: the next one above its assignee who may decide; undefined for none. */
export async function leaderOver(
  db: Executor,
  platform: Pick<Platform, 'registrations'>,
  subject: SeatSubject,
  assigneeId: number,
): Promise<number | undefined> {
  for (const id of await leadersAbove(db, assigneeId, [...barred(subject), assigneeId]))
    if (await mayDecide(db, platform, subject, id)) return id;
  return undefined;
}

/** Who administers a process: its administrator while that one works. */
export async function adminOf(db: Executor, processId: number | null): Promise<number | null> {
  if (processId === null) return null;
  const row = await runOne<{ admin_id: number | null }>(
    db,
    `SELECT p.admin_id FROM approval_process p JOIN staff s ON s.id = p.admin_id AND s.state = 'normal' WHERE p.id = $1`,
    [processId],
  );
  return row?.admin_id ?? null;
}
