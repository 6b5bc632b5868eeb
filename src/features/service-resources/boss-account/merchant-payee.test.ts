import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { decideApproval, NO_REQUEST } from '../../../domain/approval/approve.server.ts';
import { payoutAccountOf, requireUsablePayee } from '../../../domain/merchant/payee-verification.server.ts';
import { readSecret } from '../../../domain/payee/payee-secret.server.ts';
import { sealText } from '../../../domain/payee/sealed-text.server.ts';

let product: TestProduct;
let admin: string;
let turn = 0;
beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
});
afterAll(() => product?.close());
const db = () => product.platform.database.db;
const one = <T extends object>(sql: string, values: unknown[] = []) => runOne<T>(db(), sql, values);
const call = (method: 'GET' | 'POST', path: string, body?: object) =>
  product.call(admin, method, `/jinmao/web${path}`, body);

async function merchant(): Promise<number> {
  const { id } = (await one<{ id: number }>(
    `INSERT INTO tenant (kind, account, name, merchant_kind, merchant_state, contact_name, contact_phone)
     VALUES (2, $1, $2, 'resident', 'operating', '李小红', '13900002222') RETURNING id`,
    [`MP${(turn += 1)}`, `收款商户${turn}`],
  ))!;
  return id;
}

/** Asks for an account as the merchant would, and lets somebody else approve it. */
async function account(id: number, number = '6222021001120001234'): Promise<number> {
  const asked = await call('POST', `/merchantInfo/${id}/changePayee`, {
    holder: '上海果然商贸有限公司',
    bank: '招商银行',
    number,
    reason: '首次登记',
  });
  expect(asked.message).toBe('');
  const change = (await one<{ id: number; proposed: object; after_text: string }>(
    `SELECT id, proposed, after_text FROM merchant_change WHERE tenant_id = $1 AND state = 'in_review'`,
    [id],
  ))!;
  // The number stands nowhere in the clear.
  expect(JSON.stringify(change)).not.toContain(number);
  const { account: who } = (await one<{ account: string }>(
    `SELECT s.account FROM approval_instance i JOIN approval_task k ON k.instance_id = i.id AND k.state = 'pending' JOIN staff s ON s.id = k.assignee_id
      WHERE i.biz_type = 'merchant_change' AND i.biz_id = $1 LIMIT 1`,
    [change.id],
  ))!;
  const caller = await product.caller(who);
  await transaction(db(), (tx) =>
    decideApproval(tx, product.platform, {
      kind: 'merchant_change',
      bizId: change.id,
      caller,
      facts: NO_REQUEST,
      approved: true,
      opinion: '属实',
      insideAction: false,
    }),
  );
  const made = (await payoutAccountOf(db(), id))!;
  expect(await readSecret(db(), product.platform, made.id, 'number')).toBe(number);
  return made.id;
}

const begin = (id: number) => call('POST', `/merchantFund/${id}/verifyPayee`, {});
const enter = (id: number, amount: string) => call('POST', `/merchantInfo/${id}/verifyPayee`, { amount });
/** The amount of a test instead of the random one. */
const fix = (payee: number, fen: number) =>
  run(db(), 'UPDATE payee_account SET verify_amount = $2 WHERE id = $1', [
    payee,
    sealText(product.platform.config, 'payee-verify', String(payee), String(fen)),
  ]);
const pay = (payee: number) => transaction(db(), (tx) => requireUsablePayee(tx, payee));

test('group 03 Must show 11: 37 fen are transferred; 36 and 38 leave one try, 37 verifies; within 24 h nothing is paid out', async () => {
  const id = await merchant();
  expect((await begin(id)).message).toBe('商户尚未登记收款账户');
  const payee = await account(id);
  await expect(pay(payee)).rejects.toMatchObject({ label: ['收款账户未验证，不能付款', expect.any(String)] });
  const begun = await begin(id);
  expect(begun.message).toBe('');
  expect(begun.data.result).toMatchObject({ holder: '上海果然商贸有限公司', bank: '招商银行', tail: '1234' });
  expect(Number(begun.data.result.amount)).toBeGreaterThanOrEqual(0.01);
  expect(Number(begun.data.result.amount)).toBeLessThan(1);
  expect((await begin(id)).message).toBe('已打款，等待商户回填金额');
  await fix(payee, 37);
  expect((await enter(id, '0.36')).message).toBe('金额不正确，还可尝试2次');
  expect((await enter(id, '0.38')).message).toBe('金额不正确，还可尝试1次');
  const right = await enter(id, '0.37');
  expect([right.http, right.data.payeeState]).toEqual([200, 'verified']);
  const hours = await one<{ h: number }>(
    'SELECT round(extract(epoch FROM usable_from - now()) / 3600)::int AS h FROM payee_account WHERE id = $1',
    [payee],
  );
  expect(hours!.h).toBe(24);
  await expect(pay(payee)).rejects.toMatchObject({
    label: [
      expect.stringMatching(/^账户处于冷静期，\d{4}-\d{2}-\d{2} \d{2}:\d{2} 后可付款$/),
      expect.any(String),
    ],
  });
  await run(db(), `UPDATE payee_account SET usable_from = now() - interval '1 second' WHERE id = $1`, [
    payee,
  ]);
  await pay(payee);
  // Another number begins anew, and both contacts are told.
  const next = await account(id, '6222021001129998888');
  await expect(pay(next)).rejects.toMatchObject({ label: ['收款账户未验证，不能付款', expect.any(String)] });
  await expect(pay(payee)).rejects.toMatchObject({ label: ['收款账户未验证，不能付款', expect.any(String)] });
  const told = await one<{ n: number }>(
    `SELECT count(*)::int AS n FROM sms_message WHERE purpose = 'merchantPayee' AND phone = '13900002222' AND body LIKE '%8888%'`,
  );
  expect(told!.n).toBe(1);
});

test('the third wrong amount fails the account, five at once count as three; the right one comes too late', async () => {
  const id = await merchant();
  const payee = await account(id);
  await begin(id);
  await fix(payee, 50);
  const answers = await Promise.all(Array.from({ length: 5 }, (_, n) => enter(id, `0.${10 + n}`)));
  const told = answers.map((one) => one.message);
  expect(told.filter((one) => one.startsWith('金额不正确'))).toHaveLength(2);
  expect(told.filter((one) => one === '验证失败，请更换账户或联系平台')).toHaveLength(1);
  expect((await enter(id, '0.50')).message).toBe('没有待验证的打款');
  expect((await call('GET', `/merchantFund/${id}`)).data.payeeState).toBe('failed');
  // A new transfer begins with three tries again; after a day it has lapsed.
  expect((await begin(id)).message).toBe('');
  await fix(payee, 50);
  await run(db(), `UPDATE payee_account SET verify_sent_at = now() - interval '25 hours' WHERE id = $1`, [
    payee,
  ]);
  expect((await call('GET', `/merchantFund/${id}`)).data.payeeState).toBe('failed');
  expect((await enter(id, '0.50')).http).toBe(409);
});
