import { expect, test } from 'vitest';
import { percentOf, reaches, sharesOf, verdictOf, type Tally } from './decision.rules.ts';

const QUORUM = '2/3 count and 2/3 area';
const ORDINARY = '>1/2 count and area';
const SPECIAL = '>=3/4 count and area';
const tally = (houses: number, area: number, agree: number, agreeArea: number): Tally => ({
  all: { houses: 100, area: 900_000 },
  participating: { houses, area },
  agree: { houses: agree, area: agreeArea },
  disagree: { houses: houses - agree, area: area - agreeArea },
  abstain: { houses: 0, area: 0 },
});
const of = (pass: string, counted: Tally, base: 'participating' | 'all' = 'participating') =>
  verdictOf(counted, { quorum: QUORUM, pass, base });

test('rules are read as settings hold them', () => {
  expect(sharesOf(ORDINARY)).toEqual({
    count: { over: 1, under: 2, strict: true },
    area: { over: 1, under: 2, strict: true },
  });
  expect(sharesOf('2/3 count and 3/5 area')!.area).toEqual({ over: 3, under: 5, strict: false });
  for (const wrong of ['', 'half', '1/0', '5/4']) expect(sharesOf(wrong)).toBeUndefined();
});

test('group 10 Must show 10 (rules): 36 of 70 pass, 35 do not; special needs 53 and 4,725 m²', () => {
  expect(of(ORDINARY, tally(70, 630_000, 36, 320_000))).toEqual({ passed: true, why: '' });
  expect(of(ORDINARY, tally(70, 630_000, 35, 320_000))).toEqual({ passed: false, why: 'pass' });
  expect(of(ORDINARY, tally(70, 630_000, 36, 315_000)).passed).toBe(false);
  expect(of(SPECIAL, tally(70, 630_000, 53, 472_500)).passed).toBe(true);
  expect(of(SPECIAL, tally(70, 630_000, 52, 472_500)).passed).toBe(false);
  expect(of(SPECIAL, tally(70, 630_000, 53, 472_499)).passed).toBe(false);
});

test('the quorum counts by houses and by area, exactly', () => {
  expect(of(ORDINARY, tally(66, 630_000, 66, 630_000))).toEqual({ passed: false, why: 'quorum' });
  expect(of(ORDINARY, tally(67, 600_000, 67, 600_000)).passed).toBe(true);
  expect(of(ORDINARY, tally(67, 599_999, 67, 599_999)).why).toBe('quorum');
  expect(of(ORDINARY, tally(70, 630_000, 36, 320_000), 'all').passed).toBe(false);
});

test('nothing of nothing reaches nothing; percents are half up', () => {
  expect(reaches(0, 0, { over: 0, under: 1, strict: false })).toBe(false);
  expect([percentOf(36, 100), percentOf(1, 3), percentOf(2, 3), percentOf(1, 800), percentOf(0, 0)]).toEqual([
    '36.00',
    '33.33',
    '66.67',
    '0.13',
    '0.00',
  ]);
});
