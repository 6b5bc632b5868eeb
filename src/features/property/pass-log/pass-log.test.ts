import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { visitPass } from '../../../domain/visitor/visit-pass.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { askToken, programClient } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { keepPassLog } from './pass-log.server.ts';

const ROOT = '/jinmao/web/passLog';
const HOUR = 3_600_000;
let product: TestProduct;
let admin: string;
let gate: { id: number; device_no: string; project_id: number };
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  const { db } = product.platform.database;
  await programClient(db, {
    id: 'doors',
    secret: 'a-long-secret',
    grants: ['client_credentials'],
    scopes: ['gate'],
  });
  gate = (await runOne(
    db,
    `SELECT id, device_no, project_id FROM road_gate WHERE vendor = 'sandbox' ORDER BY id LIMIT 1`,
  ))!;
});
afterAll(() => product?.close());

const tell = async (events: object[]) => {
  const answer = await product.app.inject({
    method: 'POST',
    url: `/api${ROOT}/report`,
    headers: { authorization: await askToken(product, 'doors', 'a-long-secret') },
    payload: {
      vendor: 'sandbox',
      events: events.map((one) => ({
        deviceNo: gate.device_no,
        direction: 'in',
        method: 'card',
        result: 'succeeded',
        ...one,
      })),
    },
  });
  return (answer.json() as { data: any }).data;
};
const db = () => product.platform.database.db;
const ago = (hours: number) => new Date(Date.now() - hours * HOUR).toISOString();

describe('what devices tell', () => {
  test('one event of a device is kept once, told twenty times at once and with another time', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, () => tell([{ eventId: 'same', phone: '13500009999' }])),
    );
    expect(all.reduce((sum, one) => sum + one.accepted, 0)).toBe(1);
    expect((await tell([{ eventId: 'same', at: ago(40), phone: '13500009999' }])).duplicate).toBe(1);
    const rows = await run(db(), `SELECT FROM pass_log WHERE phone = '13500009999'`);
    expect(rows.length).toBe(1);
  });

  test('late events are taken for 72 hours with their own time, later ones and unknown devices are not', async () => {
    const answer = await tell([
      { eventId: 'late-1', at: ago(71.9), phone: '13500008888' },
      { eventId: 'late-2', at: ago(72.1), phone: '13500008888' },
      { eventId: 'late-3', at: ago(-1), phone: '13500008888' },
      { eventId: 'late-4', deviceNo: 'NOT-THERE' },
    ]);
    expect(answer).toEqual({ accepted: 1, duplicate: 0, late: 2, unknown: ['NOT-THERE'] });
    const page = await product.call(admin, 'GET', `${ROOT}/page?phone=13500008888`);
    expect(page.data.rows.length).toBe(1);
    expect(Date.now() - Date.parse(page.data.rows[0].at)).toBeGreaterThan(71 * HOUR);
  });

  test('the pass of a visitor sets arrived and left and names the visitor; a failed one sets nothing', async () => {
    const { id } = (await runOne<{ id: number }>(
      db(),
      `INSERT INTO visitor_registration (project_id, house_id, household_id, visitor, phone, reason, visit_from, visit_to, seat, state)
       SELECT x.project_id, x.id, hh.id, '过闸访客', '13700001234', '探亲', now() - interval '2 hours', now() + interval '2 hours', 190, 'valid'
         FROM household hh JOIN house x ON x.id = hh.house_id WHERE x.project_id = $1 AND hh.status = 'normal' ORDER BY hh.id LIMIT 1 RETURNING id`,
      [gate.project_id],
    ))!;
    const pass = visitPass(product.platform.config, id, new Date(Date.now() + 2 * HOUR));
    const state = async () =>
      (await runOne<{ state: string }>(db(), 'SELECT state FROM visitor_registration WHERE id = $1', [id]))!
        .state;
    await tell([{ eventId: 'v0', method: 'qr', pass, result: 'failed', reason: '闸机故障' }]);
    expect(await state()).toBe('valid');
    await tell([{ eventId: 'v1', method: 'qr', pass, at: ago(1) }]);
    expect(await state()).toBe('arrived');
    await tell([{ eventId: 'v2', method: 'qr', pass, direction: 'out' }]);
    expect(await state()).toBe('left');
    const passages = await product.call(admin, 'GET', `/jinmao/web/visitPassage/page?visit=${id}`);
    expect((passages.data.rows as { result: string }[]).map((one) => one.result).sort()).toEqual([
      'failed',
      'succeeded',
      'succeeded',
    ]);
    const page = await product.call(admin, 'GET', `${ROOT}/page?searchVal=${encodeURIComponent('过闸访')}`);
    expect(page.data.rows.length).toBe(3);
  });

  test('a photo is looked at by the element only, and that is written down', async () => {
    await tell([{ eventId: 'p1', method: 'face', phone: '13500007777', photo: PIXEL }]);
    const { data } = await product.call(admin, 'GET', `${ROOT}/page?phone=13500007777`);
    const [row] = data.rows as { id: string; hasPhoto: boolean }[];
    expect(row!.hasPhoto).toBe(true);
    const answer = await product.call(admin, 'POST', `${ROOT}/${row!.id}/photo`, {});
    expect([answer.http, answer.data.type, answer.data.url]).toEqual([
      200,
      'image/png',
      expect.stringContaining('?'),
    ]);
    const kept = await run(
      db(),
      `SELECT FROM audit_record WHERE entity = 'passLog' AND action = 'photo' AND entity_id = $1`,
      [row!.id],
    );
    expect(kept.length).toBe(1);
  });
});

test('more than 31 days are refused', async () => {
  const answer = await product.call(admin, 'GET', `${ROOT}/page?at=2026-01-01~2026-02-01`);
  expect([answer.http, answer.data.fields.at]).toEqual([422, '时间范围最多 31 天']);
});

test('months before passlog.days go with their events, coming ones are made', async () => {
  await run(
    db(),
    `INSERT INTO pass_log (at, project_id, direction, method, result) SELECT now() - interval '181 days', $1::bigint, 'in', 'card', 'succeeded'
     UNION ALL SELECT now() - interval '179 days', $1::bigint, 'in', 'card', 'succeeded'`,
    [gate.project_id],
  );
  await run(
    db(),
    `INSERT INTO pass_event (device, event_id, at) VALUES ('old', '1', now() - interval '200 days')`,
  );
  await keepPassLog(product.platform);
  const [left] = await run<{ n: number }>(
    db(),
    `SELECT count(*)::integer AS n FROM pass_log WHERE at < now() - interval '100 days'`,
  );
  expect(left!.n).toBe(1);
  expect(await run(db(), `SELECT FROM pass_event WHERE device = 'old'`)).toEqual([]);
  const [parts] = await run<{ n: number }>(
    db(),
    `SELECT count(*)::integer AS n FROM pg_inherits WHERE inhparent = 'pass_log'::regclass`,
  );
  expect(parts!.n).toBeGreaterThanOrEqual(9);
});
