import { expect, test } from 'vitest';
import { choice, money, text } from '../../contract/fields.ts';
import { defineResource } from '../../contract/resource.ts';
import type { DatabaseTables } from '../tables-of-database.ts';
import { bindResource } from './bind.ts';

const box = defineResource({
  name: 'testBox',
  menu: 'test_box',
  title: ['箱', 'Boxes'],
  fields: {
    name: text(['名称', 'Name'], { required: true, sortable: true }),
    price: money(['价格', 'Price']),
    kind: choice(['类型', 'Kind'], { flat: { label: ['平', 'Flat'] } }),
    note: text(['备注', 'Note']),
  },
  list: { columns: ['name'], sort: 'name' },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add' },
    seal: { on: 'row', label: ['封', 'Seal'], element: 'btn_edit' },
  },
});
const problemsOf = (more: object) =>
  bindResource(box, {
    table: 'test_box',
    scope: { tenant: 'none', project: 'none', owner: 't.created_by' },
    sets: { seal: { sealed: true } },
    ...more,
  }).registration.tableProblems!({
    isNotNull: (_table: string, column: string) => column !== 'note',
    hasDefault: (_table: string, column: string) => column === 'kind',
    mayHaveColumn: (_table: string, column: string) => column !== 'sealed_at',
  } as unknown as DatabaseTables);

test('an optional field of a new row needs a column that may be empty, has a default, or is filled in', () => {
  expect(problemsOf({})).toEqual([
    'testBox: field price may be left out, but test_box.price is NOT NULL without a default: make the field required, give the column a default, or name it in completes of the binding',
  ]);
  expect(problemsOf({ completes: ['price'] })).toEqual([]);
  expect(problemsOf({ writes: { price: false } })).toEqual([]);
  expect(problemsOf({ handlers: { create: async () => {} } })).toEqual([]);
});

test('what an action sets is a column of the table', () => {
  expect(problemsOf({ completes: ['price'], sets: { seal: { sealed_at: null } } })).toEqual([
    'testBox: action seal sets test_box.sealed_at, which does not exist',
  ]);
});
