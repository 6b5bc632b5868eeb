import type { FastifyInstance } from 'fastify';
import { buildApp } from '../../../app/server/app.ts';
import { createPlatform, type OpenPlatform } from '../../../app/server/create-platform.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { loggedOut } from '../../../kernel/server/http/errors.ts';
import { insertRow } from '../../../kernel/server/resource/run-action.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import { deliverEffect } from '../../../kernel/server/tasks/outbox.ts';
import { effectsOf } from '../../../kernel/server/tasks/kernel-jobs.ts';
import { cloneDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import {
  receivePayment,
  type PaymentCallback,
  type PaymentOutcome,
} from '../../../domain/checkout/take-payment.server.ts';
import { grantPoints } from '../../../domain/points-ledger/points-grant.server.ts';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import { rowPerLine, type RefundRow, type RefundSplit } from '../../../domain/trade-money/refund.rules.ts';
import { product } from '../product/product.contract.ts';
import { goodsOrder } from './goods-order.contract.ts';

/** A shop with two merchants, one member and the goods of worked example A; everything of the tests of orders. */
export interface Shop {
  readonly database: TestDatabase;
  readonly registrations: readonly Registration[];
  readonly platforms: OpenPlatform[];
  readonly apps: FastifyInstance[];
  readonly callers: Record<'platform' | 'merchant1' | 'merchant2' | 'program', Caller>;
  readonly ids: {
    readonly platformTenant: number;
    readonly project: number;
    readonly house: number;
    readonly member: number;
    readonly merchant1: number;
    readonly merchant2: number;
    readonly rice: number;
    readonly oil: number;
    readonly tissue: number;
    readonly merchantCoupon: number;
    readonly platformCoupon: number;
  };
  close(): Promise<void>;
}

/** An answer of the API. */
export interface Answer {
  readonly http: number;
  readonly status: number;
  readonly message: string;
  readonly data: any;
}

/** Opens a shop over a fresh database with as many application instances as asked for. */
export async function openShop(
  registrations: readonly Registration[],
  instances = 1,
  poolSize = 10,
  onError: (data: object | string) => void = (data) => console.error(data),
): Promise<Shop> {
  const database = await cloneDatabase();
  const config = { dataDir: '/tmp', storageUrl: undefined, secretKey: Buffer.alloc(32), build: 'test' };
  const quiet = { info: () => {}, warn: () => {}, error: onError };
  const platforms = Array.from({ length: instances }, () =>
    createPlatform({ database: database.app, registrations, config, log: quiet, poolSize }),
  );
  const ids = await seed(platforms[0]!);
  const callers = {
    platform: callerOf(1, ids.platformTenant, 3, ids.platformStaff),
    merchant1: callerOf(2, ids.merchant1, 2, ids.staff1),
    merchant2: callerOf(3, ids.merchant2, 2, ids.staff2),
    program: programCaller(ids.token),
  };
  const authenticator = {
    authenticate: async (authorization: string | undefined) => {
      const caller = callers[(authorization ?? '').replace('Bearer ', '') as keyof typeof callers];
      if (!caller) throw loggedOut();
      return caller;
    },
  };
  const apps = await Promise.all(platforms.map((platform) => buildApp({ platform, authenticator })));
  return {
    database,
    registrations,
    platforms,
    apps,
    callers,
    ids,
    close: async () => {
      await Promise.all(apps.map((app) => app.close()));
      await Promise.all(platforms.map((platform) => platform.close()));
      await database.drop();
    },
  };
}

/** Calls the API as somebody. */
export async function callAs(
  shop: Shop,
  who: keyof Shop['callers'],
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  body?: unknown,
  instance = 0,
): Promise<Answer> {
  const response = await shop.apps[instance]!.inject({
    method,
    url: `/api${url}`,
    headers: { authorization: `Bearer ${who}` },
    ...(body === undefined ? {} : { payload: body as object }),
  });
  const answer = response.json<{ status: number; message: string; data: unknown }>();
  return { http: response.statusCode, ...answer };
}

/** One row of the database. */
export async function one<T = Record<string, any>>(
  shop: Shop,
  text: string,
  values: readonly unknown[] = [],
): Promise<T> {
  return (await runOne<T>(shop.platforms[0]!.database.db, text, values))!;
}

/** Rows of the database. */
export async function all<T = Record<string, any>>(
  shop: Shop,
  text: string,
  values: readonly unknown[] = [],
): Promise<T[]> {
  return run<T>(shop.platforms[0]!.database.db, text, values);
}

/** Delivers every effect that waits in the outbox, and those they add, as a worker would. */
export async function deliverAll(shop: Shop): Promise<void> {
  const platform = shop.platforms[0]!;
  const effects = effectsOf(shop.registrations);
  for (let round = 0; round < 20; round++) {
    await all(shop, `UPDATE outbox SET available_at = now() - interval '1 second' WHERE state = 'pending'`);
    const open = await all<{ id: number }>(shop, `SELECT id FROM outbox WHERE state = 'pending' ORDER BY id`);
    if (open.length === 0) return;
    for (const { id } of open) await deliverEffect(platform, effects, id);
  }
}

/** Runs a job of the registrations by name. */
export async function runJob(shop: Shop, name: string, payload: unknown = {}): Promise<void> {
  const job = shop.registrations
    .flatMap((service) => service.jobs ?? [])
    .find((candidate) => candidate.name === name)!;
  await job.run(payload, shop.platforms[0]!);
}

/** Problems of all invariants of the registrations by name. */
export async function brokenRules(shop: Shop): Promise<Record<string, readonly string[]>> {
  const broken: Record<string, readonly string[]> = {};
  for (const rule of shop.registrations.flatMap((service) => service.invariants ?? [])) {
    const { problems } = await rule.check(shop.platforms[0]!);
    if (problems.length > 0) broken[rule.name] = problems;
  }
  return broken;
}

/**
 * Stores units and re-check of a line in two rows, as older demonstration data does and the table allows. The refund must
 * not have been lowered at the audit yet. False when none of its lines has both.
 */
export async function keepRowsApart(shop: Shop, refundId: number): Promise<boolean> {
  const { snapshot } = await one<{ snapshot: RefundSplit }>(
    shop,
    'SELECT snapshot FROM refund WHERE id = $1',
    [refundId],
  );
  const isBoth = (row: RefundRow) =>
    row.kind === 'recheck' &&
    snapshot.rows.some((other) => other.lineNo === row.lineNo && other.kind !== 'recheck');
  const undone = rowPerLine(snapshot.rows.filter(isBoth));
  for (const row of undone) {
    const stored = await one<{ id: number; line_id: number }>(
      shop,
      `UPDATE refund_line SET cash = cash - $3, kind = 'part' WHERE refund_id = $1
          AND line_id = (SELECT l.id FROM order_line l JOIN refund r ON r.order_id = l.order_id WHERE r.id = $1 AND l.line_no = $2)
        RETURNING id, line_id`,
      [refundId, row.lineNo, row.cash],
    );
    const added = await one<{ id: number }>(
      shop,
      `INSERT INTO refund_line (refund_id, line_id, qty, cash, kind) VALUES ($1, $2, 0, $3, 'recheck') RETURNING id`,
      [refundId, stored.line_id, row.cash],
    );
    for (const share of row.shares) {
      const { id } = await one<{ id: number }>(
        shop,
        'SELECT id FROM order_share WHERE line_id = $1 AND step = $2 AND source_id = $3',
        [stored.line_id, share.step, share.sourceId],
      );
      await all(
        shop,
        'UPDATE refund_line_share SET amount = amount - $3, platform_amount = platform_amount - $4 WHERE refund_line_id = $1 AND share_id = $2',
        [stored.id, id, share.amount, share.platformAmount],
      );
      await all(
        shop,
        'INSERT INTO refund_line_share (refund_line_id, share_id, amount, platform_amount) VALUES ($1, $2, $3, $4)',
        [added.id, id, share.amount, share.platformAmount],
      );
    }
  }
  return undone.length > 0;
}

/** The cart of worked example A as btn_create takes it. */
export function exampleCart(shop: Shop, shownTotal = '142.40') {
  const { ids } = shop;
  return {
    member: String(ids.member),
    house: String(ids.house),
    lines: [
      { specId: String(ids.rice), qty: 2 },
      { specId: String(ids.oil), qty: 1 },
      { specId: String(ids.tissue), qty: 3 },
    ],
    coupons: [String(ids.merchantCoupon), String(ids.platformCoupon)],
    points: 3_300,
    shownTotal,
  };
}

/** Creates the orders of example A and returns the ids of the orders of M1 and M2. Throws when they are refused. */
export async function createExampleOrders(shop: Shop): Promise<[string, string]> {
  const answer = await callAs(shop, 'platform', 'POST', '/jinmao/web/goodsOrder', exampleCart(shop));
  if (answer.http !== 200) throw new Error(answer.message);
  return answer.data.result.orderIds;
}

/** The channel reports the newest payment as paid; `more` bends the report. */
export async function payExampleOrders(
  shop: Shop,
  more: Partial<PaymentCallback> = {},
): Promise<PaymentOutcome> {
  const payment = await one(shop, 'SELECT checkout_code, amount FROM payment ORDER BY id DESC LIMIT 1');
  const callback: PaymentCallback = {
    checkoutCode: payment.checkout_code,
    tradeNo: 'T-1',
    amount: payment.amount,
    channel: 1,
    paidAt: new Date(),
    ...more,
  };
  await all(
    shop,
    'INSERT INTO sandbox_trade (trade_no, checkout_code, amount) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [callback.tradeNo, callback.checkoutCode, callback.amount],
  );
  return receivePayment(shop.platforms[0]!, callback);
}

function callerOf(sessionId: number, tenantId: number, tenantKind: 2 | 3, staffId: number): Caller {
  const codes = [goodsOrder, product].flatMap((resource) =>
    Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)),
  );
  return {
    sessionId,
    staffId,
    account: `staff${staffId}`,
    name: `Staff ${staffId}`,
    tenantId,
    tenantKind,
    departmentId: null,
    projectIds: null,
    menus: new Map([
      ['mm_businessOrder_wx', [{ kind: 'all' as const }]],
      ['mm_orderRefund', [{ kind: 'all' as const }]],
      ['mm_commodityMana', [{ kind: 'all' as const }]],
      ['mm_commodityApprove', [{ kind: 'all' as const }]],
      ['mm_noDeliveryArea', [{ kind: 'all' as const }]],
    ]),
    elements: new Set([
      ...codes,
      'mm_orderRefund:btn_audit',
      'mm_commodityApprove:btn_pass',
      'mm_noDeliveryArea:btn_save',
    ]),
    mustChangePassword: false,
    locked: false,
    epoch: '1',
  };
}

/** An app's server with a token of its own. */
function programCaller(tokenId: number): Caller {
  return {
    ...callerOf(4, 0, 3, 0),
    menus: new Map(),
    elements: new Set(),
    application: { clientId: 'owner-app', scopes: ['member_order'] },
    program: { clientId: 'owner-app', tokenId },
  };
}

async function seed(platform: OpenPlatform) {
  return transaction(platform.database.db, async (tx) => {
    const idOf = async (text: string) => (await runOne<{ id: number }>(tx, text))!.id;
    const platformTenant = await idOf('SELECT id FROM tenant WHERE kind = 3 LIMIT 1');
    const centre = await insertRow(tx, 'organisation', { kind: 'centre_city', code: 'OC1', name: 'Centre' });
    const unit = await insertRow(tx, 'organisation', {
      kind: 'management_unit',
      code: 'OU1',
      name: 'Unit',
      parent_id: centre,
    });
    const project = await insertRow(tx, 'project', {
      code: 'P1',
      name: 'Garden',
      unit_id: unit,
      centre_id: centre,
    });
    const building = await insertRow(tx, 'building', { project_id: project, name: 'B1' });
    const buildingUnit = await insertRow(tx, 'building_unit', { building_id: building, name: 'U1' });
    const house = await insertRow(tx, 'house', {
      project_id: project,
      unit_id: buildingUnit,
      number: '101',
      built_area: 90,
    });
    const member = await insertRow(tx, 'member', {
      name: '陈思雨',
      phone: '13800138000',
      project_id: project,
    });
    await run(tx, `INSERT INTO household (member_id, house_id, identity) VALUES ($1, $2, 'owner')`, [
      member,
      house,
    ]);
    const business = await idOf(`SELECT id FROM business WHERE code = 'goods'`);
    const merchants: number[] = [];
    for (const no of [1, 2]) {
      const merchant = await insertRow(tx, 'tenant', { kind: 2, account: `m${no}`, name: `Merchant ${no}` });
      await run(tx, 'INSERT INTO tenant_project VALUES ($1, $2)', [merchant, project]);
      await insertRow(tx, 'merchant_agreement', {
        tenant_id: merchant,
        starts_on: '2020-01-01',
        agreement_version: 3,
      });
      merchants.push(merchant);
    }
    await insertRow(tx, 'postage_rule', {
      tenant_id: merchants[0],
      start_fen: 0,
      end_fen: 20_000,
      freight: 600,
    });
    const spec = async (tenant: number, code: string, price: number) => {
      const product = await insertRow(tx, 'product', {
        code: `PD${code}`,
        tenant_id: tenant,
        business_id: business,
        name: code,
        status: 'published',
      });
      await run(tx, 'INSERT INTO product_project VALUES ($1, $2)', [product, project]);
      const id = await insertRow(tx, 'product_spec', {
        product_id: product,
        code: 'S01',
        name: 'one',
        price,
        stock: 100,
      });
      await run(
        tx,
        `INSERT INTO stock_movement (spec_id, op, qty, stock_before, stock_after, source_type, source_id) VALUES ($1, 1, 100, 0, 100, 'product_spec', $2)`,
        [id, String(id)],
      );
      return id;
    };
    const rice = await spec(merchants[0]!, 'rice', 3_990);
    const oil = await spec(merchants[0]!, 'oil', 5_990);
    const tissue = await spec(merchants[1]!, 'tissue', 1_990);
    const coupon = async (issuer: string, tenant: number, face: number, threshold: number) => {
      const id = await insertRow(tx, 'coupon', {
        code: `CP${face}`,
        name: `C${face}`,
        type: 'cash',
        issuer,
        tenant_id: tenant,
        threshold,
        face,
        total: 10,
        claimed: 1,
        bearer_platform_percent: issuer === 'platform' ? 100 : 0,
        starts_at: new Date(Date.now() - 86_400_000),
        ends_at: new Date(Date.now() + 86_400_000_0),
      });
      return insertRow(tx, 'member_coupon', {
        code: `MC${face}`,
        coupon_id: id,
        member_id: member,
        claim_seq: 1,
        ends_at: new Date(Date.now() + 86_400_000_0),
      });
    };
    const merchantCoupon = await coupon('merchant', merchants[0]!, 1_000, 10_000);
    const platformCoupon = await coupon('platform', platformTenant, 2_000, 15_000);
    await grantPoints(tx, platform.settings, {
      memberId: member,
      amount: 5_000,
      source: { type: 'test', id: '1', purpose: 'grant' },
    });
    const staff = async (tenant: number, account: string) =>
      insertRow(tx, 'staff', { tenant_id: tenant, account, name: account });
    const token = await idOf(
      `INSERT INTO client_token (token_hash, client_id, scopes, expires_at)
       SELECT sha256('test'), client_id, '{member_order}', now() + interval '1 day' FROM oauth_client WHERE client_id = 'owner-app' RETURNING id`,
    );
    return {
      token,
      platformTenant,
      project,
      house,
      member,
      merchant1: merchants[0]!,
      merchant2: merchants[1]!,
      rice,
      oil,
      tissue,
      merchantCoupon,
      platformCoupon,
      platformStaff: await staff(platformTenant, 'plat'),
      staff1: await staff(merchants[0]!, 'mer1'),
      staff2: await staff(merchants[1]!, 'mer2'),
    };
  });
}
