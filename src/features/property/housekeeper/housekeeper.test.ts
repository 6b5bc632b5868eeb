import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { housekeeperOn } from '../../../domain/property-staff/housekeeper.server.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const ROOT = '/jinmao/web/housekeeper';
let product: TestProduct;
let admin: string;
let project: number;
let tenant: number;
let made = 0;

const sql = <T>(text: string, values: readonly unknown[] = []) =>
  run<T>(product.platform.database.db, text, values);
const one = async (text: string, values: readonly unknown[] = []) =>
  (await runOne<{ id: number }>(product.platform.database.db, text, values))!.id;
const today = businessDayOf(new Date());

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  const [place] = await sql<{ project: number; tenant: number }>(
    'SELECT p.project_id AS project, p.tenant_id AS tenant FROM tenant_project p JOIN tenant t ON t.id = p.tenant_id AND t.kind = 1 ORDER BY 1, 2 LIMIT 1',
  );
  ({ project, tenant } = place!);
});
afterAll(() => product?.close());

/** A building with two units of three houses. */
async function building() {
  made += 1;
  const id = await one('INSERT INTO building (project_id, name) VALUES ($1, $2) RETURNING id', [
    project,
    `试验${made}栋`,
  ]);
  const units: { id: number; houses: number[] }[] = [];
  for (const name of ['1单元', '2单元']) {
    const unit = await one('INSERT INTO building_unit (building_id, name) VALUES ($1, $2) RETURNING id', [
      id,
      name,
    ]);
    const houses: number[] = [];
    for (const number of ['2A', '9', '10']) houses.push(await house(unit, number));
    units.push({ id: unit, houses });
  }
  return { id, units, houses: units.flatMap((unit) => unit.houses) };
}
const house = (unit: number, number: string) =>
  one('INSERT INTO house (project_id, unit_id, number, built_area) VALUES ($1, $2, $3, 90) RETURNING id', [
    project,
    unit,
    number,
  ]);

async function keeper() {
  made += 1;
  const staff = await one(`INSERT INTO staff (tenant_id, account, name) VALUES ($1, $2, $3) RETURNING id`, [
    tenant,
    `hk-test-${made}`,
    `管家${made}`,
  ]);
  return one(
    'WITH s AS (UPDATE staff SET is_housekeeper = true WHERE id = $1) INSERT INTO housekeeper (staff_id) VALUES ($1) RETURNING id',
    [staff],
  );
}
const get = async (id: number) => (await product.call(admin, 'GET', `${ROOT}/${id}`)).data;
const act = async (id: number, action: string, input: object) =>
  product.call(admin, 'POST', `${ROOT}/${id}/${action}`, { version: (await get(id)).version, ...input });
const on = async (id: number, day: string, standIn = false) =>
  (
    await sql<{ who: number | null }>(`SELECT ${housekeeperOn('$1::bigint', '$2', standIn)} AS who`, [
      id,
      day,
    ])
  )[0]!.who;
const kept = (id: number) =>
  sql<{
    unit_id: number | null;
    house_from: string | null;
    house_to: string | null;
    valid_from: string;
    valid_to: string | null;
  }>(
    'SELECT unit_id, house_from, house_to, valid_from::text, valid_to::text FROM housekeeper_building WHERE housekeeper_id = $1 ORDER BY id',
    [id],
  );

test('group 06 Must show 14 (housekeepers): moved from the first of the month, the day before counts for the former', async () => {
  const place = await building();
  const [former, next] = [await keeper(), await keeper()];
  expect((await act(former, 'assign', { buildings: [String(place.id)], from: today })).http).toBe(200);
  const first = addDays(today, 8);
  const moved = await act(former, 'transfer', {
    to: String(next),
    buildings: [String(place.id)],
    from: first,
  });
  expect([moved.http, moved.data.result]).toEqual([200, { houses: 6 }]);
  for (const id of place.houses)
    expect([await on(id, addDays(first, -1)), await on(id, first)]).toEqual([former, next]);
  const past = await act(next, 'transfer', {
    to: String(former),
    buildings: [String(place.id)],
    from: addDays(today, -1),
  });
  expect([past.http, past.data.fields.from]).toEqual([422, '不能早于今天']);
});

test('part of a building moves, the rest is kept as the fewest units and ranges, numbers counted as numbers', async () => {
  const place = await building();
  const [former, next] = [await keeper(), await keeper()];
  await act(former, 'assign', { buildings: [String(place.id)], from: today });
  // 2A and 9 of the first unit: 9 comes before 10.
  const [first, second] = place.units;
  await act(former, 'transfer', {
    to: String(next),
    houses: first!.houses.slice(0, 2).map(String),
    from: today,
  });
  expect(await kept(next)).toEqual([
    { unit_id: first!.id, house_from: '2A', house_to: '9', valid_from: today, valid_to: null },
  ]);
  expect(await kept(former)).toEqual([
    { unit_id: first!.id, house_from: '10', house_to: '10', valid_from: today, valid_to: null },
    { unit_id: second!.id, house_from: null, house_to: null, valid_from: today, valid_to: null },
  ]);
  // Built later: each goes to whoever has its range; the place between belongs to nobody.
  expect(await on(await house(second!.id, '11'), today)).toBe(former);
  expect(await on(await house(first!.id, '3'), today)).toBe(next);
  expect(await on(await house(first!.id, '12'), today)).toBeNull();
});

test('one main housekeeper of a house and day: ten assignments at once leave one, the others are told who', async () => {
  const place = await building();
  const keepers = await Promise.all(Array.from({ length: 10 }, () => keeper()));
  const answers = await Promise.all(
    keepers.map((id) => act(id, 'assign', { units: [String(place.units[0]!.id)], from: today })),
  );
  expect(answers.filter((answer) => answer.http === 200)).toHaveLength(1);
  const refused = answers.filter((answer) => answer.http !== 200);
  for (const answer of refused) {
    expect([answer.http, answer.status]).toEqual([409, 30101]);
    expect(answer.message).toMatch(/在该日期已有主管家“管家\d+”$/);
  }
  // The table holds it whatever the code does.
  const winner = keepers[answers.findIndex((answer) => answer.http === 200)]!;
  await expect(
    sql(
      `INSERT INTO housekeeper_house SELECT a.id, $1, a.housekeeper_id, 'main', daterange(current_date, NULL) FROM housekeeper_building a WHERE a.housekeeper_id = $2`,
      [place.units[1]!.houses[0], winner],
    ).then(() =>
      sql(
        `INSERT INTO housekeeper_house SELECT a.id, $1, a.housekeeper_id, 'main', daterange(current_date, NULL) FROM housekeeper_building a WHERE a.housekeeper_id <> $2 LIMIT 1`,
        [place.units[1]!.houses[0], winner],
      ),
    ),
  ).rejects.toThrow(/housekeeper_house_main/);
});

test('a place without houses is refused; the tree shows who has what', async () => {
  const id = await keeper();
  const bare = await one('INSERT INTO building (project_id, name) VALUES ($1, $2) RETURNING id', [
    project,
    '空楼',
  ]);
  const empty = await act(id, 'assign', { buildings: [String(bare)], from: today });
  expect([empty.http, empty.message]).toEqual([409, '所选范围内没有房屋']);
  const place = await building();
  await act(id, 'assign', { houses: [String(place.houses[0])], from: today });
  const tree = async (parent: string) =>
    (await product.call(admin, 'GET', `${ROOT}/places?parent=${parent}&housekeeper=${id}`)).data as {
      id: string;
      isChoose: number;
      mine: number;
      holders: string[];
    }[];
  const node = (await tree(`project:${project}`)).find((row) => row.id === String(place.id))!;
  expect([node.isChoose, node.mine, node.holders.length]).toEqual([1, 1, 1]);
  expect((await tree(`unit:${place.units[0]!.id}`)).map((row) => row.isChoose)).toEqual([1, 0, 0]);
});

test('a stand-in acts for the main one on its days and follows what is transferred', async () => {
  const place = await building();
  const [main, deputy, other] = [await keeper(), await keeper(), await keeper()];
  await act(main, 'assign', { buildings: [String(place.id)], from: today });
  const update = async (input: object) =>
    product.call(admin, 'PUT', `${ROOT}/${main}`, { version: (await get(main)).version, ...input });
  const half = await update({ standIn: String(deputy), standInFrom: today });
  expect([half.http, half.data.fields.standInTo]).toEqual([422, '请填写代班期']);
  const until = addDays(today, 10);
  expect((await update({ standIn: String(deputy), standInFrom: today, standInTo: until })).http).toBe(200);
  const [house] = place.houses;
  expect([
    await on(house!, today, true),
    await on(house!, today),
    await on(house!, addDays(until, 1), true),
  ]).toEqual([deputy, main, main]);
  const day = addDays(today, 3);
  await act(main, 'transfer', { to: String(other), buildings: [String(place.id)], from: day });
  expect([await on(house!, addDays(day, -1), true), await on(house!, day, true)]).toEqual([deputy, other]);
});

test('nobody is deleted while buildings are assigned; afterwards the row comes back with its past', async () => {
  const place = await building();
  const [id, next] = [await keeper(), await keeper()];
  await act(id, 'assign', { buildings: [String(place.id)], from: today });
  const refused = await act(id, 'leave', {});
  expect([refused.http, refused.status, refused.message]).toEqual([409, 30101, '请先移交楼栋']);
  await act(id, 'transfer', { to: String(next), buildings: [String(place.id)], from: addDays(today, 1) });
  expect((await act(id, 'leave', {})).message).toBe('请先移交楼栋');
  await act(next, 'transfer', { to: String(id), buildings: [String(place.id)], from: addDays(today, 1) });
  await act(id, 'transfer', { to: String(next), buildings: [String(place.id)], from: today });
  expect((await act(id, 'leave', {})).http).toBe(200);
  const [row] = await sql<{ is_housekeeper: boolean; staff_id: number }>(
    'SELECT s.is_housekeeper, s.id AS staff_id FROM housekeeper k JOIN staff s ON s.id = k.staff_id WHERE k.id = $1',
    [id],
  );
  expect(row!.is_housekeeper).toBe(false);
  const again = await product.call(admin, 'POST', ROOT, {
    staff: String(row!.staff_id),
    photo: await photo(),
  });
  expect([again.http, again.data.id]).toEqual([200, String(id)]);
  const twice = await product.call(admin, 'POST', ROOT, {
    staff: String(row!.staff_id),
    photo: await photo(),
  });
  expect(twice.http).not.toBe(200);
});

async function photo(): Promise<string> {
  const [file] = await sql<{ id: string }>(
    `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access, owner_id) VALUES (gen_random_uuid(), 'a.png', 'image/png', 10, '\\x00', gen_random_uuid()::text, 'picture', 1) RETURNING id::text AS id`,
  );
  return file!.id;
}
