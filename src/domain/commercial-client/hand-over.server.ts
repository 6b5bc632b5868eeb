import { run, runOne, transaction, type Executor, type Tx } from '../../kernel/server/database.ts';
import { Refusal } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { moveToStandin } from '../approval/standin.server.ts';
import { SYSTEM } from '../../kernel/server/people/caller.ts';
import { handContractsOver } from '../contract/contract-owner.server.ts';
import { noteAssignment, requireRoom } from './client.server.ts';
import { NO_REQUEST } from '../approval/approve.server.ts';

/** Clients that change hands in one transaction. */
const BATCH = 20;

/** A hand-over as its task reads it. */
export interface BusinessHandover {
  readonly id: number;
  readonly personId: number;
  readonly from: number;
  readonly to: number | null;
  readonly reason: string;
  readonly by: number;
  readonly state: 'running' | 'done' | 'stopped';
  /** Who gets contracts where clients go to the pool: the leader of the leaver, else who began the hand-over. */
  readonly keeper: number;
  /** Who gets clients of a project or an industry, the first that fits first. */
  readonly rules: readonly HandoverRule[];
}

/** A line of a hand-over by project or industry; where both are named, both must fit. */
export interface HandoverRule {
  readonly project: number | null;
  readonly industry: number | null;
  readonly to: number;
}

const read = (tx: Tx, id: number, lock: boolean) =>
  runOne<BusinessHandover>(
    tx,
    `SELECT h.id, h.person_id AS "personId", p.staff_id AS "from", h.to_staff AS "to", h.reason, h.by_staff AS by, h.state, h.rules,
            coalesce(h.to_staff, p.leader_id, h.by_staff) AS keeper
       FROM business_handover h JOIN business_person p ON p.id = h.person_id WHERE h.id = $1 ${lock ? 'FOR UPDATE OF h' : ''}`,
    [id],
  );

/** One client of a leaver goes to somebody, with its contracts and what is open of them, or to the pool. */
export async function handClientOn(
  tx: Tx,
  clientId: number,
  hands: Pick<BusinessHandover, 'from' | 'to' | 'keeper' | 'reason' | 'by'>,
): Promise<number> {
  const { from, to, reason } = hands;
  if (to !== null) await requireRoom(tx, to);
  await noteAssignment(tx, clientId, { from, to }, to === null ? 'release' : 'transfer', {
    reason,
    by: hands.by,
  });
  await run(
    tx,
    to === null
      ? `UPDATE client SET owner_id = NULL, assigned_at = NULL, locked = false, pool_since = now(), pool_reason = $2, next_follow_at = NULL, version = version + 1, updated_at = now() WHERE id = $1`
      : `UPDATE client SET owner_id = $3, assigned_at = now(), opened = false, locked = false, warned_at = NULL, pool_reason = left($2, 0), version = version + 1, updated_at = now() WHERE id = $1`,
    to === null ? [clientId, reason] : [clientId, reason, to],
  );
  return handContractsOver(tx, clientId, { from, to: hands.keeper }, { contracts: true, receivables: true });
}

/** What somebody has that a hand-over gives on; money in fen. */
export async function holdingsOf(db: Executor, staffId: number) {
  return (await runOne<
    Readonly<
      Record<'clients' | 'signed' | 'contracts' | 'receivables' | 'balance' | 'approvals' | 'holds', number>
    >
  >(
    db,
    `SELECT (SELECT count(*)::int FROM client WHERE owner_id = $1) AS clients, (SELECT count(*)::int FROM client WHERE owner_id = $1 AND state = 'signed') AS signed,
            (SELECT count(*)::int FROM contract WHERE owner_id = $1 AND state NOT IN ('expired', 'terminated')) AS contracts, r.receivables, r.balance,
            (SELECT count(*)::int FROM approval_task k JOIN approval_instance i ON i.id = k.instance_id AND i.state = 'running'
              WHERE k.assignee_id = $1 AND k.state = 'pending' AND k.kind <> 'copy') AS approvals,
            (SELECT count(*)::int FROM position_occupancy WHERE holder_id = $1 AND kind = 'hold' AND released_at IS NULL) AS holds
       FROM (SELECT count(*)::int AS receivables, coalesce(sum(principal + charges - received), 0)::bigint AS balance
               FROM receivable WHERE owner_id = $1 AND state IN ('open', 'part')) r`,
    [staffId],
  ))!;
}

/** Clients of a batch with who gets each: by the first rule that fits, else who gets the rest, else the pool. */
async function receiversOf(
  tx: Tx,
  ids: readonly number[],
  { to, rules }: BusinessHandover,
): Promise<ReadonlyMap<number, number | null>> {
  const clients = await run<{ id: number; industry: number; projects: readonly number[] }>(
    tx,
    `SELECT c.id, c.industry_id AS industry, ARRAY(SELECT x.project_id FROM client_project x WHERE x.client_id = c.id) AS projects FROM client c WHERE c.id = ANY($1::bigint[])`,
    [ids],
  );
  return new Map(
    clients.map((client) => [
      client.id,
      rules.find(
        (rule) =>
          (rule.project === null || client.projects.map(Number).includes(rule.project)) &&
          (rule.industry === null || Number(client.industry) === rule.industry),
      )?.to ?? to,
    ]),
  );
}

/** What a leaver had beside own clients: contracts of others' clients, open receivables of them, and holds. Returns codes of contracts. */
export async function handRestOn(
  tx: Tx,
  { from, keeper }: Pick<BusinessHandover, 'from' | 'keeper'>,
): Promise<readonly string[]> {
  const rest = await run<{ code: string }>(
    tx,
    `UPDATE contract SET owner_id = $2, version = version + 1, updated_at = now()
      WHERE owner_id = $1 AND state NOT IN ('expired', 'terminated') RETURNING code`,
    [from, keeper],
  );
  await run(
    tx,
    `UPDATE receivable SET owner_id = $2, version = version + 1, updated_at = now() WHERE owner_id = $1 AND state IN ('open', 'part')`,
    [from, keeper],
  );
  await run(
    tx,
    `UPDATE position_occupancy SET holder_id = $2, version = version + 1, updated_at = now() WHERE holder_id = $1 AND kind = 'hold' AND released_at IS NULL`,
    [from, keeper],
  );
  return rest.map((one) => one.code);
}

/**
 * Goes on with a hand-over until nothing is the leaver's, some clients at a time, each behind the lock of its hand-over: two workers
 * take turns, and one that was killed in the middle is followed by the next. `left` ends it in the last transaction. What a rule
 * refuses, such as a full receiver, stops it with the reason; it can be begun again for the rest.
 * Source: group 20, busPerManagement, hand-over.
 */
export async function goOnHandingOver(
  platform: Platform,
  id: number,
  left: (tx: Tx, done: BusinessHandover) => Promise<void>,
): Promise<void> {
  const { db } = platform.database;
  for (;;) {
    const more = await transaction(db, (tx) => step(tx, platform, id, left)).catch(async (error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      await run(
        db,
        `UPDATE business_handover SET state = 'stopped', failure = left($2, 200), ended_at = now() WHERE id = $1 AND state = 'running'`,
        [id, error.label.join(' / ')],
      );
      return false;
    });
    if (!more) break;
  }
  for (const name of ['client', 'businessPerson', 'receivable', 'contract']) platform.changed(name);
}

async function step(
  tx: Tx,
  platform: Platform,
  id: number,
  left: (tx: Tx, done: BusinessHandover) => Promise<void>,
): Promise<boolean> {
  const handover = await read(tx, id, true);
  if (handover?.state !== 'running') return false;
  const clients = await run<{ id: number }>(
    tx,
    'SELECT id FROM client WHERE owner_id = $1 ORDER BY id LIMIT $2 FOR UPDATE',
    [handover.from, BATCH],
  );
  let contracts = 0;
  const receivers = await receiversOf(
    tx,
    clients.map((one) => one.id),
    handover,
  );
  for (const { id: client } of clients) {
    const to = receivers.get(client) ?? null;
    contracts += await handClientOn(tx, client, { ...handover, to, keeper: to ?? handover.keeper });
  }
  const over = clients.length < BATCH;
  if (over) {
    contracts += (await handRestOn(tx, handover)).length;
    await handApprovalsOn(tx, platform, handover);
  }
  await run(
    tx,
    `UPDATE business_handover SET clients = clients + $2, contracts = contracts + $3,
            state = CASE WHEN $4 THEN 'done' ELSE state END, ended_at = CASE WHEN $4 THEN now() END WHERE id = $1`,
    [id, clients.length, contracts, over],
  );
  if (over) await left(tx, handover);
  return !over;
}

/** What waits for the leaver's decision goes to the keeper as to a stand-in. */
async function handApprovalsOn(
  tx: Tx,
  platform: Platform,
  { from, keeper, by }: BusinessHandover,
): Promise<void> {
  const actor = await runOne<{ name: string; tenant_id: number }>(
    tx,
    'SELECT name, tenant_id FROM staff WHERE id = $1',
    [by],
  );
  await moveToStandin(tx, platform, {
    staffId: from,
    standinId: keeper,
    kinds: [],
    caller: { ...SYSTEM, staffId: by, name: actor!.name, tenantId: actor!.tenant_id },
    facts: NO_REQUEST,
  });
}
