import { expect, test } from 'vitest';
import { weekGroups } from './week.rules.ts';

test('days of the same hours stand together, free days and other hours apart', () => {
  const day = (weekday: string, fromTime: string, toTime: string) => ({ weekday, fromTime, toTime });
  expect(
    weekGroups([
      ...['1', '2', '4'].flatMap((one) => [day(one, '13:30', '18:00'), day(one, '09:00', '12:00')]),
      day('5', '09:00', '12:00'),
    ]),
  ).toEqual([
    { from: 1, to: 2, spans: '09:00–12:00 13:30–18:00' },
    { from: 4, to: 4, spans: '09:00–12:00 13:30–18:00' },
    { from: 5, to: 5, spans: '09:00–12:00' },
  ]);
});
