import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { areaProblems, copiedName, roomsFromText } from '../../../domain/furnishing/rooms.rules.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const ROOT = '/jinmao/web/houseType';
let product: TestProduct;
let admin: string;
let picture: string;
let north: string;
let south: string;
let houses: string[];

const db = () => product.platform.database.db;
const ROOMS = [
  { kind: 'living', name: '客厅', area: '28.50' },
  { kind: 'master', name: '主卧', area: '15.20' },
];
const form = (more: object = {}) => ({
  project: north,
  name: '样板户型',
  rooms: ROOMS,
  builtArea: '89.36',
  innerArea: '72.10',
  orientation: 'sn',
  layout: picture,
  ...more,
});
const add = async (more: object = {}) => {
  const made = await product.call(admin, 'POST', ROOT, form(more));
  expect([made.http, made.message]).toEqual([200, '']);
  return made.data as { id: string; version: number };
};
const act = (id: string, action: string, body: object = {}, token = admin) =>
  product.call(token, 'POST', `${ROOT}/${id}/${action}`, body);

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  picture = (await runOne<{ id: string }>(db(), `SELECT id FROM stored_file WHERE name = 'launch-1.png'`))!
    .id;
  const made: string[] = [];
  for (const code of ['HF01', 'HF02'])
    made.push(
      String(
        (await runOne<{ id: number }>(
          db(),
          `INSERT INTO project (code, name, centre_id, unit_id) SELECT $1, $2, centre_id, unit_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
          [code, `户型小区${code}`],
        ))!.id,
      ),
    );
  [north, south] = made as [string, string];
  const unit = (await runOne<{ id: number }>(
    db(),
    `WITH b AS (INSERT INTO building (project_id, name) VALUES ($1, '1号楼') RETURNING id)
     INSERT INTO building_unit (building_id, name) SELECT id, '1单元' FROM b RETURNING id`,
    [north],
  ))!;
  houses = (
    await run<{ id: number }>(
      db(),
      `INSERT INTO house (project_id, unit_id, number, floor, built_area, inner_area) SELECT $1, $2, (100 + n)::text, 1, 89, 72 FROM generate_series(1, 14) n RETURNING id`,
      [north, unit.id],
    )
  ).map((one) => String(one.id));
});
afterAll(() => product.close());

test('rooms of a sheet, areas that do not fit, names of copies', () => {
  expect(roomsFromText('客厅 28.5；卫生间 主卫 4.60')).toEqual([
    { kind: 'living', name: '客厅', area: '28.50' },
    { kind: 'bath', name: '主卫', area: '4.60' },
  ]);
  expect(roomsFromText('车库 20')).toBeUndefined();
  expect(roomsFromText('客厅')).toBeUndefined();
  expect(areaProblems([{ area: '50.05' }, { area: '50.05' }], '100.10', '100.10')).toEqual({});
  expect(Object.keys(areaProblems([{ area: '50.06' }, { area: '50.05' }], '100.10', '100.00'))).toEqual([
    'innerArea',
    'rooms',
  ]);
  expect(copiedName('A', new Set(['a', 'a副本']))).toBe('A副本2');
});

test('rooms above the inner area, inner above built area, no layout and a taken name are refused; so does the database', async () => {
  const { id } = await add();
  const refused = async (more: object) => (await product.call(admin, 'POST', ROOT, form(more))).data?.fields;
  expect(await refused({ name: '一', innerArea: '43.69' })).toEqual({ rooms: '房间面积合计大于套内面积' });
  expect(await refused({ name: '一', innerArea: '90.00' })).toEqual({
    innerArea: '套内面积不能大于建筑面积',
  });
  expect(await refused({ name: '一', layout: null })).toEqual({ layout: '请上传户型图' });
  expect(await refused({ name: '一', builtArea: '9.99', innerArea: '9.00' })).toHaveProperty('builtArea');
  const taken = await product.call(admin, 'POST', ROOT, form());
  expect([taken.status, taken.message]).toEqual([30101, '该项目已有同名户型']);
  expect((await product.call(admin, 'PUT', `${ROOT}/${id}`, { version: 1, innerArea: '40.00' })).http).toBe(
    422,
  );
  await expect(run(db(), 'UPDATE house_type SET inner_area = 40 WHERE id = $1', [id])).rejects.toThrow(
    /house_type_rooms_inside/,
  );
});

test('group 14 Must show 14: a copy of a taken name gets 副本; bound to 12 houses it cannot be deleted', async () => {
  const { id } = await add({ name: '标准三房' });
  await add({ name: '标准三房', project: south });
  const copies = await Promise.all([
    act(id, 'copy', { projects: [south] }),
    act(id, 'copy', { projects: [south] }),
  ]);
  expect(copies.map((one) => one.http)).toEqual([200, 200]);
  const names = await run<{ name: string }>(
    db(),
    `SELECT name FROM house_type WHERE project_id = $1 AND name LIKE '标准三房%' ORDER BY name`,
    [south],
  );
  expect(names.map((one) => one.name)).toEqual(['标准三房', '标准三房副本', '标准三房副本2']);
  const bound = await act(id, 'bind', { houses: houses.slice(0, 12) });
  expect([bound.http, bound.data.result]).toEqual([200, { bound: 12, released: 0 }]);
  const refused = await product.call(admin, 'DELETE', `${ROOT}/${id}`);
  expect([refused.status, refused.message]).toEqual([30101, '已被 12 套房屋、0 个套餐使用']);
  const english = await product.app.inject({
    method: 'DELETE',
    url: `/api${ROOT}/${id}`,
    headers: { authorization: admin, 'accept-language': 'en' },
  });
  expect(english.json().message).toBe('Used by 12 houses and 0 packages');
  expect((await act(id, 'bind', { release: houses.slice(0, 12) })).data.result).toEqual({
    bound: 0,
    released: 12,
  });
  expect((await product.call(admin, 'DELETE', `${ROOT}/${id}`)).http).toBe(200);
});

test('houses of another type stand first in the dialog and are taken over; two desks at once leave each house one type', async () => {
  const [first, second] = [await add({ name: '甲型' }), await add({ name: '乙型' })];
  await act(first.id, 'bind', { houses: houses.slice(0, 3) });
  const offered = await product.call(admin, 'GET', `${ROOT}/${second.id}/houses`);
  expect(offered.data.slice(0, 3).map((one: { type: { name: string } }) => one.type.name)).toEqual([
    '甲型',
    '甲型',
    '甲型',
  ]);
  expect(offered.data[3].type).toBeNull();
  await Promise.all([
    act(first.id, 'bind', { houses }),
    act(second.id, 'bind', { houses: [...houses].reverse() }),
  ]);
  const held = await run<{ n: number }>(
    db(),
    'SELECT count(*)::integer AS n FROM house WHERE project_id = $1 AND house_type_id IS NOT NULL GROUP BY house_type_id',
    [north],
  );
  expect(held).toEqual([{ n: 14 }]);
  const foreign = await runOne<{ id: number }>(
    db(),
    'SELECT id FROM house WHERE project_id <> $1 ORDER BY id LIMIT 1',
    [north],
  );
  expect((await act(first.id, 'bind', { houses: [String(foreign!.id)] })).http).toBe(404);
});

test('group 14 Must show 13 (house types): staff of a project see its types only, foreign ids answer 404', async () => {
  const there = await add({ name: '南区型', project: south });
  const staff = await runOne<{ id: number }>(
    db(),
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password)
     SELECT id, 'plans', '户型员', false, false FROM tenant WHERE kind = 3 LIMIT 1 RETURNING id`,
  );
  await run(db(), 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [staff!.id, north]);
  await grantMenu(db(), staff!.id, 'mj_houseTypeMana');
  const token = await product.signIn('plans');
  const seen = await product.call(token, 'GET', `${ROOT}/page?limit=200`);
  expect(new Set(seen.data.rows.map((row: { project: { id: string } }) => row.project.id))).toEqual(
    new Set([north]),
  );
  expect((await product.call(token, 'GET', `${ROOT}/${there.id}`)).http).toBe(404);
  expect((await act(there.id, 'disable', {}, token)).http).toBe(403);
});
