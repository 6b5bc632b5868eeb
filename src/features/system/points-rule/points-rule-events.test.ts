import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { programToken } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
let app: string;
let project: number;
beforeAll(async () => {
  product = await startTestProduct({ demo: false });
  admin = await product.signIn('admin');
  app = await programToken(product, { id: 'rule-app', scopes: ['member_event'] });
  project = (
    await one(
      `WITH c AS (INSERT INTO organisation (kind, code, name) VALUES ('centre_city', 'RC', '中心城市') RETURNING id),
            u AS (INSERT INTO organisation (kind, code, name, parent_id) SELECT 'management_unit', 'RU', '管理单元', id FROM c RETURNING id)
       INSERT INTO project (code, name, centre_id, unit_id) SELECT 'RP', '项目', c.id, u.id FROM c, u RETURNING id`,
    )
  ).id;
});
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const one = async (text: string, values: unknown[] = []) =>
  (await runOne<{ id: number }>(db(), text, values))!;
const makeMember = async (phone: string) =>
  (
    await one('INSERT INTO member (name, phone, project_id) VALUES ($1, $2, $3) RETURNING id', [
      '周敏',
      phone,
      project,
    ])
  ).id;
const share = (memberId: number, eventId: string = randomUUID(), target = eventId, occurredAt = new Date()) =>
  product.call(app, 'POST', '/jinmao/web/memberEvent', {
    eventId,
    memberId: String(memberId),
    projectId: String(project),
    type: 'task.share',
    occurredAt: occurredAt.toISOString(),
    payload: { target },
  });
const pointsOf = (answer: Awaited<ReturnType<typeof share>>) => answer.data.effects[0].points as number;
/** What was booked by the rule for a member, line by line. */
const booked = async (memberId: number, ruleId: string) =>
  (
    await run<{ amount: number }>(
      db(),
      `SELECT e.amount FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id
        WHERE t.rule_id = $2 AND a.member_id = $1 AND a.kind = 'points_available' ORDER BY t.id`,
      [memberId, ruleId],
    )
  ).map((entry) => entry.amount);

test('group 09 Must show 3: rule A003 of 10 points, 25 a day: the third event books 5, the fourth 0; one event ten times at once books once', async () => {
  const add = async (event: string, more: object = {}) =>
    (
      await product.call(admin, 'POST', '/jinmao/web/pointsRule', {
        name: '规则',
        direction: 'earn',
        event,
        points: 10,
        dayLimit: -1,
        monthLimit: -1,
        totalLimit: -1,
        dimension: 'person',
        ...more,
      })
    ).data as { id: string; code: string };
  await add('like');
  await add('post.create');
  const rule = await add('task.share', { dayLimit: 25 });
  expect(rule.code).toBe('A003');
  expect((await product.call(admin, 'POST', `/jinmao/web/pointsRule/${rule.id}/enable`, {})).http).toBe(200);
  // The task itself stands aside, so that only the rule cuts.
  await run(db(), `UPDATE points_task SET points = 10, day_times = -1, total_times = -1 WHERE code = 'T14'`);

  const member = await makeMember('13900093001');
  const given: number[] = [];
  for (let n = 0; n < 4; n += 1) given.push(pointsOf(await share(member)));
  expect(given).toEqual([10, 10, 5, 0]);
  expect(await booked(member, rule.id)).toEqual([10, 10, 5]);

  const other = await makeMember('13900093002');
  const [eventId, at] = [randomUUID(), new Date()];
  const answers = await Promise.all(Array.from({ length: 10 }, () => share(other, eventId, 'post:1', at)));
  expect(answers.map((answer) => [answer.http, pointsOf(answer)])).toEqual(
    Array.from({ length: 10 }, () => [200, 10]),
  );
  expect(answers.filter((answer) => !answer.data.duplicate)).toHaveLength(1);
  expect(await booked(other, rule.id)).toEqual([10]);
});
