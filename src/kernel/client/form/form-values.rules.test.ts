import { describe, expect, it } from 'vitest';
import { images, integer, json, money, phone, ref, refs, text } from '../../contract/fields.ts';
import { isFresh } from './draft.ts';
import {
  changedNames,
  conflictsOf,
  formProblem,
  initialValues,
  ruleHint,
  toWrite,
  writtenValues,
} from './form-values.rules.ts';

const fields = {
  name: text(['名称', 'Name'], { required: true, max: 5 }),
  price: money(['价格', 'Price'], { min: 1, max: 99_999_999 }),
  stock: integer(['库存', 'Stock'], { min: 0 }),
  merchant: ref('merchant', ['商户', 'Merchant']),
  projects: refs('project', ['项目', 'Projects']),
  photos: images(['图', 'Photos']),
  extra: json(['扩展', 'Extra']),
  contact: phone(['电话', 'Phone']),
};
const names = Object.keys(fields);
const row = {
  name: ' a ',
  price: '1.00',
  stock: 3,
  merchant: { id: '7', title: '甲' },
  projects: [{ id: '1', title: 'x' }],
  photos: [],
  extra: { a: 1 },
  contact: '138****0001',
};

describe('form values', () => {
  it('round-trip through the inputs', () => {
    const initial = initialValues(fields, names, row);
    expect(initial.stock).toBe('3');
    expect(writtenValues(fields, names, initial)).toEqual({
      name: 'a',
      price: '1.00',
      stock: 3,
      merchant: '7',
      projects: ['1'],
      photos: [],
      extra: { a: 1 },
      contact: '138****0001',
    });
    expect(toWrite(fields.projects, undefined)).toEqual([]);
    expect(toWrite(fields.merchant, undefined)).toBeNull();
  });
  it('find what changed, not what only looks different', () => {
    const initial = initialValues(fields, names, row);
    expect(
      changedNames(fields, names, initial, {
        ...initial,
        merchant: { id: '7', title: '改名' },
        name: 'a',
        stock: '4',
      }),
    ).toEqual(['stock']);
    expect(changedNames(fields, names, {}, { name: '', projects: [] })).toEqual([]);
  });
  it('are judged by the rules of the server', () => {
    expect(formProblem(fields.name, '')).toBeDefined();
    expect(formProblem(fields.name, '123456')).toBeDefined();
    expect(formProblem(fields.extra, '{bad')?.[1]).toContain('JSON');
    expect(formProblem(fields.stock, '5')).toBeUndefined();
    expect(ruleHint(fields.price, 'zh')).toBe('0.01 – 999,999.99');
    expect(ruleHint(fields.stock, 'zh')).toBeUndefined();
  });
  it('split a conflict', () => {
    const before = initialValues(fields, names, row);
    const theirs = { ...before, price: '2.00', stock: '9' };
    const mine = { ...before, price: '3.00', name: 'b' };
    const { conflicts, theirs: onlyTheirs } = conflictsOf(fields, names, before, theirs, mine);
    expect(conflicts.map((one) => [one.name, one.theirs, one.mine])).toEqual([['price', '2.00', '3.00']]);
    expect(onlyTheirs.map((one) => one.name)).toEqual(['stock']);
    expect(conflictsOf(fields, names, before, theirs, theirs).conflicts).toEqual([]);
  });
});

describe('drafts', () => {
  it('keep seven days', () => {
    expect(isFresh({ at: 0 }, 7 * 86_400_000 - 1)).toBe(true);
    expect(isFresh({ at: 0 }, 7 * 86_400_000)).toBe(false);
  });
});
