import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  makeCaller,
  openTestApp,
  openTestPlatform,
  type TestPlatform,
} from '../../../testing/kernel-fixtures.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { registration } from './places.server.ts';

let place: TestPlatform;
let app: FastifyInstance;
const callers: Caller[] = [];
const ids: Record<string, number> = {};

beforeAll(async () => {
  place = await openTestPlatform([registration]);
  const { db } = place.platform.database;
  const one = async (text: string, values: readonly unknown[]) =>
    (await runOne<{ id: number }>(db, `${text} RETURNING id`, values))!.id;
  for (const name of ['east', 'west', 'empty']) {
    ids[name] = await one(`INSERT INTO organisation (kind, code, name) VALUES ('centre_city', $1, $1)`, [
      name,
    ]);
    if (name === 'empty') continue;
    const unit = await one(
      `INSERT INTO organisation (kind, code, name, parent_id) VALUES ('management_unit', $1, $1, $2)`,
      [`${name}-unit`, ids[name]],
    );
    ids[`${name}Project`] = await one(
      'INSERT INTO project (code, name, unit_id, centre_id) VALUES ($1, $1, $2, $3)',
      [`${name}-project`, unit, ids[name]],
    );
    const tenant = await one('INSERT INTO tenant (kind, account, name) VALUES (4, $1, $1)', [
      `${name}-tenant`,
    ]);
    await run(db, 'UPDATE organisation SET tenant_id = $1 WHERE id = $2', [tenant, ids[name]]);
    await run(db, 'INSERT INTO tenant_project VALUES ($1, $2)', [tenant, ids[`${name}Project`]]);
  }
  const merchant = await makeCaller(place.platform, 'merchant', [], 2);
  await run(db, 'INSERT INTO tenant_project VALUES ($1, $2)', [merchant.tenantId, ids.eastProject]);
  const platform = await makeCaller(place.platform, 'platform');
  const stranger = { ...(await makeCaller(place.platform, 'western')), projectIds: [ids.westProject!] };
  callers.push(merchant, platform, stranger);
  app = await openTestApp(place.platform, () => callers);
});
afterAll(async () => {
  await app.close();
  await place.close();
});

const as = async (index: number, method: 'GET' | 'POST', path: string) => {
  const answer = await app.inject({
    method,
    url: `/api/jinmao/web/${path}`,
    headers: { authorization: `Bearer ${callers[index]!.sessionId}` },
    ...(method === 'POST' ? { payload: {} } : {}),
  });
  expect(answer.statusCode).toBe(200);
  const { data } = answer.json();
  return (Array.isArray(data) ? data : data.rows) as Record<string, unknown>[];
};

test('a merchant without a list of own projects sees the centre cities of its agreement, not all of them', async () => {
  const cities = (rows: Record<string, unknown>[]) => rows.map((row) => row.centreName);
  expect(cities(await as(0, 'POST', 'baseCentre/queryCentreCityPC'))).toEqual(['east']);
  expect(cities(await as(1, 'POST', 'baseCentre/queryCentreCityPC'))).toEqual(
    expect.arrayContaining(['east', 'west', 'empty']),
  );
  expect(cities(await as(2, 'POST', 'baseCentre/queryCentreCityPC'))).toEqual(['west']);
  expect(cities(await as(0, 'GET', 'baseCentre/getBaseCentreCityList'))).toEqual(['east']);
});

test('centre city tenants are those of the visible projects', async () => {
  const names = async (index: number) =>
    (await as(index, 'GET', 'baseTenant/getCenterCitys')).map((row) => row.tenantName);
  expect(await names(0)).toEqual(['east-tenant']);
  expect(await names(1)).toEqual(expect.arrayContaining(['east-tenant', 'west-tenant']));
  expect(await names(2)).toEqual(['west-tenant']);
});
