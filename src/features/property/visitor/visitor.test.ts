import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { afterPassage, isPlate } from '../../../domain/visitor/visitor.rules.ts';
import { visitOfPass, visitPass } from '../../../domain/visitor/visit-pass.server.ts';
import { run, runOne, transaction, type Executor } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { noteVisitorPassage } from './visitor.server.ts';

const ROOT = '/jinmao/web/visitor';
const HOUR = 3_600_000;
let product: TestProduct;
let admin: string;
let homes: { id: number; house: number; project: number }[];
let next = 0;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  homes = await run(
    product.platform.database.db,
    `SELECT DISTINCT ON (hh.house_id) hh.id, hh.house_id AS house, x.project_id AS project FROM household hh JOIN house x ON x.id = hh.house_id
      WHERE hh.status = 'normal' AND NOT EXISTS (SELECT FROM visitor_registration v WHERE v.house_id = x.id) ORDER BY hh.house_id`,
  );
});
afterAll(() => product?.close());

const iso = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
const add = (input: object = {}) =>
  product.call(admin, 'POST', ROOT, {
    inviter: String(homes[0]!.id),
    visitor: '测试访客',
    phone: '13800138000',
    people: 1,
    reason: '探亲',
    visitFrom: iso(1),
    visitTo: iso(5),
    drives: 'no',
    ...input,
  });
const made = async (input: object = {}) => {
  const answer = await add({ inviter: String(homes[++next]!.id), ...input });
  expect([answer.http, answer.message]).toEqual([200, '']);
  return answer.data as { id: string; version: number; state: string; carState: string };
};
/** Moves a visit so that its time runs now. */
const begin = (id: string) =>
  run(
    product.platform.database.db,
    `UPDATE visitor_registration SET visit_from = now() - interval '2 hours', visit_to = now() + interval '2 hours' WHERE id = $1`,
    [Number(id)],
  );
const act = async (id: string, action: string, input: object = {}) => {
  const { data } = await product.call(admin, 'GET', `${ROOT}/${id}`);
  return product.call(admin, 'POST', `${ROOT}/${id}/${action}`, { version: data.version, ...input });
};
const withSetting = async (key: string, value: unknown, work: () => Promise<void>) => {
  const { settings } = product.platform;
  const original = { numberIn: settings.numberIn.bind(settings), flagIn: settings.flagIn.bind(settings) };
  Object.assign(settings, {
    numberIn: (tx: Executor, name: string, place: object) =>
      name === key ? Promise.resolve(value) : original.numberIn(tx, name, place),
    flagIn: (tx: Executor, name: string, place: object) =>
      name === key ? Promise.resolve(value) : original.flagIn(tx, name, place),
  });
  try {
    await work();
  } finally {
    Object.assign(settings, original);
  }
};

describe('rules', () => {
  test.each([
    ['粤B12345', true],
    ['粤b1234k', true],
    ['粤BD12345', true],
    ['粤B12345F', true],
    ['沪A1234警', true],
    ['使123456', true],
    ['粤O12345', false],
    ['粤BI2345', false],
    ['粤B1234', false],
    ['粤B123456', false],
    ['B12345', false],
    ['外B12345', false],
  ])('%s is a plate: %s', (plate, right) => expect(isPlate(plate)).toBe(right));

  const t = (hours: number) => new Date(hours * HOUR);
  const visit = { state: 'valid' as const, from: t(10), to: t(20), arrivedAt: null, leftAt: null };
  test('passages set arrived and left by their own time, in whatever order they come', () => {
    expect(afterPassage(visit, 'in', t(11))).toEqual({ state: 'arrived', arrivedAt: t(11), leftAt: null });
    expect(afterPassage(visit, 'in', t(9))).toBeUndefined();
    expect(afterPassage(visit, 'in', t(21))).toBeUndefined();
    expect(afterPassage({ ...visit, state: 'expired' }, 'in', t(19))?.state).toBe('arrived');
    expect(afterPassage({ ...visit, state: 'cancelled' }, 'in', t(11))).toBeUndefined();
    const left = afterPassage(visit, 'out', t(15))!;
    expect(left).toEqual({ state: 'left', arrivedAt: null, leftAt: t(15) });
    expect(afterPassage({ ...visit, ...left }, 'in', t(11))).toEqual({
      state: 'left',
      arrivedAt: t(11),
      leftAt: t(15),
    });
    expect(afterPassage({ ...visit, ...left }, 'in', t(16))?.state).toBe('arrived');
    expect(afterPassage({ ...visit, state: 'arrived', arrivedAt: t(12) }, 'out', t(11))).toBeUndefined();
  });

  test('a pass is signed and dies with its time', () => {
    const { config } = product.platform;
    const code = visitPass(config, 7, new Date(Date.now() + HOUR));
    expect(visitOfPass(config, code)).toBe(7);
    expect(visitOfPass(config, code.replace('visit:7', 'visit:8'))).toBeUndefined();
    expect(visitOfPass(config, code, Date.now() + 2 * HOUR)).toBeUndefined();
  });
});

describe('the form', () => {
  test('says what does not fit', async () => {
    const refused = async (input: object, field: string, words: string) => {
      const answer = await add(input);
      expect([answer.http, answer.data.fields[field]]).toEqual([422, words]);
    };
    await refused({ people: 11 }, 'people', '每次来访最多10人');
    await refused({ visitTo: iso(26) }, 'visitTo', '有效时间最长24小时');
    await refused({ visitTo: iso(0.5) }, 'visitTo', '须晚于来访时间');
    await refused({ visitFrom: iso(-50), visitTo: iso(-40) }, 'visitTo', '有效期已过');
    await refused({ drives: 'yes' }, 'plate', '开车来访请填写车牌');
    await refused({ drives: 'yes', plate: '粤O12345' }, 'plate', '请填写车牌，如 沪A12345、粤BD12345');
    expect((await add({ inviter: '999999999' })).http).toBe(404);
  });

  test('only a normal resident invites', async () => {
    const other = await runOne<{ id: number }>(
      product.platform.database.db,
      `SELECT id FROM household WHERE status <> 'normal' ORDER BY id LIMIT 1`,
    );
    const answer = await add({ inviter: String(other!.id) });
    expect([answer.http, answer.data.fields.inviter]).toEqual([422, '邀请人不是该房屋的正常住户']);
  });

  test('ten visits a house and day: of thirty at once exactly ten are taken, a cancelled one makes room', async () => {
    const inviter = String(homes[++next]!.id);
    const times = { inviter, visitFrom: '2027-05-04T09:00:00+08:00', visitTo: '2027-05-04T12:00:00+08:00' };
    const all = await Promise.all(Array.from({ length: 30 }, () => add(times)));
    expect(all.filter((one) => one.http === 200).length).toBe(10);
    const rest = all.filter((one) => one.http !== 200);
    expect(new Set(rest.map((one) => `${one.status} ${one.message}`))).toEqual(
      new Set(['30101 该房屋当日访客已达10次']),
    );
    const taken = all.find((one) => one.http === 200)!.data as { id: string };
    expect((await act(taken.id, 'cancel')).http).toBe(200);
    expect((await add(times)).http).toBe(200);
    expect((await add(times)).message).toBe('该房屋当日访客已达10次');
    expect(
      (await add({ ...times, visitFrom: '2027-05-05T09:00:00+08:00', visitTo: '2027-05-05T12:00:00+08:00' }))
        .http,
    ).toBe(200);
  });
});

describe('from registration to leaving', () => {
  test('arrival outside the window is refused, the pass shows only inside', async () => {
    const visit = await made();
    expect(visit.state).toBe('valid');
    const early = await act(visit.id, 'arrive');
    expect([early.http, early.status, early.message]).toEqual([409, 30101, '不在有效时间内']);
    const pass = () => product.call(admin, 'GET', `${ROOT}/${visit.id}/pass`);
    expect((await pass()).data).toMatchObject({ code: null, why: 'early' });
    await begin(visit.id);
    expect(visitOfPass(product.platform.config, (await pass()).data.code)).toBe(Number(visit.id));
    expect((await act(visit.id, 'arrive')).data.state).toBe('arrived');
    expect((await act(visit.id, 'leave')).data.state).toBe('left');
    expect((await pass()).data).toMatchObject({ code: null, why: 'state' });
    expect((await act(visit.id, 'cancel')).status).toBe(30101);
  });

  test('with review the person and the car are decided about apart', async () => {
    await withSetting('visit.review', true, async () => {
      const visit = await made({ drives: 'yes', plate: '粤b1234k' });
      expect([visit.state, visit.carState]).toEqual(['to_review', 'waiting']);
      expect((await act(visit.id, 'refuseCar', { decision: '车位已满' })).data).toMatchObject({
        state: 'to_review',
        carState: 'refused',
      });
      expect((await act(visit.id, 'pass')).data).toMatchObject({ state: 'valid', carState: 'refused' });
      const passed = (await act(visit.id, 'passCar')).data;
      expect([passed.carState, passed.plate, passed.freeParking]).toEqual(['passed', '粤B1234K', 120]);
      const other = await made();
      expect((await act(other.id, 'refuse', { decision: '住户否认' })).data.state).toBe('refused');
    });
  });

  test('a gate sets arrived and left itself; ten events at once tell it once', async () => {
    const visit = await made();
    await begin(visit.id);
    const pass = (direction: 'in' | 'out', at: Date) =>
      transaction(product.platform.database.db, (tx) =>
        noteVisitorPassage(tx, product.platform, Number(visit.id), direction, at),
      );
    const at = new Date(Date.now() - HOUR);
    await Promise.all(Array.from({ length: 10 }, () => pass('in', at)));
    const read = async () => (await product.call(admin, 'GET', `${ROOT}/${visit.id}`)).data;
    expect([(await read()).state, Date.parse((await read()).arrivedAt)]).toEqual([
      'arrived',
      Math.floor(at.getTime() / 1000) * 1000,
    ]);
    await pass('out', new Date());
    expect((await read()).state).toBe('left');
    const lines = (await product.call(admin, 'GET', `${ROOT}/${visit.id}/timeline`)).data as unknown[];
    expect(lines.length).toBe(3);
  });

  test('the job expires what nobody came for', async () => {
    const visit = await made();
    await run(
      product.platform.database.db,
      `UPDATE visitor_registration SET visit_from = now() - interval '3 hours', visit_to = now() - interval '1 minute' WHERE id = $1`,
      [Number(visit.id)],
    );
    const job = product.platform.registrations
      .flatMap((one) => one.jobs ?? [])
      .find((one) => one.name === 'visit.expire')!;
    await job.run({}, product.platform);
    expect((await product.call(admin, 'GET', `${ROOT}/${visit.id}`)).data.state).toBe('expired');
  });
});
