import type { Label } from '../../../kernel/contract/label.ts';
import { RIGHTS_CHANGED } from '../../../kernel/server/people/acting.ts';
import type { Caller, MenuScope } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import {
  effectivePermissions,
  type EffectivePermissions,
} from '../../../domain/permission/effective-permissions.server.ts';
import { heldDepartments } from './grant-rules.server.ts';

/** Refusal of a change by which the caller would lock himself out of the administration. */
export const OWN_RIGHT: Label = ['不能移除自己的管理权限', 'You cannot remove your own administration right'];

const OWN_GAIN: Label = [
  '不能给自己增加权限，也不能延长自己的权限，请由其他管理员操作',
  'Nobody gives itself further rights or the same for longer: another administrator has to',
];

const GRANTING = ['groupManager:btn_resourceManager', 'roleManager:btn_resourceManager'] as const;
const MENU = 'adminSys';

// The guards of this folder and the turn they stand behind are used together.
export { takeTurn } from '../../../domain/permission/turns.server.ts';

/** What a staff may do at an instant: now, or when some of its memberships have ended. */
export interface RightsAt extends Pick<EffectivePermissions, 'menus' | 'elements'> {
  /** Null for now. */
  readonly at: Date | null;
  /** Groups it leads: leaders let others in. */
  readonly led: ReadonlySet<number>;
}

/** What a staff may do now, and from each end of a membership of its own on, at this moment of the transaction. */
export async function rightsOverTime(db: Executor, staffId: number): Promise<readonly RightsAt[]> {
  const ends = await run<{ at: Date }>(
    db,
    // A moment after the end: instants are kept more exactly than a Date tells them.
    `SELECT DISTINCT expires_at + interval '1 millisecond' AS at FROM group_member WHERE staff_id = $1 AND expires_at > now() ORDER BY 1`,
    [staffId],
  );
  return rightsAt(db, staffId, [null, ...ends.map((end) => end.at)]);
}

/**
 * `rightsOverTime` of the caller, for a command that has waited for its locks: refuses (30101) when it does not hold any
 * more what it held when the call came in.
 */
export async function rightsOfCaller(
  db: Executor,
  caller: Pick<Caller, 'staffId' | 'menus' | 'elements'>,
): Promise<readonly RightsAt[]> {
  const rights = await rightsOverTime(db, caller.staffId);
  const [now] = rights;
  const working = await runOne(db, `SELECT 1 FROM staff WHERE id = $1 AND state = 'normal'`, [
    caller.staffId,
  ]);
  if (
    !working ||
    [...caller.elements].some((code) => !now!.elements.has(code)) ||
    [...now!.menus].some(([menu, scopes]) => !reaches(scopes, caller.menus.get(menu) ?? scopes))
  )
    throw ruleBroken(RIGHTS_CHANGED);
  return rights;
}

/**
 * Refuses (30101) when the caller held the permission management, or the right to grant, before a change of groups and
 * holds none of it after; and when the change gives it anything it did not hold, or holds for some days only, for
 * longer. `before` comes from `rightsOverTime` in the same transaction.
 */
export async function keepOwnRights(
  db: Executor,
  caller: Pick<Caller, 'staffId'>,
  before: readonly RightsAt[],
): Promise<void> {
  const after = await rightsAfter(db, caller, before);
  const lost = (held: (rights: RightsAt) => boolean) => held(before[0]!) && !held(after[0]!);
  if (
    lost(({ menus }) => menus.has(MENU)) ||
    lost(({ elements }) => GRANTING.some((code) => elements.has(code)))
  )
    throw ruleBroken(OWN_RIGHT);
  for (const [index, rights] of after.entries()) {
    const had = before[index]!;
    if (
      opensMore(had, rights) ||
      [...rights.led].some((group) => !had.led.has(group) && before.length > 1) ||
      [...rights.menus].some(([menu, scopes]) => !reaches(had.menus.get(menu) ?? [], scopes))
    )
      throw ruleBroken(OWN_GAIN);
  }
}

/** Refuses (30101) when a change of departments opens a menu, all its rows or a button to the caller, or for longer. */
export function openNothing(before: readonly RightsAt[], after: readonly RightsAt[]): void {
  if (after.some((rights, index) => opensMore(before[index]!, rights))) throw ruleBroken(OWN_GAIN);
}

/** The rights at the instants of an earlier look, as they would be now. */
export function rightsAfter(
  db: Executor,
  { staffId }: Pick<Caller, 'staffId'>,
  before: readonly RightsAt[],
): Promise<readonly RightsAt[]> {
  return rightsAt(
    db,
    staffId,
    before.map((rights) => rights.at),
  );
}

async function rightsAt(
  db: Executor,
  staffId: number,
  instants: readonly (Date | null)[],
): Promise<RightsAt[]> {
  const found: RightsAt[] = [];
  for (const at of instants) {
    const led = await run<{ id: number }>(
      db,
      `SELECT group_id AS id FROM group_member WHERE staff_id = $1 AND kind = 'leader' AND (expires_at IS NULL OR expires_at > coalesce($2::timestamptz, now()))`,
      [staffId, at],
    );
    found.push({
      ...(await effectivePermissions(db, staffId, at ?? undefined)),
      at,
      led: new Set(led.map((row) => row.id)),
    });
  }
  return found;
}

function opensMore(had: RightsAt, has: RightsAt): boolean {
  return (
    [...has.elements].some((code) => !had.elements.has(code)) ||
    [...has.menus].some(([menu, scopes]) => {
      const known = had.menus.get(menu);
      return !known || (seesAll(scopes) && !seesAll(known));
    })
  );
}

const seesAll = (scopes: readonly MenuScope[]): boolean => scopes.some((scope) => scope.kind === 'all');

/** True when scopes let see no more than others. Own rows are seen by whoever holds the menu with some rows. */
function reaches(had: readonly MenuScope[], has: readonly MenuScope[]): boolean {
  if (seesAll(had)) return true;
  const departments = heldDepartments(had);
  return has.every((scope) =>
    scope.kind === 'departments'
      ? scope.ids.every((id) => departments.has(id))
      : scope.kind === 'self' && had.length > 0,
  );
}

/** Titles of menus and elements in both languages by code; unknown codes are missing. */
export async function rightTitles(
  db: Executor,
  codes: readonly string[],
): Promise<ReadonlyMap<string, Label>> {
  const rows = await run<{ code: string; zh: string; en: string }>(
    db,
    `SELECT code, title_zh AS zh, title_en AS en FROM menu WHERE code = ANY($1::text[])
     UNION ALL SELECT e.code, m.title_zh || ' · ' || e.name_zh, m.title_en || ' · ' || e.name_en
       FROM element e JOIN menu m ON m.code = e.menu_code WHERE e.code = ANY($1::text[])`,
    [codes],
  );
  return new Map(rows.map((row) => [row.code, [row.zh, row.en] as const]));
}
