import { expect, test } from 'vitest';
import { isAbsurd, meteredPrincipal, type MeteredTerms, type Reading } from './metered.rules.ts';

const TERMS: MeteredTerms = { formula: 'meter', expression: '', rounding: 'fen', tiers: [] };
const HOUSE = { builtArea: 10_000, innerArea: null, floor: 25, residents: 2 };
const PRICES = [{ from: '2020-01-01', price: 33_500, extra: 500 }];
const read = (last: number, now: number, more: Partial<Reading> = {}): Reading => ({
  from: '2026-01-01',
  to: '2026-01-31',
  last: last * 1_000,
  this: now * 1_000,
  multiplier: 1,
  usage: (now - last) * 1_000 * (more.multiplier ?? 1),
  counter: false,
  base: 0,
  ...more,
});
const amount = (...args: Parameters<typeof meteredPrincipal>) => {
  const found = meteredPrincipal(...args);
  return 'missing' in found ? found.missing : found.amount;
};

test('formulas 6 to 8: usage × price + extra, with the multiplier, price changes by days and tiers', () => {
  // 12.5 units at 3.35 and 5.00 more.
  expect(amount(TERMS, PRICES, null, [read(100, 112.5)], HOUSE)).toBe(4_688);
  expect(amount(TERMS, PRICES, null, [read(100, 112.5, { multiplier: 40 })], HOUSE)).toBe(168_000);
  expect(amount(TERMS, PRICES, 20_000, [read(100, 112.5)], HOUSE)).toBe(3_000);
  expect(amount({ ...TERMS, formula: 'usage' }, PRICES, null, [read(0, 10)], HOUSE)).toBe(3_850);
  // 20 of 31 days at 3.35 + 5.00, 11 at 4.00 + 8.00.
  const risen = [...PRICES, { from: '2026-01-21', price: 40_000, extra: 800 }];
  expect(amount(TERMS, risen, null, [read(0, 31)], HOUSE)).toBe(
    20 * 335 + 11 * 400 + Math.round((20 * 500 + 11 * 800) / 31),
  );
  expect(amount(TERMS, [{ from: '2026-02-01', price: 1, extra: 0 }], null, [read(0, 1)], HOUSE)).toBe(
    'price',
  );
  expect(amount(TERMS, PRICES, null, [], HOUSE)).toBe('reading');
  const tiers = {
    ...TERMS,
    formula: 'meter_tier' as const,
    tiers: [
      { above: 15_000, more: 10_000 },
      { above: 25_000, more: 30_000 },
    ],
  };
  const price = [{ from: '2020-01-01', price: 30_000, extra: 0 }];
  // 15 at 3.00, 10 at 4.00, 5 at 6.00.
  expect(amount(tiers, price, null, [read(0, 30)], HOUSE)).toBe(4_500 + 4_000 + 3_000);
  // Replaced in between: the second meter goes on up the tiers.
  expect(
    amount(
      tiers,
      price,
      null,
      [read(0, 20, { to: '2026-01-15' }), read(0, 10, { from: '2026-01-16', base: 20_000 })],
      HOUSE,
    ),
  ).toBe(11_500);
});

test('a counter-reading takes back what was charged to the fen, at its days and tiers, and no extra amount', () => {
  const tiers = { ...TERMS, formula: 'meter_tier' as const, tiers: [{ above: 15_000, more: 10_000 }] };
  const wrong = amount(tiers, PRICES, null, [read(0, 30)], HOUSE) as number;
  const right = amount(tiers, PRICES, null, [read(0, 12)], HOUSE) as number;
  const back = { ...read(30, 12), counter: true, base: 30_000, usage: -18_000 };
  expect(amount(tiers, PRICES, null, [back], HOUSE)).toBe(right - wrong);
});

test('a custom formula by readings knows usage, last and this reading and the multiplier', () => {
  const custom = (expression: string) =>
    amount(
      { ...TERMS, formula: 'custom', expression },
      [{ from: '2020-01-01', price: 20_000, extra: 0 }],
      null,
      [read(100, 130, { multiplier: 2 })],
      HOUSE,
    );
  expect(custom('usage*price')).toBe(12_000);
  expect(custom('(thisReading-lastReading)*multiplier*price')).toBe(12_000);
  expect(custom('max(usage-50,0)*price+10')).toBe(3_000);
});

test('a usage above three times the average of the half year before asks for confirmation', () => {
  expect(isAbsurd(90_000, 30, { usage: 180_000, days: 180 })).toBe(false);
  expect(isAbsurd(90_001, 30, { usage: 180_000, days: 180 })).toBe(true);
  expect(isAbsurd(90_001, 30, { usage: 0, days: 0 })).toBe(false);
});

test('amounts of random meters equal a slow recalculation unit by unit and day by day', () => {
  let seed = 20_261_127;
  const dice = (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % most;
  };
  const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10);
  for (let turn = 0; turn < 150; turn += 1) {
    const prices = Array.from({ length: 1 + dice(3) }, (_, index) => ({
      from: day(index === 0 ? -400 : dice(120)),
      price: dice(80_000),
      extra: dice(3) * 250,
    })).filter((one, index, all) => all.findIndex((other) => other.from === one.from) === index);
    const own = dice(4) === 0 ? dice(50_000) : null;
    const tiers = [...new Set([1 + dice(40), 45 + dice(40)])].slice(0, dice(3)).map((above, index) => ({
      above: above * 1_000,
      more: (index + 1) * dice(20_000),
    }));
    let from = 0;
    let base = 0;
    const readings: Reading[] = [];
    for (let n = 0; n <= dice(3); n += 1) {
      const days = 1 + dice(40);
      const units = dice(70);
      readings.push(read(0, units, { from: day(from), to: day(from + days - 1), base }));
      from += days;
      base += units * 1_000;
    }
    // Slowly: every unit at its tier, every day of it at the price of the day; in fen × 10⁵ × days.
    const priceOn = (n: number) =>
      prices.filter((one) => one.from <= day(n)).sort((a, b) => (a.from < b.from ? 1 : -1))[0]!;
    let sum = [0n, 1n] as readonly [bigint, bigint];
    const plus = (n: bigint, d: bigint) => (sum = [sum[0] * d + n * sum[1], sum[1] * d]);
    for (const one of readings) {
      const first = Math.round((Date.parse(one.from) - Date.UTC(2026, 0, 1)) / 86_400_000);
      const days = Math.round((Date.parse(one.to) - Date.parse(one.from)) / 86_400_000) + 1;
      let fen = 0n;
      for (let n = first; n < first + days; n += 1)
        for (let unit = 0; unit < one.usage / 1_000; unit += 1) {
          const more = tiers.findLast((tier) => one.base + unit * 1_000 >= tier.above)?.more ?? 0;
          fen += BigInt((own ?? priceOn(n).price) + more) * 1_000n;
        }
      plus(fen, 100_000n * BigInt(days));
    }
    let extra = 0n;
    for (let n = 0; n < from; n += 1) extra += BigInt(priceOn(n).extra);
    plus(extra, BigInt(from));
    const [n, d] = sum;
    const [whole, twice] = [n / d, (n % d) * 2n];
    const wanted = Number(whole) + (twice > d || (twice === d && whole % 2n === 1n) ? 1 : 0);
    expect([turn, amount({ ...TERMS, formula: 'meter_tier', tiers }, prices, own, readings, HOUSE)]).toEqual([
      turn,
      wanted,
    ]);
  }
});
