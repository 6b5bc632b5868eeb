import {
  BUSINESS_OFFSET_MINUTES,
  businessDayOf,
  startOfBusinessDay,
} from '../../kernel/contract/time.rules.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { SettingsReader } from '../../kernel/server/settings/settings-store.ts';
import {
  bookTransfer,
  LINE_KINDS,
  noteUses,
  type LedgerSource,
  type LedgerUnit,
} from './ledger-book.server.ts';

/** What every movement may carry. */
export interface MovementFacts {
  readonly source: LedgerSource;
  readonly unit?: LedgerUnit;
  readonly staffId?: number;
  readonly note?: string;
  /** When it happens; absent: the database's clock. */
  readonly at?: Date | undefined;
  /** Line of the statement, one of LINE_KINDS; absent: what the command is by itself. */
  readonly kind?: number;
}

/** A row of points_lot_use with its lot's owner. */
export interface LotUse {
  readonly id: number;
  readonly transferId: number;
  readonly lotId: number;
  readonly amount: number;
  readonly returned: number;
  readonly expired: boolean;
  readonly owner: string;
  readonly unit: LedgerUnit;
}

/** A part of a use that goes back. */
export interface ReturnPart {
  readonly use: LotUse;
  readonly amount: number;
}

/** A part of a lot. */
export interface LotPart {
  readonly lotId: number;
  readonly amount: number;
}

/** Locked lots a member can spend of, in the order of spending. Source: group 22, rule 2. */
export async function openLots(
  tx: Tx,
  accountId: number,
  at?: Date,
): Promise<{ id: number; remaining: number }[]> {
  return run(
    tx,
    `SELECT id, remaining FROM points_lot
      WHERE account_id = $1 AND remaining > 0 AND (expires_at IS NULL OR expires_at > coalesce($2::timestamptz, clock_timestamp()))
      ORDER BY expires_at NULLS LAST, granted_at, id FOR UPDATE`,
    [accountId, at ?? null],
  );
}

/** What lots give of an amount, in their order; less where they hold less. */
export function partsOf(lots: readonly { id: number; remaining: number }[], amount: number): LotPart[] {
  const parts: LotPart[] = [];
  let missing = amount;
  for (const lot of lots) {
    const part = Math.min(missing, lot.remaining);
    if (part > 0) parts.push({ lotId: lot.id, amount: part });
    missing -= part;
    if (missing === 0) break;
  }
  return parts;
}

/** Lots that give an amount, in the order of spending. Throws 30101 (积分不足). Source: group 22, rule 2. */
export async function takeLots(tx: Tx, accountId: number, amount: number, at?: Date): Promise<LotPart[]> {
  const parts = partsOf(await openLots(tx, accountId, at), amount);
  const available = parts.reduce((sum, part) => sum + part.amount, 0);
  if (available === amount) return parts;
  throw ruleBroken([
    `积分不足：可用 ${available}，需要 ${amount}`,
    `Not enough points: ${available} available, ${amount} needed`,
  ]);
}

/** The locked lot uses of a transfer, in their order. */
export async function usesOf(
  tx: Tx,
  source: LedgerSource,
  kinds: readonly string[],
  at?: Date,
): Promise<LotUse[]> {
  return run<LotUse>(
    tx,
    `SELECT u.id, u.transfer_id AS "transferId", u.lot_id AS "lotId", u.amount, u.returned, a.owner, a.unit,
            (l.expires_at IS NOT NULL AND l.expires_at <= coalesce($5::timestamptz, clock_timestamp())) AS expired
       FROM ledger_transfer t JOIN points_lot_use u ON u.transfer_id = t.id
       JOIN points_lot l ON l.id = u.lot_id JOIN ledger_account a ON a.id = l.account_id
      WHERE t.source_type = $1 AND t.source_id = $2 AND t.purpose = $3 AND u.kind = ANY($4::text[])
      ORDER BY u.seq FOR UPDATE OF u, l`,
    [source.type, source.id, source.purpose, kinds, at ?? null],
  );
}

/** Parts of uses that sum to the amount, in the order given; undefined when less is left. */
export function takeBack(uses: readonly LotUse[], amount: number): ReturnPart[] | undefined {
  const parts: ReturnPart[] = [];
  let missing = amount;
  for (const use of uses) {
    const part = Math.min(missing, use.amount - use.returned);
    if (part > 0) parts.push({ use, amount: part });
    missing -= part;
  }
  return missing === 0 ? parts : undefined;
}

/** Books points back to a member from where they are, into living lots, child lots or nothing (rule 6). */
export async function bookReturn(
  tx: Tx,
  settings: SettingsReader,
  facts: MovementFacts,
  unit: LedgerUnit,
  availableId: number,
  from: number | 'points_redeemed',
  parts: readonly ReturnPart[],
  kind: 'refund' | 'release',
): Promise<number> {
  const dead = parts.filter((part) => part.use.expired);
  const policy = dead.length > 0 ? await expiredLotPolicy(tx, settings) : 'extend';
  const lapsed = policy === 'forfeit' ? dead.reduce((sum, part) => sum + part.amount, 0) : 0;
  const all = parts.reduce((sum, part) => sum + part.amount, 0);
  const transferId = await bookTransfer(
    tx,
    facts.source,
    unit,
    [
      { account: from, amount: -all },
      { account: availableId, amount: all - lapsed },
      { account: 'points_expired', amount: lapsed },
    ],
    {
      ...facts,
      memberId: Number(parts[0]!.use.owner),
      kind: facts.kind ?? (kind === 'refund' ? LINE_KINDS.refund : LINE_KINDS.hold),
      ...(kind === 'refund' ? { reverses: parts[0]!.use.transferId } : {}),
    },
  );
  const given: { lotId: number; amount: number }[] = [];
  for (const part of parts) {
    await run(tx, 'UPDATE points_lot_use SET returned = returned + $2 WHERE id = $1', [
      part.use.id,
      part.amount,
    ]);
    if (!part.use.expired) {
      await run(tx, 'UPDATE points_lot SET remaining = remaining + $2 WHERE id = $1', [
        part.use.lotId,
        part.amount,
      ]);
      given.push({ lotId: part.use.lotId, amount: part.amount });
    } else if (policy !== 'forfeit') {
      const child = await runOne<{ id: number }>(
        tx,
        `INSERT INTO points_lot (account_id, amount, remaining, expires_at, transfer_id, parent_lot, budget_id, granted_at)
         SELECT $1, $2, $2, $3, $4, $5, p.budget_id, coalesce($6::timestamptz, clock_timestamp()) FROM points_lot p WHERE p.id = $5 RETURNING id`,
        [
          availableId,
          part.amount,
          endOfDay(facts.at ?? (await now(tx)), await settings.numberIn(tx, 'points.refund.extend_days')),
          transferId,
          part.use.lotId,
          facts.at ?? null,
        ],
      );
      given.push({ lotId: child!.id, amount: part.amount });
    }
  }
  await noteUses(tx, transferId, kind, given);
  return transferId;
}

/** Read over the transaction's own connection: asking the pool from inside would wait for itself when all are busy. */
async function expiredLotPolicy(tx: Tx, settings: SettingsReader): Promise<string> {
  const key = 'points.refund.expired_lot_policy';
  const row = await runOne<{ value: unknown }>(tx, 'SELECT value FROM setting WHERE key = $1', [key]);
  return String(row ? row.value : settings.defaultOf(key));
}

/** The database's clock. */
export async function now(tx: Tx): Promise<Date> {
  return (await runOne<{ at: Date }>(tx, 'SELECT clock_timestamp() AS at'))!.at;
}

/** 23:59:59 of the last day of the month so many months after this one; null for 0. Source: group 22, rule 3. */
export function expiryOf(at: Date, months: number): Date | null {
  if (months === 0) return null;
  const local = new Date(at.getTime() + BUSINESS_OFFSET_MINUTES * 60_000);
  const after = Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + months + 1, 1);
  return new Date(after - BUSINESS_OFFSET_MINUTES * 60_000 - 1_000);
}

/** 23:59:59 of the business day so many days after this one. Source: group 22, rule 6. */
export function endOfDay(at: Date, days: number): Date {
  return new Date(startOfBusinessDay(businessDayOf(at)).getTime() + (days + 1) * 86_400_000 - 1_000);
}
