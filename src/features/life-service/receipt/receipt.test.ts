import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decideApproval, NO_REQUEST } from '../../../domain/approval/approve.server.ts';
import { issueReceivable } from '../../../domain/receivable/receivable.server.ts';
import { payerOf } from '../../../domain/receivable/payer.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { receivable, RECEIVABLE_MENU } from '../receivable/receivable.contract.ts';
import { registration as receivables } from '../receivable/receivable.server.ts';
import { registration as ageing } from '../receivable-ageing/receivable-ageing.server.ts';
import { receipt, RECEIPT_MENU } from './receipt.contract.ts';
import { registration as receipts } from './receipt.server.ts';

const RECEIPT = '/jinmao/web/receipt';
const RECEIVABLE = '/jinmao/web/receivable';
let mall: Mall;
let clerk: Caller;
let second: Caller;
let northOnly: Caller;
let turn = 0;
const db = () => mall.platform.database.db;

beforeAll(async () => {
  mall = await openMall([receivables, receipts, ageing]);
  const platformId = (await runOne<{ id: number }>(db(), 'SELECT id FROM tenant WHERE kind = 3 LIMIT 1'))!.id;
  const elements = [receivable, receipt].flatMap((resource) =>
    Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)),
  );
  const make = async (name: string) =>
    callerOf(
      { staffId: await mall.staff(name, platformId), tenantId: platformId, tenantKind: 3 },
      [RECEIVABLE_MENU, RECEIPT_MENU],
      elements,
    );
  [clerk, second] = [await make('clerk'), await make('second')];
  northOnly = { ...(await make('north')), projectIds: [mall.ids.north] };
  // Who decides is asked from stored rights.
  await run(
    db(),
    `INSERT INTO group_member (group_id, staff_id) SELECT id, $1 FROM permission_group WHERE code = 'platform_admin' AND built_in`,
    [second.staffId],
  );
});
afterAll(() => mall.close());

/** Lines of a new payer: [due day, fen, charges]. */
async function owes(
  lines: readonly (readonly [due: string, fen: number, charges?: number])[],
  project = mall.ids.north,
) {
  turn++;
  const name = `付款人${turn}`;
  const ids = await transaction(db(), async (tx) => {
    const payerId = await payerOf(tx, { name });
    const made: string[] = [];
    for (const [index, [dueOn, principal, charges = 0]] of lines.entries()) {
      const id = await issueReceivable(tx, {
        source: 'package',
        sourceId: 10_000 + turn,
        payerId,
        projectId: project,
        periodNo: index + 1,
        postedOn: '2026-01-01',
        dueOn,
        principal,
      });
      if (charges > 0) {
        await run(
          tx,
          `INSERT INTO receivable_charge (receivable_id, kind, amount) VALUES ($1, 'dunning_fee', $2)`,
          [id, charges],
        );
        await run(tx, 'UPDATE receivable SET charges = $2 WHERE id = $1', [id, charges]);
      }
      made.push(String(id));
    }
    return made;
  });
  return { name, ids };
}

const record = (
  caller: Caller,
  name: string,
  amount: string,
  parts: readonly (readonly [id: string, amount: string])[],
  more: Record<string, unknown> = {},
) =>
  mall.call(caller, 'POST', RECEIPT, {
    payerTitle: name,
    project: String(mall.ids.north),
    method: 'cash',
    amount,
    receivedOn: '2026-01-02',
    allocations: parts.map(([id, part]) => ({ receivable: id, amount: part })),
    ...more,
  });
const row = async (root: string, id: string, caller = clerk) =>
  (await mall.call(caller, 'GET', `${root}/${id}`)).data;
async function act(caller: Caller, root: string, id: string, action: string, input: object = {}) {
  const { version } = await row(root, id, caller);
  return mall.call(caller, 'POST', `${root}/${id}/${action}`, { version, ...input });
}
const state = async (id: string) => {
  const one = await row(RECEIVABLE, id);
  return [one.state, one.balance];
};
const prepaid = async (name: string) =>
  (await runOne<{ balance: number }>(
    db(),
    `SELECT coalesce((SELECT l.balance FROM ledger_account l JOIN payer p ON p.id::text = split_part(l.owner, '@', 1) WHERE l.kind = 'life_prepaid' AND p.name = $1), 0)::bigint AS balance`,
    [name],
  ))!.balance;
async function broken(): Promise<string[]> {
  const problems: string[] = [];
  for (const one of receivables.invariants ?? []) problems.push(...(await one.check(mall.platform)).problems);
  return problems;
}

test('prepaid money of people of one name is kept company by company', async () => {
  for (const [index, project] of [mall.ids.north, mall.ids.south].entries())
    await run(
      db(),
      `WITH c AS (INSERT INTO tenant (kind, account, name) VALUES (1, $1, $1) RETURNING id) INSERT INTO tenant_project SELECT id, $2 FROM c`,
      [`payer-company-${index}`, project],
    );
  const here = await owes([['2026-10-01', 10_000]]);
  const made = await record(clerk, here.name, '150.00', [[here.ids[0]!, '100.00']]);
  expect((await act(second, RECEIPT, made.data.id, 'confirm')).message).toBe('');
  // The other company asks somebody of the same name.
  const there = await transaction(db(), async (tx) =>
    issueReceivable(tx, {
      source: 'manual',
      payerId: await payerOf(tx, { name: here.name }),
      projectId: mall.ids.south,
      postedOn: '2026-01-01',
      dueOn: '2026-10-01',
      principal: 5_000,
    }),
  );
  const own = await transaction(db(), async (tx) =>
    issueReceivable(tx, {
      source: 'manual',
      payerId: await payerOf(tx, { name: here.name }),
      projectId: mall.ids.north,
      postedOn: '2026-01-01',
      dueOn: '2026-10-01',
      principal: 5_000,
    }),
  );
  expect((await act(clerk, RECEIVABLE, String(there), 'prepaid', { amount: '30.00' })).message).toBe(
    '付款方没有预存余额',
  );
  expect((await act(clerk, RECEIVABLE, String(own), 'prepaid', { amount: '30.00' })).message).toBe('');
  expect(await prepaid(here.name)).toBe(2_000);
  expect(await broken()).toEqual([]);
});

test('group 19 Must show 2: 500.00 over two lines pays the first, the second keeps 166.67; 700.00 leaves 33.33 prepaid', async () => {
  const first = await owes([
    ['2026-10-01', 33_334],
    ['2026-11-01', 33_333],
  ]);
  const made = await record(clerk, first.name, '500.00', [
    [first.ids[0]!, '333.34'],
    [first.ids[1]!, '166.66'],
  ]);
  expect(made.http).toBe(200);
  expect((await act(second, RECEIPT, made.data.id, 'confirm')).http).toBe(200);
  expect([await state(first.ids[0]!), await state(first.ids[1]!)]).toEqual([
    ['paid', '0.00'],
    ['part', '166.67'],
  ]);
  const other = await owes([
    ['2026-10-01', 33_334],
    ['2026-11-01', 33_333],
  ]);
  const more = await record(clerk, other.name, '700.00', [
    [other.ids[0]!, '333.34'],
    [other.ids[1]!, '333.33'],
  ]);
  await act(second, RECEIPT, more.data.id, 'confirm');
  expect(await prepaid(other.name)).toBe(3_333);
  expect(await row(RECEIPT, more.data.id)).toMatchObject({ allocated: '666.67', toPrepaid: '33.33' });
  expect(await broken()).toEqual([]);
});

test('group 19 Must show 3: two receipts of 300.00 for one receivable of 300.00 confirmed at once, one is refused', async () => {
  const { name, ids } = await owes([['2026-10-01', 30_000]]);
  const both = [
    await record(clerk, name, '300.00', [[ids[0]!, '300.00']]),
    await record(clerk, name, '300.00', [[ids[0]!, '300.00']]),
  ];
  const answers = await Promise.all(both.map((one) => act(second, RECEIPT, one.data.id, 'confirm')));
  expect(answers.map((one) => one.http).sort()).toEqual([200, 409]);
  expect(answers.find((one) => one.http === 409)!.message).toBe('应收余额已变化，请重新分配');
  expect(await state(ids[0]!)).toEqual(['paid', '0.00']);
  expect(await prepaid(name)).toBe(0);
  expect(await broken()).toEqual([]);
});

test('group 19 Must show 4: the recorder does not confirm, another does; the reversal opens the receivable again', async () => {
  const { name, ids } = await owes([['2026-10-01', 10_000]]);
  const { id } = (await record(clerk, name, '120.00', [[ids[0]!, '100.00']])).data;
  const own = await act(clerk, RECEIPT, id, 'confirm');
  expect([own.http, own.status, own.message]).toEqual([409, 30_101, '不能确认自己登记的收款']);
  // Whoever recorded it sees no button, unless its project asks for one person only.
  expect((await row(RECEIPT, id)).actions).not.toContain('confirm');
  expect((await row(RECEIPT, id, second)).actions).toContain('confirm');
  await run(
    db(),
    `INSERT INTO setting_override (key, project_id, value) VALUES ('receipt.four_eyes', $1, 'false')`,
    [mall.ids.north],
  );
  expect((await row(RECEIPT, id)).actions).toContain('confirm');
  await run(db(), `DELETE FROM setting_override WHERE key = 'receipt.four_eyes'`);
  expect((await act(second, RECEIPT, id, 'confirm')).http).toBe(200);
  expect((await row(RECEIPT, id)).actions).toContain('print');
  expect([await state(ids[0]!), await prepaid(name)]).toEqual([['paid', '0.00'], 2_000]);
  const twice = await Promise.all([
    act(second, RECEIPT, id, 'reverse', { reason: '重复登记' }),
    act(second, RECEIPT, id, 'reverse', { reason: '重复登记' }),
  ]);
  expect(twice.map((one) => one.http).sort()).toEqual([200, 409]);
  expect([await state(ids[0]!), await prepaid(name)]).toEqual([['open', '100.00'], 0]);
  const paper = await act(clerk, RECEIPT, id, 'print');
  expect([paper.status, paper.message]).toEqual([30_101, '已冲销']);
  const list = await mall.call(clerk, 'GET', `${RECEIPT}/page?searchVal=${encodeURIComponent(name)}`);
  expect(list.data.rows.map((one: { amount: string }) => one.amount).sort()).toEqual(['-120.00', '120.00']);
  expect(await broken()).toEqual([]);
});

test('what was spent of the prepaid part keeps a receipt from being reversed', async () => {
  const { name, ids } = await owes([
    ['2026-10-01', 5_000],
    ['2026-11-01', 4_000],
  ]);
  const { id } = (await record(clerk, name, '80.00', [[ids[0]!, '50.00']])).data;
  await act(second, RECEIPT, id, 'confirm');
  const used = await act(clerk, RECEIVABLE, ids[1]!, 'prepaid', { amount: '30.00' });
  expect(used.http).toBe(200);
  expect([await state(ids[1]!), await prepaid(name)]).toEqual([['part', '10.00'], 0]);
  const refused = await act(second, RECEIPT, id, 'reverse', { reason: '退票' });
  expect([refused.http, refused.message]).toEqual([409, '预存余额不足']);
  expect(await state(ids[0]!)).toEqual(['paid', '0.00']);
  expect(await broken()).toEqual([]);
});

test('the form: slips count once, transfers need bank, slip and voucher, parts stay below balance and amount', async () => {
  const { name, ids } = await owes([['2026-10-01', 10_000]]);
  const transfer = await record(clerk, name, '10.00', [], { method: 'transfer' });
  expect(Object.keys(transfer.data.fields).sort()).toEqual(['bank', 'slipNo', 'vouchers']);
  const cheque = { method: 'cheque', bank: '工商银行', slipNo: `S${turn}` };
  const first = await record(clerk, name, '10.00', [], cheque);
  expect(first.http).toBe(200);
  const again = await record(clerk, name, '10.00', [], cheque);
  expect([again.http, again.message]).toEqual([
    409,
    `该流水号已登记：${(await row(RECEIPT, first.data.id)).code}`,
  ]);
  expect((await record(clerk, name, '90.00', [[ids[0]!, '100.00']])).data.fields).toEqual({
    allocations: '分配合计超过收款金额',
  });
  expect((await record(clerk, name, '200.00', [[ids[0]!, '100.01']])).data.fields.allocations).toMatch(
    /余额 100\.00，分配超出/,
  );
  expect(
    (await record(clerk, '别的付款人', '100.00', [[ids[0]!, '100.00']])).data.fields.allocations,
  ).toMatch(/付款方不同/);
  expect((await record(clerk, name, '1.00', [], { method: 'prepaid' })).http).toBe(422);
});

test('matching: the code in the note is exact, so is the amount of one line; else the payer is likely', async () => {
  const { name, ids } = await owes([
    ['2026-10-01', 10_000],
    ['2026-11-01', 20_000],
  ]);
  const { code } = await row(RECEIVABLE, ids[1]!);
  const matched = async (amount: string, more: object = {}) => {
    const { id } = (await record(clerk, name, amount, [], more as Record<string, unknown>)).data;
    expect((await act(clerk, RECEIPT, id, 'match')).http).toBe(200);
    const now = await row(RECEIPT, id);
    return [
      now.match,
      now.allocations.map((one: { receivable: { id: string }; amount: string }) => [
        ids.indexOf(one.receivable.id),
        one.amount,
      ]),
    ];
  };
  expect(await matched('50.00', { note: `付 ${code}` })).toEqual(['exact', [[1, '50.00']]]);
  expect(await matched('100.00')).toEqual(['exact', [[0, '100.00']]]);
  expect(await matched('300.00')).toEqual([
    'exact',
    [
      [0, '100.00'],
      [1, '200.00'],
    ],
  ]);
  expect(await matched('150.00')).toEqual([
    'likely',
    [
      [0, '100.00'],
      [1, '50.00'],
    ],
  ]);
});

test('waivers take charges only: small ones at once, larger ones by somebody else', async () => {
  const { ids } = await owes([['2026-10-01', 10_000, 25_000]]);
  const more = await act(clerk, RECEIVABLE, ids[0]!, 'waive', { amount: '250.01', reason: '协商一致' });
  expect([more.http, more.message]).toEqual([409, '减免不能超过未收费用']);
  expect((await act(clerk, RECEIVABLE, ids[0]!, 'waive', { amount: '50.00', reason: '协商一致' })).http).toBe(
    200,
  );
  expect(await state(ids[0]!)).toEqual(['open', '300.00']);
  expect(
    (await act(clerk, RECEIVABLE, ids[0]!, 'waive', { amount: '150.00', reason: '协商一致' })).http,
  ).toBe(200);
  expect(await state(ids[0]!)).toEqual(['open', '300.00']);
  const [request] = await run<{ kind: string; state: string; amount: number }>(
    db(),
    'SELECT kind, state, amount FROM receivable_request WHERE receivable_id = $1',
    [ids[0]],
  );
  expect(request).toEqual({ kind: 'waiver', state: 'waiting', amount: 15_000 });
  expect(await broken()).toEqual([]);
});

test('a manual receivable is put off only, and voided only while nothing came in', async () => {
  const made = await mall.call(clerk, 'POST', RECEIVABLE, {
    payerName: '临时付款方',
    project: String(mall.ids.north),
    reason: String(
      (await runOne<{ id: number }>(
        db(),
        `SELECT v.id FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = 'receivable_reason' AND v.parent_id IS NOT NULL LIMIT 1`,
      ))!.id,
    ),
    principal: '10.00',
    dueOn: '2040-01-10',
    disputed: false,
  });
  expect(made.message).toBe('');
  const change = async (input: object) =>
    mall.call(clerk, 'PUT', `${RECEIVABLE}/${made.data.id}`, {
      version: (await row(RECEIVABLE, made.data.id)).version,
      ...input,
    });
  expect((await change({ dueOn: '2040-01-09', changeReason: 'x' })).data.fields).toEqual({
    dueOn: '到期日只能延后',
  });
  expect((await change({ dueOn: '2040-01-11' })).data.fields).toEqual({ changeReason: '请填写延期原因' });
  expect((await change({ dueOn: '2040-01-11', changeReason: '客户申请' })).http).toBe(200);
  const receiptOf = await record(clerk, '临时付款方', '4.00', [[made.data.id, '4.00']]);
  await act(second, RECEIPT, receiptOf.data.id, 'confirm');
  expect((await act(clerk, RECEIVABLE, made.data.id, 'void', { reason: '录错' })).http).toBe(409);
  const issued = await owes([['2026-10-01', 1_000]]);
  const refused = await act(clerk, RECEIVABLE, issued.ids[0]!, 'void', { reason: '录错' });
  expect([refused.http, refused.message]).toEqual([409, '由来源单据决定，请修改来源']);
});

test('group 19 Must show 14 (lines): a collector of one project sees, counts and allocates nothing of another', async () => {
  const south = await owes([['2026-10-01', 7_777]], mall.ids.south);
  expect((await mall.call(northOnly, 'GET', `${RECEIVABLE}/${south.ids[0]}`)).http).toBe(404);
  const mine = await mall.call(northOnly, 'GET', `${RECEIVABLE}/page?limit=200`);
  expect(
    mine.data.rows.every((one: { project: { id: string } }) => one.project.id === String(mall.ids.north)),
  ).toBe(true);
  const refused = await record(northOnly, south.name, '77.77', [[south.ids[0]!, '77.77']]);
  expect(refused.data.fields).toEqual({ allocations: '应收不存在或不在您的范围' });
});

test('issued once per source and period, also when asked for five times at once', async () => {
  const payerId = await transaction(db(), (tx) => payerOf(tx, { name: '并发付款方' }));
  const ids = await Promise.all(
    Array.from({ length: 5 }, () =>
      transaction(db(), (tx) =>
        issueReceivable(tx, {
          source: 'package',
          sourceId: 99,
          payerId,
          projectId: mall.ids.north,
          periodNo: 1,
          postedOn: '2026-01-01',
          dueOn: '2026-01-01',
          principal: 1,
        }),
      ),
    ),
  );
  expect(new Set(ids).size).toBe(1);
});

test('group 19 Must show 11: a bank file of twenty rows imported twice makes twenty receipts; a code in the note is exact', async () => {
  const target = receipts.imports!.find((one) => one.source === 'bankReceipts')!;
  const call = { caller: clerk, platform: mall.platform, language: 'zh' as const };
  const { name, ids } = await owes([
    ['2026-10-01', 10_000],
    ['2026-11-01', 20_000],
  ]);
  const { code } = await row(RECEIVABLE, ids[1]!);
  turn++;
  const rows = Array.from({ length: 20 }, (_, index) => ({
    number: index + 2,
    values: {
      bank: '招商银行',
      slip: `B${turn}-${index}`,
      day: '2026-01-02',
      amount: index === 1 ? '100.00' : '1,234.50',
      payer: index === 1 || index === 2 ? name : `户名${turn}-${index}`,
      project: 'P1',
      note: index === 0 ? `代付 ${code.toLowerCase()}` : '',
    },
  }));
  expect(await target.check(call, rows)).toEqual([]);
  const load = () => transaction(db(), (tx) => target.commit(tx, call, rows));
  expect((await target.summary!(call, rows)).map((one) => one[0])).toEqual(['新增 20', '重复 0']);
  expect(await load()).toBe(20);
  expect((await target.summary!(call, rows)).map((one) => one[0])).toEqual(['新增 0', '重复 20']);
  expect(await Promise.all([load(), load()])).toEqual([0, 0]);
  const made = await run<{ slip: string; match: string; state: string; payer: string; parts: number }>(
    db(),
    `SELECT r.slip_no AS slip, r.match, r.state, y.name AS payer, (SELECT coalesce(sum(amount), 0)::bigint FROM receipt_allocation WHERE receipt_id = r.id) AS parts
       FROM receipt r JOIN payer y ON y.id = r.payer_id WHERE r.slip_no LIKE $1 ORDER BY r.id`,
    [`B${turn}-%`],
  );
  expect(made).toHaveLength(20);
  expect(made.slice(0, 4).map((one) => [one.match, one.payer, one.parts, one.state])).toEqual([
    ['exact', name, 20_000, 'to_confirm'],
    ['exact', name, 10_000, 'to_confirm'],
    ['likely', name, 30_000, 'to_confirm'],
    ['none', `户名${turn}-3`, 0, 'to_confirm'],
  ]);
  const wrong = rows.slice(0, 4).map((one, index) => ({
    ...one,
    values: {
      ...one.values,
      ...[{ day: '2026-02-30' }, { amount: '1.234' }, { project: '别处' }, { slip: rows[0]!.values.slip }][
        index
      ],
    },
  }));
  expect((await target.check(call, wrong)).map((one) => one.column)).toEqual([
    'day',
    'amount',
    'project',
    'slip',
  ]);
  const elsewhere = { ...call, caller: { ...northOnly, projectIds: [mall.ids.south] } };
  expect((await target.check(elsewhere, rows)).map((one) => one.column)).toEqual(rows.map(() => 'project'));
});

test('group 19 Must show 12: written off by somebody else it leaves the ageing; 300.00 that come later open it again', async () => {
  const { name, ids } = await owes([['2026-01-05', 80_000]]);
  const total = async () =>
    Number(
      (await mall.call(clerk, 'GET', `/jinmao/web/receivableAgeing?asOf=${businessDayOf(new Date())}`)).data
        .sums.total,
    );
  const before = await total();
  const id = randomUUID();
  await run(
    db(),
    `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access, owner_id) VALUES ($1::uuid, 'a.pdf', 'application/pdf', 1, '\\x00', $1::uuid::text, 'private', $2)`,
    [id, clerk.staffId],
  );
  const asked = await act(clerk, RECEIVABLE, ids[0]!, 'writeOff', { reason: '无法联系', evidence: [id] });
  expect([asked.message, asked.data?.fields]).toEqual(['', undefined]);
  expect((await state(ids[0]!))[0]).toBe('open');
  const waiting = (await runOne<{ id: number }>(
    db(),
    `SELECT id FROM receivable_request WHERE receivable_id = $1 AND state = 'waiting'`,
    [ids[0]],
  ))!;
  await transaction(db(), (tx) =>
    decideApproval(tx, mall.platform, {
      kind: 'bad_debt',
      bizId: waiting.id,
      caller: second,
      facts: NO_REQUEST,
      approved: true,
      opinion: '同意',
    }),
  );
  expect(await state(ids[0]!)).toEqual(['written_off', '0.00']);
  expect(await total()).toBeCloseTo(before - 800, 2);
  const recorded = await record(clerk, name, '300.00', [[ids[0]!, '300.00']]);
  expect((await act(second, RECEIPT, recorded.data.id, 'confirm')).http).toBe(200);
  expect(await state(ids[0]!)).toEqual(['part', '500.00']);
  const told = await run(
    db(),
    `SELECT to_jsonb(t) AS t FROM entity_event t WHERE entity = 'receivable' AND entity_id = $1`,
    [ids[0]],
  );
  expect(JSON.stringify(told)).toContain('坏账收回');
});

test('whoever changed what a receipt says does not confirm it either', async () => {
  const payer = await owes([['2026-10-01', 100_000]]);
  const made = await record(clerk, payer.name, '10.00', [[payer.ids[0]!, '10.00']]);
  const id = String(made.data.id);
  const edit = async (caller: Caller, body: object) =>
    mall.call(caller, 'PUT', `${RECEIPT}/${id}`, { version: (await row(RECEIPT, id)).version, ...body });
  expect((await edit(second, { note: '补充' })).message).toBe('');
  const more = { amount: '1000.00', allocations: [{ receivable: payer.ids[0]!, amount: '1000.00' }] };
  expect((await edit(second, more)).message).toBe('');
  expect((await act(second, RECEIPT, id, 'confirm')).message).toBe('不能确认自己登记的收款');
  expect((await act(clerk, RECEIPT, id, 'confirm')).message).toBe('不能确认自己登记的收款');
  const third = { ...second, staffId: await mall.staff('third', second.tenantId) };
  expect((await act(third, RECEIPT, id, 'confirm')).message).toBe('');
});

test('small waivers of one receivable add up: the approval is not passed in pieces', async () => {
  const payer = await owes([['2026-10-01', 100_000, 90_000]]);
  const limit = await runOne<{ value: number }>(
    db(),
    `SELECT coalesce((SELECT value::text::bigint FROM setting WHERE key = 'receivable.waive_approval_fen'), 0) AS value`,
  );
  const free = limit!.value || mall.platform.settings.defaultOf('receivable.waive_approval_fen');
  const piece = (Number(free) / 100).toFixed(2);
  const waive = () => act(clerk, RECEIVABLE, payer.ids[0]!, 'waive', { amount: piece, reason: '协商减免' });
  expect((await waive()).message).toBe('');
  const after = await row(RECEIVABLE, payer.ids[0]!);
  expect((await waive()).message).toBe('');
  expect((await row(RECEIVABLE, payer.ids[0]!)).balance).toBe(after.balance);
  expect(await broken()).toEqual([]);
});
