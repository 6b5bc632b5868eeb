import { expect, test } from 'vitest';
import { failing, isLapsed, isProtected, renewalShare, reportedAfter, statusOf } from './registry.rules.ts';

const SETTINGS = { percent: 85, minInstances: 3 };
const live = (ageSeconds = 3_600) => ({ service: 'web', silentSeconds: 5, lapsed: false, ageSeconds });
const gone = (silentSeconds: number) => ({
  service: 'web',
  silentSeconds,
  lapsed: true,
  ageSeconds: 3_600,
});

test('a lease ends after its seconds, not before', () => {
  expect([isLapsed(30, 30), isLapsed(30.5, 30)]).toEqual([false, true]);
});

test('the status follows checks, decisions and lease', () => {
  const bad = [{ name: 'disk', ok: false, note: '2 %' }];
  expect(reportedAfter(bad, false)).toBe('STARTING');
  expect(reportedAfter(bad, true)).toBe('DOWN');
  expect(reportedAfter([{ name: 'disk', ok: true }], true)).toBe('UP');
  expect(failing(bad)).toBe('disk: 2 %');
  expect(statusOf({ reported: 'UP', takenOut: true, lapsed: false })).toBe('OUT_OF_SERVICE');
  expect(statusOf({ reported: 'UP', takenOut: true, lapsed: true })).toBe('DOWN');
  expect(statusOf({ reported: 'STARTING', takenOut: true, lapsed: false })).toBe('STARTING');
});

test('one of three that is silent is evicted, two of four stop eviction within five minutes', () => {
  expect(isProtected([live(), live(), gone(330)], SETTINGS)).toBe(false);
  expect(isProtected([live(), live(), gone(200), gone(200)], SETTINGS)).toBe(false);
  expect(isProtected([live(), live(), gone(299), gone(299)], SETTINGS)).toBe(true);
  // Fewer than three expected ones are never protected.
  expect(isProtected([live(), gone(900)], SETTINGS)).toBe(false);
});

test('new starts of the service stand in for the silent ones', () => {
  const after = [live(), live(), gone(600), gone(600), live(20)];
  expect(renewalShare(after)).toBeLessThan(0.85);
  expect(isProtected([...after, live(20)], SETTINGS)).toBe(false);
});
