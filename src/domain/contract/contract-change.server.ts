import type { Label } from '../../kernel/contract/label.ts';
import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import { addDays, businessDayOf } from '../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { staffIdOf, type Caller, type RequestFacts } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { submitApproval } from '../approval/approve.server.ts';
import { cutLeases, holdForContract, leaseForContract } from './contract-occupancy.server.ts';
import {
  keepContractVersion,
  lockContract,
  partsOf,
  termsOf,
  type ContractParts,
  type ContractRow,
  type PositionRow,
} from './contract-terms.server.ts';
import { depositHeld, returnDeposit, settleContract, standingLines } from './contract-money.server.ts';
import { planOf } from './plan.rules.ts';
import { settle, type Settlement, type StandingLine } from './settle.rules.ts';

/** Kinds of changes of a contract. */
export const CHANGE_KINDS = {
  party: { label: ['变更乙方', 'Party B'] },
  term: { label: ['变更期限', 'Term'] },
  price: { label: ['变更价格', 'Price'] },
  position: { label: ['变更点位', 'Positions'] },
  terminate: { label: ['终止', 'Termination'] },
} as const;
export type ChangeKind = keyof typeof CHANGE_KINDS;

/** What a change sets: columns of the contract, and the parts that are replaced. */
export interface ChangeAfter {
  readonly columns: Readonly<Record<string, unknown>>;
  readonly positions?: ContractParts['positions'];
  readonly steps?: ContractParts['steps'];
}

/** A change as it is stored. */
export interface ChangeRow {
  readonly id: number;
  readonly contract_id: number;
  readonly kind: ChangeKind;
  readonly effective_on: string;
  readonly before: ChangeAfter;
  readonly after: ChangeAfter;
  readonly reason: string;
  readonly end_reason_id: number | null;
  readonly settlement: readonly { readonly reason: string; readonly amount: number }[];
  readonly state: string;
}

/** Reads a change. */
export const readChangeOf = (db: Executor, id: number) =>
  runOne<ChangeRow>(
    db,
    `SELECT id, contract_id, kind, effective_on::text AS effective_on, before, after, reason, end_reason_id, settlement, state FROM contract_change WHERE id = $1`,
    [id],
  );

/** A contract as a change leaves it. */
export function changed(
  contract: ContractRow,
  parts: ContractParts,
  change: Pick<ChangeRow, 'kind' | 'effective_on' | 'after'>,
) {
  const row = { ...contract, ...change.after.columns } as ContractRow;
  const next: ContractParts = {
    ...parts,
    ...(change.after.positions ? { positions: change.after.positions } : {}),
    ...(change.after.steps ? { steps: change.after.steps } : {}),
  };
  return {
    row,
    parts: next,
    lines: planOf(termsOf(row, next, change.kind === 'terminate' ? change.effective_on : undefined)),
  };
}

/** Positions as they are let until a day, and what follows from then on. */
export function positionsFrom(
  before: ContractParts['positions'],
  effectiveOn: string,
  next: ContractParts['positions'],
): ContractParts['positions'] {
  const rows: PositionRow[] = before
    .filter((one) => one.from_on < effectiveOn)
    .map((one) => ({ ...one, to_on: one.to_on < effectiveOn ? one.to_on : addDays(effectiveOn, -1) }));
  for (const one of next) {
    const from = one.from_on < effectiveOn ? effectiveOn : one.from_on;
    const joined = rows.findIndex(
      (row) => row.place_id === one.place_id && row.price === one.price && addDays(row.to_on, 1) === from,
    );
    if (joined >= 0) rows[joined] = { ...rows[joined]!, to_on: one.to_on };
    else rows.push({ ...one, from_on: from });
  }
  return rows;
}

/** Positions within a term that ends on another day: those that ran to the old end run to the new one. */
export function positionsUntil(
  before: ContractParts['positions'],
  oldEnd: string,
  end: string,
): ContractParts['positions'] {
  return before
    .filter((one) => one.from_on <= end)
    .map((one) => ({ ...one, to_on: one.to_on === oldEnd || one.to_on > end ? end : one.to_on }));
}

/** What a change would do to the lines of a contract. */
export async function previewChange(
  tx: Tx,
  contract: ContractRow,
  change: Pick<ChangeRow, 'kind' | 'effective_on' | 'after'>,
): Promise<{ readonly before: readonly StandingLine[]; readonly done: readonly Settlement[] }> {
  const before = await standingLines(tx, contract.id);
  const parts = await partsOf(tx, contract.id);
  return {
    before,
    done: settle(before, changed(contract, parts, change).lines, planOf(termsOf(contract, parts))),
  };
}

/** What is handed in. */
export interface AskedChange {
  readonly kind: ChangeKind;
  readonly effectiveOn: string;
  readonly after: ChangeAfter;
  readonly reason: string;
  readonly endReasonId?: number;
  readonly settlement?: ChangeRow['settlement'];
  readonly files?: readonly string[];
}

const OPEN: Label = ['已有进行中的变更', 'A change of it is in review already'];

/**
 * Hands a change of a locked contract in for approval; new days of positions are held from now on. One change is open at a time.
 * Returns its id. Source: group 17, change kinds.
 */
export async function submitChange(
  context: {
    readonly tx: Tx;
    readonly platform: Platform;
    readonly caller: Caller;
    readonly facts: RequestFacts;
  },
  contract: ContractRow,
  asked: AskedChange,
): Promise<number> {
  const { tx, platform, caller, facts } = context;
  if (contract.terminated_on !== null)
    throw ruleBroken(['合同已批准终止，不能变更', 'Its termination is approved, it is changed no more']);
  const parts = await partsOf(tx, contract.id);
  const before: ChangeAfter = {
    columns: Object.fromEntries(
      Object.keys(asked.after.columns).map((name) => [name, contract[name as keyof ContractRow] ?? null]),
    ),
    ...(asked.after.positions ? { positions: parts.positions } : {}),
    ...(asked.after.steps ? { steps: parts.steps } : {}),
  };
  const made = await runOne<{ id: number }>(
    tx,
    `INSERT INTO contract_change (contract_id, kind, effective_on, before, after, reason, end_reason_id, settlement, file_ids, created_by)
     VALUES ($1, $2, $3, $4::jsonb, $5::jsonb, $6, $7, $8::jsonb, $9, $10)
     ON CONFLICT (contract_id) WHERE state IN ('draft', 'in_review') DO NOTHING RETURNING id`,
    [
      contract.id,
      asked.kind,
      asked.effectiveOn,
      JSON.stringify(before),
      JSON.stringify(asked.after),
      asked.reason,
      asked.endReasonId ?? null,
      JSON.stringify(asked.settlement ?? []),
      asked.files ?? [],
      staffIdOf(caller),
    ],
  );
  if (!made) throw ruleBroken(OPEN);
  if (asked.after.positions && asked.kind !== 'terminate')
    await holdForContract(
      tx,
      caller,
      {
        id: contract.id,
        projectId: contract.project_id,
        clientId: contract.client_id,
        name: contract.name,
      },
      asked.after.positions.filter((one) => one.to_on >= businessDayOf(new Date())),
      made.id,
    );
  const net = netOf(
    (
      await previewChange(tx, contract, {
        kind: asked.kind,
        effective_on: asked.effectiveOn,
        after: asked.after,
      })
    ).done,
    await standingLines(tx, contract.id),
  );
  const ends = asked.kind === 'terminate';
  const { label } = CHANGE_KINDS[asked.kind];
  const word: Label = ends ? ['合同终止', 'Contract termination'] : ['合同变更', 'Contract change'];
  const money = `¥${yuanFromFen(net)}`;
  await submitApproval(
    tx,
    platform,
    {
      kind: ends ? 'contract_terminate' : 'contract_change',
      bizId: made.id,
      tenantId: caller.tenantId,
      projectId: contract.project_id,
      title: [`${word[0]} ${contract.code} ${contract.name}`, `${word[1]} ${contract.code} ${contract.name}`],
      summary: [
        { label: ['类型', 'Kind'], value: label },
        { label: ['生效日', 'Effective'], value: [asked.effectiveOn, asked.effectiveOn] },
        { label: ['金额变化', 'Net'], value: [money, money] },
        { label: ['原因', 'Reason'], value: [asked.reason || '—', asked.reason || '—'] },
      ],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  return made.id;
}

/** What lines come to more (or less) by what is done to them, the deposit apart. */
export function netOf(done: readonly Settlement[], before: readonly StandingLine[]): number {
  const of = (id: number) => before.find((line) => line.id === id)!;
  return done.reduce((sum, one) => {
    if (one.op === 'add') return one.line.kind === 'deposit' ? sum : sum + one.line.amount;
    if (one.op === 'adjust') return sum + one.amount;
    const line = of(one.id);
    if (line.kind === 'deposit') return sum;
    return one.op === 'rebuild' ? sum + one.line.amount - line.amount : sum - line.amount;
  }, 0);
}

/** Carries an approved change out: terms, lines, positions and the next version. */
export async function applyChange(
  tx: Tx,
  change: ChangeRow,
  why: { readonly instanceId: number | null; readonly staffId: number | null },
): Promise<void> {
  const contract = await lockContract(tx, change.contract_id);
  if (!['active', 'expiring'].includes(contract.state) || contract.terminated_on !== null)
    throw ruleBroken(['合同已结束，不能变更', 'The contract is over, it is changed no more']);
  const old = await partsOf(tx, contract.id);
  const { row, parts, lines } = changed(contract, old, change);
  const reason = change.reason || CHANGE_KINDS[change.kind].label[0];
  await settleContract(tx, row, lines, planOf(termsOf(contract, old)), { reason, staffId: why.staffId });
  if (change.after.positions) {
    await leaseForContract(tx, contract.id, change.id);
    await cutLeases(tx, contract.id, parts.positions);
    await run(tx, 'DELETE FROM contract_position WHERE contract_id = $1', [contract.id]);
    for (const [index, one] of parts.positions.entries())
      await run(
        tx,
        'INSERT INTO contract_position (contract_id, position, place_id, from_on, to_on, price) VALUES ($1, $2, $3, $4, $5, $6)',
        [contract.id, index + 1, one.place_id, one.from_on, one.to_on, one.price],
      );
  }
  if (change.after.steps) {
    await run(tx, 'DELETE FROM contract_price_step WHERE contract_id = $1', [contract.id]);
    for (const [index, one] of parts.steps.entries())
      await run(
        tx,
        'INSERT INTO contract_price_step (contract_id, position, from_month, kind, rate, amount) VALUES ($1, $2, $3, $4, $5, $6)',
        [contract.id, index + 1, one.from_month, one.kind, one.rate, one.amount],
      );
  }
  const columns = Object.entries(change.after.columns);
  if (change.kind === 'terminate')
    columns.push(['terminated_on', change.effective_on], ['end_reason_id', change.end_reason_id]);
  // A term that was moved on is not about to end any more until the job says so.
  const due = change.kind === 'terminate' && change.effective_on <= businessDayOf(new Date());
  const state = due ? 'terminated' : change.kind === 'term' ? 'active' : contract.state;
  if (change.kind === 'terminate') {
    const kept = change.settlement.reduce((sum, one) => sum + one.amount, 0);
    const held = await depositHeld(tx, contract.id);
    if (kept > held) throw ruleBroken(['扣款超过已收押金', 'More is kept than the deposit that came in']);
    await returnDeposit(tx, contract, held - kept, change.effective_on, {
      reason: change.settlement.map((one) => `${one.reason} ${yuanFromFen(one.amount)}`).join('；'),
      staffId: why.staffId,
    });
  }
  await run(
    tx,
    `UPDATE contract SET ${columns.map(([name], index) => `"${name}" = $${index + 3}, `).join('')} state = $2, version = version + 1, updated_at = now() WHERE id = $1`,
    [contract.id, state, ...columns.map(([, value]) => value)],
  );
  await keepContractVersion(tx, contract.id, { ...why, reason });
}
