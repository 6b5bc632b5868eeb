import { expect, test } from 'vitest';
import { allocate } from './allocation.rules.ts';
import { dueDate, periodOf } from './calendar.rules.ts';
import { largestRemainder, roundFen } from './exact.rules.ts';
import { FormulaProblem, ONE, readFormula } from './expression.rules.ts';
import { DEFAULT_TERMS, lateFeeOn } from './late-fee.rules.ts';
import { principalOf, type FeeTerms, type HouseFacts } from './principal.rules.ts';

const TERMS: FeeTerms = {
  formula: 'built_area',
  expression: '',
  rounding: 'fen',
  stepPpm: 0,
  stepMonths: 0,
  months: 1,
};
const HOUSE: HouseFacts = { builtArea: 10_000, innerArea: null, floor: 25, residents: 2 };
const PRICES = [{ from: '2020-01-01', price: 28_000, extra: 0 }];
const ALWAYS = { from: '2020-01-01', to: null, price: null };
const JANUARY = { from: '2026-01-01', to: '2026-01-31' };
const amount = (...args: Parameters<typeof principalOf>) => {
  const found = principalOf(...args);
  return 'missing' in found ? found.missing : found.amount;
};

test('amounts are exact and rounded once: half to even, jiao, yuan, up to the yuan', () => {
  expect([5n, 15n, 25n, -5n].map((n) => roundFen(n, 10n, 'fen'))).toEqual([0, 2, 2, 0]);
  expect([1_245n, 1_255n].map((n) => roundFen(n, 1n, 'jiao'))).toEqual([1_240, 1_260]);
  expect([1_250n, 1_350n, 1_351n].map((n) => roundFen(n, 1n, 'yuan'))).toEqual([1_200, 1_400, 1_400]);
  expect([1_200n, 1_201n].map((n) => roundFen(n, 1n, 'yuan_up'))).toEqual([1_200, 1_300]);
  expect(largestRemainder(100, [1, 1, 1])).toEqual([34, 33, 33]);
  expect(largestRemainder(0, [])).toEqual([]);
});

test('group 06 Must show 3: 100.00 m² at 2.80 a month are 280.00; part periods and price changes go by days', () => {
  expect(amount(TERMS, PRICES, HOUSE, ALWAYS, JANUARY)).toBe(28_000);
  // From the 17th on: 15 of 31 days.
  expect(amount(TERMS, PRICES, HOUSE, { ...ALWAYS, from: '2026-01-17' }, JANUARY)).toBe(13_548);
  const risen = [...PRICES, { from: '2026-01-21', price: 31_000, extra: 0 }];
  // 20 days of 280.00 and 11 of 310.00.
  expect(amount(TERMS, risen, HOUSE, ALWAYS, JANUARY)).toBe(29_065);
  expect(amount(TERMS, [{ from: '2026-02-01', price: 1, extra: 0 }], HOUSE, ALWAYS, JANUARY)).toBe('price');
  expect(amount({ ...TERMS, formula: 'inner_area' }, PRICES, HOUSE, ALWAYS, JANUARY)).toBe('innerArea');
  expect(amount(TERMS, PRICES, HOUSE, { ...ALWAYS, to: '2025-12-31' }, JANUARY)).toBe('assignment');
  const quarter = periodOf('quarter', '2026-02-01');
  expect(quarter).toEqual({ from: '2026-01-01', to: '2026-03-31' });
  expect(amount({ ...TERMS, months: 3 }, PRICES, HOUSE, ALWAYS, quarter)).toBe(84_000);
  expect(dueDate(quarter, 'pre', 10, 15)).toBe('2026-01-25');
  expect(dueDate(quarter, 'post', 10, 0)).toBe('2026-04-10');
});

test('rising rent: so many percent more every so many months, counted from the start', () => {
  const rent: FeeTerms = { ...TERMS, formula: 'rent_step', stepPpm: 50_000, stepMonths: 12 };
  const lease = { from: '2025-01-16', to: null, price: 30_000_000 };
  expect(amount(rent, [], HOUSE, lease, periodOf('month', '2025-12-01'))).toBe(300_000);
  // 15 days of 3,000.00 and 16 of 3,150.00.
  expect(amount(rent, [], HOUSE, lease, JANUARY)).toBe(307_742);
  expect(amount(rent, [], HOUSE, lease, periodOf('month', '2026-02-01'))).toBe(315_000);
});

test('group 06 Must show 11: a custom formula gives 310.00, code is refused with its position and never run', () => {
  const custom: FeeTerms = { ...TERMS, formula: 'custom', expression: 'builtArea*price+if(floor>20,30,0)' };
  expect(amount(custom, PRICES, HOUSE, ALWAYS, JANUARY)).toBe(31_000);
  const at = (text: string) => {
    try {
      readFormula(text)({ price: ONE });
      return 'read';
    } catch (error) {
      return error instanceof FormulaProblem ? error.at : error;
    }
  };
  expect(at('constructor("x")()')).toBe(0);
  expect(
    [
      '1+globalThis',
      'price.constructor',
      'price[0]',
      '1;2',
      'a=>1',
      '1+',
      '(1',
      '2)',
      'max()',
      '1/0',
      '`1`',
      '0x10',
      '1e3',
      'price=2',
      'import("fs")',
      '__proto__(1)',
      'toString(1)',
    ].map(at),
  ).toEqual([2, 0, 0, 1, 0, 2, 2, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
  expect(at('1'.padStart(201, '+'))).toBe(200);
  expect(at(`${'('.repeat(30)}1+2${')'.repeat(30)}`)).toBe('read');
  expect(at(`${'-('.repeat(25)}1${')'.repeat(25)}`)).toBeGreaterThan(0);
  const value = (text: string) => Number(readFormula(text)({ price: 2n * ONE, floor: 3n * ONE })) / 1e6;
  expect(
    [
      '1/3',
      'round(2.345,2)',
      'ceil(0.1)',
      'floor(-0.5)',
      'min(3,floor,price)',
      '(price+1)*2',
      'if(price>=2, 7, 1/0)',
    ].map(value),
  ).toEqual([0.333333, 2.34, 1, -1, 2, 6, 7]);
});

test('group 06 Must show 4: late fee of 280.00 due 10 January', () => {
  const facts = { dueDate: '2026-01-10', billed: 28_000, changes: [], disputes: [] };
  const fee = (more: object, terms: object, on: string) =>
    lateFeeOn({ ...DEFAULT_TERMS, ...terms }, { ...facts, ...more }, on).amount;
  expect([fee({}, {}, '2026-01-15'), fee({}, {}, '2026-02-10')]).toEqual([0, 364]);
  const paid = { changes: [{ on: '2026-01-25', amount: -10_000 }] };
  expect(fee(paid, {}, '2026-02-10')).toBe(284);
  expect(fee({}, { capPercent: 1 }, '2026-02-10')).toBe(280);
  // Due on the 1st with a grace of 3: the 5th is the first charged day.
  expect(
    ['2026-01-04', '2026-01-05'].map((on) => fee({ dueDate: '2026-01-01' }, { graceDays: 3 }, on)),
  ).toEqual([0, 14]);
  // Days in dispute are never charged; what a refund opens again is charged from the day behind it.
  expect(fee({ disputes: [{ from: '2026-01-20', to: '2026-01-31' }] }, {}, '2026-02-10')).toBe(196);
  expect(
    fee(
      {
        changes: [
          { on: '2026-01-15', amount: -28_000 },
          { on: '2026-02-05', amount: 28_000 },
        ],
      },
      {},
      '2026-02-10',
    ),
  ).toBe(70);
  expect(fee({}, { onceFen: 500, oncePpm: 10_000 }, '2026-01-16')).toBe(500 + 280 + 14);
  expect(fee({}, { monthCap: 100 }, '2026-02-10')).toBe(200);
});

test('group 06 Must show 5 and 6: what is paid goes to the oldest bills, principal first; the rest is left over', () => {
  const bill = (id: number, due: string, lateFee: number, kind = 'management') => ({
    id,
    dueDate: due,
    kind,
    position: 1,
    principal: 28_000,
    lateFee,
  });
  const bills = [bill(2, '2026-02-10', 0), bill(1, '2026-01-10', 364)];
  expect(allocate(40_000, bills, 'oldest_first', 'principal_first')).toEqual({
    parts: [
      { billId: 1, kind: 'principal', amount: 28_000 },
      { billId: 1, kind: 'late_fee', amount: 364 },
      { billId: 2, kind: 'principal', amount: 11_636 },
    ],
    rest: 0,
  });
  expect(allocate(60_000, bills, 'oldest_first', 'principal_first').rest).toBe(3_636);
  expect(allocate(300, bills, 'oldest_first', 'late_fee_first').parts).toEqual([
    { billId: 1, kind: 'late_fee', amount: 300 },
  ]);
  expect(allocate(1, bills, 'chosen', 'principal_first').parts[0]!.billId).toBe(2);
  const sameDay = [bill(3, '2026-01-10', 0), bill(4, '2026-01-10', 0, 'other')];
  expect(allocate(1, sameDay, 'other_before_property', 'principal_first').parts[0]!.billId).toBe(4);
});

test('late fees of random bills equal a slow sum over every single day', () => {
  let seed = 20_261_123;
  const dice = (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % most;
  };
  const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10);
  for (let turn = 0; turn < 400; turn += 1) {
    const billed = 1_000 + dice(200_000);
    const due = dice(60);
    const on = due + dice(300);
    const changes = Array.from({ length: dice(5) }, () => ({
      on: day(dice(320)),
      amount: dice(2) ? -dice(60_000) : dice(20_000),
    }));
    const disputes = Array.from({ length: dice(3) }, () => {
      const from = dice(300);
      return { from: day(from), to: dice(4) === 0 ? null : day(from + dice(40)) };
    });
    const terms = {
      graceDays: dice(10),
      dailyPpm: dice(2_000),
      onceFen: dice(2) * 500,
      oncePpm: dice(2) * 3_000,
      capPercent: 5 + dice(60),
      monthCap: dice(3) === 0 ? 1 + dice(3_000) : null,
    };
    let first = true;
    const months: Record<string, bigint> = {};
    for (let n = due + terms.graceDays + 1; n <= on; n += 1) {
      const at = day(n);
      const owed = changes.filter((one) => one.on < at).reduce((sum, one) => sum + one.amount, billed);
      if (owed <= 0 || disputes.some((one) => one.from <= at && (one.to === null || one.to >= at))) continue;
      let fee = BigInt(owed) * BigInt(terms.dailyPpm);
      if (first) fee += BigInt(terms.onceFen) * 1_000_000n + BigInt(owed) * BigInt(terms.oncePpm);
      first = false;
      months[at.slice(0, 7)] = (months[at.slice(0, 7)] ?? 0n) + fee;
    }
    const millionths = Object.values(months)
      .map((fee) =>
        terms.monthCap !== null && fee > BigInt(terms.monthCap) * 1_000_000n
          ? BigInt(terms.monthCap) * 1_000_000n
          : fee,
      )
      .reduce((a, b) => a + b, 0n);
    const [whole, rest] = [millionths / 1_000_000n, millionths % 1_000_000n];
    const rounded = Number(whole) + (rest > 500_000n || (rest === 500_000n && whole % 2n === 1n) ? 1 : 0);
    const wanted = Math.min(rounded, Math.floor((billed * terms.capPercent) / 100));
    const found = lateFeeOn(terms, { dueDate: day(due), billed, changes, disputes }, day(on));
    expect([turn, found.amount]).toEqual([turn, wanted]);
  }
});
