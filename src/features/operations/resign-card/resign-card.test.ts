import { afterAll, beforeAll, expect, test } from 'vitest';
import { giveCards, lapseCards, useCard } from '../../../domain/resign-card/resign-card.server.ts';
import { signIn } from '../../../domain/sign-in/sign-in.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
let project: number;
let number = 0;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  await run(db(), `UPDATE points_rule SET state = 'stopped' WHERE event = 'sign_in'`);
  project = (await one<{ id: number }>('SELECT id FROM project ORDER BY id LIMIT 1')).id;
});
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const one = async <T>(sql: string, values: unknown[] = []) => (await runOne<T>(db(), sql, values))!;
const settings = () => product.platform.settings;
async function member(): Promise<number> {
  number += 1;
  const { id } = await one<{ id: number }>(
    `INSERT INTO member (name, phone, project_id, registered_at) VALUES ('郑补', $1, $2, '2026-01-01') RETURNING id`,
    [`1340000${String(number).padStart(4, '0')}`, project],
  );
  return id;
}
const give = (memberId: number, qty = 1) =>
  transaction(db(), (tx) =>
    giveCards(tx, settings(), { memberId, projectId: project, qty, source: 'given', reason: '测试' }),
  );
const use = (memberId: number, day: string, today: string) =>
  transaction(db(), (tx) => useCard(tx, settings(), { memberId, projectId: project, day, today })).then(
    (done) => done,
    (error: { label: readonly string[] }) => error.label[0],
  );
const held = async (memberId: number) =>
  (
    await one<{ n: number }>(
      'SELECT coalesce(sum(remaining), 0)::int AS n FROM resign_card WHERE member_id = $1',
      [memberId],
    )
  ).n;
const points = async (memberId: number) =>
  (
    await one<{ n: number }>(
      `SELECT coalesce(sum(balance), 0)::int AS n FROM ledger_account WHERE member_id = $1 AND kind = 'points_available'`,
      [memberId],
    )
  ).n;

test('group 01 Must show 6: day −8 is refused, so is the fourth repair of a month; cards and points stay', async () => {
  const id = await member();
  await give(id, 5);
  expect(await use(id, '2026-10-12', '2026-10-20')).toBe('超出可补签范围');
  for (const day of ['2026-10-13', '2026-10-15', '2026-10-17'])
    expect(await use(id, day, '2026-10-20')).toMatchObject({ day });
  const before = [await held(id), await points(id)];
  expect(before).toEqual([2, 0]);
  expect(await use(id, '2026-10-19', '2026-10-20')).toBe('本月补签次数已用完');
  expect([await held(id), await points(id)]).toEqual(before);
});

test('a repaired day joins streaks and gives the bonus they reach now; what is signed, today or ahead is refused', async () => {
  const id = await member();
  await transaction(db(), async (tx) => {
    for (const day of ['2026-09-01', '2026-09-02', '2026-09-04'])
      await signIn(tx, settings(), { memberId: id, projectId: project, day });
  });
  expect(await use(id, '2026-09-03', '2026-09-05')).toBe('补签卡不足');
  await give(id, 2);
  const done = await use(id, '2026-09-03', '2026-09-05');
  expect(done).toMatchObject({ streakBefore: 2, streakAfter: 4, points: 10 });
  expect(await points(id)).toBe(25);
  expect(await use(id, '2026-09-03', '2026-09-05')).toBe('该日已签到');
  expect(await use(id, '2026-09-05', '2026-09-05')).toBe('超出可补签范围');
  expect(await use(id, '2026-08-31', '2026-09-05')).toBe('超出可补签范围');
  expect(await held(id)).toBe(1);
});

test('the card that lapses first is used; one card serves one of two repairs at once; no more are held than may be', async () => {
  const id = await member();
  const later = await give(id);
  const sooner = await give(id);
  await run(db(), `UPDATE resign_card SET lapses_on = '2026-10-25' WHERE id = $1`, [sooner]);
  await use(id, '2026-10-19', '2026-10-20');
  const left = await one<{ remaining: number }>('SELECT remaining FROM resign_card WHERE id = $1', [later]);
  expect(left.remaining).toBe(1);
  const answers = await Promise.all(['2026-10-18', '2026-10-17'].map((day) => use(id, day, '2026-10-20')));
  expect(answers.filter((answer) => answer === '补签卡不足')).toHaveLength(1);
  const [many] = await Promise.allSettled([give(id, 5), give(id, 5)]).then((all) => [
    all.filter((each) => each.status === 'fulfilled').length,
  ]);
  expect([many, await held(id)]).toEqual([1, 5]);
});

test('cards lapse after their last day; staff give and take back with a reason', async () => {
  const id = await member();
  const card = await give(id, 2);
  await run(
    db(),
    `UPDATE resign_card SET lapses_on = (now() AT TIME ZONE 'Asia/Shanghai')::date WHERE id = $1`,
    [card],
  );
  await transaction(db(), (tx) => lapseCards(tx));
  expect(await held(id)).toBe(2);
  await run(db(), `UPDATE resign_card SET lapses_on = lapses_on - 1 WHERE id = $1`, [card]);
  await transaction(db(), (tx) => lapseCards(tx));
  expect(await held(id)).toBe(0);
  const given = await product.call(admin, 'POST', '/jinmao/web/resignCard/action/give', {
    members: [String(id)],
    qty: 3,
    reason: '活动奖励',
  });
  expect(given.message).toBe('');
  const row = await one<{ id: number }>(
    `SELECT id FROM resign_card WHERE member_id = $1 AND state = 'held'`,
    [id],
  );
  const taken = await product.call(admin, 'POST', `/jinmao/web/resignCard/${row.id}/revoke`, {
    reason: '重复发放',
  });
  expect([taken.message, await held(id)]).toEqual(['', 0]);
  const again = await product.call(admin, 'POST', `/jinmao/web/resignCard/${row.id}/revoke`, {
    reason: '重复发放',
  });
  expect(again.http).toBe(409);
});

test('several members get cards at once; where one cannot hold them nobody gets any, and that one is named', async () => {
  const [first, full] = [await member(), await member()];
  await give(full, 5);
  const both = (members: readonly number[]) =>
    product.call(admin, 'POST', '/jinmao/web/resignCard/action/give', {
      members: members.map(String),
      qty: 2,
      reason: '节日赠送',
    });
  const refused = await both([first, full]);
  expect(refused.status).toBe(30101);
  expect(refused.message).toMatch(/^尾号\d{4}：最多持有5张补签卡$/);
  expect(await held(first)).toBe(0);
  const third = await member();
  expect((await both([first, third])).data).toEqual({ n: 2 });
  expect([await held(first), await held(third)]).toEqual([2, 2]);
});
