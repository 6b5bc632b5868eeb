import { describe, expect, it } from 'vitest';
import { instant, money, phone, ref, text } from '../../contract/fields.ts';
import { defineResource } from '../../contract/resource.ts';
import { defaultColumns, mergeColumns, planColumns, sameColumns } from './columns.rules.ts';
import { dayPresets, filterText, joinRange, splitRange } from './filter-values.rules.ts';
import { countsQuery, readListState, wireQuery, writeListState } from './list-state.rules.ts';

const refund = defineResource({
  name: 'refund',
  menu: 'mm_orderRefund',
  title: ['退款', 'Refunds'],
  fields: {
    code: text(['单号', 'No.'], { keyword: true }),
    phone: phone(['电话', 'Phone'], { search: 'equals' }),
    merchant: ref('merchant', ['商户', 'Merchant'], { search: 'in' }),
    amount: money(['金额', 'Amount'], { search: 'range', sortable: true }),
    at: instant(['时间', 'At'], { search: 'range', sortable: true }),
  },
  states: {
    open: { label: ['待审', 'Open'], tone: 'warning' },
    done: { label: ['完成', 'Done'], tone: 'success' },
  },
  list: {
    columns: ['code', 'state', 'amount', 'at'],
    hidden: ['phone'],
    filters: ['merchant', 'amount'],
    sort: '-at',
    tabs: [
      { key: 'mine', label: ['待我', 'Mine'], named: true },
      { key: 'open', label: ['待审', 'Open'], filter: { state: 'open' } },
    ],
  },
});
const read = (query: string) => readListState(refund, new URLSearchParams(query));

describe('list state', () => {
  it('survives the address bar', () => {
    const query =
      'view=7&tab=open&searchVal=%E5%A4%A7%E7%B1%B3&merchant=1%2C2&amount=10%7E&sort=amount&page=3&limit=50&detail=9';
    expect(writeListState(refund, read(query)).toString()).toBe(query);
  });
  it('leaves defaults out and keeps foreign names', () => {
    expect(
      writeListState(
        refund,
        read('limit=20&page=1&sort=-at&tab=mine'),
        new URLSearchParams('group=5'),
      ).toString(),
    ).toBe('group=5');
  });
  it('drops what the contract does not allow', () => {
    const state = read('code=x&nope=1&sort=phone&limit=1000&page=-2&tab=zzz');
    expect(state).toMatchObject({ filters: {}, sort: '-at', limit: 20, page: 1, tab: 'mine' });
  });
  it('sends named tabs by name and merges filter tabs', () => {
    expect(wireQuery(refund, read('amount=5~'))).toEqual({
      amount: '5~',
      tab: 'mine',
      sort: '-at',
      page: 1,
      limit: 20,
    });
    expect(wireQuery(refund, read('tab=open'))).toEqual({ state: 'open', sort: '-at', page: 1, limit: 20 });
    expect(countsQuery(read('tab=open&searchVal=a&amount=5~'))).toEqual({ amount: '5~', searchVal: 'a' });
  });
});

describe('columns', () => {
  it('pins the link, hides the hidden', () => {
    expect(defaultColumns(refund)).toEqual([
      { name: 'code', pin: true },
      { name: 'state' },
      { name: 'amount' },
      { name: 'at' },
      { name: 'phone', hidden: true },
    ]);
  });
  it('skips unknown columns and adds new ones at their place', () => {
    const { columns, skipped } = mergeColumns(refund, [
      { name: 'amount', width: 9 },
      { name: 'gone' },
      { name: 'code' },
      { name: 'at' },
      { name: 'phone' },
    ]);
    expect(skipped).toBe(1);
    expect(columns.map((column) => column.name)).toEqual(['amount', 'state', 'code', 'at', 'phone']);
    expect(columns[0]!.width).toBe(56);
  });
  it('shows pinned ones first', () => {
    const plans = planColumns(refund, [
      { name: 'amount' },
      { name: 'state', hidden: true },
      { name: 'at', pin: true },
    ]);
    expect(plans.map((plan) => plan.name)).toEqual(['at', 'amount']);
    expect(sameColumns([{ name: 'a', hidden: false }], [{ name: 'a' }])).toBe(true);
  });
});

describe('filter values', () => {
  it('splits and joins ranges', () => {
    expect(splitRange('~5')).toEqual(['', '5']);
    expect(splitRange(undefined)).toEqual(['', '']);
    expect(joinRange('', '')).toBe('');
  });
  it('puts filters into words', () => {
    expect(filterText(refund.fields.amount, '10~', 'zh')).toBe('≥ 10');
    expect(filterText(refund.fields.amount, '10~20', 'zh')).toBe('10 ~ 20');
    expect(filterText(refund.fields.merchant, '1,2', 'zh', { 1: '甲' })).toBe('甲、…');
  });
  it('offers ready ranges', () => {
    const presets = dayPresets('2026-03-01');
    expect(presets[2]!.range).toEqual(['2026-02-23', '2026-03-01']);
    expect(presets[5]!.range).toEqual(['2026-02-01', '2026-02-28']);
  });
});
