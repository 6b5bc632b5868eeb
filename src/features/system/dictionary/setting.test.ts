import { afterAll, beforeAll, expect, test } from 'vitest';
import { settingProblem, storedSetting, wireSetting } from '../../../kernel/contract/setting-declaration.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { SETTING_GROUPS } from './setting.contract.ts';

let product: TestProduct;
let admin: string;
let projects: number[];
beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  projects = (
    await run<{ id: number }>(product.platform.database.db, 'SELECT id FROM project ORDER BY id LIMIT 2')
  ).map((row) => row.id);
}, 240_000);
afterAll(() => product?.close());

const read = (key: string, query = '') => product.call(admin, 'GET', `/admin/setting/${key}${query}`);
const set = async (key: string, value: unknown, place: Record<string, string> = {}) => {
  const query = new URLSearchParams(place).toString();
  const { data } = await read(key, query ? `?${query}` : '');
  return product.call(admin, 'PUT', `/admin/setting/${key}`, { value, version: data.version, ...place });
};
const reset = async (key: string, place: Record<string, string> = {}) => {
  const query = new URLSearchParams(place).toString();
  const { data } = await read(key, query ? `?${query}` : '');
  return product.call(admin, 'POST', `/admin/setting/${key}/reset`, { version: data.version, ...place });
};
const history = async (key: string) =>
  (await product.call(admin, 'GET', `/admin/setting/${key}/history`)).data as {
    id: string;
    who: string;
    scope: string;
    place: string | null;
    before: string | null;
    after: string | null;
    undoable: boolean;
    version: number;
  }[];

test('every key has both names, a group, a default inside its limits, and comes back as it was stored', () => {
  const { declarations } = product.platform.settings;
  expect(declarations.length).toBeGreaterThan(230);
  expect(new Set(declarations.map((one) => one.key)).size).toBe(declarations.length);
  for (const setting of declarations) {
    expect([setting.key, SETTING_GROUPS[setting.group] !== undefined]).toEqual([setting.key, true]);
    expect([setting.key, setting.scopes.includes('platform')]).toEqual([setting.key, true]);
    const wire = wireSetting(setting, setting.default);
    expect([setting.key, settingProblem(setting, wire)]).toEqual([setting.key, undefined]);
    expect([setting.key, wireSetting(setting, storedSetting(setting, wire))]).toEqual([setting.key, wire]);
  }
});

test('group 09 Must show 8: an override of one project counts there alone, limits are kept, the history puts back', async () => {
  const [here, there] = projects.map(String) as [string, string];
  const { settings } = product.platform;
  const key = 'approval.undo_minutes';
  const before = await read(key);
  expect([before.data.value, before.data.source, before.data.limits]).toEqual([30, 'default', '1–90']);
  const done = await set(key, 10, { projectId: here });
  expect([done.http, done.data.value, done.data.source]).toEqual([200, 10, 'project']);
  expect((await read(key, `?projectId=${there}`)).data).toMatchObject({ value: 30, source: 'default' });
  expect((await read(key)).data).toMatchObject({ value: 30, source: 'default', overrides: 1 });
  expect(await settings.number(key, { projectId: Number(here) })).toBe(10);
  expect(await settings.number(key, { projectId: Number(there) })).toBe(30);
  expect(await settings.number(key)).toBe(30);
  const tenant = (await runOne<{ id: number }>(
    product.platform.database.db,
    'SELECT id FROM tenant WHERE kind = 1 ORDER BY id LIMIT 1',
  ))!;
  expect((await set(key, 20, { tenantId: String(tenant.id) })).data.source).toBe('tenant');
  expect(await settings.number(key, { projectId: Number(here), tenantId: tenant.id })).toBe(10);
  expect(await settings.number(key, { projectId: Number(there), tenantId: tenant.id })).toBe(20);

  for (const value of [0, 91]) {
    const refused = await set(key, value);
    expect([refused.http, refused.message, refused.data.fields.value]).toEqual([
      422,
      '须在 1–90 之间',
      '须在 1–90 之间',
    ]);
  }
  const english = await product.app.inject({
    method: 'PUT',
    url: `/api/admin/setting/${key}`,
    headers: { authorization: admin, 'accept-language': 'en' },
    payload: { value: 0, version: 0 },
  });
  expect([english.statusCode, english.json<{ message: string }>().message]).toEqual([422, 'Must be 1–90']);

  // Undone, the project is back where it came from: without a value of its own.
  const entry = (await history(key)).find((one) => one.scope === 'project')!;
  expect(entry).toMatchObject({ before: null, after: '10', undoable: true });
  const undone = await product.call(admin, 'POST', `/admin/setting/${key}/undo`, {
    change: entry.id,
    version: entry.version,
  });
  expect([undone.http, undone.data.source]).toEqual([200, 'default']);
  expect(await settings.number(key, { projectId: Number(here) })).toBe(30);
  expect((await history(key))[0]).toMatchObject({ before: '10', after: null });
  // And the undo itself can be undone.
  const again = (await history(key))[0]!;
  const back = await product.call(admin, 'POST', `/admin/setting/${key}/undo`, {
    change: again.id,
    version: again.version,
  });
  expect(back.data).toMatchObject({ value: 10, source: 'project' });
  expect(
    await runOne(
      product.platform.database.db,
      `SELECT count(*)::int AS n FROM audit_record WHERE entity = 'setting' AND entity_id = $1`,
      [key],
    ),
  ).toEqual({ n: 4 });
});

test('a change acts on a second instance within five seconds', async () => {
  const second = await product.another();
  try {
    expect(await second.platform.settings.number('order.comment_days')).toBe(30);
    await set('order.comment_days', 45);
    const end = Date.now() + 5_000;
    while ((await second.platform.settings.number('order.comment_days')) !== 45 && Date.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await second.platform.settings.number('order.comment_days')).toBe(45);
  } finally {
    await second.close();
  }
});

test('money, lists, choices, switches, texts: each kind is kept to its rules and stored as readers want it', async () => {
  const { settings } = product.platform;
  expect((await set('fee.waive.auto', '88.50')).data).toMatchObject({ value: '88.50', text: '88.50' });
  expect(await settings.number('fee.waive.auto')).toBe(8850);
  expect((await set('fee.waive.auto', '100000.01')).message).toBe('须在 0.00–100000.00 之间');
  expect((await set('fee.waive.auto', 5)).http).toBe(422);
  expect((await set('fee.remind.days', ['9', '1'])).data.value).toEqual(['9', '1']);
  expect(await settings.list('fee.remind.days')).toEqual([9, 1]);
  expect((await set('fee.remind.days', ['9', '61'])).message).toBe('每项须为 0–60 之间的整数');
  expect((await set('fee.remind.days', ['x'])).http).toBe(422);
  expect((await set('wo.callback', 'all')).data.text).toBe('全部');
  expect((await set('wo.callback', 'never')).http).toBe(422);
  expect((await set('notice.review', true)).data).toMatchObject({ value: true, text: '开启' });
  expect(await settings.flag('notice.review')).toBe(true);
  expect((await set('notice.review', 'yes')).http).toBe(422);
  expect((await set('recon.pull_at', '25:00')).message).toBe('请输入 00:00–23:59 的时间');
  expect((await set('recon.pull_at', '09:15')).http).toBe(200);
  expect((await set('link.schemes', ['https', 'javascript'])).http).toBe(422);
  expect((await set('link.schemes', ['https', 'weixin'])).http).toBe(200);
  expect((await set('trace.sample_rate', '0.25')).data.value).toBe('0.25');
  expect(await settings.number('trace.sample_rate')).toBe(0.25);
  expect((await set('wo.transfer.max', 3.5)).http).toBe(422);
  expect((await set('wo.transfer.max', null)).http).toBe(422);
  expect((await set('monitor.admin_url', 'javascript:alert(1)')).http).toBe(422);
});

test('what is set nowhere cannot be reset, a key is set only where it has values, a foreign place is not found', async () => {
  const refused = await reset('wo.reopen.days');
  expect([refused.http, refused.status, refused.message]).toEqual([409, 30101, '此处没有单独设置']);
  const platformOnly = await product.call(admin, 'PUT', '/admin/setting/auth.password.expiry_days', {
    value: 60,
    version: 0,
    projectId: String(projects[0]),
  });
  expect([platformOnly.http, platformOnly.message]).toEqual([409, '此参数不能按项目设置']);
  expect((await read('wo.reopen.days', '?projectId=999999')).http).toBe(404);
  expect((await read('wo.reopen.days', '?tenantId=1&projectId=1')).http).toBe(422);
  expect((await read('permission.epoch')).http).toBe(404);
  expect((await product.call(admin, 'GET', '/admin/setting/page?colour=red')).http).toBe(422);
  const kept = await set('login.whitelist.enforce', true);
  expect([kept.http, kept.message]).toEqual([409, '此参数请在对应的业务界面修改']);
});

test('two who change one key at once: one wins, the other is told what stands now', async () => {
  const version = (await read('wo.transfer.max')).data.version as number;
  const answers = await Promise.all(
    [4, 5, 6, 7].map((value) =>
      product.call(admin, 'PUT', '/admin/setting/wo.transfer.max', { value, version }),
    ),
  );
  const won = answers.filter((one) => one.http === 200);
  expect(won.length).toBe(1);
  for (const lost of answers.filter((one) => one.http !== 200)) {
    expect([lost.http, lost.status]).toEqual([409, 30101]);
    expect(lost.data.current.value).toBe(won[0]!.data.value);
  }
  // Reset and set again, an old version never fits by chance.
  await reset('wo.transfer.max');
  await set('wo.transfer.max', 8);
  const old = await product.call(admin, 'PUT', '/admin/setting/wo.transfer.max', { value: 9, version });
  expect(old.status).toBe(30101);
});

test('screens of their own and this list see each other: history, rules between values, lost races', async () => {
  const form = async () => (await product.call(admin, 'GET', '/jinmao/web/settings/mallPoints')).data;
  const opened = await form();
  const saved = await product.call(admin, 'PUT', '/jinmao/web/settings/mallPoints', {
    version: opened.version,
    values: { mall_points_max_percent: 30 },
  });
  expect(saved.http).toBe(200);
  expect((await history('mall.points.max_percent'))[0]).toMatchObject({ before: null, after: '30' });
  expect((await read('mall.points.max_percent')).data).toMatchObject({ value: 30, source: 'platform' });
  // Steps of 100 points at 150 points a yuan are no whole fen: the rule of the screen holds here too.
  const broken = await set('mall.points.per_yuan', 150);
  expect([broken.http, broken.message !== '', typeof broken.data?.fields?.value]).toEqual([
    422,
    true,
    'string',
  ]);
  expect((await set('mall.points.step', 200)).http).toBe(200);
  const late = await product.call(admin, 'PUT', '/jinmao/web/settings/mallPoints', {
    version: saved.data.version,
    values: { mall_points_max_percent: 40 },
  });
  expect([late.http, late.status]).toEqual([409, 30101]);
  // A value that went away and came back does not make an old form fit again.
  const now = await form();
  await reset('mall.points.step');
  await set('mall.points.step', 200);
  const stale = await product.call(admin, 'PUT', '/jinmao/web/settings/mallPoints', {
    version: now.version,
    values: { mall_points_max_percent: 41 },
  });
  expect(stale.status).toBe(30101);
});

test('the list: groups with counts, search by name and key, source, the place it is asked for, and an export of the same rows', async () => {
  const page = async (query: string) =>
    (await product.call(admin, 'GET', `/admin/setting/page?${query}`)).data;
  const all = await page('limit=200');
  expect(all.total).toBe(product.platform.settings.declarations.length);
  expect(all.groups.reduce((sum: number, one: { count: number }) => sum + one.count, 0)).toBe(all.total);
  expect(all.rows.some((row: { key: string }) => row.key === 'permission.epoch')).toBe(false);
  const mall = await page('group=08&limit=200');
  expect(mall.rows.every((row: { key: string }) => /^(mall|product|coupon|order)\./.test(row.key))).toBe(
    true,
  );
  expect((await page('searchVal=催办')).rows.map((row: { key: string }) => row.key)).toEqual([
    'approval.urge_hours',
  ]);
  expect((await page('searchVal=URGE_hours')).total).toBe(1);
  await set('visit.max_people', 12, { projectId: String(projects[1]) });
  const own = await page(`projectId=${projects[1]}&source=project`);
  expect(own.rows.map((row: { key: string }) => row.key)).toContain('visit.max_people');
  expect(
    (await page(`projectId=${projects[1]}&limit=200`)).rows.some(
      (row: { scopes: string[] }) => !row.scopes.includes('project'),
    ),
  ).toBe(false);
  const detail = (await read('visit.max_people')).data;
  expect(detail.overridden).toMatchObject([{ scope: 'project', id: String(projects[1]), text: '12' }]);
  const source = product.platform.registrations
    .flatMap((one) => one.exports ?? [])
    .find((one) => one.source === 'setting')!;
  const caller = await product.caller('admin');
  const rows: unknown[][] = [];
  for await (const batch of source.read(
    { caller, platform: product.platform, language: 'zh' },
    { group: '08' },
  ))
    rows.push(...batch.map((row) => [...row]));
  expect(rows.map((row) => row[1])).toEqual(mall.rows.map((row: { key: string }) => row.key));
  expect((await product.call(admin, 'POST', '/admin/setting/export', { query: { group: '08' } })).http).toBe(
    200,
  );
});

test('history cannot be rewritten, and counters of the product are no part of it', async () => {
  const { db } = product.platform.database;
  await expect(run(db, `UPDATE setting_change SET key = 'x'`)).rejects.toThrow();
  await expect(run(db, 'DELETE FROM setting_change')).rejects.toThrow();
  await run(
    db,
    `INSERT INTO setting (key, value) VALUES ('permission.epoch', '1') ON CONFLICT (key) DO UPDATE SET value = to_jsonb((setting.value #>> '{}')::bigint + 1)`,
  );
  expect(
    await runOne(db, `SELECT count(*)::int AS n FROM setting_change WHERE key = 'permission.epoch'`),
  ).toEqual({ n: 0 });
});
