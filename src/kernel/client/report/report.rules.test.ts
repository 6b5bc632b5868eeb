import { describe, expect, it } from 'vitest';
import { dateRange, money, text } from '../../contract/fields.ts';
import { defineReport } from '../../contract/report.ts';
import { chartPoints, isEmptyChart, OTHER_KEY, shareText } from './chart-data.rules.ts';
import { axisText, figureChange, figureText, sparkPath } from './figures.rules.ts';
import { rangeProblem, readReportState, writeReportState } from './report-state.rules.ts';

const report = defineReport({
  name: 'r',
  menu: 'm',
  title: ['报', 'R'],
  figures: {},
  charts: [],
  maxDays: 60,
  parameters: { range: dateRange(['期', 'Period']), name: text(['名', 'Name']) },
  fields: { name: text(['名', 'Name']), net: money(['净', 'Net'], { sortable: true }) },
  columns: ['name', 'net'],
  sort: '-net',
});
const point = (key: string, net: number) => ({ key, label: key, values: { net } });

describe('report state', () => {
  it('starts with the last 30 days and goes through the address bar', () => {
    expect(readReportState(report, new URLSearchParams(), '2026-11-21').parameters.range).toBe(
      '2026-10-23~2026-11-21',
    );
    const query = 'range=2026-01-01%7E2026-01-31&name=x&sort=net&page=2';
    expect(
      writeReportState(report, readReportState(report, new URLSearchParams(query), '2026-11-21')).toString(),
    ).toBe(query);
  });
  it('leaves what is not its own in the address', () => {
    const state = readReportState(report, new URLSearchParams('name=x'), '2026-11-21');
    const query = writeReportState(
      report,
      { ...state, page: 2 },
      new URLSearchParams('as=points&name=y&page=9'),
    );
    expect(query.get('as')).toBe('points');
    expect([query.get('name'), query.get('page')]).toEqual(['x', '2']);
  });
  it('counts days inclusively', () => {
    expect(rangeProblem(report, '2026-01-01~2026-03-01')).toBeUndefined();
    expect(rangeProblem(report, '2026-01-01~2026-03-02')?.[0]).toBe('时间跨度不能超过60天');
    expect(rangeProblem(report, '2026-13-01~2026-03-02')).toBeDefined();
  });
});

describe('figures', () => {
  it('write value and change', () => {
    expect(figureText('money', '1280345.5', 'zh')).toBe('¥1,280,345.50');
    expect(figureText('percent', null, 'zh')).toBe('–');
    expect([figureText('minutes', '1565', 'zh'), figureText('minutes', '65.4', 'en')]).toEqual([
      '1天2小时5分',
      '1h 5m',
    ]);
    expect([figureText('minutes', '0', 'zh'), figureText('decimal', '4.50', 'en')]).toEqual(['0分', '4.50']);
    expect(figureChange('money', { value: '110', previous: '100', spark: [] })).toEqual({
      text: '+10%',
      direction: 'up',
    });
    expect(figureChange('percent', { value: '86.5', previous: '90', spark: [] })).toEqual({
      text: '-3.5 pp',
      direction: 'down',
    });
    expect(figureChange('integer', { value: '5', previous: '0', spark: [] })).toBeUndefined();
    expect(figureChange('integer', { value: '5', previous: null, spark: [] })).toBeUndefined();
  });
  it('draw and shorten', () => {
    expect(sparkPath([0, 1], 10, 10)).toBe('M0 10L10 0');
    expect(sparkPath([1], 10, 10)).toBe('');
    expect([axisText(80_000, 'zh'), axisText(1.2e8, 'zh'), axisText(80_000, 'en')]).toEqual([
      '8万',
      '1.2亿',
      '80k',
    ]);
  });
});

describe('chart points', () => {
  it('keep eight and add the rest up', () => {
    const points = Array.from({ length: 12 }, (_, index) => point(`p${index}`, index + 1));
    const shown = chartPoints('bar', points, 'net', '其他');
    expect(shown).toHaveLength(8);
    expect(shown[0]!.key).toBe('p11');
    expect(shown[7]).toMatchObject({ key: OTHER_KEY, label: '其他 (5)', values: { net: 15 } });
    expect(shown.reduce((sum, one) => sum + one.values.net!, 0)).toBe(78);
    expect(chartPoints('line', points, 'net', '其他')).toBe(points);
  });
  it('know shares and emptiness', () => {
    expect(shareText([point('a', 1), point('b', 2)], 'net', point('a', 1))).toBe('33.3%');
    expect(isEmptyChart([point('a', 0)], 'net')).toBe(true);
  });
});
