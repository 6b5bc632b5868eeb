import { run, runOne, transaction, type Db, type Tx } from '../../../kernel/server/database.ts';
import { generatePassword, hashPassword } from '../../../kernel/server/people/password-hash.ts';
import { isPasswordTooLong } from '../../../kernel/contract/password.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { storePassword } from '../../../domain/staff-account/set-password.server.ts';
import { PLATFORM_ADMIN_GROUP } from '../../../domain/permission/effective-permissions.server.ts';

/** The account made at first start. */
export const FIRST_ACCOUNT = 'admin';

/**
 * Makes the first platform administrator while the platform administrators' group has no member; otherwise nothing.
 * Returns the credentials to print once: a random password that must be changed, or the given one, which must not.
 * Needs the reference rows; throws when they are missing or the account is taken.
 */
export async function ensureFirstAdministrator(
  db: Db,
  options: { readonly password?: string | undefined } = {},
): Promise<{ account: string; password: string } | undefined> {
  if (await hasAdministrator(db)) return undefined;
  const password = options.password ?? generatePassword();
  if (isPasswordTooLong(password))
    throw new Error('ADMIN_PASSWORD 最多64位 / ADMIN_PASSWORD may have at most 64 characters');
  const hash = await hashPassword(password);
  return await transaction(db, async (tx) => {
    const group = await lockGroup(tx);
    // Another instance may have been first while the password was hashed.
    if (await hasAdministrator(tx)) return undefined;
    const staff = await runOne<{ id: number }>(
      tx,
      `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password)
       VALUES ($1, $2, $3, true, true) RETURNING id`,
      [group.tenant_id, FIRST_ACCOUNT, NAME[0]],
    );
    await run(tx, 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group.id, staff!.id]);
    // There is nobody yet who could issue another one: it does not lapse.
    await storePassword(tx, {
      staffId: staff!.id,
      by: null,
      hash,
      mustChange: options.password === undefined,
      lapses: false,
    });
    return { account: FIRST_ACCOUNT, password };
  });
}

const NAME: Label = ['平台管理员', 'Platform administrator'];

async function hasAdministrator(db: Db | Tx): Promise<boolean> {
  const row = await runOne(
    db,
    'SELECT FROM group_member m JOIN permission_group g ON g.id = m.group_id WHERE g.code = $1 LIMIT 1',
    [PLATFORM_ADMIN_GROUP],
  );
  return row !== undefined;
}

async function lockGroup(tx: Tx): Promise<{ id: number; tenant_id: number }> {
  const group = await runOne<{ id: number; tenant_id: number }>(
    tx,
    'SELECT id, tenant_id FROM permission_group WHERE code = $1 FOR UPDATE',
    [PLATFORM_ADMIN_GROUP],
  );
  if (!group) throw new Error('the reference rows are missing: seed them before the first administrator');
  return group;
}
