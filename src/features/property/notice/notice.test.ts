import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { programClient } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const ROOT = '/jinmao/web/notice';
const DAY = 86_400_000;
let product: TestProduct;
let admin: string;
let app: string;
/** Two projects: the first with two buildings of two units, two houses each; a resident in every house. */
let north: { id: string; buildings: string[]; units: string[]; members: number[] };
let south: { id: string; buildings: string[]; units: string[]; members: number[] };

const db = () => product.platform.database.db;
const at = (days: number) => new Date(Date.now() + days * DAY).toISOString();
const job = (name: string) =>
  product.platform.registrations
    .flatMap((one) => one.jobs ?? [])
    .find((one) => one.name === name)!
    .run({}, product.platform);
const form = (input: object = {}) => ({
  title: '电梯年检',
  type: '003',
  importance: '2',
  body: '<p>请走楼梯</p>',
  projects: [north.id],
  saveAs: 'publish',
  ...input,
});
const add = async (input: object = {}, token = admin) => {
  const made = await product.call(token, 'POST', ROOT, form(input));
  expect([made.http, made.message]).toEqual([200, '']);
  return made.data;
};
const act = (id: string, action: string, input: object = {}, token = admin) =>
  product.call(token, 'POST', `${ROOT}/${id}/${action}`, input);
const shown = async (memberId: number) =>
  (await product.call(app, 'GET', `${ROOT}/app/list?memberId=${memberId}&limit=50`)).data as {
    id: string;
    read: boolean;
  }[];
const sms = async (title: string) =>
  (
    await run<{ phone: string }>(
      db(),
      `SELECT phone FROM sms_message WHERE purpose = 'propertyNotice' AND params->>'title' = $1`,
      [title],
    )
  ).length;

async function place(code: string, phone: number) {
  const project = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO project (code, name, centre_id, unit_id) SELECT $1, $2, centre_id, unit_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
    [code, `公告小区${code}`],
  ))!.id;
  const buildings: string[] = [];
  const units: string[] = [];
  const members: number[] = [];
  for (const b of [1, 2]) {
    const building = (await runOne<{ id: number }>(
      db(),
      'INSERT INTO building (project_id, name) VALUES ($1, $2) RETURNING id',
      [project, `${b}号楼`],
    ))!.id;
    buildings.push(String(building));
    for (const u of [1, 2]) {
      const unit = (await runOne<{ id: number }>(
        db(),
        'INSERT INTO building_unit (building_id, name) VALUES ($1, $2) RETURNING id',
        [building, `${u}单元`],
      ))!.id;
      units.push(String(unit));
      for (const h of [1, 2]) {
        const row = await runOne<{ member: number }>(
          db(),
          `WITH h AS (INSERT INTO house (project_id, unit_id, number, built_area) VALUES ($1, $2, $3, 80) RETURNING id),
                m AS (INSERT INTO member (name, phone, project_id) VALUES ('住户', $4, $1) RETURNING id)
           INSERT INTO household (member_id, house_id, identity, status) SELECT m.id, h.id, $5, 'normal' FROM m, h RETURNING member_id AS member`,
          [project, unit, `${u}0${h}`, String(phone + members.length), h === 1 ? 'owner' : 'tenant'],
        );
        members.push(row!.member);
      }
    }
  }
  return { id: String(project), buildings, units, members };
}

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  await programClient(db(), {
    id: 'notice-app',
    secret: 'a-long-secret',
    grants: ['client_credentials'],
    scopes: ['member_event'],
  });
  const answer = await product.app.inject({
    method: 'POST',
    url: '/api/auth/oauth/token',
    headers: {
      authorization: `Basic ${Buffer.from('notice-app:a-long-secret').toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: 'grant_type=client_credentials&scope=member_event',
  });
  app = `Bearer ${answer.json<{ access_token: string }>().access_token}`;
  north = await place('NT01', 19_900_000_100);
  south = await place('NT02', 19_900_000_200);
});
afterAll(() => product.close());

test('the audience follows projects, buildings, units and identities', async () => {
  const reached = async (input: object) => (await add(input)).readers;
  expect(await reached({ projects: [north.id, south.id] })).toBe('0/16');
  expect(await reached({ buildings: [north.buildings[0]] })).toBe('0/4');
  expect(await reached({ buildings: north.buildings, units: [north.units[0]] })).toBe('0/6');
  expect(await reached({ identities: ['3'] })).toBe('0/4');
  expect(
    await reached({
      projects: [north.id, south.id],
      buildings: [south.buildings[1]],
      identities: ['2', '3'],
    }),
  ).toBe('0/12');
  const fields = async (input: object) =>
    Object.keys((await product.call(admin, 'POST', ROOT, form(input))).data?.fields ?? {});
  expect(await fields({ buildings: [south.buildings[0]] })).toEqual(['buildings']);
  expect(await fields({ buildings: [north.buildings[0]], units: [north.units[3]] })).toEqual(['units']);
  expect(await fields({ title: '长'.repeat(61) })).toEqual(['title']);
  expect(await fields({ projects: [] })).toEqual(['projects']);
  expect(await fields({ expiresOn: '2020-01-01' })).toEqual(['expiresOn']);
  expect(await fields({ publishAt: at(5), expiresOn: at(2).slice(0, 10) })).toEqual(['expiresOn']);
  expect(await fields({ pinnedUntil: at(-1) })).toEqual(['pinnedUntil']);
  expect((await product.call(admin, 'POST', ROOT, form({ projects: ['999999999'] }))).http).toBe(404);
});

test('a draft is signed with the project, told whom it reaches, published, read, confirmed, and recalled everywhere at once', async () => {
  const draft = await add({ saveAs: 'draft', needsConfirmation: true });
  expect([draft.state, draft.signature, draft.readers]).toEqual(['draft', '公告小区NT01', '']);
  expect((await product.call(admin, 'GET', `${ROOT}/${draft.id}/audience`)).data).toEqual({
    households: 8,
    houses: 8,
    sms: false,
  });
  const one = north.members[0]!;
  expect((await shown(one)).some((row) => row.id === draft.id)).toBe(false);
  expect((await act(draft.id, 'publish')).data.state).toBe('published');
  expect((await shown(one)).find((row) => row.id === draft.id)!.read).toBe(false);
  expect((await shown(south.members[0]!)).some((row) => row.id === draft.id)).toBe(false);
  const read = (memberId: number, confirm = false) =>
    product.call(app, 'POST', `${ROOT}/app/read`, { id: draft.id, memberId: String(memberId), confirm });
  await Promise.all([read(one), read(one), read(one, true)]);
  expect((await read(south.members[0]!)).http).toBe(404);
  const row = (await product.call(admin, 'GET', `${ROOT}/${draft.id}`)).data;
  expect([row.readers, row.readRate]).toEqual(['1/8', '12.50']);
  const readers = (
    await product.call(admin, 'GET', `/jinmao/web/noticeReader/page?notice=${draft.id}&read=read`)
  ).data;
  expect([readers.total, readers.rows[0].house, readers.rows[0].name]).toEqual([1, '1号楼 1单元 101', '住*']);
  expect(readers.rows[0].confirmedAt).not.toBe(null);
  // Who moves in afterwards sees it, too, and is counted once it was read.
  const moved = south.members[7]!;
  await run(
    db(),
    `INSERT INTO household (member_id, house_id, identity, status) SELECT $1, h.id, 'family', 'normal' FROM house h WHERE h.project_id = $2 ORDER BY h.id LIMIT 1`,
    [moved, Number(north.id)],
  );
  expect((await read(moved)).http).toBe(200);
  expect((await product.call(admin, 'GET', `${ROOT}/${draft.id}`)).data.readers).toBe('2/9');
  // What is published is changed by recall and copy only.
  expect((await product.call(admin, 'PUT', `${ROOT}/${draft.id}`, { version: 2, title: '改' })).status).toBe(
    30101,
  );
  expect((await product.call(admin, 'DELETE', `${ROOT}/${draft.id}`)).status).toBe(30101);
  expect(Object.keys((await act(draft.id, 'recall')).data.fields)).toEqual(['reason']);
  expect((await act(draft.id, 'recall', { reason: '改期' })).data.state).toBe('recalled');
  expect((await shown(one)).some((row) => row.id === draft.id)).toBe(false);
  expect((await product.call(app, 'GET', `${ROOT}/app/${draft.id}?memberId=${one}`)).http).toBe(404);
  expect((await read(one)).http).toBe(404);
  await run(
    db(),
    'DELETE FROM household WHERE member_id = $1 AND house_id IN (SELECT id FROM house WHERE project_id = $2)',
    [moved, Number(north.id)],
  );
});

test('at its time the job publishes, water off goes to the phones once, and after its last day it expires', async () => {
  const made = await add({ title: '明日停水', type: '001', publishAt: at(1) });
  expect([made.state, made.readers, await sms('明日停水')]).toEqual(['scheduled', '', 0]);
  await job('notice.publish');
  expect((await product.call(admin, 'GET', `${ROOT}/${made.id}`)).data.state).toBe('scheduled');
  await run(db(), `UPDATE notice SET publish_at = now() WHERE id = $1`, [Number(made.id)]);
  await Promise.all([job('notice.publish'), job('notice.publish')]);
  const out = (await product.call(admin, 'GET', `${ROOT}/${made.id}`)).data;
  expect([out.state, out.readers, await sms('明日停水')]).toEqual(['published', '0/8', 8]);
  await add({ title: '只是保洁' });
  expect(await sms('只是保洁')).toBe(0);
  await run(
    db(),
    `UPDATE notice SET expires_on = (now() AT TIME ZONE 'Asia/Shanghai')::date - 1 WHERE id = $1`,
    [Number(made.id)],
  );
  // The app does not wait for the job.
  expect((await shown(north.members[0]!)).some((row) => row.id === made.id)).toBe(false);
  await job('notice.expire');
  expect((await product.call(admin, 'GET', `${ROOT}/${made.id}`)).data.state).toBe('expired');
});

test('of five reminders at once exactly one goes out, to those who have not read it; the next after 24 hours', async () => {
  const made = await add({ title: '年检提醒' });
  await product.call(app, 'POST', `${ROOT}/app/read`, { id: made.id, memberId: String(north.members[2]) });
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => act(made.id, 'remind')));
  expect(answers.filter((one) => one.http === 200)).toHaveLength(1);
  expect(
    new Set(answers.filter((one) => one.http !== 200).map((one) => `${one.status} ${one.message}`)),
  ).toEqual(new Set(['30101 24 小时内已提醒过']));
  expect(await sms('年检提醒')).toBe(7);
  await run(db(), `UPDATE notice SET reminded_at = now() - interval '25 hours' WHERE id = $1`, [
    Number(made.id),
  ]);
  expect((await act(made.id, 'remind')).http).toBe(200);
});

test('with the review on, whoever wrote or handed it in does not decide; a colleague passes or rejects with a reason', async () => {
  await run(
    db(),
    `INSERT INTO setting_override (key, project_id, value) VALUES ('notice.review', $1, 'true')`,
    [Number(south.id)],
  );
  product.platform.settings.forget();
  const made = await add({ projects: [north.id, south.id] });
  expect([made.state, made.readers]).toEqual(['reviewing', '']);
  expect(made.actions).not.toContain('approve');
  const own = await act(made.id, 'approve');
  expect([own.status, own.message]).toEqual([30101, '不能审核自己编写或提交的公告']);
  expect((await act(made.id, 'reject', { reason: '不行' })).status).toBe(30101);
  const colleague = await staffWith('reviewer', [north.id, south.id]);
  expect((await act(made.id, 'reject', { reason: '请补充时间' }, colleague)).data.state).toBe('rejected');
  const edited = await product.call(admin, 'PUT', `${ROOT}/${made.id}`, { version: 2, title: '补充时间' });
  expect(edited.http).toBe(200);
  expect((await act(made.id, 'publish')).data.state).toBe('reviewing');
  const passed = await act(made.id, 'approve', {}, colleague);
  expect([passed.data.state, passed.data.readers]).toEqual(['published', '0/16']);
  // A project without the review is not held up.
  expect((await add({})).state).toBe('published');
  await run(db(), 'DELETE FROM setting_override WHERE project_id = $1', [Number(south.id)]);
  product.platform.settings.forget();
});

test('staff of one project see its part of a notice, and change none that is for others, too', async () => {
  const both = await add({ projects: [north.id, south.id], title: '两个小区' });
  const theirs = await add({ projects: [south.id], title: '别的小区' });
  for (const memberId of [north.members[0], south.members[0], south.members[1]])
    await product.call(app, 'POST', `${ROOT}/app/read`, { id: both.id, memberId: String(memberId) });
  const token = await staffWith('northern', [north.id]);
  expect((await product.call(token, 'GET', `${ROOT}/${theirs.id}`)).http).toBe(404);
  const seen = (await product.call(token, 'GET', `${ROOT}/${both.id}`)).data;
  expect([seen.readers, seen.projects.map((one: { id: string }) => one.id)]).toEqual(['1/8', [north.id]]);
  expect(
    (await product.call(token, 'GET', `/jinmao/web/noticeReader/page?notice=${both.id}`)).data.total,
  ).toBe(8);
  const refused = await act(both.id, 'recall', { reason: '试试' }, token);
  expect([refused.status, refused.message]).toEqual([30101, '该公告含您范围外的小区，不能操作']);
  expect((await product.call(token, 'POST', ROOT, form({ projects: [south.id] }))).http).toBe(404);
  expect((await product.call(token, 'GET', `${ROOT}/${both.id}/audience`)).http).toBe(404);
});

async function staffWith(account: string, projects: readonly string[]): Promise<string> {
  const staff = await runOne<{ id: number }>(
    db(),
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password)
     SELECT id, $1, '同事', false, false FROM tenant WHERE kind = 3 LIMIT 1 RETURNING id`,
    [account],
  );
  for (const id of projects)
    await run(db(), 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [
      staff!.id,
      Number(id),
    ]);
  await grantMenu(db(), staff!.id, 'cs_pronotice');
  await run(
    db(),
    `INSERT INTO element_grant (group_id, element_code) SELECT m.group_id, e.code FROM group_member m, element e
      WHERE m.staff_id = $1 AND e.code LIKE 'cs_pronotice:%'`,
    [staff!.id],
  );
  return product.signIn(account);
}
