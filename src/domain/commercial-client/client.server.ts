import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { LIMITS } from './client.rules.ts';

/** Why a client changed hands. */
export type AssignmentKind = 'create' | 'claim' | 'assign' | 'transfer' | 'release' | 'auto_pool';

/** Writes who had a client and who has it now; nobody is the pool. */
export async function noteAssignment(
  tx: Tx,
  clientId: number,
  hands: { readonly from: number | null; readonly to: number | null },
  kind: AssignmentKind,
  more: { readonly reason?: string; readonly by?: number | null } = {},
): Promise<void> {
  await run(
    tx,
    'INSERT INTO client_assignment (client_id, from_staff, to_staff, kind, reason, by_staff) VALUES ($1, $2, $3, $4, $5, $6)',
    [clientId, hands.from, hands.to, kind, more.reason ?? '', more.by ?? null],
  );
}

/** SQL: whether signed clients count against the limit of a business person (`p`), by the closest rule. */
const COUNTS_SIGNED = `coalesce((SELECT r.count_signed FROM client_rule r LEFT JOIN staff s ON s.id = p.staff_id LEFT JOIN department d ON d.id = s.department_id
   LEFT JOIN department o ON o.id = r.department_id WHERE r.scope_kind = 'tenant' OR r.staff_id = p.staff_id OR r.department_id = d.id OR r.department_id = ANY(d.path)
  ORDER BY CASE r.scope_kind WHEN 'person' THEN 0 WHEN 'department' THEN 1 ELSE 2 END, cardinality(o.path) DESC NULLS LAST, r.id LIMIT 1), false)`;

/**
 * Locks a business person and refuses (30101) where it may not have another client: paused or gone, or at its limit. Lost
 * clients do not count, signed ones where a rule says so. Holding the lock, two claims of one person never both take the last place.
 */
export async function requireRoom(tx: Tx, staffId: number): Promise<void> {
  const person = await runOne<{ max_clients: number; state: string; signed: boolean }>(
    tx,
    `SELECT least(p.max_clients, client_limit(p.staff_id, 'max_own', p.max_clients)) AS max_clients, p.state, ${COUNTS_SIGNED} AS signed
       FROM business_person p WHERE p.staff_id = $1 FOR UPDATE OF p`,
    [staffId],
  );
  if (!person || person.state !== 'active')
    throw ruleBroken(['该人员不是在岗招商人员', 'This is no active business person']);
  // Counted again behind the lock: what was read above may be from before it.
  const own = await runOne<{ n: number }>(
    tx,
    `SELECT count(*)::int AS n FROM client WHERE owner_id = $1 AND state <> 'lost' AND (state <> 'signed' OR $2)`,
    [staffId, person.signed],
  );
  if (own!.n >= person.max_clients)
    throw ruleBroken([
      `已达拥有上限 ${person.max_clients}`,
      `The limit of ${person.max_clients} clients is reached`,
    ]);
}

/** Refuses a claim above the limit of a day, or of what the caller gave back lately. Call behind {@link requireRoom}. */
export async function requireClaim(tx: Tx, staffId: number, clientId: number): Promise<void> {
  const limits = (await runOne<{ claims: number; days: number }>(
    tx,
    `SELECT client_limit($1, 'max_daily_claim', $2) AS claims, client_limit($1, 'reclaim_days', $3) AS days`,
    [staffId, LIMITS.claims, LIMITS.reclaimDays],
  ))!;
  const today = await runOne<{ n: number }>(
    tx,
    `SELECT count(*)::int AS n FROM client_assignment WHERE to_staff = $1 AND kind = 'claim'
        AND (at AT TIME ZONE 'Asia/Shanghai')::date = (now() AT TIME ZONE 'Asia/Shanghai')::date`,
    [staffId],
  );
  if (today!.n >= limits.claims)
    throw ruleBroken([
      `今日认领已达 ${limits.claims} 个`,
      `${limits.claims} clients were claimed today already`,
    ]);
  const last = await runOne<{ own: boolean }>(
    tx,
    `SELECT from_staff = $2 AND at > now() - make_interval(days => $3) AS own FROM client_assignment
      WHERE client_id = $1 AND kind IN ('release', 'auto_pool') ORDER BY id DESC LIMIT 1`,
    [clientId, staffId, limits.days],
  );
  if (last?.own)
    throw ruleBroken([
      `${limits.days} 天内不能认领自己退回的客户`,
      `You cannot reclaim it within ${limits.days} days`,
    ]);
}
