import { expect, test } from 'vitest';
import { periodOf } from './period.rules.ts';
import { exclusionText, whyOf } from './why.rules.ts';

test('the period a day lies in, of each cycle', () => {
  expect(periodOf('day', '2026-03-31')).toEqual({ from: '2026-03-31', to: '2026-03-31' });
  // The 23rd of November 2026 is a Monday.
  expect(periodOf('week', '2026-11-29')).toEqual({ from: '2026-11-23', to: '2026-11-29' });
  expect(periodOf('week', '2026-11-23')).toEqual({ from: '2026-11-23', to: '2026-11-29' });
  expect(periodOf('half_month', '2026-02-15')).toEqual({ from: '2026-02-01', to: '2026-02-15' });
  expect(periodOf('half_month', '2026-02-16')).toEqual({ from: '2026-02-16', to: '2026-02-28' });
  expect(periodOf('month', '2026-12-31')).toEqual({ from: '2026-12-01', to: '2026-12-31' });
});

const A = {
  rowKind: 'sale',
  cash: 26_248,
  subsidy: 2_918,
  gross: 29_166,
  commissionBase: 'gross',
  commissionBp: 800,
  commission: 2_333,
  channelFee: 158,
  net: 26_675,
  agreementVersion: 3,
} as const;

test('the working of a sale has its own numbers, unrounded and rounded', () => {
  expect(whyOf(A)[0]).toContain('29166 × 8 % = 2333.28 → 23.33');
  expect(whyOf({ ...A, commissionBase: 'cash', commissionBp: 805 })[1]).toContain(
    '26248 × 8.05 % = 2112.964 → 23.33',
  );
  expect(
    whyOf({
      ...A,
      rowKind: 'refund',
      cash: -8_750,
      subsidy: -972,
      gross: -9_722,
      commission: -777,
      channelFee: -53,
      net: -8_892,
    })[0],
  ).toContain('追回 -88.92 = −(退回 97.22 − 退佣金 7.77 − 退通道费 0.53)');
});

test('what is left out says until when or where it is', () => {
  expect(exclusionText('X02', '2026-03-12')).toEqual([
    '售后期未满（至 2026-03-12）',
    'After-sale window open until 2026-03-12',
  ]);
  expect(exclusionText('X07', 'ST1')[0]).toBe('已在结算单 ST1');
  expect(exclusionText('X04', '')).toEqual(['支付未对平', 'Payment not reconciled']);
});
