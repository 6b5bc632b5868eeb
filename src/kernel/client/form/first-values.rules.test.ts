import { describe, expect, it } from 'vitest';
import { boolean, code, integer, lines, phone, ref, refs, text } from '../../contract/fields.ts';
import {
  asksSettings,
  constantValues,
  copiedValues,
  givenValues,
  namelessRefs,
  withTitles,
} from './first-values.rules.ts';
import { queryOf } from './first-query.rules.ts';

const fields = {
  code: code(['编号', 'Number'], { createOnly: true }),
  name: text(['名称', 'Name']),
  days: integer(['天数', 'Days'], { initial: 7 }),
  limit: integer(['上限', 'Limit'], { initial: { setting: 'x.limit' } }),
  open: boolean(['开放', 'Open'], { initial: true }),
  project: ref('project', ['项目', 'Project']),
  tags: refs('tag', ['标签', 'Tags']),
  contact: phone(['电话', 'Phone']),
  steps: lines(['步骤', 'Steps'], { name: text(['名称', 'Name']) }),
};
const names = Object.keys(fields);

describe('first values of a form', () => {
  it('come from the contract; settings are asked for', () => {
    expect(constantValues(fields, names)).toEqual({ days: '7', open: true });
    expect(asksSettings(fields, names)).toBe(true);
    expect(asksSettings(fields, ['name', 'days'])).toBe(false);
  });

  it('of a copy leave out numbers, masked values and ids of lines', () => {
    const row = {
      code: 'A-1',
      name: '甲',
      days: 3,
      project: { id: '7', title: '一期' },
      contact: '138****0001',
      steps: [{ id: '9', name: '收货' }],
    };
    expect(copiedValues(fields, names, row)).toEqual({
      name: '甲',
      days: '3',
      project: { id: '7', title: '一期' },
      steps: [{ name: '收货' }],
    });
  });

  it('travel in an address and get their names back', () => {
    const values = {
      name: '甲',
      project: { id: '7', title: '一期' },
      tags: [{ id: '1', title: 'a' }],
      x: '1',
    };
    const query = queryOf(fields, values);
    expect(query.toString()).toBe(new URLSearchParams({ name: '甲', project: '7', tags: '1' }).toString());
    query.set('foreign', '1');
    const given = givenValues(fields, names, query);
    expect(given).toEqual({
      name: '甲',
      project: { id: '7', title: '7' },
      tags: [{ id: '1', title: '1' }],
    });
    expect(namelessRefs(fields, given)).toEqual({ project: ['7'], tag: ['1'] });
    expect(withTitles(fields, given, { project: { 7: '一期' } })).toMatchObject({
      project: { id: '7', title: '一期' },
      tags: [{ id: '1', title: '1' }],
    });
  });
});
