import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeMemberEvent } from '../../../domain/member-event/door.server.ts';
import { grantPoints } from '../../../domain/points-ledger/points-grant.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
let project: number;
let member: number;
let post: number;
let number = 0;

const db = () => product.platform.database.db;
const one = async (sql: string, values: readonly unknown[] = []) =>
  (await runOne<{ id: number }>(db(), sql, values))!.id;
const person = (home: number) => {
  number += 1;
  return one(
    `INSERT INTO member (name, phone, project_id, registered_at) VALUES ('石浏览', $1, $2, '2026-01-01') RETURNING id`,
    [`1360000${String(number).padStart(4, '0')}`, home],
  );
};
const look = (memberId: number, at: Date, target: object = { postId: String(post) }) =>
  takeMemberEvent(
    product.platform,
    {
      eventId: randomUUID(),
      memberId,
      projectId: project,
      type: 'view',
      occurredAt: at.toISOString(),
      payload: { ...target },
    },
    { clientId: 'app' },
  );
const report = async (name: string, query: string) =>
  (await product.call(admin, 'GET', `/jinmao/web/report/${name}?limit=200&project=${project}&${query}`)).data;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  project = await one(
    `INSERT INTO project (name, code, centre_id, unit_id) SELECT '统计项目', 'STAT1', centre_id, unit_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
  );
  member = await person(project);
  post = await one(
    `INSERT INTO post (kind, member_id, project_id, content, published_at) VALUES ('family', $1, $2, '统计用的帖子', now() - interval '3 days') RETURNING id`,
    [member, project],
  );
});
afterAll(() => product?.close());

test('group 01 Must show 14: three looks over two days are pv 3 and uv 1 for the range, daily uv 1 and 1', async () => {
  const now = new Date();
  const yesterday = new Date(now.getTime() - 23 * 3_600_000);
  await look(member, yesterday);
  await look(member, now);
  // The door takes events of the last day; the third look is put where it happened.
  await run(
    db(),
    `INSERT INTO content_view (kind, post_id, project_id, member_id, viewer, at) VALUES ('family', $1, $2, $3, $4, now() - interval '30 hours')`,
    [post, project, member, `m:${member}`],
  );
  const days = [businessDayOf(new Date(now.getTime() - 2 * 86_400_000)), businessDayOf(now)];
  const { sums, rows, figures } = await report('contentTraffic', `range=${days[0]}~${days[1]}&kind=family`);
  expect(sums).toMatchObject({ pv: 3, uv: 1 });
  expect(figures.uv.value).toBe('1');
  const seen = rows.filter((row: { pv: number }) => row.pv > 0);
  expect(seen.reduce((sum: number, row: { pv: number }) => sum + row.pv, 0)).toBe(3);
  for (const row of seen) expect(row.uv).toBe(1);
  const [row] = seen;
  const query = new URLSearchParams({ ...row.drill });
  const contents = await product.call(
    admin,
    'GET',
    `/jinmao/web/contentStat/behind?what=contents&${query.toString()}`,
  );
  expect(contents.data).toMatchObject({ total: 1, rows: [{ title: '统计用的帖子', pv: row.pv }] });
  const viewers = await product.call(
    admin,
    'GET',
    `/jinmao/web/contentStat/behind?what=members&${query.toString()}`,
  );
  expect(viewers.data.rows[0].title).toBe('石*览');
});

test('the same viewer within five seconds counts once; a range is read as wide as its buckets allow', async () => {
  const other = await person(project);
  const at = new Date();
  expect((await look(other, at)).result).toEqual({ counted: true });
  expect((await look(other, new Date(at.getTime() + 2_000))).result).toEqual({ counted: false });
  const today = businessDayOf(at);
  const minutes = await report('contentTraffic', `range=${today}~${today}&granularity=minute&kind=family`);
  expect(minutes.total).toBe(1_440);
  const wide = await product.call(
    admin,
    'GET',
    '/jinmao/web/report/contentTraffic?range=2026-01-01~2026-03-01&granularity=hour',
  );
  expect([wide.http, Object.keys(wide.data.fields)]).toEqual([422, ['range']]);
  const months = await report('contentTraffic', 'range=2026-01-15~2026-03-01&granularity=month&kind=family');
  expect(months.rows.map((row: { fromAt: string }) => row.fromAt.slice(0, 10)).sort()).toEqual([
    '2026-01-01',
    '2026-02-01',
    '2026-03-01',
  ]);
});

test('hidden content leaves the ranking; points and members count what the ledger and the events say', async () => {
  const today = businessDayOf(new Date());
  const range = `range=${businessDayOf(new Date(Date.now() - 5 * 86_400_000))}~${today}`;
  const ranked = await report('contentRanking', range);
  expect(ranked.rows).toMatchObject([{ content: '统计用的帖子', author: '石*览', grade: '新邻居' }]);
  await run(db(), 'UPDATE post SET shown = false WHERE id = $1', [post]);
  expect((await report('contentRanking', range)).rows).toEqual([]);
  const before = await report('pointsStat', `range=${today}~${today}`);
  await transaction(db(), (tx) =>
    grantPoints(tx, product.platform.settings, {
      memberId: member,
      amount: 70,
      kind: 1,
      source: { type: 'test', id: `s${member}`, purpose: 'grant' },
    }),
  );
  const after = await report('pointsStat', `range=${today}~${today}`);
  expect(after.sums.signIn - before.sums.signIn).toBe(70);
  expect(after.sums.granted - before.sums.granted).toBe(70);
  expect(Number(after.figures.outstanding.value) - Number(before.figures.outstanding.value)).toBe(70);
  const members = await report('memberStat', `range=${today}~${today}`);
  expect(members.sums).toMatchObject({ active: 2, signed: 0, fresh: 0 });
});
