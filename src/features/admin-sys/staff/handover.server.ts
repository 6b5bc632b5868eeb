import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { notifyStaffChanged } from '../../../kernel/server/people/session-changes.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { keepBaseline } from '../permission-group/grant-history.server.ts';
import { branchesOf, missingRights, writeMemberHistory } from '../permission-group/grant-rules.server.ts';
import { keepOwnRights, rightsOverTime, takeTurn } from '../permission-group/own-right.server.ts';
import { keepOwnReach } from '../permission-group/reach-rules.server.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import { outOfSight } from '../department/department-commands.server.ts';

/** A kind of thing a staff holds and must give to somebody before leaving. Declared by the group that owns the entity. */
export interface HandoverKind {
  readonly kind: string;
  readonly label: Label;
  /** What moves decides who may hold the other kinds: it goes first when several are handed over at once. */
  readonly first?: true;
  count(db: Executor, staffId: number): Promise<number>;
  /** Gives everything to another staff and returns readable names of what moved. */
  move(
    tx: Tx,
    from: number,
    to: number,
    doing: { readonly caller: Caller; readonly platform: Platform },
  ): Promise<readonly string[]>;
}

declare module '../../../kernel/server/registration.ts' {
  interface Registration {
    /** Things staff of this group hold, for the handover of a leaver. */
    readonly handovers?: readonly HandoverKind[];
  }
}

/** What a staff holds, by kind, with counts. */
export async function openItemsOf(
  db: Executor,
  platform: Pick<Platform, 'registrations'>,
  staffId: number,
): Promise<{ kind: string; label: Label; count: number }[]> {
  const items: { kind: string; label: Label; count: number }[] = [];
  for (const handover of handoverKinds(platform))
    items.push({ kind: handover.kind, label: handover.label, count: await handover.count(db, staffId) });
  return items;
}

/** All handover kinds of the product, in the order they move. */
export function handoverKinds(platform: Pick<Platform, 'registrations'>): readonly HandoverKind[] {
  const kinds = platform.registrations.flatMap((service) => service.handovers ?? []);
  return [...kinds.filter((one) => one.first), ...kinds.filter((one) => !one.first)];
}

/** Leaderships of groups and departments: what the permission screens themselves hand over. */
export const leadershipHandovers: readonly HandoverKind[] = [
  {
    kind: 'group_leader',
    label: ['角色负责人', 'Group leaderships'],
    first: true,
    count: async (db, staffId) =>
      (await runOne<{ n: number }>(
        db,
        `SELECT count(*) AS n FROM group_member WHERE staff_id = $1 AND kind = 'leader'`,
        [staffId],
      ))!.n,
    move: async (tx, from, to, { caller }) => {
      await takeTurn(tx);
      const rows = await run<{ id: number; name: string }>(
        tx,
        `SELECT g.id, g.name FROM group_member m JOIN permission_group g ON g.id = m.group_id WHERE m.staff_id = $1 AND m.kind = 'leader' ORDER BY g.id FOR UPDATE OF m`,
        [from],
      );
      // A leadership brings the rights of the group and the say over those below: whoever hands it on must hold them.
      const missing = await missingRights(
        tx,
        caller,
        await branchesOf(
          tx,
          rows.map((row) => row.id),
        ),
      );
      if (missing.length > 0)
        throw ruleBroken(['不能交接自己没有的权限', 'You cannot hand on rights that you do not hold'], {
          missing: missing.map((one) => one[2]),
        });
      const own = to === caller.staffId ? await rightsOverTime(tx, to) : undefined;
      await keepBaseline(
        tx,
        rows.map((row) => row.id),
      );
      for (const row of rows) {
        await run(tx, 'DELETE FROM group_member WHERE group_id = $1 AND staff_id = $2', [row.id, from]);
        await run(
          tx,
          `INSERT INTO group_member (group_id, staff_id, kind) VALUES ($1, $2, 'leader') ON CONFLICT (group_id, staff_id) DO UPDATE SET kind = 'leader'`,
          [row.id, to],
        );
      }
      for (const row of rows) await writeMemberHistory(tx, caller, row.id, '');
      if (rows.length > 0) await notifyStaffChanged(tx, [from, to]);
      if (own) await keepOwnRights(tx, caller, own);
      return rows.map((row) => row.name);
    },
  },
  {
    kind: 'department_leader',
    label: ['部门负责人', 'Department leaderships'],
    first: true,
    count: async (db, staffId) =>
      (await runOne<{ n: number }>(db, 'SELECT count(*) AS n FROM department WHERE leader_id = $1', [
        staffId,
      ]))!.n,
    move: async (tx, from, to, { caller }) => {
      // To nobody else either: rows of departments follow their leader, into the scope of a colleague of the own department.
      await requireDepartmentsSeen(tx, caller, from, to);
      const moved = await keepOwnReach(tx, caller, () =>
        run<{ name: string }>(
          tx,
          'UPDATE department SET leader_id = $2, version = version + 1, updated_at = now() WHERE leader_id = $1 RETURNING name',
          [from, to],
        ),
      );
      return moved.map((row) => row.name);
    },
  },
  {
    kind: 'direct_reports',
    label: ['直属下级', 'Direct reports'],
    first: true,
    count: async (db, staffId) =>
      (await runOne<{ n: number }>(
        db,
        `SELECT count(*) AS n FROM staff WHERE leader_id = $1 AND state <> 'left'`,
        [staffId],
      ))!.n,
    move: async (tx, from, to, { caller }) => {
      const moved = await keepOwnReach(tx, caller, () =>
        run<{ name: string }>(
          tx,
          'UPDATE staff SET leader_id = CASE WHEN id = $2 THEN NULL ELSE $2 END, version = version + 1 WHERE leader_id = $1 RETURNING name',
          [from, to],
        ),
      );
      return moved.map((row) => row.name);
    },
  },
];

/** Refuses (30101) to hand over departments the caller does not see: who leads them sees and changes them. */
async function requireDepartmentsSeen(tx: Tx, caller: Caller, from: number, to: number): Promise<void> {
  const parameters = new Parameters();
  const leader = parameters.bind(from);
  const unseen = await run<{ name: string }>(
    tx,
    `SELECT t.name FROM department t WHERE t.leader_id = ${leader} AND ${outOfSight(caller, parameters)} ORDER BY t.id`,
    parameters.values,
  );
  if (unseen.length === 0) return;
  const names = (comma: string) => unseen.map((one) => one.name).join(comma);
  throw ruleBroken(
    to === caller.staffId
      ? [
          `不能把您管理范围外的部门交接给自己，请由部门管理中能看到它们的管理员操作：${names('、')}`,
          `You cannot hand departments outside your scope to yourself. An administrator who sees them among the departments has to: ${names(', ')}`,
        ]
      : [
          `不能交接您管理范围外的部门，请由部门管理中能看到它们的管理员操作：${names('、')}`,
          `You cannot hand over departments outside your scope. An administrator who sees them among the departments has to: ${names(', ')}`,
        ],
  );
}
