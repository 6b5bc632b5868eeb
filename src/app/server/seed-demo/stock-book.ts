import type { SeedRow } from './insert-rows.ts';
import type { Keyed, SeedSpec } from './world.ts';

/**
 * Moves stock as the product does and keeps the movements. Signs: `qty` is what comes in (+) or goes out (−). Op 5
 * takes the goods out of the reserve, so its stock before and after are equal. Hence per spec: stock = Σ qty of
 * 1, 2, 3, 4, 6; reserved = −Σ 3 − Σ 4 + Σ 5; sold = −Σ 5 − Σ 6. Source: group 08, stock_movement and Stock.
 */
export class StockBook {
  readonly #movements: Movement[] = [];

  /** Op 1: the opening stock, which the spec holds already. */
  open(spec: SeedSpec, at: number, reason: string, staffId: number): void {
    this.#movements.push({
      spec,
      op: 1,
      qty: spec.stock,
      before: 0,
      after: spec.stock,
      source: 'product_spec',
      of: spec,
      reason,
      at,
      staffId,
    });
  }

  /** Op 2: staff add (or with a negative number take away) pieces. */
  edit(spec: SeedSpec, qty: number, at: number, reason: string, staffId: number): void {
    this.#edits += 1;
    this.#move(spec, 2, qty, qty, at, 'stock_edit', { id: this.#edits }, reason, staffId);
  }

  /** Op 3: an order holds pieces. */
  reserve(spec: SeedSpec, qty: number, at: number, order: Keyed): void {
    this.#move(spec, 3, -qty, -qty, at, 'sales_order', order);
    spec.reserved += qty;
  }

  /** Op 4: an unpaid order gives them back. */
  release(spec: SeedSpec, qty: number, at: number, order: Keyed): void {
    this.#move(spec, 4, qty, qty, at, 'sales_order', order);
    spec.reserved -= qty;
  }

  /** Op 5: an order is paid. */
  sell(spec: SeedSpec, qty: number, at: number, order: Keyed): void {
    this.#move(spec, 5, -qty, 0, at, 'sales_order', order);
    spec.reserved -= qty;
    spec.sold += qty;
  }

  /** Op 6: unshipped pieces of a refund go on sale again. */
  takeBack(spec: SeedSpec, qty: number, at: number, refund: Keyed): void {
    this.#move(spec, 6, qty, qty, at, 'refund', refund);
    spec.sold -= qty;
  }

  /** Rows of stock_movement in the order of time. */
  rows(): SeedRow[] {
    return this.#movements.map((movement) => ({
      spec_id: movement.spec.id,
      op: movement.op,
      qty: movement.qty,
      stock_before: movement.before,
      stock_after: movement.after,
      source_type: movement.source,
      source_id: String(movement.of.id),
      reason: movement.reason,
      at: new Date(movement.at),
      staff_id: movement.staffId,
    }));
  }

  #edits = 0;

  #move(
    spec: SeedSpec,
    op: number,
    qty: number,
    change: number,
    at: number,
    source: string,
    of: Keyed,
    reason = '',
    staffId: number | null = null,
  ): void {
    const before = spec.stock;
    const after = before + change;
    if (after < 0) throw new Error(`Stock of ${spec.name} below zero`);
    spec.stock = after;
    this.#movements.push({ spec, op, qty, before, after, source, of, reason, at, staffId });
  }
}

interface Movement {
  readonly spec: SeedSpec;
  readonly op: number;
  readonly qty: number;
  readonly before: number;
  readonly after: number;
  readonly source: string;
  readonly of: Keyed;
  readonly reason: string;
  readonly at: number;
  readonly staffId: number | null;
}
