import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { applyRefund } from '../refund/refund-apply.server.ts';
import { brokenInvariants } from '../refund/refund-fixtures.ts';
import { receiveOverdue } from '../../../domain/checkout/receive-order.server.ts';
import { dueReceipts } from '../../../domain/checkout/deadlines.server.ts';
import { enterTracking, escalateOwnCase, sayInCase, withdrawCase } from './case-commands.server.ts';
import { openCases } from './case-fixture.ts';

let shop: Awaited<ReturnType<typeof openCases>>;
let clerk: Awaited<ReturnType<typeof shop.staff>>;
let desk: Awaited<ReturnType<typeof shop.staff>>;
beforeAll(async () => {
  shop = await openCases();
  clerk = await shop.staff({ merchant: 0, elements: ['btn_audit'] });
  desk = await shop.staff({ elements: ['btn_audit'] });
});
afterAll(() => shop.close());

const GOODS = { name: 'A', price: 2_000, qty: 3, shipped: 3 };
const inTx = <T>(work: (tx: any) => Promise<T>) => transaction(shop.db, work);
const parcel = { company: '顺丰', trackingNo: 'SF1234567890' };
const track = (id: number) =>
  inTx((tx) => enterTracking(tx, shop.platform, { caseId: id, memberId: shop.ids.member, ...parcel }));
const sound = async () =>
  (await brokenInvariants(shop.platform)).filter((one) => !one.includes('looked at nothing'));
const spec = (id: number) =>
  runOne<{ stock: number; reserved: number; sold: number }>(
    shop.db,
    'SELECT stock, reserved, sold FROM product_spec WHERE id = $1',
    [id],
  );

describe('units of a line', () => {
  test('200 applications for the same unit at once: one case, the others 该商品已申请售后', async () => {
    const made = await shop.order([{ ...GOODS, qty: 1, shipped: 1 }], shop.received);
    const answers = await Promise.allSettled(Array.from({ length: 200 }, () => shop.apply(made)));
    expect(answers.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
    const texts = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason.label?.[0]] : []));
    expect(new Set(texts)).toEqual(new Set(['该商品已申请售后']));
    expect(await shop.line(made.lines[0]!)).toMatchObject({ qty_claimed: 1 });
  });

  test('the database refuses what code would let through', async () => {
    const made = await shop.order([GOODS], shop.received);
    const { id } = await shop.apply(made, { lines: [{ lineId: made.lines[0]!, qty: 2 }] });
    await expect(
      run(shop.db, 'UPDATE after_sale_line SET qty = 4 WHERE after_sale_id = $1', [id]),
    ).rejects.toThrow('order_line_claimed');
    expect(await shop.line(made.lines[0]!)).toMatchObject({ qty_claimed: 2 });
  });

  test('a refund of the order page does not take units of a case, nor a case those of a refund', async () => {
    const made = await shop.order([GOODS], shop.received);
    await shop.apply(made, { lines: [{ lineId: made.lines[0]!, qty: 2 }] });
    const refund = (qty: number) =>
      inTx((tx) =>
        applyRefund(tx, {
          platform: shop.platform,
          applicantType: 1,
          orderId: made.id,
          lines: [{ lineId: made.lines[0]!, qty }],
        }),
      );
    await expect(refund(2)).rejects.toMatchObject({ label: ['该商品已申请售后', expect.any(String)] });
    await refund(1);
    await expect(shop.apply(made)).rejects.toMatchObject({ label: ['该商品已申请售后', expect.any(String)] });
  });

  test('refuses: not shipped, above what was received, other price, another member, window over', async () => {
    const unshipped = await shop.order([{ ...GOODS, shipped: 0 }]);
    const label = (text: string) => ({ label: [text, expect.any(String)] });
    await expect(shop.apply(unshipped)).rejects.toMatchObject(label('未发货商品请直接申请退款'));
    const part = await shop.order([{ ...GOODS, shipped: 1 }], { state: 'part_shipped' });
    await expect(shop.apply(part, { lines: [{ lineId: part.lines[0]!, qty: 2 }] })).rejects.toMatchObject(
      label('数量超过已收货数量'),
    );
    const late = await shop.order([GOODS], { state: 'completed', completedDaysAgo: 10 });
    await expect(shop.apply(late, { reasonCode: 'no_want' })).rejects.toMatchObject(label('已超过售后期限'));
    await shop.apply(late, { reasonCode: 'quality' });
    const dear = await runOne<{ id: number }>(
      shop.db,
      `INSERT INTO product_spec (product_id, code, name, price, stock) VALUES ($1, 'dear', 'dear', 9900, 5) RETURNING id`,
      [shop.ids.products[0]],
    );
    await expect(
      shop.apply(part, {
        type: 'exchange',
        lines: [{ lineId: part.lines[0]!, qty: 1, newSpecId: dear!.id }],
      }),
    ).rejects.toMatchObject(label('差价商品请走退货退款'));
    await expect(shop.apply(part, { memberId: shop.ids.member + 1 })).rejects.toMatchObject({ http: 404 });
    await expect(shop.apply(part, { amount: 2_001 })).rejects.toMatchObject(
      label('最多可退20.00元（已退0.00，处理中0.00）'),
    );
  });
});

describe('states', () => {
  test('refund only: agreed by the merchant, small amounts pass, the success ends the case', async () => {
    const made = await shop.order([{ ...GOODS, shipped: 0 }]);
    const { id } = await shop.apply(made, { type: 'refund_only' });
    expect((await shop.act(clerk, id, 'agree', { amount: '15.00' })).http).toBe(422);
    expect((await shop.act(clerk, id, 'agree', { amount: '20.01' })).message).toContain('最多可退20.00元');
    expect((await shop.act(clerk, id, 'agree', { amount: '15.00', amountReason: '包装已拆' })).http).toBe(
      200,
    );
    expect(await shop.row(id)).toMatchObject({ state: 'refunding', agreed_cash: 1_500, agreed_of: 2_000 });
    await shop.pump();
    expect(await shop.row(id)).toMatchObject({ state: 'done' });
    expect(await shop.line(made.lines[0]!)).toMatchObject({
      qty_claimed: 0,
      qty_refunded: 1,
      cash_refunded: 1_500,
    });
    const codes = await run<{ code: number }>(
      shop.db,
      'SELECT code FROM order_event WHERE order_id = $1 ORDER BY id',
      [made.id],
    );
    expect(codes.map((one) => one.code)).toEqual([50, 60]);
    expect(await sound()).toEqual([]);
  });

  test('a rejected refund brings the case back with the reason; the second agreement makes another refund', async () => {
    await shop.set('refund.staff_direct_max', 0);
    const made = await shop.order([{ ...GOODS, shipped: 0 }]);
    const { id } = await shop.apply(made, { type: 'refund_only' });
    await shop.act(clerk, id, 'agree');
    const [refund] = await shop.refundsOf(id);
    expect(refund).toMatchObject({ state: 'reviewing', applicant_type: 2 });
    const audit = (who: typeof desk, isPass: number) =>
      shop.call(who, 'POST', '/jinmao/web/bizRefundAudit/audit', {
        auditId: String(refund!.id),
        isPass,
        ...(isPass === 2 ? { remark: '凭证不足请补充' } : {}),
      });
    // Two persons: who agreed cannot audit the refund.
    expect((await audit(clerk, 1)).message).toBe('不能审核自己发起的退款');
    expect((await audit(desk, 2)).http).toBe(200);
    expect(await shop.row(id)).toMatchObject({ state: 'applied', agreed_cash: null });
    const told = await runOne<{ remark: string }>(
      shop.db,
      'SELECT remark FROM after_sale_event WHERE after_sale_id = $1 ORDER BY id DESC LIMIT 1',
      [id],
    );
    expect(told!.remark).toContain('凭证不足请补充');
    await shop.act(clerk, id, 'agree');
    expect(await shop.refundsOf(id)).toHaveLength(2);
    await shop.set('refund.staff_direct_max', 50_000);
  });

  test('a failed refund stays, is restarted from the case with its number, and ends it', async () => {
    await shop.set('sandbox.refund.mode', 'fail');
    const made = await shop.order([{ ...GOODS, shipped: 0 }]);
    const { id } = await shop.apply(made, { type: 'refund_only' });
    await shop.act(clerk, id, 'agree');
    await shop.pump();
    expect((await shop.refundsOf(id))[0]).toMatchObject({ state: 'failed' });
    const list = await shop.call(clerk, 'GET', '/jinmao/web/afterSale/page?tab=failed&page=1&limit=20');
    expect(list.data.rows).toEqual([expect.objectContaining({ id: String(id), actions: ['restart'] })]);
    await shop.set('sandbox.refund.mode', 'ok');
    const twice = await Promise.all([shop.act(clerk, id, 'restart'), shop.act(clerk, id, 'restart')]);
    expect(twice.filter((one) => one.http === 200)).toHaveLength(1);
    await shop.pump();
    expect(await shop.row(id)).toMatchObject({ state: 'done' });
    expect(await shop.refundsOf(id)).toHaveLength(1);
  });

  test('two clerks agree at once: one refund', async () => {
    const made = await shop.order([{ ...GOODS, shipped: 0 }]);
    const { id } = await shop.apply(made, { type: 'refund_only' });
    const answers = await Promise.all([clerk, desk, clerk, desk].map((who) => shop.act(who, id, 'agree')));
    expect(answers.filter((one) => one.http === 200)).toHaveLength(1);
    expect(await shop.refundsOf(id)).toHaveLength(1);
    await shop.pump();
  });

  test('exchange: stock of the new spec is kept at the agreement, sold at the end, given back on withdrawal', async () => {
    const made = await shop.order([GOODS], shop.received);
    const other = await runOne<{ id: number }>(
      shop.db,
      `INSERT INTO product_spec (product_id, code, name, price, stock) VALUES ($1, 'blue', 'blue', 2000, 1) RETURNING id`,
      [shop.ids.products[0]],
    );
    const ask = {
      type: 'exchange' as const,
      lines: [{ lineId: made.lines[0]!, qty: 1, newSpecId: other!.id }],
    };
    const first = await shop.apply(made, ask);
    expect((await shop.act(clerk, first.id, 'agree')).http).toBe(200);
    expect(await spec(other!.id)).toMatchObject({ stock: 0, reserved: 1 });
    const second = await shop.apply(made, ask);
    expect((await shop.act(clerk, second.id, 'agree')).message).toBe('库存不足，仅剩0件');
    await inTx((tx) => withdrawCase(tx, shop.platform, { caseId: first.id, memberId: shop.ids.member }));
    expect(await spec(other!.id)).toMatchObject({ stock: 1, reserved: 0 });
    expect((await shop.act(clerk, second.id, 'agree')).http).toBe(200);
    await track(second.id);
    expect((await shop.act(clerk, second.id, 'receive', { result: 'pass', resellable: true })).http).toBe(
      200,
    );
    expect(await spec(made.specs[0]!)).toMatchObject({ stock: 51, sold: 2 });
    expect((await shop.act(clerk, second.id, 'sign')).http).toBe(409);
    await shop.act(clerk, second.id, 'resend', parcel);
    await shop.overdue(second.id);
    await shop.job('after_sale.sign_due');
    expect(await shop.row(second.id)).toMatchObject({ state: 'done', send_tracking: parcel.trackingNo });
    expect(await spec(other!.id)).toMatchObject({ stock: 0, reserved: 0, sold: 1 });
    expect(await shop.line(made.lines[0]!)).toMatchObject({ qty_claimed: 0, qty_refunded: 0 });
    expect(await sound()).toEqual([]);
  });

  test('exchange: the parcel that was rejected and went back is not the exchange; only what was sent can be signed for', async () => {
    const made = await shop.order([GOODS], shop.received);
    const { id } = await shop.apply(made, {
      type: 'exchange',
      lines: [{ lineId: made.lines[0]!, qty: 1, newSpecId: made.specs[0]! }],
    });
    const before = await spec(made.specs[0]!);
    await shop.act(clerk, id, 'agree');
    await track(id);
    const rejected = await shop.act(clerk, id, 'reject', {
      ...parcel,
      reason: '寄回的不是原商品',
      photos: [await picture(clerk.staffId)],
    });
    expect([rejected.message, rejected.http]).toEqual(['', 200]);
    expect(await shop.row(id)).toMatchObject({ state: 'refused', send_tracking: parcel.trackingNo });
    expect(await spec(made.specs[0]!)).toEqual(before);
    await shop.act(clerk, id, 'escalate', { reason: '请平台判断' });
    await shop.act(desk, id, 'decide', { verdict: 'agree', reason: '核实后支持换货' });
    expect(await shop.row(id)).toMatchObject({ state: 'agreed', send_at: null, send_tracking: '' });
    await track(id);
    await shop.act(clerk, id, 'receive', { result: 'pass' });
    expect((await shop.act(clerk, id, 'sign')).message).toBe('换货尚未寄出');
    await shop.act(clerk, id, 'resend', { ...parcel, trackingNo: 'SF7654321' });
    expect((await shop.act(clerk, id, 'sign')).http).toBe(200);
    expect(await shop.row(id)).toMatchObject({ state: 'done', send_tracking: 'SF7654321' });
    expect(await sound()).toEqual([]);
  });

  test('group 21 Must show 10: 7 days without tracking → 已撤销; 10 days without receipt → the refund starts by itself', async () => {
    await shop.set('refund.auto_pass_max', 0);
    const made = await shop.order([GOODS], shop.received);
    const first = await shop.apply(made);
    await shop.act(clerk, first.id, 'agree');
    const agreed = await shop.row(first.id);
    const days = (agreed.deadline.getTime() - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.99);
    expect(days).toBeLessThan(7.01);
    await shop.job('after_sale.return_due');
    expect((await shop.row(first.id)).state).toBe('agreed');
    await shop.overdue(first.id);
    await shop.job('after_sale.return_due');
    expect(await shop.row(first.id)).toMatchObject({ state: 'withdrawn' });
    expect(await shop.line(made.lines[0]!)).toMatchObject({ qty_claimed: 0 });

    const second = await shop.apply(made);
    await shop.act(clerk, second.id, 'agree');
    await track(second.id);
    expect(((await shop.row(second.id)).deadline.getTime() - Date.now()) / 86_400_000).toBeCloseTo(10, 1);
    await shop.overdue(second.id);
    await shop.job('after_sale.receive_due');
    expect(await shop.row(second.id)).toMatchObject({ state: 'refunding', inspection: 'pass' });
    const [refund] = await shop.refundsOf(second.id);
    expect(refund).toMatchObject({ state: 'reviewing', cash: 2_000, applicant_type: 1 });
    await shop.call(desk, 'POST', '/jinmao/web/bizRefundAudit/audit', {
      auditId: String(refund!.id),
      isPass: 1,
    });
    await shop.pump();
    expect((await shop.row(second.id)).state).toBe('done');
    await shop.set('refund.auto_pass_max', 20_000);
  });

  test('group 21 Must show 13: 2 of 3 returned units accepted → a refund of exactly 2, the third is free', async () => {
    const made = await shop.order([GOODS], shop.received);
    const { id } = await shop.apply(made, { lines: [{ lineId: made.lines[0]!, qty: 3 }] });
    await shop.act(clerk, id, 'agree');
    await track(id);
    const lines = [{ lineId: String(made.lines[0]), qty: 2 }];
    expect((await shop.act(clerk, id, 'receive', { result: 'partial', lines })).http).toBe(422);
    const photo = await picture(clerk.staffId);
    const answer = await shop.act(clerk, id, 'receive', {
      result: 'partial',
      lines,
      photos: [photo],
      note: '一件破损',
    });
    expect(answer.http).toBe(200);
    expect(await shop.line(made.lines[0]!)).toMatchObject({ qty_claimed: 2 });
    await shop.pump();
    expect((await shop.refundsOf(id))[0]).toMatchObject({ state: 'succeeded', cash: 4_000 });
    // The page explains what was refunded, not what was asked for.
    const { parts } = (await shop.call(clerk, 'GET', `/jinmao/web/afterSale/${id}`)).data;
    expect([parts.applied.cash, parts.applied.rows[0].qty, parts.lines[0].caseCash]).toEqual([
      '40.00',
      2,
      '40.00',
    ]);
    expect(await shop.line(made.lines[0]!)).toMatchObject({
      qty_claimed: 0,
      qty_refunded: 2,
      cash_refunded: 4_000,
    });
    const third = await shop.apply(made);
    expect(third.appliedCash).toBe(2_000);
    await expect(shop.apply(made)).rejects.toMatchObject({ label: ['该商品已申请售后', expect.any(String)] });
    await shop.act(clerk, third.id, 'agree');
  });

  test('a part of a parcel is worth its part of what was agreed to, before it is received and after', async () => {
    const made = await shop.order([GOODS], shop.received);
    const { id } = await shop.apply(made, { lines: [{ lineId: made.lines[0]!, qty: 3 }] });
    await shop.act(clerk, id, 'agree', { amount: '30.00', amountReason: '使用痕迹明显' });
    await track(id);
    const lines = [{ lineId: String(made.lines[0]), qty: 2 }];
    const tried = (who: typeof desk) =>
      shop.call(who, 'POST', `/jinmao/web/afterSale/${id}/suggest`, { lines });
    expect((await tried(clerk)).data).toMatchObject({
      cash: '40.00',
      limit: { usual: '20.00', most: '20.00' },
    });
    expect((await tried(desk)).data.limit).toEqual({ usual: '20.00', most: '40.00' });
    await shop.act(clerk, id, 'receive', {
      result: 'partial',
      lines,
      photos: [await picture(clerk.staffId)],
    });
    await shop.pump();
    expect(await shop.row(id)).toMatchObject({
      state: 'done',
      agreed_cash: 2_000,
      agreed_reason: '使用痕迹明显',
    });
    expect((await shop.refundsOf(id))[0]).toMatchObject({ state: 'succeeded', cash: 2_000 });
    expect(await sound()).toEqual([]);
  });

  test('refused → the buyer goes to the platform, which decides finally', async () => {
    const made = await shop.order([GOODS], shop.received);
    const { id } = await shop.apply(made);
    await shop.act(clerk, id, 'refuse', { reason: '商品没有问题' });
    expect(await shop.line(made.lines[0]!)).toMatchObject({ qty_claimed: 0 });
    const own = { caseId: id, memberId: shop.ids.member };
    await inTx((tx) => escalateOwnCase(tx, shop.platform, { ...own, reason: '有照片为证' }));
    expect(await shop.row(id)).toMatchObject({ state: 'applied', escalated: true, deadline: null });
    expect((await shop.act(clerk, id, 'agree')).message).toBe('平台已介入，由平台裁决');
    expect((await shop.act(clerk, id, 'decide', { verdict: 'agree', reason: '证据充分同意' })).message).toBe(
      '仅平台可裁决',
    );
    const decided = await shop.act(desk, id, 'decide', {
      verdict: 'refund',
      reason: '证据充分，直接退款',
      liable: 'platform',
    });
    expect(decided.http).toBe(200);
    await shop.pump();
    expect(await shop.row(id)).toMatchObject({ state: 'done', final: true, liable: 'platform' });

    const other = await shop.apply(made);
    await shop.act(clerk, other.id, 'escalate', { reason: '请平台判断' });
    await shop.act(desk, other.id, 'decide', { verdict: 'refuse', reason: '超出质保范围' });
    expect((await shop.act(desk, other.id, 'escalate', { reason: '请再次裁决' })).message).toBe(
      '平台已裁决，不能再申请介入',
    );
    const third = await shop.apply(made);
    await shop.act(clerk, third.id, 'refuse', { reason: '商品没有问题' });
    await run(shop.db, `UPDATE after_sale SET refused_at = now() - interval '73 hours' WHERE id = $1`, [
      third.id,
    ]);
    expect((await shop.act(desk, third.id, 'escalate', { reason: '请再次裁决' })).message).toBe(
      '已超过申请平台介入的期限',
    );
  });

  test('nobody answers in time: refund only is agreed as asked, the others go before the platform', async () => {
    const made = await shop.order([GOODS], shop.received);
    const money = await shop.apply(made, { type: 'refund_only', amount: 1_800 });
    const goods = await shop.apply(made);
    await shop.job('after_sale.audit_due');
    expect((await shop.row(money.id)).state).toBe('applied');
    await shop.overdue(money.id);
    await shop.overdue(goods.id);
    await shop.job('after_sale.audit_due');
    expect(await shop.row(money.id)).toMatchObject({ state: 'refunding', agreed_cash: 1_800 });
    expect(await shop.row(goods.id)).toMatchObject({ state: 'applied', escalated: true });
  });

  test('a receipt waits in 已收货 while another refund of the order is unfinished, then goes on', async () => {
    await shop.set('refund.auto_pass_max', 0);
    const made = await shop.order([GOODS], shop.received);
    const { id } = await shop.apply(made);
    await shop.act(clerk, id, 'agree');
    await track(id);
    const refund = await inTx((tx) =>
      applyRefund(tx, {
        platform: shop.platform,
        applicantType: 1,
        orderId: made.id,
        lines: [{ lineId: made.lines[0]!, qty: 1 }],
      }),
    );
    expect((await shop.act(clerk, id, 'receive', { result: 'pass' })).http).toBe(200);
    expect((await shop.row(id)).state).toBe('received');
    await shop.job('after_sale.refund_due');
    expect((await shop.row(id)).state).toBe('received');
    await shop.call(desk, 'POST', '/jinmao/web/bizRefundAudit/audit', {
      auditId: String(refund.id),
      isPass: 1,
    });
    await shop.pump();
    await shop.job('after_sale.refund_due');
    expect((await shop.row(id)).state).toBe('refunding');
    await shop.set('refund.auto_pass_max', 20_000);
    expect(await sound()).toEqual([]);
  });

  test('the automatic receipt of an order waits for its case', async () => {
    const made = await shop.order([GOODS], { state: 'to_receive' });
    await run(shop.db, `UPDATE sales_order SET receive_deadline = now() - interval '1 hour' WHERE id = $1`, [
      made.id,
    ]);
    const { id } = await shop.apply(made);
    expect(await dueReceipts(shop.db)).not.toContain(made.id);
    expect(await receiveOverdue(shop.platform, made.id)).toBe(false);
    await shop.act(clerk, id, 'withdraw', { reason: '买家改变主意' });
    expect(await dueReceipts(shop.db)).toContain(made.id);
    expect(await receiveOverdue(shop.platform, made.id)).toBe(true);
  });

  test('bulk agree takes small refund-only cases alone', async () => {
    const made = await shop.order([{ ...GOODS, shipped: 0, price: 6_000 }]);
    const other = await shop.order([{ ...GOODS, shipped: 0 }]);
    const large = await shop.apply(made, {
      type: 'refund_only',
      lines: [{ lineId: made.lines[0]!, qty: 2 }],
    });
    const small = await shop.apply(other, { type: 'refund_only' });
    const answer = await shop.call(clerk, 'POST', '/jinmao/web/afterSale/bulk/bulkAgree', {
      ids: [String(large.id), String(small.id)],
    });
    expect(JSON.stringify(answer.data)).toContain('100.00');
    expect([(await shop.row(large.id)).state, (await shop.row(small.id)).state]).toEqual([
      'applied',
      'refunding',
    ]);
  });
});

describe('who sees what', () => {
  test('another merchant finds nothing; staff apply for a buyer in their own orders alone', async () => {
    const stranger = await shop.staff({ merchant: 1 });
    const made = await shop.order([GOODS], shop.received);
    const { id } = await shop.apply(made);
    expect((await shop.call(stranger, 'GET', `/jinmao/web/afterSale/${id}`)).http).toBe(404);
    expect((await shop.act(stranger, id, 'agree')).http).toBe(404);
    expect(
      (await shop.call(stranger, 'GET', `/jinmao/web/afterSale/lookUp?orderCode=${made.code}`)).http,
    ).toBe(404);
    const body = {
      orderCode: made.code,
      type: 'return_refund',
      lines: [{ lineId: String(made.lines[0]), qty: 1 }],
      reasonCode: 'quality',
      reason: '电话申请',
    };
    expect((await shop.call(stranger, 'POST', '/jinmao/web/afterSale/action/apply', body)).http).toBe(404);
    const answer = await shop.call(clerk, 'POST', '/jinmao/web/afterSale/action/apply', body);
    expect(answer.http).toBe(200);
    const detail = await shop.call(clerk, 'GET', `/jinmao/web/afterSale/${answer.data.id}`);
    expect(detail.data).toMatchObject({
      applicant: clerk.name,
      parts: { limit: { most: '20.00', usual: '20.00' } },
    });
    const latest = await shop.call(clerk, 'GET', `/jinmao/web/afterSale/ofOrder?orderId=${made.id}`);
    expect(latest.data.id).toBe(answer.data.id);
  });

  test('conversation: sensitive words are refused, a case that is over is closed', async () => {
    const made = await shop.order([GOODS], shop.received);
    const { id } = await shop.apply(made);
    const say = (body: string) => shop.call(clerk, 'POST', `/jinmao/web/afterSale/${id}/message`, { body });
    expect((await say('您好，请提供照片')).http).toBe(200);
    await run(
      shop.db,
      `INSERT INTO sensitive_word (word, normalised, category, level) VALUES ('代购发票', '代购发票', 'advert', 'block')`,
    );
    shop.platform.changed('sensitiveWord');
    expect((await say('可以代购发票哦')).http).toBe(422);
    await inTx((tx) =>
      sayInCase(tx, shop.platform, {
        caseId: id,
        side: 'buyer',
        staffId: null,
        who: '买家',
        body: '好的',
        images: [],
      }),
    );
    const { data } = await shop.call(clerk, 'GET', `/jinmao/web/afterSale/${id}`);
    expect(data.parts.messages.map((one: { side: string }) => one.side)).toEqual(['merchant', 'buyer']);
    await shop.act(clerk, id, 'withdraw', { reason: '买家改变主意' });
    expect((await say('还在吗')).message).toBe('售后已结束，不能再留言');
  });

  test('reminders 24 and 4 hours before, each once', async () => {
    const made = await shop.order([GOODS], shop.received);
    const { id } = await shop.apply(made);
    const told = async () =>
      (
        await run<{ what: string }>(
          shop.db,
          `SELECT payload->>'what' AS what FROM outbox WHERE kind = 'after_sale.notice' AND payload->>'caseId' = $1 ORDER BY id`,
          [String(id)],
        )
      ).map((one) => one.what);
    await run(shop.db, `UPDATE after_sale SET deadline = now() + interval '20 hours' WHERE id = $1`, [id]);
    await shop.job('after_sale.remind');
    await shop.job('after_sale.remind');
    await run(shop.db, `UPDATE after_sale SET deadline = now() + interval '3 hours' WHERE id = $1`, [id]);
    await shop.job('after_sale.remind');
    await shop.job('after_sale.remind');
    expect(await told()).toEqual(['applied', 'due24', 'due4']);
  });

  test('figures count the cases their drill opens', async () => {
    const today = new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);
    const { data } = await shop.call(desk, 'GET', `/jinmao/web/afterSale/figures?from=${today}&to=${today}`);
    const total = async (query: string) =>
      (await shop.call(desk, 'GET', `/jinmao/web/afterSale/page?tab=all&page=1&limit=1&${query}`)).data.total;
    const range = encodeURIComponent(`${today}~${today}`);
    expect(data.applied).toBe(await total(`appliedAt=${range}`));
    expect(data.decided).toBe(await total(`decidedAt=${range}`));
    expect(data.agreed).toBe(await total(`decidedAt=${range}&agreedAt=${encodeURIComponent('2020-01-01~')}`));
    expect(data.refundedCases).toBe(await total(`refundedAt=${range}`));
    expect(data.reasons.reduce((sum: number, one: { count: number }) => sum + one.count, 0)).toBe(
      data.applied,
    );
    expect(await sound()).toEqual([]);
  });
});

async function picture(owner: number): Promise<string> {
  const row = await runOne<{ id: string }>(
    shop.db,
    `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access, owner_id)
     VALUES (gen_random_uuid(), 'a.png', 'image/png', 10, '\\x00', gen_random_uuid()::text, 'picture', $1) RETURNING id`,
    [owner],
  );
  return row!.id;
}
