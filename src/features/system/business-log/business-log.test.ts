import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { programToken } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { sealAudit } from '../../../kernel/server/audit/audit-seal.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { runCheck } from './audit-check.server.ts';
import { auditWords } from './audit-words.server.ts';
import { undeclaredText, withoutPersonal } from '../../../kernel/server/http/log-value.rules.ts';

let product: TestProduct;
let owner: pg.Client;
let admin: string;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  owner = new pg.Client(product.database.owner);
  await owner.connect();
});
afterAll(async () => {
  await owner?.end();
  await product?.close();
});

const db = () => product.platform.database.db;
const newest = async (entity: string): Promise<string> =>
  String(
    (await runOne<{ id: number }>(db(), 'SELECT max(id) AS id FROM audit_record WHERE entity = $1', [
      entity,
    ]))!.id,
  );
const differences = async (id: string, token = admin) =>
  (await product.call(token, 'GET', `/admin/auditRecord/${id}/difference`)).data;

/** Past the triggers, as somebody with the database's password would. */
async function tamper(statement: string): Promise<void> {
  await owner.query('ALTER TABLE audit_record DISABLE TRIGGER USER');
  await owner.query(statement);
  await owner.query('ALTER TABLE audit_record ENABLE TRIGGER USER');
}

async function verify(body: object = { range: 'whole' }): Promise<Record<string, any>> {
  const asked = await product.call(admin, 'POST', '/admin/auditRecord/action/verify', body);
  expect(asked.http).toBe(200);
  await runCheck(product.platform, Number(asked.data.id));
  return (await product.call(admin, 'GET', '/admin/auditRecord/checks')).data[0];
}

async function sealAll(): Promise<void> {
  await tamper(
    `UPDATE audit_record SET at = at - interval '10 seconds' WHERE id > coalesce((SELECT max(record_id) FROM audit_seal), 0)`,
  );
  await expect
    .poll(
      async () => {
        await sealAudit(db(), 5_000, { dataDir: product.platform.config.dataDir });
        return (await runOne<{ n: number }>(
          db(),
          'SELECT count(*) AS n FROM audit_record r WHERE NOT EXISTS (SELECT FROM audit_seal s WHERE s.record_id = r.id)',
        ))!.n;
      },
      { timeout: 20_000 },
    )
    .toBe(0);
}

test('group 09 Must show 9: a member who changes the phone in the app is shown masked before and after; a number has one member', async () => {
  const app = await programToken(product, { id: 'app-of-members', scopes: ['member_event'] });
  const [member, other, third] = await run<{ id: number; project_id: number }>(
    db(),
    `INSERT INTO member (name, phone, project_id) SELECT '换号', phone, (SELECT min(id) FROM project)
       FROM unnest(ARRAY['13700001111', '13700002222', '13700003333']) AS phone RETURNING id, project_id`,
  );
  const change = (who: { id: number; project_id: number }, phone: string) =>
    product.call(app, 'POST', '/jinmao/web/memberEvent', {
      eventId: randomUUID(),
      memberId: String(who.id),
      projectId: String(who.project_id),
      type: 'phone_change',
      occurredAt: new Date().toISOString(),
      payload: { phone },
    });
  expect((await change(member!, '13700009999')).data).toMatchObject({ result: { changed: true } });
  const id = await newest('member');
  expect((await differences(id)).differences).toEqual([
    { field: '手机号', before: '137****1111', after: '137****9999' },
  ]);
  const shown = await product.call(
    admin,
    'GET',
    `/admin/auditRecord/page?changedField=${encodeURIComponent('手机号')}`,
  );
  expect(shown.data.rows[0].id).toBe(id);
  expect(shown.text).not.toMatch(/13700009999|13700001111/);

  const raced = await Promise.all([change(other!, '13700008888'), change(third!, '13700008888')]);
  expect(raced.map((one) => one.message).sort()).toEqual(['', '该手机号已被其他会员使用']);
  const behalf = await product.call(admin, 'POST', `/jinmao/web/pointsMember/${member!.id}/recordEvent`, {
    type: 'phone_change',
    occurredAt: new Date().toISOString(),
    payload: { phone: '13700007777' },
    reason: '代为更换',
  });
  expect([behalf.http, behalf.message]).toEqual([409, '手机号由会员本人在App中更换']);
});

test('group 09 Must show 9: a changed phone is shown masked before and after; a record changed in the database is named', async () => {
  const staff = (await runOne<{ id: number; version: number; phone: string }>(
    db(),
    `SELECT id, version, phone FROM staff WHERE phone ~ '^1[0-9]{10}$' AND account <> 'admin' AND state = 'normal'
        AND tenant_id = (SELECT tenant_id FROM staff WHERE account = 'admin') ORDER BY id LIMIT 1`,
  ))!;
  await writeAudit(db(), { action: 'create', entity: 'place', entityId: 1 });
  const saved = await product.call(admin, 'PUT', `/admin/staff/${staff.id}`, {
    version: staff.version,
    mobilePhone: '13655557777',
  });
  expect([saved.http, saved.message]).toEqual([200, '']);
  const id = await newest('staff');
  const { differences: lines } = await differences(id);
  expect(lines).toContainEqual({
    field: '手机',
    before: `${staff.phone.slice(0, 3)}****${staff.phone.slice(-4)}`,
    after: '136****7777',
  });
  const page = await product.call(
    admin,
    'GET',
    `/admin/auditRecord/page?changedField=${encodeURIComponent('手机')}`,
  );
  expect(page.data.rows[0].id).toBe(id);
  expect(page.text).not.toContain('13655557777');

  await sealAll();
  expect(await verify()).toMatchObject({ state: 'ok', firstBroken: null, problems: [] });
  const chain = (await differences(id)).chain;
  expect(chain).toMatchObject({ intact: true });
  expect([chain.hash.length, chain.before.length]).toEqual([64, 64]);
  await tamper(
    `UPDATE audit_record SET after = jsonb_set(after, '{phone}', '"13600000000"') WHERE id = ${id}`,
  );
  expect(await verify()).toMatchObject({ state: 'broken', firstBroken: Number(id) });
  // A break stands in the system log and is on its way to the platform administrators.
  expect(
    await runOne(
      db(),
      `SELECT level, text FROM system_event e WHERE kind = 'doctor' AND EXISTS (SELECT FROM outbox o WHERE o.key = 'systemEvent.tell:' || e.id)
        ORDER BY id DESC LIMIT 1`,
    ),
  ).toEqual({ level: 'error', text: `审计链已断裂，首个异常记录 ${id}` });
  expect((await differences(id)).chain.intact).toBe(false);
  expect(await verify({ range: 'part', from: Number(id) })).toMatchObject({
    state: 'broken',
    firstBroken: Number(id),
  });
  expect(await verify({ range: 'part', from: 1, to: Number(id) - 1 })).toMatchObject({
    state: 'ok',
    checked: expect.any(Number),
  });
  await tamper(
    `UPDATE audit_record SET after = jsonb_set(after, '{phone}', '"13655557777"') WHERE id = ${id}`,
  );
  expect(await verify()).toMatchObject({ state: 'ok' });
});

describe('differences', () => {
  test('secrets and texts of no declared field are stars, typed input is told by its labels', async () => {
    await writeAudit(db(), {
      caller: { staffId: 1, name: 'x', tenantId: 1 },
      action: 'disable',
      entity: 'somethingUnknown',
      entityId: 1,
      before: { password: 'old', holder: '王小明', state: 'open', count: 3, api_key: 'k' },
      after: { password: 'new', holder: '李大力', state: 'closed', count: 4, api_key: 'k2' },
    });
    const { differences: lines, route } = await differences(await newest('somethingUnknown'));
    expect(route).toBeNull();
    expect(Object.fromEntries(lines.map((one: any) => [one.field, [one.before, one.after]]))).toEqual({
      password: ['******', '******'],
      holder: ['******', '******'],
      api_key: ['******', '******'],
      状态: ['open', 'closed'],
      count: ['3', '4'],
    });
  });

  test('a switch is told in words, in the language of the caller', async () => {
    const link = (await runOne<{ id: number; version: number }>(
      db(),
      `SELECT id, version FROM jump_link WHERE code = 'mall_home'`,
    ))!;
    await product.call(admin, 'POST', `/jinmao/web/jumpLink/${link.id}/disable`, {});
    const id = await newest('jumpLink');
    const row = (await product.call(admin, 'GET', `/admin/auditRecord/${id}`)).data;
    expect([row.action, row.entity, row.menu]).toEqual(['disable', 'jumpLink', 'jumpUrlManager']);
    const told = await differences(id);
    expect(told.differences).toContainEqual({ field: '启用', before: '是', after: '否' });
    expect(told.route).toBe(`/sysManager/jumpUrlManager?detail=${link.id}`);
    const english = await product.app.inject({
      url: `/api/admin/auditRecord/${id}/difference`,
      headers: { authorization: admin, 'accept-language': 'en' },
    });
    expect(english.json().data.differences).toContainEqual({ field: 'Enabled', before: 'Yes', after: 'No' });
  });

  test('personal values are masked wherever they stand', () => {
    expect(withoutPersonal('致电 13812345678，证号 110101199003071234，zhang@example.com')).toBe(
      '致电 138****5678，证号 110101********1234，z***@example.com',
    );
    expect(undeclaredText('note', '王小明')).toBe('******');
    expect(undeclaredText('phone', 13812345678)).toBe('138****5678');
    expect(undeclaredText('verifyCode', '123456')).toBe('******');
  });
});

describe('the list', () => {
  test('filters by the word of action, entity and menu, by code, and by number', async () => {
    const of = async (query: string) =>
      (await product.call(admin, 'GET', `/admin/auditRecord/page?limit=200&${query}`)).data.rows;
    const word = encodeURIComponent;
    const found = await of(`entity=${word('跳转链接')}&action=${word('停用')}`);
    expect(found.length).toBeGreaterThan(0);
    expect(new Set(found.map((row: any) => `${row.entity} ${row.action}`))).toEqual(
      new Set(['jumpLink disable']),
    );
    expect((await of(`menu=${word('跳转')}`)).map((row: any) => row.id)).toContain(found[0].id);
    expect((await of(`no=${found[0].id}~${found[0].id}`)).map((row: any) => row.id)).toEqual([found[0].id]);
    expect((await of(`changedField=${word('启用')}&entity=jumpLink`)).map((row: any) => row.id)).toContain(
      found[0].id,
    );
    // What the link of a detail (btn_history) asks for: the records of one row, by the name of its resource.
    const link = (await runOne<{ entity_id: string }>(
      db(),
      'SELECT entity_id FROM audit_record WHERE id = $1',
      [found[0].id],
    ))!.entity_id;
    const ofRow = await of(`entity=jumpLink&row=${link}`);
    expect(ofRow.map((row: any) => row.id)).toContain(found[0].id);
    const others = await run<{ id: number }>(
      db(),
      `SELECT id FROM audit_record WHERE entity = 'jumpLink' AND entity_id = $1 ORDER BY at DESC, id DESC LIMIT 200`,
      [link],
    );
    expect(ofRow.map((row: any) => row.id)).toEqual(others.map((one) => String(one.id)));
    expect(auditWords(product.platform.registrations).codesOf('entity', 'merchantInfo')).toEqual([
      'merchant',
    ]);
    await writeAudit(db(), { action: 'create', entity: 'member', entityId: '13812345678' });
    expect(await of('row=13812345678')).toEqual([]);
    const wording = (await product.call(admin, 'GET', '/admin/auditRecord/wording?entity=jumpLink')).data;
    expect([wording.entity, wording.actions.disable, wording.columns.mini_program]).toEqual([
      '跳转链接',
      '停用',
      '小程序路径',
    ]);
    expect((await product.call(admin, 'GET', '/admin/auditRecord/menus')).data.jumpUrlManager).toBe(
      '跳转链接',
    );
  });

  test('staff of a company read what their own people did, and cannot verify', async () => {
    const merchant = (await runOne<{ id: number; account: string; tenant_id: number }>(
      db(),
      `SELECT s.id, s.account, s.tenant_id FROM staff s JOIN tenant t ON t.id = s.tenant_id WHERE t.kind = 2 AND s.state = 'normal' ORDER BY s.id LIMIT 1`,
    ))!;
    await grantMenu(db(), merchant.id, 'ssm_businessLog');
    await writeAudit(db(), {
      caller: { staffId: merchant.id, name: 'm', tenantId: merchant.tenant_id },
      action: 'update',
      entity: 'product',
      entityId: 1,
    });
    const own = await newest('product');
    const token = await product.signIn(merchant.account);
    const { data } = await product.call(token, 'GET', '/admin/auditRecord/page?limit=200');
    expect(data.rows.map((row: any) => row.id)).toContain(own);
    const tenants = await run<{ tenant_id: number }>(
      db(),
      'SELECT DISTINCT tenant_id FROM audit_record WHERE id = ANY($1::bigint[])',
      [data.rows.map((row: any) => Number(row.id))],
    );
    expect(tenants).toEqual([{ tenant_id: merchant.tenant_id }]);
    expect(
      (await product.call(token, 'GET', `/admin/auditRecord/${await newest('jumpLink')}/difference`)).http,
    ).toBe(404);
    expect(
      (await product.call(token, 'POST', '/admin/auditRecord/action/verify', { range: 'whole' })).http,
    ).toBe(403);
    expect((await product.call(token, 'GET', '/admin/auditRecord/checks')).http).toBe(403);
  });

  test('nothing is changed or deleted here, a wrong range is refused, one look at a time', async () => {
    const id = await newest('jumpLink');
    expect((await product.call(admin, 'DELETE', `/admin/auditRecord/${id}`)).http).toBe(404);
    expect((await product.call(admin, 'PUT', `/admin/auditRecord/${id}`, { version: 1 })).http).toBe(404);
    const wrong = await product.call(admin, 'POST', '/admin/auditRecord/action/verify', {
      range: 'part',
      from: 9,
      to: 3,
    });
    expect([wrong.http, wrong.data.fields.to]).toEqual([422, '截止序号不能小于起始序号']);
    const answers = await Promise.all(
      [1, 2, 3].map(() =>
        product.call(admin, 'POST', '/admin/auditRecord/action/verify', { range: 'whole' }),
      ),
    );
    expect(answers.map((one) => one.http).sort()).toEqual([200, 409, 409]);
    expect(answers.find((one) => one.http === 409)!.message).toBe('校验正在进行');
  });

  test('the export holds the rows of the list in words', async () => {
    const source = product.platform.registrations
      .flatMap((one) => one.exports ?? [])
      .find((one) => one.source === 'auditRecord')!;
    const call = {
      caller: await product.caller('admin'),
      platform: product.platform,
      language: 'zh' as const,
    };
    const query = { entity: 'jumpLink', action: 'disable' };
    const rows: (readonly unknown[])[] = [];
    for await (const batch of source.read(call, query)) rows.push(...batch);
    expect(rows).toHaveLength(await source.count(call, query));
    const titles = source.columns('zh').map((one) => one.title);
    expect([rows[0]![titles.indexOf('操作')], rows[0]![titles.indexOf('对象')]]).toEqual([
      '停用',
      '跳转链接',
    ]);
    expect(String(rows[0]![titles.indexOf('摘要')])).toContain('启用');
  });
});
