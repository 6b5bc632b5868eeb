import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  boolean,
  choice,
  code,
  integer,
  lines,
  longText,
  money,
  ref,
  refs,
  richText,
  text,
} from '../../../contract/fields.ts';
import { defineResource } from '../../../contract/resource.ts';
import {
  makeCaller,
  openTestApp,
  openTestPlatform,
  rowsOf,
  type TestPlatform,
} from '../../../../testing/kernel-fixtures.ts';
import { transaction } from '../../database.ts';
import { ruleBroken } from '../../http/errors.ts';
import type { Caller } from '../../people/caller.ts';
import { bindResource } from '../bind.ts';
import { dueJob } from '../due-job.ts';
import { CALLER, fromInput, NOW } from './sets.ts';

const shelf = defineResource({
  name: 'testShelf',
  menu: 'test_shelf',
  title: ['货架管理', 'Shelves'],
  noun: ['货架', 'Shelf'],
  stamps: true,
  tree: { parent: 'parent', maxDepth: 3 },
  deletable: 'unused',
  importable: { key: 'code', fields: ['code', 'name', 'kind', 'parent', 'owner'], mode: 'upsert' },
  fields: {
    code: code(['编码', 'Code'], { required: true, createOnly: true, sortable: true, search: 'equals' }),
    name: text(['名称', 'Name'], { required: true, keyword: true, max: 10 }),
    kind: choice(
      ['类型', 'Kind'],
      { flat: { label: ['平', 'Flat'] }, deep: { label: ['深', 'Deep'] } },
      { search: 'in' },
    ),
    parent: ref('testShelf', ['上级', 'Parent'], { search: 'in' }),
    owner: ref('testOwner', ['负责人', 'Owner'], { search: 'in' }),
    helpers: refs('testOwner', ['协助', 'Helpers'], { search: 'in' }),
    body: richText(['说明', 'Body']),
    fragile: boolean(['易碎', 'Fragile']),
    pin: text(['口令', 'PIN'], { secret: true }),
    note: longText(['备注', 'Note']),
    level: integer(['层', 'Level'], { initial: { setting: 'order.pay_minutes' } }),
    items: lines(['条目', 'Items'], {
      title: text(['名称', 'Title'], { required: true }),
      price: money(['价格', 'Price'], { required: true }),
      owner: ref('testOwner', ['负责人', 'Owner']),
    }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals' }),
  },
  list: {
    columns: [
      'code',
      'name',
      'kind',
      'parent',
      'owner',
      'helpers',
      'items',
      'enabled',
      'creator',
      'updatedAt',
    ],
    filters: ['kind', 'parent', 'owner', 'helpers'],
    sort: 'code',
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    enable: { on: 'rowAndBulk', label: ['启用', 'Enable'], element: 'btn_edit' },
    disable: { on: 'rowAndBulk', label: ['停用', 'Disable'], element: 'btn_edit' },
    remove: { on: 'row', label: ['删除', 'Delete'], element: 'btn_del' },
    retire: {
      on: 'row',
      label: ['退役', 'Retire'],
      element: 'btn_edit',
      remark: 'reason',
      input: {
        reason: text(['原因', 'Reason'], { required: true }),
        words: text(['说明', 'Words']),
        to: integer(['层', 'Level']),
      },
    },
    print: { on: 'row', label: ['打印', 'Print'], element: 'btn_edit', untouched: true },
  },
});

const step = defineResource({
  name: 'testStep',
  menu: 'test_shelf',
  title: ['步骤', 'Steps'],
  orderable: { field: 'position', within: 'shelf' },
  states: {
    open: { label: ['开放', 'Open'], tone: 'default' },
    closed: { label: ['关闭', 'Closed'], tone: 'paused' },
  },
  fields: {
    name: text(['名称', 'Name'], { required: true }),
    shelf: ref('testShelf', ['货架', 'Shelf'], { required: true, search: 'in' }),
    position: integer(['排序', 'Order'], { readOnly: true, sortable: true }),
  },
  list: { columns: ['name', 'shelf', 'position'], filters: ['shelf'], sort: 'position' },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', to: 'open' },
    close: { on: 'system', label: ['到期关闭', 'Close'], element: 'btn_close', from: ['open'], to: 'closed' },
  },
});

const owners = {
  target: 'testOwner',
  find: async (
    call: { caller: Caller; platform: TestPlatform['platform'] },
    query: { ids: readonly string[]; searchVal: string },
  ) =>
    (
      await rowsOf<{ id: number; name: string; tenant: number }>(
        call.platform,
        'SELECT id, name, tenant FROM test_owner',
      )
    )
      .filter((one) => one.tenant === call.caller.tenantKind)
      .filter(
        (one) =>
          (query.ids.length === 0 || query.ids.includes(String(one.id))) &&
          one.name.includes(query.searchVal),
      )
      .map((one) => ({ id: String(one.id), title: one.name })),
};

const boundShelf = bindResource(shelf, {
  table: 'test_shelf',
  joins: { owner: 'test_owner', parent: 'test_shelf' },
  links: { helpers: { table: 'test_shelf_helper', own: 'shelf_id', other: 'owner_id', to: 'test_owner' } },
  lines: { items: { table: 'test_item', own: 'shelf_id', joins: { owner: 'test_owner' } } },
  usedBy: { test_shelf: ['下级', 'Shelves below'] },
  checks: {
    retire: ({ input }) => {
      if (input.to === 0) throw ruleBroken(['没有这一层', 'There is no such level']);
    },
  },
  sets: {
    retire: {
      note: fromInput('reason'),
      body: fromInput('words'),
      level: fromInput('to'),
      owner_id: null,
      fragile: true,
      retired_at: NOW,
      helper_of: CALLER,
    },
    print: {},
  },
  scope: { tenant: 'none', project: 'none', owner: 't.created_by' },
  also: { options: [owners as never] },
});
const boundStep = bindResource(step, {
  table: 'test_step',
  joins: { shelf: 'test_shelf' },
  scope: { tenant: 'none', project: 'none', owner: 't.created_by' },
});

const CODES = [
  'test_shelf',
  'test_shelf:btn_add',
  'test_shelf:btn_edit',
  'test_shelf:btn_del',
  'test_shelf:btn_import',
];
let kit: TestPlatform;
let app: FastifyInstance;
let staff: Caller;

beforeAll(async () => {
  kit = await openTestPlatform([boundShelf.registration, boundStep.registration]);
  const owner = new pg.Client(kit.database.owner);
  await owner.connect();
  const stamps = `version integer NOT NULL DEFAULT 1, created_at timestamptz NOT NULL DEFAULT now(), created_by bigint, updated_at timestamptz NOT NULL DEFAULT now(), updated_by bigint`;
  await owner.query(`
    CREATE TABLE test_owner (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, name text NOT NULL, tenant int NOT NULL);
    CREATE TABLE test_shelf (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, code text NOT NULL, name text NOT NULL, kind text,
      parent_id bigint REFERENCES test_shelf, position integer NOT NULL DEFAULT 0, owner_id bigint REFERENCES test_owner, body text NOT NULL DEFAULT '',
      fragile boolean, note text, level integer, helper_of bigint, retired_at timestamptz, enabled boolean NOT NULL DEFAULT true, ${stamps});
    CREATE UNIQUE INDEX test_shelf_code ON test_shelf (lower(code));
    CREATE TABLE test_shelf_helper (shelf_id bigint NOT NULL REFERENCES test_shelf ON DELETE CASCADE, owner_id bigint NOT NULL REFERENCES test_owner, PRIMARY KEY (shelf_id, owner_id));
    CREATE TABLE test_item (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, shelf_id bigint NOT NULL REFERENCES test_shelf ON DELETE CASCADE, position integer NOT NULL, title text NOT NULL, price bigint NOT NULL, owner_id bigint REFERENCES test_owner);
    CREATE TABLE test_step (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, shelf_id bigint NOT NULL REFERENCES test_shelf, position integer NOT NULL, name text NOT NULL, state text NOT NULL, ${stamps});
    INSERT INTO test_owner (name, tenant) VALUES ('甲', 3), ('乙', 3), ('丙', 1);
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO app;
  `);
  await owner.end();
  staff = await makeCaller(kit.platform, 'shelfman', CODES);
  app = await openTestApp(kit.platform, () => [staff]);
}, 180_000);
afterAll(async () => {
  await app?.close();
  await kit?.close();
});

async function call(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  payload?: object,
  language = 'zh',
) {
  const answer = await app.inject({
    method,
    url: `/api/jinmao/web${path}`,
    headers: { authorization: `Bearer ${staff.sessionId}`, 'accept-language': language },
    ...(payload ? { payload } : {}),
  });
  return { http: answer.statusCode, ...(answer.json() as { status: number; message: string; data: any }) };
}

let counter = 0;
const make = async (input: object = {}) => {
  const made = await call('POST', '/testShelf', { code: `S${++counter}`, name: '架', ...input });
  expect([made.http, made.message]).toEqual([200, '']);
  return made.data as { id: string; version: number };
};
const changesOf = async (id: string) =>
  ((await call('GET', `/testShelf/${id}/timeline`)).data as { changes: unknown[]; label: string }[])[0]!
    .changes;

test('references title themselves, links and lines are written with the row, read on lists and told in the timeline', async () => {
  const made = await make({
    owner: '1',
    helpers: ['2', '1'],
    items: [
      { title: '甲项', price: '12.50', owner: '2' },
      { title: '乙项', price: '3' },
    ],
  });
  const row = (await call('GET', `/testShelf/page?helpers=2&owner=1`)).data.rows[0];
  expect(row).toMatchObject({
    id: made.id,
    owner: { id: '1', title: '甲' },
    helpers: [
      { id: '2', title: '乙' },
      { id: '1', title: '甲' },
    ],
    items: [
      { title: '甲项', price: '12.50', owner: { id: '2', title: '乙' } },
      { title: '乙项', price: '3.00', owner: null },
    ],
    creator: { id: String(staff.staffId), title: '王小明' },
  });
  const [first, second] = row.items as { id: string }[];
  const saved = await call('PUT', `/testShelf/${made.id}`, {
    version: made.version,
    helpers: ['1'],
    items: [
      { ...second, price: '4.00' },
      { title: '新', price: '1' },
    ],
  });
  expect(saved.http).toBe(200);
  expect(saved.data.items.map((one: { title: string; price: string }) => [one.title, one.price])).toEqual([
    ['乙项', '4.00'],
    ['新', '1.00'],
  ]);
  expect(saved.data.items[0].id).toBe(second!.id);
  expect(await changesOf(made.id)).toEqual([
    { field: '协助', before: '乙、甲', after: '甲' },
    { field: '条目', before: '甲项, 12.50, 2; 乙项, 3.00', after: '乙项, 4.00; 新, 1.00' },
  ]);
  // A row of somebody else's cannot be taken over.
  const other = await make();
  expect(
    (
      await call('PUT', `/testShelf/${other.id}`, {
        version: 1,
        items: [{ ...first, title: 'x', price: '1', owner: null }],
      })
    ).http,
  ).toBe(404);
  const wrong = await call('PUT', `/testShelf/${other.id}`, {
    version: 1,
    items: [{ title: '', price: 'x' }],
  });
  expect([wrong.http, Object.keys(wrong.data.fields).sort()]).toEqual([
    422,
    ['items.0.price', 'items.0.title'],
  ]);
});

test('secret fields are taken and never read, nor kept in timeline or audit record', async () => {
  const made = await make({ pin: 'OPEN-SESAME' });
  const changed = await call('PUT', `/testShelf/${made.id}`, { version: made.version, pin: 'OTHER-SESAME' });
  expect([changed.http, 'pin' in changed.data]).toEqual([200, false]);
  const list = await call('GET', '/testShelf/page?limit=200');
  expect(JSON.stringify(list.data)).not.toContain('SESAME');
  const kept = await rowsOf(
    kit.platform,
    `SELECT a.after::text, a.before::text FROM audit_record a WHERE a.after::text LIKE '%SESAME%' OR a.before::text LIKE '%SESAME%'
     UNION ALL SELECT changes::text, remark FROM entity_event WHERE changes::text LIKE '%SESAME%'`,
  );
  expect(kept).toEqual([]);
  expect((await call('GET', '/testShelf/page?pin=x')).http).toBe(422);
});

test('what the picker does not offer cannot be written: foreign and missing ids answer the same', async () => {
  for (const input of [
    { owner: '3' },
    { owner: '999' },
    { helpers: ['1', '3'] },
    { helpers: ['999'] },
    { items: [{ title: 'x', price: '1', owner: '3' }] },
  ])
    expect([input, (await call('POST', '/testShelf', { code: 'F1', name: '架', ...input })).http]).toEqual([
      input,
      404,
    ]);
});

test('a taken value is refused by the database itself, also in a race, at the field and in both languages', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => call('POST', '/testShelf', { code: 'RACE', name: '架' }, 'en')),
  );
  expect(answers.filter((one) => one.http === 200)).toHaveLength(1);
  const refused = answers.filter((one) => one.http === 409);
  expect(refused).toHaveLength(7);
  expect([refused[0]!.status, refused[0]!.message, refused[0]!.data]).toEqual([
    30101,
    'Code exists',
    { fields: { code: 'Code exists' } },
  ]);
  expect((await call('POST', '/testShelf', { code: 'race', name: '架' })).message).toBe('编码已存在');
});

test('enable and disable come by themselves, once each', async () => {
  const made = await make();
  expect((await call('GET', `/testShelf/${made.id}`)).data.actions).not.toContain('enable');
  expect((await call('POST', `/testShelf/${made.id}/enable`, {})).message).toBe('货架已启用');
  const off = await call('POST', `/testShelf/${made.id}/disable`, {});
  expect([off.http, off.data.enabled]).toEqual([200, false]);
  expect((await call('POST', `/testShelf/${made.id}/disable`, {}, 'en')).message).toBe(
    'The shelf is disabled',
  );
});

test('actions that only write columns do so behind their check: constants, the moment, who calls, what was typed', async () => {
  const made = await make({ name: '架', note: 'x', level: 3, owner: '1', body: '<p>旧</p>' });
  const refused = await call('POST', `/testShelf/${made.id}/retire`, { reason: '坏了', to: 0 });
  expect([refused.status, refused.message]).toEqual([30101, '没有这一层']);
  expect((await call('POST', `/testShelf/${made.id}/retire`, {})).data.fields).toHaveProperty('reason');
  expect((await call('POST', `/testShelf/${made.id}/retire`, { reason: '坏了' })).http).toBe(200);
  const [row] = await rowsOf(
    kit.platform,
    `SELECT note, body, level, owner_id, fragile, version, helper_of = created_by AS mine, retired_at > created_at AS later FROM test_shelf WHERE id = ${made.id}`,
  );
  // Left empty: NULL where the column may be, what such columns hold where it may not.
  expect(row).toEqual({
    note: '坏了',
    body: '',
    level: null,
    owner_id: null,
    fragile: true,
    version: 2,
    mine: true,
    later: true,
  });
  await call('POST', `/testShelf/${made.id}/print`, {});
  const told = (await call('GET', `/testShelf/${made.id}/timeline`)).data as {
    label: string;
    remark: string;
  }[];
  expect(told.slice(0, 2).map((one) => [one.label, one.remark])).toEqual([
    ['打印', ''],
    ['退役', '坏了'],
  ]);
  expect((await call('GET', `/testShelf/${made.id}`)).data.version).toBe(2);
  const [audit] = await rowsOf<{ before: object; after: object }>(
    kit.platform,
    `SELECT before, after FROM audit_record WHERE entity = 'testShelf' AND action = 'retire' ORDER BY id DESC LIMIT 1`,
  );
  expect(audit).toMatchObject({
    before: { note: 'x', level: 3, fragile: null },
    after: { note: '坏了', level: null, fragile: true, input: { reason: '坏了' } },
  });
});

test('what contradicts itself does not start: a handler beside sets, an unknown input, nothing to do, a remark that is none', () => {
  const bound = (more: object) => () =>
    bindResource(shelf, {
      table: 'test_shelf',
      scope: { tenant: 'none', project: 'none', owner: 't.created_by' },
      joins: { owner: 'test_owner', parent: 'test_shelf' },
      links: {
        helpers: { table: 'test_shelf_helper', own: 'shelf_id', other: 'owner_id', to: 'test_owner' },
      },
      lines: { items: { table: 'test_item', own: 'shelf_id' } },
      ...more,
    } as never);
  expect(bound({ sets: { retire: {} } })).toThrow('testShelf: action print has no state to go to');
  expect(bound({ sets: { retire: { note: fromInput('why') }, print: {} } })).toThrow(
    'testShelf: sets of retire name why, which is no input of it',
  );
  expect(bound({ sets: { retire: {}, print: {} }, handlers: { print: async () => {} } })).toThrow(
    'testShelf: action print has sets and a handler',
  );
  const { archetype: _archetype, ...spec } = step;
  expect(() =>
    defineResource({
      ...spec,
      actions: {
        close: { on: 'row', label: ['关', 'Close'], element: 'btn_close', to: 'closed', remark: 'reason' },
      },
    } as never),
  ).toThrow('action close: remark reason is no open text among its inputs');
});

test('formatted text is sanitised, emptied values are stored as empty', async () => {
  const made = await make({
    body: '<p onclick="x()">好<script>alert(1)</script></p>',
    note: 'x',
    fragile: true,
  });
  const row = (await call('GET', `/testShelf/${made.id}`)).data;
  expect(row.body).toBe('<p>好</p>');
  const saved = await call('PUT', `/testShelf/${made.id}`, {
    version: row.version,
    note: '',
    fragile: null,
  });
  expect([saved.data.note, saved.data.fragile]).toEqual([null, null]);
});

test('only the unused is deleted; the refusal says who uses it', async () => {
  const parent = await make();
  await make({ parent: parent.id });
  await make({ parent: parent.id });
  await call('POST', '/testStep', { name: 'x', shelf: parent.id });
  const refused = await call('DELETE', `/testShelf/${parent.id}`);
  expect([refused.status, refused.message]).toEqual([30101, '已被 2 个下级、1 个步骤 使用，不能删除']);
  expect((await call('DELETE', `/testShelf/${parent.id}`, undefined, 'en')).message).toBe(
    'Used by 2 shelves below, 1 steps, it cannot be deleted',
  );
  const unused = await make({ helpers: ['1'], items: [{ title: 'x', price: '1' }] });
  expect((await call('DELETE', `/testShelf/${unused.id}`)).http).toBe(200);
});

describe('a tree', () => {
  const tree = async (query = '') =>
    (await call('GET', `/testShelf/tree${query}`)).data.rows as {
      id: string;
      title: string;
      parentId: string | null;
      children: number;
      depth: number;
    }[];

  test('is read level by level, searched with ancestors, filtered with everything below', async () => {
    const root = await make({ name: '根' });
    const branch = await make({ name: '枝', parent: root.id });
    const leaf = await make({ name: '叶子', parent: branch.id });
    expect((await tree()).find((one) => one.id === root.id)).toMatchObject({
      title: '根',
      children: 1,
      depth: 1,
      parentId: null,
    });
    expect(await tree(`?parent=${root.id}`)).toMatchObject([
      { id: branch.id, children: 1, depth: 2, parentId: root.id },
    ]);
    expect((await tree('?searchVal=叶子')).map((one) => one.id).sort()).toEqual(
      [root.id, branch.id, leaf.id].sort(),
    );
    expect((await call('GET', `/testShelf/page?parent=${root.id}`)).data.total).toBe(1);
    expect((await call('GET', `/testShelf/page?parent=below:${root.id}`)).data.total).toBe(2);
  });

  test('has no circles and no more levels than declared, also when two move at once', async () => {
    const a = await make({ name: 'a' });
    const b = await make({ name: 'b' });
    const below = await make({ name: 'c', parent: b.id });
    expect((await call('POST', `/testShelf/${b.id}/move`, { parent: below.id })).data.fields.parent).toBe(
      '不能移到自身或其下级之下',
    );
    expect((await call('PUT', `/testShelf/${b.id}`, { version: 1, parent: b.id })).http).toBe(422);
    const both = await Promise.all([
      call('POST', `/testShelf/${a.id}/move`, { parent: b.id }),
      call('POST', `/testShelf/${b.id}/move`, { parent: a.id }),
    ]);
    expect(both.map((one) => one.http).sort()).toEqual([200, 422]);
    const top = await make();
    const middle = await make({ parent: top.id });
    const deep = await make({ name: 'd', parent: middle.id });
    expect(
      (await call('POST', '/testShelf', { code: 'TOO', name: 'e', parent: deep.id })).data.fields.parent,
    ).toBe('最多 3 级');
  });

  test('keeps the order its nodes are put in', async () => {
    const root = await make({ name: 'o' });
    const ids = [];
    for (const name of ['x', 'y', 'z']) ids.push((await make({ name, parent: root.id })).id);
    await call('POST', `/testShelf/${ids[2]}/move`, { parent: root.id, before: ids[0] });
    expect((await tree(`?parent=${root.id}`)).map((one) => one.title)).toEqual(['z', 'x', 'y']);
    const foreign = await make({ name: 'f' });
    expect(
      (await call('POST', `/testShelf/${ids[0]}/move`, { parent: root.id, before: foreign.id })).http,
    ).toBe(404);
  });
});

test('rows are put in order within their group, also by many at once; the version does not move', async () => {
  const home = await make();
  const other = await make();
  const ids: string[] = [];
  for (const name of ['1', '2', '3', '4'])
    ids.push((await call('POST', '/testStep', { name, shelf: home.id })).data.id);
  await call('POST', '/testStep', { name: 'else', shelf: other.id });
  await Promise.all([
    call('POST', '/testStep/order', { id: ids[3], before: ids[0] }),
    call('POST', '/testStep/order', { id: ids[0], before: null }),
  ]);
  const rows = (await call('GET', `/testStep/page?shelf=${home.id}`)).data.rows as {
    name: string;
    position: number;
    version: number;
  }[];
  // Whoever came second saw what the first had done.
  expect(['4231', '2341']).toContain(rows.map((one) => one.name).join(''));
  expect(rows.map((one) => one.position)).toEqual([1, 2, 3, 4]);
  expect(rows.every((one) => one.version === 1)).toBe(true);
});

test('actions of the system are offered to nobody, run by jobs with timeline and audit, once', async () => {
  const home = await make();
  const { id, actions } = (await call('POST', '/testStep', { name: 'due', shelf: home.id })).data;
  expect(actions).not.toContain('close');
  expect((await call('POST', `/testStep/${id}/close`, {})).http).toBe(404);
  const job = dueJob(() => boundStep, {
    name: 'testStep.close',
    title: ['关闭', 'Close'],
    cron: '* * * * *',
    action: 'close',
    when: `t.name = 'due'`,
  });
  await job.run({}, kit.platform);
  await job.run({}, kit.platform);
  expect((await call('GET', `/testStep/${id}`)).data.state).toBe('closed');
  const events = (await call('GET', `/testStep/${id}/timeline`)).data as { label: string; who: string }[];
  expect(events.map((one) => [one.label, one.who])).toEqual([
    ['到期关闭', '系统'],
    ['新增', '王小明'],
  ]);
  await expect(
    transaction(kit.platform.database.db, (tx) =>
      boundStep.actAsSystem(tx, kit.platform, 'close', Number(id)),
    ),
  ).rejects.toThrow('not possible');
});

test('first values come from settings', async () => {
  expect((await call('GET', '/testShelf/initial')).data).toEqual({ level: 30 });
});

test('an import makes and changes rows, finds parents inside the file, and says what is wrong before anything is written', async () => {
  const target = boundShelf.registration.imports![0]!;
  const importCall = { caller: staff, platform: kit.platform, language: 'zh' as const };
  const known = await make({ code: 'OLD', name: '旧' });
  const row = (number: number, values: Record<string, string>) => ({
    number,
    values: { code: '', name: '', kind: '', parent: '', owner: '', ...values },
  });
  const rows = [
    row(2, { code: 'I2', name: '子', parent: 'I1', kind: '深' }),
    row(3, { code: 'I1', name: '父', owner: '甲' }),
    row(4, { code: 'old', name: '改' }),
    row(5, { code: 'I5', name: '错', kind: '没有', owner: '丙' }),
    row(6, { code: 'i1', name: '重' }),
    row(7, { code: 'I7', name: '环', parent: 'I8' }),
    row(8, { code: 'I8', name: '环', parent: 'I7' }),
    row(9, { code: 'I9', name: '名字超过十个字的一行数据' }),
  ];
  const before = await rowsOf(kit.platform, 'SELECT * FROM test_shelf ORDER BY id');
  const problems = await target.check(importCall, rows);
  expect(await rowsOf(kit.platform, 'SELECT * FROM test_shelf ORDER BY id')).toEqual(before);
  const bad = new Set(problems.map((one) => one.row));
  expect([...bad].sort()).toEqual([5, 6, 7, 8, 9]);
  expect(problems.filter((one) => one.row === 5).map((one) => one.column)).toEqual(['kind', 'owner']);
  const good = rows.filter((one) => !bad.has(one.number));
  expect(await transaction(kit.platform.database.db, (tx) => target.commit(tx, importCall, good))).toBe(3);
  const made = await rowsOf<{ code: string; name: string; parent: string | null; owner: string | null }>(
    kit.platform,
    `SELECT t.code, t.name, p.code AS parent, o.name AS owner FROM test_shelf t LEFT JOIN test_shelf p ON p.id = t.parent_id LEFT JOIN test_owner o ON o.id = t.owner_id WHERE t.code IN ('I1', 'I2', 'OLD') ORDER BY t.code`,
  );
  expect(made).toEqual([
    { code: 'I1', name: '父', parent: null, owner: '甲' },
    { code: 'I2', name: '子', parent: 'I1', owner: null },
    { code: 'OLD', name: '改', parent: null, owner: null },
  ]);
  expect((await call('GET', `/testShelf/${known.id}`)).data.version).toBe(2);
});

test('an import repeats a chunk that is refused row by row: only the row is told, and every row written has its records', async () => {
  const target = boundShelf.registration.imports![0]!;
  const importCall = { caller: staff, platform: kit.platform, language: 'zh' as const };
  const rows = Array.from({ length: 510 }, (_, at) => ({
    number: at + 2,
    values: { code: `B${at}`, name: '批', kind: '', parent: at > 0 && at < 4 ? `B${at - 1}` : '', owner: '' },
  }));
  // The fourth level is one too many.
  expect((await target.check(importCall, rows)).map((one) => one.row)).toEqual([5]);
  const good = rows.filter((one) => one.number !== 5);
  expect(await transaction(kit.platform.database.db, (tx) => target.commit(tx, importCall, good))).toBe(509);
  const [told] = await rowsOf<object>(
    kit.platform,
    `SELECT count(*) FILTER (WHERE EXISTS (SELECT FROM entity_event e WHERE e.entity = 'testShelf' AND e.entity_id = t.id AND e.action = 'create' AND e.who = '王小明'))::int AS events,
            count(*) FILTER (WHERE EXISTS (SELECT FROM audit_record a WHERE a.entity = 'testShelf' AND a.entity_id = t.id::text AND a.after ->> 'code' = t.code))::int AS records
       FROM test_shelf t WHERE t.code ~ '^B[0-9]+$'`,
  );
  expect(told).toEqual({ events: 509, records: 509 });
}, 180_000);
