import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { SANDBOX_RESULT_JOB } from '../../../domain/payment-channel/sandbox-channel.server.ts';
import { applyRefund } from './refund-apply.server.ts';
import {
  AUDITOR,
  brokenInvariants,
  makeCheckout,
  openFixture,
  type FixtureLine,
  type MadeOrder,
} from './refund-fixtures.ts';
import { queryJob, receiveChannelResult } from './refund-send.server.ts';

let fixture: Awaited<ReturnType<typeof openFixture>>;
beforeAll(async () => {
  fixture = await openFixture();
  await fixture.set('sandbox.delay_ms', 0);
  await fixture.set('refund.auto_pass_max', 10_000_000);
});
afterAll(() => fixture.close());
beforeEach(async () => {
  await fixture.set('sandbox.refund.mode', 'ok');
  await fixture.set('refund.channel_gap_seconds', 0);
});

const POINTS: FixtureLine = {
  name: 'A',
  price: 4_000,
  qty: 3,
  shares: [{ step: 40, amount: 3_000, units: 3_000 }],
};
const order = async (line: FixtureLine = POINTS): Promise<MadeOrder> =>
  (await makeCheckout(fixture, [{ lines: [line] }]))[0]!;
const apply = (made: MadeOrder, qty?: number) =>
  transaction(fixture.db, (tx) =>
    applyRefund(tx, {
      platform: fixture.platform,
      orderId: made.id,
      applicantType: 1,
      reason: 'x',
      lines: qty === undefined ? 'all' : [{ lineId: made.lines[0]!, qty }],
    }),
  );
const row = (id: number) =>
  runOne<{
    state: string;
    attempts: number;
    channel_code: string;
    channel_message: string;
    channel_refund_no: string;
  }>(
    fixture.db,
    'SELECT state, attempts, channel_code, channel_message, channel_refund_no FROM refund WHERE id = $1',
    [id],
  );
const other = (id: number) =>
  run<{ state: string; calls: number; paid_times: number }>(
    fixture.db,
    'SELECT s.state, s.calls, s.paid_times FROM sandbox_refund s JOIN refund r ON r.channel_refund_no = s.refund_no WHERE r.id = $1',
    [id],
  );
const effects = async (made: MadeOrder, id: number) => ({
  points: (
    await run(fixture.db, `SELECT 1 FROM ledger_transfer WHERE source_type = 'refund' AND source_id = $1`, [
      String(id),
    ])
  ).length,
  stock: (
    await run(fixture.db, `SELECT 1 FROM stock_movement WHERE source_type = 'refund' AND source_id = $1`, [
      String(id),
    ])
  ).length,
  events: (await run(fixture.db, 'SELECT 1 FROM order_event WHERE order_id = $1 AND code = 60', [made.id]))
    .length,
});
const ONCE = { points: 1, stock: 1, events: 1 };

test('group 21 Must show 3: 200 parallel requests of one unit of three: one at a time, never above paid, ends exactly at paid', async () => {
  const made = await order();
  const paid = 9_000;
  let done = 0;
  for (let round = 1; round <= 4; round++) {
    const answers = await Promise.allSettled(Array.from({ length: 200 }, () => apply(made, 1)));
    const won = answers.filter((answer) => answer.status === 'fulfilled');
    expect(won).toHaveLength(round <= 3 ? 1 : 0);
    const texts = new Set(
      answers.flatMap((answer) =>
        answer.status === 'rejected' ? [String(answer.reason.label?.[0] ?? answer.reason)] : [],
      ),
    );
    expect([...texts]).toEqual([
      round <= 3 ? '该订单有未完成的退款' : expect.stringContaining('最多可退0.00元'),
    ]);
    const sums = await runOne<{ refunding: number; refunded: number }>(
      fixture.db,
      'SELECT refunding, refunded FROM payment WHERE id = $1',
      [made.paymentId],
    );
    expect(sums!.refunding + sums!.refunded).toBeLessThanOrEqual(paid);
    await fixture.pump();
    done += won.length;
  }
  expect(done).toBe(3);
  expect(
    await runOne(fixture.db, 'SELECT refunding, refunded FROM payment WHERE id = $1', [made.paymentId]),
  ).toEqual({ refunding: 0, refunded: paid });
  expect(
    await runOne(
      fixture.db,
      'SELECT state, refund_status, cash_refunded, points_refunded FROM sales_order WHERE id = $1',
      [made.id],
    ),
  ).toEqual({
    state: 'closed',
    refund_status: 'full',
    cash_refunded: paid,
    points_refunded: 3_000,
  });
  expect(
    await runOne(
      fixture.db,
      'SELECT t.refunded FROM sandbox_trade t JOIN payment p ON p.trade_no = t.trade_no WHERE p.id = $1',
      [made.paymentId],
    ),
  ).toEqual({ refunded: paid });
  expect(await brokenInvariants(fixture.platform)).toEqual([]);
});

test('two orders of one payment refunded at once do not deadlock and settle the payment', async () => {
  const orders = await makeCheckout(fixture, [{ lines: [POINTS] }, { merchant: 1, lines: [POINTS] }]);
  const made = await Promise.all(orders.map((one) => apply(one)));
  await Promise.all([fixture.pump(), fixture.pump()]);
  await fixture.pump();
  expect(await Promise.all(made.map(async (one) => (await row(one.id))!.state))).toEqual([
    'succeeded',
    'succeeded',
  ]);
  expect(
    await runOne(fixture.db, 'SELECT refunding, refunded FROM payment WHERE id = $1', [orders[0]!.paymentId]),
  ).toEqual({ refunding: 0, refunded: 18_000 });
});

test('group 21 Must show 5: failure with the channel text, restart twice quickly: one call with the same number, everything once', async () => {
  const auditor = await fixture.caller({ elements: AUDITOR });
  await fixture.set('sandbox.refund.mode', 'fail');
  const made = await order();
  const refund = await apply(made);
  await fixture.pump();
  const failed = await row(refund.id);
  expect(failed).toMatchObject({
    state: 'failed',
    channel_code: 'USER_ACCOUNT_ABNORMAL',
    channel_message: '用户收款账户状态异常，退款失败',
  });
  const reason = await fixture.call(
    auditor,
    'GET',
    `/jinmao/web/refundAudit/viewReason?auditId=${refund.id}`,
  );
  expect(reason.data).toContain('用户收款账户状态异常，退款失败');
  expect(await runOne(fixture.db, 'SELECT refunding FROM payment WHERE id = $1', [made.paymentId])).toEqual({
    refunding: 9_000,
  });
  await fixture.set('sandbox.refund.mode', 'ok');
  const restarts = await Promise.all(
    [1, 2].map(() =>
      fixture.call(auditor, 'GET', `/jinmao/web/refundAudit/restartRefund/?auditId=${refund.id}`),
    ),
  );
  expect(restarts.map((one) => one.http).sort()).toEqual([200, 409]);
  expect(restarts.find((one) => one.http === 200)!.data).toMatchObject({
    auditId: String(refund.id),
    auditStatus: 1,
  });
  expect(restarts.find((one) => one.http === 409)!.message).toBe('该退款已被处理');
  await fixture.pump();
  expect(await row(refund.id)).toMatchObject({
    state: 'succeeded',
    attempts: 2,
    channel_refund_no: failed!.channel_refund_no,
  });
  expect(await other(refund.id)).toEqual([{ state: 'success', calls: 2, paid_times: 1 }]);
  expect(await effects(made, refund.id)).toEqual(ONCE);
});

describe('a crash between the channel and us', () => {
  test('group 21 Must show 6: the answer is lost, the query finds the success; one refund, one ledger entry', async () => {
    await fixture.set('sandbox.refund.mode', 'lost');
    const made = await order();
    const refund = await apply(made);
    await fixture.pump();
    expect(await row(refund.id)).toMatchObject({ state: 'refunding', channel_code: 'SENDING' });
    expect(await other(refund.id)).toEqual([{ state: 'success', calls: 1, paid_times: 1 }]);
    expect(await effects(made, refund.id)).toEqual({ points: 0, stock: 0, events: 0 });
    await fixture.pump(2);
    expect(await row(refund.id)).toMatchObject({ state: 'succeeded' });
    expect(await other(refund.id)).toEqual([{ state: 'success', calls: 1, paid_times: 1 }]);
    expect(await effects(made, refund.id)).toEqual(ONCE);
  });

  test('group 21 Must show 6: killed while the effect ran, the repeated delivery asks before it sends', async () => {
    const made = await order();
    const refund = await apply(made);
    // The booking dies after the sandbox has answered, as a killed process would.
    await run(fixture.db, `UPDATE refund SET channel_code = 'SENDING', sent_at = now() WHERE id = $1`, [
      refund.id,
    ]);
    await run(
      fixture.db,
      `INSERT INTO sandbox_refund (refund_no, trade_no, amount, state, paid_times)
      SELECT r.channel_refund_no, p.trade_no, r.cash, 'success', 1 FROM refund r JOIN payment p ON p.id = r.payment_id WHERE r.id = $1`,
      [refund.id],
    );
    await fixture.pump(0, /outbox/);
    expect(await row(refund.id)).toMatchObject({ state: 'succeeded' });
    expect(await other(refund.id)).toEqual([{ state: 'success', calls: 1, paid_times: 1 }]);
    expect(await effects(made, refund.id)).toEqual(ONCE);
  });

  test('our transaction fails after the success: nothing is half booked and the repeat books all of it', async () => {
    const made = await order();
    const refund = await apply(made);
    await fixture.pump(0, /outbox/);
    // A broken stock row makes the success transaction fail at its stock step.
    await run(fixture.db, 'UPDATE product_spec SET sold = 0 WHERE id = $1', [made.specs[0]]);
    await expect(fixture.pump()).rejects.toMatchObject({ code: '23514' });
    expect(await other(refund.id)).toEqual([{ state: 'success', calls: 1, paid_times: 1 }]);
    expect(await row(refund.id)).toMatchObject({ state: 'refunding' });
    expect(await effects(made, refund.id)).toEqual({ points: 0, stock: 0, events: 0 });
    expect(
      await runOne(fixture.db, 'SELECT cash_refunded, refund_status FROM sales_order WHERE id = $1', [
        made.id,
      ]),
    ).toEqual({ cash_refunded: 0, refund_status: 'refunding' });
    await run(fixture.db, 'UPDATE product_spec SET sold = 3 WHERE id = $1', [made.specs[0]]);
    await fixture.pump(2);
    expect(await row(refund.id)).toMatchObject({ state: 'succeeded' });
    expect(await effects(made, refund.id)).toEqual(ONCE);
  });
});

describe('answers of the channel', () => {
  test('a result told five times, and again by hand in parallel, books once', async () => {
    await fixture.set('sandbox.refund.mode', 'duplicate');
    const made = await order();
    const refund = await apply(made);
    await fixture.pump();
    const number = (await row(refund.id))!.channel_refund_no;
    await Promise.all(
      Array.from({ length: 5 }, () =>
        receiveChannelResult(fixture.platform, {
          refundNo: number,
          state: 'success',
          code: 'SUCCESS',
          message: '',
        }),
      ),
    );
    await receiveChannelResult(fixture.platform, {
      refundNo: number,
      state: 'failure',
      code: 'X',
      message: 'late',
    });
    expect(await row(refund.id)).toMatchObject({ state: 'succeeded' });
    expect(await effects(made, refund.id)).toEqual(ONCE);
    await receiveChannelResult(fixture.platform, {
      refundNo: 'CR-unknown',
      state: 'success',
      code: '',
      message: '',
    });
  });

  test('a late result: accepted is not success; queries go on after 1, 2, 5, 10, 30 minutes, then hourly', async () => {
    await fixture.set('sandbox.refund.mode', 'delay');
    const made = await order();
    const refund = await apply(made);
    await fixture.pump(0);
    expect(await row(refund.id)).toMatchObject({ state: 'refunding', channel_code: 'ACCEPTED' });
    const pauses: number[] = [];
    for (let n = 0; n < 7; n++) {
      const job = await runOne<{ minutes: number }>(
        fixture.db,
        `SELECT round(extract(epoch FROM run_at - clock_timestamp()) / 60)::int AS minutes FROM graphile_worker.jobs WHERE key = $1`,
        [`refund.query:${refund.id}`],
      );
      pauses.push(job!.minutes);
      await run(fixture.db, `UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key = $1`, [
        `refund.query:${refund.id}`,
      ]);
      await fixture.pump(0, /refund\.query/);
    }
    expect(pauses).toEqual([1, 2, 5, 10, 30, 60, 60]);
    expect(await other(refund.id)).toEqual([{ state: 'accepted', calls: 1, paid_times: 0 }]);
    await fixture.pump(3, new RegExp(SANDBOX_RESULT_JOB));
    expect(await row(refund.id)).toMatchObject({ state: 'succeeded' });
  });

  test('no answer for refund.unknown_hours fails it; a success that comes later still counts', async () => {
    await fixture.set('sandbox.refund.mode', 'delay');
    const made = await order();
    const refund = await apply(made);
    await fixture.pump(0);
    await run(fixture.db, `UPDATE refund SET sent_at = now() - interval '25 hours' WHERE id = $1`, [
      refund.id,
    ]);
    await run(fixture.db, `UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key = $1`, [
      `refund.query:${refund.id}`,
    ]);
    await fixture.pump(0, /refund\.query/);
    expect(await row(refund.id)).toMatchObject({ state: 'failed', channel_code: 'NO_ANSWER' });
    const auditor = await fixture.caller({ elements: AUDITOR });
    const reject = await fixture.call(auditor, 'POST', `/jinmao/web/refund/${refund.id}/reject`, {
      reason: '改为线下处理',
    });
    expect([reject.http, reject.message]).toEqual([409, '渠道未确认未出款，暂不能操作，请稍后重试']);
    await fixture.pump(3, new RegExp(SANDBOX_RESULT_JOB));
    expect(await row(refund.id)).toMatchObject({ state: 'succeeded' });
    expect(await effects(made, refund.id)).toEqual(ONCE);
  });

  test('a channel that breaks counts as silent: the questions go on, and the refund ends after its hours', async () => {
    await fixture.set('sandbox.refund.mode', 'delay');
    const refund = await apply(await order());
    await fixture.pump(0, /outbox/);
    const broken = () => Promise.reject(new TypeError('unreadable answer'));
    const platform = {
      ...fixture.platform,
      config: { ...fixture.platform.config, paymentChannels: { 1: { refund: broken, query: broken } } },
    } as typeof fixture.platform;
    const ask = (tries: number) => queryJob.run({ refundId: refund.id, attempt: 1, tries }, platform);
    await ask(0);
    const next = await runOne<{ n: number }>(
      fixture.db,
      `SELECT count(*) AS n FROM graphile_worker._private_jobs WHERE key = $1`,
      [`refund.query:${refund.id}`],
    );
    expect([next!.n, (await row(refund.id))!.state]).toEqual([1, 'refunding']);
    await run(fixture.db, `UPDATE refund SET sent_at = now() - interval '25 hours' WHERE id = $1`, [
      refund.id,
    ]);
    await ask(1);
    expect(await row(refund.id)).toMatchObject({ state: 'failed', channel_code: 'NO_ANSWER' });
    await fixture.pump(10);
    expect((await row(refund.id))!.state).toBe('succeeded');
  });

  test('a failed refund offers one way to send it again: restart, or to auditors without that right passing again', async () => {
    await fixture.set('sandbox.refund.mode', 'fail');
    const made = await order();
    const refund = await apply(made);
    await fixture.pump();
    const without = (...elements: string[]) => AUDITOR.filter((one) => !elements.includes(one));
    const both = await fixture.caller({ elements: AUDITOR });
    const auditsOnly = await fixture.caller({ elements: without('btn_restart') });
    const restartsOnly = await fixture.caller({ elements: without('btn_audit') });
    const offered = async (caller: typeof both) => {
      const page = await fixture.call(
        caller,
        'GET',
        `/jinmao/web/refund/page?tab=failed&searchVal=${refund.code}`,
      );
      const detail = await fixture.call(caller, 'GET', `/jinmao/web/refund/${refund.id}`);
      expect(page.data.rows[0].actions).toEqual(detail.data.actions);
      return (detail.data.actions as string[]).filter((one) => one !== 'offline');
    };
    expect(await offered(both)).toEqual(['reject', 'restart']);
    expect(await offered(auditsOnly)).toEqual(['reject', 'passAgain']);
    expect(await offered(restartsOnly)).toEqual(['restart']);
    const path = (action: string) => `/jinmao/web/refund/${refund.id}/${action}`;
    for (const action of ['approve', 'passAgain'])
      expect((await fixture.call(both, 'POST', path(action), {})).http, action).toBe(409);
    expect((await fixture.call(restartsOnly, 'POST', path('passAgain'), {})).http).toBe(403);
    await fixture.set('sandbox.refund.mode', 'ok');
    expect((await fixture.call(auditsOnly, 'POST', path('passAgain'), {})).data).toMatchObject({
      state: 'refunding',
    });
    await fixture.pump();
    expect(await row(refund.id)).toMatchObject({ state: 'succeeded', attempts: 2 });
    expect(await other(refund.id)).toEqual([{ state: 'success', calls: 2, paid_times: 1 }]);
  });

  test('the call of the specification passes a failed refund again for either right, never for the applicant', async () => {
    await fixture.set('refund.staff_direct_max', 100_000);
    const applicant = await fixture.caller({ elements: AUDITOR });
    const audit = (caller: typeof applicant, id: number) =>
      fixture.call(caller, 'POST', '/jinmao/web/bizRefundAudit/audit', { auditId: String(id), isPass: 1 });
    for (const elements of [AUDITOR, AUDITOR.filter((one) => one !== 'btn_restart')]) {
      await fixture.set('sandbox.refund.mode', 'fail');
      const made = await order();
      const refund = await transaction(fixture.db, (tx) =>
        applyRefund(tx, {
          platform: fixture.platform,
          orderId: made.id,
          applicantType: 2,
          caller: applicant,
          reason: '不想要了',
          lines: 'all',
        }),
      );
      await fixture.pump();
      expect(await row(refund.id)).toMatchObject({ state: 'failed' });
      await fixture.set('sandbox.refund.mode', 'ok');
      expect(await audit(applicant, refund.id)).toMatchObject({
        status: 30101,
        message: '不能审核自己发起的退款',
      });
      expect((await audit(await fixture.caller({ elements }), refund.id)).data).toMatchObject({
        auditStatus: 1,
      });
      await fixture.pump();
      expect(await row(refund.id)).toMatchObject({ state: 'succeeded', attempts: 2 });
    }
    await fixture.set('refund.staff_direct_max', 50_000);
  });

  test('a failed refund is rejected only after the channel says that no money moved', async () => {
    await fixture.set('sandbox.refund.mode', 'fail');
    const made = await order();
    const refund = await apply(made);
    await fixture.pump();
    const auditor = await fixture.caller({ elements: AUDITOR });
    await run(
      fixture.db,
      `UPDATE sandbox_refund s SET state = 'success' FROM refund r WHERE r.channel_refund_no = s.refund_no AND r.id = $1`,
      [refund.id],
    );
    const reject = () =>
      fixture.call(auditor, 'POST', `/jinmao/web/refund/${refund.id}/reject`, { reason: '买家不再需要退款' });
    expect((await reject()).http).toBe(409);
    await run(
      fixture.db,
      `UPDATE sandbox_refund s SET state = 'failure' FROM refund r WHERE r.channel_refund_no = s.refund_no AND r.id = $1`,
      [refund.id],
    );
    await fixture.pump();
    expect(await reject()).toMatchObject({ http: 200, data: { state: 'cancelled' } });
    expect(
      await runOne(fixture.db, 'SELECT refund_status, state FROM sales_order WHERE id = $1', [made.id]),
    ).toEqual({ refund_status: 'none', state: 'to_ship' });
    expect(await brokenInvariants(fixture.platform)).toEqual([]);

    // The channel contradicts itself: the money is gone, no book says so, and the mall operators hear of it once.
    await grantMenu(fixture.db, auditor.staffId, 'mm_businessOrder_wx');
    const { channel_refund_no } = (await row(refund.id))!;
    const success = { refundNo: channel_refund_no, state: 'success', code: 'SUCCESS', message: '' } as const;
    await Promise.all([1, 2, 3].map(() => receiveChannelResult(fixture.platform, success)));
    await receiveChannelResult(fixture.platform, success);
    expect((await row(refund.id))!.state).toBe('cancelled');
    expect(
      await run(fixture.db, `SELECT level, title_zh FROM notification WHERE kind = 'alertPayment'`),
    ).toEqual([{ level: 'alert', title_zh: '退款异常，渠道已出款' }]);
    expect(
      await run(
        fixture.db,
        `SELECT 1 FROM refund_event WHERE refund_id = $1 AND remark LIKE '渠道显示已出款%'`,
        [refund.id],
      ),
    ).toHaveLength(1);
    expect(await brokenInvariants(fixture.platform)).toEqual([]);
  });
});

describe('channel rules', () => {
  test('the second refund of a payment waits for the gap and is sent then', async () => {
    await fixture.set('refund.channel_gap_seconds', 60);
    const [a, b] = await makeCheckout(fixture, [{ lines: [POINTS] }, { merchant: 1, lines: [POINTS] }]);
    const first = await apply(a!);
    const second = await apply(b!);
    await fixture.pump();
    expect([(await row(first.id))!.state, (await row(second.id))!.state]).toEqual(['succeeded', 'refunding']);
    expect(await other(second.id)).toEqual([]);
    const detail = await runOne<{ wait: number }>(
      fixture.db,
      'SELECT extract(epoch FROM not_before - created_at)::int AS wait FROM refund WHERE id = $1',
      [second.id],
    );
    expect(detail!.wait).toBeGreaterThan(55);
    const auditor = await fixture.caller({ elements: AUDITOR });
    const shown = await fixture.call(auditor, 'GET', `/jinmao/web/refund/${second.id}`);
    expect(shown.data.parts.channel.waitsUntil).toMatch(/^20\d\d-/);
    await fixture.pump(2);
    expect((await row(second.id))!.state).toBe('succeeded');
  });

  test('the 51st refund of a payment names the offline way', async () => {
    await fixture.set('refund.channel_max_parts', 1);
    const auditor = await fixture.caller({ elements: AUDITOR });
    const made = await order();
    await apply(made, 1);
    await fixture.pump();
    const second = await apply(made, 1);
    expect(second.state).toBe('reviewing');
    const passed = await fixture.call(auditor, 'POST', '/jinmao/web/bizRefundAudit/audit', {
      auditId: String(second.id),
      isPass: 1,
    });
    expect(passed.message).toContain('请使用线下退款');
    await fixture.set('refund.channel_max_parts', 50);
  });

  test('cash cannot change once the channel was asked', async () => {
    await fixture.set('sandbox.refund.mode', 'fail');
    const auditor = await fixture.caller({ elements: AUDITOR });
    const refund = await apply(await order());
    await fixture.pump();
    const answer = await fixture.call(auditor, 'POST', '/jinmao/web/bizRefundAudit/audit', {
      auditId: String(refund.id),
      isPass: 1,
      agreedPrice: '1.00',
      remark: '少退一点',
    });
    expect([answer.status, answer.message]).toEqual([30101, '已向渠道发起，金额不能再改']);
    expect(await runOne(fixture.db, 'SELECT attempts FROM refund WHERE id = $1', [refund.id])).toEqual({
      attempts: 1,
    });
  });
});

test('every invariant looked at rows and says so when something is off', async () => {
  const [invoice] = await makeCheckout(fixture, [{ freight: 500, lines: [POINTS] }]);
  const refund = await apply(invoice!);
  await fixture.pump();
  const held = await apply(await order());
  expect(await brokenInvariants(fixture.platform)).toEqual([]);
  const anyLot = `(SELECT max(id) FROM points_lot)`;
  const plants: Record<string, string> = {
    'refund.cash_is_its_rows': `UPDATE refund SET freight_part = freight_part + 1 WHERE id = ${refund.id}`,
    'refund.fee_is_its_rows': `UPDATE refund SET fee = fee + 1 WHERE id = ${refund.id}`,
    'refund.withheld_is_kept': `UPDATE order_line SET cash_withheld = 1 WHERE order_id = (SELECT order_id FROM refund WHERE id = ${held.id})`,
    'refund.settlement_source': `UPDATE refund_line SET cash = cash - 1 WHERE refund_id = ${refund.id}`,
    'refund.of_sold_orders': `UPDATE sales_order SET paid_at = NULL WHERE id = ${invoice!.id}`,
    'refund.payment_refunded': `UPDATE payment SET refunded = refunded - 1 WHERE id = ${invoice!.paymentId}`,
    'refund.payment_refunding': `UPDATE payment SET refunding = refunding - 1 WHERE id = (SELECT payment_id FROM refund WHERE id = ${held.id})`,
    'refund.order_cash_refunded': `UPDATE sales_order SET cash_refunded = cash_refunded - 1 WHERE id = ${invoice!.id}`,
    'refund.order_points_refunded': `UPDATE sales_order SET points_refunded = points_refunded - 1 WHERE id = ${invoice!.id}`,
    'refund.order_freight_refunded': `UPDATE sales_order SET freight_refunded = freight_refunded - 1 WHERE id = ${invoice!.id}`,
    'refund.line_cash_refunded': `UPDATE order_line SET cash_refunded = cash_refunded - 1 WHERE order_id = ${invoice!.id}`,
    'refund.line_qty_refunded': `UPDATE order_line SET qty_refunded = qty_refunded - 1, qty_refunded_unshipped = qty_refunded_unshipped - 1 WHERE order_id = ${invoice!.id}`,
    'refund.line_qty_refunded_unshipped': `UPDATE order_line SET qty_refunded_unshipped = qty_refunded_unshipped - 1 WHERE order_id = ${invoice!.id}`,
    'refund.share_refunded_amount': `UPDATE order_share SET refunded_amount = refunded_amount - 1 WHERE line_id = ${invoice!.lines[0]}`,
    'refund.share_refunded_units': `UPDATE order_share SET refunded_units = refunded_units - 1 WHERE line_id = ${invoice!.lines[0]}`,
    'refund.points_in_ledger': `UPDATE refund SET points = points + 1 WHERE id = ${refund.id}`,
    'refund.stock_returned': `UPDATE refund_line SET unshipped_qty = unshipped_qty - 1 WHERE refund_id = ${refund.id}`,
    'refund.order_status': `UPDATE sales_order SET refund_status = 'none' WHERE id = (SELECT order_id FROM refund WHERE id = ${held.id})`,
    'points.transfer_balanced': `INSERT INTO ledger_transfer (source_type, source_id, purpose) VALUES ('test', 'planted', 'x')`,
    'points.balance_is_sum_of_entries': `UPDATE ledger_account SET balance = balance + 1 WHERE kind = 'points_available'`,
    'points.lots_are_available': `UPDATE points_lot SET remaining = remaining - 1 WHERE remaining > 0`,
    'points.lots_are_held': `UPDATE points_lot SET held = held + 1, remaining = 0 WHERE id = ${anyLot}`,
    'points.returned_is_refunded': `UPDATE points_lot_use SET returned = returned - 1 WHERE kind = 'capture' AND returned > 0`,
  };
  for (const invariant of fixture.platform.registrations.flatMap((service) => service.invariants ?? [])) {
    expect(plants).toHaveProperty([invariant.name]);
    // Planted, looked at and taken back: the check reads through the same transaction.
    const { looked, problems } = await fixture.db
      .transaction()
      .execute(async (tx) => {
        await run(tx, plants[invariant.name]!);
        const seen = await invariant.check({
          ...fixture.platform,
          database: { ...fixture.platform.database, db: tx },
        });
        throw Object.assign(new Error('taken back'), { seen });
      })
      .catch((error: { seen?: { looked: number; problems: readonly string[] } }) => {
        if (!error.seen) throw error;
        return error.seen;
      });
    expect([invariant.name, looked > 0, problems.length > 0]).toEqual([invariant.name, true, true]);
  }
});
