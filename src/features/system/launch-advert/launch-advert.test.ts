import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { askToken, programClient } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { leftOut, shownPages } from './launch-advert.rules.ts';

const ROOT = '/jinmao/web/launchAdvert';
const DAY = 86_400_000;
let product: TestProduct;
let admin: string;
let project: string;
let other: string;
let picture: string;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  const { db } = product.platform.database;
  await programClient(db, {
    id: 'owner-app',
    secret: 'a-long-secret',
    grants: ['client_credentials'],
    scopes: ['member_event'],
  });
  // Projects of their own: nothing of the demonstration set runs there.
  const made: string[] = [];
  for (const [index, name] of ['启动页甲', '启动页乙'].entries())
    made.push(
      String(
        (await runOne<{ id: number }>(
          db,
          `INSERT INTO project (code, name, centre_id, unit_id) SELECT $1, $2, centre_id, unit_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
          [`LA0${index}`, name],
        ))!.id,
      ),
    );
  [project, other] = made as [string, string];
  picture = (await runOne<{ id: string }>(db, `SELECT id FROM stored_file WHERE name = 'launch-1.png'`))!.id;
});
afterAll(() => product?.close());

const at = (days: number) => new Date(Date.now() + days * DAY).toISOString();
const page = (input: object = {}) => ({
  title: '测试启动页',
  androidImage: picture,
  iosImage: picture,
  startsAt: at(-1),
  endsAt: at(1),
  stay: 3,
  jump: 'none',
  projects: [project],
  sort: 100,
  ...input,
});
const add = async (input: object = {}) => {
  const made = await product.call(admin, 'POST', ROOT, page(input));
  expect([made.http, made.message]).toEqual([200, '']);
  return made.data as { id: string; version: number };
};
const act = (id: string, name: string, token = admin) =>
  product.call(token, 'POST', `${ROOT}/${id}/${name}`, {});
const app = async (method: 'GET' | 'POST', path: string, payload?: object, secret = 'a-long-secret') => {
  const answer = await product.app.inject({
    method,
    url: `/api${ROOT}/app/${path}`,
    headers: { authorization: await askToken(product, 'owner-app', secret) },
    ...(payload && { payload }),
  });
  const { data } = answer.json() as { data: any };
  return { http: answer.statusCode, data };
};
const shownIn = async (where: string) =>
  ((await app('GET', `list?projectId=${where}&appSource=1`)).data as { title: string }[]).map(
    (one) => one.title,
  );
const withdrawOverdue = () =>
  product.platform.registrations
    .flatMap((one) => one.jobs ?? [])
    .find((job) => job.name === 'launch.withdraw')!
    .run({}, product.platform);

describe('the form', () => {
  test('refuses what cannot be shown, at the field', async () => {
    const fields = async (input: object) =>
      Object.keys((await product.call(admin, 'POST', ROOT, page(input))).data?.fields ?? {});
    expect(await fields({ endsAt: at(-2) })).toEqual(['endsAt']);
    expect(await fields({ stay: 11 })).toEqual(['stay']);
    expect(await fields({ title: '长'.repeat(31) })).toEqual(['title']);
    expect(await fields({ projects: [] })).toEqual(['projects']);
    expect(await fields({ jump: 'link' })).toEqual(['link']);
    expect(await fields({ jump: 'module' })).toEqual(['module']);
    const { db } = product.platform.database;
    const file = async (id: string, type: string, size: number) => {
      await run(
        db,
        `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access) VALUES ($1::uuid, 'x', $2, $3, '\\x00', $1::uuid::text, 'picture')`,
        [id, type, size],
      );
      return id;
    };
    const big = await file('0a99f000-0000-4000-8000-000000000001', 'image/png', 2 * 1024 * 1024 + 1);
    const gif = await file('0a99f000-0000-4000-8000-000000000002', 'image/gif', 100);
    const bad = await product.call(admin, 'POST', ROOT, page({ androidImage: big, iosImage: gif }));
    expect(bad.data.fields).toEqual({
      androidImage: '图片不能超过 2 MB',
      iosImage: '仅支持 jpg、png、webp',
    });
  });

  test('what is no longer opened is let go; a link in use cannot be deleted', async () => {
    const link = (await product.call(admin, 'GET', '/jinmao/web/options/jumpLink?searchVal=领券中心'))
      .data[0];
    const one = await add({ jump: 'link', link: link.id });
    const used = await product.call(admin, 'DELETE', `/jinmao/web/jumpLink/${link.id}`);
    expect([used.status, used.message]).toEqual([30101, expect.stringContaining('启动页')]);
    const saved = await product.call(admin, 'PUT', `${ROOT}/${one.id}`, {
      version: one.version,
      jump: 'none',
    });
    expect([saved.http, saved.data.link]).toEqual([200, null]);
  });
});

test('states: changed only unpublished, never published after its end, not deleted while published', async () => {
  const one = await add({ title: '状态' });
  expect((await act(one.id, 'publish')).data.state).toBe('published');
  expect((await product.call(admin, 'PUT', `${ROOT}/${one.id}`, { version: 2, stay: 4 })).status).toBe(30101);
  expect((await product.call(admin, 'DELETE', `${ROOT}/${one.id}`)).status).toBe(30101);
  expect((await act(one.id, 'withdraw')).data.state).toBe('withdrawn');
  await run(
    product.platform.database.db,
    `UPDATE launch_advert SET starts_at = now() - interval '2 days', ends_at = now() - interval '1 day' WHERE id = $1`,
    [Number(one.id)],
  );
  expect((await act(one.id, 'publish')).message).toBe('结束时间已过，请修改后再发布');
  expect((await product.call(admin, 'DELETE', `${ROOT}/${one.id}`)).http).toBe(200);
});

test('group 09 Must show 16: past its end a page is withdrawn by the run of the minute; of six published the app lists five', async () => {
  const first = await add({ title: '最先过期', sort: 1 });
  await act(first.id, 'publish');
  expect(await shownIn(project)).toEqual(['最先过期']);
  await run(product.platform.database.db, `UPDATE launch_advert SET ends_at = now() WHERE id = $1`, [
    Number(first.id),
  ]);
  // The app does not wait for the job.
  expect(await shownIn(project)).toEqual([]);
  await withdrawOverdue();
  expect((await product.call(admin, 'GET', `${ROOT}/${first.id}`)).data.state).toBe('withdrawn');

  const titles = ['一', '二', '三', '四', '五', '六'];
  const ids: string[] = [];
  for (const [index, title] of titles.entries()) {
    const { id } = await add({ title, sort: 60 - index * 10 || 1, projects: [project, other] });
    ids.push(id);
    if (index < 5) expect((await act(id, 'publish')).data.result).toBeUndefined();
  }
  const told = await product.call(admin, 'GET', `${ROOT}/${ids[5]}/leftOut`);
  expect(told.data).toEqual([
    { project: '启动页甲', titles: ['一'] },
    { project: '启动页乙', titles: ['一'] },
  ]);
  const sixth = await act(ids[5]!, 'publish');
  expect(sixth.data.result.warning).toBe('超出上限不展示：启动页甲：一；启动页乙：一');
  expect(await shownIn(project)).toEqual(['六', '五', '四', '三', '二']);
});

test('what the app tells of is counted once, by day and project, members once a day', async () => {
  const one = await add({ title: '计数', projects: [other], startsAt: at(-1), endsAt: at(2) });
  await act(one.id, 'publish');
  expect((await product.call(admin, 'GET', `${ROOT}/${one.id}`)).data).toMatchObject({
    shown: null,
    clickRate: null,
  });
  const member = String(
    (await runOne<{ id: number }>(product.platform.database.db, 'SELECT id FROM member ORDER BY id LIMIT 1'))!
      .id,
  );
  const tell = (eventId: string, type: string, more: object = {}) =>
    app('POST', 'event', { eventId, type, advertId: one.id, projectId: other, memberId: member, ...more });
  const same = await Promise.all(Array.from({ length: 10 }, () => tell('s1', 'ad.show')));
  expect(same.filter((answer) => answer.data.accepted)).toHaveLength(1);
  for (const [id, type] of [
    ['s2', 'ad.show'],
    ['s3', 'ad.show'],
    ['c1', 'ad.click'],
  ] as const)
    expect((await tell(id, type)).data.accepted).toBe(true);
  expect((await tell('s4', 'ad.show', { projectId: project })).http).toBe(404);
  expect(
    (await app('POST', 'event', { eventId: 'x', type: 'ad.show', advertId: one.id, projectId: other }, 'no'))
      .http,
  ).toBe(401);
  expect((await product.call(admin, 'GET', `${ROOT}/${one.id}`)).data).toMatchObject({
    shown: 3,
    clicked: 1,
    clickRate: '33.33',
  });
  const [row] = await run(
    product.platform.database.db,
    `SELECT exposures, viewers, clicks, clickers FROM ad_metric WHERE kind = 'launch' AND advert_id = $1`,
    [Number(one.id)],
  );
  expect(row).toEqual({ exposures: 3, viewers: 1, clicks: 1, clickers: 1 });
});

test('staff of one project see its pages, without the other projects, and change only pages that are wholly theirs', async () => {
  const { db } = product.platform.database;
  const [both, mine, theirs] = [
    await add({ title: '两个小区', projects: [project, other] }),
    await add({ title: '本小区' }),
    await add({ title: '别的小区', projects: [other] }),
  ];
  const staff = await runOne<{ id: number }>(
    db,
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password)
     SELECT id, 'launcher', '运营', false, false FROM tenant WHERE kind = 3 LIMIT 1 RETURNING id`,
  );
  await run(db, 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [
    staff!.id,
    Number(project),
  ]);
  await grantMenu(db, staff!.id, 'ssm_appAdvertPage');
  await run(
    db,
    `INSERT INTO element_grant (group_id, element_code) SELECT m.group_id, e.code FROM group_member m, element e
      WHERE m.staff_id = $1 AND e.code IN ('ssm_appAdvertPage:btn_publish', 'ssm_appAdvertPage:btn_edit')`,
    [staff!.id],
  );
  const token = await product.signIn('launcher');
  expect((await product.call(token, 'GET', `${ROOT}/${theirs.id}`)).http).toBe(404);
  const seen = await product.call(token, 'GET', `${ROOT}/${both.id}`);
  expect(seen.data.projects.map((one: { id: string }) => one.id)).toEqual([project]);
  expect((await act(both.id, 'publish', token)).message).toBe('该启动页含您范围外的小区，不能操作');
  expect((await act(mine.id, 'publish', token)).http).toBe(200);
});

test('what is shown: by order, then the newest; a page that runs at another time takes no place', () => {
  const made = (id: number, sort: number, from: number, to: number) => ({
    id,
    title: String(id),
    sort,
    starts_at: new Date(from),
    ends_at: new Date(to),
  });
  const pages = [made(1, 10, 0, 10), made(2, 10, 0, 10), made(3, 5, 5, 10)];
  expect(shownPages(pages, new Date(0), 5).map((one) => one.id)).toEqual([2, 1]);
  expect(shownPages(pages, new Date(5), 2).map((one) => one.id)).toEqual([3, 2]);
  expect(shownPages(pages, new Date(10), 2)).toEqual([]);
  expect(leftOut(made(4, 99, 0, 5), pages, 2).map((one) => one.id)).toEqual([4]);
  expect(leftOut(made(4, 1, 20, 30), pages, 1)).toEqual([]);
  // Two short ones that never run together leave both their place.
  expect(leftOut(made(5, 1, 0, 30), [made(6, 2, 0, 10), made(7, 2, 10, 20)], 2)).toEqual([]);
});
