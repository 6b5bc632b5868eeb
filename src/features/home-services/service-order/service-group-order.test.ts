import { afterAll, beforeAll, expect, test } from 'vitest';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import { openOrJoinTeam, type GroupOrder } from '../../../domain/group-buy/join-team.server.ts';
import { endTeam } from '../../../domain/group-buy/teams.server.ts';
import { all, brokenRules, callAs, one, runJob } from '../../mall/goods-order/order-fixture.ts';
import { makeActivity, makeMembers, pay } from '../../mall/group-buy/group-fixture.ts';
import { serviceGroupOrder } from './service-group-order.contract.ts';
import { registration } from './service-group-order.server.ts';
import { act, at, openSalon, ORDERS, shift, states, type Salon } from './visit-fixture.ts';

const GROUPS = '/jinmao/web/serviceGroupOrder';
let salon: Salon;
let item: number;
beforeAll(async () => {
  salon = await openSalon(2, [registration]);
  for (const caller of Object.values(salon.callers)) {
    (caller.menus as Map<string, unknown>).set(serviceGroupOrder.menu, [{ kind: 'all' }]);
    for (const element of Object.keys(elementsOf(serviceGroupOrder)))
      (caller.elements as Set<string>).add(elementCode(serviceGroupOrder, element));
  }
  item = (
    await makeActivity(salon, { group_size: 2 }, { spec_id: salon.spec, price: 9_900, takes_stock: false })
  ).itemId;
});
afterAll(async () => {
  expect(await brokenRules(salon)).toEqual({});
  await salon.close();
});

function seat(
  memberId: number,
  startsAt: string,
  teamId: number | null = null,
  instance = 0,
): Promise<GroupOrder> {
  return openOrJoinTeam(salon.platforms[instance]!, {
    memberId,
    projectId: salon.ids.project,
    seat: { itemId: item, teamId, openNewIfFull: false },
    qty: 1,
    visit: { startsAt: new Date(startsAt), personId: null, houseId: salon.ids.house },
    contactName: 'M',
    contactPhone: '13900000000',
    address: 'B1 U1 101',
    remark: '',
    source: 1,
    onBehalf: false,
    who: 'M',
    shownTotal: 9_900,
  });
}

async function visitOf(order: number) {
  return one(salon, 'SELECT id, slot_id FROM appointment WHERE order_id = $1', [order]);
}

const taken = async (startsAt: string) =>
  (
    await one(salon, 'SELECT coalesce(sum(taken), 0)::int AS n FROM service_slot WHERE starts_at = $1', [
      startsAt,
    ])
  ).n;

test('the time is held while the team forms; complete, all its orders wait for a person and can be assigned', async () => {
  const [first, second] = await makeMembers(salon, 2);
  const leader = await seat(first!, at(5, 9));
  expect(await states(salon, String(leader.orderId))).toEqual(['pending_payment', 'none', 'held']);
  expect(await taken(at(5, 9))).toBe(1);
  await pay(salon, leader);
  expect(await states(salon, String(leader.orderId))).toEqual(['grouping', 'none', 'held']);
  const row = await callAs(salon, 'platform', 'GET', `${GROUPS}/${leader.orderId}`);
  expect(row.data).toMatchObject({ teamCode: leader.teamCode, teamState: 'forming', missing: 1 });
  expect(row.data.teamDeadline).toMatch(/^\d{4}-/);
  // Nobody is sent while the team forms.
  expect(
    (await act(salon, String(leader.orderId), 'assign', { person: String(salon.li) }, GROUPS)).status,
  ).toBe(30101);
  const follower = await seat(second!, at(5, 14), leader.teamId);
  await pay(salon, follower);
  for (const order of [leader, follower])
    expect(await states(salon, String(order.orderId))).toEqual(['to_accept', 'none', 'to_accept']);
  expect(
    (await act(salon, String(leader.orderId), 'assign', { person: String(salon.li) }, GROUPS)).http,
  ).toBe(200);
  expect(await states(salon, String(leader.orderId))).toEqual(['to_visit', 'none', 'assigned']);
});

test('a team complete later than the hours before the visit: its time is free again and another one is chosen', async () => {
  const [first, second, third, fourth] = await makeMembers(salon, 4);
  const leader = await seat(first!, at(6, 9));
  await pay(salon, leader);
  const visit = await visitOf(leader.orderId);
  await shift(salon, String(visit.id), 23);
  await Promise.all([runJob(salon, 'service.group_hold'), runJob(salon, 'service.group_hold')]);
  expect(await states(salon, String(leader.orderId))).toEqual(['grouping', 'none', 'released']);
  expect(await taken(at(6, 9))).toBe(0);
  const follower = await seat(second!, at(6, 14), leader.teamId);
  await pay(salon, follower);
  expect(await states(salon, String(leader.orderId))).toEqual(['to_accept', 'none', 'choose_again']);
  expect(await states(salon, String(follower.orderId))).toEqual(['to_accept', 'none', 'to_accept']);
  const answer = await act(
    salon,
    String(leader.orderId),
    'reschedule',
    { startsAt: at(6, 11), reason: '改约' },
    GROUPS,
  );
  expect(answer.http, answer.message).toBe(200);
  expect(await states(salon, String(leader.orderId))).toEqual(['to_accept', 'none', 'to_accept']);

  // The team is complete before the job looked: the same.
  const late = await seat(third!, at(7, 9));
  await pay(salon, late);
  await shift(salon, String((await visitOf(late.orderId)).id), 20);
  await pay(salon, await seat(fourth!, at(7, 14), late.teamId));
  expect(await states(salon, String(late.orderId))).toEqual(['to_accept', 'none', 'choose_again']);
  expect(await taken(at(7, 9))).toBe(0);
});

test('the last seat and the release of the time at the same moment: one of the two ways, the place counted once', async () => {
  const members = await makeMembers(salon, 8);
  for (let n = 0; n < 4; n++) {
    const leader = await seat(members[n * 2]!, at(8, 9 + n * 2));
    await pay(salon, leader);
    const follower = await seat(members[n * 2 + 1]!, at(9, 9 + n * 2), leader.teamId);
    await shift(salon, String((await visitOf(leader.orderId)).id), 23);
    await Promise.all([
      pay(salon, follower, 1),
      runJob(salon, 'service.group_hold'),
      runJob(salon, 'service.group_hold'),
    ]);
    expect(await states(salon, String(leader.orderId))).toEqual(['to_accept', 'none', 'choose_again']);
    expect(await taken(at(8, 9 + n * 2))).toBe(0);
  }
});

test('a team that fails gives its times back and refunds everything', async () => {
  const [member] = await makeMembers(salon, 1);
  const lonely = await seat(member!, at(10, 9));
  await pay(salon, lonely);
  await all(
    salon,
    `UPDATE group_buy_team SET deadline = clock_timestamp() - interval '1 second' WHERE id = $1`,
    [lonely.teamId],
  );
  expect(await endTeam(salon.platforms[0]!, lonely.teamId!)).toBe('failed');
  expect((await states(salon, String(lonely.orderId)))[0]).toBe('closed');
  expect((await states(salon, String(lonely.orderId)))[2]).toBe('released');
  expect(await taken(at(10, 9))).toBe(0);
});

test('the list holds group orders of services only, and ordinary ones answer 404 there', async () => {
  const list = await callAs(salon, 'platform', 'GET', `${GROUPS}/page?page=1&limit=100`);
  const wanted = await all<{ code: string }>(
    salon,
    `SELECT code FROM sales_order WHERE kind = 'service' AND type = 'group' ORDER BY code`,
  );
  expect(list.http, list.message).toBe(200);
  expect(list.data.rows.map((row: { code: string }) => row.code).sort()).toEqual(
    wanted.map((row) => row.code),
  );
  const made = await callAs(salon, 'platform', 'POST', ORDERS, {
    member: String(salon.ids.member),
    house: String(salon.ids.house),
    spec: String(salon.spec),
    qty: 1,
    startsAt: at(11, 9),
    coupons: [],
    shownTotal: '128.00',
  });
  expect((await callAs(salon, 'platform', 'GET', `${GROUPS}/${made.data.id}`)).http).toBe(404);
});
