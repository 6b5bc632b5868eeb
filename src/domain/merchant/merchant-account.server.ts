import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import { generatePassword, hashPassword } from '../../kernel/server/people/password-hash.ts';
import { endSessions } from '../../kernel/server/people/session-changes.ts';
import { storePassword } from '../staff-account/set-password.server.ts';

/** Menus a merchant's own administrator begins with; what is not built yet comes with its release. */
const MERCHANT_MENUS = [
  'mm_commodityMana',
  'mm_businessOrder_wx',
  'mm_orderRefund',
  'mm_accountStatement',
  'mm_businessAna',
  'mm_merchantInfo',
];

/** The next account of a tenant kind: `M000009`. Two at once wait for each other. */
export async function nextTenantAccount(tx: Tx, letter: 'M' | 'C' | 'S'): Promise<string> {
  await run(tx, 'SELECT pg_advisory_xact_lock(7311, $1)', [letter.charCodeAt(0)]);
  const row = await runOne<{ account: string }>(
    tx,
    `SELECT $1 || lpad((coalesce(max(substr(account, 2)::int), 0) + 1)::text, 6, '0') AS account FROM tenant WHERE account ~ ('^' || $1 || '\\d{6}$')`,
    [letter],
  );
  return row!.account;
}

/** What is told once about a new sign-in. */
export interface FirstSignIn {
  readonly account: string;
  readonly password: string;
}

/**
 * Makes the first staff of a tenant, named as its account, in a group that holds the given menus and elements
 * (the merchants' menus with all buttons unless told otherwise); or gives it a new password, which ends its sessions. It must choose its own at the next sign-in.
 */
export async function giveTenantSignIn(
  tx: Tx,
  caller: Caller,
  tenant: { readonly id: number; readonly account: string; readonly contact: string },
  rights?: readonly string[],
): Promise<FirstSignIn> {
  const password = generatePassword();
  const hash = await hashPassword(password);
  let staff = await runOne<{ id: number }>(tx, 'SELECT id FROM staff WHERE tenant_id = $1 AND account = $2', [
    tenant.id,
    tenant.account,
  ]);
  if (!staff) {
    staff = (await runOne<{ id: number }>(
      tx,
      `INSERT INTO staff (tenant_id, account, name, all_projects, created_by, updated_by) VALUES ($1, $2, $3, true, $4, $4) RETURNING id`,
      [tenant.id, tenant.account, tenant.contact || tenant.account, caller.staffId],
    ))!;
    await giveMenus(tx, tenant, staff.id, caller.staffId, rights);
  } else await endSessions(tx, { staffId: staff.id }, 'reset');
  await storePassword(tx, { staffId: staff.id, by: caller.staffId, hash, mustChange: true });
  return { account: tenant.account, password };
}

async function giveMenus(
  tx: Tx,
  tenant: { readonly id: number; readonly account: string },
  staffId: number,
  by: number,
  rights: readonly string[] | undefined,
): Promise<void> {
  const group = await runOne<{ id: number }>(
    tx,
    `INSERT INTO permission_group (type_id, tenant_id, code, name, created_by) SELECT id, $1, $2, '管理员', $3 FROM group_type WHERE code = 'role' RETURNING id`,
    [tenant.id, `${tenant.account.toLowerCase()}_admin`, by],
  );
  await run(
    tx,
    `INSERT INTO menu_grant (group_id, menu_code, data_scope) SELECT $1, code, 'all' FROM menu WHERE code = ANY($2) AND built AND NOT retired`,
    [group!.id, rights ?? MERCHANT_MENUS],
  );
  await run(
    tx,
    `INSERT INTO element_grant (group_id, element_code) SELECT $1, e.code FROM element e JOIN menu m ON m.code = e.menu_code
      WHERE m.code = ANY($2) AND m.built AND NOT m.retired AND NOT e.retired AND ($3::text[] IS NULL OR e.code = ANY($3))`,
    [group!.id, rights ?? MERCHANT_MENUS, rights ?? null],
  );
  await run(tx, 'INSERT INTO group_member (group_id, staff_id, created_by) VALUES ($1, $2, $3)', [
    group!.id,
    staffId,
    by,
  ]);
}
