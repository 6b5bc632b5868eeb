import fc from 'fast-check';
import { expect, test } from 'vitest';
import { feeBack, feeOf } from './fee.rules.ts';
import { isCardNumber, numberProblem } from './payee.rules.ts';

test('fees round half up, by the parts per million', () => {
  expect(feeOf(12_800, 6000)).toBe(77);
  expect(feeOf(32_290, 6000)).toBe(194);
  expect([feeOf(250, 6000), feeOf(249, 6000)]).toEqual([2, 1]);
  expect(feeOf(0, 6000)).toBe(0);
  expect(feeOf(9_000_000_000_000_000, 100_000)).toBe(900_000_000_000_000);
});

test('a fee goes back in proportion: 50.00 and 78.00 of 128.00 return 0.30 and 0.47', () => {
  const first = feeBack({ fee: 77, amount: 12_800, refunded: 5_000 });
  const all = feeBack({ fee: 77, amount: 12_800, refunded: 12_800 });
  expect([first, all - first, all]).toEqual([30, 47, 77]);
});

test('whatever the parts, the returns never shrink and end with the whole fee', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 0, max: 100_000 }),
      (parts, ppm) => {
        const amount = parts.reduce((sum, part) => sum + part, 0);
        const fee = feeOf(amount, ppm);
        let refunded = 0;
        let last = 0;
        for (const part of parts) {
          refunded += part;
          const back = feeBack({ fee, amount, refunded });
          if (back < last || back > fee) return false;
          last = back;
        }
        return last === fee;
      },
    ),
  );
});

test('numbers are checked by their channel', () => {
  expect(isCardNumber('4111111111111111')).toBe(true);
  expect(isCardNumber('4111111111111112')).toBe(false);
  expect(numberProblem('bank', '4111111111111112')).toEqual([
    '卡号校验位不正确',
    'The check digit of the card number is wrong',
  ]);
  expect(numberProblem('bank', '4111111111111111')).toBeUndefined();
  expect(numberProblem('bank', '12345678')).toBeUndefined();
  expect(numberProblem('bank', '1234567')).toBeDefined();
  expect(numberProblem('wechat', '1600000001')).toBeUndefined();
  expect(numberProblem('wechat', '16000000012')).toBeDefined();
  expect(numberProblem('alipay', '2088123456789012')).toBeUndefined();
  expect(numberProblem('alipay', '1088123456789012')).toBeDefined();
});
