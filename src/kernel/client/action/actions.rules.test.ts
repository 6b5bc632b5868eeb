import { describe, expect, it } from 'vitest';
import { money, personName, text } from '../../contract/fields.ts';
import { defineResource, type ResourceSpec } from '../../contract/resource.ts';
import type { RowData } from '../wire.ts';
import {
  bulkActions,
  doneLabel,
  eligibleRows,
  pageActions,
  rowActions,
  splitBulkActions,
  splitRowActions,
} from './actions.rules.ts';
import { bulkConfirmText, confirmText } from './confirm-text.rules.ts';

const resource = defineResource({
  name: 'thing',
  menu: 'm',
  title: ['物', 'Things'],
  fields: {
    code: text(['编号', 'Code'], { sortable: true }),
    amount: money(['金额', 'Amount']),
    who: personName(['客户', 'Customer']),
  },
  states: { open: { label: ['开', 'Open'], tone: 'warning' } },
  list: { columns: ['code'], sort: 'code' },
  actions: {
    create: { label: ['新增', 'New'], on: 'page', element: 'btn_add' },
    import: { label: ['导入', 'Import'], on: 'page', element: 'btn_import' },
    approve: { label: ['通过', 'Approve'], on: 'rowAndBulk', from: ['open'], element: 'btn_audit' },
    update: { label: ['编辑', 'Edit'], on: 'row', element: 'btn_edit' },
    copy: { label: ['复制', 'Copy'], on: 'row', element: 'btn_copy' },
    print: { label: ['打印', 'Print'], on: 'row', element: 'btn_print' },
    sweep: { label: ['清理', 'Sweep'], on: 'bulk', from: ['open'], element: 'btn_sweep' },
    remove: { label: ['删除', 'Delete'], on: 'row', element: 'btn_del', tone: 'danger' },
  },
}) as unknown as ResourceSpec;
const row = (actions: string[], values: object = {}) =>
  ({ id: '1', version: 1, actions, ...values }) as RowData;
const names = (list: readonly { name: string }[]) => list.map((one) => one.name);

describe('actions', () => {
  it('are what the server allows, in the order of the contract', () => {
    expect(names(rowActions(resource, row(['remove', 'update', 'approve', 'unknown', 'create'])))).toEqual([
      'approve',
      'update',
      'remove',
    ]);
  });
  it('show at most three links, dangerous ones behind the menu', () => {
    const split = (list: string[]) => {
      const { links, rest } = splitRowActions(rowActions(resource, row(list)));
      return [names(links), names(rest)];
    };
    expect(split(['approve', 'update', 'copy'])).toEqual([['approve', 'update', 'copy'], []]);
    expect(split(['approve', 'update', 'copy', 'print'])).toEqual([
      ['approve', 'update'],
      ['copy', 'print'],
    ]);
    expect(split(['update', 'remove'])).toEqual([['update'], ['remove']]);
    expect(split(['remove'])).toEqual([['remove'], []]);
  });
  it('of a selection stay on one line: those that do not fit go under the menu, in their order, the first one stays', () => {
    const all = ['approve', 'update', 'copy', 'sweep'].map((name) => ({
      name,
      spec: resource.actions![name]!,
    }));
    const split = (width: number) => {
      const { links, rest } = splitBulkActions(all, { language: 'en', width });
      return [names(links), names(rest)];
    };
    expect(split(1000)).toEqual([['approve', 'update', 'copy', 'sweep'], []]);
    expect(split(220)).toEqual([
      ['approve', 'update'],
      ['copy', 'sweep'],
    ]);
    expect(split(0)).toEqual([['approve'], ['update', 'copy', 'sweep']]);
  });
  it('take less room in a narrow window: the last links go under the menu, the first one stays', () => {
    const split = (list: string[], width: number) => {
      const { links, rest } = splitRowActions(rowActions(resource, row(list)), { language: 'en', width });
      return [names(links), names(rest)];
    };
    const many = ['approve', 'update', 'copy', 'print', 'remove'];
    expect(split(many, 500)).toEqual([
      ['approve', 'update'],
      ['copy', 'print', 'remove'],
    ]);
    expect(split(many, 140)).toEqual([['approve'], ['update', 'copy', 'print', 'remove']]);
    expect(split(many, 10)).toEqual([['approve'], ['update', 'copy', 'print', 'remove']]);
    expect(split(['update', 'copy'], 130)).toEqual([['update', 'copy'], []]);
  });
  it('of page and selection need the element; the primary one is last', () => {
    expect(names(pageActions(resource, () => true))).toEqual(['import', 'create']);
    expect(names(bulkActions(resource, (element) => element === 'btn_sweep'))).toEqual(['sweep']);
  });
  it('divide a selection', () => {
    const rows = [
      row(['approve'], { state: 'open' }),
      row([], { state: 'open' }),
      row([], { state: 'done' }),
    ];
    const count = (name: string) =>
      eligibleRows({ name, spec: resource.actions![name]! }, rows).allowed.length;
    expect(count('approve')).toBe(1);
    expect(count('sweep')).toBe(2);
  });
  it('name object and consequence', () => {
    const text_ = confirmText(
      resource,
      ['向{who}退{amount}，{nope}', 'x'],
      row([], { who: '王*', amount: '1234.5' }),
      'zh',
    );
    expect(text_).toBe('向王*退¥1,234.50，{nope}');
  });
  it('say in English what a row is called in English, where it is', () => {
    const fields = { ...resource.fields, name: resource.fields.code!, nameEn: resource.fields.code! };
    const say = (values: Record<string, string>, language: 'zh' | 'en') =>
      confirmText(
        { ...resource, fields },
        ['停用「{name}」？', 'Disable "{name}"?'],
        row([], values),
        language,
      );
    expect(say({ name: '道闸', nameEn: 'Gates' }, 'en')).toBe('Disable "Gates"?');
    expect(say({ name: '道闸', nameEn: 'Gates' }, 'zh')).toBe('停用「道闸」？');
    expect(say({ name: '道闸', nameEn: '' }, 'en')).toBe('Disable "道闸"?');
  });
  it('say over several rows what they say over one, with the first rows by name', () => {
    const rows = ['甲', '乙', '丙', '丁', '戊'].map((code) => row([], { code, amount: '10' }));
    const label = ['停用「{code}」？不再可选。', 'Disable "{code}"? It can no longer be chosen.'] as const;
    expect(bulkConfirmText(resource, label, rows.slice(0, 2), 'zh')).toBe('停用「甲、乙」？不再可选。');
    expect(bulkConfirmText(resource, label, rows, 'zh')).toBe('停用「甲、乙、丙 等 5 项」？不再可选。');
    expect(bulkConfirmText(resource, label, rows, 'en')).toBe(
      'Disable "甲, 乙, 丙 and 2 more"? It can no longer be chosen.',
    );
    expect(bulkConfirmText(resource, ['各退{amount}', 'x'], rows, 'zh')).toBe('各退¥10.00');
  });
});

it('says in English what became of a row, and names the action where no word does', () => {
  const said = (label: string) => doneLabel({ label: ['新增', label] }, undefined);
  expect(said('Add')).toEqual(['已新增', 'Added']);
  expect(said('Add a rule')[1]).toBe('Added');
  expect(said('Edit')[1]).toBe('Saved');
  expect(said('Add or remove a group')[1]).toBe('Add or remove a group: done');
  expect(said('Close the day')[1]).toBe('Close the day: done');
});
