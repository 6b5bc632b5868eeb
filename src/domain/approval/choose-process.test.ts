import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { openDatabase, runOne, type Db } from '../../kernel/server/database.ts';
import { chooseProcess } from './choose-process.server.ts';

let database: TestDatabase;
let opened: Awaited<ReturnType<typeof openDatabase>>;
let db: Db;

beforeAll(async () => {
  database = await cloneDatabase();
  opened = openDatabase(database.app);
  db = opened.db;
});
afterAll(async () => {
  await opened.close();
  await database.drop();
});

const add = async (sql: string, values: unknown[] = []) =>
  (await runOne<{ id: number }>(db, sql, values))!.id;

test('a process holds for its own company and, at a project, for who runs it; a merchant there decides nothing of others', async () => {
  const centre = await add(
    `INSERT INTO organisation (kind, code, name) VALUES ('centre_city', 'CPC', 'centre') RETURNING id`,
  );
  const unit = await add(
    `INSERT INTO organisation (kind, code, name, parent_id) VALUES ('management_unit', 'CPU', 'unit', $1) RETURNING id`,
    [centre],
  );
  const project = await add(
    `INSERT INTO project (code, name, unit_id, centre_id) VALUES ('CPP', 'project', $1, $2) RETURNING id`,
    [unit, centre],
  );
  const tenant = (kind: number, account: string) =>
    add(`INSERT INTO tenant (kind, account, name) VALUES ($1, $2, $2) RETURNING id`, [kind, account]);
  const [company, merchant, other] = [
    await tenant(1, 'CPC1'),
    await tenant(2, 'CPM1'),
    await tenant(2, 'CPM2'),
  ];
  for (const one of [company, merchant])
    await add('INSERT INTO tenant_project VALUES ($1, $2) RETURNING tenant_id AS id', [one, project]);
  const process = async (keeper: number, place: string) => {
    const id = await add(
      `INSERT INTO approval_process (biz_type, name_zh, name_en, state, nodes, tenant_id, scope_kind) VALUES ('coupon', '流程', 'P', 'published', '[]', $1, $2) RETURNING id`,
      [keeper, place.split(':')[0]],
    );
    await add(`INSERT INTO approval_process_place VALUES ('coupon', $1, $2) RETURNING process_id AS id`, [
      place,
      id,
    ]);
    return id;
  };
  const chosen = async (tenantId: number) =>
    (await chooseProcess(db, { kind: 'coupon', tenantId, projectId: project }))?.id;
  const ofMerchant = await process(merchant, `project:${project}`);
  expect(await chosen(merchant)).toBe(ofMerchant);
  expect(await chosen(other)).toBeUndefined();
  expect(await chosen(company)).toBeUndefined();
  await runOne(db, 'DELETE FROM approval_process_place WHERE process_id = $1 RETURNING 1 AS one', [
    ofMerchant,
  ]);
  const ofCompany = await process(company, `project:${project}`);
  expect(await chosen(other)).toBe(ofCompany);
  expect(await chosen(company)).toBe(ofCompany);
});
