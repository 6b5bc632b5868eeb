import { expect, it } from 'vitest';
import { dateRange, decimal, integer, text } from '../../contract/fields.ts';
import { defineReport } from '../../contract/report.ts';
import type { Caller } from '../people/caller.ts';
import type { Platform } from '../platform.ts';
import { bindReport } from './bind.ts';

const contract = defineReport({
  name: 'counted',
  menu: 'counted',
  title: ['计数', 'Counted'],
  parameters: { range: dateRange(['期间', 'Period'], { required: true }) },
  figures: { total: { label: ['总数', 'Total'], kind: 'integer', formula: ['全部', 'All'] } },
  charts: [],
  fields: {
    name: text(['名称', 'Name'], { sortable: true }),
    total: integer(['总数', 'Total']),
    score: decimal(['平均分', 'Score']),
  },
  columns: ['name', 'total', 'score'],
  sort: 'name',
  export: true,
  exportSums: true,
  workbook: true,
});

it('works a file out once, in its language: progress, rows and further sheets are of one instant', async () => {
  let computed = 0;
  const source = bindReport(contract, {
    compute: async ({ language }) => {
      computed++;
      return {
        figures: { total: { value: computed, previous: null, spark: [] } },
        charts: {},
        rows: [{ id: 1, name: language, total: computed, score: 11 / 3 }],
        sums: { total: computed },
      };
    },
  }).exports![0]!;
  const call = { caller: {} as Caller, platform: {} as Platform, language: 'en' as const };
  const query = { range: '2026-11-01~2026-11-27' };
  const file = await source.once!(call, query);
  expect(await file.count(call, query)).toBe(2);
  const rows = [];
  for await (const batch of file.read(call, query)) rows.push(...batch);
  expect(rows).toEqual([
    ['en', 1, '3.67'],
    ['Total', 1, null],
  ]);
  expect((await file.sheets!(call, query))[0]!.rows).toEqual([['Total', '1', null]]);
  expect(computed).toBe(1);
  // The next file has figures of its own.
  expect(await (await source.once!(call, query)).count(call, query)).toBe(2);
  expect(computed).toBe(2);
});
