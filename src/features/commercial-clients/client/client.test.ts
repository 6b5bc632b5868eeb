import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { goOnHandingOver } from '../../../domain/commercial-client/hand-over.server.ts';
import { ALL_CLIENTS } from '../../../domain/commercial-client/client-sight.server.ts';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { deliverEffect } from '../../../kernel/server/tasks/outbox.ts';
import { registration as staff } from '../../admin-sys/staff/staff.server.ts';
import { registration as places } from '../../base-data/places/places.server.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { businessPerson, PERSON_MENU } from '../business-person/business-person.contract.ts';
import { registration as people } from '../business-person/business-person.server.ts';
import { registration as assignments } from './client-assignment.server.ts';
import { registration as bin } from './client-bin.server.ts';
import { registration as comments } from './client-comment.server.ts';
import { registration as contacts } from './client-contact.server.ts';
import { registration as members } from './client-member.server.ts';
import {
  CLIENT_MENU,
  clientBin,
  clientRule,
  clientComment,
  clientContact,
  clientMember,
  commercialClient,
  followUp,
} from './client.contract.ts';
import { registration as rules } from './client-rule.server.ts';
import { registration as clients } from './client.server.ts';
import { registration as follows } from './follow-up.server.ts';

const CLIENT = '/jinmao/web/client';
let mall: Mall;
let anna: Caller;
let ben: Caller;
let boss: Caller;
let admin: Caller;
let south: Caller;
let turn = 0;
let shop = 0;
const db = () => mall.platform.database.db;

beforeAll(async () => {
  mall = await openMall([
    places,
    staff,
    clients,
    contacts,
    follows,
    members,
    assignments,
    comments,
    bin,
    rules,
    people,
  ]);
  const platformId = (await runOne<{ id: number }>(db(), 'SELECT id FROM tenant WHERE kind = 3 LIMIT 1'))!.id;
  const elements = [
    commercialClient,
    clientContact,
    clientMember,
    clientComment,
    clientBin,
    clientRule,
    followUp,
    businessPerson,
  ]
    .flatMap((resource) => Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)))
    .filter((element) => element !== ALL_CLIENTS);
  const make = async (name: string, more: readonly string[] = []) =>
    callerOf(
      { staffId: await mall.staff(name, platformId), tenantId: platformId, tenantKind: 3 },
      [CLIENT_MENU, PERSON_MENU],
      [...elements, ...more],
    );
  [anna, ben, boss, admin, south] = [
    await make('anna'),
    await make('benn'),
    await make('boss'),
    await make('admi', [ALL_CLIENTS]),
    await make('sout'),
  ];
  for (const [caller, leader, project] of [
    [anna, boss, mall.ids.north],
    [ben, boss, mall.ids.north],
    [boss, null, mall.ids.north],
    [south, null, mall.ids.south],
  ] as const) {
    const person = await runOne<{ id: number }>(
      db(),
      'INSERT INTO business_person (staff_id, leader_id) VALUES ($1, $2) RETURNING id',
      [caller.staffId, leader?.staffId ?? null],
    );
    await run(db(), 'INSERT INTO business_person_project VALUES ($1, $2)', [person!.id, project]);
  }
  shop = (await runOne<{ id: number }>(
    db(),
    `WITH b AS (INSERT INTO building (project_id, name) VALUES ($1, '商业街') RETURNING id),
          q AS (INSERT INTO position (code, name, project_id, type_id, list_price) SELECT 'A-101', 'A-101', $1, min(id), 1 FROM biz_dict RETURNING id)
     INSERT INTO space (id, project_id, building_id, floor, number, kind, built_area, rent) SELECT q.id, $1, b.id, 1, 'A-101', 'shop', 10000, 12000 FROM q, b RETURNING id`,
    [mall.ids.north],
  ))!.id;
});
afterAll(() => mall.close());

const value = async (root: string) =>
  String(
    (await runOne<{ id: number }>(
      db(),
      `SELECT v.id FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = $1 AND v.parent_id IS NOT NULL ORDER BY v.id LIMIT 1`,
      [root],
    ))!.id,
  );
const create = async (caller: Caller, more: Record<string, unknown> = {}) => {
  turn++;
  return mall.call(caller, 'POST', CLIENT, {
    name: `${String.fromCharCode(0x4e00 + turn * 31)}${String.fromCharCode(0x5e00 + turn * 17)}商行`,
    industry: await value('client_industry'),
    source: await value('client_source'),
    level: 'C',
    projects: [String(mall.ids.north)],
    contactName: '联系人',
    contactPhone: `1390000${String(1_000 + turn)}`,
    confirmed: false,
    ...more,
  });
};
const made = async (caller: Caller, more: Record<string, unknown> = {}) => {
  const answer = await create(caller, more);
  if (answer.http !== 200) throw new Error(JSON.stringify(answer));
  return String(answer.data.id);
};
const get = (caller: Caller, id: string) => mall.call(caller, 'GET', `${CLIENT}/${id}`);
const act = async (caller: Caller, id: string, action: string, input: object = {}) =>
  mall.call(caller, 'POST', `${CLIENT}/${id}/${action}`, {
    version: (await runOne<{ version: number }>(db(), 'SELECT version FROM client WHERE id = $1', [id]))!
      .version,
    ...input,
  });
const drop = async (caller: Caller, id: string) =>
  mall.call(
    caller,
    'DELETE',
    `${CLIENT}/${id}?version=${(await runOne<{ version: number }>(db(), 'SELECT version FROM client WHERE id = $1', [id]))!.version}`,
    { reason: '重复登记' },
  );
const intoPool = (id: string) =>
  run(
    db(),
    `UPDATE client SET owner_id = NULL, assigned_at = NULL, locked = false, pool_since = now() WHERE id = $1`,
    [id],
  );
const follow = (caller: Caller, id: string, kind = 'phone', more: object = {}) =>
  mall.call(caller, 'POST', '/jinmao/web/followUp', {
    client: id,
    kind,
    at: new Date(Date.now() - 60_000).toISOString(),
    content: '电话沟通了需求',
    ...(kind === 'viewing' ? { space: String(shop) } : {}),
    ...more,
  });
const columnOf = async (caller: Caller, stage: string, query = '') => {
  const { data } = await mall.call(caller, 'GET', `/jinmao/web/client/board?tab=mine${query}`);
  return data.columns.find((one: { stage: string }) => one.stage === stage);
};

/** The worker takes up what waits, however often it is asked to. */
async function goOn(): Promise<readonly string[]> {
  const effects = new Map(people.effects!.map((one) => [one.kind, one]));
  const waiting = await run<{ id: number }>(
    db(),
    `UPDATE outbox SET available_at = now() WHERE kind = 'client.handover' AND state = 'pending' RETURNING id`,
  );
  return Promise.all(
    waiting.flatMap(({ id }) => [
      deliverEffect(mall.platform, effects, id),
      goOnHandingOver(mall.platform, 0, async () => {}).then(() => 'looked'),
    ]),
  );
}

test('group 20 Must show 1: two claim the same pool client at once, one gets it and history has one row', async () => {
  const id = await made(anna);
  await intoPool(id);
  const answers = await Promise.all([act(anna, id, 'claim'), act(ben, id, 'claim')]);
  expect(answers.map((one) => one.http).sort()).toEqual([200, 409]);
  const owner = (await runOne<{ owner_id: number }>(db(), 'SELECT owner_id FROM client WHERE id = $1', [
    id,
  ]))!;
  const winner = answers[0]!.http === 200 ? 'anna' : 'benn';
  expect(answers.find((one) => one.http === 409)!.message).toBe(`已被${winner}认领`);
  expect([anna.staffId, ben.staffId]).toContain(owner.owner_id);
  expect(
    (await run(db(), `SELECT 1 FROM client_assignment WHERE client_id = $1 AND kind = 'claim'`, [id])).length,
  ).toBe(1);
});

test('group 20 Must show 2: signed clients do not count, the limit holds also for claims at once', async () => {
  await run(db(), 'UPDATE business_person SET max_clients = 3 WHERE staff_id = $1', [ben.staffId]);
  await run(db(), `UPDATE client SET owner_id = $2 WHERE owner_id = $1`, [ben.staffId, anna.staffId]);
  const signed = await made(ben);
  await run(db(), `UPDATE client SET state = 'signed' WHERE id = $1`, [signed]);
  const pool = [];
  for (let index = 0; index < 5; index++) {
    const id = await made(anna);
    await intoPool(id);
    pool.push(id);
  }
  const answers = await Promise.all(pool.map((id) => act(ben, id, 'claim')));
  expect(answers.filter((one) => one.http === 200).length).toBe(3);
  expect(answers.find((one) => one.http === 409)!.message).toBe('已达拥有上限 3');
  await run(db(), 'UPDATE business_person SET max_clients = 100 WHERE staff_id = $1', [ben.staffId]);
});

test('group 20 Must show 3 (the job): who is not followed up goes to the pool, locked ones stay, a follow-up keeps it', async () => {
  const ids = [await made(anna), await made(anna), await made(anna)];
  await run(db(), `UPDATE client SET assigned_at = now() - interval '20 days' WHERE id = ANY($1::bigint[])`, [
    ids,
  ]);
  expect((await act(anna, ids[1]!, 'lock')).http).toBe(200);
  expect((await follow(anna, ids[2]!)).http).toBe(200);
  await clients.jobs!.find((job) => job.name === 'client.pool')!.run({}, mall.platform);
  const owners = await run<{ owner_id: number | null }>(
    db(),
    'SELECT owner_id FROM client WHERE id = ANY($1::bigint[]) ORDER BY id',
    [ids],
  );
  expect(owners.map((one) => one.owner_id)).toEqual([null, anna.staffId, anna.staffId]);
  expect(
    await run(
      db(),
      `SELECT from_staff, to_staff FROM client_assignment WHERE client_id = $1 AND kind = 'auto_pool'`,
      [ids[0]],
    ),
  ).toEqual([{ from_staff: anna.staffId, to_staff: null }]);
  // Whose it was waits seven days before claiming it again.
  expect((await act(anna, ids[0]!, 'claim')).message).toBe('7 天内不能认领自己退回的客户');
  expect((await act(ben, ids[0]!, 'claim')).http).toBe(200);
});

test('group 20 Must show 3 (the warning): told once three days before, again after a follow-up that was the last', async () => {
  const id = await made(anna);
  await run(db(), `UPDATE client SET assigned_at = now() - interval '12 days' WHERE id = $1`, [id]);
  const { code } = (await get(anna, id)).data;
  const job = () => clients.jobs!.find((each) => each.name === 'client.pool')!.run({}, mall.platform);
  const told = () =>
    run(db(), `SELECT 1 FROM notification WHERE kind = 'clientPool' AND staff_id = $1 AND body_zh LIKE $2`, [
      anna.staffId,
      `%${code}%`,
    ]);
  await job();
  await job();
  expect(await told()).toHaveLength(1);
  expect((await follow(anna, id)).http).toBe(200);
  expect(await runOne(db(), 'SELECT warned_at FROM client WHERE id = $1', [id])).toEqual({ warned_at: null });
  await job();
  expect(await told()).toHaveLength(1);
});

test('group 20 Must show 10: two clients become one with all contacts, follow-ups and contracts; the old link and number lead to it', async () => {
  const [keep, gone] = [await made(anna), await made(ben, { brand: '留名', level: 'A' })];
  const more = async (id: string, phone: string, caller: Caller) =>
    expect(
      (await mall.call(caller, 'POST', '/jinmao/web/clientContact', { client: id, name: '又一人', phone }))
        .http,
    ).toBe(200);
  await more(keep, '13900077001', anna);
  await more(gone, '13900077002', ben);
  await more(gone, '13900077003', ben);
  expect((await follow(anna, keep)).http).toBe(200);
  expect((await follow(ben, gone)).http).toBe(200);
  await run(
    db(),
    `INSERT INTO contract (code, name, kind_id, project_id, party_a_id, client_id, owner_id, starts_on, ends_on)
     SELECT 'HTMERGE', '合并合同', $1, $2, o.id, $3, $4, '2027-01-01', '2027-12-31' FROM organisation o ORDER BY o.id LIMIT 1`,
    [await value('contract_kind'), mall.ids.north, gone, ben.staffId],
  );
  const old = (await get(ben, gone)).data as { code: string };
  expect((await act(anna, keep, 'merge', { other: gone })).message).toBe('只有上级或招商管理员可以合并');
  const merge = (a: string, b: string, input: object = {}) => act(boss, a, 'merge', { other: b, ...input });
  expect((await merge(keep, keep)).data.fields.other).toBe('不能与自己合并');
  const both = await Promise.all([merge(keep, gone, { take: ['brand', 'level'] }), merge(keep, gone)]);
  expect(both.filter((one) => one.http === 200)).toHaveLength(1);
  const rows = async (table: string) =>
    (await run(db(), `SELECT 1 FROM ${table} WHERE client_id = $1`, [keep])).length;
  expect([await rows('client_contact'), await rows('follow_up'), await rows('contract')]).toEqual([5, 2, 1]);
  const linked = await get(boss, gone);
  expect([linked.http, linked.data.id]).toEqual([200, keep]);
  const find = async (word: string) =>
    (
      (await mall.call(boss, 'GET', `${CLIENT}/page?tab=all&searchVal=${word}`)).data.rows as { id: string }[]
    ).map((row) => row.id);
  expect(await find('13900077003')).toEqual([keep]);
  expect(await find(old.code)).toEqual([keep]);
  expect((await run(db(), 'SELECT 1 FROM client WHERE id = $1', [gone])).length).toBe(0);
});

test('group 20 Must show 4: a known phone is refused, the owner named only to who sees the client; alike names need a tick', async () => {
  const id = await made(anna, { name: '杭州星月餐饮有限公司', contactPhone: '13911112222' });
  const { code } = (await get(anna, id)).data;
  const inside = await create(boss, { contactPhone: '13911112222' });
  expect([inside.http, inside.message]).toEqual([409, `已存在客户 ${code}（负责人 anna）`]);
  const outside = await create(south, { contactPhone: '13911112222', projects: [String(mall.ids.south)] });
  expect([outside.http, outside.message]).toEqual([409, '该客户已存在，请联系招商管理员']);
  const alike = await create(anna, { name: '杭州星月餐饮公司' });
  expect(alike.http).toBe(422);
  expect(alike.data.fields.confirmed).toContain(code);
  expect((await create(anna, { name: '杭州星月餐饮公司', confirmed: true })).http).toBe(200);
});

test('group 20 Must show 5: nobody learns more of a number in the pool than its shape', async () => {
  const id = await made(anna, { contactPhone: '13812345678' });
  await intoPool(id);
  const contact = async (caller: Caller) =>
    (await mall.call(caller, 'GET', `/jinmao/web/clientContact/page?client=${id}`)).data.rows[0];
  expect((await contact(ben)).phone).toBe('138****5678');
  const reveal = async (caller: Caller) =>
    JSON.stringify(
      (await mall.call(caller, 'GET', `/jinmao/web/clientContact/${(await contact(caller)).id}/reveal/phone`))
        .data,
    );
  expect(await reveal(ben)).not.toContain('12345678');
  expect((await act(ben, id, 'claim')).http).toBe(200);
  expect((await contact(ben)).phone).toBe('138****5678');
});

test('group 20 Must show 6: stages are moved by their rules', async () => {
  const id = await made(anna);
  const to = async (stage: string, more: object = {}) => act(anna, id, 'advance', { stage, ...more });
  expect((await to('negotiating')).message).toBe('最多跳过一个阶段');
  expect((await to('viewing')).message).toBe('请先写一条看铺跟进');
  expect((await follow(anna, id, 'viewing')).http).toBe(200);
  expect((await to('viewing')).http).toBe(200);
  expect((await to('signed')).message).toBe('签约由合同审批产生');
  expect((await to('lead')).message).toBe('退回阶段请填写原因');
  expect((await to('lead', { reason: '暂缓' })).http).toBe(200);
  const because = await value('client_lost_reason');
  expect((await act(anna, id, 'lose', { because })).http).toBe(200);
  expect((await act(anna, id, 'revive')).http).toBe(200);
});

test('group 20 Must show 11: a reader changes nothing, somebody of another project finds nothing', async () => {
  const id = await made(anna);
  expect((await get(ben, id)).http).toBe(404);
  await mall.call(anna, 'POST', '/jinmao/web/clientMember', {
    client: id,
    staff: String(ben.staffId),
    right: 'read',
  });
  const seen = await get(ben, id);
  expect(seen.http).toBe(200);
  const change = await mall.call(ben, 'PUT', `${CLIENT}/${id}`, { version: seen.data.version, note: 'x' });
  expect([change.http, change.message]).toEqual([409, '您只能查看该客户']);
  expect((await follow(ben, id)).message).toBe('您只能查看该客户');
  expect((await get(south, id)).http).toBe(404);
  expect((await follow(south, id)).http).toBe(404);
  expect((await get(boss, id)).http).toBe(200);
  expect((await get(admin, id)).http).toBe(200);
});

test('group 20 Must show 8 (clients): handing over moves clients at once; leaving hands over all of them', async () => {
  const ids = [await made(anna), await made(anna)];
  const moved = await act(anna, ids[0]!, 'transfer', {
    to: String(ben.staffId),
    reason: '片区调整',
    keep: true,
  });
  expect(moved.http).toBe(200);
  expect((await get(anna, ids[0]!)).http).toBe(200);
  expect(
    (await mall.call(anna, 'PUT', `${CLIENT}/${ids[0]}`, { version: moved.data.version, note: 'x' })).http,
  ).toBe(409);
  const person = (await runOne<{ id: number; version: number }>(
    db(),
    'SELECT id, version FROM business_person WHERE staff_id = $1',
    [anna.staffId],
  ))!;
  const owned = (await run(db(), 'SELECT 1 FROM client WHERE owner_id = $1', [anna.staffId])).length;
  const done = await mall.call(admin, 'POST', `/jinmao/web/businessPerson/${person.id}/handover`, {
    version: person.version,
    to: String(boss.staffId),
    reason: '离职',
  });
  expect([done.http, done.data.result]).toEqual([200, { clients: owned }]);
  await goOn();
  expect((await run(db(), 'SELECT 1 FROM client WHERE owner_id = $1', [anna.staffId])).length).toBe(0);
});

test('group 20 Must show 9: a hand-over of 120 clients that is stopped in the middle goes on; none moves twice', async () => {
  const leaver = await runOne<{ id: number }>(
    db(),
    `WITH s AS (INSERT INTO staff (tenant_id, account, name) SELECT id, 'leav', 'leav' FROM tenant WHERE kind = 3 LIMIT 1 RETURNING id)
     INSERT INTO business_person (staff_id, leader_id) SELECT id, $1 FROM s RETURNING id, staff_id`,
    [boss.staffId],
  );
  const from = (await runOne<{ staff_id: number }>(
    db(),
    'SELECT staff_id FROM business_person WHERE id = $1',
    [leaver!.id],
  ))!.staff_id;
  await run(db(), 'UPDATE business_person SET max_clients = 500 WHERE staff_id = $1', [boss.staffId]);
  await run(
    db(),
    `INSERT INTO client (code, name, plain_name, industry_id, source_id, owner_id, assigned_at)
     SELECT 'CLH' || n, '交接' || n, '交接' || n, $1, $2, $3, now() FROM generate_series(1, 120) n`,
    [await value('client_industry'), await value('client_source'), from],
  );
  const person = (await runOne<{ version: number }>(
    db(),
    'SELECT version FROM business_person WHERE id = $1',
    [leaver!.id],
  ))!;
  const begun = await mall.call(admin, 'POST', `/jinmao/web/businessPerson/${leaver!.id}/handover`, {
    version: person.version,
    to: String(boss.staffId),
    reason: '离职',
  });
  expect([begun.message, begun.data.result]).toEqual(['', { clients: 120 }]);
  const task = (await runOne<{ id: number }>(db(), 'SELECT max(id) AS id FROM business_handover'))!;
  // The worker dies behind its third transaction.
  const { pool } = mall.platform.database;
  const connect = pool.connect.bind(pool) as (...given: unknown[]) => Promise<never>;
  let begunWith = 0;
  const dying = vi.spyOn(pool, 'connect').mockImplementation((...given: unknown[]): Promise<never> => {
    // Single statements ask with a callback, transactions without.
    if (given.length === 0 && (begunWith += 1) > 3) throw new Error('killed');
    return connect(...given);
  });
  await expect(goOnHandingOver(mall.platform, task.id, async () => {})).rejects.toThrow('killed');
  dying.mockRestore();
  const moved = async () =>
    (await runOne<{ n: number; once: number }>(
      db(),
      `SELECT count(*)::int AS n, count(DISTINCT client_id)::int AS once FROM client_assignment WHERE from_staff = $1 AND to_staff = $2`,
      [from, boss.staffId],
    ))!;
  expect(await moved()).toEqual({ n: 60, once: 60 });
  await Promise.all([goOn(), goOn()]);
  expect(await moved()).toEqual({ n: 120, once: 120 });
  expect(
    await runOne(
      db(),
      `SELECT p.state, h.state AS handover, h.clients, (SELECT count(*)::int FROM client WHERE owner_id = p.staff_id) AS own
         FROM business_person p JOIN business_handover h ON h.person_id = p.id WHERE p.id = $1`,
      [leaver!.id],
    ),
  ).toEqual({ state: 'left', handover: 'done', clients: 120, own: 0 });
});

test('group 20 Must show 6 (the board): a card dropped on a stage goes by the rules, columns tell how many and the area they want', async () => {
  // She came back from what happened to her above.
  await run(db(), `UPDATE business_person SET state = 'active' WHERE staff_id = $1`, [anna.staffId]);
  const id = await made(anna, { areaMin: 100, areaMax: 150 });
  const before = await columnOf(anna, 'lead');
  const card = before.cards.find((one: { id: string }) => one.id === id);
  expect(card.actions).toContain('advance');
  expect(card.area).toBe('100–150');
  // What a drop sends: the version of the card and the stage of the column.
  const dropOn = (stage: string, version: number) =>
    mall.call(anna, 'POST', `${CLIENT}/${id}/advance`, { version, stage });
  expect((await dropOn('negotiating', card.version)).message).toBe('最多跳过一个阶段');
  expect((await dropOn('signed', card.version)).message).toBe('签约由合同审批产生');
  expect((await dropOn('contacted', card.version)).http).toBe(200);
  const after = await columnOf(anna, 'lead');
  expect(before.count - after.count).toBe(1);
  expect(Number(before.areaMin) - Number(after.areaMin)).toBe(100);
  expect(Number(before.areaMax) - Number(after.areaMax)).toBe(150);
  expect((await columnOf(anna, 'contacted')).cards.map((one: { id: string }) => one.id)).toContain(id);
  expect((await dropOn('viewing', card.version)).http).toBe(409);
  expect((await columnOf(anna, 'contacted', '&level=A')).count).toBe(0);
  expect((await mall.call(south, 'GET', '/jinmao/web/client/board')).data.columns[0].count).toBe(0);
});

test('今日 has what is due, unread, ending and owed; a follow-up and opening take a client out', async () => {
  const id = await made(south, { projects: [String(mall.ids.south)] });
  await run(
    db(),
    `UPDATE client SET opened = false, next_follow_at = now() - interval '1 hour' WHERE id = $1`,
    [id],
  );
  const contract = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO contract (code, name, kind_id, project_id, party_a_id, client_id, owner_id, starts_on, ends_on, state, approved_at)
     VALUES ('CTTODAY', '租赁', $1, $2, (SELECT min(id) FROM organisation), $3, $4, current_date - 300, current_date + 20, 'expiring', now()) RETURNING id`,
    [await value('contract_kind'), mall.ids.south, id, south.staffId],
  ))!.id;
  await run(
    db(),
    `WITH p AS (INSERT INTO payer (kind, name) VALUES ('name', '今日付款方') RETURNING id)
     INSERT INTO receivable (code, source_kind, source_id, payer_id, project_id, posted_on, due_on, principal) SELECT 'ARTODAY', 'contract', $1, p.id, $2, current_date - 40, current_date - 30, 12345 FROM p`,
    [contract, mall.ids.south],
  );
  const blocks = async () =>
    Object.fromEntries(
      (await mall.call(south, 'GET', '/jinmao/web/client/today')).data.blocks.map(
        (one: { key: string; count: number; sum?: string }) => [one.key, one.sum ?? one.count],
      ),
    );
  const tab = async () => (await mall.call(south, 'GET', `${CLIENT}/page?tab=today`)).data.total;
  expect(await blocks()).toEqual({ due: 1, unread: 1, ending: 1, owed: '123.45' });
  expect(await tab()).toBe(1);
  await get(south, id);
  expect((await follow(south, id)).http).toBe(200);
  expect(await blocks()).toEqual({ due: 0, unread: 0, ending: 1, owed: '123.45' });
  await run(db(), `UPDATE contract SET state = 'active' WHERE id = $1`, [contract]);
  await run(
    db(),
    `UPDATE receivable SET received = 12345, state = 'paid' WHERE source_id = $1 AND source_kind = 'contract'`,
    [contract],
  );
  expect(await blocks()).toEqual({ due: 0, unread: 0, ending: 0, owed: '0.00' });
  expect(await tab()).toBe(0);
});

test('a deleted client is gone for thirty days and comes back with contacts, follow-ups and history; with contracts it stays', async () => {
  const id = await made(anna, { contacts: [{ name: '二号', phone: '13955550001' }] });
  expect((await follow(anna, id)).http).toBe(200);
  expect((await drop(anna, id)).message).toBe('只有上级或招商管理员可以删除');
  const gone = await drop(boss, id);
  expect([gone.message, (await get(boss, id)).http]).toEqual(['', 404]);
  // Its number is free meanwhile.
  expect(
    (await mall.call(anna, 'GET', '/jinmao/web/client/known?contactPhone=13955550001')).data.problem,
  ).toBeNull();
  const list = async (caller: Caller) =>
    (await mall.call(caller, 'GET', '/jinmao/web/clientBin/page?limit=50')).data.rows as {
      id: string;
      version: number;
    }[];
  expect((await list(anna)).length).toBe(0);
  const row = (await list(boss)).find((one) => one.id === id)!;
  const back = await mall.call(boss, 'POST', `/jinmao/web/clientBin/${id}/restore`, { version: row.version });
  expect(back.message).toBe('');
  expect((await list(boss)).map((one) => one.id)).not.toContain(id);
  expect((await get(anna, id)).data.owner.id).toBe(String(anna.staffId));
  for (const [table, n] of [
    ['client_contact', 2],
    ['follow_up', 1],
    ['client_assignment', 1],
    ['client_stage', 1],
    ['client_project', 1],
  ] as const)
    expect((await run(db(), `SELECT 1 FROM ${table} WHERE client_id = $1`, [id])).length, table).toBe(n);
  const taken = await made(anna);
  await drop(boss, taken);
  const phone = (await runOne<{ phone: string }>(
    db(),
    `SELECT kept -> 'client_contact' -> 0 ->> 'phone' AS phone FROM client_bin WHERE id = $1`,
    [taken],
  ))!.phone;
  await made(anna, { contactPhone: phone });
  const refused = await mall.call(boss, 'POST', `/jinmao/web/clientBin/${taken}/restore`, { version: 1 });
  expect([refused.status, refused.message]).toEqual([30101, '联系电话已被其他客户使用']);
  await run(db(), `UPDATE client_bin SET deleted_at = now() - interval '31 days' WHERE id = $1`, [taken]);
  await bin.jobs!.find((job) => job.name === 'client.purge')!.run({}, mall.platform);
  expect((await list(boss)).map((one) => one.id)).not.toContain(taken);
});

test('a reader comments; a follow-up is mended for a day by its author and struck out by a leader alone', async () => {
  const id = await made(anna);
  await mall.call(anna, 'POST', '/jinmao/web/clientMember', {
    client: id,
    staff: String(ben.staffId),
    right: 'read',
  });
  const said = await mall.call(ben, 'POST', '/jinmao/web/clientComment', {
    client: id,
    content: '此客户与我司合作过',
  });
  expect(said.message).toBe('');
  expect(
    (await mall.call(south, 'POST', '/jinmao/web/clientComment', { client: id, content: '看看' })).http,
  ).toBe(404);
  const first = await follow(anna, id, 'phone', { nextAt: new Date(Date.now() + 86_400_000).toISOString() });
  const second = await follow(anna, id, 'viewing', { stage: 'contacted' });
  expect([first.http, second.http]).toEqual([200, 200]);
  expect((await get(anna, id)).data.state).toBe('contacted');
  expect((await follow(anna, id, 'viewing', { space: undefined })).data.fields).toEqual({
    space: '看铺须选择铺位',
  });
  const skip = await follow(anna, id, 'phone', { stage: 'lead' });
  expect(skip.message).toBe('退回阶段请填写原因');
  const path = `/jinmao/web/followUp/${second.data.id}`;
  const version = async () =>
    (await runOne<{ version: number }>(db(), 'SELECT version FROM follow_up WHERE id = $1', [
      second.data.id,
    ]))!.version;
  const edit = async (caller: Caller, content: string) =>
    mall.call(caller, 'PUT', path, { version: await version(), content });
  expect((await edit(boss, '改一改内容')).message).toBe('只有跟进人可以修改');
  expect((await edit(anna, '改一改内容')).http).toBe(200);
  await run(db(), `UPDATE follow_up SET created_at = now() - interval '25 hours' WHERE id = $1`, [
    second.data.id,
  ]);
  expect((await edit(anna, '再改一改内容')).message).toBe('超过 24 小时不能修改');
  const strike = async (caller: Caller) =>
    mall.call(caller, 'POST', `${path}/strike`, { version: await version(), reason: '记错客户' });
  expect((await strike(anna)).message).toBe('只有上级或招商管理员可以删除');
  expect((await strike(boss)).http).toBe(200);
  expect((await strike(boss)).message).toBe('该跟进已删除');
  // The latest live one counts again.
  const row = (await runOne<{ last: Date; next: Date | null }>(
    db(),
    'SELECT last_follow_at AS last, next_follow_at AS next FROM client WHERE id = $1',
    [id],
  ))!;
  expect(row.next).not.toBeNull();
  const { data } = await mall.call(ben, 'GET', `/jinmao/web/client/stream?client=${id}`);
  const kinds = data.rows.map((one: { kind: string }) => one.kind);
  expect(kinds).toEqual(expect.arrayContaining(['change', 'follow', 'owner', 'comment']));
  expect(kinds.filter((kind: string) => kind === 'follow')).toHaveLength(1);
  expect((await mall.call(south, 'GET', `/jinmao/web/client/stream?client=${id}`)).http).toBe(404);
});

test('what is known is said when a field is left; further contacts count, too; clients go to the least loaded of several', async () => {
  const id = await made(anna, {
    contactPhone: '13966660001',
    contacts: [{ name: '二号', phone: '13966660002' }],
  });
  const code = (await get(anna, id)).data.code;
  const known = async (caller: Caller, query: string) =>
    (await mall.call(caller, 'GET', `/jinmao/web/client/known?${query}`)).data.problem?.[0] ?? null;
  expect(await known(anna, 'contactPhone=13966660002')).toBe(`已存在客户 ${code}（负责人 anna）`);
  expect(await known(south, 'contactPhone=13966660002')).toBe('该客户已存在，请联系招商管理员');
  expect(await known(anna, 'licenceNo=91330106MA2CFPEB19')).toBe('统一社会信用代码不正确');
  expect(await known(anna, 'licenceNo=91350100M000100Y43')).toBeNull();
  expect((await create(anna, { contacts: [{ name: '三号', phone: '13966660001' }] })).status).toBe(30101);
  const twice = await create(anna, {
    contactPhone: '13966660009',
    contacts: [{ name: '四号', phone: '13966660009' }],
  });
  expect(twice.data.fields).toEqual({ contacts: '联系电话重复' });
  const pooled = await made(anna, { toPool: true });
  expect(
    (await runOne<{ owner: number | null }>(db(), 'SELECT owner_id AS owner FROM client WHERE id = $1', [
      pooled,
    ]))!.owner,
  ).toBeNull();
  const load = async (caller: Caller) =>
    (
      await run(db(), `SELECT 1 FROM client WHERE owner_id = $1 AND state NOT IN ('signed', 'lost')`, [
        caller.staffId,
      ])
    ).length;
  const fewer = (await load(anna)) <= (await load(ben)) ? anna : ben;
  const done = await act(admin, pooled, 'assign', { to: [String(anna.staffId), String(ben.staffId)] });
  expect(done.http).toBe(200);
  expect(
    (await runOne<{ owner: number }>(db(), 'SELECT owner_id AS owner FROM client WHERE id = $1', [pooled]))!
      .owner,
  ).toBe(fewer.staffId);
});

test('who keeps reading after a hand-over does so for thirty days', async () => {
  const id = await made(anna);
  expect(
    (await act(anna, id, 'transfer', { to: String(ben.staffId), reason: '片区调整', keep: true })).http,
  ).toBe(200);
  expect((await get(anna, id)).http).toBe(200);
  await run(db(), `UPDATE client_member SET until = current_date - 2 WHERE client_id = $1`, [id]);
  expect((await get(anna, id)).http).toBe(404);
});

test('an import makes clients, without an owner in the pool; who is known is a bad row that names the code', async () => {
  const known = await made(anna, { contactPhone: '13977770001' });
  const code = (await get(anna, known)).data.code;
  const target = clients.imports![0]!;
  expect(target.columns.map((column) => column.name)).not.toContain('toPool');
  const title = async (root: string) =>
    (await runOne<{ name: string }>(db(), 'SELECT name FROM biz_dict WHERE id = $1', [await value(root)]))!
      .name;
  const [industry, source, project] = [
    await title('client_industry'),
    await title('client_source'),
    (await runOne<{ name: string }>(db(), 'SELECT name FROM project WHERE id = $1', [mall.ids.north]))!.name,
  ];
  const row = (number: number, name: string, contactPhone: string, assignee = '') => ({
    number,
    values: {
      name,
      brand: '',
      licenceNo: '',
      industry,
      level: 'B',
      source,
      contactName: '进口',
      contactPhone,
      projects: project,
      assignee,
      note: '',
    },
  });
  const call = { caller: anna, platform: mall.platform, language: 'zh' as const };
  const good = [row(2, '导入龙井茶庄', '13977770002'), row(3, '导入河坊布行', '13977770003', 'anna')];
  expect(await target.check(call, good)).toEqual([]);
  const bad = await target.check(call, [row(2, '导入武林书局', '13977770001')]);
  expect(bad.map((one) => one.message[0])).toEqual([`已存在客户 ${code}（负责人 anna）`]);
  const outside = await target.check({ ...call, caller: south }, [row(2, '导入武林书局', '13977770001')]);
  expect(outside.map((one) => one.message[0])).toEqual(['该客户已存在，请联系招商管理员']);
  expect(await transaction(db(), (tx) => target.commit(tx, call, good))).toBe(2);
  expect(
    await run(db(), `SELECT name, owner_id AS owner FROM client WHERE name LIKE '导入%' ORDER BY id`),
  ).toEqual([
    { name: '导入龙井茶庄', owner: null },
    { name: '导入河坊布行', owner: anna.staffId },
  ]);
});

test('the morning tells owners what is due, and leaders what was not opened for a day', async () => {
  const [due, unread] = [await made(anna), await made(anna)];
  await run(db(), `UPDATE client SET next_follow_at = now() - interval '1 hour' WHERE id = $1`, [due]);
  await run(
    db(),
    `UPDATE client SET opened = false, assigned_at = now() - interval '25 hours' WHERE id = $1`,
    [unread],
  );
  const told = (staffId: number, words: string) =>
    run(db(), 'SELECT 1 FROM notification WHERE staff_id = $1 AND title_zh LIKE $2', [staffId, words]);
  await clients.jobs!.find((job) => job.name === 'client.today')!.run({}, mall.platform);
  expect((await told(anna.staffId, '今日有%')).length).toBe(1);
});

test('the closest rule of the pool wins, value by value', async () => {
  const rule = (body: object) => mall.call(admin, 'POST', '/jinmao/web/clientRule', body);
  expect((await rule({ scopeKind: 'person' })).data.fields).toEqual({ staff: '请选择' });
  expect(
    (await rule({ scopeKind: 'tenant', noFollowDays: 30, maxDailyClaim: 0, countSigned: false })).message,
  ).toBe('');
  expect(
    (
      await rule({
        scopeKind: 'person',
        staff: String(anna.staffId),
        noFollowDays: 5,
        maxLocked: 0,
        countSigned: false,
      })
    ).message,
  ).toBe('');
  expect((await rule({ scopeKind: 'tenant', countSigned: false })).message).toBe('该范围已有规则');
  const [hers, his] = [await made(anna), await made(ben)];
  const days = async (id: string) =>
    (await runOne<{ n: number }>(
      db(),
      `SELECT client_limit(owner_id, 'no_follow_days', 15) AS n FROM client WHERE id = $1`,
      [id],
    ))!.n;
  expect([await days(hers), await days(his)]).toEqual([5, 30]);
  expect((await act(anna, hers, 'lock')).message).toBe('最多锁定 0 个客户');
  expect((await act(ben, his, 'lock')).http).toBe(200);
  await intoPool(hers);
  expect((await act(ben, hers, 'claim')).message).toBe('今日认领已达 0 个');
  await run(db(), 'DELETE FROM client_rule');
});
