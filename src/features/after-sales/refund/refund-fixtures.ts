import { randomUUID } from 'node:crypto';
import { buildApp } from '../../../app/server/app.ts';
import { createPlatform, type OpenPlatform } from '../../../app/server/create-platform.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { loggedOut } from '../../../kernel/server/http/errors.ts';
import { effectsOf } from '../../../kernel/server/tasks/kernel-jobs.ts';
import { deliverEffect } from '../../../kernel/server/tasks/outbox.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import { cloneDatabase } from '../../../testing/test-database.ts';
import { openSandboxTrade } from '../../../domain/payment-channel/sandbox-channel.server.ts';
import {
  capturePoints,
  holdPoints,
  orderHoldSource,
  orderSpendSource,
} from '../../../domain/points-ledger/points-ledger.server.ts';
import { grantPoints } from '../../../domain/points-ledger/points-grant.server.ts';
import type { QuoteOrder, QuotedLine } from '../../../domain/trade-money/quote.rules.ts';
import { registration } from './refund.server.ts';

/** Elements of the refund screen in short: `fixture.caller({ elements: AUDITOR })`. */
export const AUDITOR = ['btn_audit', 'btn_restart', 'btn_reason', 'btn_export'];
export const FINANCE = ['btn_auditFinance', 'btn_offline', 'btn_reason'];

/** A share of a line in a fixture; fen, and a count for points. */
export interface FixtureShare {
  readonly step: 20 | 30 | 40 | 60;
  /** Member coupon id for 20 and 30. */
  readonly source?: number;
  readonly amount: number;
  readonly platformAmount?: number;
  readonly units?: number;
}

/** A line of an order in a fixture; cash follows from goods and shares. */
export interface FixtureLine {
  readonly name: string;
  readonly price: number;
  readonly qty: number;
  readonly shipped?: number;
  readonly shares?: readonly FixtureShare[];
}

/** What an order of a fixture is made of. `merchant` is 0 or 1. */
export interface FixtureOrder {
  readonly merchant?: 0 | 1;
  readonly freight?: number;
  readonly state?: string;
  readonly kind?: string;
  readonly completedDaysAgo?: number;
  readonly invoice?: number;
  readonly lines: readonly FixtureLine[];
}

/** An order as it stands in the database: ids of its lines in order. */
export interface MadeOrder {
  readonly id: number;
  readonly code: string;
  readonly paymentId: number;
  readonly lines: readonly number[];
  readonly specs: readonly number[];
}

type Fixture = Awaited<ReturnType<typeof openFixture>>;

/** A running product on a database of its own with two merchants, two projects and one member. */
export async function openFixture(registrations: readonly Registration[] = [registration], poolSize = 20) {
  const database = await cloneDatabase();
  const platform = createPlatform({
    // Races queue for connections longer than a page would wait.
    database: { ...database.app, connectionTimeoutMillis: 60_000 },
    registrations,
    config: {
      dataDir: `/tmp/refund-test-${randomUUID()}`,
      storageUrl: undefined,
      secretKey: Buffer.alloc(32, 7),
      build: 'test',
    } as never,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    poolSize,
  });
  const { db } = platform.database;
  const ids = await seedPlaces(platform);
  const callers = new Map<string, Caller>();
  const app = await buildApp({
    platform,
    authenticator: {
      authenticate: (authorization) => {
        const caller = callers.get(authorization ?? '');
        return caller ? Promise.resolve(caller) : Promise.reject(loggedOut());
      },
    },
  });
  let next = 100;
  const effects = effectsOf(registrations);
  const jobs = new Map(registrations.flatMap((one) => one.jobs ?? []).map((job) => [job.name, job]));

  /** Runs every due outbox effect and job, also those planned up to `minutes` ahead. Returns how many ran. */
  const pump = async (minutes = 0, only?: RegExp): Promise<number> => {
    let count = 0;
    for (let more = true; more;) {
      const due = await run<{ id: number; task: string; payload: unknown }>(
        db,
        `SELECT j.id, j.task_identifier AS task, p.payload FROM graphile_worker.jobs j JOIN graphile_worker._private_jobs p ON p.id = j.id
          WHERE j.run_at <= clock_timestamp() + make_interval(mins => $1) ORDER BY j.run_at, j.id`,
        [minutes],
      );
      const wanted = due.filter((job) => !only || only.test(job.task));
      more = wanted.length > 0;
      for (const job of wanted) {
        const taken = await run(db, 'SELECT id FROM graphile_worker.complete_jobs(ARRAY[$1]::bigint[])', [
          job.id,
        ]);
        if (taken.length === 0) continue;
        count += 1;
        if (job.task === 'outbox.deliver') {
          const { outboxId } = job.payload as { outboxId: number };
          await run(
            db,
            `UPDATE outbox SET available_at = clock_timestamp() WHERE id = $1 AND state = 'pending'`,
            [outboxId],
          );
          await deliverEffect(platform, effects, outboxId);
        } else await jobs.get(job.task)?.run(job.payload, platform);
      }
    }
    return count;
  };

  return {
    database,
    platform,
    db,
    ids,
    pump,
    /** A staff who calls; the token is the account. Rows of staff are made for the timeline and for notices. */
    caller: async (
      options: {
        elements?: readonly string[];
        kind?: 1 | 2 | 3;
        merchant?: 0 | 1;
        projects?: readonly number[] | null;
        name?: string;
        menus?: readonly string[];
      } = {},
    ): Promise<Caller & { token: string }> => {
      const staffId = ++next;
      const account = `staff${staffId}`;
      const kind = options.kind ?? (options.merchant === undefined ? 3 : 2);
      const tenantId = kind === 3 ? ids.platform : ids.merchants[options.merchant ?? 0]!;
      await run(
        db,
        'INSERT INTO staff (id, tenant_id, account, name, all_projects) VALUES ($1, $2, $3, $4, true)',
        [staffId, tenantId, account, options.name ?? account],
      );
      const caller: Caller & { token: string } = {
        token: account,
        sessionId: staffId,
        staffId,
        account,
        name: options.name ?? account,
        tenantId,
        tenantKind: kind,
        departmentId: null,
        projectIds: options.projects ?? null,
        menus: new Map(
          (options.menus ?? ['mm_orderRefund']).map((menu) => [menu, [{ kind: 'all' as const }]]),
        ),
        elements: new Set((options.elements ?? []).map((element) => `mm_orderRefund:${element}`)),
        mustChangePassword: false,
        locked: false,
        epoch: '1',
      };
      callers.set(account, caller);
      return caller;
    },
    /** Calls the API as a staff and returns HTTP status, body status, message and data. */
    call: async (
      caller: { token: string },
      method: 'GET' | 'POST' | 'PUT' | 'DELETE',
      url: string,
      body?: unknown,
      language = 'zh',
    ) => {
      const response = await app.inject({
        method,
        url: `/api${url}`,
        headers: {
          authorization: caller.token,
          'accept-language': language,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      });
      const answer = response.json<{ status: number; message: string; data: any }>();
      return { http: response.statusCode, ...answer };
    },
    set: async (key: string, value: unknown) => {
      await run(
        db,
        'INSERT INTO setting (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        [key, JSON.stringify(value)],
      );
      platform.settings.forget();
    },
    close: async () => {
      await app.close();
      await platform.close();
      await database.drop();
    },
  };
}

/** A coupon and the member's used copy of it; returns the member coupon's id. */
export async function makeCoupon(
  fixture: Fixture,
  coupon: {
    issuer: 'merchant' | 'platform';
    threshold: number;
    face: number;
    rule?: 'share' | 'recheck';
    returnable?: boolean;
    endsInDays?: number;
  },
): Promise<number> {
  const made = await runOne<{ id: number }>(
    fixture.db,
    `INSERT INTO coupon (code, name, type, issuer, bearer_platform_percent, tenant_id, threshold, face, refund_rule, returnable, total, claimed, used, starts_at, ends_at)
     VALUES ($1, 'coupon', 'cash', $2, CASE WHEN $2 = 'platform' THEN 100 ELSE 0 END, $3, $4, $5, $6, $7, 100, 1, 1, now() - interval '90 days', now() + interval '90 days') RETURNING id`,
    [
      `CP${randomUUID().slice(0, 8)}`,
      coupon.issuer,
      fixture.ids.merchants[0],
      coupon.threshold,
      coupon.face,
      coupon.rule ?? 'share',
      coupon.returnable ?? true,
    ],
  );
  const own = await runOne<{ id: number }>(
    fixture.db,
    `INSERT INTO member_coupon (code, coupon_id, member_id, claim_seq, status, ends_at, used_at)
     VALUES ($1, $2, $3, 1, 'used', now() + make_interval(days => $4), now()) RETURNING id`,
    [`MC${randomUUID().slice(0, 8)}`, made!.id, fixture.ids.member, coupon.endsInDays ?? 30],
  );
  return own!.id;
}

/** Writes a paid checkout: one payment over the orders, stock sold, points captured, the sandbox's trade. */
export async function makeCheckout(
  fixture: Fixture,
  orders: readonly FixtureOrder[],
  payment: { paidDaysAgo?: number; channel?: 0 | 1 | 2 } = {},
): Promise<MadeOrder[]> {
  const { db, platform, ids } = fixture;
  const priced = orders.map((order) => ({ order, sums: sumsOf(order) }));
  const amount = priced.reduce((sum, { sums }) => sum + sums.payable, 0);
  const code = `CK${randomUUID().slice(0, 12)}`;
  const channel = payment.channel ?? (amount === 0 ? 0 : 1);
  const tradeNo = channel === 0 ? null : `TR${code}`;
  const paid = await runOne<{ id: number }>(
    db,
    `INSERT INTO payment (checkout_code, channel, state, amount, trade_no, paid_at, deadline)
     VALUES ($1, $2, 2, $3, $4, now() - make_interval(days => $5), now()) RETURNING id`,
    [code, channel, amount, tradeNo, payment.paidDaysAgo ?? 0],
  );
  if (tradeNo) await openSandboxTrade(db, { tradeNo, checkoutCode: code, amount });
  const made: MadeOrder[] = [];
  for (const { order, sums } of priced) made.push(await insertOrder(fixture, order, sums, paid!.id, channel));
  for (const [index, { sums }] of priced.entries()) {
    if (sums.points === 0) continue;
    const orderId = made[index]!.id;
    await transaction(db, async (tx) => {
      await grantPoints(tx, platform.settings, {
        memberId: ids.member,
        amount: sums.points,
        source: { type: 'test', id: String(orderId), purpose: 'grant' },
      });
      await holdPoints(tx, { memberId: ids.member, amount: sums.points, source: orderHoldSource(orderId) });
      await capturePoints(tx, { hold: orderHoldSource(orderId), source: orderSpendSource(orderId) });
    });
  }
  return made;
}

/** An order of the money engine as a fixture order, for examples that start from a cart. */
export function fixtureOfQuote(
  order: QuoteOrder,
  merchant: 0 | 1,
  more: Partial<FixtureOrder> = {},
): FixtureOrder {
  return {
    merchant,
    freight: order.freight,
    lines: order.lines.map((line: QuotedLine) => ({
      name: line.specId,
      price: line.unitPrice,
      qty: line.qty,
      shares: line.shares.map((share) => ({
        step: share.step as FixtureShare['step'],
        ...(share.sourceType === 'member_coupon' ? { source: Number(share.sourceId) } : {}),
        amount: share.amount,
        platformAmount: share.platformAmount,
        units: share.units,
      })),
    })),
    ...more,
  };
}

/** Every invariant of the services, each having looked at something; returns the problems found. */
export async function brokenInvariants(platform: OpenPlatform): Promise<string[]> {
  const found: string[] = [];
  for (const invariant of platform.registrations.flatMap((one) => one.invariants ?? [])) {
    const { looked, problems } = await invariant.check(platform);
    if (looked === 0) found.push(`${invariant.name} looked at nothing`);
    found.push(...problems.map((problem) => `${invariant.name}: ${problem}`));
  }
  return found;
}

async function seedPlaces(platform: OpenPlatform) {
  const { db } = platform.database;
  const insert = async (text: string, values: readonly unknown[]) =>
    (await runOne<{ id: number }>(db, `${text} RETURNING id`, values))!.id;
  const tenant = (kind: number, name: string) =>
    insert('INSERT INTO tenant (kind, account, name) VALUES ($1, $2, $3)', [
      kind,
      `x${randomUUID().slice(0, 8)}`,
      name,
    ]);
  const platformId = await tenant(3, 'platform');
  const merchants = [await tenant(2, 'merchant A'), await tenant(2, 'merchant B')];
  const centre = await insert(
    `INSERT INTO organisation (kind, code, name) VALUES ('centre_city', $1, 'centre')`,
    [`CC${randomUUID().slice(0, 6)}`],
  );
  const unit = await insert(
    `INSERT INTO organisation (kind, code, name, parent_id) VALUES ('management_unit', $1, 'unit', $2)`,
    [`MU${randomUUID().slice(0, 6)}`, centre],
  );
  const projects: number[] = [];
  for (const name of ['project one', 'project two'])
    projects.push(
      await insert('INSERT INTO project (code, name, unit_id, centre_id) VALUES ($1, $2, $3, $4)', [
        `PJ${randomUUID().slice(0, 6)}`,
        name,
        unit,
        centre,
      ]),
    );
  const member = await insert('INSERT INTO member (name, nickname, phone) VALUES ($1, $2, $3)', [
    '王小明',
    'nick',
    '13812345678',
  ]);
  const business = await insert(
    'INSERT INTO business (code, name, type, create_type) VALUES ($1, $2, 1, 2)',
    [`B${randomUUID().slice(0, 6)}`, 'goods'],
  );
  const products: number[] = [];
  for (const merchant of merchants) {
    await run(db, `INSERT INTO merchant_agreement (tenant_id, starts_on) VALUES ($1, '2020-01-01')`, [
      merchant,
    ]);
    products.push(
      await insert(
        `INSERT INTO product (code, tenant_id, business_id, name, status) VALUES ($1, $2, $3, 'product', 'published')`,
        [`PD${randomUUID().slice(0, 8)}`, merchant, business],
      ),
    );
  }
  return { platform: platformId, merchants, projects, member, products, centre };
}

interface Sums {
  readonly goods: number;
  readonly merchantCoupon: number;
  readonly platformCoupon: number;
  readonly pointsValue: number;
  readonly points: number;
  readonly manualOff: number;
  readonly payable: number;
}

function sumsOf(order: FixtureOrder): Sums {
  const shares = order.lines.flatMap((line) => line.shares ?? []);
  const of = (step: number) =>
    shares.filter((share) => share.step === step).reduce((sum, share) => sum + share.amount, 0);
  const goods = order.lines.reduce((sum, line) => sum + line.price * line.qty, 0);
  return {
    goods,
    merchantCoupon: of(20),
    platformCoupon: of(30),
    pointsValue: of(40),
    points: shares.reduce((sum, share) => sum + (share.units ?? 0), 0),
    manualOff: of(60),
    payable: goods - of(20) - of(30) - of(40) - of(60) + (order.freight ?? 0),
  };
}

async function insertOrder(
  fixture: Fixture,
  order: FixtureOrder,
  sums: Sums,
  paymentId: number,
  channel: number,
): Promise<MadeOrder> {
  const { db, ids } = fixture;
  const merchant = order.merchant ?? 0;
  const code = `SO${randomUUID().slice(0, 12).toUpperCase()}`;
  const row = await runOne<{ id: number }>(
    db,
    `INSERT INTO sales_order (code, kind, source, tenant_id, project_id, member_id, payment_id, title, contact_name, contact_phone, address, state,
       goods, merchant_coupon, platform_coupon, points_value, points, manual_off, freight, payable, paid_at, pay_channel, agreement_version, completed_at, invoice_type, invoice_name)
     VALUES ($1, $2, 1, $3, $4, $5, $6, 'title', 'contact', '13812345678', 'address', $7, $8, $9, $10, $11, $12, $13, $14, $15, now(), $16, 1,
       CASE WHEN $17::int IS NULL THEN NULL ELSE now() - make_interval(days => $17) END, $18::smallint, CASE WHEN $18::smallint = 0 THEN '' ELSE '王小明' END) RETURNING id`,
    [
      code,
      order.kind ?? 'goods',
      ids.merchants[merchant],
      ids.projects[merchant],
      ids.member,
      paymentId,
      order.state ?? 'to_ship',
      sums.goods,
      sums.merchantCoupon,
      sums.platformCoupon,
      sums.pointsValue,
      sums.points,
      sums.manualOff,
      order.freight ?? 0,
      sums.payable,
      channel,
      order.completedDaysAgo ?? null,
      order.invoice ?? 0,
    ],
  );
  const lines: number[] = [];
  const specs: number[] = [];
  for (const [index, line] of order.lines.entries()) {
    const spec = await runOne<{ id: number }>(
      db,
      `INSERT INTO product_spec (product_id, code, name, price, stock, sold) VALUES ($1, $2, $2, $3, 50, $4) RETURNING id`,
      [ids.products[merchant], `${line.name}-${randomUUID().slice(0, 8)}`, line.price, line.qty],
    );
    const shares = line.shares ?? [];
    const cash = line.price * line.qty - shares.reduce((sum, share) => sum + share.amount, 0);
    const made = await runOne<{ id: number }>(
      db,
      `INSERT INTO order_line (order_id, line_no, product_id, spec_id, product_name, spec_name, list_price, unit_price, qty, goods, cash, qty_shipped)
       VALUES ($1, $2, $3, $4, $5, 'spec', $6, $6, $7, $8, $9, $10) RETURNING id`,
      [
        row!.id,
        index + 1,
        ids.products[merchant],
        spec!.id,
        line.name,
        line.price,
        line.qty,
        line.price * line.qty,
        cash,
        line.shipped ?? 0,
      ],
    );
    for (const share of shares)
      await run(
        db,
        `INSERT INTO order_share (line_id, step, source_type, source_id, amount, platform_amount, units) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [
          made!.id,
          share.step,
          share.step === 40 ? 'points' : share.step === 60 ? 'manual_off' : 'member_coupon',
          share.source ? String(share.source) : '',
          share.amount,
          share.platformAmount ?? 0,
          share.units ?? 0,
        ],
      );
    lines.push(made!.id);
    specs.push(spec!.id);
  }
  return { id: row!.id, code, paymentId, lines, specs };
}
