import fs from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { insertStoredFile } from '../../../kernel/server/files/files.ts';
import { openFileStore } from '../../../kernel/server/files/file-store.ts';
import { putSecrets } from '../../../domain/payee/payee-secret.server.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { encodePng } from '../../../app/server/seed-demo/png.ts';
import { askToken } from '../../../app/server/session/session-bench.ts';

let product: TestProduct;
let admin: string;
let project: string;
let business: string;
let company: string;
let picture: string;
beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  project = await idOf('SELECT id FROM project ORDER BY id LIMIT 1');
  business = await idOf(`SELECT id FROM business WHERE code = 'goods'`);
  picture = await idOf(`SELECT id FROM stored_file WHERE name = 'launch-1.png'`);
  company = await idOf(`SELECT id FROM tenant WHERE account = 'C000001'`);
});
afterAll(() => product?.close());
const db = () => product.platform.database.db;
const idOf = async (sql: string, values: unknown[] = []) =>
  String((await runOne<{ id: number }>(db(), sql, values))!.id);

const WEIGHTS = [1, 3, 9, 27, 19, 26, 16, 17, 20, 29, 25, 13, 8, 24, 10, 30, 28];
const LETTERS = '0123456789ABCDEFGHJKLMNPQRTUWXY';
let turn = 0;
const licence = () => {
  turn += 1;
  const body = `91310115${String(turn).padStart(9, '0')}`;
  const sum = WEIGHTS.reduce((total, weight, at) => total + weight * LETTERS.indexOf(body[at]!), 0);
  return body + LETTERS[(31 - (sum % 31)) % 31]!;
};
const shop = (more: object = {}) => ({
  name: `测试商户${(turn += 1)}`,
  licenceNo: licence(),
  address: '世纪大道 1 号',
  legalPerson: '王小明',
  contact: '李小红',
  phone: '13900001111',
  projects: [project],
  businesses: [business],
  logo: picture,
  qualifications: [picture],
  certificates: [{ type: 'licence', number: '1', longTerm: true }],
  postage: [],
  ...more,
});
const call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object, token = admin) =>
  product.call(token, method, `/jinmao/web${path}`, body);
const stateOf = async (id: string) =>
  (await runOne<{ state: string }>(db(), 'SELECT merchant_state AS state FROM tenant WHERE id = $1', [
    Number(id),
  ]))!.state;
const act = async (name: string, id: string, action: string, body: object = {}, token = admin) =>
  call('POST', `/${name}/${id}/${action}`, body, token);
const agree = async (view: string, merchant: string, more: object = {}) => {
  const made = await call('POST', `/${view}`, {
    merchant,
    signedOn: '2026-01-01',
    effectiveFrom: '2026-01-01T00:00:00+08:00',
    effectiveTo: '2099-01-01T00:00:00+08:00',
    commission: '8.00',
    commissionBase: 'gross',
    channelFeeBearer: 'merchant',
    pointsBearer: 'platform',
    coinBearer: 'platform',
    settlementCycle: 'month',
    afterSaleDays: 7,
    payoutMode: 'bank',
    rules: [],
    ...more,
  });
  if (made.http !== 200) return made;
  return act(view, String(made.data.id), 'agree');
};

test('group 03 Must show 2: a new merchant has an account and a password that is told once', async () => {
  const made = await call('POST', '/residentMerchant', shop());
  expect(made.message).toBe('');
  const { account, password } = made.data.result as { account: string; password: string };
  expect(account).toMatch(/^M\d{6}$/);
  expect(password.length).toBeGreaterThanOrEqual(14);
  const detail = await call('GET', `/residentMerchant/${made.data.id}`);
  expect(detail.text).not.toContain(password);
  expect([detail.data.account, detail.data.state, detail.data.kind]).toEqual([account, 'draft', 'resident']);
  // The first sign-in asks for a password of its own.
  const answer = await askToken(product.app, { username: account, password });
  expect(answer.json()).toMatchObject({ status: 200, mustChangePassword: true });
});

test('a self-operated merchant needs no review; what is missing keeps it from opening, by name', async () => {
  const refused = await call('POST', '/selfMerchant', shop({ owningCompany: null }));
  expect([refused.http, Object.keys(refused.data.fields as object)]).toEqual([422, ['owningCompany']]);
  const made = await call('POST', '/selfMerchant', shop({ owningCompany: company, certificates: [] }));
  expect(made.message).toBe('');
  const id = String(made.data.id);
  expect((await act('selfMerchant', id, 'submit')).message).toBe('');
  expect(await stateOf(id)).toBe('to_activate');
  expect((await act('selfMerchant', id, 'activate')).message).toBe('还缺：生效中的协议');
  // The same stands on its page before anybody presses the button.
  const checklist = async () =>
    ((await call('GET', `/selfMerchant/${id}/checklist`)).data as { label: string[]; done: boolean }[])
      .filter((one) => !one.done)
      .map((one) => one.label[0]);
  expect(await checklist()).toEqual(['生效中的协议']);
  expect((await agree('selfAgreement', id, { commission: '12.00' })).message).toBe('');
  // The company's own shop keeps nothing back.
  expect(
    await runOne(db(), 'SELECT commission_bp AS bp, state FROM merchant_agreement WHERE tenant_id = $1', [
      Number(id),
    ]),
  ).toEqual({ bp: 0, state: 'active' });
  expect(await checklist()).toEqual([]);
  expect((await act('selfMerchant', id, 'activate')).message).toBe('');
  expect(await stateOf(id)).toBe('operating');
  // It is no resident merchant.
  expect((await call('GET', `/residentMerchant/${id}`)).http).toBe(404);
  expect((await call('GET', `/residentMerchant/${id}/checklist`)).http).toBe(404);
  expect((await call('GET', `/merchant/${id}`)).data.state).toBe('operating');
});

test('licence numbers and postage bands are checked; a licence belongs to one resident merchant', async () => {
  const wrong = await call('POST', '/residentMerchant', shop({ licenceNo: '91350100M000100Y44' }));
  expect(wrong.data.fields).toEqual({ licenceNo: '不是有效的统一社会信用代码' });
  const bands = await call(
    'POST',
    '/residentMerchant',
    shop({
      postage: [
        { startFen: '0.00', endFen: '50.00', freight: '8.00' },
        { startFen: '60.00', endFen: null, freight: '0.00' },
      ],
    }),
  );
  expect(bands.data.fields).toEqual({ postage: '第 2 行区间不连续' });
  const number = licence();
  const both = await Promise.all(
    ['甲店', '乙店'].map((name) =>
      call('POST', '/residentMerchant', shop({ name: `${name}${number}`, licenceNo: number })),
    ),
  );
  expect(both.map((one) => one.http).sort()).toEqual([200, 409]);
  const third = await call('POST', '/residentMerchant', shop({ licenceNo: number }));
  expect(third.message).toMatch(/^该执照号已被商户“(甲店|乙店)\w+”使用$/);
});

test('agreements: rates to 50 %, periods that never overlap, a new version ends the one before', async () => {
  const made = await call('POST', '/residentMerchant', shop());
  const id = String(made.data.id);
  const over = await agree('residentAgreement', id, { commission: '50.01' });
  expect([over.http, Object.keys(over.data.fields as object)]).toEqual([422, ['commission']]);
  expect((await agree('residentAgreement', id)).message).toBe('');
  const late = await agree('residentAgreement', id, { effectiveFrom: '2026-02-01T00:00:00+08:00' });
  expect(late.message).toBe('新版本的生效时间须晚于现在');
  const [draft] = await run<{ id: number; version: number }>(
    db(),
    `SELECT id, version FROM merchant_agreement WHERE tenant_id = $1 AND state = 'draft'`,
    [Number(id)],
  );
  expect(
    (
      await call('PUT', `/residentAgreement/${draft!.id}`, {
        version: draft!.version,
        effectiveFrom: '2090-01-01T00:00:00+08:00',
        commission: '10.00',
      })
    ).message,
  ).toBe('');
  expect((await act('residentAgreement', String(draft!.id), 'agree')).message).toBe('');
  expect(
    await run(
      db(),
      `SELECT agreement_version AS no, commission_bp AS bp, to_char(effective_to AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM-DD') AS ends FROM merchant_agreement WHERE tenant_id = $1 ORDER BY 1`,
      [Number(id)],
    ),
  ).toEqual([
    { no: 1, bp: 800, ends: '2090-01-01' },
    { no: 2, bp: 1000, ends: '2099-01-01' },
  ]);
  // What is in force never changes, whoever writes.
  await expect(
    run(
      db(),
      'UPDATE merchant_agreement SET commission_bp = 1 WHERE tenant_id = $1 AND agreement_version = 1',
      [Number(id)],
    ),
  ).rejects.toMatchObject({ code: '23514' });
  await expect(
    run(
      db(),
      `INSERT INTO merchant_agreement (tenant_id, agreement_version, effective_from, effective_to) VALUES ($1, 9, '2089-01-01', '2091-01-01')`,
      [Number(id)],
    ),
  ).rejects.toMatchObject({ code: '23P01' });
});

test('group 03 Must show 3: an order is bound to the version in force when it was paid', async () => {
  const { id: tenant } = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO tenant (kind, account, name, merchant_kind) VALUES (2, 'MV1', '换版商户', 'resident') RETURNING id`,
  ))!;
  await run(
    db(),
    `INSERT INTO merchant_agreement (tenant_id, agreement_version, commission_bp, effective_from, effective_to) VALUES
       ($1, 1, 800, '2026-01-01 00:00+08', '2026-03-02 00:00+08'), ($1, 2, 1000, '2026-03-02 00:00+08', NULL)`,
    [tenant],
  );
  // The rule the payment writes with, at the two instants.
  const versionAt = async (at: string) =>
    (
      await runOne<{ no: number }>(
        db(),
        `SELECT agreement_version AS no FROM merchant_agreement a WHERE tenant_id = $1 AND a.state NOT IN ('draft', 'in_review')
            AND a.effective_from <= $2::timestamptz AND (a.effective_to IS NULL OR a.effective_to > $2::timestamptz)`,
        [tenant, at],
      )
    )?.no;
  expect([await versionAt('2026-03-01 23:59:59+08'), await versionAt('2026-03-02 00:00:00+08')]).toEqual([
    1, 2,
  ]);
});

test('onboarding is decided by somebody else; group 03 Must show 9: two reviewers in the same second: one decision', async () => {
  const reviewers = ['mreview1', 'mreview2'];
  const { tenant_id: tenant } = (await runOne<{ tenant_id: number }>(
    db(),
    `SELECT tenant_id FROM staff WHERE account = 'admin'`,
  ))!;
  const { id: group } = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT id, $1, 'mreview', '招商' FROM group_type WHERE code = 'role' RETURNING id`,
    [tenant],
  ))!;
  await run(
    db(),
    `INSERT INTO menu_grant (group_id, menu_code, data_scope) VALUES ($1, 'residentMerchants', 'all')`,
    [group],
  );
  await run(
    db(),
    `INSERT INTO element_grant (group_id, element_code) SELECT $1, code FROM element WHERE menu_code = 'residentMerchants'`,
    [group],
  );
  for (const account of reviewers) {
    const { id } = (await runOne<{ id: number }>(
      db(),
      'INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password) VALUES ($1, $2, $2, true, false) RETURNING id',
      [tenant, account],
    ))!;
    await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group, id]);
  }
  const tokens = await Promise.all(reviewers.map((account) => product.signIn(account)));
  const made = await call('POST', '/residentMerchant', shop());
  const id = String(made.data.id);
  expect((await act('residentMerchant', id, 'submit')).message).toBe('');
  expect(await stateOf(id)).toBe('in_review');
  // Who handed it in does not decide.
  expect((await act('residentMerchant', id, 'approve')).message).toBe('提交人不能审核自己的申请');
  const both = await Promise.all(
    tokens.map((token) => act('residentMerchant', id, 'approve', { opinion: '同意' }, token)),
  );
  expect(both.map((one) => one.http).sort()).toEqual([200, 409]);
  expect(await stateOf(id)).toBe('to_activate');
  expect(
    await runOne(
      db(),
      `SELECT count(*)::int AS n FROM entity_event WHERE entity = 'merchant' AND entity_id = $1 AND to_state = 'to_activate'`,
      [Number(id)],
    ),
  ).toEqual({ n: 1 });
  // Refused with a reason that is shown, and decided in the approval centre as well as here.
  const other = await call('POST', '/residentMerchant', shop());
  await act('residentMerchant', String(other.data.id), 'submit');
  const mine = (await product.call(tokens[0]!, 'GET', '/admin/approval/mine')).data as {
    id: string;
    kind: string;
    title: string;
  }[];
  const task = mine.find((one) => one.kind === 'merchant_onboarding')!;
  expect(
    (
      await product.call(tokens[0]!, 'POST', `/admin/approval/${task.id}/decide`, {
        approved: false,
        opinion: '执照不清晰',
      })
    ).message,
  ).toBe('');
  const refused = await call('GET', `/residentMerchant/${other.data.id}`);
  expect([refused.data.state, refused.data.stateReason]).toEqual(['rejected', '执照不清晰']);

  // Corrected and handed in again: the reviewer sees what changed, and merchants that look the same.
  const again = String(other.data.id);
  const twin = await call('POST', '/residentMerchant', shop({ phone: '13900002222', legalPerson: '赵同名' }));
  const row = refused.data as { version: number };
  const edited = await call('PUT', `/residentMerchant/${again}`, {
    version: row.version,
    address: '世纪大道 2 号',
    phone: '13900002222',
    legalPerson: '赵同名',
  });
  expect(edited.message).toBe('');
  for (const merchant of [again, String(twin.data.id)])
    await run(
      db(),
      `INSERT INTO payee_account (code, name, tenant_id, purpose, channel, state, number_tail) VALUES ('RV' || $1::text, '收款账户', $1::bigint, 'payout', 'bank', 'active', '8888')`,
      [Number(merchant)],
    );
  await transaction(db(), async (tx) => {
    for (const account of await run<{ id: number }>(
      tx,
      `SELECT id FROM payee_account WHERE tenant_id = ANY($1::bigint[]) AND number_tail = '8888'`,
      [[Number(again), Number(twin.data.id)]],
    ))
      await putSecrets(tx, product.platform, { accountId: account.id }, { number: '6222000011118888' });
  });
  expect((await act('residentMerchant', again, 'submit')).message).toBe('');
  const look = await product.call(tokens[0]!, 'GET', `/jinmao/web/residentMerchant/${again}/application`);
  expect(look.data).toEqual({
    duplicates: [
      {
        id: String(twin.data.id),
        name: expect.stringContaining('测试商户'),
        state: 'draft',
        same: ['legalPerson', 'phone', 'payee'],
      },
    ],
    changed: expect.arrayContaining(['address', 'phone', 'legalPerson']),
  });
  // Under 待审核 stands what the reviewer can decide.
  const waiting = async (token: string) =>
    (
      (await product.call(token, 'GET', '/jinmao/web/residentMerchant/page?tab=review&limit=100')).data
        .rows as {
        id: string;
      }[]
    ).map((one) => one.id);
  expect(await waiting(tokens[0]!)).toEqual([again]);
  expect(await waiting(admin)).not.toContain(again);
  expect(
    (await act('residentMerchant', again, 'reject', { opinion: '仍不清晰' }, tokens[0]!)).data.fields,
  ).toHaveProperty('fields');
  const back = { opinion: '仍不清晰', fields: ['licenceNo', 'qualifications'] };
  expect((await act('residentMerchant', again, 'reject', back, tokens[0]!)).message).toBe('');
  expect((await call('GET', `/residentMerchant/${again}`)).data.stateReason).toBe(
    '需修改：执照号、资质图片。仍不清晰',
  );
});

test('a logo is at most 2 MB', async () => {
  await run(
    db(),
    `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access)
     VALUES ('00000000-0000-4000-8000-0000000000b1', 'big.png', 'image/png', 2097153, '\\x00', 'big-logo', 'picture')`,
  );
  const made = await call(
    'POST',
    '/residentMerchant',
    shop({ logo: '00000000-0000-4000-8000-0000000000b1' }),
  );
  expect([made.http, made.data.fields]).toEqual([422, { logo: '图片不能超过 2 MB' }]);
});

test('a logo has 200 pixels on each side at least', async () => {
  const stored = async (width: number, height: number) => {
    const draft = await openFileStore(product.platform.config).create();
    await pipeline(Readable.from([encodePng(width, height, () => {})]), draft.stream);
    const { storageKey, size, sha256 } = await draft.commit();
    return insertStoredFile(db(), {
      name: 'logo.png',
      type: 'image/png',
      access: 'picture',
      owner_id: null,
      storageKey,
      size,
      sha256,
    });
  };
  const small = await call('POST', '/residentMerchant', shop({ logo: await stored(400, 199) }));
  expect([small.http, small.data.fields]).toEqual([422, { logo: '图片不能小于 200×200 像素' }]);
  expect((await call('POST', '/residentMerchant', shop({ logo: await stored(200, 200) }))).message).toBe('');
});

test('merchants that were there before get the rights new ones begin with; a narrowed group stays narrowed', async () => {
  const late = ['mm_commodityMana:btn_comment', 'mm_merchantInfo:btn_withdraw'];
  const groupOf = async () => {
    const made = await call('POST', '/merchant', shop({ kind: 'resident' }));
    const { account } = made.data.result as { account: string };
    return (await runOne<{ id: number }>(db(), 'SELECT id FROM permission_group WHERE code = $1', [
      `${account.toLowerCase()}_admin`,
    ]))!.id;
  };
  const heldBy = async (group: number) =>
    (
      await run<{ code: string }>(
        db(),
        'SELECT element_code AS code FROM element_grant WHERE group_id = $1 AND element_code = ANY($2) ORDER BY 1',
        [group, late],
      )
    ).map((row) => row.code);
  const before = await groupOf();
  const narrowed = await groupOf();
  expect(await heldBy(before)).toEqual(late);
  await run(db(), 'DELETE FROM element_grant WHERE group_id = ANY($1) AND element_code = ANY($2)', [
    [before, narrowed],
    late,
  ]);
  await run(db(), `DELETE FROM element_grant WHERE group_id = $1 AND element_code LIKE 'mm_merchantInfo:%'`, [
    narrowed,
  ]);
  const migration = fs.readFileSync(
    path.join(
      import.meta.dirname,
      '../../../domain/merchant/migrations/202611271422_merchant_admin_rights.sql',
    ),
    'utf8',
  );
  // Once more changes nothing.
  for (const _time of [1, 2])
    for (const statement of migration.split(';\n').filter((one) => /INSERT/.test(one)))
      await run(db(), statement);
  expect(await heldBy(before)).toEqual(late);
  expect(await heldBy(narrowed)).toEqual([late[0]]);
});

test('logo and qualification images are there before it is submitted, and stay', async () => {
  const made = await call('POST', '/residentMerchant', shop({ logo: null, qualifications: [] }));
  const id = String(made.data.id);
  expect((await act('residentMerchant', id, 'submit')).message).toBe('还缺：商标、资质图片');
  const { version } = (await call('GET', `/residentMerchant/${id}`)).data as { version: number };
  const saved = await call('PUT', `/residentMerchant/${id}`, {
    version,
    logo: picture,
    qualifications: [picture],
  });
  expect(saved.message).toBe('');
  expect((await act('residentMerchant', id, 'submit')).message).toBe('');
  expect((await act('residentMerchant', id, 'withdraw')).message).toBe('');
});

test('group 03 Must show 5: a merchant sees itself, another one does not exist', async () => {
  const made = await call('POST', '/residentMerchant', shop());
  const { account } = made.data.result as { account: string };
  const own = Number(made.data.id);
  await run(
    db(),
    `WITH g AS (SELECT id FROM permission_group WHERE tenant_id = $1)
     INSERT INTO menu_grant (group_id, menu_code, data_scope) SELECT id, 'ssm_merchantManager', 'all' FROM g`,
    [own],
  );
  await run(
    db(),
    `INSERT INTO element_grant (group_id, element_code) SELECT g.id, e.code FROM permission_group g CROSS JOIN element e WHERE g.tenant_id = $1 AND e.menu_code = 'ssm_merchantManager'`,
    [own],
  );
  await run(db(), 'UPDATE staff SET must_change_password = false WHERE account = $1', [account]);
  const token = await product.signIn(account);
  const list = await call('GET', '/baseTenantContract/getMerchantListPc?limit=200', undefined, token);
  expect((list.data.rows as { id: string }[]).map((row) => row.id)).toEqual([String(own)]);
  const page = await call('GET', '/merchant/page?limit=100', undefined, token);
  expect(page.message).toBe('');
  expect((page.data.rows as { id: string }[]).map((row) => row.id)).toEqual([String(own)]);
  const other = await idOf(`SELECT id FROM tenant WHERE account = 'M000001'`);
  expect((await call('PUT', `/merchant/${other}`, { version: 1, address: '别处' }, token)).http).toBe(404);
});

test('group 03 Must show 10: disabling a merchant ends the sessions of its staff', async () => {
  const staff = (await runOne<{ account: string; tenant: number }>(
    db(),
    `SELECT s.account, s.tenant_id AS tenant FROM staff s JOIN tenant t ON t.id = s.tenant_id WHERE t.account = 'M000002' AND s.state = 'normal' ORDER BY s.id LIMIT 1`,
  ))!;
  const token = await product.signIn(staff.account);
  expect((await product.call(token, 'GET', '/admin/home/todo')).http).not.toBe(401);
  const open = async () =>
    (await runOne<{ n: number }>(
      db(),
      `SELECT count(*)::int AS n FROM sales_order WHERE tenant_id = $1 AND state NOT IN ('completed', 'closed')`,
      [staff.tenant],
    ))!.n;
  const before = await open();
  expect((await act('merchant', String(staff.tenant), 'disable', { reason: '核查资质' })).message).toBe('');
  const ended = await product.call(token, 'GET', '/admin/home/todo');
  expect([ended.http, ended.status]).toEqual([401, 40001]);
  expect(await open()).toBe(before);
  expect((await act('merchant', String(staff.tenant), 'enable', { reason: '核查完毕' })).message).toBe('');
});

test('staff of a suspended merchant keep orders, refunds, after-sales and statements, in the session that runs', async () => {
  const staff = (await runOne<{ account: string; tenant: number }>(
    db(),
    `SELECT s.account, s.tenant_id AS tenant FROM staff s JOIN tenant t ON t.id = s.tenant_id WHERE t.account = 'M000002' AND s.state = 'normal' ORDER BY s.id LIMIT 1`,
  ))!;
  const token = await product.signIn(staff.account);
  const see = async (list: string) =>
    (await product.call(token, 'GET', `/jinmao/web/${list}/page?limit=1`)).http;
  const shown = async () => {
    const { data } = await product.call(token, 'GET', '/admin/permissionGroup/front/info');
    return JSON.stringify(data ?? '');
  };
  expect([await see('product'), await see('merchantInfo'), await see('refund')]).toEqual([200, 200, 200]);
  expect((await act('merchant', String(staff.tenant), 'suspend', { reason: '抽检不合格' })).message).toBe('');
  await new Promise((wait) => setTimeout(wait, 1_000));
  expect([await see('product'), await see('merchantInfo')]).toEqual([403, 403]);
  const post = await product.call(token, 'POST', '/jinmao/web/product', {});
  expect(post.http).toBe(403);
  expect([await see('refund'), await see('statement')]).toEqual([200, 200]);
  expect(await shown()).not.toContain('mm_commodityMana');
  expect((await act('merchant', String(staff.tenant), 'resume')).message).toBe('');
  await new Promise((wait) => setTimeout(wait, 1_000));
  expect([await see('product'), await see('merchantInfo')]).toEqual([200, 200]);
});

test('closing is finished only when nothing is left, and each thing left is named', async () => {
  const id = await idOf(`SELECT id FROM tenant WHERE account = 'M000001'`);
  expect((await act('merchant', id, 'startClosing', { reason: '合同到期' })).message).toBe('');
  const refused = await act('merchant', id, 'finishClosing');
  expect([refused.http, refused.message]).toEqual([409, expect.stringMatching(/^还有 .*\d+ 笔未完成订单/)]);
  // Its goods are no longer sold, neither on the shelf nor in an activity that was running.
  expect(await stateOf(id)).toBe('closing');
  expect(
    await run(
      db(),
      `SELECT g.id FROM group_buy g JOIN group_buy_item i ON i.group_buy_id = g.id JOIN product_spec s ON s.id = i.spec_id
         JOIN product p ON p.id = s.product_id WHERE p.tenant_id = $1 AND g.state = 'published'`,
      [Number(id)],
    ),
  ).toEqual([]);
  await transaction(db(), (tx) =>
    run(tx, `UPDATE tenant SET merchant_state = 'operating' WHERE id = $1`, [Number(id)]),
  );
});

test('a merchant that closes sells neither services nor decor packages any more', async () => {
  const sold = () =>
    run<{ id: number; tenant: number; kind: string }>(
      db(),
      `SELECT p.id, p.tenant_id AS tenant, p.kind FROM product p JOIN tenant t ON t.id = p.tenant_id
        WHERE p.kind IN ('service', 'home_decor') AND p.status = 'published' AND p.recycled_at IS NULL AND t.merchant_state = 'operating'`,
    );
  for (const kind of ['service', 'home_decor']) {
    const { tenant } = (await sold()).find((one) => one.kind === kind)!;
    expect((await act('merchant', String(tenant), 'startClosing', { reason: '合同到期' })).message).toBe('');
    expect((await sold()).filter((one) => one.tenant === tenant)).toEqual([]);
    const blockers = (await call('GET', `/merchant/${tenant}/blockers`)).data as { key: string }[];
    expect(
      blockers.map((one) => one.key).filter((key) => ['goods', 'services', 'decor'].includes(key)),
    ).toEqual([]);
    await run(db(), `UPDATE tenant SET merchant_state = 'operating' WHERE id = $1`, [tenant]);
  }
});

test('freezing settlement is told with its reason and only once', async () => {
  const id = await idOf(`SELECT id FROM tenant WHERE account = 'M000003'`);
  expect((await act('merchant', id, 'freeze', { reason: '账户存疑' })).message).toBe('');
  expect((await act('merchant', id, 'freeze', { reason: '账户存疑' })).message).toBe('结算已冻结');
  expect((await act('merchant', id, 'unfreeze', { reason: '核实无误' })).message).toBe('');
});
