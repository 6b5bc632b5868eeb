import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { servicePerson } from './service-person.contract.ts';

const ROOT = '/jinmao/web/servicePerson';
let product: TestProduct;
let admin: string;
let merchant: string;
let merchantId: number;
let project: number;
let phones = 0;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  merchant = await product.signIn('merchant1');
  ({ id: merchantId } = (await one<{ id: number }>(
    `SELECT tenant_id AS id FROM staff WHERE account = 'merchant1'`,
  ))!);
  ({ id: project } = (await one<{ id: number }>(
    'SELECT project_id AS id FROM tenant_project WHERE tenant_id = $1 ORDER BY 1 LIMIT 1',
    [merchantId],
  ))!);
  const group = (await one<{ id: number }>(
    `SELECT g.id FROM permission_group g JOIN group_member m ON m.group_id = g.id JOIN staff s ON s.id = m.staff_id WHERE s.account = 'merchant1' LIMIT 1`,
  ))!;
  await run(
    product.platform.database.db,
    `INSERT INTO menu_grant (group_id, menu_code, data_scope) VALUES ($1, 'cs_busServicePerson', 'all') ON CONFLICT DO NOTHING`,
    [group.id],
  );
  await run(
    product.platform.database.db,
    `INSERT INTO element_grant (group_id, element_code) SELECT $1, code FROM element WHERE menu_code = 'cs_busServicePerson' ON CONFLICT DO NOTHING`,
    [group.id],
  );
  merchant = await product.signIn('merchant1');
});
afterAll(() => product.close());

const one = <T extends object>(text: string, values: unknown[] = []) =>
  runOne<T>(product.platform.database.db, text, values);
const body = (more: object = {}) => ({
  name: '何师傅',
  sex: '1',
  phone: `1390000${String(5_000 + (phones += 1))}`,
  skills: ['空调清洗'],
  projects: [String(project)],
  roster: [{ weekday: '1', from: '09:00', to: '18:00' }],
  parallel: 1,
  ...more,
});
const add = (token: string, more: object = {}) => product.call(token, 'POST', ROOT, body(more));

/** A visit of a person, planned so many hours from now. */
async function visit(personId: string, hours: number): Promise<string> {
  const code = `BKT${personId}${hours}`;
  await run(
    product.platform.database.db,
    `WITH sold AS (SELECT l.id, l.order_id, l.product_id, o.tenant_id, o.project_id FROM order_line l JOIN sales_order o ON o.id = l.order_id ORDER BY l.id LIMIT 1),
          place AS (INSERT INTO service_slot (product_id, project_id, starts_at, ends_at, capacity, taken)
            SELECT product_id, project_id, now() + make_interval(hours => $3), now() + make_interval(hours => $3 + 1), 3, 1 FROM sold RETURNING id)
     INSERT INTO appointment (code, order_id, line_id, visit_no, product_id, tenant_id, project_id, slot_id, person_id, contact_name, contact_phone, address, period, busy, state)
     SELECT $1, sold.order_id, sold.id, $3, sold.product_id, sold.tenant_id, sold.project_id, place.id, $2, '陈思雨', '13800138000', '1-101',
            tstzrange(now() + make_interval(hours => $3), now() + make_interval(hours => $3 + 1)),
            tstzrange(now() + make_interval(hours => $3), now() + make_interval(hours => $3 + 1)), 'assigned' FROM sold, place`,
    [code, personId, hours],
  );
  return code;
}

describe('service people', () => {
  test('somebody new of whom no hours are named, as an import names none, works the usual ones; nobody is left without', async () => {
    for (const roster of [undefined, []]) {
      const made = await add(merchant, { roster });
      expect(made.http).toBe(200);
      const row = (await product.call(merchant, 'GET', `${ROOT}/${made.data.id}`)).data;
      expect(row.roster).toEqual(
        ['1', '2', '3', '4', '5', '6'].map((weekday) => ({ weekday, from: '09:00', to: '18:00' })),
      );
      const none = await product.call(merchant, 'PUT', `${ROOT}/${made.data.id}`, {
        version: row.version,
        roster: [],
      });
      expect([none.http, none.data.fields]).toEqual([422, { roster: '此项必填' }]);
    }
    // What a new row has to name, a file can name.
    const required = Object.entries(servicePerson.fields).flatMap(([name, field]) =>
      field.required ? [name] : [],
    );
    expect(servicePerson.importable!.fields).toEqual(expect.arrayContaining(required));
  });

  test('a merchant adds its own whatever merchant it names; the password is told once and stored as a hash', async () => {
    const other = (await one<{ id: number }>('SELECT id FROM tenant WHERE kind = 2 AND id <> $1 LIMIT 1', [
      merchantId,
    ]))!;
    const made = await add(merchant, { merchant: String(other.id) });
    expect([made.http, made.message]).toEqual([200, '']);
    expect(made.data.merchant.id).toBe(String(merchantId));
    const { password } = made.data.result;
    expect(password).toMatch(/^\S{12,}$/);
    const row = (await one<{ password_hash: string; must_change_password: boolean }>(
      'SELECT password_hash, must_change_password FROM service_person WHERE id = $1',
      [made.data.id],
    ))!;
    expect(row.must_change_password).toBe(true);
    expect(row.password_hash).not.toContain(password);
    const read = await product.call(merchant, 'GET', `${ROOT}/${made.data.id}`);
    expect(read.text).not.toContain(password);
    const again = await product.call(merchant, 'POST', `${ROOT}/${made.data.id}/resetPassword`, {});
    expect(again.data.result.password).not.toBe(password);
  });

  test('a phone is one person of a merchant; projects are the merchant’s; hours neither end early nor overlap', async () => {
    const first = await add(merchant);
    const { phone } = (await one<{ phone: string }>('SELECT phone FROM service_person WHERE id = $1', [
      first.data.id,
    ]))!;
    const taken = await add(merchant, { phone });
    expect([taken.http, taken.message]).toEqual([409, '该手机号已登记为服务人员']);
    const foreign = (await one<{ id: number }>(
      `INSERT INTO project (code, name, unit_id, centre_id) SELECT 'PX-FAR', '远郊新城', unit_id, centre_id FROM project LIMIT 1 RETURNING id`,
    ))!;
    const away = await add(admin, { merchant: String(merchantId), projects: [String(foreign.id)] });
    expect([away.http, away.data.fields.projects]).toEqual([422, '项目不在商户的合作范围']);
    const early = await add(merchant, { roster: [{ weekday: '1', from: '18:00', to: '09:00' }] });
    expect(early.data.fields.roster).toBe('第 1 行结束须晚于开始');
    const twice = await add(merchant, {
      roster: [
        { weekday: '1', from: '09:00', to: '12:00' },
        { weekday: '1', from: '11:00', to: '18:00' },
      ],
    });
    expect(twice.data.fields.roster).toBe('第 2 行与第 1 行重叠');
    const odd = await add(merchant, { roster: [{ weekday: '1', from: '9', to: '25:00' }] });
    expect(odd.http).toBe(422);
  });

  test('leave and switching off name the visits that stand in the way; without any they are done', async () => {
    const { id } = (await add(merchant)).data;
    const code = await visit(id, 50);
    const begun = Date.now();
    const leave = (from: number, to: number) =>
      product.call(merchant, 'POST', `${ROOT}/${id}/stop`, {
        startsAt: new Date(begun + from * 3_600_000).toISOString(),
        endsAt: new Date(begun + to * 3_600_000).toISOString(),
        reason: '家中有事',
      });
    const busy = await leave(48, 72);
    expect(busy.http).toBe(409);
    expect(busy.message).toContain(`还有 1 个未完成的预约：${code}`);
    expect((await leave(72, 72)).data.fields.endsAt).toBe('结束须晚于开始');
    expect((await leave(60, 72)).http).toBe(200);
    const off = await product.call(merchant, 'POST', `${ROOT}/${id}/disable`, {});
    expect([off.http, off.message.includes(code)]).toEqual([409, true]);
    await run(product.platform.database.db, `UPDATE appointment SET state = 'done' WHERE code = $1`, [code]);
    expect((await product.call(merchant, 'POST', `${ROOT}/${id}/disable`, {})).http).toBe(200);
    const stops = await product.call(merchant, 'GET', `/jinmao/web/servicePersonStop/page?person=${id}`);
    expect(stops.data.rows).toMatchObject([{ reason: '家中有事' }]);
    const gone = await product.call(
      merchant,
      'DELETE',
      `/jinmao/web/servicePersonStop/${stops.data.rows[0].id}`,
    );
    expect(gone.http).toBe(200);
  });

  test('group 07 Must show 12 (people): a merchant never sees people of another; a foreign id is 404', async () => {
    const other = (await one<{ id: number }>(
      'SELECT id FROM service_person WHERE tenant_id <> $1 ORDER BY id LIMIT 1',
      [merchantId],
    ))!;
    expect((await product.call(merchant, 'GET', `${ROOT}/${other.id}`)).http).toBe(404);
    expect((await product.call(merchant, 'POST', `${ROOT}/${other.id}/disable`, {})).http).toBe(404);
    const { data } = await product.call(merchant, 'GET', `${ROOT}/page?limit=200`);
    const own = await one<{ n: number }>(
      'SELECT count(*)::int AS n FROM service_person WHERE tenant_id = $1',
      [merchantId],
    );
    expect(data.total).toBe(own!.n);
  });

  test('the page of a person shows hours, leave and visits of two weeks, those of others stay hidden', async () => {
    const all = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({
      weekday: String(weekday),
      from: '08:00',
      to: '20:00',
    }));
    const { id } = (await add(merchant, { roster: all })).data;
    const coming = await visit(id, 48);
    const gone = await visit(id, 49);
    await run(
      product.platform.database.db,
      `UPDATE appointment SET period = tstzrange(now() - interval '3 days', now() - interval '71 hours'), busy = tstzrange(now() - interval '3 days', now() - interval '71 hours') WHERE code = $1`,
      [gone],
    );
    const from = new Date(Date.now() + 5 * 86_400_000);
    const leave = await product.call(merchant, 'POST', `${ROOT}/${id}/stop`, {
      startsAt: from.toISOString(),
      endsAt: new Date(from.getTime() + 86_400_000).toISOString(),
      reason: '探亲',
    });
    expect(leave.message).toBe('');
    const plan = await product.call(admin, 'GET', `${ROOT}/${id}/plan`);
    expect(plan.data.days).toHaveLength(14);
    expect(plan.data.days[0].hours).toEqual(['08:00–20:00']);
    const codes = plan.data.days.flatMap((day: { visits: { code: string }[] }) =>
      day.visits.map((one) => one.code),
    );
    expect(codes).toEqual([coming]);
    expect(plan.data.latest.map((one: { code: string }) => one.code)).toEqual([gone]);
    expect(plan.data.days.filter((day: { leave: string[] }) => day.leave.length > 0)).toHaveLength(2);
    const other = (await one<{ id: number }>('SELECT id FROM service_person WHERE tenant_id <> $1 LIMIT 1', [
      merchantId,
    ]))!;
    expect((await product.call(merchant, 'GET', `${ROOT}/${other.id}/plan`)).http).toBe(404);
  });

  test('certificates are told of 30 and 7 days ahead and on the day after, once each', async () => {
    const { id } = (
      await add(merchant, {
        certificates: [{ name: '低压电工证', number: 'A1', expiresOn: '2099-01-01', required: true }],
      })
    ).data;
    const ends = (days: number) =>
      run(
        product.platform.database.db,
        `UPDATE service_person_certificate SET expires_on = (now() AT TIME ZONE 'Asia/Shanghai')::date + $2::int WHERE person_id = $1`,
        [id, days],
      );
    const told = async () =>
      (await one<{ days: number | null }>(
        'SELECT told_days AS days FROM service_person_certificate WHERE person_id = $1',
        [id],
      ))!.days;
    const watch = () =>
      product.platform.registrations
        .flatMap((service) => service.jobs ?? [])
        .find((job) => job.name === 'service.certificate_watch')!
        .run({}, product.platform);
    for (const [days, after] of [
      [60, null],
      [30, 30],
      [20, 30],
      [7, 7],
      [6, 7],
      [-1, 0],
    ] as const) {
      await ends(days);
      await watch();
      expect(await told(), String(days)).toBe(after);
    }
  });
});
