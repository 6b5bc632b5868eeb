import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { grantMenu, takeAllGroups } from '../../../testing/grant-menu.ts';
import { noticeEffect } from './refund-transition.server.ts';
import { applyRefund } from './refund-apply.server.ts';
import { withdrawRefund } from './refund-end.server.ts';
import {
  AUDITOR,
  FINANCE,
  brokenInvariants,
  makeCheckout,
  openFixture,
  type MadeOrder,
} from './refund-fixtures.ts';
import { receiveChannelResult } from './refund-send.server.ts';
import { registration } from './refund.server.ts';

let fixture: Awaited<ReturnType<typeof openFixture>>;
type Staff = Awaited<ReturnType<typeof fixture.caller>>;
beforeAll(async () => {
  fixture = await openFixture();
  await fixture.set('sandbox.delay_ms', 0);
});
afterAll(() => fixture.close());
beforeEach(async () => {
  await fixture.set('sandbox.refund.mode', 'ok');
});

const order = async (
  cash: number,
  more: { merchant?: 0 | 1; qty?: number; paidDaysAgo?: number } = {},
): Promise<MadeOrder> =>
  (
    await makeCheckout(
      fixture,
      [{ merchant: more.merchant ?? 0, lines: [{ name: 'A', price: cash, qty: more.qty ?? 1 }] }],
      more.paidDaysAgo === undefined ? {} : { paidDaysAgo: more.paidDaysAgo },
    )
  )[0]!;

const apply = (made: MadeOrder, caller?: Staff) =>
  transaction(fixture.db, (tx) =>
    applyRefund(tx, {
      platform: fixture.platform,
      caller,
      orderId: made.id,
      lines: 'all',
      applicantType: caller ? 2 : 1,
      reasonCode: 'not_wanted',
      reason: '不想要了',
    }),
  );
const state = async (id: number) =>
  (await runOne<{ state: string }>(fixture.db, 'SELECT state FROM refund WHERE id = $1', [id]))!.state;
const audit = (caller: Staff, id: number, body: Record<string, unknown> = { isPass: 1 }) =>
  fixture.call(caller, 'POST', '/jinmao/web/bizRefundAudit/audit', { auditId: String(id), ...body });
const badge = async (caller: Staff) =>
  (await fixture.call(caller, 'POST', '/jinmao/web/refundAudit/getRefundAuditCount', { auditStat: 0 })).data
    .total;
const page = (caller: Staff, query: string) =>
  fixture.call(caller, 'GET', `/jinmao/web/refund/page?${query}`);

test('the result of a refund is told to those who still see it or its order, once, and to nobody else', async () => {
  await fixture.set('refund.channel_gap_seconds', 0);
  const auditor = await fixture.caller({ elements: AUDITOR, merchant: 0 });
  const clerk = await fixture.caller({ merchant: 0 });
  const former = await fixture.caller({ merchant: 0 });
  const [moved, narrow] = [await fixture.caller({ merchant: 0 }), await fixture.caller({ merchant: 0 })];
  for (const one of [moved, narrow])
    for (const menu of ['mm_orderRefund', 'mm_businessOrder_wx'])
      await grantMenu(fixture.db, one.staffId, menu);
  await grantMenu(fixture.db, auditor.staffId, 'mm_orderRefund');
  await grantMenu(fixture.db, clerk.staffId, 'mm_businessOrder_wx');
  await grantMenu(fixture.db, former.staffId, 'mm_orderRefund');
  const colleague = await fixture.caller({ elements: AUDITOR, merchant: 0 });
  const orders: MadeOrder[] = [];
  for (const applicant of [auditor, clerk, former, moved, narrow]) {
    const made = await order(60_000);
    orders.push(made);
    const refund = await apply(made, applicant);
    expect((await audit(colleague, refund.id)).http).toBe(200);
  }
  await takeAllGroups(fixture.db, former.staffId);
  // Since then one works in other projects, and one sees own rows only, of which its refund is one.
  await run(fixture.db, 'UPDATE staff SET all_projects = false WHERE id = $1', [moved.staffId]);
  await run(
    fixture.db,
    `UPDATE menu_grant SET data_scope = 'self' WHERE group_id IN (SELECT group_id FROM group_member WHERE staff_id = $1)`,
    [narrow.staffId],
  );
  await fixture.pump(10);
  const told = () =>
    run<{ staff_id: number; route: string; title_zh: string }>(
      fixture.db,
      `SELECT staff_id, route, title_zh FROM notification WHERE kind = 'refundResult' ORDER BY id`,
    );
  const notices = await told();
  expect(notices.map((one) => [one.staff_id, one.route.replace(/detail=\d+$/, 'detail=')])).toEqual([
    [auditor.staffId, '/service/mm_orderRefund?detail='],
    [clerk.staffId, `/merchantManager/mm_businessOrder_wx/${orders[1]!.id}`],
    [narrow.staffId, '/service/mm_orderRefund?detail='],
  ]);
  expect(notices[0]!.title_zh).toMatch(/^RF?\w+ 退款成功$/);
  // A delivery that is repeated says nothing twice.
  const effects = await run<{ id: number; payload: { refundId: number; state: 'succeeded' } }>(
    fixture.db,
    `SELECT id, payload FROM outbox WHERE kind = 'refund.notice'`,
  );
  for (const { id, payload } of effects) await noticeEffect.deliver(payload as never, fixture.platform, id);
  expect(await told()).toHaveLength(3);
  await fixture.set('refund.channel_gap_seconds', 60);
});

describe('levels and four eyes', () => {
  test('initial states by who asks and how much', async () => {
    const plain = await fixture.caller({ merchant: 0 });
    const holder = await fixture.caller({ elements: AUDITOR, merchant: 0 });
    expect((await apply(await order(20_000))).state).toBe('refunding');
    expect((await apply(await order(20_001))).state).toBe('reviewing');
    expect((await apply(await order(50_000), holder)).state).toBe('refunding');
    expect((await apply(await order(50_001), holder)).state).toBe('reviewing');
    expect((await apply(await order(100), plain)).state).toBe('reviewing');
  });

  test('pieces that one person passes alone add up on their order; what a colleague audited does not count', async () => {
    const me = await fixture.caller({ elements: AUDITOR, merchant: 0 });
    const colleague = await fixture.caller({ elements: AUDITOR, merchant: 0 });
    const sold = await order(300_000);
    const piece = async (amount: number) => {
      const made = await transaction(fixture.db, (tx) =>
        applyRefund(tx, {
          platform: fixture.platform,
          caller: me,
          orderId: sold.id,
          lines: [{ lineId: sold.lines[0]!, amount }],
          applicantType: 2,
          reasonCode: 'quality',
          reason: '部分破损',
        }),
      );
      await fixture.pump();
      return made;
    };
    await fixture.set('refund.channel_gap_seconds', 0);
    for (const amount of [30_000, 20_000]) {
      const made = await piece(amount);
      expect([made.state, await state(made.id)]).toEqual(['refunding', 'succeeded']);
    }
    const third = await piece(1);
    expect([third.state, third.level]).toEqual(['reviewing', 1]);
    expect((await audit(colleague, third.id)).http).toBe(200);
    await fixture.set('refund.channel_gap_seconds', 60);
  });

  test('pieces two people pass add up on their order: from refund.finance_from on finance has to see the next one', async () => {
    const me = await fixture.caller({ elements: AUDITOR, merchant: 0 });
    const colleague = await fixture.caller({ elements: AUDITOR, merchant: 0 });
    const finance = await fixture.caller({ elements: FINANCE, merchant: 0 });
    const sold = await order(1_000_000);
    const piece = async (amount: number, caller: Staff | null = me) =>
      transaction(fixture.db, (tx) =>
        applyRefund(tx, {
          platform: fixture.platform,
          ...(caller ? { caller } : {}),
          orderId: sold.id,
          lines: [{ lineId: sold.lines[0]!, amount }],
          applicantType: caller ? 2 : 1,
          reasonCode: 'quality',
          reason: '部分破损',
        }),
      );
    const outcome = async (id: number, who = colleague) => {
      const answer = await audit(who, id);
      await fixture.pump();
      return [answer.http, answer.data?.auditStatus, answer.data?.level];
    };
    await fixture.set('refund.channel_gap_seconds', 0);
    expect(await outcome((await piece(150_000)).id)).toEqual([200, 1, 1]);
    // 40.00 would go out directly, 1,540.00 together need no finance yet.
    const small = await piece(4_000);
    expect(small.state).toBe('refunding');
    await fixture.pump();
    // 460.00 more are 2,000.00: neither one person alone nor two may let it go.
    const last = await piece(46_000);
    expect([last.state, last.level]).toEqual(['reviewing', 1]);
    expect(await outcome(last.id)).toEqual([200, 0, 2]);
    expect(await outcome(last.id, me)).toEqual([403, undefined, undefined]);
    expect(await outcome(last.id, finance)).toEqual([200, 1, 2]);
    // What finance saw does not count, 1,540.00 are still without it.
    const next = await piece(50_000);
    expect(await outcome(next.id)).toEqual([200, 0, 2]);
    expect((await audit(finance, next.id, { isPass: 2, remark: '先退已审核部分' })).http).toBe(200);
    // A buyer's application stands for itself.
    const buyers = await piece(60_000, null);
    expect(await outcome(buyers.id)).toEqual([200, 1, 1]);
    await fixture.set('refund.channel_gap_seconds', 60);
  });

  test('group 21 Must show 7: staff applies 800.00, cannot pass it, a colleague can', async () => {
    const me = await fixture.caller({ elements: AUDITOR, merchant: 0 });
    const colleague = await fixture.caller({ elements: AUDITOR, merchant: 0 });
    const made = await apply(await order(80_000), me);
    expect(made.state).toBe('reviewing');
    const refused = await audit(me, made.id);
    expect([refused.http, refused.status, refused.message]).toEqual([409, 30101, '不能审核自己发起的退款']);
    const rows = await page(me, 'tab=reviewing&limit=200');
    expect(rows.data.rows.find((row: { id: string }) => row.id === String(made.id)).actions).toEqual([]);
    const passed = await audit(colleague, made.id);
    expect(passed.data).toEqual({ auditId: String(made.id), auditStatus: 1, level: 1 });
  });

  test('group 21 Must show 7: 2,500.00 needs finance; badge of finance 1, of the first auditor 0', async () => {
    const first = await fixture.caller({
      elements: [...AUDITOR, 'btn_auditFinance'],
      projects: [fixture.ids.projects[1]!],
    });
    const finance = await fixture.caller({ elements: FINANCE, projects: [fixture.ids.projects[1]!] });
    const made = await apply(await order(250_000, { merchant: 1 }));
    expect([await badge(first), await badge(finance)]).toEqual([1, 0]);
    expect((await audit(finance, made.id)).http).toBe(403);
    expect((await audit(first, made.id)).data).toEqual({
      auditId: String(made.id),
      auditStatus: 0,
      level: 2,
    });
    expect([await badge(first), await badge(finance)]).toEqual([0, 1]);
    const again = await audit(first, made.id);
    expect([again.http, again.message]).toEqual([409, '二级审核须由另一人完成']);
    const reject = await fixture.call(first, 'POST', `/jinmao/web/refund/${made.id}/reject`, {
      reason: '不同意退款',
    });
    expect([reject.http, reject.message]).toEqual([409, '等待二级审核']);
    expect((await audit(finance, made.id)).data).toMatchObject({ auditStatus: 1, level: 2 });
    const row = await runOne(fixture.db, 'SELECT auditor1, auditor2 FROM refund WHERE id = $1', [made.id]);
    expect(row).toEqual({ auditor1: first.staffId, auditor2: finance.staffId });
    const todo = await fixture.call(finance, 'GET', '/admin/home/todo');
    expect(todo.data.map((one: { kind: string; count: number }) => [one.kind, one.count])).toEqual([
      ['refund_audit', 0],
      ['refund_failed', 0],
    ]);
  });

  test('lowering keeps the level of what was applied for and frees the difference', async () => {
    const auditor = await fixture.caller({ elements: AUDITOR });
    const finance = await fixture.caller({ elements: FINANCE });
    const paid = await order(200_000);
    const made = await apply(paid);
    const without = await audit(auditor, made.id, { isPass: 1, agreedPrice: '1999.00' });
    expect([without.http, without.data.fields]).toEqual([422, { remark: '请填写调低原因' }]);
    expect(
      (await audit(auditor, made.id, { isPass: 1, agreedPrice: '2000.01', remark: '多退' })).status,
    ).toBe(30101);
    expect(
      (await audit(auditor, made.id, { isPass: 1, agreedPrice: '1999.00', remark: '有使用痕迹' })).data,
    ).toMatchObject({ auditStatus: 0, level: 2 });
    expect(await runOne(fixture.db, 'SELECT refunding FROM payment WHERE id = $1', [paid.paymentId])).toEqual(
      { refunding: 199_900 },
    );
    expect((await audit(finance, made.id)).data).toMatchObject({ auditStatus: 1 });
    await fixture.pump();
    expect(
      await runOne(fixture.db, 'SELECT cash, apply_price, state FROM refund WHERE id = $1', [made.id]),
    ).toEqual({ cash: 199_900, apply_price: 200_000, state: 'succeeded' });
    expect(
      await brokenInvariants(fixture.platform).then((found) =>
        found.filter((one) => !one.includes('looked at nothing')),
      ),
    ).toEqual([]);
  });
});

describe('two people at once', () => {
  test('group 21 Must show 4: two auditors press pass, one 退款中, one 该退款已被处理, one channel call', async () => {
    const staff = await Promise.all([1, 2].map(() => fixture.caller({ elements: AUDITOR })));
    const made = await apply(await order(30_000));
    const answers = await Promise.all(staff.map((one) => audit(one, made.id)));
    expect(answers.map((one) => one.http).sort()).toEqual([200, 409]);
    const loser = answers.find((one) => one.http === 409)!;
    expect([loser.status, loser.message]).toEqual([30101, '该退款已被处理']);
    await fixture.pump();
    expect(await state(made.id)).toBe('succeeded');
    expect(
      await run(
        fixture.db,
        `SELECT calls, paid_times FROM sandbox_refund s JOIN refund r ON r.channel_refund_no = s.refund_no WHERE r.id = $1`,
        [made.id],
      ),
    ).toEqual([{ calls: 1, paid_times: 1 }]);
    const again = await fixture.call(staff[0]!, 'POST', `/jinmao/web/refund/${made.id}/approve`, {});
    expect(again.message).toBe('该退款已被处理');
  });
});

describe('rejecting and withdrawing', () => {
  test('group 21 Must show 9: without reason 422 at the field; with reason the order is as before', async () => {
    const auditor = await fixture.caller({ elements: AUDITOR });
    const paid = await order(30_000, { qty: 2 });
    const made = await apply(paid);
    expect(
      await runOne(fixture.db, 'SELECT refund_status FROM sales_order WHERE id = $1', [paid.id]),
    ).toEqual({ refund_status: 'refunding' });
    const missing = await audit(auditor, made.id, { isPass: 2 });
    expect([missing.http, missing.data.fields]).toEqual([422, { remark: '此项必填' }]);
    expect((await audit(auditor, made.id, { isPass: 2, remark: '太短' })).http).toBe(422);
    expect(
      (await fixture.call(auditor, 'POST', `/jinmao/web/refund/${made.id}/reject`, {})).data.fields,
    ).toEqual({ reason: '此项必填' });
    expect((await audit(auditor, made.id, { isPass: 2, remark: '不符合退款条件' })).data).toMatchObject({
      auditStatus: 4,
    });
    expect(
      await runOne(fixture.db, 'SELECT refund_status, state, cash_refunded FROM sales_order WHERE id = $1', [
        paid.id,
      ]),
    ).toEqual({ refund_status: 'none', state: 'to_ship', cash_refunded: 0 });
    expect(
      await runOne(fixture.db, 'SELECT refunding, refunded FROM payment WHERE id = $1', [paid.paymentId]),
    ).toEqual({ refunding: 0, refunded: 0 });
    expect(await run(fixture.db, 'SELECT code FROM order_event WHERE order_id = $1', [paid.id])).toEqual([
      { code: 46 },
    ]);
    const reason = await fixture.call(
      auditor,
      'GET',
      `/jinmao/web/refundAudit/viewReason/?auditId=${made.id}`,
    );
    expect(reason.data).toMatch(/^申请原因：不想要了\n驳回原因：不符合退款条件（20\d\d-/);
    expect((await apply(paid)).state).toBe('reviewing');
  });

  test('the applicant withdraws; another staff cannot', async () => {
    const me = await fixture.caller({ merchant: 0 });
    const other = await fixture.caller({ merchant: 0 });
    const made = await apply(await order(30_000), me);
    const withdraw = (caller: Staff) =>
      transaction(fixture.db, (tx) =>
        withdrawRefund(tx, { platform: fixture.platform, refundId: made.id, caller }),
      );
    await expect(withdraw(other)).rejects.toMatchObject({ status: 30101 });
    await withdraw(me);
    expect(await state(made.id)).toBe('cancelled');
    await expect(withdraw(me)).rejects.toMatchObject({ label: ['该退款已被处理', expect.any(String)] });
  });
});

describe('who sees what', () => {
  test("group 21 Must show 12: merchant A with B's id, 404 and nothing changes; count, list, search, detail and export hold A's only", async () => {
    const a = await fixture.caller({ elements: [...AUDITOR, 'btn_reveal'], merchant: 0 });
    const b = await fixture.caller({ elements: AUDITOR, merchant: 1 });
    const ofB = await apply(await order(30_000, { merchant: 1 }));
    const ofA = await apply(await order(30_000));
    const before = await run(fixture.db, 'SELECT version, state FROM refund WHERE id = $1', [ofB.id]);
    expect((await audit(a, ofB.id)).http).toBe(404);
    expect((await fixture.call(a, 'POST', `/jinmao/web/refund/${ofB.id}/approve`, {})).http).toBe(404);
    expect((await fixture.call(a, 'GET', `/jinmao/web/bizRefundAudit/detail?id=${ofB.id}`)).http).toBe(404);
    expect(
      (await fixture.call(a, 'GET', `/jinmao/web/refundAudit/restartRefund/?auditId=${ofB.id}`)).http,
    ).toBe(404);
    expect((await fixture.call(a, 'GET', `/jinmao/web/refundAudit/viewReason?auditId=${ofB.id}`)).http).toBe(
      404,
    );
    expect((await fixture.call(a, 'GET', `/jinmao/web/refund/${ofB.id}/vouchers`)).http).toBe(404);
    expect(await run(fixture.db, 'SELECT version, state FROM refund WHERE id = $1', [ofB.id])).toEqual(
      before,
    );
    const list = await fixture.call(a, 'POST', '/jinmao/web/refundAudit/getRefundAuditList/', {
      companyId: String(fixture.ids.merchants[1]),
      limit: 200,
    });
    expect(list.data.total).toBe(0);
    const search = await fixture.call(a, 'POST', '/jinmao/web/bizRefundAudit/search', {
      ids: [String(ofA.id), String(ofB.id)],
    });
    expect(search.data.rows.map((row: { id: string }) => row.id)).toEqual([String(ofA.id)]);
    const own = await runOne<{ n: number }>(
      fixture.db,
      `SELECT count(*) AS n FROM refund WHERE tenant_id = $1 AND state = 'reviewing' AND level = 1`,
      [fixture.ids.merchants[0]],
    );
    expect(await badge(a)).toBe(own!.n);
    expect(await badge(b)).toBeGreaterThan(0);
    const exported: unknown[] = [];
    for await (const rows of registration.exports![0]!.read(
      { caller: a, platform: fixture.platform, language: 'zh' },
      {},
    ))
      exported.push(...rows);
    const all = await runOne<{ n: number }>(
      fixture.db,
      'SELECT count(*) AS n FROM refund WHERE tenant_id = $1',
      [fixture.ids.merchants[0]],
    );
    expect(exported).toHaveLength(all!.n);
  });

  test('without token 401, without menu or element 403, without id 422, unknown id 404', async () => {
    const reader = await fixture.caller();
    const nobody = await fixture.caller({ menus: [] });
    const paths: ['GET' | 'POST', string][] = [
      ['POST', '/jinmao/web/refundAudit/getRefundAuditList/'],
      ['POST', '/jinmao/web/refundAudit/getRefundAuditCount/'],
      ['GET', '/jinmao/web/refundAudit/viewReason/'],
      ['GET', '/jinmao/web/refundAudit/restartRefund/'],
      ['POST', '/jinmao/web/bizRefundAudit/audit'],
      ['GET', '/jinmao/web/bizRefundAudit/detail'],
      ['POST', '/jinmao/web/bizRefundAudit/search'],
      ['POST', '/jinmao/web/refundAudit/exportRefundOrderExcel'],
      ['GET', '/jinmao/web/refundAudit/queryBusTypeList'],
    ];
    for (const [method, path] of paths) {
      const body = method === 'POST' ? {} : undefined;
      expect([path, (await fixture.call({ token: 'none' }, method, path, body)).http]).toEqual([path, 401]);
      expect([path, (await fixture.call(nobody, method, path, body)).http]).toEqual([path, 403]);
    }
    expect((await audit(reader, 1)).http).toBe(403);
    const all = await fixture.caller({ elements: [...AUDITOR, ...FINANCE] });
    for (const path of [
      '/jinmao/web/refundAudit/viewReason/',
      '/jinmao/web/refundAudit/restartRefund/',
      '/jinmao/web/bizRefundAudit/detail',
    ])
      expect([path, (await fixture.call(all, 'GET', path)).http]).toEqual([path, 422]);
    expect(
      (await fixture.call(all, 'POST', '/jinmao/web/bizRefundAudit/audit', { isPass: 1 })).data.fields,
    ).toHaveProperty('auditId');
    expect((await audit(all, 999_999)).http).toBe(404);
  });

  test('rows of the list: types, masks and codes as the specification names them', async () => {
    const caller = await fixture.caller({ elements: AUDITOR });
    const made = await apply(await order(31_234));
    const list = await fixture.call(caller, 'POST', '/jinmao/web/refundAudit/getRefundAuditList/', {
      searchVal: made.code,
      busType: 1,
      auditStat: 0,
      startTime: '2020-01-01',
      page: 1,
      limit: 10,
    });
    expect(list.data.total).toBe(1);
    expect(list.data.list).toEqual(list.data.rows);
    expect(list.data.rows[0]).toMatchObject({
      id: String(made.id),
      code: made.code,
      subId: expect.stringMatching(/^\d+$/),
      productName: 'A',
      userName: '王*明',
      mobilePhone: '138****5678',
      name: 'merchant A',
      subNum: 1,
      cost: '312.34',
      auditStatus: 0,
      auditStatusDesc: '退款审核中',
      busType: 1,
      level: 1,
      actions: ['approve', 'reject'],
    });
    const english = await fixture.call(
      caller,
      'POST',
      '/jinmao/web/refundAudit/getRefundAuditList',
      { searchVal: made.code },
      'en',
    );
    expect(english.data.rows[0].auditStatusDesc).toBe('Reviewing');
    const detail = (await fixture.call(caller, 'GET', `/jinmao/web/bizRefundAudit/detail?auditId=${made.id}`))
      .data;
    expect(Object.keys(detail)).toEqual(
      expect.arrayContaining([
        'id',
        'applyId',
        'applyType',
        'auditStatus',
        'companyId',
        'subId',
        'subCode',
        'subTitle',
        'subCreateTime',
        'busType',
        'actualId',
        'projectId',
        'userId',
        'applyPrice',
        'cash',
        'points',
        'coins',
        'freight',
        'fee',
        'lines',
        'suggested',
        'refundSuccessTime',
        'channelRefundNo',
        'attempts',
        'status',
        'eventList',
        'actions',
      ]),
    );
    expect(detail).toMatchObject({
      applyType: 1,
      cash: '312.34',
      applyPrice: '312.34',
      freight: '0.00',
      status: 10,
      refundSuccessTime: null,
    });
    const search = await fixture.call(caller, 'POST', '/jinmao/web/bizRefundAudit/search', {
      subIds: [detail.subId],
      minPrice: '312.34',
      maxPrice: 312.34,
      level: 1,
      applyType: 1,
      hasAfterSale: false,
      sort: '-createTime',
    });
    expect(search.data.rows.map((row: { id: string }) => row.id)).toEqual([String(made.id)]);
    for (const body of [
      { busType: 9 },
      { auditStat: 7 },
      { sort: 'phone' },
      { startTime: '2020-13-01' },
      { nonsense: 1 },
    ])
      expect([
        body,
        (await fixture.call(caller, 'POST', '/jinmao/web/bizRefundAudit/search', body)).http,
      ]).toEqual([body, 422]);
    expect((await fixture.call(caller, 'GET', '/jinmao/web/refundAudit/queryBusTypeList')).data).toEqual([
      { id: 0, name: '原业务' },
      { id: 1, name: '商品订单' },
      { id: 2, name: '预约订单' },
    ]);
    const generic = (await fixture.call(caller, 'GET', `/jinmao/web/refund/${made.id}`)).data;
    expect(generic).toMatchObject({
      applicant: null,
      applicantType: 'buyer',
      customer: '王*明',
      cost: '312.34',
    });
    expect(generic.parts.money).toEqual([
      {
        scope: 'order',
        paid: '312.34',
        refunded: '0.00',
        inProgress: '0.00',
        current: '312.34',
        leftAfter: '0.00',
      },
      {
        scope: 'payment',
        paid: '312.34',
        refunded: '0.00',
        inProgress: '0.00',
        current: '312.34',
        leftAfter: '0.00',
      },
    ]);
    expect(JSON.stringify(generic)).not.toContain('王小明');
    expect(
      JSON.stringify((await fixture.call(caller, 'GET', `/jinmao/web/refund/${made.id}/timeline`)).data),
    ).not.toContain('王小明');
  });

  test('tabs count, every filter and sort runs, export has the 26 columns', async () => {
    const caller = await fixture.caller({ elements: AUDITOR });
    const counts = await fixture.call(caller, 'GET', '/jinmao/web/refund/counts');
    expect(Object.keys(counts.data)).toEqual([
      'mine',
      'reviewing',
      'refunding',
      'failed',
      'succeeded',
      'cancelled',
      'all',
    ]);
    expect(counts.data.mine).toBe(await badge(caller));
    for (const query of [
      'merchant=1',
      'centreCity=1',
      'project=1',
      'state=failed',
      'businessType=goods,service',
      'appliedAt=2020-01-01~',
      'cost=1~',
      'applicantType=staff',
      'level=two',
      'searchVal=RF',
      'sort=cost',
      'sort=-applyPrice',
      'phone=13812345678',
      'customer=x',
      'tab=mine',
    ])
      expect([query, (await page(caller, query)).http]).toEqual([query, 200]);
    const source = registration.exports![0]!;
    expect(source.columns('zh').map((column) => column.title)).toEqual([
      '序号',
      '退款单号',
      '订单号',
      '商户支付单号',
      '渠道退款号',
      '业务类型',
      '商户',
      '项目',
      '商品',
      '客户',
      '电话',
      '数量',
      '实付',
      '申请金额',
      '退现金',
      '退积分',
      '运费',
      '违约金',
      '状态',
      '申请人类型',
      '申请时间',
      '审核人',
      '审核时间',
      '成功时间',
      '原因',
      '失败原因',
    ]);
    const rows: (string | number | null)[][] = [];
    for await (const batch of source.read(
      { caller, platform: fixture.platform, language: 'zh' },
      { state: 'reviewing' },
    ))
      rows.push(...batch.map((row) => [...row]));
    expect(rows.map((row) => row[0])).toEqual(rows.map((_row, index) => index + 1));
    expect(rows[0]).toHaveLength(26);
    expect(rows[0]).toEqual(expect.arrayContaining(['王*明', '138****5678', '退款审核中', '商品订单']));
    const task = await fixture.call(caller, 'POST', '/jinmao/web/refundAudit/exportRefundOrderExcel', {
      auditStat: 0,
      startTime: '2020-01-01',
    });
    expect(task.data.taskId).toMatch(/^[0-9a-f-]{36}$/);
    expect(
      await runOne(fixture.db, 'SELECT source, query FROM task WHERE id = $1', [task.data.taskId]),
    ).toEqual({ source: 'refund', query: { state: 'reviewing', appliedAt: '2020-01-01~' } });
    const reader = await fixture.caller();
    expect(
      (await fixture.call(reader, 'POST', '/jinmao/web/refundAudit/exportRefundOrderExcel', {})).http,
    ).toBe(403);
  });

  test('the palette finds a number in scope only', async () => {
    const a = await fixture.caller({ merchant: 0 });
    const b = await fixture.caller({ merchant: 1 });
    const made = await apply(await order(30_000));
    const find = async (caller: Staff, keyword: string) =>
      (await fixture.call(caller, 'GET', `/admin/search?keyword=${keyword}`)).data;
    expect(await find(a, made.code)).toMatchObject([{ code: made.code }]);
    expect(await find(a, made.code.slice(-6))).toMatchObject([{ code: made.code }]);
    expect(await find(b, made.code)).toEqual([]);
  });
});

describe('bulk, force and offline', () => {
  test('bulk pass answers per row and refuses more than refund.bulk_max', async () => {
    const me = await fixture.caller({ merchant: 0 });
    const auditor = await fixture.caller({ elements: AUDITOR, merchant: 0 });
    const small = [await apply(await order(20_000), me), await apply(await order(15_000), me)];
    const large = await apply(await order(20_001), me);
    const answer = await fixture.call(auditor, 'POST', '/jinmao/web/refund/bulk/bulkPass', {
      ids: [...small, large].map((made) => String(made.id)),
      input: {},
    });
    expect(answer.data.done).toEqual(small.map((made) => String(made.id)));
    expect(answer.data.failed).toEqual([{ id: String(large.id), message: '批量通过单笔不超过200.00元' }]);
    const many = await fixture.call(auditor, 'POST', '/jinmao/web/refund/bulk/bulkPass', {
      ids: Array.from({ length: 51 }, (_one, index) => String(index + 1)),
      input: {},
    });
    expect(many.http).toBe(422);
  });

  test('force: platform only, everything left, level 2 from refund.finance_from on', async () => {
    const root = await fixture.caller({ elements: ['btn_force', ...AUDITOR] });
    const merchant = await fixture.caller({ elements: ['btn_force'], merchant: 0 });
    const paid = await order(90_000, { qty: 2 });
    const force = (caller: Staff, code: string, reason = '商户失联，平台先行退款') =>
      fixture.call(caller, 'POST', '/jinmao/web/refund/action/force', { orderCode: code, reason });
    expect((await force(merchant, paid.code)).http).toBe(403);
    expect((await force(root, paid.code, '短')).http).toBe(422);
    expect((await force(root, 'SO0')).http).toBe(404);
    // Platform staff who are limited to projects reach no order of another one.
    const elsewhere = await fixture.caller({ elements: ['btn_force'], projects: [999_999] });
    expect((await force(elsewhere, paid.code)).http).toBe(404);
    const done = await force(root, paid.code);
    expect(done.data).toMatchObject({ state: 'refunding', cash: '1800.00' });
    expect((await force(root, paid.code)).message).toBe('该订单有未完成的退款');
    expect((await force(root, (await order(250_000)).code)).data).toMatchObject({
      state: 'reviewing',
      level: 2,
    });
  });

  test('money that came by receipts is offered the offline way only, at either level', async () => {
    const both = await fixture.caller({ elements: [...AUDITOR, ...FINANCE] });
    for (const price of [30_000, 250_000]) {
      const made = await apply(await order(price));
      await run(
        fixture.db,
        'UPDATE payment SET by_receipts = true, channel = 0, trade_no = NULL WHERE id = (SELECT payment_id FROM refund WHERE id = $1)',
        [Number(made.id)],
      );
      const { data } = await fixture.call(both, 'GET', `/jinmao/web/refund/${made.id}`);
      expect(data.actions).toContain('offline');
      expect(data.actions).toContain('reject');
      for (const name of ['approve', 'bulkPass', 'approveFinance', 'passAgain', 'restart'])
        expect(data.actions).not.toContain(name);
      expect((await audit(both, made.id)).message).toBe('款项由收款单收取，请使用线下退款');
    }
  });

  test('group 21 Must show 11: 366 days after payment, pass refused naming the offline way; offline by two people', async () => {
    const auditor = await fixture.caller({ elements: AUDITOR });
    const one = await fixture.caller({ elements: FINANCE });
    const two = await fixture.caller({ elements: FINANCE });
    const paid = await order(30_000, { paidDaysAgo: 366 });
    const made = await apply(paid);
    const refused = await audit(auditor, made.id);
    expect([refused.status, refused.message]).toEqual([30101, '已超过渠道退款期限365天，请使用线下退款']);
    const file = '00000000-0000-4000-8000-000000000001';
    await run(
      fixture.db,
      `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access, owner_id) VALUES ($1, 'v.png', 'image/png', 1, '\\x00', 'k1', 'private', $2)`,
      [file, one.staffId],
    );
    const offline = (caller: Staff, action: string, body: object) =>
      fixture.call(caller, 'POST', `/jinmao/web/refund/${made.id}/${action}`, body);
    expect((await offline(one, 'offline', { payee: '王小明 工行' })).data.fields).toHaveProperty('voucher');
    expect((await offline(one, 'confirmOffline', {})).message).toBe('尚未登记线下退款');
    const recorded = await offline(one, 'offline', { payee: '王小明 工行 6222', voucher: [file] });
    expect(recorded.data).toMatchObject({ state: 'reviewing', offlineWaits: true });
    expect((await offline(one, 'confirmOffline', {})).message).toBe('须由另一人确认线下退款');
    // Money that may be out already goes no second way, until somebody says it is not.
    const WAITS = '已登记线下退款，请先确认或撤销登记';
    expect((await audit(auditor, made.id)).message).toBe(WAITS);
    expect((await offline(auditor, 'reject', { reason: '不想退了' })).message).toBe(WAITS);
    expect((await offline(two, 'offline', { payee: '王小明', voucher: [file] })).message).toBe(WAITS);
    const mine = async (caller: Staff) =>
      (await fixture.call(caller, 'GET', `/jinmao/web/refund/page?tab=mine&searchVal=${made.code}`)).data.rows
        .length;
    expect([await mine(auditor), await mine(one), await mine(two)]).toEqual([0, 0, 1]);
    expect((await offline(two, 'withdrawOffline', {})).data.fields).toHaveProperty('reason');
    expect((await offline(two, 'withdrawOffline', { reason: '凭证传错，款未付出' })).data).toMatchObject({
      state: 'reviewing',
      offlineWaits: false,
    });
    expect((await offline(two, 'withdrawOffline', { reason: '凭证传错，款未付出' })).message).toBe(
      '尚未登记线下退款',
    );
    await offline(one, 'offline', { payee: '王小明 工行 6222', voucher: [file] });
    expect((await fixture.call(two, 'GET', `/jinmao/web/refund/${made.id}/vouchers`)).data).toMatchObject([
      { id: file, name: 'v.png' },
    ]);
    // Name and account are nobody's to read in passing: masked, revealed with the right for it, in no remark.
    const reader = await fixture.caller({ elements: [...AUDITOR] });
    const seenBy = async (path: string) => (await fixture.call(reader, 'GET', path)).data;
    const shown = await seenBy(`/jinmao/web/refund/${made.id}`);
    expect(shown).toMatchObject({ payee: '王*********2', parts: { offline: { waits: true } } });
    for (const path of [
      `/jinmao/web/refund/${made.id}`,
      `/jinmao/web/refund/${made.id}/timeline`,
      `/jinmao/web/refund/page?searchVal=${made.code}`,
      `/jinmao/web/bizRefundAudit/detail?id=${made.id}`,
      `/jinmao/web/refundAudit/viewReason?auditId=${made.id}`,
    ])
      expect([path, JSON.stringify(await seenBy(path)).includes('6222')]).toEqual([path, false]);
    expect((await fixture.call(reader, 'GET', `/jinmao/web/refund/${made.id}/vouchers`)).http).toBe(403);
    const clear = await registration.reveal!.find(reader, fixture.platform, made.id);
    expect(clear).toMatchObject({ payee: '王小明 工行 6222' });
    expect((await offline(two, 'confirmOffline', {})).data).toMatchObject({
      state: 'succeeded',
      way: 'offline',
    });
    expect(
      await runOne(fixture.db, 'SELECT state, refund_status FROM sales_order WHERE id = $1', [paid.id]),
    ).toEqual({ state: 'closed', refund_status: 'full' });
    expect(
      await run(
        fixture.db,
        'SELECT 1 FROM sandbox_refund s JOIN refund r ON r.channel_refund_no = s.refund_no WHERE r.id = $1',
        [made.id],
      ),
    ).toEqual([]);
    // A channel that pays all the same is noted for whoever has to get the money back; nothing is booked twice.
    await receiveChannelResult(fixture.platform, {
      refundNo: `CR${made.code.slice(2)}`,
      state: 'success',
      code: 'SUCCESS',
      message: '',
    });
    const noted = await run(
      fixture.db,
      `SELECT 1 FROM refund_event WHERE refund_id = $1 AND remark LIKE '渠道显示已出款%'`,
      [made.id],
    );
    expect(noted).toHaveLength(1);
    expect(await runOne(fixture.db, 'SELECT refunded FROM payment WHERE id = $1', [paid.paymentId])).toEqual({
      refunded: 30_000,
    });
    const fresh = await apply(await order(30_000));
    expect(
      (
        await fixture.call(one, 'POST', `/jinmao/web/refund/${fresh.id}/offline`, {
          payee: 'xx',
          voucher: [file],
        })
      ).message,
    ).toBe('可原路退回，不能线下退款');
  });

  test('one audit record a write', async () => {
    const auditor = await fixture.caller({ elements: AUDITOR });
    const made = await apply(await order(30_000));
    expect((await audit(auditor, made.id)).http).toBe(200);
    const events = await run(
      fixture.db,
      `SELECT 1 FROM audit_record WHERE entity = 'refund' AND entity_id = $1 AND action = 'approve'`,
      [String(made.id)],
    );
    expect(events).toHaveLength(1);
  });

  test('the filter by success day holds every success; that of the sales analysis no refund of a team that never formed', async () => {
    const auditor = await fixture.caller({ elements: AUDITOR });
    const sold = await order(4_000);
    const unformed = await order(6_000);
    await run(fixture.db, `UPDATE sales_order SET type = 'group' WHERE id = $1`, [unformed.id]);
    const made = [await apply(sold), await apply(unformed)];
    for (const one of made)
      await receiveChannelResult(fixture.platform, {
        refundNo: `CR${one.code.slice(2)}`,
        state: 'success',
        code: 'SUCCESS',
        message: '',
      });
    expect([await state(made[0]!.id), await state(made[1]!.id)]).toEqual(['succeeded', 'succeeded']);
    const today = businessDayOf(new Date());
    const listed = async (filter: string) => {
      const { data } = await page(auditor, `state=succeeded&${filter}=${today}~${today}&limit=200`);
      return made.map((one) => data.rows.some((row: { id: string }) => row.id === String(one.id)));
    };
    expect(await listed('succeededAt')).toEqual([true, true]);
    expect(await listed('backAt')).toEqual([true, false]);
  });
});
