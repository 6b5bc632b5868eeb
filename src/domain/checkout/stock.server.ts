import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';

/** Pieces of one spec. Each spec stands once in a list. */
export interface StockPart {
  readonly specId: number;
  readonly qty: number;
}

/** What a movement is for: unique with spec and op, so a repeat books nothing twice. */
export interface StockSource {
  readonly type: 'sales_order' | 'refund' | 'after_sale' | 'after_sale_hold';
  readonly id: number;
  readonly reason?: string;
  readonly staffId?: number | null;
}

/** A locked spec as it is now; price in fen. */
export interface LockedSpec {
  readonly id: number;
  readonly price: number;
  readonly onSale: boolean;
}

/**
 * Holds products and specs still until the transaction ends, products first, each in id order: the trigger of
 * product_spec writes the product, so two checkouts over the same goods would else wait for each other for ever.
 */
export async function lockSpecs(tx: Executor, specIds: readonly number[]): Promise<LockedSpec[]> {
  // One statement, as goods everybody wants are held from here on. The count makes all products be locked before the first spec.
  return run<LockedSpec>(
    tx,
    `WITH held AS MATERIALIZED (
       SELECT p.id, p.status = 'published' AND p.recycled_at IS NULL AS on_sale FROM product p
        WHERE p.id IN (SELECT product_id FROM product_spec WHERE id = ANY($1::bigint[])) ORDER BY p.id FOR NO KEY UPDATE),
     specs AS MATERIALIZED (
       SELECT id, product_id, price, enabled FROM product_spec
        WHERE id = ANY($1::bigint[]) AND (SELECT count(*) FROM held) >= 0 ORDER BY id FOR NO KEY UPDATE)
     SELECT s.id, s.price, s.enabled AND coalesce(h.on_sale, false) AS "onSale" FROM specs s LEFT JOIN held h ON h.id = s.product_id ORDER BY s.id`,
    [specIds],
  );
}

/** The refusal of goods that are short. Source: group 08, Stock. */
export function shortLabel(left: number): Label {
  return [`库存不足，仅剩${left}件`, `Only ${left} left`];
}

/**
 * Takes pieces of an unpaid order out of what can be sold (op 3) with their movements, all or none. Throws 30101
 * 库存不足，仅剩N件 for the first spec that is short. Source: group 08, Stock.
 */
export async function reserveStock(
  tx: Executor,
  parts: readonly StockPart[],
  source: StockSource,
): Promise<void> {
  for (const part of inOrder(parts)) {
    const taken = await runOne(
      tx,
      `WITH taken AS (
         UPDATE product_spec SET stock = stock - $2, reserved = reserved + $2 WHERE id = $1 AND stock >= $2 RETURNING stock)
       INSERT INTO stock_movement (spec_id, op, qty, stock_before, stock_after, source_type, source_id, reason, staff_id)
       SELECT $1, 3, -$2::int, stock + $2, stock, $3, $4, $5, $6 FROM taken RETURNING 1 AS one`,
      [part.specId, part.qty, ...sourceValues(source)],
    );
    if (taken) continue;
    const left = await runOne<{ stock: number }>(tx, 'SELECT stock FROM product_spec WHERE id = $1', [
      part.specId,
    ]);
    throw ruleBroken(shortLabel(left?.stock ?? 0), { specId: String(part.specId) });
  }
}

/** Gives the pieces of an unpaid order back (op 4). A repeat for the same source changes nothing. */
export async function releaseStock(
  tx: Executor,
  parts: readonly StockPart[],
  source: StockSource,
): Promise<void> {
  await moveOnce(tx, parts, source, 4);
}

/** Pieces of an order are paid: reserved becomes sold (op 5), what can be sold stays. A repeat changes nothing. */
export async function sellStock(
  tx: Executor,
  parts: readonly StockPart[],
  source: StockSource,
): Promise<void> {
  await moveOnce(tx, parts, source, 5);
}

/**
 * Paid pieces go on sale again (op 6): unshipped units of a refund, or returned ones ticked 可再售. A repeat changes nothing.
 * `offShelf`: they are no longer sold but were given back to their activity already, so the shelf gets none.
 */
export async function takeBackStock(
  tx: Executor,
  parts: readonly StockPart[],
  source: StockSource,
  offShelf = false,
): Promise<void> {
  await moveOnce(tx, parts, source, 6, offShelf);
}

/** Sums the pieces of each spec, for orders with one spec in several lines. */
export function partsOf(lines: readonly { readonly specId: number; readonly qty: number }[]): StockPart[] {
  const sums = new Map<number, number>();
  for (const line of lines) sums.set(line.specId, (sums.get(line.specId) ?? 0) + line.qty);
  return [...sums].map(([specId, qty]) => ({ specId, qty }));
}

function inOrder(parts: readonly StockPart[]): StockPart[] {
  return parts.filter((part) => part.qty > 0).sort((a, b) => a.specId - b.specId);
}

async function isMoved(tx: Executor, specId: number, op: number, source: StockSource): Promise<boolean> {
  const row = await runOne(
    tx,
    'SELECT 1 AS one FROM stock_movement WHERE source_type = $1 AND source_id = $2 AND spec_id = $3 AND op = $4',
    [source.type, String(source.id), specId, op],
  );
  return row !== undefined;
}

async function writeMovement(
  tx: Executor,
  specId: number,
  op: number,
  qty: number,
  before: number,
  after: number,
  source: StockSource,
): Promise<void> {
  await run(
    tx,
    `INSERT INTO stock_movement (spec_id, op, qty, stock_before, stock_after, source_type, source_id, reason, staff_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [specId, op, qty, before, after, ...sourceValues(source)],
  );
}

/** What a movement is for, as its last four columns have it. */
function sourceValues(source: StockSource): readonly unknown[] {
  return [source.type, String(source.id), source.reason ?? '', source.staffId ?? null];
}

/** What each movement after the reservation does to a spec: the columns it moves between, the sign it is booked with. */
const MOVES = {
  4: { set: 'stock = stock + $2, reserved = reserved - $2', sign: 1, toStock: 1 },
  5: { set: 'reserved = reserved - $2, sold = sold + $2', sign: -1, toStock: 0 },
  6: { set: 'stock = stock + $2, sold = sold - $2', sign: 1, toStock: 1 },
} as const;

async function moveOnce(
  tx: Executor,
  parts: readonly StockPart[],
  source: StockSource,
  op: keyof typeof MOVES,
  offShelf = false,
): Promise<void> {
  const move = offShelf ? { set: 'sold = sold - $2', sign: 1, toStock: 0 } : MOVES[op];
  await lockSpecs(
    tx,
    parts.map((part) => part.specId),
  );
  for (const part of inOrder(parts)) {
    if (await isMoved(tx, part.specId, op, source)) continue;
    const row = await runOne<{ stock: number }>(
      tx,
      `UPDATE product_spec SET ${move.set} WHERE id = $1 RETURNING stock`,
      [part.specId, part.qty],
    );
    const before = row!.stock - move.toStock * part.qty;
    await writeMovement(tx, part.specId, op, move.sign * part.qty, before, row!.stock, source);
  }
}
