import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestPlatform, type TestPlatform } from '../../testing/kernel-fixtures.ts';
import { run } from './database.ts';
import type { DatabaseTables } from './tables-of-database.ts';

let opened: TestPlatform;
let tables: DatabaseTables;

beforeAll(async () => {
  opened = await openTestPlatform([]);
  tables = await opened.platform.tables();
});
afterAll(() => opened?.close());

test('columns that are never null', () => {
  expect(tables.isNotNull('staff', 'account')).toBe(true);
  expect(tables.isNotNull('staff', 'department_id')).toBe(false);
  expect(tables.isNotNull('staff', 'no_such_column')).toBe(false);
  expect(tables.isNotNull('no_such_table', 'id')).toBe(false);
});

test('the columns of every unique constraint and index, by the name a refused write gives', async () => {
  const rows = await run<{ name: string; columns: string[] }>(
    opened.platform.database.db,
    `SELECT conname AS name, array(SELECT a.attname::text FROM unnest(conkey) WITH ORDINALITY k (n, place)
        JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = k.n ORDER BY k.place) AS columns
       FROM pg_constraint WHERE contype IN ('u', 'p') AND connamespace = 'public'::regnamespace
        AND NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = conrelid AND c.relispartition)`,
  );
  expect(rows.length).toBeGreaterThan(50);
  for (const { name, columns } of rows) expect([name, tables.uniqueColumnsOf(name)]).toEqual([name, columns]);
  expect(tables.uniqueColumnsOf('no_such_constraint')).toBeUndefined();
  const account = tables.uniqueIndexesOf('tenant').find((one) => one.columns.join() === 'account');
  expect(account).toMatchObject({ table: 'tenant', partial: false });
});

test('who refers to a table', () => {
  const projects = tables.referencesTo('project').map((one) => `${one.table}.${one.columns.join()}`);
  expect(projects).toContain('staff_project.project_id');
  expect(tables.referencesTo('staff_project')).toEqual([]);
  const own = tables.referencesTo('staff_project').concat(tables.referencesTo('permission_group'));
  expect(own.find((one) => one.table === 'group_member')).toMatchObject({
    target: 'permission_group',
    to: ['id'],
    columns: ['group_id'],
  });
});

test('is read once', async () => {
  expect(await opened.platform.tables()).toBe(tables);
});
