import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { insertRow } from '../../../kernel/server/resource/run-action.ts';
import { transaction } from '../../../kernel/server/database.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import { receiveChannelResult } from '../../after-sales/refund/refund-send.server.ts';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import { registration as refunds } from '../../after-sales/refund/refund.server.ts';
import { registration as orders } from './goods-order.server.ts';
import { memberTicket } from './member-ticket.server.ts';
import {
  all,
  callAs,
  createExampleOrders,
  deliverAll,
  one,
  openShop,
  payExampleOrders,
  runJob,
  type Shop,
} from './order-fixture.ts';

const ROOT = '/jinmao/web/goodsOrder';
const SERVICES: readonly Registration[] = [orders, checkout, refunds];

let shop: Shop;
beforeEach(async () => {
  shop = await openShop(SERVICES);
});
afterEach(async () => {
  await shop.close();
});

describe('a checkout of two merchants', () => {
  /** Everything merchant 1 can read of its order, as one text. */
  const seen = async (order: string) => {
    const answers = await Promise.all(
      [
        `${ROOT}/${order}`,
        `${ROOT}/${order}/timeline`,
        `${ROOT}/page`,
        `/jinmao/bizProductOrder/findProductOrderInfo?orderId=${order}`,
      ].map((url) => callAs(shop, 'merchant1', 'GET', url)),
    );
    for (const answer of answers) expect(answer.http).toBe(200);
    return JSON.stringify(answers);
  };
  // 142.40 and what differs from it by the other order, with and without the reduction; also what was paid wrongly.
  const FOREIGN = ['142.40', '142.39', '132.40', '42.99'];
  const clean = (text: string) => FOREIGN.filter((amount) => text.includes(amount));

  test('asking for payment tells a merchant its own part only; the link pays the whole', async () => {
    const [first] = await createExampleOrders(shop);
    const asked = await callAs(shop, 'merchant1', 'POST', `${ROOT}/${first}/pay`, { channel: '1' });
    expect(asked.data.result).toMatchObject({ amount: '99.41', partial: true });
    expect(clean(JSON.stringify(asked))).toEqual([]);
    expect(clean(await seen(first))).toEqual([]);
    const guessed = await callAs(shop, 'merchant1', 'POST', `${ROOT}/${first}/sandboxPay`, {
      mark: '142.40',
      channel: '1',
    });
    expect(guessed.status).toBe(30101);
    const paid = await callAs(shop, 'merchant1', 'POST', `${ROOT}/${first}/sandboxPay`, {
      mark: asked.data.result.mark,
      channel: '1',
    });
    expect(paid.http).toBe(200);
    await deliverAll(shop);
    expect(await one(shop, 'SELECT state, amount FROM payment')).toEqual({ state: 2, amount: 14_240 });
    expect(clean(await seen(first))).toEqual([]);
    expect((await callAs(shop, 'platform', 'GET', `${ROOT}/${first}`)).data.payment.amount).toBe('142.40');
  });

  test('a wrong amount and money after closing show no sum of the checkout on the timeline', async () => {
    const [first] = await createExampleOrders(shop);
    expect(await payExampleOrders(shop, { amount: 14_239 })).toBe('amount_differs');
    await deliverAll(shop);
    await all(shop, `UPDATE sandbox_refund SET state = 'success', paid_times = 1`);
    await deliverAll(shop);
    await all(shop, `UPDATE sales_order SET pay_deadline = now() - interval '1 minute'`);
    await runJob(shop, 'order.close_unpaid');
    expect(await payExampleOrders(shop, { tradeNo: 'T-9' })).toBe('late');
    const codes = await all(shop, 'SELECT code FROM order_event WHERE order_id = $1 ORDER BY id', [first]);
    expect(codes.map((row) => row.code)).toEqual(expect.arrayContaining([9, 43, 42]));
    const text = await seen(first);
    expect(clean(text)).toEqual([]);
    expect(text).toContain('99.41 · T-9');
  });

  test('a refund of one names no coupon of the other', async () => {
    const [, second] = await createExampleOrders(shop);
    await payExampleOrders(shop);
    await deliverAll(shop);
    const line = await one(shop, 'SELECT id FROM order_line WHERE order_id = $1', [second]);
    const asked = await callAs(shop, 'merchant2', 'POST', `${ROOT}/${second}/refund`, {
      reasonCode: 'not_wanted',
      reason: '协商退款',
      lines: [{ lineId: String(line.id), qty: 1 }],
    });
    expect(asked.http).toBe(200);
    const refund = await one(shop, 'SELECT id FROM refund WHERE order_id = $1', [second]);
    const coupon = await one(shop, 'SELECT name FROM coupon WHERE id = $1', [shop.ids.merchantCoupon]);
    const read = async (who: 'merchant2' | 'platform') =>
      JSON.stringify((await callAs(shop, who, 'GET', `/jinmao/web/refund/${refund.id}`)).data);
    expect(await read('merchant2')).not.toContain(coupon.name);
    expect(await read('platform')).toContain(coupon.name);
  });
});

describe('members of 代客下单', () => {
  const stranger = (phone: string) =>
    transaction(shop.platforms[0]!.database.db, (tx) =>
      insertRow(tx, 'member', { name: '林小梅', phone, project_id: shop.ids.project }),
    );
  const quote = (who: 'merchant1' | 'platform', member: number, ticket?: string) =>
    callAs(shop, who, 'POST', `${ROOT}/quote`, {
      memberId: String(member),
      projectId: String(shop.ids.project),
      lines: [{ specId: String(shop.ids.rice), qty: 1 }],
      ...(ticket === undefined ? {} : { memberTicket: ticket }),
    });
  const order = (member: number, ticket?: string) =>
    callAs(shop, 'merchant1', 'POST', ROOT, {
      member: String(member),
      project: String(shop.ids.project),
      address: '花园小区 8 号楼 101',
      lines: [{ specId: String(shop.ids.rice), qty: 1 }],
      shownTotal: '45.90',
      ...(ticket === undefined ? {} : { memberTicket: ticket }),
    });
  const byIds = (who: 'merchant1' | 'platform', ids: readonly number[]) =>
    callAs(shop, who, 'GET', `/jinmao/web/options/orderMember?ids=${ids.join(',')}`);
  const orderCount = async () => (await one<{ n: number }>(shop, 'SELECT count(*) AS n FROM sales_order')).n;

  test('nobody leafs through members by number: a merchant needs the whole phone, once per session', async () => {
    const member = await stranger('13900139000');
    const ids = Array.from({ length: 50 }, (_one, index) => index + 1);
    expect((await byIds('merchant1', ids)).data).toEqual([]);
    expect((await byIds('platform', ids)).data.length).toBeGreaterThanOrEqual(2);
    for (const answer of [
      await quote('merchant1', member),
      await order(member),
      await quote('merchant1', 999_999),
      await order(999_999),
    ])
      expect([answer.http, answer.message]).toEqual([404, '会员不存在或无权查看']);
    expect(await orderCount()).toBe(0);
    expect((await callAs(shop, 'merchant1', 'GET', `${ROOT}/member?phone=1390013900`)).data).toEqual([]);

    const [found] = (await callAs(shop, 'merchant1', 'GET', `${ROOT}/member?phone=13900139000`)).data;
    expect(found).toMatchObject({
      id: String(member),
      name: maskValue('name', '林小梅'),
      phone: '139****9000',
      houses: [],
    });
    expect(JSON.stringify(found)).not.toContain('13900139000');
    expect((await quote('merchant1', member, found.ticket)).data.payable).toBe('45.90');

    const { config } = shop.platforms[0]!;
    const mine = shop.callers.merchant1;
    const foreign: [string, string][] = [
      ['for another member', memberTicket(config, mine, shop.ids.member)],
      ['of another staff', memberTicket(config, shop.callers.merchant2, member)],
      ['of another session', memberTicket(config, { ...mine, sessionId: 77 }, member)],
      ['ended', memberTicket(config, mine, member, Date.now() - 1_801_000)],
      ['changed', `${found.ticket.slice(0, -2)}xx`],
      ['empty', ''],
    ];
    for (const [what, ticket] of foreign) {
      expect((await quote('merchant1', member, ticket)).http, what).toBe(404);
      expect((await order(member, ticket)).http, what).toBe(404);
    }
    expect(await orderCount()).toBe(0);
    expect((await order(member, found.ticket)).http).toBe(200);
    // From now on the member is a buyer of this merchant, whose orders it sees anyway; not of the other one.
    expect((await byIds('merchant1', [member, shop.ids.member])).data).toMatchObject([
      { id: String(member) },
    ]);
    expect((await quote('merchant1', member)).http).toBe(200);
  });

  test('a ticket does not reach beyond the projects of the merchant; houses elsewhere stay unknown', async () => {
    const project = await transaction(shop.platforms[0]!.database.db, async (tx) => {
      const place = await one(shop, 'SELECT unit_id, centre_id FROM project WHERE id = $1', [
        shop.ids.project,
      ]);
      return insertRow(tx, 'project', { code: 'P2', name: 'Elsewhere', ...place });
    });
    const far = await transaction(shop.platforms[0]!.database.db, (tx) =>
      insertRow(tx, 'member', { name: '远', phone: '13700137000', project_id: project }),
    );
    expect((await callAs(shop, 'merchant1', 'GET', `${ROOT}/member?phone=13700137000`)).data).toEqual([]);
    const ticket = memberTicket(shop.platforms[0]!.config, shop.callers.merchant1, far);
    expect((await quote('merchant1', far, ticket)).http).toBe(404);
    const house = await transaction(shop.platforms[0]!.database.db, async (tx) => {
      const unit = await one(shop, 'SELECT unit_id FROM house WHERE id = $1', [shop.ids.house]);
      return insertRow(tx, 'house', {
        project_id: project,
        unit_id: unit.unit_id,
        number: '909',
        built_area: 80,
      });
    });
    await all(shop, `INSERT INTO household (member_id, house_id, identity) VALUES ($1, $2, 'owner')`, [
      shop.ids.member,
      house,
    ]);
    const houses = async (who: 'merchant1' | 'platform') =>
      (await callAs(shop, who, 'GET', `${ROOT}/member?phone=13800138000`)).data[0].houses.length;
    expect([await houses('merchant1'), await houses('platform')]).toEqual([1, 2]);

    // An empty house elsewhere is as unknown as one somebody lives in, and as none; so is the member's project elsewhere.
    const empty = await transaction(shop.platforms[0]!.database.db, async (tx) => {
      const { unit_id } = await one(shop, 'SELECT unit_id FROM house WHERE id = $1', [house]);
      return insertRow(tx, 'house', { project_id: project, unit_id, number: '910', built_area: 80 });
    });
    const { member } = shop.ids;
    const asked = async (place: Record<string, string>) => {
      const answer = await callAs(shop, 'merchant1', 'POST', `${ROOT}/quote`, {
        memberId: String(member),
        memberTicket: memberTicket(shop.platforms[0]!.config, shop.callers.merchant1, member),
        lines: [{ specId: String(shop.ids.rice), qty: 1 }],
        ...place,
      });
      return [answer.http, answer.message];
    };
    for (const id of [house, empty, 999_999])
      expect(await asked({ houseId: String(id) })).toEqual([404, '房屋不存在']);
    for (const id of [project, 999_999])
      expect(await asked({ projectId: String(id) })).toEqual([404, '项目不存在或无权查看']);
    const answers = [];
    for (const home of [null, project]) {
      await all(shop, 'UPDATE member SET project_id = $2 WHERE id = $1', [member, home]);
      answers.push(await asked({}));
    }
    expect(answers[0]![0]).toBe(422);
    expect(answers[1]).toEqual(answers[0]);
    await all(shop, 'UPDATE member SET project_id = $2 WHERE id = $1', [member, shop.ids.project]);
  });
});

test('goods that are not on sale are not named: a quote answers as for those that do not exist', async () => {
  const quote = async (spec: number) => {
    const answer = await callAs(shop, 'platform', 'POST', `${ROOT}/quote`, {
      memberId: String(shop.ids.member),
      projectId: String(shop.ids.project),
      lines: [{ specId: String(spec), qty: 1 }],
    });
    return [answer.http, answer.message];
  };
  const { product_id: id, status } = await one<{ product_id: number; status: string }>(
    shop,
    'SELECT s.product_id, p.status FROM product_spec s JOIN product p ON p.id = s.product_id WHERE s.id = $1',
    [shop.ids.rice],
  );
  const set = (column: string, value: string | null) =>
    all(shop, `UPDATE product SET ${column} = $2 WHERE id = $1`, [id, value]);
  expect((await quote(shop.ids.rice))[0]).toBe(200);
  for (const unsold of ['draft', 'reviewing', 'rejected', 'off_shelf']) {
    await set('status', unsold);
    expect([unsold, await quote(shop.ids.rice)]).toEqual([unsold, [404, '第1行商品不存在或未上架']]);
  }
  await set('status', status);
  expect(await quote(999_999)).toEqual([404, '第1行商品不存在或未上架']);
  expect((await quote(shop.ids.rice))[0]).toBe(200);
});

describe('invoice and refunds by staff', () => {
  const make = (more: Record<string, unknown>) =>
    callAs(shop, 'platform', 'POST', ROOT, {
      member: String(shop.ids.member),
      house: String(shop.ids.house),
      lines: [{ specId: String(shop.ids.tissue), qty: 2 }],
      coupons: [],
      shownTotal: '39.80',
      ...more,
    });

  test('an invoice needs its title, a company its tax number; a refund marks it 需红冲', async () => {
    expect((await make({ invoiceType: '1' })).data.fields).toHaveProperty('invoiceName');
    expect((await make({ invoiceType: '2', invoiceName: '某某公司' })).data.fields).toHaveProperty(
      'dutyCode',
    );
    expect(
      (await make({ invoiceType: '2', invoiceName: '某某公司', dutyCode: 'x' })).data.fields,
    ).toHaveProperty('dutyCode');
    expect((await make({ invoiceType: '3' })).http).toBe(422);
    const made = await make({ invoiceType: '2', invoiceName: '某某公司', dutyCode: '91310000MA1FL0000X' });
    const id = made.data.id as string;
    await payExampleOrders(shop);
    const read = async () => (await callAs(shop, 'platform', 'GET', `${ROOT}/${id}`)).data;
    expect((await read()).invoice).toEqual({
      type: 2,
      name: '某某公司',
      dutyCode: '91310000MA1FL0000X',
      toReverse: false,
    });
    expect(
      (await callAs(shop, 'platform', 'GET', `/jinmao/bizProductOrder/findProductOrderInfo?orderId=${id}`))
        .data,
    ).toMatchObject({ invoiceType: 2, invoiceName: '某某公司', dutyCode: '91310000MA1FL0000X' });
    const line = (await read()).lines[0].id;
    const refunded = await callAs(shop, 'platform', 'POST', `${ROOT}/${id}/refund`, {
      lines: [{ lineId: line, qty: 1 }],
      reasonCode: 'not_wanted',
      reason: '不想要了',
    });
    expect(refunded.data.result).toMatchObject({ state: 'refunding', cash: '19.90' });
    const { no } = await one(shop, 'SELECT channel_refund_no AS no FROM refund');
    const result = { refundNo: no, state: 'success', code: 'SUCCESS', message: '' } as const;
    await receiveChannelResult(shop.platforms[0]!, result);
    expect((await read()).invoice.toReverse).toBe(true);
  });

  test('the title of a personal invoice is masked like every name, in the detail and in the path of the specification', async () => {
    const made = await make({ invoiceType: '1', invoiceName: '林小梅' });
    const id = made.data.id as string;
    const detail = (await callAs(shop, 'platform', 'GET', `${ROOT}/${id}`)).data;
    expect([detail.invoice.name, detail.invoicePerson]).toEqual(['林*梅', '林*梅']);
    const path = await callAs(
      shop,
      'platform',
      'GET',
      `/jinmao/bizProductOrder/findProductOrderInfo?orderId=${id}`,
    );
    expect(path.data).toMatchObject({ invoiceType: 1, invoiceName: '林*梅' });
    expect(JSON.stringify([detail, path.data])).not.toContain('林小梅');
  });

  test('only the platform may bear a refund; the applicant takes an application back, nobody else', async () => {
    const made = await make({});
    const id = made.data.id as string;
    await payExampleOrders(shop);
    const line = (await callAs(shop, 'merchant2', 'GET', `${ROOT}/${id}`)).data.lines[0].id;
    const ask = (who: 'merchant2' | 'platform', more: object = {}) =>
      callAs(shop, who, 'POST', `${ROOT}/${id}/refund`, {
        lines: [{ lineId: line, qty: 1 }],
        reasonCode: 'other',
        reason: '协商一致',
        ...more,
      });
    expect((await ask('merchant2', { liable: 'platform' })).data.fields).toEqual({
      liable: '仅平台可选择由平台承担',
    });
    await all(shop, `INSERT INTO setting (key, value) VALUES ('refund.staff_direct_max', '0')`);
    expect((await ask('merchant2')).data.result.state).toBe('reviewing');
    const withdraw = (who: 'merchant2' | 'platform') =>
      callAs(shop, who, 'POST', `${ROOT}/${id}/withdrawRefund`, {});
    expect((await callAs(shop, 'platform', 'GET', `${ROOT}/${id}`)).data.actions).not.toContain(
      'withdrawRefund',
    );
    expect((await callAs(shop, 'merchant2', 'GET', `${ROOT}/${id}`)).data.actions).toContain(
      'withdrawRefund',
    );
    expect(await withdraw('platform')).toMatchObject({ status: 30101, message: '没有您发起的待审核退款' });
    // Twice at once: one effect.
    const both = await Promise.all([withdraw('merchant2'), withdraw('merchant2')]);
    expect(both.map((answer) => answer.status).sort()).toEqual([200, 30101]);
    expect(await one(shop, 'SELECT state, liable FROM refund')).toEqual({
      state: 'cancelled',
      liable: 'merchant',
    });
    expect(await one(shop, 'SELECT refunding, refunded FROM payment')).toEqual({ refunding: 0, refunded: 0 });
    expect((await ask('platform', { liable: 'platform' })).http).toBe(200);
    expect(await one(shop, `SELECT liable FROM refund WHERE state = 'reviewing'`)).toEqual({
      liable: 'platform',
    });
  });
});
