import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { elementCode, elementsOf, type Resource } from '../../../kernel/contract/resource.ts';
import { openDesk, type Desk } from '../work-order/work-order-fixture.ts';
import { businessCalendar } from './business-calendar.contract.ts';
import { registration as calendars } from './business-calendar.server.ts';
import { dispatchRule } from './dispatch-rule.contract.ts';
import { registration as rules } from './dispatch-rule.server.ts';
import { maintenance } from './maintenance.contract.ts';
import { registration as desks } from './maintenance.server.ts';
import { registration as places } from '../../base-data/places/places.server.ts';
import { registration as moves } from './material-move.server.ts';
import { material } from './material.contract.ts';
import { registration as materials } from './material.server.ts';
import { slaPolicy } from './sla-policy.contract.ts';
import { registration as policies } from './sla-policy.server.ts';
import { workCategory } from './work-category.contract.ts';
import { registration as categories } from './work-category.server.ts';

const WEB = '/jinmao/web';
const RESOURCES = [
  businessCalendar,
  dispatchRule,
  maintenance,
  material,
  slaPolicy,
  workCategory,
] as unknown as Resource[];
let desk: Desk;
let boss: Caller;
let platform: Caller;

beforeAll(async () => {
  desk = await openDesk(
    [places, calendars, rules, desks, moves, materials, policies, categories],
    ['cs_maintenance'],
  );
  const elements = RESOURCES.flatMap((resource) =>
    Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)),
  );
  boss = { ...desk.dispatcher, elements: new Set([...desk.dispatcher.elements, ...elements]), epoch: 'b' };
  const [{ id }] = (await desk.sql<{ id: number }>('SELECT id FROM tenant WHERE kind = 3')) as [
    { id: number },
  ];
  platform = {
    ...boss,
    tenantId: id,
    tenantKind: 3,
    projectIds: null,
    staffId: await desk.staff('plat1', id),
    epoch: 'p',
  };
});
afterAll(() => desk?.close());

const post = (who: Caller, path: string, body: object = {}) => desk.call(who, 'POST', `${WEB}${path}`, body);

const put = async (who: Caller, path: string, body: object) => {
  const { version } = (await desk.call(who, 'GET', `${WEB}${path}`)).data;
  return desk.call(who, 'PUT', `${WEB}${path}`, { version, ...body });
};

test('the board: repairs by state, what is due first on top, people with their load; given and transferred by one element', async () => {
  const [first, second] = desk.plumbers;
  const late = await desk.order();
  const soon = await desk.order({ urgency: 'emergency' });
  await desk.order({ class: 'complaint', category: '31' });
  const board = async () => (await desk.call(boss, 'GET', `${WEB}/maintenance/board`)).data;
  const shown = await board();
  const waiting = shown.columns.find((one: { state: string }) => one.state === 'pending_system');
  expect([waiting.count, waiting.cards.map((one: { id: string }) => one.id)]).toEqual([2, [soon, late]]);
  expect(shown.people.map((one: { name: string }) => one.name)).toEqual([
    'plumb1',
    'plumb2',
    'plumb3',
    'garden',
  ]);
  expect(
    (await post(boss, `/maintenance/${soon}/dispatch`, { handler: String(first!.staffId), note: '急' })).http,
  ).toBe(200);
  const after = await board();
  expect(after.people.find((one: { name: string }) => one.name === 'plumb1').open).toBe(1);
  await desk.act(first!, soon, 'accept');
  expect(
    (await post(boss, `/maintenance/${soon}/transfer`, { to: String(second!.staffId), reason: '距离更近' }))
      .data.state,
  ).toBe('to_accept');
  // A card as it was before somebody else gave it away is refused.
  const stale = waiting.cards[0];
  expect(
    (
      await post(boss, `/maintenance/${soon}/dispatch`, {
        handler: String(first!.staffId),
        version: stale.version,
      })
    ).status,
  ).toBe(30101);
  const stranger = { ...boss, projectIds: desk.stranger.projectIds, epoch: 's' };
  const none = (await desk.call(stranger, 'GET', `${WEB}/maintenance/board`)).data;
  expect(none.columns.every((one: { count: number }) => one.count === 0)).toBe(true);
  expect(
    (await desk.call(stranger, 'GET', `${WEB}/maintenance/board?project=${desk.ids.north}`)).data.people,
  ).toEqual([]);
});

test('a policy or calendar that changes moves running clocks and keeps used and paused minutes', async () => {
  const made = await post(boss, '/slaPolicy', {
    name: '北区马桶',
    project: String(desk.ids.north),
    category: '113',
    urgency: 'urgent',
    responseMin: 20,
    resolutionMin: 600,
    calendar: '2',
  });
  expect(made.http).toBe(200);
  const twice = await post(boss, '/slaPolicy', {
    name: '又一个',
    project: String(desk.ids.north),
    category: '113',
    urgency: 'urgent',
    responseMin: 20,
    resolutionMin: 600,
    calendar: '2',
  });
  expect([twice.status, twice.message]).toEqual([30101, '该项目、分类、紧急程度已有启用的策略']);
  const id = await desk.order({ urgency: 'urgent' });
  await desk.sql(`UPDATE sla_clock SET paused_minutes = 45 WHERE order_id = $1`, [id]);
  const clock = async () =>
    (
      await desk.sql<{ target_minutes: number; paused_minutes: number; minutes: number }>(
        `SELECT target_minutes, paused_minutes, round(extract(epoch FROM due_at - started_at) / 60)::integer AS minutes FROM sla_clock WHERE order_id = $1 AND target = 'resolution'`,
        [id],
      )
    )[0];
  expect((await clock())!.target_minutes).toBe(600);
  const policy = made.data.id as string;
  expect((await put(boss, `/slaPolicy/${policy}`, { resolutionMin: 300 })).http).toBe(200);
  expect(await clock()).toEqual({ target_minutes: 300, paused_minutes: 45, minutes: 345 });
  expect((await put(boss, `/slaPolicy/${policy}`, { resolutionMin: 10 })).http).toBe(422);
  // A calendar of the company, half of each day: twice the time until it is due, roughly.
  const calendar = await post(boss, '/businessCalendar', {
    name: '半天',
    publicHolidays: false,
    hours: ['1', '2', '3', '4', '5', '6', '7'].map((weekday) => ({
      weekday,
      fromTime: '00:00',
      toTime: '24:00',
    })),
    days: [],
  });
  expect(calendar.http).toBe(200);
  await put(boss, `/slaPolicy/${policy}`, { calendar: calendar.data.id });
  expect((await clock())!.minutes).toBe(345);
  const rows = (await desk.call(boss, 'GET', `${WEB}/businessCalendar/${calendar.data.id}`)).data;
  const changed = await put(boss, `/businessCalendar/${calendar.data.id}`, {
    hours: rows.hours.map((one: { weekday: string }) => ({
      weekday: one.weekday,
      fromTime: '00:00',
      toTime: '01:00',
    })),
  });
  expect(changed.http).toBe(200);
  const [effect] = await desk.sql<{ id: number }>(`SELECT id FROM outbox WHERE kind = 'sla.recalculate'`);
  await calendars.effects![0]!.deliver(
    { calendarId: Number(calendar.data.id) } as never,
    desk.platform,
    effect!.id,
  );
  expect((await clock())!.minutes).toBeGreaterThan(4 * 24 * 60);
  expect((await clock())!.paused_minutes).toBe(45);
  const overlap = await post(boss, '/businessCalendar', {
    name: '重叠',
    publicHolidays: false,
    hours: [
      { weekday: '1', fromTime: '09:00', toTime: '12:00' },
      { weekday: '1', fromTime: '11:00', toTime: '13:00' },
    ],
  });
  expect(overlap.data.fields.hours).toBe('同一天的时间有重叠');
});

test('companies keep their own categories, the platform the standard ones; what is used stays', async () => {
  const own = await post(boss, '/workCategory', { name: '泳池', code: 'pool', class: 'repair', parent: '2' });
  expect([own.http, own.data.standard]).toEqual([200, false]);
  expect((await put(boss, `/workCategory/113`, { name: 'x' })).message).toBe('标准项由平台维护');
  expect((await put(platform, `/workCategory/113`, { afterPhoto: false })).http).toBe(200);
  expect((await put(platform, `/workCategory/${own.data.id}`, { name: 'x' })).message).toBe('由所属公司维护');
  const [other] = await desk.sql<{ id: number }>(
    `INSERT INTO tenant (kind, account, name) VALUES (1, 'C8', 'other') RETURNING id`,
  );
  expect(
    (
      await desk.call(
        { ...boss, tenantId: other!.id, epoch: 'o' },
        'GET',
        `${WEB}/workCategory/${own.data.id}`,
      )
    ).http,
  ).toBe(404);
  const offered = await desk.call(
    { ...boss, tenantId: other!.id, epoch: 'o2' },
    'GET',
    `${WEB}/options/workCategory?ids=${own.data.id},113`,
  );
  expect(offered.data.map((one: { id: string }) => one.id)).toEqual(['113']);
  expect(
    (await post(boss, '/workCategory', { name: '第四级', code: 'deep', class: 'repair', parent: '113' }))
      .http,
  ).toBe(422);
  expect(
    (await post(boss, '/workCategory', { name: '错类', code: 'wrong', class: 'complaint', parent: '1' })).data
      .fields.parent,
  ).toBe('上级分类的工单类别不同');
  await desk.order();
  expect((await desk.call(platform, 'DELETE', `${WEB}/workCategory/113`)).status).toBe(30101);
  expect((await desk.call(boss, 'DELETE', `${WEB}/workCategory/${own.data.id}`)).http).toBe(200);
});

test('rules name people of the company; materials go in and out with a reason, many at once never below nothing', async () => {
  const project = String(desk.ids.north);
  expect(
    (await post(boss, '/dispatchRule', { project, mode: 'rotate', shiftFrom: '08:00' })).data.fields.shiftTo,
  ).toBe('请填写班次起止');
  const rule = await post(boss, '/dispatchRule', {
    project,
    mode: 'rotate',
    pool: [String(desk.plumbers[0]!.staffId)],
  });
  expect(rule.http).toBe(200);
  expect((await post(boss, '/dispatchRule', { project, mode: 'grab' })).message).toBe(
    '该项目、分类、班次已有启用的规则',
  );
  expect((await post(boss, '/dispatchRule', { project: String(desk.ids.south), mode: 'grab' })).http).toBe(
    404,
  );
  const made = await post(boss, '/material', {
    project,
    name: '角阀',
    spec: '4分',
    unit: '个',
    price: '28.00',
  });
  expect([made.http, made.data.stock]).toEqual([200, 0]);
  const id = made.data.id as string;
  expect((await post(boss, `/material/${id}/stockIn`, { qty: 10, reason: '采购入库' })).data.stock).toBe(10);
  const out = await Promise.all(
    Array.from({ length: 8 }, () => post(boss, `/material/${id}/stockOut`, { qty: 3, reason: '领用' })),
  );
  expect(out.filter((one) => one.http === 200)).toHaveLength(3);
  expect(out.filter((one) => one.message === '库存不足')).toHaveLength(5);
  const page = await desk.call(boss, 'GET', `${WEB}/materialMove/page?material=${id}`);
  expect(page.data.rows.map((one: { qty: number }) => one.qty)).toEqual([-3, -3, -3, 10]);
  expect((await desk.call(boss, 'GET', `${WEB}/material/${id}`)).data.stock).toBe(1);
});
