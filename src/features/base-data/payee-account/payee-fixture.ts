import forge from 'node-forge';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import { run } from '../../../kernel/server/database.ts';
import { insertRow } from '../../../kernel/server/resource/run-action.ts';
import { transaction } from '../../../kernel/server/database.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import { registration as approvals } from '../../../domain/approval/approval-centre.server.ts';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { registration as refunds } from '../../after-sales/refund/refund.server.ts';
import { registration as orders } from '../../mall/goods-order/goods-order.server.ts';
import { all, callAs, one, openShop, type Answer, type Shop } from '../../mall/goods-order/order-fixture.ts';
import { payeeAccount } from './payee-account.contract.ts';
import { payeeAssignment } from './payee-assignment.contract.ts';
import { registration as accounts } from './payee-account.server.ts';
import { registration as assignments } from './payee-assignment.server.ts';
import { registration as changes } from './payee-change.server.ts';
import { registration as flows } from './payee-flow.server.ts';
import { registration as report } from './payee-report.server.ts';
import { registration as tests } from './payee-test.server.ts';

export const ACCOUNTS = '/jinmao/web/payeeAccount';
export const ASSIGNMENTS = '/jinmao/web/payeeAssignment';

const ELEMENTS = [
  ...new Set(
    [payeeAccount, payeeAssignment].flatMap((resource) =>
      Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)),
    ),
  ),
];

/** The shop of the order tests with two people of the platform's finance, one of a company and one of a centre city. */
export async function openPayeeShop(more: readonly Registration[] = []): Promise<Shop> {
  const services: Registration[] = [
    orders,
    checkout,
    refunds,
    approvals,
    accounts,
    assignments,
    changes,
    tests,
    flows,
    report,
    ...more,
  ];
  const shop = await openShop(services, 2);
  const { db } = shop.platforms[0]!.database;
  const people = shop.callers as unknown as Record<string, Caller>;
  const companies = await transaction(db, async (tx) => ({
    x: await insertRow(tx, 'tenant', { kind: 1, account: 'CX', name: '甲物业公司' }),
    y: await insertRow(tx, 'tenant', { kind: 1, account: 'CY', name: '乙物业公司' }),
    centre: await insertRow(tx, 'tenant', { kind: 4, account: 'CC', name: '上海中心' }),
  }));
  const make = async (who: string, tenantId: number, tenantKind: Caller['tenantKind'], no: number) => {
    const [row] = await all<{ id: number }>(
      shop,
      `INSERT INTO staff (tenant_id, account, name, staff_no, must_change_password, all_projects) VALUES ($1, $2, $3, $4, false, true) RETURNING id`,
      [tenantId, `finance_${who.toLowerCase()}`, `财务${who}`, `F${no}`],
    );
    await grantMenu(db, row!.id, 'pm_account');
    for (const code of ELEMENTS) {
      await run(
        db,
        `INSERT INTO element (code, menu_code, name_zh, name_en) VALUES ($1, 'pm_account', '按钮', 'Button') ON CONFLICT DO NOTHING`,
        [code],
      );
      await run(
        db,
        `INSERT INTO element_grant (group_id, element_code) SELECT group_id, $2 FROM group_member WHERE staff_id = $1`,
        [row!.id, code],
      );
    }
    people[who] = {
      ...shop.callers.platform,
      sessionId: 100 + no,
      staffId: row!.id,
      account: who,
      name: `财务${who}`,
      tenantId,
      tenantKind,
      projectIds: tenantKind === 4 ? [shop.ids.project] : null,
      menus: new Map([['pm_account', [{ kind: 'all' as const }]]]),
      elements: new Set(ELEMENTS),
    };
  };
  await make('A', shop.ids.platformTenant, 3, 1);
  await make('B', shop.ids.platformTenant, 3, 2);
  await make('X', companies.x, 1, 3);
  await make('Y', companies.y, 1, 4);
  await make('C', companies.centre, 4, 5);
  await run(db, `INSERT INTO setting (key, value) VALUES ('refund.channel_gap_seconds', '0')`);
  return shop;
}

/** Calls the API as one of them. */
export function as(
  shop: Shop,
  who: string,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  body?: unknown,
  instance = 0,
): Promise<Answer> {
  return callAs(shop, who as 'platform', method as 'GET', url, body, instance);
}

const KEY = forge.pki.rsa.generateKeyPair({ bits: 1024, e: 0x10001 });
const OTHER_KEY = forge.pki.rsa.generateKeyPair({ bits: 1024, e: 0x10001 });

/** A key of an app. */
export const PRIVATE_KEY = forge.pki.privateKeyToPem(KEY.privateKey);
/** A key the certificates below were not made for. */
export const FOREIGN_KEY = forge.pki.privateKeyToPem(OTHER_KEY.privateKey);

/** A merchant certificate for `PRIVATE_KEY` that ends at this instant. */
export function certificateUntil(end: Date): string {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = KEY.publicKey;
  certificate.serialNumber = '5157F09EFDC096DE';
  certificate.validity.notBefore = new Date(end.getTime() - 365 * 86_400_000);
  certificate.validity.notAfter = end;
  const name = [{ name: 'commonName', value: '1600000001' }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.sign(KEY.privateKey, forge.md.sha256.create());
  return forge.pki.certificateToPem(certificate);
}

let turn = 0;

/** The form of a new Alipay account of the platform. */
export function alipayForm(shop: Shop, more: object = {}): Record<string, unknown> {
  turn++;
  return {
    code: `ALI-${turn}`,
    name: `支付宝账户${turn}`,
    owner: String(shop.ids.platformTenant),
    channel: 'alipay',
    accountNumber: `20881234567${String(turn).padStart(5, '0')}`,
    appId: `20210011${turn}`,
    privateKey: PRIVATE_KEY,
    publicKey: 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A',
    feeRate: '6.00',
    feeBearer: 'platform',
    feeRefundable: true,
    ...more,
  };
}

/** A test that was paid in the sandbox, delivered to its end. Returns its row. */
export async function payTest(shop: Shop, accountId: string, who = 'A') {
  const started = await as(shop, who, 'POST', `${ACCOUNTS}/${accountId}/test`, {});
  if (started.http !== 200) throw new Error(started.message);
  const { testId } = started.data.result;
  await as(shop, who, 'POST', `${ACCOUNTS}/test/${testId}/pay`, {});
  return testId as string;
}

/** An account that A made and tested and B approved, with assignments on objects. */
export async function activeAccount(
  shop: Shop,
  objects: readonly { readonly object: string; readonly businesses: readonly string[] }[],
  more: object = {},
): Promise<{ id: string; code: string }> {
  const form = alipayForm(shop, more);
  const made = await as(shop, 'A', 'POST', ACCOUNTS, form);
  if (made.http !== 200) throw new Error(`${made.message} ${JSON.stringify(made.data)}`);
  const { id } = made.data;
  for (const one of objects) {
    const added = await as(shop, 'A', 'POST', ASSIGNMENTS, {
      ...one,
      account: id,
      effectiveFrom: new Date().toISOString(),
    });
    if (added.http !== 200) throw new Error(`${added.message} ${JSON.stringify(added.data)}`);
  }
  await all(shop, 'UPDATE payee_account SET tested_at = now() WHERE id = $1', [id]);
  for (const [who, action] of [
    ['A', 'submit'],
    ['B', 'approve'],
  ] as const) {
    const done = await as(shop, who, 'POST', `${ACCOUNTS}/${id}/${action}`, {});
    if (done.http !== 200) throw new Error(`${action}: ${done.message}`);
  }
  return { id, code: form.code as string };
}

/** One order of a merchant that costs exactly so much (fen); its payment is not started. */
export async function orderOf(shop: Shop, fen: number): Promise<string> {
  await all(shop, 'UPDATE product_spec SET price = $2 WHERE id = $1', [shop.ids.oil, fen]);
  await all(shop, 'DELETE FROM postage_rule');
  const lines = [{ specId: String(shop.ids.oil), qty: 1 }];
  const made = await callAs(shop, 'platform', 'POST', '/jinmao/web/goodsOrder', {
    member: String(shop.ids.member),
    house: String(shop.ids.house),
    lines,
    coupons: [],
    shownTotal: (fen / 100).toFixed(2),
  });
  if (made.http !== 200) throw new Error(made.message);
  return made.data.result.orderIds[0];
}

/** Asks for the payment of an order and pays it in the sandbox; the refusal when it is not even started. */
export async function startPayment(shop: Shop, orderId: string, channel: 1 | 2 = 1): Promise<Answer> {
  return callAs(shop, 'platform', 'POST', `/jinmao/web/goodsOrder/${orderId}/pay`, {
    channel: String(channel),
  });
}

/** The payment of an order. */
export function paymentOf(shop: Shop, orderId: string) {
  return one(shop, 'SELECT p.* FROM payment p JOIN sales_order o ON o.payment_id = p.id WHERE o.id = $1', [
    orderId,
  ]);
}
