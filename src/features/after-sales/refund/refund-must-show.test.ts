import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { reconcilePayment } from '../../../domain/settlement/reconciled-fixture.ts';
import { draftStatement, submitStatement } from '../../../domain/statement/draft-statement.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { applyRefund, type RefundLineRequest } from './refund-apply.server.ts';
import {
  AUDITOR,
  FINANCE,
  brokenInvariants,
  makeCheckout,
  makeCoupon,
  openFixture,
  type FixtureLine,
  type MadeOrder,
} from './refund-fixtures.ts';

let fixture: Awaited<ReturnType<typeof openFixture>>;
type Staff = Awaited<ReturnType<typeof fixture.caller>>;
beforeAll(async () => {
  fixture = await openFixture();
  await fixture.set('sandbox.delay_ms', 0);
  await fixture.set('refund.channel_gap_seconds', 0);
});
afterAll(() => fixture.close());
beforeEach(async () => {
  await fixture.set('refund.auto_pass_max', 20_000);
});

const make = async (
  lines: readonly FixtureLine[],
  more: { merchant?: 0 | 1; freight?: number; state?: string; completedDaysAgo?: number } = {},
): Promise<MadeOrder> => (await makeCheckout(fixture, [{ ...more, lines }]))[0]!;
const apply = (
  made: MadeOrder,
  lines: readonly RefundLineRequest[] | 'all',
  more: { caller?: Staff; liable?: 'platform' | 'merchant'; system?: boolean; cashReason?: string } = {},
) =>
  transaction(fixture.db, (tx) =>
    applyRefund(tx, {
      platform: fixture.platform,
      orderId: made.id,
      lines,
      applicantType: more.caller ? 2 : 1,
      reason: '不想要了',
      ...more,
    }),
  );
const pieces = (made: MadeOrder, qty: number, from?: 'shipped'): RefundLineRequest[] => [
  { lineId: made.lines[0]!, qty, ...(from ? { from } : {}) },
];
const audit = (caller: Staff, id: number, body: Record<string, unknown> = { isPass: 1 }) =>
  fixture.call(caller, 'POST', '/jinmao/web/bizRefundAudit/audit', { auditId: String(id), ...body });
const badge = async (caller: Staff) =>
  (await fixture.call(caller, 'POST', '/jinmao/web/refundAudit/getRefundAuditCount', {})).data.total;
const line = (id: number) =>
  runOne<{ cash_refunded: number; cash_withheld: number; qty_refunded: number }>(
    fixture.db,
    'SELECT cash_refunded, cash_withheld, qty_refunded FROM order_line WHERE id = $1',
    [id],
  );
const sound = async () =>
  (await brokenInvariants(fixture.platform)).filter((one) => !one.includes('looked at nothing'));

describe('badge', () => {
  test('group 21 Must show 8: 120 waiting in scope, none for merchant B, 119 after one', async () => {
    await fixture.set('refund.auto_pass_max', 0);
    const auditor = await fixture.caller({ elements: AUDITOR, merchant: 0 });
    const other = await fixture.caller({ elements: AUDITOR, merchant: 1 });
    const before = await badge(auditor);
    const made: number[] = [];
    for (let n = 0; n < 120 - before; n++)
      made.push((await apply(await make([{ name: 'A', price: 1_000, qty: 1 }]), 'all')).id);
    expect([await badge(auditor), await badge(other)]).toEqual([120, 0]);
    expect((await audit(auditor, made[0]!)).data).toMatchObject({ auditStatus: 1 });
    expect(await badge(auditor)).toBe(119);
    await run(fixture.db, `UPDATE refund SET applicant_id = $1 WHERE state = 'reviewing'`, [auditor.staffId]);
  });

  test('group 07 Must show 14: three in 待我审核, two after one; an own application is not among them', async () => {
    await fixture.set('refund.staff_direct_max', 0);
    await fixture.set('refund.auto_pass_max', 0);
    const auditor = await fixture.caller({ elements: AUDITOR, merchant: 1 });
    const made: number[] = [];
    for (let n = 0; n < 3; n++)
      made.push((await apply(await make([{ name: 'A', price: 1_000, qty: 1 }], { merchant: 1 }), 'all')).id);
    const own = await apply(await make([{ name: 'A', price: 1_000, qty: 1 }], { merchant: 1 }), 'all', {
      caller: auditor,
    });
    const tab = async () => {
      const rows = await fixture.call(auditor, 'GET', '/jinmao/web/refund/page?tab=mine&limit=50');
      const counts = await fixture.call(auditor, 'GET', '/jinmao/web/refund/counts');
      return [rows.data.total, counts.data.mine, await badge(auditor)];
    };
    expect(await tab()).toEqual([3, 3, 3]);
    expect((await audit(auditor, made[1]!)).http).toBe(200);
    expect(await tab()).toEqual([2, 2, 2]);
    const mine = await fixture.call(auditor, 'GET', '/jinmao/web/refund/page?tab=mine&limit=50');
    expect(mine.data.rows.map((row: { id: string }) => row.id)).not.toContain(String(own.id));
    await fixture.set('refund.staff_direct_max', 50_000);
  });
});

describe('docs/decisions/0005: what an auditor keeps back', () => {
  test('the next pieces are worth their price; the platform alone returns it, and never more', async () => {
    await fixture.set('refund.auto_pass_max', 0);
    const auditor = await fixture.caller({ elements: AUDITOR });
    const merchant = await fixture.caller({ elements: AUDITOR, merchant: 0 });
    const made = await make([{ name: 'A', price: 2_000, qty: 3 }]);
    const first = await apply(made, pieces(made, 1));
    const lowered = await audit(auditor, first.id, { isPass: 1, agreedPrice: '15.00', remark: '有使用痕迹' });
    expect(lowered.data).toMatchObject({ auditStatus: 1 });
    await fixture.pump();
    expect(await line(made.lines[0]!)).toEqual({ cash_refunded: 1_500, cash_withheld: 500, qty_refunded: 1 });
    const detail = await fixture.call(auditor, 'GET', `/jinmao/web/refund/${first.id}`);
    expect(detail.data.parts.lines[0]).toMatchObject({ currentWithheld: '5.00' });

    const second = await apply(made, pieces(made, 1));
    expect(second.cash).toBe(2_000);
    expect((await audit(auditor, second.id)).http).toBe(200);
    await fixture.pump();
    // One piece is left with 20.00; the 5.00 of the first are out of reach for buyer and merchant.
    const amount = (fen: number) => [{ lineId: made.lines[0]!, amount: fen }];
    await expect(apply(made, amount(2_001))).rejects.toThrow('At most 20.00');
    await expect(apply(made, amount(2_001), { caller: merchant })).rejects.toThrow('At most 20.00');
    const third = await apply(made, pieces(made, 1));
    expect(third.cash).toBe(2_000);
    expect((await audit(auditor, third.id)).http).toBe(200);
    await fixture.pump();
    expect(
      await runOne(fixture.db, 'SELECT state, refund_status, cash_refunded FROM sales_order WHERE id = $1', [
        made.id,
      ]),
    ).toEqual({ state: 'closed', refund_status: 'full', cash_refunded: 5_500 });
  });

  test('forty auditors lower and pass one refund at once, then everybody claims the rest', async () => {
    await fixture.set('refund.auto_pass_max', 0);
    const auditors = await Promise.all(
      Array.from({ length: 8 }, () => fixture.caller({ elements: AUDITOR })),
    );
    const made = await make([{ name: 'A', price: 5_000, qty: 2 }]);
    const first = await apply(made, pieces(made, 1));
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_one, n) =>
        audit(auditors[n % 8]!, first.id, {
          isPass: 1,
          agreedPrice: `${30 + n}.00`,
          remark: '协商一致',
        }),
      ),
    );
    const won = answers.flatMap((answer, n) => (answer.http === 200 ? [n] : []));
    expect(won).toHaveLength(1);
    const agreed = (30 + won[0]!) * 100;
    const kept = Math.max(0, 5_000 - agreed);
    await fixture.pump();
    expect(await line(made.lines[0]!)).toMatchObject({ cash_refunded: 5_000 - kept, cash_withheld: kept });
    await fixture.set('refund.auto_pass_max', 10_000_000);
    const claims = await Promise.allSettled(
      Array.from({ length: 40 }, (_one, n) =>
        apply(made, n % 2 ? pieces(made, 1) : [{ lineId: made.lines[0]!, amount: 5_001 }]),
      ),
    );
    expect(claims.filter((claim) => claim.status === 'fulfilled')).toHaveLength(1);
    await fixture.pump();
    expect(await line(made.lines[0]!)).toMatchObject({ cash_refunded: 10_000 - kept, cash_withheld: kept });
    expect(
      await runOne(fixture.db, 'SELECT refunding, refunded FROM payment WHERE id = $1', [made.paymentId]),
    ).toEqual({ refunding: 0, refunded: 10_000 - kept });
    expect(await sound()).toEqual([]);
  });

  test('force returns what was kept back, also of an order its refunds have closed; the table refuses more', async () => {
    const auditor = await fixture.caller({ elements: AUDITOR });
    const root = await fixture.caller({ elements: ['btn_force', ...AUDITOR] });
    await fixture.set('refund.auto_pass_max', 0);
    const made = await make([{ name: 'A', price: 3_000, qty: 1 }]);
    const first = await apply(made, 'all');
    await audit(auditor, first.id, { isPass: 1, agreedPrice: '10.00', remark: '有使用痕迹' });
    await fixture.pump();
    expect(await runOne(fixture.db, 'SELECT state FROM sales_order WHERE id = $1', [made.id])).toEqual({
      state: 'closed',
    });
    await expect(apply(made, pieces(made, 1))).rejects.toThrow('At most 0.00');
    const forced = await fixture.call(root, 'POST', '/jinmao/web/refund/action/force', {
      orderCode: made.code,
      reason: '复核后全额退还',
    });
    expect(forced.data).toMatchObject({ cash: '20.00' });
    await fixture.pump();
    expect(await line(made.lines[0]!)).toMatchObject({ cash_refunded: 3_000, cash_withheld: 0 });
    await expect(
      run(fixture.db, 'UPDATE order_line SET cash_withheld = 1 WHERE id = $1', [made.lines[0]]),
    ).rejects.toThrow('order_line_cash_left');
    expect(await sound()).toEqual([]);
  });
});

describe('returned goods and settlement', () => {
  test('group 21 Must show 13 (the refund): 2 of 3 returned units, exactly two; the third stays free', async () => {
    await fixture.set('refund.auto_pass_max', 0);
    const auditor = await fixture.caller({ elements: AUDITOR });
    const made = await make([{ name: 'A', price: 2_000, qty: 3, shipped: 3 }], {
      state: 'completed',
      completedDaysAgo: 1,
    });
    const clerk = await fixture.caller({ merchant: 0 });
    const refund = await apply(made, pieces(made, 2, 'shipped'), { caller: clerk });
    expect(refund.cash).toBe(4_000);
    expect((await audit(auditor, refund.id)).http).toBe(200);
    await fixture.pump();
    expect(await line(made.lines[0]!)).toMatchObject({ qty_refunded: 2, cash_refunded: 4_000 });
    // Nothing went back to stock: the pieces had left, and nobody ticked 可再售.
    expect(
      await run(fixture.db, `SELECT 1 FROM stock_movement WHERE source_type = 'refund' AND source_id = $1`, [
        String(refund.id),
      ]),
    ).toEqual([]);
    const third = await apply(made, pieces(made, 1, 'shipped'), { caller: clerk });
    expect(third.cash).toBe(2_000);
    await expect(apply(made, pieces(made, 1))).rejects.toThrow('unfinished refund');
  });

  test('group 21 Must show 15 (the source): merchant-liable refunds give rows by bearer, platform-liable none', async () => {
    await fixture.set('refund.auto_pass_max', 10_000_000);
    const platformCoupon = await makeCoupon(fixture, { issuer: 'platform', threshold: 0, face: 2_000 });
    const merchantCoupon = await makeCoupon(fixture, { issuer: 'merchant', threshold: 0, face: 1_000 });
    // Three pieces of 100.00 = cash 262.48 + platform 25.01 + merchant 8.34 + points 4.17: group 13's line A.
    const goods: FixtureLine = {
      name: 'A',
      price: 10_000,
      qty: 3,
      shares: [
        { step: 20, source: merchantCoupon, amount: 834 },
        { step: 30, source: platformCoupon, amount: 2_501, platformAmount: 2_501 },
        { step: 40, amount: 417, units: 417 },
      ],
    };
    const made = await make([goods], { freight: 600 });
    for (let n = 0; n < 3; n++) {
      await apply(made, pieces(made, 1));
      await fixture.pump();
    }
    const rows = await run<Record<string, unknown>>(
      fixture.db,
      `SELECT source_type, cash, merchant_coupon, platform_coupon, points_value, manual_off FROM refund_settlement_source
        WHERE order_id = $1 ORDER BY source_type, source_id`,
      [made.id],
    );
    const row = (cash: number, merchant: number, platform: number, points: number) => ({
      source_type: 'refund',
      cash,
      merchant_coupon: merchant,
      platform_coupon: platform,
      points_value: points,
      manual_off: 0,
    });
    // Cash 87.50, 87.49, 87.49 and platform coupon 8.33, 8.34, 8.34, as example B of group 08 says.
    expect(rows).toEqual([
      row(8_750, 278, 833, 139),
      row(8_749, 278, 834, 139),
      row(8_749, 278, 834, 139),
      { ...row(600, 0, 0, 0), source_type: 'refund_freight' },
    ]);
    const goodwill = await make([{ name: 'A', price: 5_000, qty: 1 }]);
    await apply(goodwill, [{ lineId: goodwill.lines[0]!, amount: 1_000 }], { liable: 'platform' });
    await fixture.pump();
    const none = await run(fixture.db, 'SELECT 1 FROM refund_settlement_source WHERE order_id = $1', [
      goodwill.id,
    ]);
    expect(none).toEqual([]);
    expect(await sound()).toEqual([]);
  });

  test('group 21 Must show 15: a settled order, 10.00 back: platform-liable is no row of the next draft, merchant-liable a negative row that names the paid statement', async () => {
    await fixture.set('refund.auto_pass_max', 10_000_000);
    const { db } = fixture;
    const tenantId = fixture.ids.merchants[1]!;
    const day = (ago: number) => businessDayOf(new Date(Date.now() - ago * 86_400_000));
    const goods: FixtureLine = { name: 'A', price: 5_000, qty: 1, shipped: 1 };
    const sold = { merchant: 1 as const, state: 'completed', completedDaysAgo: 40 };
    const [forPlatform, forMerchant] = [await make([goods], sold), await make([goods], sold)];
    await run(
      db,
      `UPDATE sales_order SET paid_at = completed_at - interval '5 days', created_at = completed_at - interval '5 days' WHERE id = ANY($1)`,
      [[forPlatform.id, forMerchant.id]],
    );
    for (const { paymentId } of [forPlatform, forMerchant]) await reconcilePayment(db, paymentId);
    const drafted = (from: string, to: string, at?: Date) =>
      transaction(db, (tx) =>
        draftStatement(tx, { tenantId, cycle: 'month', from, to, makerId: null, ...(at && { at }) }),
      );
    const rowsOf = (statement: number) =>
      run<{
        row_kind: string;
        order_id: number;
        gross: number;
        net: number;
        first_statement_id: number | null;
      }>(
        db,
        `SELECT row_kind, order_id, gross, net, first_statement_id FROM statement_line WHERE statement_id = $1 AND active ORDER BY row_no`,
        [statement],
      );
    const first = (await drafted(day(45), day(20)))!;
    const sales = await rowsOf(first.id);
    expect(sales.map((row) => [row.row_kind, row.order_id, row.gross])).toEqual([
      ['sale', forPlatform.id, 5_000],
      ['sale', forMerchant.id, 5_000],
    ]);
    // Handed in, confirmed by the merchant and paid in full.
    await transaction(db, (tx) => submitStatement(tx, first.id, { submitterId: null, objectionDays: 5 }));
    await run(
      db,
      `UPDATE statement SET state = 'settled', confirmer = 'merchant', confirmed_at = now(), pay_amount = payable, carry_out = 0, pay_way = 'channel', paid_at = now() WHERE id = $1`,
      [first.id],
    );

    for (const [made, liable] of [
      [forPlatform, 'platform'],
      [forMerchant, 'merchant'],
    ] as const)
      await apply(made, [{ lineId: made.lines[0]!, amount: 1_000 }], { system: true, liable });
    await fixture.pump();
    expect(
      await run(db, 'SELECT order_id, state, cash, liable FROM refund WHERE order_id = ANY($1) ORDER BY id', [
        [forPlatform.id, forMerchant.id],
      ]),
    ).toEqual([
      { order_id: forPlatform.id, state: 'succeeded', cash: 1_000, liable: 'platform' },
      { order_id: forMerchant.id, state: 'succeeded', cash: 1_000, liable: 'merchant' },
    ]);

    const next = (await drafted(day(19), day(1)))!;
    const rows = await rowsOf(next.id);
    expect(rows).toMatchObject([
      { row_kind: 'refund', order_id: forMerchant.id, gross: -1_000, first_statement_id: first.id },
    ]);
    expect(rows[0]!.net).toBeLessThan(0);
    expect(rows[0]!.net).toBeGreaterThanOrEqual(-1_000);
    expect(await sound()).toEqual([]);
  });
});

test('one connection is enough: nothing asks the pool from inside a transaction', async () => {
  const narrow = await openFixture(undefined, 1);
  try {
    await narrow.set('sandbox.delay_ms', 0);
    await narrow.set('refund.auto_pass_max', 10_000_000);
    await narrow.set('sandbox.refund.mode', 'fail');
    await narrow.set('points.refund.expired_lot_policy', 'forfeit');
    const points: FixtureLine = {
      name: 'A',
      price: 4_000,
      qty: 2,
      shares: [{ step: 40, amount: 1_000, units: 1_000 }],
    };
    const ask = async () => {
      const [made] = await makeCheckout(narrow, [{ lines: [points] }]);
      const refund = await transaction(narrow.db, (tx) =>
        applyRefund(tx, {
          platform: narrow.platform,
          orderId: made!.id,
          lines: 'all',
          applicantType: 1,
          reason: 'x',
        }),
      );
      await narrow.pump();
      return refund;
    };
    const stateOf = async (id: number) =>
      (await runOne<{ state: string }>(narrow.db, 'SELECT state FROM refund WHERE id = $1', [id]))!.state;
    const auditor = await narrow.caller({ elements: AUDITOR });
    const finance = await narrow.caller({ elements: FINANCE });
    const [rejected, restarted] = [await ask(), await ask()];
    expect([await stateOf(rejected.id), await stateOf(restarted.id)]).toEqual(['failed', 'failed']);
    // Rejecting and paying offline ask the channel first.
    const reject = await narrow.call(auditor, 'POST', `/jinmao/web/refund/${rejected.id}/reject`, {
      reason: '买家不再需要退款',
    });
    expect(reject.data).toMatchObject({ state: 'cancelled' });
    const file = '00000000-0000-4000-8000-00000000000a';
    await run(
      narrow.db,
      `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access, owner_id) VALUES ($1, 'v.png', 'image/png', 1, '\\x00', 'k1', 'private', $2)`,
      [file, finance.staffId],
    );
    const whyFailed = async () =>
      (await narrow.call(auditor, 'GET', `/jinmao/web/refundAudit/viewReason?auditId=${restarted.id}`)).data;
    const why = await whyFailed();
    expect(why).toContain('失败原因');
    const offline = await narrow.call(finance, 'POST', `/jinmao/web/refund/${restarted.id}/offline`, {
      payee: '王小明 工行',
      voucher: [file],
    });
    expect(offline.data).toMatchObject({ offlineWaits: true });
    // Reason and time stay those of the failure, whatever was recorded since.
    expect(await whyFailed()).toBe(why);
    const tooEarly = await narrow.call(
      auditor,
      'GET',
      `/jinmao/web/refundAudit/restartRefund?auditId=${restarted.id}`,
    );
    expect(tooEarly.message).toBe('已登记线下退款，请先确认或撤销登记');
    await narrow.call(finance, 'POST', `/jinmao/web/refund/${restarted.id}/withdrawOffline`, {
      reason: '账号有误，款未付出',
    });
    // The points go back into a lot that has expired since: its policy is a setting.
    await run(narrow.db, `UPDATE points_lot SET expires_at = now() - interval '1 day'`);
    await narrow.set('sandbox.refund.mode', 'ok');
    const restart = await narrow.call(
      auditor,
      'GET',
      `/jinmao/web/refundAudit/restartRefund?auditId=${restarted.id}`,
    );
    expect(restart.data).toMatchObject({ auditStatus: 1 });
    await narrow.pump();
    expect(await stateOf(restarted.id)).toBe('succeeded');
  } finally {
    await narrow.close();
  }
}, 180_000);
