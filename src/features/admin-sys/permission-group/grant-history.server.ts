import type { Caller } from '../../../kernel/server/people/caller.ts';
import { SYSTEM_NAME } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import type { Grants, MenuGrant } from './grant-diff.rules.ts';

/** What a row of the history keeps: grants, members, or the group itself (enabled, parent, inherit). */
export type HistoryKind = 'grant' | 'member' | 'group';

/** Members as the history keeps them; `expiresAt` is ISO text or null. */
export interface MemberState {
  readonly members: readonly {
    readonly staffId: number;
    readonly kind: 'leader' | 'member';
    readonly source: 'manual' | 'department';
    readonly expiresAt: string | null;
  }[];
}

/** The group as the history keeps it. */
export interface GroupState {
  readonly enabled: boolean;
  readonly parentId: number | null;
  readonly inherit: boolean;
  readonly departmentId: number | null;
  readonly type: string;
  readonly code: string;
  readonly name: string;
  readonly tenantId: number;
  readonly builtIn: boolean;
  readonly deleted: boolean;
}

/** A row to append. The state is read from the tables as they are now. */
export interface HistoryEntry {
  readonly groupId: number;
  readonly kind: HistoryKind;
  readonly reason: string;
  readonly difference?: object;
  /** The group is about to be deleted. */
  readonly deleted?: boolean;
}

/** Mark in `difference` of rows nobody asked for: the state before the first change, or what a release changed. */
export const BASELINE = 'baseline';

/**
 * Keeps the state before a change when the history does not know it: before the first change of a group the state since
 * it was made, and again whenever the tables were changed past the history (seeds, releases). Call it before changing.
 */
export async function keepBaseline(tx: Executor, groupIds: readonly number[]): Promise<void> {
  for (const kind of KINDS)
    await run(
      tx,
      `INSERT INTO grant_history (group_id, at, who, kind, state, difference)
       SELECT g.id, CASE WHEN h.state IS NULL THEN g.created_at ELSE clock_timestamp() END, $2, $3, s.state, jsonb_build_object($4::text, true)
         FROM permission_group g
         CROSS JOIN LATERAL (SELECT ${STATE[kind]} AS state) s
         LEFT JOIN LATERAL (
           SELECT state FROM grant_history WHERE group_id = g.id AND kind = $3 ORDER BY at DESC, id DESC LIMIT 1) h ON true
        WHERE g.id = ANY($1::bigint[]) AND h.state IS DISTINCT FROM s.state`,
      [groupIds, SYSTEM_NAME, kind, BASELINE],
    );
}

/** Appends the state of a group after a change; returns the id of the row. Without a caller the system did it. */
export async function writeHistory(
  tx: Executor,
  caller: Pick<Caller, 'staffId' | 'name'> | undefined,
  entry: HistoryEntry,
): Promise<number> {
  const state = entry.deleted ? `${STATE[entry.kind]} || '{"deleted": true}'` : STATE[entry.kind];
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO grant_history (group_id, staff_id, who, kind, reason, state, difference)
     SELECT g.id, $2, $3, $4, $5, ${state}, $6 FROM permission_group g WHERE g.id = $1 RETURNING id`,
    [
      entry.groupId,
      caller?.staffId ?? null,
      caller?.name ?? SYSTEM_NAME,
      entry.kind,
      entry.reason,
      JSON.stringify(entry.difference ?? {}),
    ],
  );
  return row!.id;
}

/** Keeps unknown states of every group; runs every ten minutes so that a past date can be answered for all of them. */
export async function keepAllBaselines(tx: Tx): Promise<void> {
  const groups = await run<{ id: number }>(tx, 'SELECT id FROM permission_group ORDER BY id');
  await keepBaseline(
    tx,
    groups.map((group) => group.id),
  );
}

/** The state of a kind that was in force at an instant, or undefined when the history does not reach back so far. */
export async function stateAt<K extends HistoryKind>(
  db: Executor,
  groupId: number,
  kind: K,
  at: Date,
): Promise<StateOf[K] | undefined> {
  const row = await runOne<{ state: StateOf[K] }>(
    db,
    'SELECT state FROM grant_history WHERE group_id = $1 AND kind = $2 AND at <= $3 ORDER BY at DESC, id DESC LIMIT 1',
    [groupId, kind, at],
  );
  return row?.state;
}

/** Grants out of a kept state; unknown words are dropped. */
export function grantsOfState(state: Grants): Grants {
  return {
    menus: (state.menus ?? []).map((menu): MenuGrant => ({
      code: menu.code,
      dataScope: menu.dataScope,
      departmentIds: menu.departmentIds ?? [],
    })),
    elements: state.elements ?? [],
  };
}

/** Type of the kept state by kind. */
export interface StateOf {
  readonly grant: Grants;
  readonly member: MemberState;
  readonly group: GroupState;
}

const KINDS: readonly HistoryKind[] = ['group', 'member', 'grant'];

// Each is an expression over `g`, a row of permission_group.
const STATE: Readonly<Record<HistoryKind, string>> = {
  grant: `jsonb_build_object(
    'menus', coalesce((SELECT jsonb_agg(jsonb_build_object('code', x.menu_code, 'dataScope', x.data_scope, 'departmentIds', to_jsonb(x.department_ids)) ORDER BY x.menu_code)
                         FROM menu_grant x WHERE x.group_id = g.id), '[]'),
    'elements', coalesce((SELECT jsonb_agg(x.element_code ORDER BY x.element_code) FROM element_grant x WHERE x.group_id = g.id), '[]'))`,
  member: `jsonb_build_object('members', coalesce((
    SELECT jsonb_agg(jsonb_build_object('staffId', x.staff_id, 'kind', x.kind, 'source', x.source, 'expiresAt', to_jsonb(x.expires_at)) ORDER BY x.staff_id)
      FROM group_member x WHERE x.group_id = g.id), '[]'))`,
  group: `(SELECT jsonb_build_object('enabled', g.enabled, 'parentId', g.parent_id, 'inherit', g.inherit, 'departmentId', g.department_id,
      'type', y.code, 'code', g.code, 'name', g.name, 'tenantId', g.tenant_id, 'builtIn', g.built_in, 'deleted', false)
      FROM group_type y WHERE y.id = g.type_id)`,
};
