import { randomUUID } from 'node:crypto';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Invariant } from '../../../kernel/server/registration.ts';
import { SPEC_LIMITS } from './spec.rules.ts';

/** A signed number of pieces for one spec. */
export interface StockChange {
  readonly specId: number;
  readonly difference: number;
}

/** Reads the changes of btn_stock: 1 to 100 specs, each once, whole numbers other than 0. Throws 422. */
export function readStockChanges(value: unknown): StockChange[] {
  const bad = () => invalid({ changes: ['请填写调整数量', 'Enter the numbers to add or take away'] });
  if (!Array.isArray(value) || value.length === 0 || value.length > SPEC_LIMITS.specs) throw bad();
  const changes = value.map((entry: unknown): StockChange => {
    const { specId, difference, ...rest } = (
      typeof entry === 'object' && entry !== null ? entry : {}
    ) as Record<string, unknown>;
    if (Object.keys(rest).length > 0 || !/^\d{1,15}$/.test(String(specId))) throw bad();
    if (
      typeof difference !== 'number' ||
      !Number.isSafeInteger(difference) ||
      difference === 0 ||
      Math.abs(difference) > SPEC_LIMITS.stock
    )
      throw bad();
    return { specId: Number(specId), difference };
  });
  if (new Set(changes.map((change) => change.specId)).size !== changes.length) throw bad();
  return changes.sort((a, b) => a.specId - b.specId);
}

/** The opening stock of a new spec as movement op 1; the spec holds it already. 0 leaves no movement. */
export async function openStock(tx: Tx, specId: number, qty: number, staffId: number): Promise<void> {
  if (qty === 0) return;
  await writeMovement(tx, {
    specId,
    op: 1,
    qty,
    after: qty,
    source: ['product_spec', String(specId)],
    reason: '',
    staffId,
  });
}

/**
 * Adds signed differences to what can be sold (op 2), never overwriting: an order that takes pieces at the same time
 * is not undone. The caller holds the product's lock; specs are taken in id order. Throws 404 for a spec outside
 * `productId`, 30101 库存不足，仅剩N件 below zero, or when it would rise above 999,999: orders may give back more, and then
 * it can only be lowered. Source: group 08, Stock.
 */
export async function changeStock(
  tx: Tx,
  changes: readonly StockChange[],
  reason: string,
  staffId: number,
  productId?: number,
): Promise<void> {
  const source = ['stock_edit', randomUUID()] as const;
  for (const { specId, difference } of changes) {
    const row = await runOne<{ stock: number }>(
      tx,
      `UPDATE product_spec SET stock = stock + $2, version = version + 1
        WHERE id = $1 AND enabled AND ($3::bigint IS NULL OR product_id = $3) AND stock + $2 >= 0
          AND ($2 < 0 OR stock + $2 <= ${SPEC_LIMITS.stock})
        RETURNING stock`,
      [specId, difference, productId ?? null],
    );
    if (!row) throw await stockRefusal(tx, specId, difference, productId);
    await writeMovement(tx, { specId, op: 2, qty: difference, after: row.stock, source, reason, staffId });
  }
}

/** Rules of the stock that the command `doctor` and the hourly check look at. Source: group 08, Stock; jobs, stock.check. */
export const stockInvariants: readonly Invariant[] = [
  {
    name: 'product totals = specs',
    check: (platform) =>
      problemsOf(
        platform.database.db,
        `SELECT 'product ' || p.code AS who,
                ARRAY[p.price_min, p.price_max, p.stock_total, p.sold_total, p.stock_low::integer] AS found,
                ARRAY[coalesce(s.low, 0), coalesce(s.high, 0), coalesce(s.stock, 0), coalesce(s.sold, 0), coalesce(s.alert, 0)] AS wanted
           FROM product p
           LEFT JOIN (SELECT product_id, min(price) AS low, max(price) AS high, sum(stock)::bigint AS stock, sum(sold)::bigint AS sold,
                             max((stock <= stock_alert)::integer) AS alert
                        FROM product_spec WHERE enabled GROUP BY product_id) s ON s.product_id = p.id
          WHERE p.kind <> 'home_decor'`,
      ),
  },
  {
    name: 'stock = movements',
    check: (platform) =>
      problemsOf(
        platform.database.db,
        `SELECT 'spec ' || s.id AS who,
                ARRAY[s.stock::bigint, s.reserved::bigint, s.sold::bigint] AS found,
                ARRAY[coalesce(m.stock, 0), coalesce(m.reserved, 0), coalesce(m.sold, 0)] AS wanted
           FROM product_spec s JOIN product p ON p.id = s.product_id AND p.kind = 'goods'
           LEFT JOIN (SELECT spec_id, sum(stock_after - stock_before)::bigint AS stock,
                             (coalesce(sum(abs(qty)) FILTER (WHERE op = 3), 0) - coalesce(sum(abs(qty)) FILTER (WHERE op = 4 OR (op = 5 AND source_type <> 'activity_order')), 0))::bigint AS reserved,
                             (coalesce(sum(abs(qty)) FILTER (WHERE op = 5), 0) - coalesce(sum(abs(qty)) FILTER (WHERE op = 6), 0))::bigint AS sold
                        FROM stock_movement GROUP BY spec_id) m ON m.spec_id = s.id`,
      ),
  },
];

async function problemsOf(db: Executor, sql: string): Promise<{ looked: number; problems: string[] }> {
  const [count] = await run<{ n: number }>(db, `SELECT count(*) AS n FROM (${sql}) checked`);
  const rows = await run<{ who: string; found: number[]; wanted: number[] }>(
    db,
    `SELECT * FROM (${sql}) checked WHERE found <> wanted ORDER BY who LIMIT 50`,
  );
  return {
    looked: count!.n,
    problems: rows.map((row) => `${row.who}: ${row.found.join(', ')} instead of ${row.wanted.join(', ')}`),
  };
}

async function stockRefusal(
  tx: Tx,
  specId: number,
  difference: number,
  productId: number | undefined,
): Promise<Error> {
  const row = await runOne<{ name: string; stock: number }>(
    tx,
    'SELECT name, stock FROM product_spec WHERE id = $1 AND enabled AND ($2::bigint IS NULL OR product_id = $2)',
    [specId, productId ?? null],
  );
  if (!row) return notFound();
  return difference > 0
    ? ruleBroken([
        `「${row.name}」库存不能超过${SPEC_LIMITS.stock}`,
        `The stock of “${row.name}” cannot be above ${SPEC_LIMITS.stock}`,
      ])
    : ruleBroken([`「${row.name}」库存不足，仅剩${row.stock}件`, `“${row.name}”: only ${row.stock} left`]);
}

interface Movement {
  readonly specId: number;
  readonly op: 1 | 2;
  readonly qty: number;
  readonly after: number;
  readonly source: readonly [type: string, id: string];
  readonly reason: string;
  readonly staffId: number;
}

async function writeMovement(tx: Tx, movement: Movement): Promise<void> {
  await run(
    tx,
    `INSERT INTO stock_movement (spec_id, op, qty, stock_before, stock_after, source_type, source_id, reason, staff_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      movement.specId,
      movement.op,
      movement.qty,
      movement.after - movement.qty,
      movement.after,
      ...movement.source,
      movement.reason,
      movement.staffId,
    ],
  );
}
