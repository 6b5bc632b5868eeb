import { afterAll, beforeAll, expect, test } from 'vitest';
import { butlerInvariants } from '../../../domain/butler/attribution.server.ts';
import { fillBatch, freeRows } from '../../../domain/butler/batch.server.ts';
import { registration as domain } from '../../../domain/butler/butler.server.ts';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { insertRow } from '../../../kernel/server/resource/run-action.ts';
import { registration as places } from '../../base-data/places/places.server.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { butlerTask, butlerTaskProgress, OPERATE_MENU } from './operate.contract.ts';
import { registration as tasks } from './operate.server.ts';
import { registration as boards } from './progress.server.ts';

const ROOT = '/jinmao/web/butlerTask';
let mall: Mall;
let staff: Caller;
let tenantId: number;
let centre: number;
let product: number;
let made = 0;
const db = () => mall.platform.database.db;
const one = async (sql: string, values: readonly unknown[] = []) =>
  (await runOne<{ id: number }>(db(), sql, values))!.id;
const today = businessDayOf(new Date());

beforeAll(async () => {
  mall = await openMall([domain, places, tasks, boards]);
  tenantId = await one('SELECT id FROM tenant WHERE kind = 3 LIMIT 1');
  const elements = [butlerTask, butlerTaskProgress].flatMap((resource) =>
    Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)),
  );
  staff = callerOf({ staffId: await mall.staff('chief', tenantId), tenantId }, [OPERATE_MENU], elements);
  centre = await one(
    `INSERT INTO organisation (kind, code, name) VALUES ('centre_city', 'BT1', '东城') RETURNING id`,
  );
  product = await one(
    `INSERT INTO product (code, tenant_id, business_id, name, status) VALUES ('PDT1', $1, $2, '茶', 'published') RETURNING id`,
    [mall.ids.merchantA, mall.ids.business],
  );
});
afterAll(async () => {
  for (const invariant of butlerInvariants) {
    const { problems } = await invariant.check(mall.platform);
    expect([invariant.name, problems]).toEqual([invariant.name, []]);
  }
  await mall.close();
});

/** A project of its own with butlers. */
async function place(many: number) {
  made += 1;
  const project = await one(
    `INSERT INTO project (name, code, centre_id, unit_id) SELECT $1, $2, $3, unit_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
    [`任务小区${made}`, `TSK${made}`, centre],
  );
  const butlers: number[] = [];
  for (let n = 0; n < many; n += 1) {
    const id = await one(
      `WITH s AS (INSERT INTO staff (tenant_id, account, name, is_housekeeper) VALUES ($1, $2, $3, true) RETURNING id)
       INSERT INTO housekeeper (staff_id) SELECT id FROM s RETURNING id`,
      [tenantId, `task-${made}-${n}`, `管家${made}-${n}`],
    );
    await run(
      db(),
      `WITH b AS (INSERT INTO building (project_id, name) VALUES ($1, $2) RETURNING id)
       INSERT INTO housekeeper_building (housekeeper_id, project_id, building_id, valid_from) SELECT $3, $1, b.id, '2020-01-01' FROM b`,
      [project, `${n}栋`, id],
    );
    butlers.push(id);
  }
  return { project, butlers };
}
const share = (butler: number, project: number, at: Date) => {
  made += 1;
  return run(
    db(),
    `INSERT INTO butler_share (code, housekeeper_id, project_id, target_kind, product_id, target_id, channel, shared_at, expires_at)
     VALUES ($1, $2, $3, 'product', $4, $4, 'link', $5, $5::timestamptz + interval '90 days')`,
    [`TASKSH${String(made).padStart(4, '0')}`, butler, project, product, at],
  );
};
const draft = async (project: number, more: object = {}) => {
  const answer = await mall.call(staff, 'POST', ROOT, {
    title: '分享冲刺',
    metric: 'shares',
    count: 2,
    projects: [String(project)],
    fromOn: today,
    toOn: addDays(today, 9),
    reward: '50.00',
    ...more,
  });
  expect([answer.http, answer.message]).toEqual([200, '']);
  return String(answer.data.id);
};
const get = async (id: string) => (await mall.call(staff, 'GET', `${ROOT}/${id}`)).data;
const act = async (id: string, action: string, input: object = {}) =>
  mall.call(staff, 'POST', `${ROOT}/${id}/${action}`, { version: (await get(id)).version, ...input });
const job = async (name: string) => {
  const found = (tasks.jobs ?? []).find((entry) => entry.name === name)!;
  await found.run({}, mall.platform);
};
const board = async (id: string) =>
  (await mall.call(staff, 'GET', `/jinmao/web/butlerTaskProgress/page?task=${id}&limit=50`)).data.rows;

test('of a task of two projects who works in one sees the participants of that one, as its leaderboard does', async () => {
  const [here, there] = [await place(2), await place(1)];
  const id = await draft(here.project, {
    projects: [String(here.project), String(there.project)],
    count: 1,
  });
  for (const butler of [here.butlers[0]!, there.butlers[0]!])
    await share(butler, butler === there.butlers[0] ? there.project : here.project, new Date());
  expect((await act(id, 'publish')).message).toBe('');
  const seen = async (who: Caller) => (await mall.call(who, 'GET', `${ROOT}/${id}`)).data;
  expect(await seen(staff)).toMatchObject({ participants: 3, reached: 2, rate: '66.7' });
  const one = { ...staff, projectIds: [here.project] };
  expect(await seen(one)).toMatchObject({ participants: 2, reached: 1, rate: '50.0' });
  const listed = await mall.call(one, 'GET', `/jinmao/web/butlerTaskProgress/page?task=${id}&limit=50`);
  expect(listed.data.total).toBe(2);
});

test('a running task counts shares of its projects; of equal ones who was there earlier is first; those behind are reminded', async () => {
  const { project, butlers } = await place(3);
  const id = await draft(project);
  expect((await act(id, 'publish')).http).toBe(200);
  expect((await get(id)).state).toBe('running');
  // The second butler reaches two before the first does; one share elsewhere does not count.
  const [first, second, third] = butlers as [number, number, number];
  const at = new Date(
    (await runOne<{ now: Date }>(
      db(),
      `SELECT greatest(now() - interval '1 hour', ($1::date)::timestamp AT TIME ZONE 'Asia/Shanghai') AS now`,
      [today],
    ))!.now,
  );
  const after = (ms: number) => new Date(at.getTime() + ms);
  await share(second, project, after(1));
  await share(first, project, after(2));
  await share(second, project, after(3));
  await share(first, project, after(4));
  await share(third, mall.ids.north, after(5));
  await job('butler.stat');
  await job('butler.stat');
  const rows = await board(id);
  expect(
    rows.map((row: Record<string, unknown>) => [row.rank, row.name, row.progress, row.wasReached]),
  ).toEqual([
    [1, expect.stringMatching(/-1$/), '2', true],
    [2, expect.stringMatching(/-0$/), '2', true],
    [3, expect.stringMatching(/-2$/), '0', false],
  ]);
  expect(await get(id)).toMatchObject({ participants: 3, reached: 2, rate: '66.7' });
  const { data } = await mall.call(staff, 'GET', `${ROOT}/${id}/days`);
  expect(data.days).toEqual([{ day: today, value: '4' }]);
  expect((await act(id, 'remind')).data.result).toEqual({ butlers: 1 });
  await share(third, project, after(6));
  await share(third, project, after(7));
  await job('butler.stat');
  expect((await act(id, 'remind')).message).toBe('没有进度落后的管家');
});

test('metric and target are fixed once it runs, also in the database; a task has the target of its metric and at most 92 days', async () => {
  const { project } = await place(1);
  const id = await draft(project);
  await act(id, 'publish');
  const { version } = await get(id);
  const put = (input: object) => mall.call(staff, 'PUT', `${ROOT}/${id}`, { version, ...input });
  expect((await put({ count: 5 })).data.fields).toEqual({ count: '进行中不可修改' });
  await expect(
    run(db(), 'UPDATE butler_task SET target_count = 5 WHERE id = $1', [Number(id)]),
  ).rejects.toThrow('cannot be changed');
  expect((await put({ title: '分享冲刺（加油）' })).http).toBe(200);
  const refused = async (more: object) =>
    Object.keys(
      (
        await mall.call(staff, 'POST', ROOT, {
          title: 't',
          metric: 'shares',
          count: 2,
          projects: [String(project)],
          fromOn: today,
          toOn: today,
          reward: '0.00',
          ...more,
        })
      ).data.fields,
    );
  expect(await refused({ toOn: addDays(today, 92) })).toEqual(['toOn']);
  expect(await refused({ metric: 'valid' })).toEqual(['sum']);
  expect(await refused({ sum: '5.00' })).toEqual(['sum']);
  expect(await refused({ reward: '1000.01' })).toEqual(['reward']);
});

test('a published task waits for its first day, ends after its last, and can be stopped with a reason', async () => {
  const { project } = await place(1);
  const later = await draft(project, { fromOn: addDays(today, 1), toOn: addDays(today, 3) });
  await act(later, 'publish');
  expect(await get(later)).toMatchObject({ state: 'waiting', participants: 0 });
  await run(db(), 'UPDATE butler_task SET from_on = $2 WHERE id = $1', [Number(later), today]);
  await job('butler.task_start');
  expect(await get(later)).toMatchObject({ state: 'running', participants: 1 });
  const bare = await act(later, 'stop');
  expect([bare.http, Object.keys(bare.data.fields)]).toEqual([422, ['reason']]);
  expect((await act(later, 'stop', { reason: '缺货' })).http).toBe(200);
  expect((await get(later)).state).toBe('stopped');
  const nobody = await draft((await place(0)).project);
  expect((await act(nobody, 'publish')).message).toBe('范围内没有在岗管家');
});

test('who reached a task that is over gets its reward in the batch of the month, once per butler and task; a void batch frees it', async () => {
  const { project, butlers } = await place(2);
  const id = await one(
    `INSERT INTO butler_task (title, metric, target_count, from_on, to_on, reward_fen, state) VALUES ('五月分享', 'shares', 1, '2026-05-01', '2026-05-31', 5000, 'draft') RETURNING id`,
  );
  await run(db(), 'INSERT INTO butler_task_project VALUES ($1, $2)', [id, project]);
  for (const butler of butlers)
    await run(
      db(),
      'INSERT INTO butler_task_progress (task_id, housekeeper_id, project_ids, centre_id) VALUES ($1, $2, ARRAY[$3::bigint], $4)',
      [id, butler, project, centre],
    );
  await share(butlers[0]!, project, new Date('2026-05-31T15:59:59Z'));
  // A second after the last day does not count.
  await share(butlers[1]!, project, new Date('2026-05-31T16:00:00Z'));
  await run(db(), `UPDATE butler_task SET state = 'running' WHERE id = $1`, [id]);
  await job('butler.task_end');
  const batch = (month: string) =>
    transaction(db(), async (tx) => {
      const batchId = await insertRow(tx, 'incentive_batch', {
        code: `IBT${(made += 1)}`,
        month,
        centre_id: centre,
        tenant_id: tenantId,
        maker_id: staff.staffId,
      });
      await fillBatch(tx, { id: batchId, centreId: centre, month });
      return batchId;
    });
  const rewards = (batchId: number) =>
    run(
      db(),
      `SELECT housekeeper_id AS butler, amount, kind FROM incentive WHERE batch_id = $1 AND state <> 'cancelled' ORDER BY id`,
      [batchId],
    );
  expect(await rewards(await batch('2026-04'))).toEqual([]);
  const first = await batch('2026-05');
  expect(await rewards(first)).toEqual([{ butler: butlers[0], amount: 5000, kind: 'manual' }]);
  expect(
    await runOne(db(), 'SELECT net, manual, butlers FROM incentive_batch WHERE id = $1', [first]),
  ).toEqual({
    net: 5000,
    manual: 5000,
    butlers: 1,
  });
  expect(await rewards(await batch('2026-06'))).toEqual([]);
  await transaction(db(), (tx) => freeRows(tx, first));
  await run(db(), `UPDATE incentive_batch SET state = 'void' WHERE id = $1`, [first]);
  expect(await rewards(await batch('2026-07'))).toEqual([
    { butler: butlers[0], amount: 5000, kind: 'manual' },
  ]);
  // The index holds whoever writes it.
  await expect(
    run(
      db(),
      `INSERT INTO incentive (housekeeper_id, centre_id, kind, amount, state, batch_id, payable_at, task_id)
       SELECT housekeeper_id, centre_id, kind, amount, state, batch_id, payable_at, task_id FROM incentive WHERE task_id = $1 AND state <> 'cancelled'`,
      [id],
    ),
  ).rejects.toThrow('incentive_task_once');
});
