import { describe, expect, test } from 'vitest';
import { addMonths, cancellation, elapsedDays, planOf, schedule, termEnd } from './package-order.rules.ts';

describe('plan and term', () => {
  test('group 19 Must show 1: parts are due today, a month and two months later', () => {
    expect(schedule(100_000, '3/=/1', '2026-11-24')).toEqual([
      { dueOn: '2026-11-24', amount: 33_334 },
      { dueOn: '2026-12-24', amount: 33_333 },
      { dueOn: '2027-01-24', amount: 33_333 },
    ]);
  });

  test('a month that is shorter ends earlier, the next keeps its day', () => {
    expect([1, 2, 13].map((months) => addMonths('2026-01-31', months))).toEqual([
      '2026-02-28',
      '2026-03-31',
      '2027-02-28',
    ]);
    expect(schedule(5, '12/=/1', '2026-01-31')).toHaveLength(5);
    expect(planOf('4/40/3')).toEqual({ parts: 4, firstPercent: 40, intervalMonths: 3 });
  });

  test('group 19 Must show 10: a term from 2027-01-01 ends a day before the same day', () => {
    expect(termEnd('2027-01-01', 12, 'month')).toBe('2027-12-31');
    expect(termEnd('2027-01-01', 30, 'day')).toBe('2027-01-30');
  });

  test('paused days do not go by', () => {
    const term = { startOn: '2026-01-01', pausedDays: 5 };
    expect(elapsedDays(term, '2026-01-31')).toBe(26);
    expect(elapsedDays({ ...term, pausedOn: '2026-01-21' }, '2026-01-31')).toBe(15);
    expect(elapsedDays({ startOn: '2026-02-01', pausedDays: 0 }, '2026-01-31')).toBe(0);
  });
});

describe('cancellation', () => {
  const base = {
    method: 'by_times',
    worth: 120_000,
    paid: 120_000,
    feeBp: 0,
    usedList: 45_000,
    elapsedDays: 10,
    termDays: 365,
    began: true,
    unpaid: false,
  };

  test('group 19 Must show 5: three uses of 150.00 leave 750.00 of 1,200.00; of 400.00 they leave 50.00 to pay', () => {
    expect(cancellation(base).dueBack).toBe(75_000);
    expect(cancellation({ ...base, paid: 40_000 }).dueBack).toBe(-5_000);
  });

  test('by days rounds up and never passes the whole; the fee is floored and waits for the service to begin', () => {
    expect(cancellation({ ...base, method: 'by_days', feeBp: 333 })).toEqual({
      paid: 120_000,
      used: 3_288,
      fee: 3_996,
      dueBack: 112_716,
    });
    expect(cancellation({ ...base, method: 'by_days', elapsedDays: 900 }).dueBack).toBe(0);
    expect(cancellation({ ...base, method: 'by_days', began: false, feeBp: 500 }).dueBack).toBe(120_000);
  });

  test('none gives nothing back; before the first payment nothing is asked for either', () => {
    expect(cancellation({ ...base, method: 'none' }).dueBack).toBe(0);
    expect(cancellation({ ...base, method: 'none', paid: 40_000 }).dueBack).toBe(-80_000);
    expect(cancellation({ ...base, method: 'none', paid: 0, began: false, unpaid: true }).dueBack).toBe(0);
  });
});
