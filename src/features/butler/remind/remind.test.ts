import { afterAll, beforeAll, expect, test } from 'vitest';
import { registration as domain } from '../../../domain/butler/butler.server.ts';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { registration as downloads } from '../../../kernel/server/tasks/task-endpoints.ts';
import { runTask } from '../../../kernel/server/tasks/task-run.ts';
import { registration as places } from '../../base-data/places/places.server.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { butlerReminder, butlerReminderShare, REMIND_MENU } from './remind.contract.ts';
import { registration as reminders } from './remind.server.ts';
import { registration as shares } from './remind-share.server.ts';

const ROOT = '/jinmao/web/butlerReminder';
const PATHS = '/jinmao/web/bizButlerRemind';
let mall: Mall;
let staff: Caller;
let butlers: number[];
let goods: number;
let product: number;
const db = () => mall.platform.database.db;
const one = async (sql: string, values: readonly unknown[] = []) =>
  (await runOne<{ id: number }>(db(), sql, values))!.id;

/** Ten butlers of the north, one of the south. */
beforeAll(async () => {
  mall = await openMall([domain, places, reminders, shares, downloads]);
  const { north, south, merchantA, business } = mall.ids;
  const tenantId = await one('SELECT id FROM tenant WHERE kind = 3 LIMIT 1');
  const elements = [butlerReminder, butlerReminderShare].flatMap((resource) =>
    Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)),
  );
  staff = callerOf({ staffId: await mall.staff('chief', tenantId), tenantId }, [REMIND_MENU], elements);
  product = await one(
    `INSERT INTO product (code, tenant_id, business_id, name, status) VALUES ('PDR1', $1, $2, '橙子', 'published') RETURNING id`,
    [merchantA, business],
  );
  goods = await one(
    `INSERT INTO butler_goods (product_id, valid_from) VALUES ($1, '2020-01-01') RETURNING id`,
    [product],
  );
  await run(db(), 'INSERT INTO butler_goods_project VALUES ($1, $2)', [goods, north]);
  butlers = (
    await run<{ id: number }>(
      db(),
      `WITH s AS (INSERT INTO staff (tenant_id, account, name, is_housekeeper) SELECT $1, 'rm-' || n, '管家' || n, true FROM generate_series(1, 11) n RETURNING id)
       INSERT INTO housekeeper (staff_id) SELECT id FROM s ORDER BY id RETURNING id`,
      [tenantId],
    )
  ).map((row) => row.id);
  for (const [index, butler] of butlers.entries()) {
    const project = index === 10 ? south : north;
    await run(
      db(),
      `WITH b AS (INSERT INTO building (project_id, name) VALUES ($1, $2) RETURNING id)
       INSERT INTO housekeeper_building (housekeeper_id, project_id, building_id, valid_from) SELECT $3, $1, b.id, '2020-01-01' FROM b`,
      [project, `${index}栋`, butler],
    );
  }
});
afterAll(() => mall.close());

const draft = async () => {
  const made = await mall.call(staff, 'POST', ROOT, {
    kind: 'share_goods',
    title: '本周好物',
    body: '请分享给住户',
    goods: [String(goods)],
    projects: [String(mall.ids.north)],
  });
  expect([made.http, made.message]).toEqual([200, '']);
  return String(made.data.id);
};
const act = async (id: string, action: string, input: object = {}) => {
  const { version } = (await mall.call(staff, 'GET', `${ROOT}/${id}`)).data;
  return mall.call(staff, 'POST', `${ROOT}/${id}/${action}`, { version, ...input });
};

test('group 12 Must show 12: of ten butlers six read and two shared; the export stands in both lists, first running, then to download', async () => {
  const id = await draft();
  const sent = await act(id, 'send');
  expect([sent.http, sent.data.result]).toEqual([200, { butlers: 10 }]);
  await run(
    db(),
    'UPDATE butler_reminder_recipient SET read_at = now() WHERE reminder_id = $1 AND housekeeper_id = ANY($2::bigint[])',
    [Number(id), butlers.slice(0, 6)],
  );
  for (const butler of butlers.slice(0, 2))
    await run(
      db(),
      `INSERT INTO butler_share (code, housekeeper_id, project_id, target_kind, product_id, target_id, reminder_id, channel, expires_at)
       VALUES ($1, $2, $3, 'product', $4, $4, $5, 'poster', now() + interval '90 days')`,
      [`REMIND${String(butler).padStart(4, '0')}`.slice(-10), butler, mall.ids.north, product, Number(id)],
    );
  const asked = async (more: object) =>
    (await mall.call(staff, 'POST', `${PATHS}/getButlerRemindShareList`, { remindId: id, ...more })).data;
  expect((await asked({})).total).toBe(10);
  expect((await asked({ readState: 1 })).total).toBe(6);
  expect((await asked({ readState: 3, shared: 3 })).total).toBe(10);
  const shared = await asked({ shared: 1 });
  expect(shared.total).toBe(2);
  expect(shared.rows[0]).toMatchObject({
    shareCount: 1,
    shareChannel: 'poster',
    readState: 1,
    orderCount: 0,
  });
  expect((await asked({ shared: 0, readState: 1 })).total).toBe(4);
  const { data: task } = await mall.call(staff, 'POST', `${PATHS}/exportButlerRemindShareListExcel`, {
    remindId: id,
  });
  const states = async () => {
    const own = (await mall.call(staff, 'GET', `${PATHS}/queryExportList`)).data;
    const centre = (await mall.call(staff, 'GET', '/jinmao/web/exportTask/list')).data;
    return [own, centre].map((list) => {
      const found = list.find((entry: { id: string }) => entry.id === task.taskId);
      return [found.exportState, found.exportUrl !== ''];
    });
  };
  await run(db(), `UPDATE task SET state = 'exporting', progress = 40 WHERE id = $1`, [task.taskId]);
  expect(await states()).toEqual([
    ['导出中 40%', false],
    ['导出中 40%', false],
  ]);
  await run(db(), `UPDATE task SET state = 'queued', progress = 0 WHERE id = $1`, [task.taskId]);
  await runTask(mall.platform, task.taskId, { loadCaller: () => Promise.resolve(staff) });
  expect(await states()).toEqual([
    ['下载', true],
    ['下载', true],
  ]);
});

test('unread are reminded once in 24 hours; a reminder is withdrawn in 24 hours only; what is not shared in the projects is refused', async () => {
  const id = await draft();
  expect((await act(id, 'send')).http).toBe(200);
  expect((await act(id, 'remindUnread')).data.result).toEqual({ butlers: 10 });
  expect((await act(id, 'remindUnread')).message).toBe('24 小时内已提醒过');
  // Nobody is left to be reminded.
  await run(
    db(),
    `WITH r AS (UPDATE butler_reminder_recipient SET read_at = now() WHERE reminder_id = $1) UPDATE butler_reminder SET reminded_at = NULL WHERE id = $1`,
    [Number(id)],
  );
  const nobody = await act(id, 'remindUnread');
  expect([nobody.http, nobody.message]).toEqual([409, '没有未读的管家']);
  await run(db(), `UPDATE butler_reminder SET sent_at = now() - interval '25 hours' WHERE id = $1`, [
    Number(id),
  ]);
  expect((await act(id, 'withdraw', { reason: '误发' })).message).toBe('发送已超过 24 小时');
  await run(db(), 'UPDATE butler_reminder SET sent_at = now() WHERE id = $1', [Number(id)]);
  expect((await act(id, 'withdraw', { reason: '误发' })).http).toBe(200);
  const elsewhere = await mall.call(staff, 'POST', ROOT, {
    kind: 'share_goods',
    title: '南区',
    body: '南区',
    goods: [String(goods)],
    projects: [String(mall.ids.south)],
  });
  expect([elsewhere.http, Object.keys(elsewhere.data.fields)]).toEqual([422, ['goods']]);
});

test('of a reminder to two projects everybody is told what came of it in the own ones, row by row and as a whole', async () => {
  const { north, south } = mall.ids;
  const made = await mall.call(staff, 'POST', ROOT, {
    kind: 'share_goods',
    title: '两个小区',
    body: '请分享给住户',
    goods: [String(goods)],
    projects: [String(north), String(south)],
  });
  const id = String(made.data.id);
  expect((await act(id, 'send')).data.result).toEqual({ butlers: 11 });
  const [one, last] = [butlers[0]!, butlers[10]!];
  await run(
    db(),
    'UPDATE butler_reminder_recipient SET read_at = now() WHERE reminder_id = $1 AND housekeeper_id = ANY($2::bigint[])',
    [Number(id), [one, last]],
  );
  // The butler of the south shared in both.
  for (const [index, [butler, project]] of [
    [one, north],
    [last, north],
    [last, south],
  ].entries())
    await run(
      db(),
      `INSERT INTO butler_share (code, housekeeper_id, project_id, target_kind, product_id, target_id, reminder_id, channel, expires_at)
       VALUES ($1, $2, $3, 'product', $4, $4, $5, 'link', now() + interval '90 days')`,
      [`TWOPLACES${index}`, butler, project, product, Number(id)],
    );
  const of = (project: number): Caller => ({ ...staff, projectIds: [project] });
  const whole = async (who: Caller) => (await mall.call(who, 'GET', `${ROOT}/${id}`)).data;
  expect(await whole(staff)).toMatchObject({ delivered: 11, read: 2, shares: 3 });
  expect(await whole(of(south))).toMatchObject({ delivered: 1, read: 1, shares: 1 });
  const rows = async (who: Caller, more = {}) =>
    (await mall.call(who, 'POST', `${PATHS}/getButlerRemindShareList`, { remindId: id, limit: 50, ...more }))
      .data.rows;
  const shared = async (who: Caller) =>
    (await rows(who, { shared: 1 })).map((row: { butlerId: string; shareCount: number }) => [
      Number(row.butlerId),
      row.shareCount,
    ]);
  expect((await shared(staff)).toSorted()).toEqual(
    [
      [one, 1],
      [last, 2],
    ].toSorted(),
  );
  expect(await shared(of(south))).toEqual([[last, 1]]);
  // The butler of the south is none of the north, whatever was shared there.
  expect(await shared(of(north))).toEqual([[one, 1]]);
  expect(await rows(of(south), { shared: 0 })).toEqual([]);
});
