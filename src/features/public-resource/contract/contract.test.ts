import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueDue } from '../../../domain/contract/contract-money.server.ts';
import { remindContracts, renewDue } from '../../../domain/contract/contract-jobs.server.ts';
import { confirmReceipt } from '../../../domain/receivable/receipt.server.ts';
import { addMonths } from '../../../domain/contract/plan.rules.ts';
import { elementCode, elementsOf, type ResourceSpec } from '../../../kernel/contract/resource.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { receivable, RECEIVABLE_MENU } from '../../life-service/receivable/receivable.contract.ts';
import { registration as merchants } from '../../service-resources/merchant-list/merchant-list.server.ts';
import { registration as places } from '../../base-data/places/places.server.ts';
import { registration as people } from '../../admin-sys/staff/staff.server.ts';
import { registration as receivables } from '../../life-service/receivable/receivable.server.ts';
import { receipt, RECEIPT_MENU } from '../../life-service/receipt/receipt.contract.ts';
import { registration as receipts } from '../../life-service/receipt/receipt.server.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { contract, contractMine, contractPayment, LEDGER, MINE, RUN } from './contract.contract.ts';
import { registration as mines } from './contract-mine.server.ts';
import { registration as payments } from './contract-payment.server.ts';
import { registration as runs } from './contract-run.server.ts';
import { registration as contracts } from './contract.server.ts';

const ROOT = '/jinmao/web/contractMine';
const ALL = '/jinmao/web/contract';
const LINES = '/jinmao/web/contractPayment';
let mall: Mall;
let clerk: Caller;
let other: Caller;
let boss: Caller;
let southOnly: Caller;
let turn = 0;
let kind: number;
let endReason: number;
const db = () => mall.platform.database.db;
const today = () => businessDayOf(new Date());
const all = <T extends object>(text: string, values: unknown[] = []) => run<T>(db(), text, values);
const one = async <T extends object>(text: string, values: unknown[] = []) =>
  (await runOne<T>(db(), text, values))!;

beforeAll(async () => {
  mall = await openMall([contracts, mines, runs, payments, receivables, receipts, merchants, places, people]);
  const platformId = (await one<{ id: number }>('SELECT id FROM tenant WHERE kind = 3 LIMIT 1')).id;
  const elements = (
    [contract, contractMine, contractPayment, receivable, receipt] as unknown as ResourceSpec[]
  ).flatMap((resource) => Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)));
  const make = async (name: string) =>
    callerOf(
      { staffId: await mall.staff(name, platformId), tenantId: platformId, tenantKind: 3 },
      [LEDGER, MINE, RUN, RECEIVABLE_MENU, RECEIPT_MENU],
      elements,
    );
  [clerk, other, boss] = [await make('clerk'), await make('other'), await make('boss')];
  southOnly = { ...(await make('south')), projectIds: [mall.ids.south] };
  // Who decides is asked from stored rights.
  await all(
    `INSERT INTO group_member (group_id, staff_id) SELECT id, $1 FROM permission_group WHERE code = 'platform_admin' AND built_in`,
    [boss.staffId],
  );
  const value = (dictionary: string) =>
    one<{ id: number }>(
      `SELECT v.id FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = $1 AND v.parent_id IS NOT NULL ORDER BY v.view_sort LIMIT 1`,
      [dictionary],
    );
  [kind, endReason] = [(await value('contract_kind')).id, (await value('contract_end_reason')).id];
});
afterAll(() => mall.close());

async function place(code = `GG-${++turn}`, project = mall.ids.north) {
  return (
    await one<{ id: number }>(
      `INSERT INTO position (code, name, project_id, type_id, list_price) SELECT $1, $1, $2, min(v.id), 300000 FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id
        WHERE r.code = 'position_type' AND v.parent_id IS NOT NULL RETURNING id`,
      [code, project],
    )
  ).id;
}
const form = (position: number | undefined, startsOn: string, endsOn: string, more: object = {}) => ({
  name: `测试合同${++turn}`,
  direction: 'income',
  kind: String(kind),
  project: String(mall.ids.north),
  partyName: `测试乙方${turn}`,
  startsOn,
  endsOn,
  priceBasis: 'month',
  payInterval: '1',
  payTiming: 'prepaid',
  dueOffset: 0,
  prorate: 'actual_month',
  positions: position === undefined ? [] : [{ place: String(position), price: '3000.00' }],
  ...more,
});
const add = (body: object, who = clerk) => mall.call(who, 'POST', ROOT, body);
async function added(body: object, who = clerk): Promise<string> {
  const made = await add(body, who);
  expect([made.http, made.message, made.data?.fields]).toEqual([200, '', undefined]);
  return String(made.data.id);
}
const read = async (id: string, root = ALL, who = clerk) =>
  (await mall.call(who, 'GET', `${root}/${id}`)).data;
async function act(id: string, action: string, input: object = {}, who = clerk, root = ROOT) {
  const { version } = await one<{ version: number }>(
    `SELECT version FROM ${root === LINES ? 'contract_payment' : 'contract'} WHERE id = $1`,
    [id],
  );
  return mall.call(who, 'POST', `${root}/${id}/${action}`, { version, ...input });
}
async function approved(body: object): Promise<string> {
  const id = await added(body);
  expect((await act(id, 'submit')).message).toBe('');
  expect((await act(id, 'approve', {}, boss, ALL)).message).toBe('');
  return id;
}
const lines = (id: string) =>
  all<{
    id: number;
    no: number;
    kind: string;
    amount: number;
    state: string;
    receivable_id: number | null;
    adjusts: number | null;
  }>(
    `SELECT p.id, p.no, p.kind, p.amount, p.state, p.receivable_id, a.no AS adjusts FROM contract_payment p LEFT JOIN contract_payment a ON a.id = p.adjusts_id
      WHERE p.contract_id = $1 ORDER BY p.no`,
    [id],
  );
const taken = (position: number) =>
  all<{ kind: string; from: string; to: string }>(
    `SELECT kind, from_on::text AS from, to_on::text AS to FROM position_occupancy WHERE position_id = $1 AND released_at IS NULL ORDER BY from_on`,
    [position],
  );
async function broken(): Promise<string[]> {
  const problems: string[] = [];
  for (const rule of [...(contracts.invariants ?? []), ...(receivables.invariants ?? [])])
    problems.push(...(await rule.check(mall.platform)).problems);
  return problems;
}
/** Decides the change that waits. */
async function decideChange(id: string, kindOf = 'contract_change') {
  const { decideApproval, NO_REQUEST } = await import('../../../domain/approval/approve.server.ts');
  const { id: change } = await one<{ id: number }>(
    `SELECT id FROM contract_change WHERE contract_id = $1 AND state = 'in_review'`,
    [id],
  );
  return transaction(db(), (tx) =>
    decideApproval(tx, mall.platform, {
      kind: kindOf,
      bizId: change,
      caller: boss,
      facts: NO_REQUEST,
      approved: true,
      opinion: '',
    }),
  );
}
/** Money that comes in for a receivable, confirmed. */
async function receive(receivableId: number, amount: number): Promise<void> {
  await transaction(db(), async (tx) => {
    const row = (await runOne<{ id: number; payer_id: number }>(
      tx,
      `INSERT INTO receipt (code, payer_id, project_id, method, amount, received_on) SELECT 'RCT' || id, payer_id, project_id, 'cash', $2, current_date FROM receivable WHERE id = $1 RETURNING id, payer_id`,
      [receivableId, amount],
    ))!;
    await run(tx, 'INSERT INTO receipt_allocation (receipt_id, receivable_id, amount) VALUES ($1, $2, $3)', [
      row.id,
      receivableId,
      amount,
    ]);
    const done = await confirmReceipt(tx, { ...row, method: 'cash', amount }, 'principal_first', null);
    await run(
      tx,
      `UPDATE receipt SET state = 'confirmed', confirmed_at = now(), allocated = $2, to_prepaid = $3 WHERE id = $1`,
      [row.id, done.allocated, done.to_prepaid],
    );
  });
}

describe('drafts', () => {
  test('group 17 Must show 1: the stored plan has twelve lines and comes to 35,477.42', async () => {
    const position = await place();
    const id = await added(
      form(position, '2026-01-15', '2026-12-31', {
        steps: [{ fromMonth: 7, kind: 'percent', rate: '5.00' }],
      }),
    );
    const plan = await lines(id);
    expect([plan.length, plan[0]!.amount, plan[6]!.amount, plan[11]!.amount]).toEqual([
      12, 300_000, 315_000, 172_742,
    ]);
    expect((await read(id)).amount).toBe('35477.42');
    const free = await mall.call(clerk, 'PUT', `${ROOT}/${id}`, {
      version: (await read(id)).version,
      freePeriods: [{ fromOn: '2026-01-15', toOn: '2026-01-29' }],
    });
    expect(free.message).toBe('');
    expect((await lines(id))[0]!.amount).toBe(154_839);
    expect(await broken()).toEqual([]);
  });

  test('what is wrong is said at its field; an income contract is not handed in without a position', async () => {
    const position = await place();
    const [from, to] = ['2027-01-01', '2027-12-31'];
    for (const [more, field] of [
      [{ endsOn: '2026-12-31' }, 'endsOn'],
      [{ endsOn: '2047-01-01' }, 'endsOn'],
      [{ partyName: undefined }, 'partyName'],
      [{ freePeriods: [{ fromOn: '2026-12-01', toOn: '2027-01-05' }] }, 'freePeriods'],
      [{ positions: [{ place: String(position), fromOn: '2026-12-01', price: '1.00' }] }, 'positions'],
      [{ steps: [{ fromMonth: 3, kind: 'percent' }] }, 'steps'],
      [{ manualLines: [{ no: 13, amount: '1.00', reason: '协商' }] }, 'manualLines'],
    ] as const) {
      const refused = await add(form(position, from, to, more));
      expect([refused.http, Object.keys(refused.data.fields)]).toEqual([422, [field]]);
    }
    const id = await added(form(undefined, from, to, { price: '100.00' }));
    const refused = await act(id, 'submit');
    expect([refused.http, Object.keys(refused.data.fields)]).toEqual([422, ['positions']]);
    const hand = await added(
      form(position, from, to, { manualLines: [{ no: 2, amount: '2500.00', reason: '协商' }] }),
    );
    expect((await lines(hand))[1]!.amount).toBe(250_000);
    expect((await read(hand)).amount).toBe('35500.00');
  });

  test('group 17 Must show 2: two clerks hand in for one position at the same moment: one is in review, the other is told position and dates', async () => {
    const code = `GG-012-${++turn}`;
    const position = await place(code);
    const first = await added(form(position, '2027-03-01', '2027-05-31'));
    const second = await added(form(position, '2027-05-31', '2027-06-30'), other);
    const answers = await Promise.all([act(first, 'submit'), act(second, 'submit', {}, other)]);
    expect(answers.map((answer) => answer.http).sort()).toEqual([200, 409]);
    const refused = answers.find((answer) => answer.http === 409)!;
    expect(refused.status).toBe(30_101);
    expect(refused.message).toMatch(
      new RegExp(`^点位 ${code} 在 2027-0[35]-(01|31) 至 2027-0[56]-3[01] 已被合同 CT\\d+ 占用$`),
    );
    const states = await all<{ state: string }>('SELECT state FROM contract WHERE id = ANY($1::bigint[])', [
      [first, second],
    ]);
    expect(states.map((row) => row.state).sort()).toEqual(['draft', 'in_review']);
    const third = await added(form(position, '2027-07-01', '2027-07-31'));
    expect((await act(third, 'submit')).message).toBe('');
    expect(await taken(position)).toHaveLength(2);
  });

  test('group 17 Must show 9: withdrawn it is a draft, its holds are gone, another is handed in at once', async () => {
    const position = await place();
    const id = await added(form(position, '2027-01-01', '2027-03-31'));
    await act(id, 'submit');
    expect((await taken(position)).map((row) => row.kind)).toEqual(['hold']);
    const locked = await mall.call(clerk, 'PUT', `${ROOT}/${id}`, {
      version: (await read(id)).version,
      name: '改名',
    });
    expect([locked.http, locked.status]).toEqual([409, 30_101]);
    expect((await act(id, 'withdraw')).message).toBe('');
    expect((await read(id)).state).toBe('draft');
    expect(await taken(position)).toEqual([]);
    const next = await added(form(position, '2027-01-01', '2027-03-31'), other);
    expect((await act(next, 'submit', {}, other)).message).toBe('');
  });

  test('own holds are taken over, those of others are not', async () => {
    const position = await place();
    const hold = (staff: number) =>
      all(
        `INSERT INTO position_occupancy (position_id, kind, from_on, to_on, holder_id, expires_at) VALUES ($1, 'hold', '2027-02-01', '2027-02-10', $2, now() + interval '3 days')`,
        [position, staff],
      );
    await hold(clerk.staffId);
    const id = await added(form(position, '2027-01-01', '2027-03-31'), other);
    expect((await act(id, 'submit', {}, other)).message).toMatch(/在 2027-02-01 至 2027-02-10 已被占用$/);
    const own = await added(form(position, '2027-01-01', '2027-03-31'));
    expect((await act(own, 'submit')).message).toBe('');
    expect(await taken(position)).toEqual([{ kind: 'hold', from: '2027-01-01', to: '2027-03-31' }]);
  });

  test('approved it lets its positions and has its first version; whoever drafted it does not approve', async () => {
    const position = await place();
    const id = await added(form(position, '2027-01-01', '2027-12-31'));
    await act(id, 'submit');
    expect((await act(id, 'approve', {}, clerk, ALL)).http).toBe(409);
    expect((await act(id, 'approve', { opinion: '同意' }, boss, ALL)).message).toBe('');
    const row = await read(id);
    expect([row.state, row.marks, row.versions.length]).toEqual(['active', ['coming', 'unsigned'], 1]);
    expect((await taken(position)).map((each) => each.kind)).toEqual(['lease']);
    const rejected = await added(form(position, '2028-01-01', '2028-12-31'));
    await act(rejected, 'submit');
    await act(rejected, 'reject', { opinion: '价格过低' }, boss, ALL);
    expect((await read(rejected)).state).toBe('rejected');
    expect(await taken(position)).toHaveLength(1);
    expect((await act(rejected, 'submit')).message).toBe('');
  });

  test('group 17 Must show 13: another project is 404, and its contract is not named in a conflict', async () => {
    const position = await place();
    const id = await approved(form(position, '2027-01-01', '2027-12-31'));
    for (const root of [ALL, ROOT, '/jinmao/web/contractRun'])
      expect((await mall.call(southOnly, 'GET', `${root}/${id}`)).http).toBe(404);
    const { takenText } = await import('../../../domain/contract/contract-occupancy.server.ts');
    const { code } = await one<{ code: string }>('SELECT code FROM contract WHERE id = $1', [id]);
    const told = (who: Caller) =>
      transaction(db(), (tx) =>
        takenText(tx, who, 'GG', {
          from: '2027-01-01',
          to: '2027-12-31',
          contract_id: Number(id),
          contract_code: code,
        }),
      );
    expect((await told(southOnly))[0]).toBe('点位 GG 在 2027-01-01 至 2027-12-31 已被占用');
    expect((await told(clerk))[0]).toContain(code);
  });
});

describe('who does what', () => {
  test('those who take part in a contract look on: handing in, changes, renewal and termination are its owner’s', async () => {
    const position = await place();
    const draft = await added(
      form(position, '2029-01-01', '2029-12-31', { participants: [String(other.staffId)] }),
    );
    expect((await read(draft, ROOT, other)).actions).not.toContain('submit');
    const refused = await act(draft, 'submit', {}, other);
    expect([refused.http, refused.message]).toEqual([409, '只有负责人可以操作']);
    await act(draft, 'submit');
    await act(draft, 'approve', {}, boss, ALL);
    for (const [action, input] of [
      ['changeTerm', { endsOn: '2030-03-31', reason: '延长' }],
      ['terminate', { effectiveOn: '2029-02-01', endReason: String(endReason) }],
      ['renew', { endsOn: '2030-12-31' }],
    ] as const)
      expect((await act(draft, action, input, other)).message).toBe('只有负责人可以操作');
  });

  test('a draft is deleted by its owner, not by who takes part in it', async () => {
    const draft = await added(
      form(await place(), '2029-01-01', '2029-12-31', { participants: [String(other.staffId)] }),
    );
    expect((await read(draft, ROOT, other)).actions).not.toContain('remove');
    const refused = await mall.call(other, 'DELETE', `${ROOT}/${draft}`);
    expect([refused.http, refused.message]).toEqual([409, '只有负责人可以操作']);
    expect((await mall.call(clerk, 'DELETE', `${ROOT}/${draft}`)).http).toBe(200);
  });

  test('handed over, what is still open is collected by the new owner', async () => {
    const start = addMonths(today(), -1);
    const id = await approved(form(await place(), start, addDays(addMonths(start, 12), -1)));
    await issueDue(mall.platform, today());
    const [first] = await lines(id);
    await receive(first!.receivable_id!, 300_000);
    expect((await act(id, 'transferOwner', { owner: String(other.staffId) }, clerk, ALL)).message).toBe('');
    const owners = await all<{ state: string; owner_id: number }>(
      `SELECT state, owner_id FROM receivable WHERE source_kind = 'contract' AND source_id = $1 ORDER BY period_no`,
      [id],
    );
    expect(owners).toEqual([
      { state: 'paid', owner_id: clerk.staffId },
      { state: 'open', owner_id: other.staffId },
    ]);
  });

  test('a rent below the floor price is told to the process: in some month, by day, of a term, by a change', async () => {
    const position = await place();
    await all('UPDATE position SET floor_price = 280000 WHERE id = $1', [position]);
    const kinds = new Map(contracts.approvals!.map((each) => [each.kind, each]));
    const below = async (more: object) => {
      const id = await added(form(position, '2031-01-01', '2031-12-31', more));
      return (await kinds.get('contract')!.facts!(db(), Number(id))).below_floor;
    };
    const at = (price: string) => ({ positions: [{ place: String(position), price }] });
    expect(await below({})).toBe(false);
    expect(await below(at('2799.99'))).toBe(true);
    expect(await below({ steps: [{ fromMonth: 12, kind: 'percent', rate: '-10.00' }] })).toBe(true);
    expect(await below({ priceBasis: 'day', ...at('92.06') })).toBe(false);
    expect(await below({ priceBasis: 'day', ...at('92.05') })).toBe(true);
    expect(await below({ priceBasis: 'whole', ...at('33599.00') })).toBe(true);
    const start = addMonths(today(), -1);
    const running = await approved(form(position, start, addDays(addMonths(start, 12), -1)));
    await act(running, 'changePrice', {
      newSteps: [{ fromMonth: 4, kind: 'set', amount: '2700.00' }],
      reason: '调价',
    });
    const change = await one<{ id: number }>('SELECT id FROM contract_change WHERE contract_id = $1', [
      running,
    ]);
    expect((await kinds.get('contract_change')!.facts!(db(), change.id)).below_floor).toBe(true);
    expect((await kinds.get('contract')!.facts!(db(), Number(running))).below_floor).toBe(false);
  });

  test('contracts and their lines are found by a part of party B, also of a client that was renamed', async () => {
    const client = await one<{ id: number }>(
      `INSERT INTO client (code, name, plain_name, industry_id, source_id, pool_since) SELECT 'CL-T' || $1, '滨江广告传媒', '滨江广告', min(id), min(id), now() FROM biz_dict RETURNING id`,
      [`${++turn}`],
    );
    const id = await approved(form(await place(), '2032-01-01', '2032-12-31'));
    await all(`UPDATE contract SET client_id = $2, party_name = '' WHERE id = $1`, [id, client.id]);
    const found = async (path: string) =>
      (await mall.call(clerk, 'GET', path)).data.rows.map(
        (row: { id: string; contract?: { id: string } }) => row.contract?.id ?? row.id,
      );
    expect(await found(`${ALL}/page?searchVal=${encodeURIComponent('江广告')}`)).toEqual([id]);
    await all(`UPDATE client SET name = '江南映像' WHERE id = $1`, [client.id]);
    expect(await found(`${ALL}/page?searchVal=${encodeURIComponent('南映像')}`)).toEqual([id]);
    expect([...new Set(await found(`${LINES}/page?party=${encodeURIComponent('南映')}`))]).toEqual([id]);
  });
});

describe('execution', () => {
  /** A contract of twelve months that began so many months ago. */
  const running = async (monthsAgo: number, more: object = {}) => {
    const start = addMonths(today(), -monthsAgo);
    const position = await place();
    const id = await approved(form(position, start, addDays(addMonths(start, 12), -1), more));
    return { id, position, start };
  };

  test('group 17 Must show 11: lines issued twice on one day, by two runs at once, are one receivable each', async () => {
    const { id } = await running(2);
    const until = addDays(today(), 30);
    await Promise.all([issueDue(mall.platform, until), issueDue(mall.platform, until)]);
    await issueDue(mall.platform, until);
    const issued = (await lines(id)).filter((line) => line.state === 'issued');
    const made = await all<{ n: number }>(
      `SELECT count(*)::int AS n FROM receivable WHERE source_kind = 'contract' AND source_id = $1`,
      [id],
    );
    expect(made[0]!.n).toBe(issued.length);
    expect(issued.length).toBeGreaterThanOrEqual(3);
    expect(new Set(issued.map((line) => line.receivable_id)).size).toBe(issued.length);
    // By hand once more: refused; the next line ahead of its time: issued.
    expect((await act(String(issued[0]!.id), 'issue', {}, clerk, LINES)).http).toBe(409);
    const next = (await lines(id)).find((line) => line.state === 'planned')!;
    expect((await act(String(next.id), 'issue', {}, clerk, LINES)).message).toBe('');
    expect(await broken()).toEqual([]);
  });

  test('group 19 Must show 13: a line issued here is collected by a receipt; the list shows it settled with the code of the receipt', async () => {
    const body = form(await place(), addDays(today(), 1), addDays(today(), 89));
    const id = await approved(body);
    const [line] = await lines(id);
    const shown = async () =>
      (await mall.call(clerk, 'GET', `${LINES}/page?contract=${id}&limit=50`)).data.rows.find(
        (row: { id: string }) => row.id === String(line!.id),
      );
    expect((await act(String(line!.id), 'issue', {}, clerk, LINES)).message).toBe('');
    expect(await shown()).toMatchObject({ state: 'issued', receiptCode: null });
    const collect = async (amount: string, recorder = clerk, confirmer = other) => {
      const { receivable_id: owed } = (await lines(id)).find((one) => one.id === line!.id)!;
      const made = await mall.call(recorder, 'POST', '/jinmao/web/receipt', {
        payerTitle: body.partyName,
        project: String(mall.ids.north),
        method: 'cash',
        amount,
        receivedOn: today(),
        allocations: [{ receivable: String(owed), amount }],
      });
      expect([made.message, made.data?.fields]).toEqual(['', undefined]);
      const confirmed = await mall.call(confirmer, 'POST', `/jinmao/web/receipt/${made.data.id}/confirm`, {
        version: made.data.version,
      });
      expect(confirmed.message).toBe('');
      return one<{ code: string; id: number; version: number }>(
        'SELECT id, code, version FROM receipt WHERE id = $1',
        [made.data.id],
      );
    };
    const half = await collect('1000.00');
    expect(await shown()).toMatchObject({ state: 'part', receiptCode: half.code });
    const rest = await collect(((line!.amount - 100_000) / 100).toFixed(2));
    expect(await shown()).toMatchObject({
      state: 'paid',
      balance: '0.00',
      receiptCode: [half.code, rest.code].sort().join('、'),
    });
    expect(contractPayment.states!.paid!.label[0]).toBe('已结清');
    // Taken back, the line is open again and no longer names it.
    const { version } = await one<{ version: number }>('SELECT version FROM receipt WHERE id = $1', [
      rest.id,
    ]);
    const back = await mall.call(other, 'POST', `/jinmao/web/receipt/${rest.id}/reverse`, {
      version,
      reason: '退票',
    });
    expect(back.message).toBe('');
    expect(await shown()).toMatchObject({ state: 'part', receiptCode: half.code });
    expect(await broken()).toEqual([]);
  });

  test('part and paid of a line are those of its receivable', async () => {
    const { id } = await running(0);
    await issueDue(mall.platform, today());
    const [first] = await lines(id);
    await receive(first!.receivable_id!, 100_000);
    expect((await lines(id))[0]!.state).toBe('part');
    expect((await read(id)).received).toBe('1000.00');
    expect(await broken()).toEqual([]);
  });

  test('group 17 Must show 10: terminated in its ninth month, what was issued gets its difference, the rest is void, the position is free', async () => {
    const start = addDays(addMonths(today(), -8), -5);
    const position = await place();
    const id = await approved(
      form(position, start, addDays(addMonths(start, 12), -1), {
        steps: [{ fromMonth: 7, kind: 'percent', rate: '5.00' }],
      }),
    );
    // Nine months and the tenth are issued; the ninth is paid.
    await issueDue(mall.platform, addMonths(start, 9));
    const before = await lines(id);
    await receive(before[8]!.receivable_id!, 315_000);
    const last = today();
    expect(
      (await act(id, 'terminate', { effectiveOn: last, endReason: String(endReason), reason: '协商解除' }))
        .message,
    ).toBe('');
    await decideChange(id, 'contract_terminate');
    const after = await lines(id);
    const month = addMonths(start, 8);
    const whole = Math.round((Date.parse(addMonths(start, 9)) - Date.parse(month)) / 86_400_000);
    const charged = Math.round((Date.parse(last) - Date.parse(month)) / 86_400_000) + 1;
    const kept = Math.round((315_000 * charged) / whole);
    expect(after.slice(8).map((line) => [line.kind, line.amount, line.state, line.adjusts])).toEqual([
      ['rent', 315_000, 'paid', null],
      ['rent', 315_000, 'void', null],
      ['rent', 315_000, 'void', null],
      ['rent', 315_000, 'void', null],
      ['adjustment', kept - 315_000, 'paid', 9],
    ]);
    const asked = await one<{ principal: number; charges: number; received: number; state: string }>(
      'SELECT principal, charges, received, state FROM receivable WHERE id = $1',
      [before[8]!.receivable_id],
    );
    expect(asked).toEqual({ principal: 315_000, charges: kept - 315_000, received: kept, state: 'paid' });
    expect(
      (await one<{ state: string }>('SELECT state FROM receivable WHERE id = $1', [before[9]!.receivable_id]))
        .state,
    ).toBe('void');
    expect(await taken(position)).toEqual([{ kind: 'lease', from: start, to: last }]);
    const row = await read(id);
    expect([row.state, row.terminatedOn, row.versions.length]).toEqual(['terminated', last, 2]);
    // What had been received above stands prepaid.
    const prepaid = await one<{ balance: number }>(
      `SELECT l.balance FROM ledger_account l JOIN receivable r ON l.owner = prepaid_owner(r.payer_id, r.project_id) WHERE l.kind = 'life_prepaid' AND r.id = $1`,
      [before[8]!.receivable_id],
    );
    expect(prepaid.balance).toBe(315_000 - kept);
    expect(await broken()).toEqual([]);
  });

  test('a longer term holds the new days from the moment it is handed in; one change at a time', async () => {
    const { id, position, start } = await running(1);
    const end = addDays(addMonths(start, 12), -1);
    const longer = addMonths(end, 3);
    expect((await act(id, 'changeTerm', { endsOn: longer, reason: '延长' })).message).toBe('');
    expect((await taken(position)).map((row) => [row.kind, row.to])).toEqual([
      ['lease', end],
      ['hold', longer],
    ]);
    expect((await act(id, 'changeTerm', { endsOn: longer, reason: '延长' })).message).toBe(
      '已有进行中的变更',
    );
    expect((await act(id, 'withdrawChange')).message).toBe('');
    expect(await taken(position)).toHaveLength(1);
    await act(id, 'changeTerm', { endsOn: longer, reason: '延长' });
    await decideChange(id);
    expect((await taken(position)).map((row) => row.kind)).toEqual(['lease', 'lease']);
    const row = await read(id);
    expect([row.endsOn, row.versions.length, row.state]).toEqual([longer, 2, 'active']);
    expect((await lines(id)).filter((line) => line.state !== 'void').length).toBeGreaterThanOrEqual(15);
    expect(await broken()).toEqual([]);
  });

  test('a new price rebuilds what is not issued yet, an issued line gets the difference', async () => {
    const { id } = await running(1);
    await issueDue(mall.platform, today());
    expect(
      (
        await act(id, 'changePrice', {
          newSteps: [{ fromMonth: 2, kind: 'set', amount: '3300.00' }],
          reason: '调价',
        })
      ).message,
    ).toBe('');
    await decideChange(id);
    const now = await lines(id);
    expect(now.slice(0, 3).map((line) => [line.amount, line.state])).toEqual([
      [300_000, 'issued'],
      [300_000, 'issued'],
      [330_000, 'planned'],
    ]);
    expect(now.at(-1)).toMatchObject({ kind: 'adjustment', amount: 30_000, adjusts: 2, state: 'planned' });
    expect(await broken()).toEqual([]);
  });

  test('what a change asks for counts once it is approved: steps and positions stay as they are, also after it is withdrawn', async () => {
    const { id, position } = await running(1);
    const another = await place();
    const from = addDays(today(), 10);
    const terms = async () => {
      const row = await read(id);
      return [row.steps, row.positions.map((each: { place: { id: string } }) => each.place.id)];
    };
    const newSteps = [{ fromMonth: 4, kind: 'set', amount: '2700.00' }];
    const newPositions = [{ place: String(another), price: '2000.00' }];
    for (const [action, input] of [
      ['changePrice', { newSteps }],
      ['changePositions', { effectiveOn: from, newPositions }],
    ] as const) {
      expect((await act(id, action, { ...input, reason: '变更' })).message).toBe('');
      expect(await terms()).toEqual([[], [String(position)]]);
      expect((await act(id, 'withdrawChange')).message).toBe('');
      expect(await terms()).toEqual([[], [String(position)]]);
    }
    expect(await taken(another)).toEqual([]);
  });

  test('positions are swapped from a day on', async () => {
    const { id, position } = await running(1);
    const another = await place();
    const from = addDays(today(), 10);
    expect(
      (
        await act(id, 'changePositions', {
          effectiveOn: from,
          newPositions: [{ place: String(another), price: '2000.00' }],
          reason: '换点位',
        })
      ).message,
    ).toBe('');
    await decideChange(id);
    expect((await taken(position)).map((row) => row.to)).toEqual([addDays(from, -1)]);
    expect((await taken(another)).map((row) => [row.kind, row.from])).toEqual([['lease', from]]);
    expect(await broken()).toEqual([]);
  });

  test('a deposit that came in is returned by a line of its own, less what is kept, and paid out with a voucher', async () => {
    const { id } = await running(1, { deposit: '6000.00' });
    await issueDue(mall.platform, today());
    const deposit = (await lines(id)).find((line) => line.kind === 'deposit')!;
    await receive(deposit.receivable_id!, 600_000);
    const asked = { effectiveOn: today(), endReason: String(endReason) };
    const above = await act(id, 'terminate', {
      ...asked,
      deductions: [{ reason: '损坏', amount: '7000.00' }],
    });
    expect([above.http, Object.keys(above.data.fields)]).toEqual([422, ['deductions']]);
    const preview = await mall.call(clerk, 'POST', `${ALL}/${id}/changePreview`, {
      action: 'terminate',
      input: { effectiveOn: today(), deductions: [{ reason: '损坏', amount: 50_000 }] },
    });
    expect(preview.data.deposit).toEqual({ held: '6000.00', kept: '500.00', back: '5500.00' });
    await act(id, 'terminate', { ...asked, deductions: [{ reason: '损坏', amount: '500.00' }] });
    await decideChange(id, 'contract_terminate');
    const back = (await lines(id)).find((line) => line.kind === 'deposit_return')!;
    expect([back.amount, back.state]).toEqual([550_000, 'planned']);
    const voucher = [await mall.picture()];
    const pay = (amount: string) =>
      act(String(back.id), 'pay', { paidOn: today(), amount, method: 'transfer', voucher }, clerk, LINES);
    expect((await pay('5500.01')).http).toBe(422);
    const twice = await Promise.all([pay('5500.00'), pay('5500.00')]);
    expect(twice.map((answer) => answer.http).sort()).toEqual([200, 409]);
    expect((await lines(id)).find((line) => line.kind === 'deposit_return')!.state).toBe('paid');
    expect(await broken()).toEqual([]);
  });

  test('the approval of a change leads to its contract, which is found by the change in the own scope only', async () => {
    const { id } = await running(1);
    const end = (await read(id)).endsOn;
    await act(id, 'changeTerm', { endsOn: addMonths(end, 3), reason: '延长' });
    const change = await one<{ id: number }>('SELECT id FROM contract_change WHERE contract_id = $1', [id]);
    const of = (kind: string) => contracts.approvals!.find((each) => each.kind === kind)!;
    expect(of('contract_change').route(change.id)).toBe(
      `/publicResource/pr_contractSee/audit/0?change=${change.id}`,
    );
    const found = async (who: Caller) =>
      (await mall.call(who, 'GET', `${ALL}/page?changeId=${change.id}&limit=1`)).data.rows.map(
        (row: { id: string }) => row.id,
      );
    expect(await found(clerk)).toEqual([id]);
    expect(await found(southOnly)).toEqual([]);
  });

  test('what a receivable was written off for is owed no more: in the ledger, at the line and in the detail alike', async () => {
    const { id } = await running(1);
    await issueDue(mall.platform, today());
    const [first] = await lines(id);
    const owed = async () => {
      const row = await read(id);
      return [row.overdue, row.payments[0].owed, row.payments[0].days > 0];
    };
    const due = (await read(id)).overdue;
    expect(await owed()).toEqual([due, '3000.00', true]);
    await all(`UPDATE receivable SET state = 'written_off' WHERE id = $1`, [first!.receivable_id]);
    expect(await owed()).toEqual([(Number(due) - 3000).toFixed(2), '0.00', false]);
    expect((await mall.call(clerk, 'GET', `${LINES}/${first!.id}`)).data.balance).toBe('0.00');
    await all(`UPDATE receivable SET state = 'open' WHERE id = $1`, [first!.receivable_id]);
  });

  test('an expense has no receivables and is paid out line by line', async () => {
    const id = await approved(
      form(undefined, today(), addDays(addMonths(today(), 3), -1), {
        direction: 'expense',
        price: '1000.00',
      }),
    );
    await issueDue(mall.platform, addDays(today(), 30));
    const [first] = await lines(id);
    expect([first!.state, first!.receivable_id]).toEqual(['planned', null]);
    expect((await act(String(first!.id), 'issue', {}, clerk, LINES)).message).toBe(
      '支出或退押金的计划行请登记付款',
    );
    const voucher = [await mall.picture()];
    expect(
      (
        await act(
          String(first!.id),
          'pay',
          { paidOn: today(), amount: '400.00', method: 'cash', voucher },
          clerk,
          LINES,
        )
      ).message,
    ).toBe('');
    expect((await lines(id))[0]!.state).toBe('part');
  });

  test('of an expense that was lowered after a part of it was paid only the rest is paid out', async () => {
    const id = await approved(
      form(undefined, today(), addDays(addMonths(today(), 3), -1), {
        direction: 'expense',
        price: '3000.00',
        prorate: 'fixed_30',
      }),
    );
    const [first] = await lines(id);
    const voucher = [await mall.picture()];
    const pay = (amount: string) =>
      act(String(first!.id), 'pay', { paidOn: today(), amount, method: 'cash', voucher }, clerk, LINES);
    expect((await pay('400.00')).message).toBe('');
    const ended = await act(id, 'terminate', {
      effectiveOn: addDays(today(), 9),
      endReason: String(endReason),
      reason: '不再需要',
    });
    expect([ended.message, ended.data?.fields]).toEqual(['', undefined]);
    await decideChange(id, 'contract_terminate');
    // Ten of thirty days are 1,000.00.
    const taken = (await lines(id)).find((line) => line.kind === 'adjustment')!;
    expect(taken.amount).toBe(-200_000);
    const shown = (await mall.call(clerk, 'GET', `${LINES}/${first!.id}`)).data as { balance: string };
    expect(shown.balance).toBe('600.00');
    await all(`UPDATE contract_payment SET due_on = due_on - 30 WHERE id = $1`, [first!.id]);
    expect((await read(id)).overdue).toBe('600.00');
    expect((await pay('600.01')).data.fields.amount).toContain('600.00');
    expect((await pay('600.00')).message).toBe('');
    expect((await lines(id))[0]!.state).toBe('paid');
    expect(await broken()).toEqual([]);
  });

  test('another party B leaves amounts set by hand as they are, issued or not', async () => {
    const from = addDays(today(), 1);
    const id = await approved(
      form(await place(), from, addDays(addMonths(from, 4), -1), {
        manualLines: [
          { no: 1, amount: '2500.00', reason: '协商' },
          { no: 3, amount: '2600.00', reason: '协商' },
        ],
      }),
    );
    const [first] = await lines(id);
    expect((await act(String(first!.id), 'issue', {}, clerk, LINES)).message).toBe('');
    const amounts = async () => (await lines(id)).map((line) => [line.kind, line.amount]);
    const before = await amounts();
    expect(before.map(([, amount]) => amount)).toEqual([250_000, 300_000, 260_000, 300_000]);
    expect((await act(id, 'changeParty', { partyName: '新乙方', reason: '更名' })).message).toBe('');
    await decideChange(id, 'contract_change');
    expect((await read(id)).partyB).toBe('新乙方');
    expect(await amounts()).toEqual(before);
    expect(await broken()).toEqual([]);
  });

  test('group 17 Must show 14: reminded at 90 days, owner and leader once; a repeat sends none, a moved end plans a new set', async () => {
    const position = await place();
    const id = await approved(form(position, '2026-01-01', '2026-12-31'));
    await all(`UPDATE contract SET signed_ids = ARRAY[gen_random_uuid()] WHERE id = $1`, [id]);
    await all(`UPDATE contract_payment SET state = 'void' WHERE contract_id = $1`, [id]);
    const sent = () =>
      all<{ kind: string; days: number; target: string }>(
        `SELECT kind, threshold_days AS days, target_date::text AS target FROM contract_reminder WHERE contract_id = $1 ORDER BY id`,
        [id],
      );
    const reminders = async (day: string) => {
      await remindContracts(mall.platform, day);
      return sent();
    };
    expect(await reminders('2026-10-01')).toEqual([]);
    expect(await reminders('2026-10-02')).toEqual([{ kind: 'ending', days: 90, target: '2026-12-31' }]);
    expect(await reminders('2026-10-02')).toHaveLength(1);
    await Promise.all([reminders('2026-10-03'), reminders('2026-10-03')]);
    expect(await sent()).toHaveLength(1);
    await all(`UPDATE contract SET ends_on = '2027-03-31' WHERE id = $1`, [id]);
    expect(await reminders('2026-10-04')).toHaveLength(1);
    expect((await reminders('2026-12-31')).at(-1)).toEqual({
      kind: 'ending',
      days: 90,
      target: '2027-03-31',
    });
  });

  test('renewed once, from the day after its end at the last price; by itself it holds its positions and tells the owner', async () => {
    const { id, position, start } = await running(1, {
      steps: [{ fromMonth: 7, kind: 'percent', rate: '10.00' }],
    });
    const end = addDays(addMonths(start, 12), -1);
    const made = await act(id, 'renew', { endsOn: addMonths(end, 12), rate: '10.00' });
    expect(made.message).toBe('');
    const draft = await read(made.data.result.id);
    expect([draft.startsOn, draft.state, draft.renewOf.id, draft.positions[0].price]).toEqual([
      addDays(end, 1),
      'draft',
      id,
      '3630.00',
    ]);
    const moved = await mall.call(clerk, 'PUT', `${ROOT}/${draft.id}`, {
      version: draft.version,
      startsOn: addDays(end, 5),
    });
    expect([moved.http, Object.keys(moved.data.fields)]).toEqual([422, ['startsOn']]);
    expect((await act(id, 'renew', { endsOn: addMonths(end, 12) })).message).toBe('该合同已续签');
    const self = await approved(form(position, addDays(end, 400), addDays(end, 700), { autoRenewMonths: 6 }));
    expect(await renewDue(mall.platform, addDays(end, 650))).toBe(1);
    expect(await renewDue(mall.platform, addDays(end, 650))).toBe(0);
    expect((await taken(position)).at(-1)).toMatchObject({ kind: 'hold', from: addDays(end, 701) });
    const next = await one<{ id: string }>('SELECT id::text AS id FROM contract WHERE renew_of = $1', [self]);
    expect((await mall.call(clerk, 'DELETE', `${ROOT}/${next.id}`)).http).toBe(200);
    expect((await taken(position)).at(-1)).toMatchObject({ kind: 'lease' });
  });

  test('states follow the days, missed ones are caught up', async () => {
    const job = contracts.jobs!.find((each) => each.name === 'contract.state')!;
    const { id } = await running(1);
    const state = async () => (await read(id)).state;
    await job.run({}, mall.platform);
    expect(await state()).toBe('active');
    await all('UPDATE contract SET notice_days = 365 WHERE id = $1', [id]);
    await job.run({}, mall.platform);
    expect(await state()).toBe('expiring');
    await all(`UPDATE contract SET ends_on = $2 WHERE id = $1`, [id, addDays(today(), -1)]);
    await job.run({}, mall.platform);
    expect(await state()).toBe('expired');
  });
});
