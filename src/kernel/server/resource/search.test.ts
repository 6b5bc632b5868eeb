import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  makeCaller,
  openTestApp,
  openTestPlatform,
  type TestPlatform,
} from '../../../testing/kernel-fixtures.ts';
import type { Caller } from '../people/caller.ts';
import { defineRegistration, type RecordPrefix } from '../registration.ts';

const asked: string[] = [];
const row = (code: string) => ({ code, title: code, route: `/x/${code}` });
const prefix = (name: string, menu: string, find: RecordPrefix['find']): RecordPrefix => ({
  prefix: name,
  menu,
  label: [name, name],
  find: (call, keyword) => {
    asked.push(`${name} ${keyword}`);
    return find(call, keyword);
  },
});
const orders = prefix('SO', 'orders', async () => Array.from({ length: 12 }, (_, n) => row(`SO${n}`)));
const slow = prefix('RF', 'refunds', () => new Promise(() => {}));
const hidden = prefix('WO', 'workOrders', async () => [row('WO1')]);
const people: RecordPrefix = {
  ...prefix('', 'people', async () => [row('138****5678')]),
  accepts: (keyword) => /^1\d{10}$/.test(keyword),
};

let test: TestPlatform;
let app: FastifyInstance;
let staff: Caller;
beforeAll(async () => {
  test = await openTestPlatform([
    defineRegistration({ endpoints: [], prefixes: [orders, slow, hidden, people] }),
  ]);
  staff = await makeCaller(test.platform, 'searcher', ['orders', 'refunds', 'people']);
  app = await openTestApp(test.platform, () => [staff]);
});
afterAll(async () => {
  await app.close();
  await test.close();
});
beforeEach(() => void (asked.length = 0));

const search = async (keyword: string) =>
  (
    await app.inject({
      url: `/api/admin/search?keyword=${keyword}`,
      headers: { authorization: `Bearer ${staff.sessionId}` },
    })
  ).json<{ data: { kind: string; code: string }[] }>().data;

it('answers with eight of a kind and does not wait for the slow ones', async () => {
  const found = await search('20261121');
  expect(asked).toEqual(['SO 20261121', 'RF 20261121']);
  expect(found.map((one) => one.kind)).toEqual(Array.from({ length: 8 }, () => 'SO'));
});

it('looks for a number by its prefix only, and for a phone only among people', async () => {
  await search('so2026');
  await search('13812345678');
  await search('12345');
  await search('WO2026');
  expect(asked).toEqual(['SO so2026', ' 13812345678']);
});
