import { describe, expect, test } from 'vitest';
import { chargedSpan, feeOf, lateness, minutesOf, quoteStay, type FeePlan } from './parking.rules.ts';

/** Source: group 16, mk_parkingPlaceDetails, worked example. */
const PLAN: FeePlan = {
  freeMinutes: 30,
  freeDeduct: false,
  firstMinutes: 60,
  firstFen: 500,
  unitMinutes: 30,
  unitFen: 200,
  capFen: 3000,
};
const fee = (minutes: number, plan = PLAN) => {
  const { fee, covered } = feeOf(plan, minutes);
  return [fee, covered];
};
const at = (clock: string) => new Date(`2026-11-24T${clock}:00+08:00`);

describe('the fee of a stay', () => {
  test('the worked numbers', () => {
    expect(fee(220)).toEqual([1700, 240]);
    expect(fee(26 * 60)).toEqual([3900, 1560]);
    expect(fee(30)).toEqual([0, 30]);
    expect(fee(31)).toEqual([500, 60]);
  });

  test('a capped window is paid to its end, no unit reaches over it', () => {
    expect(fee(23 * 60)).toEqual([3000, 1440]);
    expect(fee(1440)).toEqual([3000, 1440]);
    expect(fee(1441)).toEqual([3500, 1500]);
    expect(fee(1430, { ...PLAN, unitMinutes: 100, capFen: null })).toEqual([500 + 14 * 200, 1440]);
    expect(fee(48 * 60)).toEqual([6000, 2880]);
  });

  test('free minutes come off a longer stay only where the plan says so', () => {
    expect(fee(220, { ...PLAN, freeDeduct: true })).toEqual([1500, 240]);
    expect(fee(31, { ...PLAN, freeDeduct: true })).toEqual([500, 90]);
  });

  test('coupons: 60 minutes off 220 make 13.00 with the same end, never more than the fee', () => {
    const { gross, discount, covered } = quoteStay(PLAN, 220, { kind: 'minutes', value: 60 });
    expect([gross, discount, covered]).toEqual([1700, 400, 240]);
    expect(quoteStay(PLAN, 220, { kind: 'minutes', value: 200 }).discount).toBe(1700);
    expect(quoteStay(PLAN, 220, { kind: 'amount', value: 5000 }).discount).toBe(1700);
    expect(quoteStay(PLAN, 31, { kind: 'percent', value: 85 }).discount).toBe(75);
    expect(quoteStay({ ...PLAN, firstFen: 550 }, 31, { kind: 'percent', value: 85 }).discount).toBe(82);
    expect(quoteStay(PLAN, 220, { kind: 'free', value: 0 }).discount).toBe(1700);
    expect(quoteStay(PLAN, 10, { kind: 'free', value: 0 })).toMatchObject({ gross: 0, discount: 0 });
  });

  test('longer never costs less, and what is covered reaches the end of the stay', () => {
    for (const plan of [PLAN, { ...PLAN, freeDeduct: true }, { ...PLAN, capFen: null, unitMinutes: 7 }])
      for (let minutes = 0, before = 0; minutes < 4000; minutes++) {
        const now = feeOf(plan, minutes);
        expect(now.fee).toBeGreaterThanOrEqual(before);
        expect(now.covered).toBeGreaterThanOrEqual(minutes);
        before = now.fee;
      }
  });
});

describe('time', () => {
  test('begun minutes count', () => {
    expect(minutesOf(at('09:00'), at('12:40'))).toBe(220);
    expect(minutesOf(at('09:00'), new Date(at('09:30').getTime() + 1))).toBe(31);
    expect(minutesOf(at('09:00'), at('08:00'))).toBe(0);
  });

  test('paid until 13:00: in time, in the grace, beyond it', () => {
    expect(lateness(at('13:00'), at('13:00'), 15)).toBe('normal');
    expect(lateness(at('13:00'), at('13:15'), 15)).toBe('grace');
    expect(lateness(at('13:00'), at('13:16'), 15)).toBe('over');
  });

  test('passes: over the whole stay, ended meanwhile, begun meanwhile, one behind the other', () => {
    const span = (from: string, to: string) => ({ from: at(from), to: at(to) });
    expect(chargedSpan(at('09:00'), at('12:00'), [])).toEqual(span('09:00', '12:00'));
    expect(chargedSpan(at('09:00'), at('12:00'), [span('08:00', '13:00')])).toEqual(span('12:00', '12:00'));
    expect(chargedSpan(at('09:00'), at('12:00'), [span('08:00', '10:00')])).toEqual(span('10:00', '12:00'));
    expect(chargedSpan(at('09:00'), at('12:00'), [span('11:00', '13:00')])).toEqual(span('09:00', '11:00'));
    expect(chargedSpan(at('09:00'), at('12:00'), [span('10:00', '13:00'), span('08:00', '10:00')])).toEqual(
      span('12:00', '12:00'),
    );
  });
});
