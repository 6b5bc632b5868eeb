import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { SettingsReader } from '../../kernel/server/settings/settings-store.ts';
import {
  bookTransfer,
  LINE_KINDS,
  lockMembers,
  noteUses,
  transferOf,
  type LedgerSource,
  type LedgerUnit,
} from './ledger-book.server.ts';
import { bookReturn, takeBack, takeLots, usesOf, type MovementFacts } from './points-lots.server.ts';
import { requireUsable } from './points-freeze.server.ts';

/** What a ledger command did. `repeated`: the source had been booked before and nothing was booked now. */
export interface Booked {
  readonly transferId: number;
  /** Whole points or coins moved by the first booking. */
  readonly amount: number;
  readonly repeated: boolean;
}

/** Source of the points an order holds: {@link holdPoints} at creation. */
export function orderHoldSource(orderId: number): LedgerSource {
  return { type: 'sales_order', id: String(orderId), purpose: 'hold' };
}

/** Source of the points an order has spent: {@link capturePoints} at payment; refunds go back to it. */
export function orderSpendSource(orderId: number): LedgerSource {
  return { type: 'sales_order', id: String(orderId), purpose: 'capture' };
}

/** Source of the points an unpaid order gave back: {@link releasePoints} at closing. */
export function orderReleaseSource(orderId: number): LedgerSource {
  return { type: 'sales_order', id: String(orderId), purpose: 'release' };
}

/**
 * Available → held, by lot in the order of spending. Throws 30101 (积分不足) when less is available.
 * Source: group 22, hold; rule 2.
 */
export async function holdPoints(
  tx: Tx,
  hold: MovementFacts & { readonly memberId: number; readonly amount: number },
): Promise<Booked> {
  requireAmount(hold.amount);
  const unit = hold.unit ?? 'point';
  const [account] = await lockMembers(tx, [hold.memberId], unit);
  const first = await transferOf(tx, hold.source);
  if (first) return again(first);
  await requireUsable(tx, hold.memberId, hold.at);
  const parts = await takeLots(tx, account!.availableId, hold.amount, hold.at);
  const transferId = await bookTransfer(
    tx,
    hold.source,
    unit,
    [
      { account: account!.availableId, amount: -hold.amount },
      { account: account!.heldId, amount: hold.amount },
    ],
    { ...hold, kind: hold.kind ?? LINE_KINDS.hold },
  );
  for (const part of parts)
    await run(tx, 'UPDATE points_lot SET remaining = remaining - $2, held = held + $2 WHERE id = $1', [
      part.lotId,
      part.amount,
    ]);
  await noteUses(tx, transferId, 'hold', parts);
  return { transferId, amount: hold.amount, repeated: false };
}

/**
 * Held → redeemed for everything a hold still holds; the capture takes over its lots in the same order.
 * Throws 30101 when the hold does not exist or holds nothing any more. Source: group 22, capture.
 */
export async function capturePoints(
  tx: Tx,
  capture: MovementFacts & { readonly hold: LedgerSource },
): Promise<Booked> {
  return endHold(tx, capture, 'capture');
}

/**
 * Held → available, back into the same lots, the one taken last first: an amount, or everything a hold still holds. A lot that
 * expired meanwhile follows rule 6. Throws 30101 when the hold does not exist or holds less. Source: group 22, release.
 */
export async function releasePoints(
  tx: Tx,
  settings: SettingsReader,
  release: MovementFacts & { readonly hold: LedgerSource; readonly amount?: number },
): Promise<Booked> {
  return endHold(tx, release, 'release', settings);
}

/** Available → redeemed at once. Throws 30101 (积分不足) when less is available. Source: group 22, spend. */
export async function spendPoints(
  tx: Tx,
  spend: MovementFacts & { readonly memberId: number; readonly amount: number },
): Promise<Booked> {
  requireAmount(spend.amount);
  const unit = spend.unit ?? 'point';
  const [account] = await lockMembers(tx, [spend.memberId], unit);
  const first = await transferOf(tx, spend.source);
  if (first) return again(first);
  await requireUsable(tx, spend.memberId, spend.at);
  const parts = await takeLots(tx, account!.availableId, spend.amount, spend.at);
  const transferId = await bookTransfer(
    tx,
    spend.source,
    unit,
    [
      { account: account!.availableId, amount: -spend.amount },
      { account: 'points_redeemed', amount: spend.amount },
    ],
    { ...spend, kind: spend.kind ?? LINE_KINDS.redemption },
  );
  for (const part of parts)
    await run(tx, 'UPDATE points_lot SET remaining = remaining - $2 WHERE id = $1', [
      part.lotId,
      part.amount,
    ]);
  await noteUses(tx, transferId, 'spend', parts);
  return { transferId, amount: spend.amount, repeated: false };
}

/**
 * Redeemed → available: back into the lots a spend or capture took from, the one used last first. A lot that expired
 * meanwhile gives a child lot, or its points lapse, by `points.refund.expired_lot_policy`. Throws 30101
 * (退回超过已用积分) when more than the rest of the spend is asked for. Source: group 22, refund; rules 5 and 6.
 */
export async function refundPoints(
  tx: Tx,
  settings: SettingsReader,
  refund: MovementFacts & {
    readonly memberId: number;
    readonly spend: LedgerSource;
    readonly amount: number;
  },
): Promise<Booked> {
  requireAmount(refund.amount);
  const unit = refund.unit ?? 'point';
  const [account] = await lockMembers(tx, [refund.memberId], unit);
  const first = await transferOf(tx, refund.source);
  if (first) return again(first);
  const uses = await usesOf(tx, refund.spend, ['capture', 'spend'], refund.at);
  if (uses.some((use) => use.owner !== String(refund.memberId)))
    throw new Error('the spend belongs to another member');
  const parts = takeBack([...uses].reverse(), refund.amount);
  if (!parts) throw ruleBroken(['退回超过已用积分', 'Refund exceeds points used']);
  const transferId = await bookReturn(
    tx,
    settings,
    refund,
    unit,
    account!.availableId,
    'points_redeemed',
    parts,
    'refund',
  );
  return { transferId, amount: refund.amount, repeated: false };
}

/** Points or coins a member can spend now: what is left in lots that have not expired. */
export async function spendablePoints(
  db: Executor,
  memberId: number,
  unit: LedgerUnit = 'point',
  at?: Date,
): Promise<number> {
  const row = await runOne<{ left: number }>(
    db,
    `SELECT coalesce(sum(l.remaining), 0)::bigint AS left FROM points_lot l JOIN ledger_account a ON a.id = l.account_id
      WHERE a.kind = 'points_available' AND a.owner = $1 AND a.unit = $2
        AND (l.expires_at IS NULL OR l.expires_at > coalesce($3::timestamptz, clock_timestamp()))`,
    [String(memberId), unit, at ?? null],
  );
  return row!.left;
}

/** Points and coins a member can spend now, as {@link spendablePoints} has each. */
export async function spendableOf(
  db: Executor,
  memberId: number,
): Promise<{ readonly point: number; readonly coin: number }> {
  const rows = await run<{ unit: LedgerUnit; left: number }>(
    db,
    `SELECT a.unit, sum(l.remaining)::bigint AS left FROM points_lot l JOIN ledger_account a ON a.id = l.account_id
      WHERE a.kind = 'points_available' AND a.owner = $1 AND (l.expires_at IS NULL OR l.expires_at > clock_timestamp()) GROUP BY a.unit`,
    [String(memberId)],
  );
  const left = (unit: LedgerUnit) => rows.find((row) => row.unit === unit)?.left ?? 0;
  return { point: left('point'), coin: left('coin') };
}

async function endHold(
  tx: Tx,
  end: MovementFacts & { readonly hold: LedgerSource; readonly amount?: number },
  kind: 'capture' | 'release',
  settings?: SettingsReader,
): Promise<Booked> {
  const owner = await runOne<{ owner: string; unit: LedgerUnit }>(
    tx,
    `SELECT a.owner, a.unit FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id
       JOIN ledger_account a ON a.id = e.account_id
      WHERE t.source_type = $1 AND t.source_id = $2 AND t.purpose = $3 AND a.kind = 'points_held'`,
    [end.hold.type, end.hold.id, end.hold.purpose],
  );
  if (!owner) throw ruleBroken(['没有占用的积分', 'No points are held']);
  const [account] = await lockMembers(tx, [Number(owner.owner)], owner.unit);
  const first = await transferOf(tx, end.source);
  if (first) return again(first);
  const uses = (await usesOf(tx, end.hold, ['hold'], end.at)).filter((use) => use.returned < use.amount);
  const held = uses.reduce((sum, use) => sum + use.amount - use.returned, 0);
  const amount = end.amount ?? held;
  const parts =
    end.amount === undefined
      ? uses.map((use) => ({ use, amount: use.amount - use.returned }))
      : takeBack([...uses].reverse(), amount);
  if (held === 0 || !parts) throw ruleBroken(['没有占用的积分', 'No points are held']);
  if (kind === 'release') {
    for (const part of parts)
      await run(tx, 'UPDATE points_lot SET held = held - $2 WHERE id = $1', [part.use.lotId, part.amount]);
    const { availableId, heldId } = account!;
    const transferId = await bookReturn(
      tx,
      settings!,
      end,
      owner.unit,
      availableId,
      heldId,
      parts,
      'release',
    );
    return { transferId, amount, repeated: false };
  }
  const transferId = await bookTransfer(
    tx,
    end.source,
    owner.unit,
    [
      { account: account!.heldId, amount: -amount },
      { account: 'points_redeemed', amount },
    ],
    {
      ...end,
      memberId: Number(owner.owner),
      kind: end.kind ?? (end.hold.type === 'sales_order' ? LINE_KINDS.order : LINE_KINDS.redemption),
    },
  );
  for (const part of parts) {
    await run(tx, 'UPDATE points_lot SET held = held - $2 WHERE id = $1', [part.use.lotId, part.amount]);
    await run(tx, 'UPDATE points_lot_use SET returned = amount WHERE id = $1', [part.use.id]);
  }
  await noteUses(
    tx,
    transferId,
    'capture',
    parts.map((part) => ({ lotId: part.use.lotId, amount: part.amount })),
  );
  return { transferId, amount, repeated: false };
}

/** What a repeated booking answers: what the first one did. */
export function again(first: { id: number; amount: number }): Booked {
  return { transferId: first.id, amount: first.amount, repeated: true };
}

/** Throws RangeError for an amount that is no whole number of at least 1. */
export function requireAmount(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 1)
    throw new RangeError(`not a whole amount of points: ${amount}`);
}
