import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { STAGE_ORDER } from '../../../domain/decoration/decoration.rules.ts';
import { registration } from './decoration-application.server.ts';

const ROOT = '/jinmao/web/decorationApplication';
const MENU = 'cs_decoreteApply';
let product: TestProduct;
let admin: string;
let project: number;
let company: number;
let unit: number;
let photo: string;
let clerk: string;
let other: string;
let turn = 0;

const db = () => product.platform.database.db;
const one = async <T extends object>(text: string, values: readonly unknown[] = []) =>
  (await runOne<T>(db(), text, values))!;
const act = (id: string, action: string, input: object = {}, token = admin) =>
  product.call(token, 'POST', `${ROOT}/${id}/${action}`, input);
const read = async (id: string) => (await product.call(admin, 'GET', `${ROOT}/${id}`)).data;
const day = (offset: number) =>
  new Date(Date.now() + (8 * 60 + offset * 1440) * 60_000).toISOString().slice(0, 10);

/** A house with one resident. */
async function home() {
  turn += 1;
  const { id: house } = await one<{ id: number }>(
    `INSERT INTO house (project_id, unit_id, number, built_area) VALUES ($1, $2, $3, 100) RETURNING id`,
    [project, unit, String(100 + turn)],
  );
  const { id: household } = await one<{ id: number }>(
    `INSERT INTO household (house_id, member_id, identity, status) SELECT $1, id, 'tenant', 'normal' FROM member ORDER BY id OFFSET $2 LIMIT 1 RETURNING id`,
    [house, turn],
  );
  return { house: String(house), applicant: String(household) };
}
const form = (place: object, more: object = {}) => ({
  ...place,
  area: '100.00',
  company: '家和装饰',
  startsOn: day(0),
  endsOn: day(60),
  deposit: '3000.00',
  ...more,
});
async function add(more: object = {}) {
  const made = await product.call(admin, 'POST', ROOT, form(await home(), more));
  expect([made.message, made.data.fields]).toEqual(['', undefined]);
  return made.data.id as string;
}
/** An application under supervision with 3,000.00 of deposit. */
async function supervised() {
  const id = await add();
  expect((await act(id, 'pay', { channel: 'cash' })).data.state).toBe('to_take');
  expect((await act(id, 'receive', { amount: '3000.00', channel: 'cash' })).data.depositHeld).toBe('3000.00');
  expect((await act(id, 'take')).data.state).toBe('supervising');
  return id;
}
const check = (id: string, stage: string, more: object = {}) =>
  act(id, 'check', { stage, result: 'pass', photos: [photo], ...more });
async function finished() {
  const id = await supervised();
  for (const stage of STAGE_ORDER) expect((await check(id, stage)).message).toBe('');
  expect((await act(id, 'finish')).data.state).toBe('done');
  return id;
}
async function staff(account: string) {
  const { id } = await one<{ id: number }>(
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password) VALUES ($1, $2, $2, false, false) RETURNING id`,
    [company, account],
  );
  await run(db(), 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [id, project]);
  await grantMenu(db(), id, MENU);
  await run(
    db(),
    `INSERT INTO element_grant (group_id, element_code) SELECT m.group_id, e.code FROM group_member m, element e
      WHERE m.staff_id = $1 AND e.code = ANY($2::text[])`,
    [
      id,
      ['cancel', 'refund', 'depositReturn', 'depositAudit', 'deposit'].map((name) => `${MENU}:btn_${name}`),
    ],
  );
  return product.signIn(account);
}

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  ({ id: project } = await one<{ id: number }>(
    `INSERT INTO project (code, name, centre_id, unit_id) SELECT 'DA01', '装修小区', centre_id, unit_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
  ));
  // A company of its own, so that nobody else is asked to approve.
  ({ id: company } = await one<{ id: number }>(
    `INSERT INTO tenant (kind, account, name) VALUES (1, 'DA9', '装修物业') RETURNING id`,
  ));
  await run(db(), 'INSERT INTO tenant_project (tenant_id, project_id) VALUES ($1, $2)', [company, project]);
  const { id: building } = await one<{ id: number }>(
    `INSERT INTO building (project_id, name) VALUES ($1, '1幢') RETURNING id`,
    [project],
  );
  ({ id: unit } = await one<{ id: number }>(
    `INSERT INTO building_unit (building_id, name) VALUES ($1, '1单元') RETURNING id`,
    [building],
  ));
  photo = (await one<{ id: string }>(`SELECT id FROM stored_file WHERE name = 'launch-1.png'`)).id;
  await run(
    db(),
    `INSERT INTO decoration_offer (project_id, price, cost, image_ids, introduction_html, state, published_at) VALUES ($1, 188000, 100000, ARRAY[$2::uuid], '<p>x</p>', 'published', now())`,
    [project, photo],
  );
  [clerk, other] = [await staff('decoclerk'), await staff('decoother')];
});
afterAll(() => product.close());

test('a house has one open application, also when many are entered at once; the price of the day stays', async () => {
  const place = await home();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => product.call(admin, 'POST', ROOT, form(place))),
  );
  const made = answers.filter((answer) => answer.http === 200);
  expect(made).toHaveLength(1);
  expect(new Set(answers.filter((answer) => answer.http !== 200).map((answer) => answer.message))).toEqual(
    new Set(['该房屋已有进行中的监理申请']),
  );
  await run(db(), 'UPDATE decoration_offer SET price = 200000 WHERE project_id = $1', [project]);
  expect((await read(made[0]!.data.id)).price).toBe('1880.00');
  await run(db(), 'UPDATE decoration_offer SET price = 188000 WHERE project_id = $1', [project]);
  const fields = async (more: object) =>
    Object.keys((await product.call(admin, 'POST', ROOT, form(await home(), more))).data?.fields ?? {});
  expect(await fields({ applicant: place.applicant })).toEqual(['applicant']);
  expect(await fields({ endsOn: day(-1) })).toEqual(['endsOn']);
  expect(await fields({ area: '0' })).toEqual(['area']);
});

test('it is paid once; twenty who take it at once make one supervisor', async () => {
  const id = await add();
  expect((await act(id, 'pay', { channel: 'pos' })).data.fields.tradeNo).toBeDefined();
  const paid = await Promise.all(Array.from({ length: 10 }, () => act(id, 'pay', { channel: 'cash' })));
  expect(paid.filter((answer) => answer.http === 200)).toHaveLength(1);
  const taken = await Promise.all(Array.from({ length: 20 }, () => act(id, 'take')));
  expect(taken.filter((answer) => answer.http === 200)).toHaveLength(1);
});

test('done needs every stage passed by its last check and no open violation', async () => {
  const id = await supervised();
  for (const stage of STAGE_ORDER.slice(0, 5)) await check(id, stage);
  expect((await act(id, 'finish')).message).toBe('还有1个阶段未通过验收');
  await check(id, 'completion');
  // What passed before fails now: the stage is open again.
  const failed = await check(id, 'paint', { result: 'fail', violation: '漆面开裂', fixBy: day(7) });
  expect([failed.data.stage, failed.data.stagesPassed, failed.data.violations]).toEqual(['paint', 5, 1]);
  await check(id, 'paint');
  expect((await act(id, 'finish')).message).toBe('还有1条违规未整改');
  const { violationList } = await read(id);
  const fixes = await Promise.all(
    Array.from({ length: 5 }, () =>
      act(id, 'fix', { check: violationList[0].id, note: '已重刷', photos: [photo] }),
    ),
  );
  expect(fixes.filter((answer) => answer.http === 200)).toHaveLength(1);
  expect((await act(id, 'finish')).data.state).toBe('done');
  const fields = async (more: object) =>
    Object.keys((await check(await supervised(), 'paint', more)).data?.fields ?? {});
  expect(await fields({ photos: [] })).toEqual(['photos']);
  expect(await fields({ result: 'fail' })).toEqual(['note']);
  expect(await fields({ violation: '乱堆', fixBy: day(3) })).toEqual(['violation']);
  expect(await fields({ result: 'fail', violation: '乱堆' })).toEqual(['fixBy']);
});

test('a deduction needs a violation and never takes more than is there, also ten at once', async () => {
  const id = await supervised();
  const strange = await supervised();
  await check(strange, 'paint', { result: 'fail', violation: '乱堆垃圾', fixBy: day(3) });
  const foreign = (await read(strange)).violationList[0].id;
  const take = (amount: string, violation: string) =>
    act(id, 'deduct', { check: violation, amount, reason: '清运费用' });
  expect((await take('100.00', foreign)).data.fields.check).toBeDefined();
  await check(id, 'paint', { result: 'fail', violation: '乱堆垃圾', fixBy: day(3) });
  const own = (await read(id)).violationList[0].id;
  const answers = await Promise.all(Array.from({ length: 10 }, () => take('700.00', own)));
  expect(answers.filter((answer) => answer.http === 200)).toHaveLength(4);
  expect((await take('700.00', own)).message).toBe('押金余额仅200.00元');
  const row = await read(id);
  expect([row.depositHeld, row.depositLines.map((line: { amount: string }) => line.amount)]).toEqual([
    '200.00',
    ['3000.00', '-700.00', '-700.00', '-700.00', '-700.00'],
  ]);
});

test('the deposit goes back 30 days after the works were done, whole, by another person, once', async () => {
  const id = await finished();
  const ask = (token = clerk) => act(id, 'depositReturn', { payee: '王女士 6222' }, token);
  expect((await ask()).message).toMatch(/^完工满30天（\d{4}-\d\d-\d\d）后可退押金$/);
  await run(db(), `UPDATE decoration_application SET done_at = now() - interval '31 days' WHERE id = $1`, [
    id,
  ]);
  const asked = await Promise.all(Array.from({ length: 5 }, () => ask()));
  expect(asked.filter((answer) => answer.http === 200)).toHaveLength(1);
  expect((await read(id)).depositHeld).toBe('3000.00');
  const task = await one<{ id: number; account: string }>(
    `SELECT k.id, s.account FROM approval_task k JOIN approval_instance i ON i.id = k.instance_id JOIN staff s ON s.id = k.assignee_id
      WHERE i.biz_type = 'deposit_return' AND k.state = 'pending'`,
  );
  expect(task.account).toBe('decoother');
  const decide = (token: string) =>
    product.call(token, 'POST', `/jinmao/web/approvalTask/${task.id}/approve`, {
      opinion: '同意',
      attachments: [],
    });
  expect((await decide(clerk)).http).not.toBe(200);
  const answers = await Promise.all(Array.from({ length: 5 }, () => decide(other)));
  expect(answers.filter((answer) => answer.http === 200)).toHaveLength(1);
  const row = await read(id);
  expect([row.depositHeld, row.depositLines.at(-1).move, row.depositLines.at(-1).amount]).toEqual([
    '0.00',
    'return',
    '-3000.00',
  ]);
  expect((await ask()).status).toBe(30101);
});

test('what was paid and cancelled goes back whole, confirmed by another person, once', async () => {
  const id = await add();
  await act(id, 'pay', { channel: 'cash' });
  expect((await act(id, 'cancel', { reason: '业主改期' }, clerk)).data.refundState).toBe('waiting');
  expect((await act(id, 'refund', { tradeNo: 'R1' }, clerk)).message).toBe('不能审核自己取消的退款');
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => act(id, 'refund', { tradeNo: 'R1' }, other)),
  );
  expect(answers.filter((answer) => answer.http === 200)).toHaveLength(1);
  await expect(
    run(db(), `UPDATE decoration_application SET refunded_by = cancelled_by WHERE id = $1`, [id]),
  ).rejects.toThrow(/decoration_application_refunded/);
  const unpaid = await add();
  expect((await act(unpaid, 'cancel', { reason: '业主改期' })).data.refundState).toBe('none');
  expect((await act(await supervised(), 'cancel', { reason: '业主改期' })).status).toBe(30101);
});

test('what nobody pays within 24 hours is cancelled by the job, what was paid stays', async () => {
  const [late, paid, fresh] = [await add(), await add(), await add()];
  await act(paid, 'pay', { channel: 'cash' });
  await run(
    db(),
    `UPDATE decoration_application SET created_at = now() - interval '25 hours' WHERE id = ANY($1::bigint[])`,
    [[late, paid]],
  );
  const job = registration.jobs!.find((one) => one.name === 'deco.unpaid')!;
  await Promise.all(Array.from({ length: 3 }, () => job.run({}, product.platform)));
  const states = [];
  for (const id of [late, paid, fresh]) states.push((await read(id)).state);
  expect(states).toEqual(['cancelled', 'to_take', 'to_pay']);
});

test('an end is only put later; staff of another project see nothing of it', async () => {
  const id = await supervised();
  expect((await act(id, 'extend', { endsOn: day(60), reason: '工期顺延' })).data.fields.endsOn).toBeDefined();
  expect((await act(id, 'extend', { endsOn: day(80), reason: '工期顺延' })).data.endsOn).toBe(day(80));
  await run(db(), 'DELETE FROM staff_project WHERE staff_id = (SELECT id FROM staff WHERE account = $1)', [
    'decoclerk',
  ]);
  const stranger = await product.signIn('decoclerk');
  expect((await product.call(stranger, 'GET', `${ROOT}/${id}`)).http).toBe(404);
});
