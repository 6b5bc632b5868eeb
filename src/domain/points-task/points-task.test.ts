import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createPlatform, type OpenPlatform } from '../../app/server/create-platform.ts';
import { run, runOne, transaction, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { cloneDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { takeMemberEvent } from '../member-event/door.server.ts';
import { memberEvent } from '../member-event/member-event.server.ts';
import { pointsInvariants } from '../points-ledger/points-invariants.server.ts';
import { spendablePoints } from '../points-ledger/points-ledger.server.ts';
import { giveTaskAgain, grantTask, takeBackTask } from './points-task.server.ts';

let database: TestDatabase;
let platform: OpenPlatform;
let projectId: number;
let elsewhere: number;
let members = 0;

/** An event that earns T04, or is refused after it has written something. */
const played = memberEvent({
  type: 'test.play',
  title: ['试验', 'Trial'],
  payload: z.strictObject({ subject: z.string(), refuse: z.boolean().default(false) }),
  apply: async (tx, { settings }, event) => {
    const effect = await grantTask(tx, settings, {
      task: 'T04',
      memberId: event.memberId,
      projectId: event.projectId,
      subject: event.payload.subject,
    });
    if (event.payload.refuse) throw ruleBroken(['不可以', 'Not allowed']);
    return { result: { subject: event.payload.subject }, effects: [effect] };
  },
});

beforeAll(async () => {
  database = await cloneDatabase();
  platform = createPlatform({
    database: { ...database.app, connectionTimeoutMillis: 60_000 },
    registrations: [],
    config: { dataDir: '/tmp', storageUrl: undefined, secretKey: Buffer.alloc(32), build: 'test' } as never,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
  const made = await run<{ id: number }>(
    platform.database.db,
    `WITH unit AS (INSERT INTO organisation (kind, code, name) VALUES ('management_unit', 'PT', 'PT') RETURNING id)
     INSERT INTO project (code, name, unit_id, centre_id) SELECT code, code, id, id FROM unit, unnest(ARRAY['PT1', 'PT2']) AS code RETURNING id`,
  );
  [projectId, elsewhere] = made.map((one) => one.id) as [number, number];
});
afterAll(async () => {
  for (const invariant of pointsInvariants) {
    const { problems } = await invariant.check(platform);
    expect([invariant.name, problems]).toEqual([invariant.name, []]);
  }
  await platform.close();
  await database.drop();
});

const inTx = <T>(work: (tx: Tx) => Promise<T>) => transaction(platform.database.db, work);
const points = (memberId: number) => spendablePoints(platform.database.db, memberId);
async function newMember(official = false): Promise<number> {
  const row = await runOne<{ id: number }>(
    platform.database.db,
    `INSERT INTO member (name, phone, project_id, official) VALUES ('张三', $1, $2, $3) RETURNING id`,
    [`1390000${String((members += 1)).padStart(4, '0')}`, projectId, official],
  );
  return row!.id;
}
const grant = (memberId: number, subject: string, task = 'T04', at?: Date) =>
  inTx((tx) => grantTask(tx, platform.settings, { task, memberId, projectId, subject, at }));
const event = (memberId: number, payload: object, more: object = {}) => ({
  eventId: randomUUID(),
  memberId,
  projectId,
  type: 'test.play',
  occurredAt: new Date().toISOString(),
  payload: payload as Record<string, unknown>,
  ...more,
});
const send = (body: ReturnType<typeof event>) =>
  takeMemberEvent(platform, body, { clientId: 'app' }, [played]).then(
    (answer) => answer,
    (error: { status: number; label: readonly string[] }) => ({
      status: error.status,
      text: error.label[0],
    }),
  );

test('a task counts once per subject and as often a day as it says, also when asked at once', async () => {
  const member = await newMember();
  const effects = await Promise.all(
    ['post:1', 'post:1', 'post:2', 'post:3'].map((one) => grant(member, one)),
  );
  expect(effects.map((effect) => effect.points).sort()).toEqual([0, 0, 5, 5]);
  expect(await points(member)).toBe(10);
  expect((await grant(member, 'post:1')).reason?.[0]).toBe('已奖励过');
  expect((await grant(member, 'post:4')).reason?.[0]).toBe('今日次数已满');
  const tomorrow = new Date(Date.now() + 86_400_000);
  expect((await grant(member, 'post:5', 'T04', tomorrow)).points).toBe(5);
  expect((await grant(member, 'profile', 'T01')).points).toBe(50);
  expect((await grant(member, 'profile:2', 'T01', tomorrow)).reason?.[0]).toBe('总次数已满');
  expect((await grant(await newMember(true), 'post:9')).reason?.[0]).toBe('运营用户不参与积分');
});

test('taken back with its proof, given again once, taken back again for good', async () => {
  const member = await newMember();
  const proof = { task: 'T04', memberId: member, subject: 'post:20' };
  await grant(member, 'post:20');
  const back = () => inTx((tx) => takeBackTask(tx, { ...proof, note: '隐藏' }));
  const again = () => inTx((tx) => giveTaskAgain(tx, platform.settings, proof));
  expect([await again(), await back(), await back(), await points(member)]).toEqual([0, 5, 0, 0]);
  expect([await again(), await again(), await points(member)]).toEqual([5, 0, 5]);
  expect([await back(), await again(), await points(member)]).toEqual([5, 0, 0]);
});

test('five copies of an event are carried out once; another body is refused; a refusal is kept and undone', async () => {
  const member = await newMember();
  const body = event(member, { subject: 'post:30' });
  const answers = await Promise.all(Array.from({ length: 5 }, () => send(body)));
  expect(new Set(answers.map((one) => JSON.stringify({ ...one, duplicate: false }))).size).toBe(1);
  expect(answers.filter((one) => 'duplicate' in one && !one.duplicate)).toHaveLength(1);
  expect(await points(member)).toBe(5);
  expect(await send({ ...body, payload: { subject: 'post:31' } })).toEqual({
    status: 422,
    text: '事件标识已用于其他内容',
  });

  const refused = event(member, { subject: 'post:32', refuse: true });
  expect([await send(refused), await send(refused)]).toEqual([
    { status: 30101, text: '不可以' },
    { status: 30101, text: '不可以' },
  ]);
  expect(await points(member)).toBe(5);
  const kept = await run(platform.database.db, 'SELECT accepted FROM member_event WHERE event_id = $1', [
    refused.eventId,
  ]);
  expect(kept).toEqual([{ accepted: false }]);
});

test('events of yesterday, of the future, of strangers and of unknown kinds are refused', async () => {
  const member = await newMember();
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const payload = { subject: 'post:40' };
  for (const [more, text] of [
    [{ occurredAt: at(-24.1) }, '事件时间超过24小时'],
    [{ occurredAt: at(0.1) }, '事件时间在未来'],
    [{ type: 'test.none' }, '事件类型不存在'],
    [{ payload: { subject: 7 } }, '内容不正确：payload.subject'],
    [{ memberId: 999_999_999 }, '会员或项目不存在'],
  ] as const)
    expect(await send(event(member, payload, more))).toMatchObject({ text });
  expect(await send(event(member, payload, { projectId: elsewhere }))).toMatchObject({
    text: '会员不属于该项目',
  });
  expect(await points(member)).toBe(0);
});
