import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessDayOf, endOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import { forbidden, invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { notifyStaffChanged } from '../../../kernel/server/people/session-changes.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { keepBaseline, writeHistory } from './grant-history.server.ts';
import { groupFor, isPlatformAdmins, type GroupRow } from './group-access.server.ts';
import { GROUP_ENTITY, requireHeld, type Doing } from './group-commands.server.ts';
import { branchesOf } from './grant-rules.server.ts';
import { keepOwnRights, takeTurn, rightsOfCaller } from './own-right.server.ts';
import { mayBeBehind } from './reach-rules.server.ts';

/** A change of the members of a group: entries to have, entries to take away. */
export interface MemberChange {
  readonly set: readonly {
    readonly staffId: number;
    readonly kind: 'leader' | 'member';
    /** Last day of the membership, `yyyy-MM-dd`, or null for no end. */
    readonly endsOn: string | null;
  }[];
  readonly remove: readonly number[];
  readonly reason: string;
}

const OF_DEPARTMENT: Label = [
  '部门角色的成员由部门决定',
  'Members of a department group follow the department',
];
const OWN_END: Label = [
  '不能延长自己的成员资格，请由其他管理员操作',
  'Nobody puts off the end of the own membership: another administrator has to',
];
const LAST_ADMINISTRATOR: Label = [
  '至少保留一名平台管理员',
  'At least one platform administrator must remain',
];

/**
 * Changes leaders and members. Leaders of the group, or of one above it, may change members but not leaders and cannot let
 * themselves in; those who could sign in as others, or once opened one of the accounts, need to hold what the group gives. Everybody else needs to hold what
 * the group gives to whoever is added or stays longer, and for a leader
 * what the groups below give too.
 * Nobody puts off the own end: rights given for some days would last for ever.
 * Only platform administrators touch who they are. Staff outside answer 404, see `companyOf`.
 */
export async function changeMembers(
  tx: Tx,
  doing: Doing,
  groupId: number,
  change: MemberChange,
): Promise<void> {
  const { caller, facts } = doing;
  await takeTurn(tx);
  const group = await groupFor(tx, caller, groupId, 'btn_userManager', true);
  if (group.type === 'depart') throw ruleBroken(OF_DEPARTMENT);
  const company = companyOf(caller, group);
  const before = new Map(
    (await storedMembers(tx, groupId, foreign(caller, group) ? company : null)).map((member) => [
      member.staffId,
      member,
    ]),
  );
  const wanted = new Map(
    change.set.map((entry) => [entry.staffId, { ...entry, expiresAt: expiryOf(entry.endsOn) }]),
  );
  const removed = [...new Set(change.remove)].filter((id) => before.has(id) && !wanted.has(id));
  const written = [...wanted.values()].filter((entry) => {
    const old = before.get(entry.staffId);
    return !old || old.kind !== entry.kind || old.expiresAt?.getTime() !== entry.expiresAt?.getTime();
  });
  if (removed.length === 0 && written.length === 0) return;
  const added = written.filter((entry) => !isLive(before.get(entry.staffId)));
  const gaining = written.filter((entry) => gains(before.get(entry.staffId), entry));
  const anyGains = gaining.length > 0;
  const receivers = { staffIds: gaining.map((entry) => entry.staffId) };
  // First: what comes after answers by where somebody works.
  await requireStaff(
    tx,
    company,
    added.map((entry) => entry.staffId),
  );
  const ownEntry = wanted.get(caller.staffId);
  if (ownEntry && putsOff(before.get(caller.staffId), ownEntry)) throw ruleBroken(OWN_END);
  if (group.asLeader) {
    requireLeaderMay(caller.staffId, before, written, removed);
    // A leader lets others in, not itself: neither by an account it makes or takes over.
    if (anyGains && (await mayBeBehind(tx, caller, receivers.staffIds)))
      await requireHeld(tx, doing, [groupId], receivers);
  } else if (isPlatformAdmins(group) || anyGains) {
    const leads = written.some((entry) => entry.kind === 'leader' && gains(before.get(entry.staffId), entry));
    await requireHeld(tx, doing, leads ? await branchesOf(tx, [groupId]) : [groupId], receivers);
  }
  const touched = [...new Set([...removed, ...written.map((entry) => entry.staffId)])];
  const own = await rightsOfCaller(tx, caller);
  await keepBaseline(tx, [groupId]);
  await run(tx, 'DELETE FROM group_member WHERE group_id = $1 AND staff_id = ANY($2::bigint[])', [
    groupId,
    removed,
  ]);
  for (const entry of written)
    await run(
      tx,
      `INSERT INTO group_member (group_id, staff_id, kind, expires_at, created_by) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (group_id, staff_id) DO UPDATE SET kind = excluded.kind, expires_at = excluded.expires_at, source = 'manual'`,
      [groupId, entry.staffId, entry.kind, entry.expiresAt, caller.staffId],
    );
  if (isPlatformAdmins(group)) await requireAdministrator(tx, groupId);
  const difference = {
    added: added.map((entry) => entry.staffId),
    removed,
    changed: written.filter((entry) => isLive(before.get(entry.staffId))).map((entry) => entry.staffId),
  };
  await writeHistory(tx, caller, { groupId, kind: 'member', reason: change.reason, difference });
  await writeAudit(tx, {
    caller,
    facts,
    menu: group.menu,
    action: 'members',
    entity: GROUP_ENTITY,
    entityId: groupId,
    after: { ...difference, reason: change.reason },
  });
  await writeTimeline(tx, {
    entity: GROUP_ENTITY,
    entityId: groupId,
    caller,
    action: 'members',
    label: ['关联用户', 'Members'],
    remark: change.reason,
  });
  await notifyStaffChanged(tx, touched);
  if (touched.includes(caller.staffId)) await keepOwnRights(tx, caller, own);
}

/**
 * Leaders and members with department and end, those of the department included. Whoever leads a platform group from a
 * company is shown its own colleagues and how many others there are.
 */
export async function membersOf(
  db: Executor,
  caller: Caller,
  group: GroupRow,
): Promise<{ rows: object[]; others: number }> {
  const found = await run<
    { staffId: number; tenantId: number; expiresAt: Date | null; ended: boolean } & Record<string, unknown>
  >(
    db,
    `SELECT s.id AS "staffId", s.tenant_id AS "tenantId", s.name, s.account, s.state, d.name AS department, n.name AS tenant, s.tenant_id <> $2 AS elsewhere,
            m.kind, m.source, m.expires_at AS "expiresAt", coalesce(m.expires_at <= now(), false) AS ended
       FROM (SELECT staff_id, kind, source, expires_at FROM group_member WHERE group_id = $1
             UNION ALL
             SELECT x.id, 'member', 'department', NULL FROM staff x JOIN permission_group g ON g.department_id = x.department_id
              WHERE g.id = $1 AND $3 AND x.state <> 'left' AND NOT EXISTS (SELECT 1 FROM group_member y WHERE y.group_id = $1 AND y.staff_id = x.id)) m
       JOIN staff s ON s.id = m.staff_id
       LEFT JOIN department d ON d.id = s.department_id
       JOIN tenant n ON n.id = s.tenant_id
      ORDER BY m.kind, ${nameOrder('s.name')}, s.id LIMIT 5000`,
    [group.id, group.tenantId, group.type === 'depart'],
  );
  const shown = foreign(caller, group) ? found.filter((row) => row.tenantId === caller.tenantId) : found;
  const rows = shown.map(({ staffId, tenantId: _tenant, expiresAt, elsewhere, tenant, ...row }) => ({
    id: String(staffId),
    ...row,
    tenant: elsewhere ? tenant : null,
    // The end is kept as the first instant of the next day.
    endsOn: expiresAt === null ? null : businessDayOf(new Date(expiresAt.getTime() - 1)),
  }));
  return { rows, others: found.length - rows.length };
}

/** Staff who can be added, see `companyOf`. */
export async function candidatesFor(
  db: Executor,
  caller: Caller,
  group: GroupRow,
  query: {
    readonly searchVal: string;
    readonly departmentId: number | null;
    readonly page: number;
    readonly limit: number;
  },
): Promise<{ total: number; rows: object[] }> {
  const values: unknown[] = [group.id];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const parts = [
    `s.state <> 'left'`,
    'NOT EXISTS (SELECT 1 FROM group_member m WHERE m.group_id = $1 AND m.staff_id = s.id)',
  ];
  const company = companyOf(caller, group);
  if (company !== null) parts.push(`s.tenant_id = ${bind(company)}`);
  if (query.searchVal) {
    const like = bind(containing(query.searchVal));
    parts.push(`(s.name ILIKE ${like} OR s.account ILIKE ${like} OR s.staff_no ILIKE ${like})`);
  }
  if (query.departmentId !== null) parts.push(`d.path @> ARRAY[${bind(query.departmentId)}::bigint]`);
  const from = `FROM staff s LEFT JOIN department d ON d.id = s.department_id JOIN tenant n ON n.id = s.tenant_id WHERE ${parts.join(' AND ')}`;
  const total = await runOne<{ n: number }>(
    db,
    `SELECT count(*) AS n ${from} AND $1::bigint IS NOT NULL`,
    // The query builder freezes what it is given.
    [...values],
  );
  const tenant = `CASE WHEN s.tenant_id = ${bind(group.tenantId)} THEN NULL ELSE n.name END AS tenant`;
  const rows = await run<{ id: number } & Record<string, unknown>>(
    db,
    `SELECT s.id, s.name, s.account, s.state, d.name AS department, ${tenant} ${from} ORDER BY ${nameOrder('s.name')}, s.id LIMIT ${bind(query.limit)} OFFSET ${bind((query.page - 1) * query.limit)}`,
    values,
  );
  return { total: total!.n, rows: rows.map((row) => ({ ...row, id: String(row.id) })) };
}

/** Takes memberships away whose last day is over and tells the staff; the rights ended by themselves at that instant. */
export async function endMemberships(platform: Platform): Promise<number> {
  const groups = await run<{ id: number }>(
    platform.database.db,
    'SELECT DISTINCT group_id AS id FROM group_member WHERE expires_at <= now() ORDER BY 1',
  );
  let ended = 0;
  for (const { id } of groups)
    ended += await transaction(platform.database.db, async (tx) => {
      const group = await runOne<{ name: string }>(
        tx,
        'SELECT name FROM permission_group WHERE id = $1 FOR UPDATE',
        [id],
      );
      if (!group) return 0;
      await keepBaseline(tx, [id]);
      const gone = await run<{ staff_id: number }>(
        tx,
        'DELETE FROM group_member WHERE group_id = $1 AND expires_at <= now() RETURNING staff_id',
        [id],
      );
      if (gone.length === 0) return 0;
      const staffIds = gone.map((row) => row.staff_id);
      await writeHistory(tx, undefined, {
        groupId: id,
        kind: 'member',
        reason: '',
        difference: { ended: staffIds },
      });
      await writeAudit(tx, {
        action: 'membersEnd',
        entity: GROUP_ENTITY,
        entityId: id,
        after: { ended: staffIds },
      });
      await notifyStaffChanged(tx, staffIds);
      await notify(tx, {
        staffIds,
        kind: 'groupEnded',
        aboutReceiver: true,
        title: ['角色到期', 'A group has ended'],
        body: [
          `您在角色「${group.name}」中的成员资格已到期`,
          `Your membership of the group "${group.name}" has ended`,
        ],
      });
      return gone.length;
    });
  return ended;
}

interface StoredMember {
  readonly staffId: number;
  readonly kind: 'leader' | 'member';
  readonly expiresAt: Date | null;
}

async function storedMembers(tx: Tx, groupId: number, company: number | null): Promise<StoredMember[]> {
  return run<StoredMember>(
    tx,
    `SELECT m.staff_id AS "staffId", m.kind, m.expires_at AS "expiresAt" FROM group_member m JOIN staff s ON s.id = m.staff_id
      WHERE m.group_id = $1 AND ($2::bigint IS NULL OR s.tenant_id = $2)`,
    [groupId, company],
  );
}

function isLive(member: StoredMember | undefined): boolean {
  return member !== undefined && (member.expiresAt === null || member.expiresAt.getTime() > Date.now());
}

/** True when an entry gives somebody the rights of the group, for longer, or a say over its members. */
function gains(
  old: StoredMember | undefined,
  entry: { readonly kind: 'leader' | 'member'; readonly expiresAt: Date | null },
): boolean {
  if (!old || !isLive(old)) return true;
  if (entry.kind === 'leader' && old.kind !== 'leader') return true;
  return putsOff(old, entry);
}

/** True when a membership would last longer than it does. */
function putsOff(old: StoredMember | undefined, entry: { readonly expiresAt: Date | null }): boolean {
  if (!old || !isLive(old) || old.expiresAt === null) return false;
  return entry.expiresAt === null || entry.expiresAt > old.expiresAt;
}

function expiryOf(endsOn: string | null): Date | null {
  if (endsOn === null) return null;
  if (endsOn < businessDayOf(new Date()))
    throw invalid({ endsOn: ['结束日期不能早于今天', 'The end must not be in the past'] });
  return endOfBusinessDay(endsOn);
}

function requireLeaderMay(
  callerId: number,
  before: ReadonlyMap<number, StoredMember>,
  written: readonly { readonly staffId: number; readonly kind: string }[],
  removed: readonly number[],
): void {
  const touchesLeader =
    removed.some((id) => before.get(id)?.kind === 'leader') ||
    written.some((entry) => entry.kind === 'leader' || before.get(entry.staffId)?.kind === 'leader');
  if (touchesLeader) throw forbidden(['负责人只能维护成员', 'A leader can change members only']);
  if (written.some((entry) => entry.staffId === callerId))
    throw ruleBroken(['不能把自己加入角色', 'You cannot add yourself to a group']);
}

/** Staff outside the company answer 404. */
async function requireStaff(tx: Tx, company: number | null, staffIds: readonly number[]): Promise<void> {
  if (staffIds.length === 0) return;
  const row = await runOne<{ n: number }>(
    tx,
    `SELECT count(*) AS n FROM staff WHERE id = ANY($1::bigint[]) AND state <> 'left' AND ($2::bigint IS NULL OR tenant_id = $2)`,
    [staffIds, company],
  );
  if (row!.n !== new Set(staffIds).size) throw notFound();
}

/** True for the leader of a platform group who belongs to a company: of the group it sees and lets in its own colleagues. */
function foreign(caller: Caller, group: GroupRow): boolean {
  return caller.tenantKind !== 3 && caller.tenantId !== group.tenantId;
}

/**
 * The company whose staff a caller may add: the group's, its own where the group is another's, and any (null) for platform
 * staff and platform groups. Platform administrators are staff of the platform.
 */
function companyOf(caller: Caller, group: GroupRow): number | null {
  if (foreign(caller, group)) return caller.tenantId;
  return caller.tenantKind === 3 && group.tenantKind === 3 && !isPlatformAdmins(group)
    ? null
    : group.tenantId;
}

async function requireAdministrator(tx: Tx, groupId: number): Promise<void> {
  const left = await runOne(
    tx,
    `SELECT 1 FROM group_member m JOIN staff s ON s.id = m.staff_id WHERE m.group_id = $1 AND m.expires_at IS NULL AND s.state = 'normal' LIMIT 1`,
    [groupId],
  );
  if (!left) throw ruleBroken(LAST_ADMINISTRATOR);
}
