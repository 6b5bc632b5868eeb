import { expect, test } from 'vitest';
import { splitAmount } from '../trade-money/split.rules.ts';
import { lastPeriod, payOrCarry, refundRow, saleRow, shareOf, type Terms } from './settlement.rules.ts';

const TERMS: Terms = { commissionBase: 'gross', pointsBearer: 'platform', coinBearer: 'platform' };
const parts = (cash: number, platformCoupon = 0, points = 0) => ({ cash, platformCoupon, points, coins: 0 });

test('the example of group 13: rows, fee shares and the sum', () => {
  const fees = splitAmount(194, [26_248, 5_242, 800]);
  expect(fees).toEqual([158, 31, 5]);
  const rows = [
    saleRow(parts(26_248, 2_501, 417), TERMS, 800, fees[0]!),
    saleRow(parts(5_242, 499, 83), TERMS, 800, fees[1]!),
    saleRow(parts(800), TERMS, 0, fees[2]!),
  ];
  expect(rows.map((row) => [row.subsidy, row.gross, row.commission, row.channelFee, row.net])).toEqual([
    [2_918, 29_166, 2_333, 158, 26_675],
    [582, 5_824, 466, 31, 5_327],
    [0, 800, 0, 5, 795],
  ]);
  expect(rows.reduce((sum, row) => sum + row.net, 0)).toBe(32_797);
});

test('three refunds of one piece each take back what the sale gave, to the fen', () => {
  const sold = {
    ...saleRow(parts(26_248, 2_501, 417), TERMS, 800, 158),
    commissionBase: 'gross',
    commissionBp: 800,
  } as const;
  const pieces = [
    { cash: 8_750, subsidy: 972 },
    { cash: 8_749, subsidy: 973 },
    { cash: 8_749, subsidy: 973 },
  ];
  const before = { cash: 0, gross: 0 };
  const nets = pieces.map((piece) => {
    const row = refundRow(sold, before, piece, true);
    before.cash += piece.cash;
    before.gross += piece.cash + piece.subsidy;
    return row.net;
  });
  expect(nets).toEqual([-8_892, -8_892, -8_891]);
  expect(refundRow(sold, { cash: 0, gross: 0 }, pieces[0]!, false).net).toBe(-8_945);
});

test('commission on cash leaves the subsidies alone; the merchant bears its own points', () => {
  const row = saleRow(
    parts(10_000, 500, 300),
    { commissionBase: 'cash', pointsBearer: 'merchant', coinBearer: 'platform' },
    1_000,
    0,
  );
  expect([row.subsidy, row.gross, row.commission, row.net]).toEqual([500, 10_500, 1_000, 9_500]);
});

test('a small or negative sum is carried over', () => {
  expect(payOrCarry(-3_892, 10_000)).toEqual({ pay: 0, carry: -3_892 });
  expect(payOrCarry(9_999, 10_000)).toEqual({ pay: 0, carry: 9_999 });
  expect(payOrCarry(10_000, 10_000)).toEqual({ pay: 10_000, carry: 0 });
  expect(payOrCarry(0, 0)).toEqual({ pay: 0, carry: 0 });
});

test('halves round up, below zero away from it', () => {
  expect([shareOf(1, 1, 2), shareOf(-1, 1, 2), shareOf(7, 0, 3), shareOf(5, 3, 0)]).toEqual([1, -1, 0, 0]);
});

test('the last period of each cycle', () => {
  expect(lastPeriod('month', '2026-03-01')).toEqual({ from: '2026-02-01', to: '2026-02-28' });
  expect(lastPeriod('month', '2026-01-31')).toEqual({ from: '2025-12-01', to: '2025-12-31' });
  expect(lastPeriod('half_month', '2026-03-15')).toEqual({ from: '2026-02-16', to: '2026-02-28' });
  expect(lastPeriod('half_month', '2026-03-16')).toEqual({ from: '2026-03-01', to: '2026-03-15' });
  // The 23rd of November 2026 is a Monday.
  expect(lastPeriod('week', '2026-11-23')).toEqual({ from: '2026-11-16', to: '2026-11-22' });
  expect(lastPeriod('week', '2026-11-22')).toEqual({ from: '2026-11-09', to: '2026-11-15' });
  expect(lastPeriod('day', '2026-03-01')).toEqual({ from: '2026-02-28', to: '2026-02-28' });
});
