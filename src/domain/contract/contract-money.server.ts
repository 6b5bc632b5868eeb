import type { Label } from '../../kernel/contract/label.ts';
import { addDays, businessDayOf } from '../../kernel/contract/time.rules.ts';
import { run, runOne, transaction, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { payerOf } from '../receivable/payer.server.ts';
import { adjustReceivable } from '../receivable/receipt.server.ts';
import {
  issueReceivable,
  lockReceivables,
  tellReceivables,
  voidReceivables,
} from '../receivable/receivable.server.ts';
import { insertLine, lockContract, sumContract, type ContractRow } from './contract-terms.server.ts';
import type { PlanLine } from './plan.rules.ts';
import { settle, type Settlement, type StandingLine } from './settle.rules.ts';

/** SQL: name of party B of a contract `t`. */
export const PARTY_B = `coalesce((SELECT x.name FROM client x WHERE x.id = t.client_id), (SELECT x.name FROM tenant x WHERE x.id = t.merchant_id), t.party_name)`;

interface Line {
  readonly id: number;
  readonly contract_id: number;
  readonly no: number;
  readonly kind: string;
  readonly state: string;
  readonly amount: number;
  readonly due_on: string;
  readonly period_from: string | null;
  readonly period_to: string | null;
}

const NOT_ISSUED: Label = ['该计划行不能生成应收', 'No receivable is issued for this line'];

/**
 * Makes the one receivable of an income line; a repeat finds it issued and changes nothing. Lines of nothing are settled at once.
 * Returns the receivable. Source: group 17, contract.issue.
 */
export async function issueLine(
  tx: Tx,
  id: number,
  staffId: number | null,
  again: 'refuse' | 'leave' = 'refuse',
): Promise<number | null> {
  const about = await runOne<{ contract_id: number }>(
    tx,
    'SELECT contract_id FROM contract_payment WHERE id = $1',
    [id],
  );
  const contract = await lockContract(tx, about!.contract_id);
  const line = (await runOne<Line & { receivable_id: number | null }>(
    tx,
    'SELECT * FROM contract_payment WHERE id = $1 FOR UPDATE',
    [id],
  ))!;
  if (line.state !== 'planned') {
    if (again === 'leave') return line.receivable_id;
    throw ruleBroken(NOT_ISSUED);
  }
  if (
    contract.direction !== 'income' ||
    line.kind === 'deposit_return' ||
    !['active', 'expiring', 'expired', 'terminated'].includes(contract.state)
  )
    throw ruleBroken(NOT_ISSUED);
  if (line.amount <= 0) {
    await setState(tx, id, 'paid');
    return null;
  }
  const { name } = (await runOne<{ name: string }>(
    tx,
    `SELECT left(${PARTY_B}, 60) AS name FROM contract t WHERE t.id = $1`,
    [contract.id],
  ))!;
  const today = businessDayOf(new Date());
  const receivable = await issueReceivable(tx, {
    source: 'contract',
    sourceId: contract.id,
    sourceCode: contract.code,
    payerId: await payerOf(tx, { name }),
    projectId: contract.project_id,
    periodNo: line.no,
    ...(line.period_from && line.period_to ? { period: [line.period_from, line.period_to] as const } : {}),
    postedOn: line.due_on < today ? line.due_on : today,
    dueOn: line.due_on,
    principal: line.amount,
    ownerId: contract.owner_id,
    staffId,
  });
  await run(
    tx,
    `UPDATE contract_payment SET receivable_id = $2, state = 'issued', version = version + 1, updated_at = now() WHERE id = $1`,
    [id, receivable],
  );
  return receivable;
}

const setState = (tx: Tx, id: number, state: string) =>
  run(tx, 'UPDATE contract_payment SET state = $2, version = version + 1, updated_at = now() WHERE id = $1', [
    id,
    state,
  ]);

/** Issues what is due until a day, a transaction each; returns how many. A second run of the day finds nothing. */
export async function issueDue(platform: Platform, until: string): Promise<number> {
  const { db } = platform.database;
  const due = await run<{ id: number }>(
    db,
    `SELECT p.id FROM contract_payment p JOIN contract c ON c.id = p.contract_id
      WHERE p.state = 'planned' AND p.kind <> 'deposit_return' AND p.due_on <= $1 AND c.direction = 'income' AND c.state IN ('active', 'expiring', 'expired', 'terminated')
      ORDER BY p.due_on, p.id`,
    [until],
  );
  for (const { id } of due) await transaction(db, (tx) => issueLine(tx, id, null, 'leave'));
  if (due.length > 0) {
    platform.changed('contractPayment');
    tellReceivables(platform);
  }
  return due.length;
}

/** What is still open of a contract is collected by its new owner; what somebody else was given stays. Source: group 17, transfer. */
export async function handReceivablesOver(
  tx: Tx,
  contractId: number,
  from: number,
  to: number,
): Promise<void> {
  await run(
    tx,
    `UPDATE receivable SET owner_id = $3, version = version + 1, updated_at = now()
      WHERE source_kind = 'contract' AND source_id = $1 AND owner_id = $2 AND state IN ('open', 'part')`,
    [contractId, from, to],
  );
}

/** The lines of a contract as a change of terms looks at them. */
export async function standingLines(tx: Tx, contractId: number): Promise<readonly StandingLine[]> {
  return run<StandingLine>(
    tx,
    `SELECT p.id, p.line_key AS key, p.kind, p.period_from::text AS from, p.period_to::text AS to, p.due_on::text AS "dueOn", p.amount, p.state, p.manual,
            (CASE WHEN p.receivable_id IS NULL THEN p.paid ELSE r.received END)::bigint AS received,
            coalesce((SELECT sum(a.amount) FROM contract_payment a WHERE a.adjusts_id = p.id AND a.state <> 'void'), 0)::bigint AS adjusted
       FROM contract_payment p LEFT JOIN receivable r ON r.id = p.receivable_id WHERE p.contract_id = $1 ORDER BY p.no`,
    [contractId],
  );
}

/** Brings the lines of a contract from its plan so far to a new one: see `settle`. Returns what was done. */
export async function settleContract(
  tx: Tx,
  contract: ContractRow,
  next: readonly PlanLine[],
  was: readonly PlanLine[],
  why: { readonly reason: string; readonly staffId: number | null },
): Promise<readonly Settlement[]> {
  // Receivables before lines, as by receipts, whose money the lines mirror.
  const held = await run<{ receivable_id: number }>(
    tx,
    'SELECT receivable_id FROM contract_payment WHERE contract_id = $1 AND receivable_id IS NOT NULL',
    [contract.id],
  );
  await run(
    tx,
    'SELECT FROM receipt WHERE id IN (SELECT receipt_id FROM receipt_allocation WHERE receivable_id = ANY($1::bigint[])) ORDER BY id FOR UPDATE',
    [held.map((one) => one.receivable_id)],
  );
  await lockReceivables(
    tx,
    held.map((one) => one.receivable_id),
  );
  const done = settle(await standingLines(tx, contract.id), next, was);
  for (const one of done) await carryOut(tx, contract, one, why);
  await sumContract(tx, contract.id);
  return done;
}

async function carryOut(
  tx: Tx,
  contract: ContractRow,
  one: Settlement,
  why: { readonly reason: string; readonly staffId: number | null },
): Promise<void> {
  if (one.op === 'add')
    return insertLine(tx, contract.id, await nextNo(tx, contract.id), one.line, why.staffId);
  if (one.op === 'rebuild') {
    const { line } = one;
    await run(
      tx,
      `UPDATE contract_payment SET amount = $2, period_from = $3, period_to = $4, due_on = $5, explain = $6::jsonb, manual = false, reason = '',
              version = version + 1, updated_at = now(), updated_by = $7 WHERE id = $1`,
      [one.id, line.amount, line.from, line.to, line.dueOn, JSON.stringify(line.explain), why.staffId],
    );
    return;
  }
  if (one.op === 'void') {
    await setState(tx, one.id, 'void');
    return;
  }
  const line = (await runOne<Line & { receivable_id: number | null; name: string }>(
    tx,
    'SELECT * FROM contract_payment WHERE id = $1 FOR UPDATE',
    [one.id],
  ))!;
  if (one.op === 'voidIssued') {
    if (line.receivable_id !== null) {
      await voidReceivables(tx, [line.receivable_id]);
      await writeTimeline(tx, {
        entity: 'receivable',
        entityId: line.receivable_id,
        action: 'void',
        label: ['随合同作废', 'Void with its contract'],
        from: 'open',
        to: 'void',
        remark: contract.code,
      });
    }
    await setState(tx, one.id, 'void');
    return;
  }
  const lowered = one.amount < 0;
  const { id } = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO contract_payment (contract_id, no, kind, line_key, name, period_from, period_to, due_on, amount, explain, reason, adjusts_id, state, created_by, updated_by)
     VALUES ($1, $2, 'adjustment', $3, '', $4, $5, greatest($6::date, (now() AT TIME ZONE 'Asia/Shanghai')::date), $7, '[]', left($8, 200), $9, $10, $11, $11) RETURNING id`,
    [
      contract.id,
      await nextNo(tx, contract.id),
      `adjust:${one.id}`,
      line.period_from,
      line.period_to,
      line.due_on,
      one.amount,
      why.reason,
      one.id,
      lowered ? 'paid' : 'planned',
      why.staffId,
    ],
  ))!;
  if (lowered && line.receivable_id !== null)
    await adjustReceivable(tx, line.receivable_id, {
      amount: one.amount,
      note: `${contract.code} #${id} ${why.reason}`,
      staffId: why.staffId,
    });
  // What was paid out for it is all there is to pay, or more.
  if (lowered && line.receivable_id === null && line.state === 'part')
    await run(
      tx,
      `UPDATE contract_payment p SET state = 'paid', version = version + 1, updated_at = now()
        WHERE p.id = $1 AND p.paid >= p.amount + (SELECT sum(a.amount) FROM contract_payment a WHERE a.adjusts_id = p.id AND a.amount < 0 AND a.state <> 'void')`,
      [line.id],
    );
}

async function nextNo(tx: Tx, contractId: number): Promise<number> {
  return (await runOne<{ no: number }>(
    tx,
    'SELECT coalesce(max(no), 0) + 1 AS no FROM contract_payment WHERE contract_id = $1',
    [contractId],
  ))!.no;
}

/** What of the deposit came in and was not returned yet, in fen. */
export async function depositHeld(tx: Tx, contractId: number): Promise<number> {
  const row = await runOne<{ held: number }>(
    tx,
    `SELECT (coalesce(sum(CASE p.kind WHEN 'deposit' THEN coalesce(r.received, p.paid) ELSE -p.amount END), 0))::bigint AS held
       FROM contract_payment p LEFT JOIN receivable r ON r.id = p.receivable_id
      WHERE p.contract_id = $1 AND p.state <> 'void' AND p.kind IN ('deposit', 'deposit_return')`,
    [contractId],
  );
  return row!.held;
}

/** Plans the return of a deposit, due on the day the contract ends. */
export async function returnDeposit(
  tx: Tx,
  contract: ContractRow,
  amount: number,
  dueOn: string,
  why: { readonly reason: string; readonly staffId: number | null },
): Promise<void> {
  if (amount <= 0) return;
  await run(
    tx,
    `INSERT INTO contract_payment (contract_id, no, kind, line_key, due_on, amount, reason, created_by, updated_by)
     VALUES ($1, $2, 'deposit_return', 'deposit_return', $3, $4, left($5, 200), $6, $6)`,
    [contract.id, await nextNo(tx, contract.id), dueOn, amount, why.reason, why.staffId],
  );
}

/** Last day lines are issued for: some days ahead of today. */
export async function issueUntil(platform: Platform, today: string): Promise<string> {
  return addDays(today, await platform.settings.number('contract.receivable_lead_days'));
}
