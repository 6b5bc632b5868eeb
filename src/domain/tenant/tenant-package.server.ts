import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { notifyStaffChanged } from '../../kernel/server/people/session-changes.ts';

/** Title of a menu or an element in both languages. */
export type RightTitle = readonly [zh: string, en: string, code: string];

/** What another package would change for a tenant. */
export interface PackageDifference {
  readonly gained: readonly RightTitle[];
  /** What groups of the tenant hold now and would lose. */
  readonly lost: readonly RightTitle[];
  /** Staff at work who would lose something. */
  readonly staff: number;
}

/** Code of the group a tenant's first administrator is in. */
export const adminGroupOf = (account: string): string => `${account.toLowerCase()}_admin`;

/**
 * Refuses (30101) staff beyond what the tenant's package holds. Locks the tenant, so that two who add somebody at once
 * count one after the other. Source: group 03, refusals.
 */
export async function requireSeats(tx: Tx, tenantId: number, more: number): Promise<void> {
  const row = await runOne<{ most: number | null; used: number }>(
    tx,
    `SELECT coalesce(t.max_staff, (SELECT p.max_staff FROM tenant_package p WHERE p.id = t.package_id)) AS most,
            (SELECT count(*)::int FROM staff s WHERE s.tenant_id = t.id AND s.state = 'normal') AS used
       FROM tenant t WHERE t.id = $1 FOR NO KEY UPDATE`,
    [tenantId],
  );
  if (row && row.most !== null && row.used + more > row.most)
    throw ruleBroken([`员工数已达套餐上限 ${row.most}`, `Staff limit ${row.most} of the package reached`]);
}

/** Refuses (30101) to grant a group what the package of its tenant does not hold, and names it. */
export async function requireWithinPackage(
  db: Executor,
  tenantId: number,
  codes: readonly string[],
): Promise<void> {
  const row = await runOne<{ rights: string[] | null }>(
    db,
    'SELECT p.rights FROM tenant t LEFT JOIN tenant_package p ON p.id = t.package_id WHERE t.id = $1',
    [tenantId],
  );
  if (!row?.rights) return;
  const held = new Set(row.rights);
  const beyond = [...new Set(codes)].filter((code) => code !== 'dashboard' && !held.has(code));
  if (beyond.length === 0) return;
  const titles = await titlesOf(db, beyond);
  const shown = titles.slice(0, 10);
  throw ruleBroken([
    `超出公司套餐的权限：${shown.map((one) => one[0]).join('、')}${beyond.length > shown.length ? `等${beyond.length}项` : ''}`,
    `Beyond the package of the company: ${shown.map((one) => one[1]).join(', ')}${beyond.length > shown.length ? ` and ${beyond.length - shown.length} more` : ''}`,
  ]);
}

/** What would change for a tenant if it held exactly these rights. */
export async function packageDifference(
  db: Executor,
  tenantId: number,
  rights: readonly string[],
): Promise<PackageDifference> {
  const held = await heldOf(db, tenantId);
  const wanted = new Set(rights);
  const lost = held.filter((code) => !wanted.has(code));
  const before = new Set([...held, ...(await packageRights(db, tenantId))]);
  const gained = rights.filter((code) => !before.has(code));
  const staff = await runOne<{ n: number }>(
    db,
    `SELECT count(DISTINCT s.id)::int AS n FROM permission_group g JOIN group_member m ON m.group_id = g.id
       JOIN staff s ON s.id = m.staff_id AND s.state = 'normal'
      WHERE g.tenant_id = $1 AND EXISTS (
        SELECT FROM menu_grant x WHERE x.group_id = g.id AND x.menu_code = ANY($2::text[])
        UNION ALL SELECT FROM element_grant x WHERE x.group_id = g.id AND x.element_code = ANY($2::text[]))`,
    [tenantId, lost],
  );
  return { gained: await titlesOf(db, gained), lost: await titlesOf(db, lost), staff: staff!.n };
}

/**
 * Brings the groups of a tenant within its package: what is beyond goes from every group, what is new comes to the group of
 * its administrators. Its staff get their new rights within a second. Returns how many rights groups lost.
 */
export async function fitPackage(tx: Tx, tenantId: number): Promise<number> {
  const gone = await run(
    tx,
    `WITH p AS (SELECT p.rights FROM tenant t JOIN tenant_package p ON p.id = t.package_id WHERE t.id = $1),
     menus AS (DELETE FROM menu_grant x USING permission_group g, p
                WHERE g.id = x.group_id AND g.tenant_id = $1 AND x.menu_code <> 'dashboard' AND NOT p.rights @> ARRAY[x.menu_code] RETURNING x.menu_code AS code),
     elements AS (DELETE FROM element_grant x USING permission_group g, p
                   WHERE g.id = x.group_id AND g.tenant_id = $1 AND NOT p.rights @> ARRAY[x.element_code] RETURNING x.element_code AS code)
     SELECT code FROM menus UNION ALL SELECT code FROM elements`,
    [tenantId],
  );
  const admins = `SELECT g.id, p.rights FROM permission_group g JOIN tenant t ON t.id = g.tenant_id JOIN tenant_package p ON p.id = t.package_id
    WHERE t.id = $1 AND g.code = lower(t.account) || '_admin'`;
  await run(
    tx,
    `INSERT INTO menu_grant (group_id, menu_code, data_scope)
     SELECT a.id, m.code, 'all' FROM (${admins}) a JOIN menu m ON m.code = ANY(a.rights) AND m.built AND NOT m.retired ON CONFLICT DO NOTHING`,
    [tenantId],
  );
  await run(
    tx,
    `INSERT INTO element_grant (group_id, element_code)
     SELECT a.id, e.code FROM (${admins}) a JOIN element e ON e.code = ANY(a.rights) AND NOT e.retired
       JOIN menu m ON m.code = e.menu_code AND m.built AND NOT m.retired ON CONFLICT DO NOTHING`,
    [tenantId],
  );
  const staff = await run<{ id: number }>(
    tx,
    `SELECT DISTINCT m.staff_id AS id FROM group_member m JOIN permission_group g ON g.id = m.group_id WHERE g.tenant_id = $1 ORDER BY 1`,
    [tenantId],
  );
  await notifyStaffChanged(
    tx,
    staff.map((one) => one.id),
  );
  return gone.length;
}

/** Says that a project is another tenant's of the same kind. Source: group 03, Must show 1. */
export const projectTaken = (name: string): Label => [
  `该项目已属于“${name}”`,
  `The project belongs to “${name}” already`,
];

async function heldOf(db: Executor, tenantId: number): Promise<string[]> {
  const rows = await run<{ code: string }>(
    db,
    `SELECT DISTINCT x.menu_code AS code FROM menu_grant x JOIN permission_group g ON g.id = x.group_id WHERE g.tenant_id = $1
     UNION SELECT x.element_code FROM element_grant x JOIN permission_group g ON g.id = x.group_id WHERE g.tenant_id = $1`,
    [tenantId],
  );
  return rows.map((row) => row.code);
}

async function packageRights(db: Executor, tenantId: number): Promise<readonly string[]> {
  const row = await runOne<{ rights: string[] }>(
    db,
    'SELECT p.rights FROM tenant t JOIN tenant_package p ON p.id = t.package_id WHERE t.id = $1',
    [tenantId],
  );
  return row?.rights ?? [];
}

async function titlesOf(db: Executor, codes: readonly string[]): Promise<RightTitle[]> {
  if (codes.length === 0) return [];
  const rows = await run<{ code: string; zh: string; en: string }>(
    db,
    `SELECT code, title_zh AS zh, title_en AS en FROM menu WHERE code = ANY($1::text[])
     UNION ALL SELECT e.code, m.title_zh || ' · ' || e.name_zh, m.title_en || ' · ' || e.name_en
       FROM element e JOIN menu m ON m.code = e.menu_code WHERE e.code = ANY($1::text[]) ORDER BY code`,
    [codes],
  );
  return rows.map((row) => [row.zh, row.en, row.code] as const);
}
