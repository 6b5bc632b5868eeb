import { menuOfElement } from '../../kernel/contract/resource.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import { scopeCondition, type Parameters, type ScopeColumns } from '../../kernel/server/people/scope.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { effectivePermissions } from '../permission/effective-permissions.server.ts';
import { holdTurns } from '../permission/turns.server.ts';
import { staffInReach, staffInScopes } from '../permission/staff-reach.server.ts';
import type { Decider } from './approval-kind.server.ts';

/** Holders who are asked at most. */
const MOST_HOLDERS = 20;

/**
 * The default approver: the leader of the subject's department; when that is the starter or the subject, the leader's
 * own leader (named on the person, else of the department above). Empty when nobody stands above. Source: group 02.
 */
export async function leadersAbove(
  db: Executor,
  subjectId: number,
  excluded: readonly number[],
): Promise<number[]> {
  const places = await run<{ leader: number | null }>(
    db,
    `SELECT l.id AS leader FROM staff s JOIN department d ON d.id = s.department_id
       CROSS JOIN LATERAL unnest(CASE WHEN cardinality(d.path) = 0 THEN ARRAY[d.id] ELSE d.path END) WITH ORDINALITY AS p (id, level)
       JOIN department above ON above.id = p.id
       LEFT JOIN staff l ON l.id = above.leader_id AND l.state = 'normal'
      WHERE s.id = $1 ORDER BY p.level DESC`,
    [subjectId],
  );
  const barred = new Set(excluded);
  for (const { leader } of places) {
    if (leader === null) continue;
    if (!barred.has(leader)) return [leader];
    const next = await personalLeader(db, leader, barred);
    if (next !== undefined) return [next];
  }
  return [];
}

/**
 * Keeps who leads some staff as it is until the transaction ends. Call it before anything else is locked: a change of
 * one of the rows waits for its turn with that row locked, so that it is let through before the turns are held.
 */
export async function holdLeaders(tx: Tx, staffIds: readonly number[]): Promise<void> {
  await run(
    tx,
    `SELECT FROM staff WHERE id = ANY($1::bigint[])
        OR id IN (SELECT l.leader_id FROM staff s JOIN department d ON d.id = s.department_id JOIN department l ON l.id = d.id OR l.id = ANY(d.path)
                   WHERE s.id = ANY($1::bigint[]))
      ORDER BY id FOR KEY SHARE`,
    [staffIds],
  );
  await holdTurns(tx);
}

/**
 * Staff whose applications may come to somebody as a leader: those of the departments it leads and of those below, also
 * where it stands above their leader in person. Takes in all `leadersAbove` could answer it for.
 */
export async function subjectsOf(db: Executor, leaderId: number): Promise<ReadonlySet<number>> {
  const rows = await run<{ id: number }>(db, subjectsSql('$1::bigint'), [leaderId]);
  return new Set(rows.map((row) => row.id));
}

const subjectsSql = (leader: string): string => `
  WITH RECURSIVE under AS (
       SELECT ${leader} AS id UNION SELECT s.id FROM staff s JOIN under u ON s.leader_id = u.id
     ), led AS (
       SELECT d.id, d.leader_id FROM department d JOIN under u ON u.id = d.leader_id
     )
     SELECT s.id FROM staff s JOIN department d ON d.id = s.department_id
      WHERE d.id IN (SELECT id FROM led) OR d.path && ARRAY(SELECT id FROM led)
      UNION SELECT leader_id FROM led WHERE leader_id <> ${leader}`;

/** Somebody a task is to go to, with the rights of this moment. */
export async function deciderOf(db: Executor, staffId: number): Promise<Decider> {
  const { menus, elements } = await effectivePermissions(db, staffId);
  return { staffId, menus, elements };
}

/**
 * Of some staff of the decider's company those it answers for: their rows are in its data scope under the menu, or it
 * stands above them by the structure. Whose leader it was once says nothing.
 */
export async function staffInCare(
  db: Executor,
  decider: Decider,
  menu: string,
  staffIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const seen = await staffInScopes(db, decider.staffId, decider.menus.get(menu), staffIds);
  if (staffIds.every((id) => seen.has(id))) return seen;
  const below = await subjectsOf(db, decider.staffId);
  return new Set(staffIds.filter((id) => seen.has(id) || below.has(id)));
}

/** SQL: whether a holder of the menu answers for a staff (an expression for its id), as `staffInCare` has it. */
export function inCareCondition(
  holder: Caller,
  menu: string,
  staffId: string,
  parameters: Parameters,
): string {
  const scope = scopeCondition(holder, menu, STAFF_PLACE, parameters);
  const below = subjectsSql(`${parameters.bind(holder.staffId)}::bigint`);
  return `(EXISTS (SELECT FROM staff t WHERE t.id = ${staffId} AND ${scope}) OR ${staffId} IN (${below}))`;
}

const STAFF_PLACE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: 'none',
  owner: 't.id',
  ownTenant: true,
};

/**
 * Staff of a tenant who hold an element through an enabled group, for rules without a leader; with a `subjectId` those
 * whose data scope under the element's menu reaches that staff.
 */
export async function holdersOf(
  db: Executor,
  tenantId: number,
  element: string,
  excluded: readonly number[],
  subjectId?: number,
): Promise<number[]> {
  const rows = await run<{ id: number }>(
    db,
    `SELECT DISTINCT s.id FROM staff s JOIN group_member m ON m.staff_id = s.id JOIN permission_group g ON g.id = m.group_id
      WHERE s.tenant_id = $1 AND s.state = 'normal' AND g.enabled AND (m.expires_at IS NULL OR m.expires_at > now())
        AND (EXISTS (SELECT FROM element_grant e WHERE e.group_id = g.id AND e.element_code = $2)
             OR (g.code = 'platform_admin' AND g.built_in))
        AND s.id <> ALL($3::bigint[])
      ORDER BY s.id LIMIT 200`,
    [tenantId, element, excluded],
  );
  const menu = menuOfElement(element);
  const holders: number[] = [];
  for (const { id } of rows) {
    if (holders.length >= MOST_HOLDERS) break;
    if (subjectId === undefined || (await staffInReach(db, id, menu, [subjectId])).has(subjectId))
      holders.push(id);
  }
  return holders;
}

/** Follows the leaders named on people upwards; stops in rings. */
async function personalLeader(
  db: Executor,
  from: number,
  barred: ReadonlySet<number>,
): Promise<number | undefined> {
  const seen = new Set([from]);
  let at = from;
  for (;;) {
    const row = await runOne<{ id: number; state: string }>(
      db,
      'SELECT l.id, l.state FROM staff s JOIN staff l ON l.id = s.leader_id WHERE s.id = $1',
      [at],
    );
    if (!row || seen.has(row.id)) return undefined;
    if (row.state === 'normal' && !barred.has(row.id)) return row.id;
    seen.add(row.id);
    at = row.id;
  }
}
