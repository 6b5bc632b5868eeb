import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { findImportTarget, type ImportRow } from '../../../kernel/server/tables/import-target.ts';
import { debtorOf, planRun } from '../../../domain/charging/billing.server.ts';
import { bookPayment, lockPrepaid, prepaidOf } from '../../../domain/charging/prepaid.server.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import type { PlaceLines } from './house.contract.ts';

const HOUSE = '/jinmao/web/house';
const PEOPLE = '/jinmao/web/household';
const today = businessDayOf(new Date());
let product: TestProduct;
let admin: string;
let clerk: string;
let turn = 0;

const db = () => product.platform.database.db;
const sql = <T>(text: string, values: readonly unknown[] = []) => run<T>(db(), text, values);
const one = async <T>(text: string, values: readonly unknown[] = []) =>
  (await runOne<T>(db(), text, values))!;
const act = (root: string, id: string | number, action: string, input: object = {}, token = admin) =>
  product.call(token, 'POST', `${root}/${id}/${action}`, input);
const get = async (root: string, id: string | number) =>
  (await product.call(admin, 'GET', `${root}/${id}`)).data;
const phoneOf = (n: number) => `1366000${String(n).padStart(4, '0')}`;
const person = (more: object = {}) => {
  turn += 1;
  return { name: `住户${turn}`, phone: phoneOf(turn), identity: 'owner', ...more };
};
const bind = (house: number, more: object = {}, token = admin) =>
  product.call(token, 'POST', PEOPLE, { house: String(house), ...person(more) });

/** A fresh house of 100 m² with its place, charged by its area. */
async function house(number = `T${(turn += 1)}`) {
  const place = await one<{ unit: number; building: number; project: number; item: number; tenant: number }>(
    `SELECT h.unit_id AS unit, u.building_id AS building, h.project_id AS project, i.id AS item, i.tenant_id AS tenant
       FROM fee_item i JOIN fee_assignment a ON a.fee_item_id = i.id JOIN house h ON h.id = a.house_id JOIN building_unit u ON u.id = h.unit_id
      WHERE i.enabled AND i.formula = 'built_area' AND i.cycle = 'month' ORDER BY i.id, a.id LIMIT 1`,
  );
  const made = await product.call(admin, 'POST', HOUSE, {
    project: String(place.project),
    building: String(place.building),
    unit: String(place.unit),
    floor: 31,
    number,
    builtArea: '100.00',
    innerArea: '80.00',
    state: 'self_use',
  });
  expect([made.http, made.message]).toEqual([200, '']);
  const id = Number(made.data.id);
  await sql(
    'INSERT INTO fee_assignment (tenant_id, project_id, house_id, fee_item_id, valid_from, price) VALUES ($1, $2, $3, $4, $5, 2.8)',
    [place.tenant, place.project, id, place.item, '2026-01-01'],
  );
  return { id, ...place };
}
type Place = Awaited<ReturnType<typeof house>>;

const owe = (place: Place, principal: number, lateFee = 0, month = 1) =>
  sql(
    `INSERT INTO bill (code, tenant_id, project_id, house_id, fee_item_id, debtor_id, debtor_name, period_from, period_to, due_date, principal, late_fee, terms)
     SELECT $1, $2, $3, $4, $5, x.member_id, 'old', make_date(2026, $8::int, 1), make_date(2026, $8::int, 28), make_date(2026, $8::int, 10), $6, $7, '{}'
       FROM (SELECT (SELECT member_id FROM household WHERE house_id = $4 AND pays) AS member_id) x`,
    [`HC${place.id}-${month}`, place.tenant, place.project, place.id, place.item, principal, lateFee, month],
  );
const planned = async (place: Place, month: string) =>
  (await planRun(db(), { projectId: place.project, itemIds: [place.item], month }, 15)).bills.find(
    (bill) => bill.houseId === place.id,
  );
const payer = async (id: number) =>
  (
    await sql<{ member_id: number }>('SELECT member_id FROM household WHERE house_id = $1 AND pays', [id])
  ).map((row) => row.member_id);

beforeAll(async () => {
  product = await startTestProduct();
  [admin, clerk] = [await product.signIn('admin'), await product.signIn('centre1.service')];
});
afterAll(() => product?.close());

test('group 06 Must show 14 (houses): a transfer over the card is refused at 563.64 without a choice, then names the new owner on what follows', async () => {
  const place = await house();
  const { data: old } = await bind(place.id);
  const family = await bind(place.id, { identity: 'family', consent: true });
  expect(family.data.state).toBe('normal');
  await owe(place, 28_000, 364, 1);
  await owe(place, 28_000, 0, 2);
  expect((await get(HOUSE, place.id)).arrears).toBe('563.64');
  const buyer = { name: '新业主', phone: phoneOf((turn += 1)), date: today };
  const refused = await act(HOUSE, place.id, 'transfer', buyer);
  expect([refused.http, refused.status, refused.message]).toEqual([
    409,
    30101,
    '该房屋欠费563.64，请选择欠费处理方式',
  ]);
  const before = (await payer(place.id))[0];
  expect((await act(HOUSE, place.id, 'transfer', { ...buyer, arrears: 'stay_with_old' })).http).toBe(200);
  const debtors = await sql<{ debtor_id: number }>('SELECT debtor_id FROM bill WHERE house_id = $1', [
    place.id,
  ]);
  expect(debtors.map((row) => row.debtor_id)).toEqual([before, before]);
  const [now] = await payer(place.id);
  expect(now).not.toBe(before);
  expect((await planned(place, '2027-01-01'))!.debtorId).toBe(now);
  expect([(await get(PEOPLE, old.id)).state, (await get(PEOPLE, family.data.id)).state]).toEqual([
    'deleted',
    'deleted',
  ]);
  // The house tells of it, and so does each of its people.
  const told = await sql<{ entity: string; n: number }>(
    `SELECT entity, count(*)::integer AS n FROM entity_event WHERE action = 'transfer' AND (entity = 'house' AND entity_id = $1
        OR entity = 'household' AND entity_id IN (SELECT id FROM household WHERE house_id = $1)) GROUP BY entity ORDER BY entity`,
    [place.id],
  );
  expect(told).toEqual([
    { entity: 'house', n: 1 },
    { entity: 'household', n: 3 },
  ]);
});

test('twenty transfers of a house at once leave one owner who pays', async () => {
  const place = await house();
  await bind(place.id);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      act(HOUSE, place.id, 'transfer', {
        name: `买家${n}`,
        phone: `1366900${String(n).padStart(4, '0')}`,
        date: today,
      }),
    ),
  );
  expect(answers.every((answer) => answer.http === 200)).toBe(true);
  expect(
    await sql(`SELECT 1 FROM household WHERE house_id = $1 AND status = 'normal' AND identity = 'owner'`, [
      place.id,
    ]),
  ).toHaveLength(1);
  expect(await payer(place.id)).toHaveLength(1);
});

test('of twenty who are bound with one phone one stays; of twenty owners one pays; a name that differs is refused', async () => {
  const place = await house();
  const same = person();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      product.call(admin, 'POST', PEOPLE, { house: String(place.id), ...same }),
    ),
  );
  expect(answers.filter((answer) => answer.http === 200)).toHaveLength(1);
  expect(new Set(answers.filter((answer) => answer.http !== 200).map((answer) => answer.message))).toEqual(
    new Set(['该住户已在此房屋']),
  );
  const many = await Promise.all(Array.from({ length: 20 }, () => bind(place.id)));
  expect(many.map((answer) => answer.http)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(await payer(place.id)).toHaveLength(1);
  const other = await house();
  const named = await product.call(admin, 'POST', PEOPLE, { house: String(other.id), ...same, name: '别人' });
  expect([named.http, named.data.fields.name]).toEqual([422, '该手机号已登记为其他姓名，请核对']);
});

test('family and tenants without an owner’s word wait for review; who pays is one owner, and can be changed', async () => {
  const place = await house();
  const first = (await bind(place.id)).data;
  const second = (await bind(place.id)).data;
  const tenant = (await bind(place.id, { identity: 'tenant' })).data;
  expect((await get(PEOPLE, tenant.id)).state).toBe('reviewing');
  expect((await act(PEOPLE, tenant.id, 'refuse')).data.fields).toHaveProperty('reason');
  expect((await act(PEOPLE, tenant.id, 'pass')).data.state).toBe('normal');
  expect((await act(PEOPLE, tenant.id, 'pass')).http).toBe(409);
  const not = await act(PEOPLE, tenant.id, 'identity', { identity: 'tenant', pays: true, reason: '试试' });
  expect(not.data.fields.pays).toBe('缴费业主须为业主');
  expect([(await get(PEOPLE, first.id)).pays, (await get(PEOPLE, second.id)).pays]).toEqual([true, false]);
  await act(PEOPLE, second.id, 'identity', { identity: 'owner', pays: true, reason: '由配偶缴费' });
  expect([(await get(PEOPLE, first.id)).pays, (await get(PEOPLE, second.id)).pays]).toEqual([false, true]);
  expect((await debtorOf(db(), place.id))!.debtorId).toBe((await payer(place.id))[0]);
  expect((await act(PEOPLE, second.id, 'unbind', { reason: '已搬离' })).data.state).toBe('deleted');
  // Bills to come name the owner who is left, and that one pays.
  expect((await get(PEOPLE, first.id)).pays).toBe(true);
  expect((await debtorOf(db(), place.id))!.debtorId).not.toBeNull();
  const log = await sql<{ action: string }>(
    'SELECT action FROM registration_log WHERE house_id = $1 ORDER BY id',
    [place.id],
  );
  expect(log.map((row) => row.action)).toEqual(['bind', 'bind', 'bind', 'approve', 'unbind']);
});

test('another area bills from its day on: bills before keep theirs, the period it lies in is split by days', async () => {
  const place = await house();
  const version = (await get(HOUSE, place.id)).version as number;
  const update = (input: object) => product.call(admin, 'PUT', `${HOUSE}/${place.id}`, { version, ...input });
  expect((await update({ builtArea: '131.00' })).data.fields.areaFrom).toBe('面积有变更，请选择计费日');
  expect((await update({ builtArea: '70.00', areaFrom: today })).data.fields.innerArea).toBe(
    '套内面积不能大于建筑面积',
  );
  const from = `${addDays(today, 40).slice(0, 7)}-11`;
  expect((await update({ builtArea: '131.00', areaFrom: from })).http).toBe(200);
  const days = new Date(Date.UTC(Number(from.slice(0, 4)), Number(from.slice(5, 7)), 0)).getUTCDate();
  // 2.80 a m² and month: 280.00 before, 366.80 from the day on.
  expect((await planned(place, '2026-01-01'))!.amount).toBe(28_000);
  expect((await planned(place, `${from.slice(0, 7)}-01`))!.amount).toBe(
    Math.round((28_000 * 10 + 36_680 * (days - 10)) / days),
  );
  expect((await get(HOUSE, place.id)).areas).toContain(`${from} 131.00 m²`);
});

test('a part is split off with its owners and charges; joined again the areas are what they were', async () => {
  const place = await house();
  await bind(place.id);
  await bind(place.id, { identity: 'family', consent: true });
  await owe(place, 1_000);
  const number = `S${place.id}`;
  const input = { number, builtArea: '40.00', innerArea: '30.00', date: '2026-12-01', reason: '改造分户' };
  const day = addDays(today, 30);
  expect(
    (await act(HOUSE, place.id, 'split', { ...input, builtArea: '100.00', date: day })).data.fields.builtArea,
  ).toBe('须小于原建筑面积');
  const done = await Promise.all([
    act(HOUSE, place.id, 'split', { ...input, date: day }),
    act(HOUSE, place.id, 'split', { ...input, date: day }),
  ]);
  expect(done.map((answer) => answer.http).sort()).toEqual([200, 409]);
  const made = Number(done.find((answer) => answer.http === 200)!.data.result.id);
  expect([(await get(HOUSE, place.id)).builtArea, (await get(HOUSE, made)).builtArea]).toEqual([
    '60.00',
    '40.00',
  ]);
  expect(await payer(made)).toEqual(await payer(place.id));
  expect((await sql('SELECT 1 FROM fee_assignment WHERE house_id = $1', [made])).length).toBe(1);
  expect([(await get(HOUSE, place.id)).arrears, (await get(HOUSE, made)).arrears]).toEqual(['10.00', '0.00']);

  await transaction(db(), async (tx) => {
    const accounts = await lockPrepaid(tx, made);
    await bookPayment(
      tx,
      { type: 'test', id: `split${made}`, purpose: 'x' },
      { received: 500, settled: 0, prepaid: [{ account: accounts.general.id, amount: 500 }] },
    );
  });
  const merge = { other: String(made), date: day, reason: '恢复一户' };
  const both = await Promise.all([
    act(HOUSE, place.id, 'merge', merge),
    act(HOUSE, place.id, 'merge', merge),
  ]);
  expect(both.map((answer) => answer.http).sort()).toEqual([200, 404]);
  const after = await get(HOUSE, place.id);
  expect([after.builtArea, after.innerArea, after.prepaid]).toEqual(['100.00', '80.00', '5.00']);
  expect((await prepaidOf(db(), made)).general).toBe(0);
  expect((await get(HOUSE, made)).mergedInto.id).toBe(String(place.id));
  expect(
    (await act(HOUSE, made, 'transfer', { name: '谁', phone: phoneOf((turn += 1)), date: today })).http,
  ).not.toBe(200);
  expect(await planned({ ...place, id: made }, '2028-01-01')).toBeUndefined();
});

test('a house that owes, belongs to somebody else or stands elsewhere is not joined', async () => {
  const [a, b] = [await house(), await house()];
  await bind(a.id);
  await bind(b.id);
  const day = addDays(today, 1);
  const merge = (other: number) =>
    act(HOUSE, a.id, 'merge', { other: String(other), date: day, reason: '合并' });
  expect((await merge(b.id)).message).toBe('两套房屋的业主不同，请先过户');
  await owe(b, 100);
  expect((await merge(b.id)).message).toBe('被合并的房屋有欠费，请先缴清');
  const elsewhere = await one<{ id: number }>(
    'SELECT h.id FROM house h JOIN building_unit u ON u.id = h.unit_id WHERE u.building_id <> $1 ORDER BY h.id LIMIT 1',
    [a.building],
  );
  expect((await merge(elsewhere.id)).data.fields.other).toBe('只能合并同一楼栋的房屋');
});

test('a house with bills or households is not deleted, an empty one is; a taken number is refused', async () => {
  const place = await house();
  const remove = (id: number) => product.call(admin, 'DELETE', `${HOUSE}/${id}`);
  const refused = await remove(place.id);
  expect([refused.http, refused.message]).toEqual([409, '房屋已有账单、住户或其他记录，不能删除']);
  await sql('DELETE FROM fee_assignment WHERE house_id = $1', [place.id]);
  await bind(place.id);
  expect((await remove(place.id)).http).toBe(409);
  const empty = await house(`E${place.id}`);
  await sql('DELETE FROM fee_assignment WHERE house_id = $1', [empty.id]);
  const again = await product.call(admin, 'POST', HOUSE, {
    project: String(empty.project),
    building: String(empty.building),
    unit: String(empty.unit),
    floor: 3,
    number: `E${place.id}`,
    builtArea: '50.00',
    state: 'vacant',
  });
  expect([again.http, again.message]).toEqual([409, '该单元已有此房号']);
  expect((await remove(empty.id)).http).toBe(200);
});

test('the tree gives one level at a time inside the scope, with marks of its houses, and finds houses by what people type', async () => {
  const places = async (query: string, token = admin) =>
    (await product.call(token, 'GET', `${HOUSE}/places?${query}`)).data as PlaceLines;
  const place = await house(`树${(turn += 1)}`);
  await owe(place, 100);
  await sql(`UPDATE house SET state = 'vacant' WHERE id = $1`, [place.id]);
  const projects = await places('');
  const own = projects.rows.find((row) => row.key === `project:${place.project}`)!;
  const counted = await one<{ n: number }>(
    'SELECT count(*)::integer AS n FROM house WHERE project_id = $1 AND merged_into_id IS NULL',
    [place.project],
  );
  expect(own.houses).toBe(counted.n);
  expect((await places(`parent=project:${place.project}`)).rows.map((row) => row.key)).toContain(
    `building:${place.building}`,
  );
  expect((await places(`parent=building:${place.building}`)).rows.map((row) => row.key)).toContain(
    `unit:${place.unit}`,
  );
  expect((await places(`parent=unit:${place.unit}`)).rows.map((row) => row.key)).toContain(
    `floor:${place.unit}.31`,
  );
  const line = (await places(`parent=floor:${place.unit}.31`)).rows.find(
    (row) => row.key === `house:${place.id}`,
  );
  expect(line).toMatchObject({ state: 'vacant', owing: true, leaf: true });
  const name = (await get(HOUSE, place.id)).number as string;
  expect((await places(`searchVal=${encodeURIComponent(name)}`)).rows.map((row) => row.key)).toContain(
    `house:${place.id}`,
  );
  // Staff of other projects find neither level nor house.
  const outside = await one<{ id: number }>(
    `SELECT p.id FROM project p WHERE p.id <> ALL(SELECT project_id FROM staff_project sp JOIN staff s ON s.id = sp.staff_id WHERE s.account = 'centre1.service') ORDER BY p.id DESC LIMIT 1`,
  );
  const seen = (await places('', clerk)).rows.map((row) => row.key);
  const reach = await product.caller('centre1.service');
  if (reach.projectIds && !reach.projectIds.includes(outside.id)) {
    expect(seen).not.toContain(`project:${outside.id}`);
    expect((await places(`parent=project:${outside.id}`, clerk)).rows).toEqual([]);
  }
  expect((await product.call(admin, 'GET', `${HOUSE}/places?parent=house:1`)).http).toBe(422);
});

test('levels of many places come part by part without gap or repeat', async () => {
  const { project } = await house();
  const building = await one<{ id: number }>(
    `INSERT INTO building (project_id, name) VALUES ($1, '大楼') RETURNING id`,
    [project],
  );
  await sql(
    `INSERT INTO building_unit (building_id, name) SELECT $1, n || '单元' FROM generate_series(1, 450) n`,
    [building.id],
  );
  const names: string[] = [];
  for (let after = '', parts = 0; parts < 5; parts += 1) {
    const { data } = await product.call(
      admin,
      'GET',
      `${HOUSE}/places?parent=building:${building.id}&after=${after}`,
    );
    names.push(...(data as PlaceLines).rows.map((row) => row.name));
    if (!data.next) break;
    after = data.next as string;
  }
  expect(names).toEqual(Array.from({ length: 450 }, (_, n) => `${n + 1}单元`));
});

test('houses are imported with the buildings they need; the dry run names every bad cell and writes nothing', async () => {
  const target = findImportTarget(product.platform, 'house')!;
  const call = { caller: await product.caller('admin'), platform: product.platform, language: 'zh' as const };
  const project = await one<{ name: string; code: string }>(
    'SELECT name, code FROM project WHERE enabled ORDER BY id LIMIT 1',
  );
  const row = (number: number, values: Record<string, string>): ImportRow => ({
    number,
    values: {
      project: project.code,
      building: '导入楼',
      unit: '1单元',
      floor: '3',
      number: '301',
      builtArea: '90.5',
      innerArea: '',
      houseType: '',
      state: '',
      ...values,
    },
  });
  const rows = [
    row(1, {}),
    row(2, { number: '302', innerArea: '91', state: '出租' }),
    row(3, {}),
    row(4, { number: '303', project: '没有的项目' }),
    row(5, { number: '304', state: '空置', houseType: '三室两厅' }),
    row(6, { number: '305', floor: '三', state: '借用' }),
  ];
  const problems = await target.check(call, rows);
  expect(problems.map(({ row: n, column, message }) => [n, column, message[0]])).toEqual([
    [2, 'innerArea', '套内面积不能大于建筑面积'],
    [3, 'number', '与第1行重复'],
    [4, 'project', '没有此项目'],
    [6, 'floor', '须为 -9 到 200 的整数'],
    [6, 'state', '请填写 自住、出租 或 空置'],
  ]);
  expect(await sql(`SELECT 1 FROM building WHERE name = '导入楼'`)).toEqual([]);
  const good = rows.filter((one) => !problems.some((problem) => problem.row === one.number));
  expect((await target.summary!(call, good)).map((note) => note[0])).toEqual([
    '新增房屋 2',
    '新建楼栋 1',
    '新建单元 1',
  ]);
  expect(await transaction(db(), (tx) => target.commit(tx, call, good))).toBe(2);
  const made = await sql<{ number: string; state: string; house_type: string }>(
    `SELECT h.number, h.state, h.house_type FROM house h JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id WHERE b.name = '导入楼' ORDER BY h.number`,
  );
  expect(made).toEqual([
    { number: '301', state: 'self_use', house_type: '' },
    { number: '304', state: 'vacant', house_type: '三室两厅' },
  ]);
  expect((await target.check(call, [row(1, {})])).map((one) => one.message[0])).toEqual(['该单元已有此房号']);

  const people = findImportTarget(product.platform, 'household')!;
  const who = (number: number, values: Record<string, string>): ImportRow => ({
    number,
    values: {
      house: '导入楼 1单元 301',
      name: '王导入',
      phone: '13611112222',
      idNo: '',
      identity: '业主',
      ...values,
    },
  });
  const named = [
    who(1, {}),
    who(2, { house: `${project.name}导入楼1单元304`, identity: '租客' }),
    who(3, { house: '导入楼 1单元 999' }),
    who(4, { phone: '13611112222', name: '另一人', house: '导入楼1单元304' }),
    who(5, { phone: '123', identity: '房客', name: '李导入' }),
  ];
  const wrong = await people.check(call, named);
  expect(wrong.map(({ row: n, column, message }) => [n, column, message[0]])).toEqual([
    [3, 'house', '没有此房屋'],
    [4, 'phone', '与第2行重复'],
    [5, 'phone', '请输入11位手机号'],
    [5, 'identity', '请填写 业主、家属 或 租客'],
  ]);
  const right = named.filter((one) => !wrong.some((problem) => problem.row === one.number));
  expect(await transaction(db(), (tx) => people.commit(tx, call, right))).toBe(2);
  const bound = await sql<{ identity: string; status: string }>(
    `SELECT x.identity, x.status FROM household x JOIN member m ON m.id = x.member_id WHERE m.phone = '13611112222' ORDER BY x.id`,
  );
  expect(bound).toEqual([
    { identity: 'owner', status: 'normal' },
    { identity: 'tenant', status: 'normal' },
  ]);
  expect((await people.check(call, [who(1, {})])).map((one) => one.message[0])).toEqual(['该住户已在此房屋']);
});

test('a new project hangs under a management unit and belongs to its company; its code is fixed once there are receipts', async () => {
  const ROOT = '/jinmao/web/enquiryProject';
  const facts = await one<{ unit: number; company: number; region: number; centre: number }>(
    `SELECT p.unit_id AS unit, p.centre_id AS centre, (SELECT tp.tenant_id FROM tenant_project tp JOIN tenant c ON c.id = tp.tenant_id AND c.kind = 1 WHERE tp.project_id = p.id ORDER BY 1 LIMIT 1) AS company,
            (SELECT min(id) FROM region WHERE enabled) AS region FROM project p ORDER BY p.id LIMIT 1`,
  );
  const made = await product.call(admin, 'POST', ROOT, {
    name: '测试新项目',
    code: 'XJ01',
    company: String(facts.company),
    unit: String(facts.unit),
    region: String(facts.region),
    address: '测试路 1 号',
    openedOn: '2026-01-01',
  });
  expect([made.http, made.message]).toEqual([200, '']);
  const row = await get(ROOT, made.data.id);
  expect([row.company.id, row.unit.id, row.enabled]).toEqual([
    String(facts.company),
    String(facts.unit),
    true,
  ]);
  expect(
    (await one<{ centre_id: number }>('SELECT centre_id FROM project WHERE id = $1', [made.data.id]))
      .centre_id,
  ).toBe(facts.centre);
  await sql('INSERT INTO receipt_series (project_id, year) VALUES ($1, 2026)', [made.data.id]);
  const changed = await product.call(admin, 'PUT', `${ROOT}/${made.data.id}`, {
    version: row.version,
    code: 'XJ02',
  });
  expect(changed.data.fields.code).toBe('已出过收据，编码不能修改');
});

test('the card of a house lists the parking passes of those who live in it', async () => {
  const pass = await one<{ id: number; house: number }>(
    `SELECT p.id, min(r.house_id) AS house FROM parking_pass p JOIN household r ON r.member_id = p.member_id AND r.status = 'normal' JOIN house h ON h.id = r.house_id AND h.project_id = p.project_id GROUP BY p.id ORDER BY p.id LIMIT 1`,
  ).catch(() => undefined);
  const { id, house: home } =
    pass ??
    (await one<{ id: number; house: number }>(
      `WITH at AS (SELECT r.member_id, r.house_id, h.project_id, l.id AS lot FROM household r JOIN house h ON h.id = r.house_id JOIN parking_lot l ON l.project_id = h.project_id WHERE r.status = 'normal' ORDER BY r.id LIMIT 1),
       made AS (INSERT INTO parking_pass (lot_id, project_id, plate, kind, starts_on, ends_on, member_id) SELECT lot, project_id, '京A00H14', 'owner', '2026-01-01', '2099-01-01', member_id FROM at RETURNING id)
       SELECT made.id, at.house_id AS house FROM made, at`,
    ));
  const spaces = (house: number) => product.call(admin, 'GET', `/jinmao/web/houseSpace/page?house=${house}`);
  const listed = (await spaces(home)).data as { rows: { id: string }[] };
  expect(listed.rows.map((row) => row.id)).toContain(String(id));
  const other = await one<{ id: number }>(
    `SELECT h.id FROM house h WHERE NOT EXISTS (SELECT FROM household r JOIN parking_pass p ON p.member_id = r.member_id WHERE r.house_id = h.id) ORDER BY h.id LIMIT 1`,
  );
  expect((await spaces(other.id)).data).toMatchObject({ rows: [] });
});
