import { describe, expect, test } from 'vitest';
import {
  AFTER_SALE_STATES,
  AFTER_SALE_TRANSITIONS,
  AFTER_SALE_TYPES,
  isAllowed,
  markOf,
  ORDER_PSEUDO_STATES,
  ORDER_REFUND_STATES,
  ORDER_STATES,
  ORDER_TRANSITIONS,
  REFUND_STATES,
  REFUND_TRANSITIONS,
  stepsFor,
  targetsOf,
} from './states.rules.ts';
import type { StateMark, Transition } from './states.rules.ts';

const TABLES: readonly [string, readonly StateMark[], readonly Transition[], readonly number[]][] = [
  ['order', ORDER_STATES.filter((mark) => mark.code < 100), ORDER_TRANSITIONS, [35, 45]],
  ['refund', REFUND_STATES, REFUND_TRANSITIONS, [2, 4]],
  ['after-sale', AFTER_SALE_STATES, AFTER_SALE_TRANSITIONS, [5, 7]],
];

/** Problems of a table: unknown codes, states that nothing enters or leaves, repeated steps. */
function problemsOf(marks: readonly StateMark[], table: readonly Transition[], ends: readonly number[]) {
  const codes = marks.map((mark) => mark.code);
  const problems = table.flatMap((step) =>
    (step.from === null || codes.includes(step.from)) && codes.includes(step.to)
      ? []
      : [`unknown ${step.action}`],
  );
  const moves = table.filter((step) => step.from !== step.to);
  for (const code of codes) {
    if (!moves.some((step) => step.to === code)) problems.push(`nothing enters ${code}`);
    if (!ends.includes(code) && !moves.some((step) => step.from === code))
      problems.push(`nothing leaves ${code}`);
    if (ends.includes(code) && moves.some((step) => step.from === code)) problems.push(`${code} is left`);
  }
  const keys = table.map((step) => `${step.from} ${step.action} ${step.to}`);
  if (new Set(keys).size !== keys.length) problems.push('repeated step');
  return problems;
}

describe.each(TABLES)('%s table', (_name, marks, table, ends) => {
  test('is closed: known codes, every state entered, every open one left', () => {
    expect(problemsOf(marks, table, ends)).toEqual([]);
  });

  test('the check sees planted bugs', () => {
    const [first] = table;
    if (!first) throw new Error('empty table');
    expect(problemsOf(marks, [...table, { ...first, to: 99 }], ends)).not.toEqual([]);
    expect(problemsOf(marks, [...table, first], ends)).not.toEqual([]);
    expect(problemsOf(marks, [...table, { ...first, from: ends[0] ?? 0, to: 1 }], ends)).not.toEqual([]);
  });

  test('several targets of one action say when', () => {
    for (const step of table) {
      const targets = targetsOf(table, step.from, step.action);
      const named = table.filter(
        (each) => each.from === step.from && each.action === step.action && each.when,
      );
      if (targets.length > 1) expect(named.length).toBeGreaterThanOrEqual(targets.length - 1);
    }
  });
});

test('order steps of the file', () => {
  expect(targetsOf(ORDER_TRANSITIONS, 10, 'ship')).toEqual([15, 20]);
  expect(targetsOf(ORDER_TRANSITIONS, 5, 'pay')).toEqual([10, 6]);
  expect(targetsOf(ORDER_TRANSITIONS, 45, 'ship')).toEqual([]);
  expect(targetsOf(ORDER_TRANSITIONS, 10, 'sign')).toEqual([]);
  expect(isAllowed(ORDER_TRANSITIONS, 20, 'auto_receive', 35)).toBe(true);
  expect(isAllowed(ORDER_TRANSITIONS, 15, 'refund_unshipped', 20)).toBe(true);
  expect(isAllowed(ORDER_TRANSITIONS, 6, 'apply_refund', 6)).toBe(false);
});

test('refund steps of the file', () => {
  expect(targetsOf(REFUND_TRANSITIONS, 1, 'restart')).toEqual([]);
  expect(targetsOf(REFUND_TRANSITIONS, 3, 'restart')).toEqual([1]);
  expect(targetsOf(REFUND_TRANSITIONS, 0, 'pass')).toEqual([0, 1]);
  expect(targetsOf(REFUND_TRANSITIONS, 1, 'reject')).toEqual([]);
  expect(stepsFor(REFUND_TRANSITIONS, 0, 'finance').map((step) => step.element)).toEqual([
    'btn_auditFinance',
    'btn_offline',
  ]);
});

test('after-sale steps of the file', () => {
  expect(targetsOf(AFTER_SALE_TRANSITIONS, 0, 'agree')).toEqual([4, 1]);
  expect(targetsOf(AFTER_SALE_TRANSITIONS, 4, 'cancel_refund')).toEqual([0]);
  expect(targetsOf(AFTER_SALE_TRANSITIONS, 2, 'withdraw')).toEqual([]);
});

test('the same word has one tone and every label both languages', () => {
  const marks = [
    ...ORDER_STATES,
    ...ORDER_PSEUDO_STATES,
    ...ORDER_REFUND_STATES,
    ...REFUND_STATES,
    ...AFTER_SALE_STATES,
  ];
  const tones = new Map<string, string>();
  for (const mark of marks) {
    expect(tones.get(mark.label[0]) ?? mark.tone).toBe(mark.tone);
    tones.set(mark.label[0], mark.tone);
  }
  const labels = [...marks, ...AFTER_SALE_TYPES, ...TABLES.flatMap(([, , table]) => table)].map(
    (each) => each.label,
  );
  for (const [zh, en] of labels) {
    expect(zh).toMatch(/\p{Script=Han}/u);
    expect(en).toMatch(/^[A-Z][\x20-\x7e]*$/);
  }
  expect(markOf(ORDER_STATES, 15).label).toEqual(['部分发货', 'Partly shipped']);
  expect(() => markOf(ORDER_STATES, 7)).toThrow(RangeError);
});
