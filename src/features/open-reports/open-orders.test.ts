import { afterAll, beforeAll, expect, test } from 'vitest';
import { runOne } from '../../kernel/server/database.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import { callerOf, openMall, type Mall } from '../mall/product/mall-fixture.ts';
import { registration as propertyList } from '../work-order-reports/order-statistics/property-order.server.ts';
import { registration as property } from './open-property.server.ts';

const ROWS = '/jinmao/web/workOrderReport/property/rows';
const NOVEMBER = 'startTime=2025-11-01&endTime=2025-11-30';
let mall: Mall;
let north: Caller;
let nowhere: Caller;
let company: number;
let number = 0;
let hand = 0;

beforeAll(async () => {
  mall = await openMall([property, propertyList]);
  company = await one(`INSERT INTO tenant (kind, account, name) VALUES (1, 'O9', 'company') RETURNING id`);
  const staff = async (account: string) =>
    one(`INSERT INTO staff (tenant_id, account, name) VALUES ($1, $2, $2) RETURNING id`, [company, account]);
  hand = await staff('open-hand');
  north = callerOf(
    { staffId: await staff('open-read'), tenantId: company, tenantKind: 1, projectIds: [mall.ids.north] },
    [],
  );
  nowhere = callerOf(
    { staffId: await staff('open-none'), tenantId: company, tenantKind: 1, projectIds: [] },
    [],
  );
  for (const project of [mall.ids.north, mall.ids.north, mall.ids.south]) await plant(project);
  await plant(mall.ids.north, { complained: north.staffId });
  await plant(mall.ids.north, { status: 'to_accept', created: '2025-11-20T10:00:00+08:00' });
});
afterAll(() => mall.close());

const one = async (text: string, values: readonly unknown[] = []) =>
  (await runOne<{ id: number }>(mall.platform.database.db, text, values))!.id;
async function plant(
  project: number,
  more: { status?: string; created?: string; complained?: number } = {},
): Promise<void> {
  number += 1;
  await one(
    `INSERT INTO work_order (code, type, class, status, tenant_id, project_id, title, created_at, complained_staff_id, handler_id)
     VALUES ($1, 'complaint_repair', $2, $3, $4, $5, $1, $6, $7, $8) RETURNING id`,
    [
      `OP${number}`,
      more.complained ? 'complaint' : 'repair',
      more.status ?? 'finished',
      company,
      project,
      more.created ?? '2025-11-10T10:00:00+08:00',
      more.complained ?? null,
      hand,
    ],
  );
}
const rows = (caller: Caller, query: string) => mall.call(caller, 'GET', `${ROWS}?${query}`);

test('group 11 Must show 8: foreign projects do not exist, without one only the own rows come, with nothing to act on', async () => {
  expect((await rows(north, `projectId=${mall.ids.south}&${NOVEMBER}`)).http).toBe(404);
  const own = await rows(north, NOVEMBER);
  expect(own.http).toBe(200);
  expect(own.data.total).toBe(3);
  expect(own.data.nowhere).toBe(false);
  const [first] = own.data.rows;
  expect(Object.keys(first)).not.toEqual(expect.arrayContaining(['encryptionField']));
  expect(first).not.toHaveProperty('actions');
  expect((await mall.call(north, 'GET', '/jinmao/web/propertyReportOrder/page?limit=20')).http).toBe(403);
  expect((await rows(nowhere, NOVEMBER)).data).toMatchObject({ total: 0, rows: [], nowhere: true });
});

test('group 11 Must show 9: what is no figure, no value or too long a period is refused, never answered with everything', async () => {
  const problem = async (query: string) => {
    const answer = await rows(north, query);
    return [answer.http, Object.keys(answer.data?.fields ?? {}), answer.data?.rows];
  };
  expect(await problem('metric=abc')).toEqual([422, ['metric'], undefined]);
  expect(await problem('basis=never')).toEqual([422, ['basis'], undefined]);
  expect(await problem('startTime=2025-01-01&endTime=2026-02-04')).toEqual([422, ['endTime'], undefined]);
  expect(await problem('startTime=2025-11-31')).toEqual([422, ['startTime'], undefined]);
  for (const bad of [
    'woType=abc',
    'source=9',
    'urgency=abc',
    'state=abc',
    'handlerId=x',
    'categoryId=x',
    'sort=phone',
  ])
    expect([bad, (await rows(north, `${NOVEMBER}&${bad}`)).http]).toEqual([bad, 422]);
  expect((await rows(north, 'colour=red')).http).toBe(422);
});

test('a figure lists its orders, and says in words which they are; without parameters it is the running month', async () => {
  const waiting = await rows(north, `${NOVEMBER}&metric=waiting&projectId=${mall.ids.north}`);
  expect(waiting.data.total).toBe(1);
  expect(waiting.data.filter.map((tag: { name: string }) => tag.name)).toEqual([
    'metric',
    'startTime',
    'projectId',
  ]);
  expect(waiting.data.filter[0].text).toBe('待接');
  const now = await rows(north, '');
  expect(now.data.filter[1].text).toMatch(/^创建 \d{4}-\d{2}-01 – /);
  const business = await rows(north, `${NOVEMBER}&timeKind=business`);
  expect(business.data.filter.at(-1)).toEqual({ name: 'timeKind', text: '业务时间', fixed: false });
  expect(business.data.rows[0]).toHaveProperty('responseBusiness');
  expect((await rows(north, 'timeKind=lunch')).http).toBe(422);
  const sorted = await rows(north, `${NOVEMBER}&sort=createdAt`);
  expect(sorted.data.rows.at(-1).code).toBe(`OP${number}`);
});

test('names of people and departments are told of orders somebody may see, never by counting ids through', async () => {
  const stranger = await one(
    `WITH d AS (INSERT INTO department (tenant_id, code, name) SELECT id, 'OPFAR', '他司机密部' FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1 RETURNING id, tenant_id)
     INSERT INTO staff (tenant_id, account, name, department_id) SELECT tenant_id, 'open-far', '他司人员', id FROM d RETURNING id`,
  );
  const place = await one('SELECT department_id AS id FROM staff WHERE id = $1', [stranger]);
  const words = async (query: string) =>
    (await rows(north, `${NOVEMBER}&${query}`)).data.filter.at(-1).text as string;
  expect(await words(`handlerId=${hand}`)).toBe('open-hand');
  expect(await words(`handlerId=${hand}&metric=rated`)).toBe('open-hand');
  expect([await words(`handlerId=${stranger}`), await words(`departId=${place}`)]).toEqual(['无', '无']);
});
