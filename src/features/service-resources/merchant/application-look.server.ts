import { readSecret } from '../../../domain/payee/payee-secret.server.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { MERCHANT_SCOPE } from './merchant-approval.server.ts';
import { REVIEWED, type ApplicationLook } from './merchant.contract.ts';

type Same = ApplicationLook['duplicates'][number]['same'][number];

/**
 * Other merchants with the licence, legal person, phone or payee number of an applicant, and what changed since it was rejected.
 * Merchants the reviewer does not see are told without their name. Source: group 03, residentMerchants, review.
 */
export async function lookAtApplication(
  platform: Platform,
  caller: Caller,
  menu: string,
  id: number,
): Promise<ApplicationLook> {
  const { db } = platform.database;
  const same = new Map<number, Set<Same>>();
  const note = (other: number, what: Same) => same.set(other, (same.get(other) ?? new Set()).add(what));
  for (const [column, what] of [
    ['licence_no', 'licenceNo'],
    ['legal_person', 'legalPerson'],
    ['contact_phone', 'phone'],
  ] as const)
    for (const other of await run<{ id: number }>(
      db,
      `SELECT o.id FROM tenant o JOIN tenant t ON t.id = $1 AND t.${column} <> '' AND o.${column} = t.${column} WHERE o.kind = 2 AND o.id <> t.id ORDER BY o.id LIMIT 20`,
      [id],
    ))
      note(other.id, what);
  for (const other of await samePayee(platform, id)) note(other, 'payee');
  const parameters = new Parameters();
  const seen = scopeCondition(caller, menu, MERCHANT_SCOPE, parameters);
  const others = await run<{ id: number; name: string; state: string; seen: boolean }>(
    db,
    `SELECT t.id, t.name, t.merchant_state AS state, ${seen} AS seen FROM tenant t WHERE t.id = ANY(${parameters.bind([...same.keys()])}::bigint[]) ORDER BY t.id`,
    parameters.values,
  );
  return {
    duplicates: others.map((one) => ({
      id: one.seen ? String(one.id) : '',
      name: one.seen ? one.name : '',
      state: one.state,
      same: [...same.get(one.id)!],
    })),
    changed: await changedSinceRejected(db, id),
  };
}

/** Merchants whose payout account has the number of this one; numbers are sealed, so those of the same end are opened. */
async function samePayee(platform: Platform, id: number): Promise<number[]> {
  const { db } = platform.database;
  const accounts = await run<{ id: number; tenant_id: number }>(
    db,
    `SELECT a.id, a.tenant_id FROM payee_account a WHERE a.purpose = 'payout' AND a.number_tail <> ''
        AND a.number_tail IN (SELECT o.number_tail FROM payee_account o WHERE o.tenant_id = $1 AND o.purpose = 'payout') ORDER BY a.tenant_id = $1 DESC, a.id LIMIT 50`,
    [id],
  );
  const own = new Set<string>();
  const others = new Set<number>();
  for (const account of accounts) {
    // A number sealed under a key that is gone is compared with none; the review goes on without it.
    const number = await readSecret(db, platform, account.id, 'number').catch(() => undefined);
    if (number === undefined) continue;
    if (account.tenant_id === id) own.add(number);
    else if (own.has(number)) others.add(account.tenant_id);
  }
  return [...others];
}

async function changedSinceRejected(db: Executor, id: number): Promise<readonly string[] | null> {
  const rejected = await runOne<{ id: number }>(
    db,
    `SELECT max(id) AS id FROM entity_event WHERE entity = 'merchant' AND entity_id = $1 AND from_state = 'in_review' AND to_state = 'rejected' HAVING max(id) IS NOT NULL`,
    [id],
  );
  if (!rejected) return null;
  const rows = await run<{ field: string }>(
    db,
    `SELECT DISTINCT c ->> 'field' AS field FROM entity_event e CROSS JOIN jsonb_array_elements(e.changes) c
      WHERE e.entity = 'merchant' AND e.entity_id = $1 AND e.id > $2`,
    [id, rejected.id],
  );
  return rows.map((row) => fieldOf(row.field));
}

/** Changes are kept by column. */
function fieldOf(column: string): string {
  const own: Readonly<Record<string, string>> = {
    contact_name: 'contact',
    contact_phone: 'phone',
    intro_html: 'intro',
    logo_id: 'logo',
    qualification_ids: 'qualifications',
  };
  const name = own[column] ?? column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return name in REVIEWED ? name : column;
}
