import { inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { housekeeperOn } from '../../../domain/property-staff/housekeeper.server.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { zipEntries } from '../../../kernel/server/tables/zip-entries.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { zipOf } from './zip.ts';

const ROOT = '/jinmao/web/butlerInfo';
const HANDOVER = '/jinmao/web/butlerHandover';
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

/** A building with one unit of three houses. */
async function building() {
  made += 1;
  const id = await one('INSERT INTO building (project_id, name) VALUES ($1, $2) RETURNING id', [
    project,
    `交接${made}栋`,
  ]);
  const unit = await one('INSERT INTO building_unit (building_id, name) VALUES ($1, $2) RETURNING id', [
    id,
    '1单元',
  ]);
  const houses: number[] = [];
  for (const number of ['101', '102', '201'])
    houses.push(
      await one(
        'INSERT INTO house (project_id, unit_id, number, built_area) VALUES ($1, $2, $3, 90) RETURNING id',
        [project, unit, number],
      ),
    );
  return { id, unit, houses, name: `交接${made}栋` };
}
const staff = async (name = `管家${(made += 1)}`) => ({
  id: await one(`INSERT INTO staff (tenant_id, account, name) VALUES ($1, $2, $3) RETURNING id`, [
    tenant,
    `bi-test-${(made += 1)}`,
    name,
  ]),
  name,
});
/** A butler made over the API, with a building. */
async function butler(place: { id: number }, from = today) {
  const { id, name } = await staff();
  const answer = await product.call(admin, 'POST', ROOT, {
    staff: String(id),
    contactPhone: '13900001111',
    firstBuildings: [String(place.id)],
    firstDay: from,
  });
  expect([answer.http, answer.message]).toEqual([200, '']);
  return { id: Number(answer.data.id), name, staffId: id };
}
const get = async (id: number, root = ROOT) => (await product.call(admin, 'GET', `${root}/${id}`)).data;
const act = async (id: number, action: string, input: object = {}, root = ROOT) =>
  product.call(admin, 'POST', `${root}/${id}/${action}`, {
    version: (await get(id, root)).version,
    ...input,
  });
const on = async (id: number, day: string) =>
  (await sql<{ who: number | null }>(`SELECT ${housekeeperOn('$1::bigint', '$2')} AS who`, [id, day]))[0]!
    .who;
const handovers = (from: number) =>
  sql<{ id: number; state: string; to_id: number | null; houses: number }>(
    'SELECT id, state, to_id, houses FROM housekeeper_handover WHERE from_id = $1 ORDER BY id',
    [from],
  );

test('group 12 Must show 10 (butlers): a second main butler of a house is refused by house and butler, nothing of the new one is saved', async () => {
  const place = await building();
  const first = await butler(place);
  const { id: next } = await staff();
  const refused = await product.call(admin, 'POST', ROOT, {
    staff: String(next),
    contactPhone: '13900001112',
    firstHouses: [String(place.houses[2])],
    firstDay: addDays(today, 3),
  });
  expect([refused.http, refused.status, refused.message]).toEqual([
    409,
    30101,
    `${place.name}1单元201 在该日期已有主管家“${first.name}”`,
  ]);
  expect(await sql('SELECT id FROM housekeeper WHERE staff_id = $1', [next])).toEqual([]);
  expect(await sql('SELECT is_housekeeper AS is FROM staff WHERE id = $1', [next])).toEqual([{ is: false }]);
});

test('a butler needs houses, and only one of two who give the same house at once succeeds', async () => {
  const place = await building();
  const people = [await staff(), await staff()];
  const body = (id: number, more: object) => ({
    staff: String(id),
    contactPhone: '13900001113',
    firstDay: today,
    ...more,
  });
  const bare = await product.call(admin, 'POST', ROOT, body(people[0]!.id, {}));
  expect([bare.http, bare.data.fields]).toEqual([422, { firstBuildings: '请选择管辖的楼栋、单元或房屋' }]);
  const answers = await Promise.all(
    people.map(({ id }) =>
      product.call(admin, 'POST', ROOT, body(id, { firstBuildings: [String(place.id)] })),
    ),
  );
  expect(answers.map((answer) => answer.http).sort((a, b) => a - b)).toEqual([200, 409]);
  expect(
    await sql(
      `SELECT count(*)::int AS rows FROM housekeeper_house WHERE house_id = ANY($1::bigint[]) AND kind = 'main'`,
      [place.houses],
    ),
  ).toEqual([{ rows: 3 }]);
});

test('a handover to come is kept, cancelled before its day and taken by the job on it', async () => {
  const [place, other] = [await building(), await building()];
  const [former, next] = [await butler(place), await butler(other)];
  const day = addDays(today, 8);
  const given = await act(former.id, 'handover', {
    successor: String(next.id),
    buildings: [String(place.id)],
    handoverDay: day,
  });
  expect([given.http, given.data.result]).toEqual([200, { houses: 3 }]);
  expect([await on(place.houses[0]!, addDays(day, -1)), await on(place.houses[0]!, day)]).toEqual([
    former.id,
    next.id,
  ]);
  const [kept] = await handovers(former.id);
  expect(kept).toMatchObject({ state: 'planned', to_id: next.id, houses: 3 });
  const cancelled = await act(kept!.id, 'cancel', {}, HANDOVER);
  expect([cancelled.http, cancelled.message]).toEqual([200, '']);
  expect(await on(place.houses[0]!, day)).toBe(former.id);
  // Once more; then the new one gives one house on, and it cannot be taken back.
  await act(former.id, 'handover', {
    successor: String(next.id),
    units: [String(place.unit)],
    handoverDay: day,
  });
  await act(next.id, 'handover', {
    vacant: true,
    houses: [String(place.houses[0])],
    handoverDay: addDays(day, 1),
  });
  const [, second] = await handovers(former.id);
  expect((await act(second!.id, 'cancel', {}, HANDOVER)).message).toBe('交接后的管辖已有变化，不能取消');
  await sql(`UPDATE housekeeper_handover SET starts_on = $2 WHERE id = $1`, [second!.id, today]);
  expect((await act(second!.id, 'cancel', {}, HANDOVER)).http).toBe(409);
  const job = product.platform.registrations
    .flatMap((registration) => registration.jobs ?? [])
    .find((found) => found.name === 'butler.handover')!;
  await job.run({}, product.platform);
  expect((await handovers(former.id)).map((row) => row.state)).toEqual(['cancelled', 'done']);
});

test('houses are vacant only by word; the vacancy can be taken back; nobody leaves with houses', async () => {
  const place = await building();
  const former = await butler(place);
  const day = addDays(today, 5);
  const silent = await act(former.id, 'handover', { buildings: [String(place.id)], handoverDay: day });
  expect([silent.http, silent.data.fields]).toEqual([422, { successor: '请选择新管家' }]);
  const past = await act(former.id, 'handover', {
    vacant: true,
    buildings: [String(place.id)],
    handoverDay: addDays(today, -1),
  });
  expect([past.http, past.data.fields]).toEqual([422, { handoverDay: '不能早于今天' }]);
  expect(
    (await act(former.id, 'handover', { vacant: true, buildings: [String(place.id)], handoverDay: day }))
      .http,
  ).toBe(200);
  expect(await on(place.houses[1]!, day)).toBe(null);
  const [kept] = await handovers(former.id);
  expect((await act(kept!.id, 'cancel', {}, HANDOVER)).http).toBe(200);
  expect(await on(place.houses[1]!, day)).toBe(former.id);
  expect((await act(former.id, 'leave')).message).toBe('还有 3 户未交接');
  expect(
    (await act(former.id, 'handover', { vacant: true, buildings: [String(place.id)], handoverDay: today }))
      .http,
  ).toBe(200);
  expect((await act(former.id, 'leave')).http).toBe(200);
  expect(await get(former.id)).toMatchObject({ duty: 'left', houses: 0 });
  const refused = await product.call(admin, 'POST', `${ROOT}/${former.id}/leave`, {
    version: (await get(former.id)).version,
  });
  expect([refused.http, refused.message]).toEqual([409, '管家已离岗']);
});

test('a stand-in acts for at most 60 days and is shown while it does', async () => {
  const [place, other] = [await building(), await building()];
  const [main, stand] = [await butler(place), await butler(other)];
  const long = await act(main.id, 'standIn', {
    standIn: String(stand.id),
    standInFrom: today,
    standInTo: addDays(today, 60),
  });
  expect([long.http, long.data.fields]).toEqual([422, { standInTo: '代班最长60天' }]);
  const done = await act(main.id, 'standIn', {
    standIn: String(stand.id),
    standInFrom: today,
    standInTo: addDays(today, 59),
  });
  expect(done.http).toBe(200);
  expect((await get(main.id)).standInNow).toBe(stand.name);
});

test('an approved leave proposes its days; who is off counts among those without a stand-in until somebody acts', async () => {
  const [place, other] = [await building(), await building()];
  const [main, stand] = [await butler(place), await butler(other)];
  const leave = (from: string) =>
    sql(
      `INSERT INTO leave_record (tenant_id, staff_id, kind, day, starts_at, ends_at, minutes, state, decided_at)
       VALUES ($1, $2, 'leave', $3::date, ($3::date)::timestamp AT TIME ZONE 'Asia/Shanghai', ($3::date + 1)::timestamp AT TIME ZONE 'Asia/Shanghai', 480, 'approved', now())`,
      [tenant, main.staffId, from],
    );
  for (const days of [0, 1, 2, 20, 21]) await leave(addDays(today, days));
  expect(await get(main.id)).toMatchObject({
    leave: `${today} – ${addDays(today, 2)}`,
    duty: 'leave',
    uncovered: true,
  });
  const waiting = async () =>
    (await product.call(admin, 'GET', `${ROOT}/page?uncovered=true&limit=200`)).data.rows.some(
      (row: { id: string }) => row.id === String(main.id),
    );
  expect(await waiting()).toBe(true);
  await act(main.id, 'standIn', {
    standIn: String(stand.id),
    standInFrom: today,
    standInTo: addDays(today, 2),
  });
  expect([await waiting(), (await get(main.id)).uncovered]).toEqual([false, false]);
});

test('who cannot take houses is refused at the input of the new butler; a building tells which part is vacant', async () => {
  const place = await building();
  const former = await butler(place);
  const same = await act(former.id, 'handover', {
    successor: String(former.id),
    buildings: [String(place.id)],
    handoverDay: today,
  });
  expect([same.http, same.data.fields]).toEqual([422, { successor: '不能移交给本人' }]);
  await act(former.id, 'handover', { vacant: true, houses: [String(place.houses[0])], handoverDay: today });
  const { data } = await product.call(admin, 'GET', `/jinmao/web/butlerCoverage/${place.id}`);
  expect(data).toMatchObject({ houses: 3, vacant: 1, vacancy: '33.3', covered: 'part' });
});

test('a building goes to a butler from the matrix: houses of others are handed over, vacant ones assigned', async () => {
  const [place, other] = [await building(), await building()];
  const [former, next] = [await butler(place), await butler(other)];
  await act(former.id, 'handover', { vacant: true, houses: [String(place.houses[0])], handoverDay: today });
  const matrix = async () => {
    const { data } = await product.call(admin, 'GET', `${ROOT}/matrix?project=${project}`);
    return data.buildings.find((row: { id: string }) => row.id === String(place.id)).units[0];
  };
  expect(await matrix()).toMatchObject({
    houses: 3,
    vacant: 1,
    butlers: [{ id: String(former.id), houses: 2 }],
  });
  const { data: load } = await product.call(admin, 'GET', `${ROOT}/${former.id}/load?buildings=${place.id}`);
  expect(load).toEqual({ houses: 2, workOrders: 0, reminders: 0, bills: 0, owed: '0.00' });
  const given = await product.call(admin, 'POST', `${ROOT}/${next.id}/receive`, {
    building: String(place.id),
    from: today,
    note: '片区调整',
  });
  expect([given.http, given.data]).toEqual([200, { houses: 3 }]);
  expect(await matrix()).toMatchObject({ vacant: 0, butlers: [{ id: String(next.id), houses: 3 }] });
  const again = await product.call(admin, 'POST', `${ROOT}/${next.id}/receive`, {
    building: String(place.id),
    from: today,
  });
  expect([again.http, again.message]).toEqual([409, '已全部由该管家负责']);
});

test('the archive of codes is one that readers of archives open', () => {
  const archive = Buffer.from(
    zipOf([
      { name: '王管家-P0001.png', bytes: Uint8Array.from([1, 2, 3]) },
      { name: 'b.png', bytes: new Uint8Array(300).fill(7) },
    ]),
  );
  const entries = [...zipEntries(archive).values()].map(({ name, method, packed }) => [
    name,
    method === 0 ? packed.length : inflateRawSync(packed).length,
  ]);
  expect(entries).toEqual([
    ['王管家-P0001.png', 3],
    ['b.png', 300],
  ]);
});
