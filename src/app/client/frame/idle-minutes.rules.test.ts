import { expect, it } from 'vitest';
import { idleMinutes } from './idle-minutes.rules.ts';

it('lets the staff only shorten', () => {
  expect(idleMinutes(10, undefined)).toBe(10);
  expect(idleMinutes(10, 5)).toBe(5);
  expect(idleMinutes(10, 30)).toBe(10);
  expect(idleMinutes(10, 0)).toBe(10);
  expect(idleMinutes(0, 5)).toBe(5);
  expect(idleMinutes(0, undefined)).toBe(0);
});
