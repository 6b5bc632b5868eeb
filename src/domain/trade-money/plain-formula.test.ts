import { expect, test } from 'vitest';
import { plainFormula } from './plain-formula.rules.ts';

test('formulas are shown without the name of the rounding', () => {
  expect(plainFormula('floor(69.90 × 1 / 3) = 23.30；现金 23.30')).toBe('69.90 × 1 / 3 = 23.30；现金 23.30');
  expect(plainFormula('min(最高 5.00, floor(50.00 × (100 − 85) / 100)) = 5.00')).toBe(
    'min(最高 5.00, 50.00 × (100 − 85) / 100) = 5.00',
  );
  expect(plainFormula('floor(1.00 × 2 / 3) = 0.66; floor(1.00 / 3) = 0.33')).toBe(
    '1.00 × 2 / 3 = 0.66; 1.00 / 3 = 0.33',
  );
});
