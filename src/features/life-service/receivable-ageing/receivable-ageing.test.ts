import { afterAll, beforeAll, expect, test } from 'vitest';
import { bookDunning, proposeDunning } from '../../../domain/receivable/dunning.server.ts';
import { payerOf } from '../../../domain/receivable/payer.server.ts';
import { issueReceivable } from '../../../domain/receivable/receivable.server.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { dunningLevel, receivableDunning } from '../dunning/dunning.contract.ts';
import { registration as dunnings } from '../dunning/receivable-dunning.server.ts';
import { receivable, RECEIVABLE_MENU } from '../receivable/receivable.contract.ts';
import { registration as receivables } from '../receivable/receivable.server.ts';
import { registration as ageing } from './receivable-ageing.server.ts';

const DUNNING = '/jinmao/web/receivableDunning';
const TODAY = businessDayOf(new Date());
let mall: Mall;
let collector: Caller;
let turn = 0;
const db = () => mall.platform.database.db;
const all = <T extends object>(text: string, values: readonly unknown[] = []) => run<T>(db(), text, values);

beforeAll(async () => {
  mall = await openMall([receivables, dunnings, ageing]);
  const platformId = (await runOne<{ id: number }>(db(), 'SELECT id FROM tenant WHERE kind = 3 LIMIT 1'))!.id;
  collector = callerOf(
    { staffId: await mall.staff('collector', platformId), tenantId: platformId, tenantKind: 3 },
    [RECEIVABLE_MENU],
    [receivable, receivableDunning, dunningLevel].flatMap((resource) =>
      Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)),
    ),
  );
});
afterAll(() => mall.close());

/** A project of its own, so that tables of one test hold nothing of another. */
async function place(): Promise<number> {
  turn++;
  return (await runOne<{ id: number }>(
    db(),
    `INSERT INTO project (code, name, unit_id, centre_id) SELECT $1, $1, unit_id, centre_id FROM project WHERE id = $2 RETURNING id`,
    [`AG${turn}`, mall.ids.north],
  ))!.id;
}
async function payer(): Promise<number> {
  turn++;
  return transaction(db(), (tx) => payerOf(tx, { name: `账龄付款方${turn}` }));
}
const owe = (project: number, payerId: number, dueOn: string, principal: number, postedOn = '2026-01-01') => {
  turn++;
  return transaction(db(), (tx) =>
    issueReceivable(tx, {
      source: 'package',
      sourceId: 50_000 + turn,
      payerId,
      projectId: project,
      postedOn,
      dueOn,
      principal,
    }),
  );
};
const only = (project: number): Caller => ({ ...collector, projectIds: [project] });
const table = async (caller: Caller, query: string) =>
  (await mall.call(caller, 'GET', `/jinmao/web/receivableAgeing?${query}`)).data;
const lines = async (caller: Caller, query: string) =>
  (await mall.call(caller, 'GET', `/jinmao/web/receivableAgeing/lines?${query}`)).data.map(
    (line: { id: string }) => Number(line.id),
  );

test('group 19 Must show 6: 100.00 due 1 Nov, 200.00 due 30 Sep, 300.00 due 1 Dec as of 2026-11-21, each cell opens its line', async () => {
  const project = await place();
  const who = await payer();
  const ids = [
    await owe(project, who, '2026-11-01', 10_000),
    await owe(project, who, '2026-09-30', 20_000),
    await owe(project, who, '2026-12-01', 30_000),
  ];
  const caller = only(project);
  const asked = 'asOf=2026-11-21';
  const { rows, sums } = await table(caller, asked);
  expect(rows).toHaveLength(1);
  expect(rows[0].cells).toEqual(['300.00', '100.00', '200.00', '0.00', '0.00', '0.00']);
  expect([rows[0].total, sums.total, rows[0].soon]).toEqual(['600.00', '600.00', '300.00']);
  const open = (cell: number, more = '') => lines(caller, `${asked}${more}&key=${project}&cell=${cell}`);
  expect([await open(0), await open(1), await open(2), await open(3)]).toEqual([
    [ids[2]],
    [ids[0]],
    [ids[1]],
    [],
  ]);
  const other = await table(caller, `${asked}&limits=15,45,75`);
  expect(other.rows[0].cells).toEqual(['300.00', '0.00', '100.00', '200.00', '0.00']);
  expect([await open(2, '&limits=15,45,75'), await open(3, '&limits=15,45,75')]).toEqual([
    [ids[0]],
    [ids[1]],
  ]);
  for (const limits of ['30,20', '0', 'x', '1,2,3,4,5,6,7'])
    expect(
      (await mall.call(caller, 'GET', `/jinmao/web/receivableAgeing?${asked}&limits=${limits}`)).http,
    ).toBe(422);
});

test('a day in the past counts charges and receipts up to it', async () => {
  const project = await place();
  const who = await payer();
  const id = await owe(project, who, '2026-03-01', 10_000);
  await all(
    `INSERT INTO receivable_charge (receivable_id, kind, amount, to_on) VALUES ($1, 'interest', 500, '2026-05-01')`,
    [id],
  );
  const [money] = await all<{ id: number }>(
    `INSERT INTO receipt (code, payer_id, project_id, method, amount, received_on, state, confirmed_at, allocated)
     VALUES ($1, $2, $3, 'cash', 4000, '2026-06-01', 'confirmed', now(), 4000) RETURNING id`,
    [`RCAG${turn}`, who, project],
  );
  await all(
    'INSERT INTO receipt_allocation (receipt_id, receivable_id, amount, principal) VALUES ($1, $2, 4000, 4000)',
    [money!.id, id],
  );
  await all(`UPDATE receivable SET charges = 500, received = 4000, state = 'part' WHERE id = $1`, [id]);
  const total = async (day: string) => (await table(only(project), `asOf=${day}`)).sums.total;
  expect([
    await total('2025-12-31'),
    await total('2026-04-01'),
    await total('2026-05-01'),
    await total('2026-06-01'),
  ]).toEqual(['0.00', '100.00', '105.00', '65.00']);
});

test('group 19 Must show 14 (ageing): a collector of one project sees no total and no cell of another', async () => {
  const [mine, other] = [await place(), await place()];
  const who = await payer();
  const own = await owe(mine, who, '2026-10-01', 1_111);
  await owe(other, who, '2026-10-01', 2_222);
  const caller = only(mine);
  for (const by of ['project', 'payer', 'owner', 'source']) {
    const { rows, sums } = await table(caller, `asOf=2026-11-21&by=${by}`);
    expect([rows.length, sums.total]).toEqual([1, '11.11']);
    expect(await lines(caller, `asOf=2026-11-21&by=${by}`)).toEqual([own]);
  }
  expect(await lines(caller, `asOf=2026-11-21&by=project&key=${other}`)).toEqual([]);
  const list = (await mall.call(caller, 'GET', '/jinmao/web/receivable/page?tab=owed&limit=50')).data;
  expect(list.rows.map((row: { id: string }) => Number(row.id))).toEqual([own]);
  expect((await mall.call(caller, 'GET', '/jinmao/web/receivableAgeing/figures')).data.balance).toBe('11.11');
});

/** Levels of a project: [days, fee in fen, yearly bp], from level 1 on. */
async function levels(
  project: number,
  ...of: readonly (readonly [days: number, fee?: number, bp?: number])[]
) {
  for (const [index, [days, fee = 0, bp = 0]] of of.entries())
    await all(
      `INSERT INTO dunning_level (project_id, level, after_days, channels, template_zh, template_en, fee, yearly_bp)
       VALUES ($1, $2, $3, '{letter}', '{payer}：{sum}', '{payer}: {sum}', $4, $5)`,
      [project, index + 1, days, fee, bp],
    );
}
const propose = (payerId: number, day = TODAY) => transaction(db(), (tx) => proposeDunning(tx, payerId, day));
const send = (id: number) => mall.call(collector, 'POST', `${DUNNING}/${id}/send`, {});
const money = async (id: number) =>
  (await runOne<{ charges: number; level: number; balance: number }>(
    db(),
    'SELECT charges, dunning_level AS level, principal + charges - received AS balance FROM receivable WHERE id = $1',
    [id],
  ))!;

test('group 19 Must show 7: level 2 of 30 days books 150.00 interest and 20.00 fee once; charges stop at 30 percent', async () => {
  const project = await place();
  await levels(project, [3], [30, 2_000, 1_825], [60, 0, 10_000]);
  const who = await payer();
  const id = await owe(project, who, addDays(TODAY, -30), 1_000_000);
  await all('UPDATE receivable SET dunning_level = 1 WHERE id = $1', [id]);
  const proposed = (await propose(who))!;
  const both = await Promise.all([send(proposed.id), send(proposed.id)]);
  expect(both.map((answer) => answer.http).sort()).toEqual([200, 409]);
  expect(await money(id)).toEqual({ charges: 17_000, level: 2, balance: 1_017_000 });
  const charges = await all<{ kind: string; amount: number }>(
    'SELECT kind, amount FROM receivable_charge WHERE receivable_id = $1 ORDER BY id',
    [id],
  );
  expect(charges).toEqual([
    { kind: 'interest', amount: 15_000 },
    { kind: 'dunning_fee', amount: 2_000 },
  ]);
  await dunnings.jobs!.find((job) => job.name === 'dunning.propose')!.run({}, mall.platform);
  expect(await propose(who)).toBeUndefined();
  expect((await money(id)).charges).toBe(17_000);
  // Years later the ceiling holds.
  const later = addDays(TODAY, 2_000);
  const last = (await propose(who, later))!;
  await transaction(db(), (tx) => bookDunning(tx, last.id, later, 3_000, null));
  expect((await money(id)).charges).toBe(300_000);
});

test('group 19 Must show 8: level 2 is not sent on the day of level 1; promised or disputed lines are not proposed', async () => {
  const project = await place();
  await levels(project, [3], [10]);
  const who = await payer();
  const id = await owe(project, who, addDays(TODAY, -30), 10_000);
  const first = (await propose(who))!;
  expect((await send(first.id)).message).toBe('');
  expect((await money(id)).level).toBe(1);
  expect(await propose(who)).toBeUndefined();
  const next = (await propose(who, addDays(TODAY, 1)))!;
  const [record] = await all<{ level: number; sum: number }>(
    'SELECT level, sum FROM receivable_dunning WHERE id = $1',
    [next.id],
  );
  expect(record).toEqual({ level: 2, sum: 10_000 });
  for (const change of [
    `promised_on = current_date + 1`,
    `promised_on = NULL, disputed = true, dispute_note = 'x'`,
  ]) {
    const other = await payer();
    const line = await owe(project, other, addDays(TODAY, -30), 10_000);
    await all(`UPDATE receivable SET ${change} WHERE id = $1`, [line]);
    expect(await propose(other)).toBeUndefined();
  }
  const broken = await payer();
  const line = await owe(project, broken, addDays(TODAY, -30), 10_000);
  await all('UPDATE receivable SET promised_on = $2 WHERE id = $1', [line, addDays(TODAY, -1)]);
  expect(await propose(broken)).toBeDefined();
});

test('what was paid or disputed since it was proposed is not asked for', async () => {
  const project = await place();
  await levels(project, [3, 500]);
  const who = await payer();
  const id = await owe(project, who, addDays(TODAY, -30), 10_000);
  const proposed = (await propose(who))!;
  await all(`UPDATE receivable SET disputed = true, dispute_note = 'x' WHERE id = $1`, [id]);
  expect((await send(proposed.id)).message).toBe('应收已收清、有争议或已承诺付款，请跳过');
  expect((await money(id)).charges).toBe(0);
  const skipped = await mall.call(collector, 'POST', `${DUNNING}/${proposed.id}/skip`, {
    reason: '争议处理中',
  });
  expect(skipped.http).toBe(200);
});

test('a statement opens and closes with what is owed', async () => {
  const project = await place();
  const who = await payer();
  const id = await owe(project, who, '2026-02-01', 10_000, '2026-01-10');
  await owe(project, who, '2026-04-01', 5_000, '2026-03-10');
  const { data } = await mall.call(
    collector,
    'GET',
    `/jinmao/web/receivable/${id}/statement?from=2026-03-01&to=2026-03-31`,
  );
  expect(data).toMatchObject({ opening: '100.00', closing: '150.00' });
  expect(data.entries).toHaveLength(1);
});
