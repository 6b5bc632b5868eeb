import { expect, test } from 'vitest';
import { covers, onGoodSide, replay, stepAlert, type AlertCondition, type LiveAlert } from './alert.rules.ts';

const RULE: AlertCondition = {
  operator: 'above',
  fireValue: 5,
  recoverValue: 2,
  fireForS: 120,
  recoverForS: 180,
  repeatMinutes: 10,
  noData: 'keep',
};

/** Looks every 10 seconds, as the evaluator does; what was told, with the second. */
function look(values: readonly (number | undefined)[], rule: AlertCondition = RULE, acked = false) {
  let live: LiveAlert | undefined;
  const told: [string, number][] = [];
  values.forEach((value, index) => {
    const now = index * 10_000;
    const step = stepAlert(live, { value }, rule, now);
    if (step.tell) told.push([step.tell, index * 10]);
    live = step.live && step.tell ? { ...step.live, lastNotifiedAt: now } : step.live;
    if (acked && live?.state === 'firing') live = { ...live, state: 'acknowledged' };
  });
  return { live, told };
}
const times = (count: number, ...values: (number | undefined)[]) =>
  Array.from({ length: count }, (_unused, index) => values[index % values.length]);

test('6 % for 130 s fires once; swinging between 3 % and 6 % keeps the same alert; under 2 % for 180 s recovers once', () => {
  const { told } = look([...times(14, 6), ...times(30, 3, 6), ...times(20, 1)]);
  expect(told).toEqual([
    ['fired', 120],
    ['recovered', 620],
  ]);
  // A break of the bad value starts the duration anew.
  expect(look([...times(11, 6), 5, ...times(11, 6)]).told).toEqual([]);
});

test('repeats come until somebody acknowledges; recovery is told all the same', () => {
  expect(look(times(140, 6)).told).toEqual([
    ['fired', 120],
    ['repeat', 720],
    ['repeat', 1320],
  ]);
  expect(look([...times(140, 6), ...times(20, 0)], RULE, true).told).toEqual([
    ['fired', 120],
    ['recovered', 1580],
  ]);
  expect(look(times(140, 6), { ...RULE, repeatMinutes: 0 }).told).toHaveLength(1);
});

test('without data for three looks the rule decides: keep, fire or ignore', () => {
  const silent = [...times(14, 6), ...times(40, undefined)];
  expect(look(silent).live?.state).toBe('firing');
  expect(look(silent, { ...RULE, noData: 'ignore' }).told.at(-1)![0]).toBe('recovered');
  expect(look(times(20, undefined), { ...RULE, noData: 'fire', fireForS: 0 }).told).toEqual([]);
  expect(look([1, 6, ...times(20, undefined)], { ...RULE, noData: 'fire', fireForS: 30 }).told).toEqual([
    ['fired', 40],
  ]);
});

test('below and absolute values have their own good side', () => {
  const below = { ...RULE, operator: 'below', fireValue: 10, recoverValue: 15 } as const;
  expect([onGoodSide(below), onGoodSide({ ...below, recoverValue: 9 })]).toEqual([true, false]);
  expect([onGoodSide(RULE), onGoodSide({ ...RULE, recoverValue: 6 })]).toEqual([true, false]);
  expect(look(times(14, 9), below).told).toEqual([['fired', 120]]);
  expect(look(times(14, -6), { ...RULE, operator: 'absAbove' }).told).toEqual([['fired', 120]]);
});

test('limits that are one: over it is bad, everything else good', () => {
  const zero = { ...RULE, fireValue: 0, recoverValue: 0, fireForS: 0, recoverForS: 0 };
  expect(look([0, 1, 0], zero).told).toEqual([
    ['fired', 10],
    ['recovered', 20],
  ]);
});

test('silences cover by rule, service, instance or all', () => {
  const alert = { ruleId: 1, service: 'web', instance: 'a' };
  const none = { ruleId: null, service: '', instance: '' };
  expect(covers({ ...none, scope: 'rule', ruleId: 2 }, alert)).toBe(false);
  expect(covers({ ...none, scope: 'instance', instance: 'a' }, alert)).toBe(true);
  expect(covers({ ...none, scope: 'service', service: 'web' }, alert)).toBe(true);
  expect(covers({ ...none, scope: 'all' }, alert)).toBe(true);
});

test('a replay says when a rule would have fired', () => {
  const samples = [...times(10, 6), ...times(10, 1)].map((value, index) => ({
    at: index * 60_000,
    value: value!,
  }));
  expect(replay(RULE, samples)).toEqual([{ firedAt: 120_000, recoveredAt: 780_000, peak: 6 }]);
});
