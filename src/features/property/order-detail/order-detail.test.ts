import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDesk, type Desk } from '../work-order/work-order-fixture.ts';
import { registration } from './order-detail.server.ts';

const PATH = '/jinmao/web/orderEngine/getSubDetailByWeb';
let desk: Desk;
beforeAll(async () => {
  desk = await openDesk([registration]);
});
afterAll(() => desk?.close());

test('an order with its clocks, buttons of the caller and what happened', async () => {
  const worker = desk.plumbers[0]!;
  const id = await desk.order();
  await desk.act(desk.dispatcher, id, 'dispatch', { handler: String(worker.staffId), note: '尽快' });
  await desk.act(worker, id, 'accept');
  const { data } = await desk.call(worker, 'GET', `${PATH}?id=${id}`);
  expect(data.detail).toMatchObject({
    id,
    woType: 1,
    woTypeStr: '投诉报修',
    woStatus: '02',
    woStatusStr: '已接受',
    classifyName: '马桶故障',
    contactName: '陈*雨',
    contactTel: '138****8000',
    isBehalf: 0,
    source: 4,
    sourceStr: 'WEB端',
    subStatus: null,
    crmSync: 0,
    handleName: 'plumb1',
    slaResponse: { state: 'met', targetMinutes: 30, pausedMinutes: 0 },
    slaResolve: { state: 'running', targetMinutes: 960 },
    totalPrice: '0.00',
    invoiceType: 0,
    itemList: [],
    materialList: [],
    evaluate: null,
    isTurn: 1,
  });
  expect(
    data.operateButtonList.map((one: { code: string; display: number }) => [one.code, one.display]),
  ).toEqual([
    ['12', 3],
    ['14', 1],
    ['17', 1],
  ]);
  expect(
    data.transactionLogList.map((one: { operateType: string; title: string }) => [
      one.operateType,
      one.title,
    ]),
  ).toEqual([
    ['create', '创建工单'],
    ['dispatch', '派单'],
    ['accept', '接单'],
  ]);
  // Whoever only holds the page sees the order and no buttons of the list.
  const reader = {
    ...worker,
    menus: new Map([['cs_orderDetail', [{ kind: 'all' as const }]]]),
    elements: new Set<string>(),
    epoch: '9',
  };
  const read = await desk.call(reader, 'GET', `${PATH}/?id=${id}`);
  expect([read.http, read.data.operateButtonList]).toEqual([200, []]);
});

test('another project, the complained staff and unknown orders answer 404', async () => {
  const id = await desk.order();
  expect((await desk.call(desk.stranger, 'GET', `${PATH}?id=${id}`)).http).toBe(404);
  expect((await desk.call(desk.dispatcher, 'GET', `${PATH}?id=${id}&objType=2`)).http).toBe(404);
  expect((await desk.call(desk.dispatcher, 'GET', `${PATH}?id=999999`)).http).toBe(404);
  expect((await desk.call(desk.dispatcher, 'GET', `${PATH}?id=${id}&objType=3`)).http).toBe(422);
  const complaint = await desk.order({
    class: 'complaint',
    category: '31',
    complainedStaff: String(desk.plumbers[1]!.staffId),
  });
  expect((await desk.call(desk.plumbers[1]!, 'GET', `${PATH}?id=${complaint}`)).http).toBe(404);
  expect((await desk.call(desk.plumbers[0]!, 'GET', `${PATH}?id=${complaint}`)).http).toBe(200);
});
