import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { agreementSnapshot } from './agreement-snapshot.server.ts';

let product: TestProduct;
let admin: string;
beforeAll(async () => {
  product = await startTestProduct({ demo: false });
  admin = await product.signIn('admin');
});
afterAll(() => product?.close());
const db = () => product.platform.database.db;
const act = (name: string, id: string, action: string, body: object = {}, token = admin) =>
  product.call(token, 'POST', `/jinmao/web/${name}/${id}/${action}`, body);
const agree = async (view: string, merchant: string, more: object = {}) => {
  const made = await product.call(admin, 'POST', `/jinmao/web/${view}`, {
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
  expect(made.message).toBe('');
  return act(view, String(made.data.id), 'agree');
};

test('new terms of a merchant that trades pass through approval: by another person, once, at their own start', async () => {
  const { id: tenant } = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO tenant (kind, account, name, merchant_kind, merchant_state) VALUES (2, 'MV2', '审批商户', 'resident', 'operating') RETURNING id`,
  ))!;
  await run(
    db(),
    `INSERT INTO merchant_agreement (tenant_id, agreement_version, commission_bp, effective_from, effective_to) VALUES ($1, 1, 800, '2026-01-01 00:00+08', '2090-01-01 00:00+08')`,
    [tenant],
  );
  const tokens: string[] = [];
  for (const account of ['agree1', 'agree2']) {
    const { id } = (await runOne<{ id: number }>(
      db(),
      `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password) SELECT tenant_id, $1, $1, true, false FROM staff WHERE account = 'admin' RETURNING id`,
      [account],
    ))!;
    await run(
      db(),
      `INSERT INTO group_member (group_id, staff_id) SELECT id, $1 FROM permission_group WHERE code = 'platform_admin' AND built_in`,
      [id],
    );
    tokens.push(await product.signIn(account));
  }
  const direct = await agree('residentAgreement', String(tenant), {
    effectiveFrom: '2089-01-01T00:00:00+08:00',
    commission: '10.00',
  });
  expect([direct.http, direct.message]).toEqual([409, '营业商户的协议须提交审批后生效']);
  const version = (await runOne<{ id: number }>(
    db(),
    `SELECT id FROM merchant_agreement WHERE tenant_id = $1 AND state = 'draft'`,
    [tenant],
  ))!.id;
  const at = (name: string, token?: string, body: object = {}) =>
    act('residentAgreement', String(version), name, body, token ?? admin);
  const state = async () =>
    (await runOne<{ state: string }>(db(), 'SELECT state FROM merchant_agreement WHERE id = $1', [version]))!
      .state;
  expect((await at('submit')).message).toBe('');
  expect(await state()).toBe('in_review');
  // Who decides sees what changes.
  const [terms] = await agreementSnapshot(db(), version);
  const shown = Object.fromEntries(terms!.values.map((one) => [one.field, one.value]));
  expect([shown.versionNo, shown.commission, shown.settlementCycle, shown.freightCommission]).toEqual([
    ['V1 → V2', 'V1 → V2'],
    ['8.00% → 10.00%', '8.00% → 10.00%'],
    ['月结', 'Monthly'],
    ['否', 'No'],
  ]);
  expect((await at('approve')).message).toBe('制单人不能审批自己的协议');
  expect((await at('reject', tokens[0], { opinion: '佣金待定' })).message).toBe('');
  expect(await state()).toBe('draft');
  expect((await at('submit')).message).toBe('');
  const both = await Promise.all(tokens.map((token) => at('approve', token)));
  expect(both.map((one) => one.http).sort()).toEqual([200, 409]);
  expect(await state()).toBe('active');
  expect(
    await run(
      db(),
      `SELECT agreement_version AS no, to_char(effective_to AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM-DD') AS ends FROM merchant_agreement WHERE tenant_id = $1 ORDER BY 1`,
      [tenant],
    ),
  ).toEqual([
    { no: 1, ends: '2089-01-01' },
    { no: 2, ends: '2099-01-01' },
  ]);
});
