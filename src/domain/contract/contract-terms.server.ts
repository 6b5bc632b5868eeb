import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { contractAmount, planOf, type PlanLine, type PlanTerms, type PriceStep } from './plan.rules.ts';

/** A contract as the commands lock it; amounts are fen, days are text. */
export interface ContractRow {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly direction: 'income' | 'expense';
  readonly kind_id: number;
  readonly project_id: number;
  readonly party_a_id: number;
  readonly client_id: number | null;
  readonly merchant_id: number | null;
  readonly party_name: string;
  readonly licence_no: string;
  readonly contact: string;
  readonly contact_phone: string;
  readonly owner_id: number;
  readonly starts_on: string;
  readonly ends_on: string;
  readonly price_basis: PlanTerms['basis'];
  readonly prorate: PlanTerms['prorate'];
  readonly pay_interval: PlanTerms['interval'];
  readonly pay_timing: PlanTerms['timing'];
  readonly due_offset: number;
  readonly price: number;
  readonly tax_rate: number;
  readonly deposit: number;
  readonly deposit_due_on: string | null;
  readonly auto_renew_months: number;
  readonly notice_days: number;
  readonly renew_of: number | null;
  readonly state: string;
  readonly amount: number;
  readonly terminated_on: string | null;
  readonly submitted_by: number | null;
}

export interface PositionRow {
  readonly place_id: number;
  readonly code?: string;
  readonly from_on: string;
  readonly to_on: string;
  readonly price: number;
}
export interface StepRow {
  readonly from_month: number;
  readonly kind: PriceStep['kind'];
  /** Percent with two decimals, as text or number. */
  readonly rate: string | number | null;
  readonly amount: number | null;
}

/** What hangs on a contract. */
export interface ContractParts {
  readonly positions: readonly PositionRow[];
  readonly steps: readonly StepRow[];
  readonly free: readonly { readonly from_on: string; readonly to_on: string }[];
  readonly fees: readonly { readonly name: string; readonly amount: number; readonly due_on: string }[];
  readonly manual: readonly { readonly no: number; readonly amount: number; readonly reason: string }[];
}

/** A contract, locked for the transaction. */
export async function lockContract(tx: Tx, id: number): Promise<ContractRow> {
  return (await runOne<ContractRow>(tx, 'SELECT * FROM contract WHERE id = $1 FOR UPDATE', [id]))!;
}

/** Reads what hangs on a contract. */
export async function partsOf(db: Executor, id: number): Promise<ContractParts> {
  const read = <T extends object>(text: string) => run<T>(db, text, [id]);
  return {
    positions: await read(
      `SELECT x.place_id, p.code, x.from_on::text AS from_on, x.to_on::text AS to_on, x.price FROM contract_position x JOIN position p ON p.id = x.place_id
        WHERE x.contract_id = $1 ORDER BY x.position, x.id`,
    ),
    steps: await read(
      'SELECT from_month, kind, rate::text AS rate, amount FROM contract_price_step WHERE contract_id = $1 ORDER BY from_month, position',
    ),
    free: await read(
      'SELECT from_on::text AS from_on, to_on::text AS to_on FROM contract_free_period WHERE contract_id = $1 ORDER BY from_on',
    ),
    fees: await read(
      'SELECT name, amount, due_on::text AS due_on FROM contract_fee WHERE contract_id = $1 ORDER BY position',
    ),
    manual: await read(
      'SELECT no, amount, reason FROM contract_manual_line WHERE contract_id = $1 ORDER BY position',
    ),
  };
}

/** Terms of the plan of a contract. Without positions the price of the contract itself counts. */
export function termsOf(
  row: Pick<
    ContractRow,
    | 'starts_on'
    | 'ends_on'
    | 'price_basis'
    | 'prorate'
    | 'pay_interval'
    | 'pay_timing'
    | 'due_offset'
    | 'price'
    | 'deposit'
    | 'deposit_due_on'
  >,
  parts: Omit<ContractParts, 'manual'>,
  stopOn?: string,
): PlanTerms {
  return {
    startsOn: row.starts_on,
    endsOn: row.ends_on,
    basis: row.price_basis,
    prorate: row.prorate,
    interval: row.pay_interval,
    timing: row.pay_timing,
    dueOffset: row.due_offset,
    positions:
      parts.positions.length > 0
        ? parts.positions.map((one) => ({
            label: one.code ?? '',
            from: one.from_on,
            to: one.to_on,
            price: one.price,
          }))
        : [{ label: '', from: row.starts_on, to: row.ends_on, price: row.price }],
    steps: parts.steps.map((one) => ({
      fromMonth: one.from_month,
      kind: one.kind,
      value: one.kind === 'percent' ? Math.round(Number(one.rate) * 100) : Number(one.amount),
    })),
    free: parts.free.map((one) => ({ from: one.from_on, to: one.to_on })),
    fees: parts.fees.map((one) => ({ name: one.name, amount: one.amount, dueOn: one.due_on })),
    deposit: row.deposit,
    depositDueOn: row.deposit_due_on,
    ...(stopOn === undefined ? {} : { stopOn }),
  };
}

/** Writes the plan of a contract nobody has decided about yet in place of the one before. */
export async function writePlan(
  tx: Tx,
  id: number,
  terms: PlanTerms,
  manual: ContractParts['manual'],
  staffId: number | null,
): Promise<readonly PlanLine[]> {
  const lines = planOf(terms);
  await run(tx, 'DELETE FROM contract_payment WHERE contract_id = $1', [id]);
  let amount = contractAmount(lines);
  for (const [index, line] of lines.entries()) {
    const hand = manual.find((one) => one.no === index + 1);
    if (hand && line.kind !== 'deposit') amount += hand.amount - line.amount;
    await insertLine(
      tx,
      id,
      index + 1,
      hand ? { ...line, amount: hand.amount } : line,
      staffId,
      hand?.reason,
    );
  }
  await run(tx, 'UPDATE contract SET amount = $2 WHERE id = $1', [id, amount]);
  return lines;
}

/** Adds a line of a plan. `reason`: it was set by hand. */
export async function insertLine(
  tx: Tx,
  contractId: number,
  no: number,
  line: PlanLine,
  staffId: number | null,
  reason?: string,
): Promise<void> {
  await run(
    tx,
    `INSERT INTO contract_payment (contract_id, no, kind, line_key, name, period_from, period_to, due_on, amount, explain, manual, reason, created_by, updated_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11, $12, $13, $13)`,
    [
      contractId,
      no,
      line.kind,
      line.key,
      line.name,
      line.from,
      line.to,
      line.dueOn,
      line.amount,
      JSON.stringify(line.explain),
      reason !== undefined,
      reason ?? '',
      staffId,
    ],
  );
}

/** Keeps the amount of a contract equal to its lines. */
export async function sumContract(tx: Tx, id: number): Promise<void> {
  await run(
    tx,
    `UPDATE contract SET amount = (SELECT coalesce(sum(p.amount), 0) FROM contract_payment p
       WHERE p.contract_id = $1 AND p.state <> 'void' AND p.kind IN ('rent', 'fee', 'adjustment')) WHERE id = $1`,
    [id],
  );
}

const VERSIONED = [
  'name',
  'direction',
  'party_a_id',
  'client_id',
  'merchant_id',
  'party_name',
  'licence_no',
  'contact',
  'contact_phone',
  'starts_on',
  'ends_on',
  'price_basis',
  'prorate',
  'pay_interval',
  'pay_timing',
  'due_offset',
  'price',
  'deposit',
  'amount',
  'terminated_on',
] as const;

/** Keeps a contract as it stands as its next version, with what differs from the one before. */
export async function keepContractVersion(
  tx: Tx,
  id: number,
  why: { readonly reason: string; readonly instanceId: number | null; readonly staffId: number | null },
): Promise<void> {
  const row = await lockContract(tx, id);
  const parts = await partsOf(tx, id);
  const snapshot: Record<string, unknown> = {
    ...Object.fromEntries(VERSIONED.map((name) => [name, row[name as keyof ContractRow] ?? null])),
    positions: parts.positions,
    steps: parts.steps,
    free: parts.free,
    fees: parts.fees,
  };
  const last = await runOne<{ no: number; snapshot: Record<string, unknown> }>(
    tx,
    'SELECT no, snapshot FROM contract_version WHERE contract_id = $1 ORDER BY no DESC LIMIT 1',
    [id],
  );
  const diff = last
    ? Object.keys(snapshot)
        .filter((name) => JSON.stringify(snapshot[name]) !== JSON.stringify(last.snapshot[name]))
        .map((field) => ({ field, before: last.snapshot[field] ?? null, after: snapshot[field] }))
    : [];
  await run(
    tx,
    `INSERT INTO contract_version (contract_id, no, snapshot, diff, reason, instance_id, created_by) VALUES ($1, $2, $3::jsonb, $4::jsonb, $5, $6, $7)`,
    [
      id,
      (last?.no ?? 0) + 1,
      JSON.stringify(snapshot),
      JSON.stringify(diff),
      why.reason,
      why.instanceId,
      why.staffId,
    ],
  );
}
