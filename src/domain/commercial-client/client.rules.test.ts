import { expect, test } from 'vitest';
import { isLicence, likeness, plainName, poolDay, stageProblem } from './client.rules.ts';

const none = { reason: '', viewed: true };

test('group 20 Must show 6: one stage may be skipped, signed follows from a contract', () => {
  expect(stageProblem('lead', 'negotiating', none)).toBe('skips');
  expect(stageProblem('lead', 'viewing', none)).toBeUndefined();
  expect(stageProblem('lead', 'viewing', { ...none, viewed: false })).toBe('viewing');
  expect(stageProblem('negotiating', 'signed', none)).toBe('signed');
  expect(stageProblem('viewing', 'lead', none)).toBe('reason');
  expect(stageProblem('viewing', 'lead', { ...none, reason: '暂缓' })).toBeUndefined();
  expect(stageProblem('lead', 'lead', none)).toBe('same');
});

test('group 20 Must show 3: assigned on 1 November, followed up on 3 November, 15 days: in the pool on 18 November', () => {
  const days = { noFollow: 15, noDeal: 90 };
  expect(poolDay({ assignedOn: '2026-11-01', followedOn: '2026-11-03' }, days)).toBe('2026-11-18');
  expect(poolDay({ assignedOn: '2026-11-01', followedOn: '2026-11-17' }, days)).toBe('2026-12-02');
  expect(poolDay({ assignedOn: '2026-11-01', followedOn: '2027-01-29' }, days)).toBe('2027-01-30');
  expect(poolDay({ assignedOn: '2026-11-01', followedOn: null }, days)).toBe('2026-11-16');
});

test('names are compared without what companies end with', () => {
  expect(plainName('杭州 星月（餐饮）有限公司')).toBe('杭州星月餐饮');
  expect(likeness(plainName('杭州星月餐饮有限公司'), plainName('杭州星月餐饮管理公司'))).toBeGreaterThan(0.7);
  expect(likeness('星月', '海底')).toBe(0);
});

test('licence numbers carry their check character', () => {
  expect(isLicence('91330106MA2CFPEB19')).toBe(false);
  expect(isLicence('91350100M000100Y43')).toBe(true);
});
