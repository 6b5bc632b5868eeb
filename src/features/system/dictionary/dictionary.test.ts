import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  dictionaryEntries,
  dictionaryLabels,
  dictionaryOptions,
  dictionaryProblem,
  dictionaryVersion,
} from '../../../domain/dictionary/dictionary.server.ts';
import { usedIn } from '../../../domain/dictionary/dictionary-uses.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { defineRegistration, type Registration } from '../../../kernel/server/registration.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
const REASON = { catalogue: 'platform', dictionary: 'visit_reason' } as const;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  // Contracts belong to another group; here a table of the test holds values of the dictionary.
  const owner = product.database.owner;
  const { Client } = await import('pg').then((module) => module.default);
  const client = new Client(owner);
  await client.connect();
  await client.query(
    'CREATE TABLE test_contract (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, reason text, tags text[] NOT NULL DEFAULT $$ {} $$)'.replace(
      '$$ {} $$',
      "'{}'",
    ),
  );
  await client.query('GRANT ALL ON test_contract TO app');
  await client.end();
  (product.platform.registrations as Registration[]).push(
    defineRegistration({
      endpoints: [],
      dictionaryUses: [
        usedIn({ ...REASON, table: 'test_contract', column: 'reason', noun: ['合同', 'Contract'] }),
        usedIn({ ...REASON, table: 'test_contract', column: 'tags', noun: ['标签', 'Tag'], many: true }),
      ],
    }),
  );
}, 240_000);
afterAll(async () => {
  await product?.close();
});

const db = () => product.platform.database.db;
const typeId = async (code: string) =>
  String((await runOne<{ id: number }>(db(), 'SELECT id FROM dictionary_type WHERE code = $1', [code]))!.id);
const add = async (value: string, more: Record<string, unknown> = {}, type = 'visit_reason') =>
  product.call(admin, 'POST', '/admin/dictValue', {
    type: await typeId(type),
    value,
    name: `中文${value}`,
    nameEn: `English ${value}`,
    ...more,
  });
const row = (id: string) => product.call(admin, 'GET', `/admin/dictValue/${id}`);
const valueId = async (code: string) =>
  String((await runOne<{ id: number }>(db(), 'SELECT id FROM dictionary_value WHERE code = $1', [code]))!.id);

test('group 09 Must show 14: used by 3 contracts a value stays, disabled it is no longer offered and keeps its label', async () => {
  const made = await add('survey');
  expect([made.http, made.data.code, made.data.used]).toEqual([200, 'visit_reason.survey', 0]);
  const id = made.data.id as string;
  await run(db(), `INSERT INTO test_contract (reason) SELECT 'survey' FROM generate_series(1, 3)`);
  const listed = await product.call(admin, 'GET', `/admin/dictValue/page?searchVal=visit_reason.survey`);
  expect(listed.data.rows.map((one: { used: number }) => one.used)).toEqual([3]);
  const refused = await product.call(admin, 'DELETE', `/admin/dictValue/${id}`);
  expect([refused.http, refused.status, refused.message]).toEqual([
    409,
    30101,
    '已被 3 个合同 使用，不能删除',
  ]);
  const english = await product.app.inject({
    method: 'DELETE',
    url: `/api/admin/dictValue/${id}`,
    headers: { authorization: admin, 'accept-language': 'en' },
  });
  expect(english.json<{ message: string }>().message).toBe('Used by 3 × contract, it cannot be deleted');
  const renamed = await product.call(admin, 'PUT', `/admin/dictValue/${id}`, {
    version: made.data.version,
    value: 'survey2',
  });
  expect([renamed.status, renamed.message]).toEqual([30101, '已被 3 个合同 使用，不能修改编码']);
  expect((await product.call(admin, 'GET', `/admin/dictValue/${id}/usage`)).data).toEqual([
    { noun: '合同', count: 3 },
  ]);

  const disabled = await product.call(admin, 'POST', `/admin/dictValue/${id}/disable`, {});
  expect(disabled.data.enabled).toBe(false);
  const caller = await product.caller('admin');
  const picker = (ids: string[] = []) =>
    dictionaryOptions(REASON).find(
      {
        caller,
        platform: product.platform,
        facts: { address: '', userAgent: '', language: 'en', traceId: '' },
      },
      { searchVal: '', ids, offset: 0, limit: 50 },
    );
  expect((await picker()).map((one) => one.note)).not.toContain('survey');
  expect((await picker()).map((one) => one.note)).toContain('friend');
  expect((await picker([id])).map((one) => one.title)).toEqual(['English survey']);
  expect((await dictionaryLabels(db(), REASON)).get('survey')).toEqual(['中文survey', 'English survey']);
  await transaction(db(), async (tx) => {
    expect(await dictionaryProblem(tx, REASON, 'survey')).toEqual([
      '该选项已停用，请选择其他值',
      'This value is disabled, please choose another',
    ]);
    expect(await dictionaryProblem(tx, REASON, 'survey', { was: 'survey' })).toBeUndefined();
    expect(await dictionaryProblem(tx, REASON, 'friend')).toBeUndefined();
    expect((await dictionaryProblem(tx, REASON, 'nothing'))?.[0]).toBe('请选择列表中的值');
  });
  // What rows hold in a list of values counts too; unused again, it goes.
  await run(db(), 'DELETE FROM test_contract');
  await run(db(), `INSERT INTO test_contract (tags) VALUES ('{survey,friend}')`);
  expect((await product.call(admin, 'DELETE', `/admin/dictValue/${id}`)).message).toContain('1 个标签');
  await run(db(), 'DELETE FROM test_contract');
  expect((await product.call(admin, 'DELETE', `/admin/dictValue/${id}`)).http).toBe(200);
});

test('a value is never deleted under a row that is just being written with it', async () => {
  for (let round = 0; round < 3; round++) {
    const id = (await add('race')).data.id as string;
    let wrote!: () => void;
    const written = new Promise<void>((resolve) => (wrote = resolve));
    let release!: () => void;
    const free = new Promise<void>((resolve) => (release = resolve));
    const writing = transaction(db(), async (tx) => {
      expect(await dictionaryProblem(tx, REASON, 'race')).toBeUndefined();
      await run(tx, `INSERT INTO test_contract (reason) VALUES ('race')`);
      wrote();
      await free;
    });
    await written;
    const deleting = product.call(admin, 'DELETE', `/admin/dictValue/${id}`);
    const renaming = product.call(admin, 'PUT', `/admin/dictValue/${id}`, { version: 1, value: 'other' });
    await new Promise((resolve) => setTimeout(resolve, 150));
    release();
    await writing;
    expect([(await deleting).message, (await renaming).message]).toEqual([
      '已被 1 个合同 使用，不能删除',
      '已被 1 个合同 使用，不能修改编码',
    ]);
    await run(db(), 'DELETE FROM test_contract');
    expect((await product.call(admin, 'DELETE', `/admin/dictValue/${id}`)).http).toBe(200);
  }
});

test('system dictionaries are locked for code and value; labels, colour, order and the switch are not', async () => {
  const id = await valueId('notice_type.001');
  const { data } = await row(id);
  expect([data.system, data.actions.includes('remove')]).toEqual([true, false]);
  const refused = await product.call(admin, 'PUT', `/admin/dictValue/${id}`, {
    version: data.version,
    value: '009',
  });
  expect([refused.status, refused.message]).toEqual([30101, '系统字典的编码和值不能修改']);
  expect((await product.call(admin, 'DELETE', `/admin/dictValue/${id}`)).message).toBe('系统字典值不能删除');
  const saved = await product.call(admin, 'PUT', `/admin/dictValue/${id}`, {
    version: data.version,
    code: data.code,
    value: '001',
    name: '停水预告',
    nameEn: 'Water will be off',
    tone: 'error',
  });
  expect([saved.http, saved.data.name, saved.data.tone]).toEqual([200, '停水预告', 'error']);
  const order = () =>
    run<{ value: string }>(
      db(),
      `SELECT v.value FROM dictionary_value v JOIN dictionary_type t ON t.id = v.type_id WHERE t.code = 'notice_type' ORDER BY v.position, v.id`,
    ).then((rows) => rows.map((one) => one.value));
  const moved = await product.call(admin, 'POST', '/admin/dictValue/order', {
    id: await valueId('notice_type.007'),
    before: id,
  });
  expect([moved.http, (await order())[0]]).toEqual([200, '007']);
  const type = await product.call(admin, 'GET', `/admin/dictType/${await typeId('notice_type')}`);
  expect(type.data.actions.includes('remove')).toBe(false);
  const recoded = await product.call(admin, 'PUT', `/admin/dictType/${type.data.id}`, {
    version: type.data.version,
    code: 'notice_kind',
  });
  expect([recoded.status, recoded.message]).toEqual([30101, '系统类型的编码不能修改']);
});

test('own types: codes and values are unique, a type with values stays, its code too, types stand below types', async () => {
  const made = await product.call(admin, 'POST', '/admin/dictType', {
    parent: await typeId('property'),
    code: 'tower_kind',
    name: '楼栋类型',
    nameEn: 'Tower kind',
  });
  expect([made.http, made.data.parent.title, made.data.system]).toEqual([200, '物业服务', false]);
  expect((await add('high', {}, 'tower_kind')).data.code).toBe('tower_kind.high');
  const twice = await add('high', { code: 'tower_kind.other' }, 'tower_kind');
  expect([twice.http, twice.status]).toEqual([409, 30101]);
  const sameCode = await add('low', { code: 'tower_kind.high' }, 'tower_kind');
  expect([sameCode.http, Object.keys(sameCode.data.fields)]).toEqual([409, ['code']]);
  expect((await add('坏值', {}, 'tower_kind')).http).toBe(422);
  const recoded = await product.call(admin, 'PUT', `/admin/dictType/${made.data.id}`, {
    version: made.data.version,
    code: 'tower_type',
  });
  expect([recoded.status, recoded.message]).toEqual([30101, '类型下已有字典值，不能修改编码']);
  expect((await product.call(admin, 'DELETE', `/admin/dictType/${made.data.id}`)).message).toBe(
    '已被 1 个字典值 使用，不能删除',
  );
  const values = async (type: string) =>
    (await product.call(admin, 'GET', `/admin/dictValue/page?limit=200&type=${type}`)).data.rows as {
      code: string;
    }[];
  expect((await values(made.data.id)).map((one) => one.code)).toEqual(['tower_kind.high']);
  expect(await values(await typeId('property'))).toEqual([]);
  expect((await values(`below:${await typeId('property')}`)).map((one) => one.code)).toContain(
    'tower_kind.high',
  );
  const tree = await product.call(admin, 'GET', `/admin/dictType/tree?searchVal=楼栋`);
  expect(tree.data.rows.map((one: { title: string; depth: number }) => [one.title, one.depth])).toEqual([
    ['物业服务', 1],
    ['楼栋类型', 2],
  ]);
});

test('pages hold a version: unchanged nothing travels, every change raises it, other instances too within five seconds', async () => {
  const nobody = await product.signIn('service1');
  const first = await product.call(
    nobody,
    'GET',
    '/admin/dictionary/values?dict=sex,notice_type&biz=position_type',
  );
  expect(first.data.dict.sex.map((one: { label: string[] }) => one.label)).toEqual([
    ['男', 'Male'],
    ['女', 'Female'],
    ['未知', 'Unknown'],
  ]);
  expect(first.data.biz.position_type.length).toBe(8);
  const { version } = first.data;
  const same = await product.call(nobody, 'GET', `/admin/dictionary/values?dict=sex&version=${version}`);
  expect(same.data).toEqual({ version, dict: null, biz: null });
  const second = await product.another();
  try {
    const id = await valueId('sex.0');
    const { data } = await row(id);
    await product.call(admin, 'PUT', `/admin/dictValue/${id}`, { version: data.version, name: '保密' });
    const there = await second.app.inject({
      url: '/api/admin/dictionary/version',
      headers: { authorization: nobody },
    });
    const next = there.json<{ data: { version: string } }>().data.version;
    expect(Number(next)).toBeGreaterThan(Number(version));
    const again = await second.app.inject({
      url: `/api/admin/dictionary/values?dict=sex&version=${version}`,
      headers: { authorization: nobody },
    });
    expect(again.body).toContain('保密');
  } finally {
    await second.close();
  }
  const before = await dictionaryVersion(db());
  await run(db(), `UPDATE biz_dict SET name_en = name_en WHERE code = 'contract_kind'`);
  expect(Number(await dictionaryVersion(db()))).toBeGreaterThan(Number(before));
});

test('a value of one tenant is offered to that tenant and the platform only', async () => {
  const tenants = await run<{ id: number }>(db(), 'SELECT id FROM tenant WHERE kind = 1 ORDER BY id LIMIT 2');
  const made = await add('tour', { tenant: String(tenants[0]!.id) });
  expect(made.http).toBe(200);
  const values = async (tenant: number | null) =>
    (await dictionaryEntries(db(), 'platform', ['visit_reason'], tenant))
      .get('visit_reason')!
      .map((one) => one.value);
  expect(await values(null)).toContain('tour');
  expect(await values(tenants[0]!.id)).toContain('tour');
  expect(await values(tenants[1]?.id ?? -1)).not.toContain('tour');
  await transaction(db(), async (tx) => {
    expect(await dictionaryProblem(tx, REASON, 'tour', { tenantId: -1 })).toBeDefined();
    expect(await dictionaryProblem(tx, REASON, 'tour', { tenantId: tenants[0]!.id })).toBeUndefined();
  });
});

test('group 09 Must show 15: for company staff dictManager is not in the menu and every call of it answers 403', async () => {
  const company = await product.signIn('company1');
  const menus = await product.call(company, 'GET', '/admin/user/front/menus');
  expect(menus.http).toBe(200);
  expect(menus.text).not.toContain('dictManager');
  const id = await valueId('sex.1');
  const answers = await Promise.all([
    product.call(company, 'GET', '/admin/dictType/page'),
    product.call(company, 'GET', '/admin/dictType/tree'),
    product.call(company, 'GET', '/admin/dictValue/page'),
    product.call(company, 'GET', `/admin/dictValue/${id}`),
    product.call(company, 'DELETE', `/admin/dictValue/${id}`),
    product.call(company, 'POST', '/admin/dictValue/export', {}),
    product.call(company, 'GET', '/admin/setting/page'),
    product.call(company, 'GET', '/admin/setting/order.pay_minutes'),
    product.call(company, 'GET', '/admin/setting/order.pay_minutes/history'),
    product.call(company, 'PUT', '/admin/setting/order.pay_minutes', { value: 31, version: 0 }),
    product.call(company, 'POST', '/admin/setting/order.pay_minutes/reset', { version: 0 }),
    product.call(company, 'POST', '/admin/setting/order.pay_minutes/undo', { change: '1', version: 0 }),
    product.call(company, 'POST', '/admin/setting/export', { query: {} }),
  ]);
  expect(answers.map((one) => one.http)).toEqual(answers.map(() => 403));
});

test('import: a dry run names bad rows, found codes are changed, others made', async () => {
  const target = product.platform.registrations
    .flatMap((one) => one.imports ?? [])
    .find((one) => one.source === 'dictValue')!;
  const caller = await product.caller('admin');
  const call = { caller, platform: product.platform, language: 'zh' as const };
  const line = (number: number, values: Record<string, string>) => ({
    number,
    values: {
      type: '',
      code: '',
      value: '',
      name: '',
      nameEn: '',
      tone: '',
      attr1: '',
      attr2: '',
      attr3: '',
      ...values,
    },
  });
  const rows = [
    line(2, {
      type: '来访事由',
      code: 'visit_reason.meter',
      value: 'meter',
      name: '抄表',
      nameEn: 'Meter reading',
      tone: '蓝色',
    }),
    line(3, {
      type: 'visit_reason',
      code: 'visit_reason.friend',
      value: 'friend',
      name: '亲友',
      nameEn: 'Family and friends',
    }),
    line(4, { type: '没有的类型', code: 'visit_reason.x', value: 'x', name: '甲', nameEn: 'A' }),
    line(5, {
      type: 'visit_reason',
      code: 'visit_reason.delivery',
      value: 'parcel',
      name: '快递',
      nameEn: 'Parcel',
    }),
    line(6, {
      type: 'visit_reason',
      code: 'visit_reason.meter',
      value: 'meter2',
      name: '重',
      nameEn: 'Twice',
    }),
  ];
  const problems = await target.check(call, rows);
  expect(problems.map((one) => [one.row, one.column ?? '', one.message[0]])).toEqual(
    expect.arrayContaining([
      [4, 'type', '没有此数据，或有多个同名'],
      [6, 'code', '与第2行重复'],
      [5, '', '系统字典的编码和值不能修改'],
    ]),
  );
  expect([...new Set(problems.map((one) => one.row))].sort()).toEqual([4, 5, 6]);
  const done = await transaction(db(), (tx) => target.commit(tx, call, rows.slice(0, 2)));
  expect(done).toBe(2);
  expect((await dictionaryLabels(db(), REASON)).get('friend')).toEqual(['亲友', 'Family and friends']);
  expect((await row(await valueId('visit_reason.meter'))).data.tone).toBe('processing');
});

test('what the product brings along is complete: every dictionary has values in both languages and stays over a restart', async () => {
  const empty = await run<{ code: string }>(
    db(),
    `SELECT code FROM dictionary_type t WHERE NOT EXISTS (SELECT FROM dictionary_value v WHERE v.type_id = t.id) AND NOT EXISTS (SELECT FROM dictionary_type c WHERE c.parent_id = t.id)`,
  );
  expect(empty).toEqual([]);
  const { seedReference } = await import('../../../app/server/seed-reference.ts');
  const counts = () =>
    runOne(
      db(),
      'SELECT (SELECT count(*)::int FROM dictionary_type) AS types, (SELECT count(*)::int FROM dictionary_value) AS values, (SELECT count(*)::int FROM biz_dict) AS biz',
    );
  await run(db(), `DELETE FROM biz_dict WHERE code = 'client_source.walk_in'`);
  await run(db(), `UPDATE dictionary_value SET name = '自定' WHERE code = 'sensitive_category.custom'`);
  const before = await counts();
  await seedReference(product.platform.database.pool);
  expect(await counts()).toEqual(before);
  const kept = await runOne<{ name: string }>(
    db(),
    `SELECT name FROM dictionary_value WHERE code = 'sensitive_category.custom'`,
  );
  expect(kept!.name).toBe('自定');
});
