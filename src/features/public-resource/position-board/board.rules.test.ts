import { expect, test } from 'vitest';
import {
  draggedRange,
  firstFree,
  freeAround,
  lastOfMonths,
  monthsOf,
  draftQuery,
  seenRows,
  type BoardBar,
} from './board.rules.ts';

const bar = (from: string, to: string): BoardBar => ({
  id: from,
  kind: 'lease',
  from,
  to,
  title: '',
  own: false,
  clientId: null,
});
const bars = [bar('2026-03-10', '2026-03-20'), bar('2026-04-01', '2026-04-30')];
const bounds = { from: '2026-03-01', to: '2026-06-30' };

test('a drag takes free days only and stops before what is taken', () => {
  expect(draggedRange(bars, '2026-03-22', '2026-03-25', bounds)).toEqual({
    from: '2026-03-22',
    to: '2026-03-25',
  });
  expect(draggedRange(bars, '2026-03-25', '2026-03-05', bounds)).toEqual({
    from: '2026-03-21',
    to: '2026-03-25',
  });
  expect(draggedRange(bars, '2026-03-25', '2026-05-05', bounds)).toEqual({
    from: '2026-03-25',
    to: '2026-03-31',
  });
  expect(draggedRange(bars, '2026-03-20', '2026-03-25', bounds)).toBeUndefined();
  expect(freeAround(bars, '2026-05-09', bounds)).toEqual({ from: '2026-05-01', to: '2026-06-30' });
  expect(freeAround(bars, '2026-07-01', bounds)).toBeUndefined();
});

test('a click offers the first free days, as many as there are', () => {
  expect(firstFree(bars, '2026-03-12', 30, bounds)).toEqual({ from: '2026-03-21', to: '2026-03-31' });
  expect(firstFree([], '2026-02-01', 30, bounds)).toEqual({ from: '2026-03-01', to: '2026-03-30' });
  expect(firstFree([bar('2026-01-01', '2026-12-31')], '2026-03-01', 30, bounds)).toBeUndefined();
});

test('months, the end of a span and the rows that are seen', () => {
  expect(monthsOf({ from: '2026-01-30', to: '2026-03-02' })).toEqual([
    { month: '2026-01', at: 0, days: 2 },
    { month: '2026-02', at: 2, days: 28 },
    { month: '2026-03', at: 30, days: 2 },
  ]);
  expect(lastOfMonths('2026-01-01', 24)).toBe('2027-12-31');
  expect(lastOfMonths('2026-11-01', 3)).toBe('2027-01-31');
  expect(seenRows(500, 3600, 360, 36)).toEqual({ first: 94, last: 116 });
});

test('a contract is drafted with the chosen positions, from the first of their days to the last', () => {
  const row = (id: string) => ({
    id,
    code: `GG-${id}`,
    name: '',
    type: '',
    enabled: true,
    listPrice: '3000.00',
    planId: null,
    pinX: null,
    pinY: null,
    bars: [],
  });
  const query = draftQuery(
    '1',
    [
      { row: row('7'), range: { from: '2026-03-05', to: '2026-03-20' } },
      { row: row('8'), range: { from: '2026-03-01', to: '2026-03-10' } },
    ],
    '5',
  );
  expect(query).toMatchObject({
    project: '1',
    from: '2026-03-01',
    to: '2026-03-20',
    positions: '7,8',
    clientId: '5',
  });
  expect(JSON.parse(query.places!)).toEqual([
    { id: '7', code: 'GG-7', from: '2026-03-05', to: '2026-03-20', price: '3000.00' },
    { id: '8', code: 'GG-8', from: '2026-03-01', to: '2026-03-10', price: '3000.00' },
  ]);
});
