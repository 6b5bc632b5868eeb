import { afterAll, beforeAll, expect, test } from 'vitest';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { registration as places } from '../../base-data/places/places.server.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { boardOccupancy, boardPosition, BOARD_MENU } from '../position/position.contract.ts';
import { registration as occupancies } from './board-occupancy.server.ts';
import { registration as board } from './board-position.server.ts';
import type { BoardRow } from './board.rules.ts';

const ROOT = '/jinmao/web/positionBoard';
let mall: Mall;
let anna: Caller;
let ben: Caller;
let south: Caller;
let turn = 0;
const db = () => mall.platform.database.db;

beforeAll(async () => {
  mall = await openMall([places, board, occupancies]);
  const platformId = (await runOne<{ id: number }>(db(), 'SELECT id FROM tenant WHERE kind = 3 LIMIT 1'))!.id;
  const elements = [boardPosition, boardOccupancy].flatMap((resource) =>
    Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)),
  );
  const make = async (name: string, projectIds: readonly number[] | null) =>
    callerOf(
      { staffId: await mall.staff(name, platformId), tenantId: platformId, tenantKind: 3, projectIds },
      [BOARD_MENU],
      elements,
    );
  [anna, ben, south] = [
    await make('pban', null),
    await make('pbbe', null),
    await make('pbso', [mall.ids.south]),
  ];
});
afterAll(() => mall.close());

const day = (shift: number) =>
  new Date(Date.now() + 8 * 3_600_000 + shift * 86_400_000).toISOString().slice(0, 10);
const add = async () =>
  String(
    (await runOne<{ id: number }>(
      db(),
      `INSERT INTO position (code, name, project_id, type_id, list_price)
       SELECT $1, '档期点位', $2, v.id, 300000 FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = 'position_type' AND v.parent_id IS NOT NULL LIMIT 1 RETURNING id`,
      [`B-${(turn += 1)}`, mall.ids.north],
    ))!.id,
  );
const ranges = (ids: readonly string[], from: number, to: number) =>
  ids.map((position) => ({ position, from: day(from), to: day(to) }));
const hold = (caller: Caller, chosen: object, more: object = {}) =>
  mall.call(caller, 'POST', `${ROOT}/hold`, { ranges: chosen, reason: '选点', until: day(3), ...more });
const look = async (caller: Caller, more = '') =>
  (await mall.call(caller, 'GET', `${ROOT}?project=${mall.ids.north}&from=${day(-30)}&to=${day(60)}${more}`))
    .data.rows as BoardRow[];
const barsOf = async (caller: Caller, id: string) => (await look(caller)).find((row) => row.id === id)!.bars;

test('free days of several positions are held at once, all of them or none', async () => {
  const ids = [await add(), await add(), await add()];
  expect((await hold(anna, ranges(ids, 5, 20))).data).toEqual({ held: 3 });
  expect(await barsOf(anna, ids[1]!)).toMatchObject([{ kind: 'hold', from: day(5), to: day(20), own: true }]);
  expect((await barsOf(ben, ids[1]!))[0]!.own).toBe(false);
  const free = await add();
  const half = await hold(ben, ranges([free, ids[2]!], 10, 12));
  expect([half.status, half.message]).toEqual([
    30101,
    `点位 B-3 在 ${day(5)} 至 ${day(20)} 已被占用（预留）`,
  ]);
  expect(await barsOf(ben, free)).toEqual([]);
});

test('two plans over the same positions at once in opposite order: one wins whole, none waits for ever', async () => {
  const ids = [await add(), await add(), await add(), await add()];
  const answers = await Promise.all([
    hold(anna, ranges(ids, 0, 9)),
    hold(ben, ranges([...ids].reverse(), 9, 12)),
  ]);
  expect(answers.map((one) => one.http).sort()).toEqual([200, 409]);
  const rows = await run(db(), 'SELECT FROM position_occupancy WHERE position_id = ANY($1::bigint[])', [
    ids.map(Number),
  ]);
  expect(rows).toHaveLength(4);
});

test('one call takes twenty positions at most, a disabled one none, a client the caller does not see none', async () => {
  const id = await add();
  const many = await hold(
    anna,
    ranges(
      Array.from({ length: 21 }, () => id),
      0,
      1,
    ),
  );
  expect(many.http).toBe(422);
  expect((await hold(anna, ranges([id], 0, 1), { client: '999999' })).http).toBeGreaterThanOrEqual(404);
  await run(db(), 'UPDATE position SET enabled = false WHERE id = $1', [Number(id)]);
  expect((await hold(anna, ranges([id], 0, 1))).message).toBe('点位已停用');
});

test('the board shows two years at most and nothing of other projects', async () => {
  const id = await add();
  const long = await mall.call(
    anna,
    'GET',
    `${ROOT}?project=${mall.ids.north}&from=2026-01-01&to=2028-01-01`,
  );
  expect([long.http, long.data.fields]).toEqual([422, { to: '最多 24 个月' }]);
  expect(await look(south)).toEqual([]);
  expect((await hold(south, ranges([id], 0, 1))).http).toBe(404);
  expect((await look(anna)).some((row) => row.id === id)).toBe(true);
});
