import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { ImportRow } from '../../../kernel/server/tables/import-target.ts';
import { openOvertimeBench, type Answer, type OvertimeBench } from '../overtime/overtime-bench.ts';
import { whitelistImport } from './whitelist-import.server.ts';

let bench: OvertimeBench;
let group: number;
let token: string;
const db = () => bench.product.platform.database.db;
beforeAll(async () => {
  bench = await openOvertimeBench();
  // anna keeps the whitelist of her own department, of the chief and of ben; the boss works above them.
  const row = await runOne<{ id: number }>(
    db(),
    `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT id, $1, 'keeper', '白名单' FROM group_type WHERE code = 'role' RETURNING id`,
    [bench.tenantId],
  );
  group = row!.id;
  await run(db(), `INSERT INTO menu_grant (group_id, menu_code) VALUES ($1, 'WhiteManage')`, [group]);
  await run(
    db(),
    `INSERT INTO element_grant (group_id, element_code) SELECT $1, code FROM element WHERE menu_code = 'WhiteManage'`,
    [group],
  );
  await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group, bench.staff.anna]);
});
afterAll(() => bench?.product.close());

/** How far the grant of anna reaches from now on. */
const scope = async (dataScope: 'all' | 'dept' | 'self') => {
  await run(db(), 'UPDATE menu_grant SET data_scope = $2 WHERE group_id = $1', [group, dataScope]);
  // A new session reads the rights anew; one that is open keeps them for up to a second.
  token = await bench.product.signIn('anna');
};
beforeEach(async () => {
  await run(db(), 'DELETE FROM whitelist_hit');
  await run(db(), 'DELETE FROM login_whitelist');
  await run(db(), `DELETE FROM setting WHERE key = 'login.whitelist.enforce'`);
  bench.product.platform.settings.forget();
});
const id = (account: string) => String(bench.staff[account]);
/** As anna. */
const ask = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) => {
  const answer = await bench.product.app.inject({
    method,
    url: `/api${path}`,
    headers: { authorization: token },
    ...(payload ? { payload } : {}),
  });
  return { http: answer.statusCode, ...answer.json<Omit<Answer, 'http'>>() };
};
const add = (by: 'admin' | 'anna', input: Record<string, unknown>) => {
  const rule = { purpose: 'allow', reason: '办公网络', ...input };
  return by === 'anna'
    ? ask('POST', '/admin/whitelist', rule)
    : bench.call('POST', '/admin/whitelist', by, rule);
};
const importRow = (values: Record<string, string>): ImportRow => ({
  number: 1,
  values: { account: '', range: '', purpose: '允许登录', expires: '', reason: '办公网络', ...values },
});
const importProblems = async (values: Record<string, string>) => {
  const call = {
    caller: await bench.product.caller('anna'),
    platform: bench.product.platform,
    language: 'zh' as const,
  };
  return (await whitelistImport.check(call, [importRow(values)])).map((one) => [one.column, one.message[0]]);
};

describe('what a grant of the own department or the own rows shows', () => {
  const hit = (whitelistId: unknown, account: string, result: string) =>
    run(db(), 'INSERT INTO whitelist_hit (whitelist_id, account, address, result) VALUES ($1, $2, $3, $4)', [
      whitelistId,
      account,
      '10.0.0.9',
      result,
    ]);
  const hits = async () =>
    ((await ask('GET', '/admin/whitelist/hits')).data as unknown as { account: string }[]).map(
      (one) => one.account,
    );

  test('hits of staff in sight, by rules in sight or by none', async () => {
    await scope('all');
    // Binds everybody: by her own rule she does not see who signs in anywhere.
    const mine = await add('anna', { range: '10.0.0.0/8' });
    const foreign = await add('admin', { range: '11.0.0.0/8' });
    await hit(mine.data.id, 'ben', 'allowed');
    await hit(mine.data.id, 'boss', 'allowed');
    await hit(mine.data.id, 'nobody', 'refused');
    await hit(foreign.data.id, 'ben', 'allowed');
    await hit(foreign.data.id, 'chief', 'allowed');
    await hit(null, 'boss', 'refused');
    await hit(null, 'ANNA', 'refused');
    expect(await hits()).toEqual(['ANNA', 'boss', 'chief', 'ben', 'nobody', 'boss', 'ben']);
    await scope('dept');
    expect(await hits()).toEqual(['ANNA', 'ben']);
    await scope('self');
    expect(await hits()).toEqual(['ANNA']);
    // The rules are gone: their hits stay with those who see the staff.
    await run(db(), 'DELETE FROM login_whitelist');
    expect(await hits()).toEqual(['ANNA']);
    await scope('dept');
    expect(await hits()).toEqual(['ANNA', 'chief', 'ben', 'ben']);
  });

  test('the test of a sign-in answers for staff in sight and names rules in sight only', async () => {
    const foreign = await add('admin', { staff: id('ben'), range: '10.0.0.0/8' });
    const verdict = (account: string) =>
      ask('POST', '/admin/whitelist/action/test', {
        staff: id(account),
        address: '10.1.1.1',
      });
    await scope('all');
    expect((await verdict('ben')).data).toMatchObject({ allowed: true, rowId: foreign.data.id });
    expect((await verdict('boss')).http).toBe(200);
    await scope('dept');
    expect((await verdict('ben')).data).toMatchObject({ allowed: true, rowId: null });
    expect((await verdict('boss')).http).toBe(404);
    const mine = await add('anna', { staff: id('chief'), range: '10.0.0.0/8' });
    expect((await verdict('chief')).data).toMatchObject({ allowed: true, rowId: mine.data.id });
    await scope('self');
    expect((await verdict('ben')).http).toBe(404);
  });

  test('accounts, counts, forms and imports know nothing of staff and rules out of sight', async () => {
    await scope('dept');
    await add('admin', { staff: id('boss'), range: '10.0.0.0/8' });
    await add('admin', { range: '10.0.0.0/8' });
    const offered = await ask('GET', '/jinmao/web/options/whitelistAccount');
    expect((offered.data as unknown as { id: string }[]).map((one) => one.id)).toEqual([
      id('anna'),
      id('ben'),
      id('chief'),
    ]);
    const byId = await ask('GET', `/jinmao/web/options/whitelistAccount?ids=${id('boss')}`);
    expect(byId.data).toEqual([]);
    expect((await ask('GET', '/admin/whitelist/enforcement')).data.rows).toBe(0);
    expect((await bench.call('GET', '/admin/whitelist/enforcement', 'admin')).data.rows).toBe(1);
    // The rule of the boss exists: neither the form nor the import tells.
    for (const range of ['10.0.0.0/8', '11.0.0.0/8']) {
      const refused = await add('anna', { staff: id('boss'), range });
      expect([refused.http, (refused.data.fields as Record<string, string>).staff]).toEqual([
        422,
        '请选择列表中的账号',
      ]);
      expect(await importProblems({ account: 'boss', range })).toEqual([['account', '账号不存在']]);
    }
    const own = await add('anna', { staff: id('ben'), range: '10.0.0.0/8' });
    expect(own.http).toBe(200);
    const moved = await ask('PUT', `/admin/whitelist/${String(own.data.id)}`, {
      version: own.data.version,
      staff: id('boss'),
    });
    expect(moved.http).toBe(422);
  });
});

describe('rules are no way past the protection of platform administrators', () => {
  const REFUSED = '仅平台管理员可以操作平台管理员';
  let administrator: string;
  beforeAll(async () => {
    const row = await runOne<{ id: number }>(db(), `SELECT id FROM staff WHERE account = 'admin'`);
    administrator = String(row!.id);
    await scope('all');
  });
  const adminWorks = async () => (await bench.call('GET', '/admin/user/front/info', 'admin')).http === 200;

  test('a rule that names one is made, changed and imported by administrators only', async () => {
    const refused = await add('anna', { staff: administrator, range: '10.9.9.9', endSessions: true });
    expect([refused.status, refused.message]).toEqual([30101, REFUSED]);
    expect(await run(db(), 'SELECT 1 FROM login_whitelist')).toEqual([]);
    const own = await add('anna', { staff: id('ben'), range: '10.9.9.9' });
    const moved = await ask('PUT', `/admin/whitelist/${String(own.data.id)}`, {
      version: own.data.version,
      staff: administrator,
      endSessions: true,
    });
    expect([moved.status, moved.message]).toEqual([30101, REFUSED]);
    expect(await importProblems({ account: 'admin', range: '10.9.9.9' })).toEqual([['account', REFUSED]]);
    expect(await importProblems({ account: 'admin', purpose: '免验证码' })).toEqual([['account', REFUSED]]);
    expect(await adminWorks()).toBe(true);
    expect((await add('admin', { staff: administrator, range: '127.0.0.1' })).http).toBe(200);
  });

  test('nor are rules of administrators switched, changed or taken away by others', async () => {
    const rule = await add('admin', { staff: administrator, range: '127.0.0.1' });
    const path = `/admin/whitelist/${String(rule.data.id)}`;
    const refusals = [
      await ask('POST', `${path}/disable`, {}),
      await ask('DELETE', path),
      await ask('PUT', path, { version: rule.data.version, range: '10.9.9.9' }),
      await ask('PUT', path, { version: rule.data.version, staff: id('ben') }),
    ];
    await bench.call('POST', `${path}/disable`, 'admin', {});
    refusals.push(await ask('POST', `${path}/enable`, {}));
    expect(refusals.map((one) => one.message)).toEqual(refusals.map(() => REFUSED));
  });

  test('rules without an account that would shut one out from where it works are refused to others', async () => {
    expect(await adminWorks()).toBe(true);
    const common = await add('admin', { range: '127.0.0.0/8' });
    await add('admin', { staff: id('anna'), range: '127.0.0.1' });
    expect((await ask('POST', '/admin/whitelist/action/enforce', { on: true })).http).toBe(200);
    const path = `/admin/whitelist/${String(common.data.id)}`;
    const refused = await ask('PUT', path, {
      version: common.data.version,
      range: '10.0.0.0/8',
      endSessions: true,
    });
    expect([refused.status, refused.message]).toEqual([
      30101,
      '平台管理员将无法从其当前地址登录，请由平台管理员操作',
    ]);
    expect((await ask('DELETE', path)).status).toBe(30101);
    expect(await adminWorks()).toBe(true);
  });

  test('an import of rules for others is written', async () => {
    const call = {
      caller: await bench.product.caller('anna'),
      platform: bench.product.platform,
      language: 'zh' as const,
    };
    const rows = [importRow({ account: 'boss', range: '10.0.0.0/8' })];
    expect(await whitelistImport.check(call, rows)).toEqual([]);
    expect(await transaction(db(), (tx) => whitelistImport.commit(tx, call, rows))).toBe(1);
  });
});
