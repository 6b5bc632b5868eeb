import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';
import { days, SALE_TABLES, saleFilters, saleStanding, soldAt } from './sold-line.oracle.ts';

const one = (world: World, table: string, id: unknown): Raw | undefined =>
  by(world, table, 'id').get(id as number)?.[0];
const lineOf = (row: Raw, world: World) => one(world, 'order_line', row.line_id)!;
const backAt = (row: Raw, world: World) => new Date(one(world, 'refund', row.refund_id)!.succeeded_at);

/** A refund the closed month of its sale did not count. */
function isCorrection(row: Raw, world: World): boolean {
  const month = new Date(soldAt(lineOf(row, world), world)!.getTime() + 8 * 3_600_000)
    .toISOString()
    .slice(0, 7);
  return (
    world.rows.stat_month_close!.some((close) => close.month === month) &&
    !world.rows.stat_month_refund!.some((kept) => kept.refund_id === row.refund_id)
  );
}

export const oracle = defineOracle({
  name: 'soldRefund',
  menu: 'sa_goodsSale',
  table: 'refund_line',
  extra: (row, world) =>
    one(world, 'refund', row.refund_id)!.state === 'succeeded' && soldAt(lineOf(row, world), world) !== null,
  standing: (row, world) => saleStanding(lineOf(row, world), world),
  filters: {
    ...saleFilters(lineOf),
    backAt: days(backAt),
    bookedAt: days((row, world) =>
      isCorrection(row, world) ? backAt(row, world) : soldAt(lineOf(row, world), world),
    ),
    correction: {
      value: (dice) => dice.pick(['true', 'false']),
      keeps: (row, value, world) => String(isCorrection(row, world)) === value,
    },
  },
  export: counted,
  reads: [...SALE_TABLES, 'order_line', 'refund', 'stat_month_close', 'stat_month_refund'],
});
