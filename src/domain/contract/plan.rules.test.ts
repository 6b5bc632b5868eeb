import { describe, expect, test } from 'vitest';
import {
  addMonths,
  contractAmount,
  contractMonths,
  endOfRenewal,
  planOf,
  priceIn,
  spread,
  type PlanTerms,
} from './plan.rules.ts';
import { settle, type StandingLine } from './settle.rules.ts';

/** Group 17, Must show 1. */
const terms: PlanTerms = {
  startsOn: '2026-01-15',
  endsOn: '2026-12-31',
  basis: 'month',
  prorate: 'actual_month',
  interval: '1',
  timing: 'prepaid',
  dueOffset: 0,
  positions: [{ label: 'GG-012', from: '2026-01-15', to: '2026-12-31', price: 300_000 }],
  steps: [{ fromMonth: 7, kind: 'percent', value: 500 }],
  free: [],
  fees: [],
  deposit: 0,
  depositDueOn: null,
};
const amounts = (more: Partial<PlanTerms> = {}) => planOf({ ...terms, ...more }).map((line) => line.amount);

describe('plan of payments', () => {
  test('group 17 Must show 1: twelve lines, 35,477.42 together; fifteen free days leave 1,548.39', () => {
    expect(amounts()).toEqual([
      ...Array.from({ length: 6 }, () => 300_000),
      ...Array.from({ length: 5 }, () => 315_000),
      172_742,
    ]);
    expect(contractAmount(planOf(terms))).toBe(3_547_742);
    expect(amounts({ free: [{ from: '2026-01-15', to: '2026-01-29' }] })[0]).toBe(154_839);
    expect(planOf(terms).at(-1)).toMatchObject({
      from: '2026-12-15',
      to: '2026-12-31',
      dueOn: '2026-12-15',
      explain: [{ label: 'GG-012', month: 12, price: 315_000, days: 17, of: 31, amount: 172_742 }],
    });
  });

  test('months are counted from the start, whatever the length of those between', () => {
    expect([0, 1, 2, 13].map((n) => addMonths('2027-01-31', n))).toEqual([
      '2027-01-31',
      '2027-02-28',
      '2027-03-31',
      '2028-02-29',
    ]);
    expect(contractMonths('2027-01-31', '2027-03-15').map((one) => [one.from, one.to])).toEqual([
      ['2027-01-31', '2027-02-27'],
      ['2027-02-28', '2027-03-15'],
    ]);
  });

  test('percent compounds, amounts add, a set price stands; in order of months', () => {
    const steps = [
      { fromMonth: 13, kind: 'percent', value: 1_000 },
      { fromMonth: 2, kind: 'percent', value: 1_000 },
      { fromMonth: 20, kind: 'add', value: -5_000 },
      { fromMonth: 30, kind: 'set', value: 7 },
    ] as const;
    expect([1, 2, 13, 20, 30].map((month) => priceIn(month, 100_000, steps))).toEqual([
      100_000, 110_000, 121_000, 116_000, 7,
    ]);
  });

  test('thirty days and the 365th of a year', () => {
    expect(amounts({ prorate: 'fixed_30' }).at(-1)).toBe(178_500);
    expect(amounts({ prorate: 'fixed_30' })[0]).toBe(300_000);
    expect(amounts({ prorate: 'year_365' })[0]).toBe(305_753);
  });

  test('a quarter is the sum of its months, due at its end where it is paid afterwards', () => {
    const [first] = planOf({ ...terms, interval: '3', timing: 'postpaid', dueOffset: 10 });
    expect(first).toMatchObject({
      from: '2026-01-15',
      to: '2026-04-14',
      dueOn: '2026-04-24',
      amount: 900_000,
    });
    expect(planOf({ ...terms, interval: 'once' })).toHaveLength(1);
    expect(contractAmount(planOf({ ...terms, interval: 'once' }))).toBe(3_547_742);
  });

  test('positions with parts of the term add up after rounding each', () => {
    const positions = [
      { label: 'A', from: '2026-01-15', to: '2026-01-24', price: 100_000 },
      { label: 'B', from: '2026-01-20', to: '2026-12-31', price: 100_000 },
    ];
    const [first] = planOf({ ...terms, positions });
    expect(first!.explain.map((one) => [one.label, one.days, one.amount])).toEqual([
      ['A', 10, 32_258],
      ['B', 26, 83_871],
    ]);
    expect(first!.amount).toBe(116_129);
  });

  test('a daily price counts days, a whole one is spread exactly', () => {
    expect(amounts({ basis: 'day', steps: [] })[0]).toBe(31 * 300_000);
    for (const price of [1, 7, 99_999, 1_000_001]) {
      const whole = { ...terms, basis: 'whole', positions: [{ ...terms.positions[0]!, price }] } as const;
      expect(contractAmount(planOf(whole))).toBe(price);
    }
    expect(spread(10, [1, 1, 1])).toEqual([4, 3, 3]);
    expect(spread(10, [0, 0])).toEqual([10, 0]);
  });

  test('fees and the deposit stand in order of their days, the deposit apart from the amount', () => {
    const lines = planOf({
      ...terms,
      deposit: 600_000,
      depositDueOn: '2026-01-10',
      fees: [
        { name: '安装费', amount: 20_000, dueOn: '2026-02-01' },
        { name: '安装费', amount: 30_000, dueOn: '2026-02-01' },
      ],
    });
    expect(lines.slice(0, 4).map((line) => [line.kind, line.amount])).toEqual([
      ['deposit', 600_000],
      ['rent', 300_000],
      ['fee', 20_000],
      ['fee', 30_000],
    ]);
    expect(new Set(lines.map((line) => line.key)).size).toBe(lines.length);
    expect(contractAmount(lines)).toBe(3_547_742 + 50_000);
  });
});

describe('changed terms', () => {
  const standing = (
    issued: readonly number[],
    received: Readonly<Record<number, number>> = {},
  ): StandingLine[] =>
    planOf(terms).map((line, index) => ({
      ...line,
      id: index + 1,
      state: issued.includes(index + 1) ? 'issued' : 'planned',
      received: received[index + 1] ?? 0,
      adjusted: 0,
      manual: false,
    }));

  test('group 17 Must show 10: ended on 20 September: month 9 is adjusted by −2,520.00, the rest is void', () => {
    const next = planOf({ ...terms, stopOn: '2026-09-20' });
    expect(next.at(-1)).toMatchObject({ from: '2026-09-15', to: '2026-09-20', amount: 63_000 });
    const issued = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    expect(settle(standing(issued), next)).toEqual([
      { op: 'adjust', id: 9, amount: -252_000 },
      { op: 'voidIssued', id: 10 },
      { op: 'void', id: 11 },
      { op: 'void', id: 12 },
    ]);
    expect(settle(standing(issued, { 10: 100 }), next)[1]).toEqual({
      op: 'adjust',
      id: 10,
      amount: -315_000,
    });
  });

  test('what was set by hand stays unless the new terms say something else of it', () => {
    const by = (line: StandingLine) =>
      line.id === 2 || line.id === 8 ? { ...line, amount: 250_000, manual: true } : line;
    const was = planOf(terms);
    // The same terms, as after another party B: nothing is written, issued or not.
    expect(settle(standing([2]).map(by), was, was)).toEqual([]);
    // A lower price from month 7 on: month 8 follows it, month 2 stays.
    const next = planOf({ ...terms, steps: [{ fromMonth: 7, kind: 'set', value: 200_000 }] });
    const done = settle(standing([2]).map(by), next, was);
    expect(done.map((one) => ('id' in one ? one.id : 0))).toEqual([7, 8, 9, 10, 11, 12]);
    expect(done[1]).toMatchObject({ op: 'rebuild', line: { amount: 200_000 } });
  });

  test('what is not issued yet is written anew, a longer term adds lines', () => {
    const next = planOf({
      ...terms,
      endsOn: '2027-01-31',
      positions: [{ ...terms.positions[0]!, to: '2027-01-31' }],
    });
    expect(settle(standing([]), next).map((one) => one.op)).toEqual(['rebuild', 'add']);
    expect(settle(standing([12]), next)[0]).toEqual({ op: 'adjust', id: 12, amount: 315_000 - 172_742 });
  });
});

test('a renewal is proposed as long as what it follows: as many months, else as many days', () => {
  expect(endOfRenewal('2026-01-15', '2027-01-14')).toBe('2028-01-14');
  expect(endOfRenewal('2026-01-31', '2026-02-27')).toBe('2026-03-27');
  expect(endOfRenewal('2026-03-01', '2026-03-10')).toBe('2026-03-20');
  expect(endOfRenewal('2026-01-15', '2026-12-31')).toBe('2027-12-17');
});
