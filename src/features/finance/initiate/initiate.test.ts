import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { EXAMPLE, openFinance, type Finance } from '../finance-fixture.ts';
import { registration as statementService } from '../../mall/account-statement/statement.server.ts';
import { registration as lineService } from '../../mall/account-statement/statement-line.server.ts';
import { statement, statementLine } from '../../mall/account-statement/statement.contract.ts';
import {
  settlementDraft,
  settlementPreview,
  settlementRow,
  settlementRun,
  statementAdjustment,
} from './initiate.contract.ts';
import { registration as merchantsService } from '../../service-resources/merchant-list/merchant-list.server.ts';
import { makeAnnualFees, registration as adjustmentService } from './adjustment.server.ts';
import { registration as draftService } from './draft.server.ts';
import { registration as previewService } from './preview.server.ts';
import { registration as rowService } from './preview-row.server.ts';
import { previewRun } from './preview-run.server.ts';
import { registration as runService } from './run.server.ts';

const WEB = '/jinmao/web';
let f: Finance;
let clerk: Caller;
let other: Caller;
let picture: string;

beforeAll(async () => {
  f = await openFinance(
    [
      merchantsService,
      statementService,
      lineService,
      runService,
      previewService,
      rowService,
      draftService,
      adjustmentService,
    ],
    [
      statement,
      statementLine,
      settlementRun,
      settlementPreview,
      settlementRow,
      settlementDraft,
      statementAdjustment,
    ],
  );
  clerk = await f.clerk('clerk');
  other = await f.clerk('other');
  picture = await f.picture();
});
afterAll(() => f.close());

/** A run over merchants and a month, previewed. */
async function previewed(merchants: readonly number[], day = '2026-03-15', by = clerk): Promise<string> {
  const made = await f.call(by, 'POST', `${WEB}/settlementRun`, {
    cycle: 'month',
    day,
    merchants: merchants.map(String),
    includeHeld: false,
  });
  expect(made).toMatchObject({ http: 200 });
  await previewRun(f.platform, Number(made.data.id));
  return String(made.data.id);
}

const previewsOf = async (runId: string) =>
  (await f.call(clerk, 'GET', `${WEB}/settlementPreview/page?run=${runId}&limit=50`)).data.rows as Record<
    string,
    string
  >[];
const rowsOf = async (runId: string, tab = 'taken') =>
  (await f.call(clerk, 'GET', `${WEB}/settlementRow/page?run=${runId}&tab=${tab}&limit=100`)).data
    .rows as Record<string, any>[];
const create = (runRows: readonly Record<string, string>[], by = clerk) =>
  f.call(by, 'POST', `${WEB}/settlementPreview/bulk/make`, {
    ids: runRows.map((row) => row.id),
    input: {},
  });
const act = (
  by: Caller,
  name: string,
  id: string | number,
  action: string,
  body: Record<string, unknown> = {},
) => f.call(by, 'POST', `${WEB}/${name}/${id}/${action}`, body);

/** A draft of a merchant's March. */
async function drafted(tenant: number, day?: string): Promise<number> {
  const runId = await previewed([tenant], day);
  await create(await previewsOf(runId));
  const [row] = await f.sql<{ id: number }>(
    `SELECT id FROM statement WHERE tenant_id = $1 AND state = 'draft' ORDER BY id DESC LIMIT 1`,
    [tenant],
  );
  return row!.id;
}

test('group 13 Must show 1: the example shows 266.75, 53.27, 7.95, payable 327.97 in preview and statement, with its working', async () => {
  const tenant = await f.merchant(800);
  await f.sell(tenant, EXAMPLE, { freight: 800, fee: 194 });
  const runId = await previewed([tenant]);
  const [preview] = await previewsOf(runId);
  expect(preview).toMatchObject({
    state: 'previewed',
    orders: 1,
    cash: '314.90',
    subsidy: '35.00',
    freight: '8.00',
    commission: '27.99',
    channelFee: '1.94',
    payable: '327.97',
  });
  const rows = await rowsOf(runId);
  expect(rows.map((row) => row.net)).toEqual(['266.75', '53.27', '7.95']);
  expect(rows[0]!.why).toContain('29166 × 8 % = 2333.28 → 23.33');
  expect((await create([preview!])).data.done).toHaveLength(1);
  const [head] = await f.sql<{ payable: number; commission: number; channel_fee: number; state: string }>(
    'SELECT payable, commission, channel_fee, state FROM statement WHERE tenant_id = $1',
    [tenant],
  );
  expect(head).toEqual({ payable: 32_797, commission: 2_799, channel_fee: 194, state: 'draft' });
  expect((await f.call(clerk, 'GET', `${WEB}/settlementRun/${runId}`)).data).toMatchObject({
    state: 'done',
    statements: 1,
    total: '327.97',
  });
});

test('group 13 Must show 2: after paying, one A refunded is a claw-back of 88.92 linked to the first statement; three sum to 266.75', async () => {
  const tenant = await f.merchant(800);
  const sale = await f.sell(tenant, EXAMPLE, { freight: 800, fee: 194 });
  const first = await drafted(tenant);
  expect(await act(clerk, 'settlementDraft', first, 'submit')).toMatchObject({ http: 200 });
  const back = [
    { qty: 1, cash: 8_750, platformCoupon: 833, merchantCoupon: 278, points: 139 },
    { qty: 1, cash: 8_749, platformCoupon: 834, merchantCoupon: 278, points: 139 },
    { qty: 1, cash: 8_749, platformCoupon: 834, merchantCoupon: 278, points: 139 },
  ];
  await f.refunded(sale, sale.lines[0]!, back[0]!);
  const [claw] = await rowsOf(await previewed([tenant], '2026-04-10'));
  expect([claw!.rowKind, claw!.net, claw!.first.id]).toEqual(['refund', '-88.92', String(first)]);
  for (const piece of back.slice(1)) await f.refunded(sale, sale.lines[0]!, piece);
  const all = await rowsOf(await previewed([tenant], '2026-04-10'));
  expect(all.map((row) => row.net)).toEqual(['-88.92', '-88.92', '-88.91']);
});

test('group 13 Must show 4: two clerks make the same run at once, and again: one statement per merchant, each line once', async () => {
  const tenants = [await f.merchant(500), await f.merchant(500), await f.merchant(500)];
  for (const tenant of tenants)
    for (let n = 0; n < 4; n += 1) await f.sell(tenant, [{ price: 10_000 + n, qty: 1 }]);
  const [one, two] = await Promise.all([previewed(tenants), previewed(tenants, '2026-03-15', other)]);
  const [a, b] = [await previewsOf(one), await previewsOf(two)];
  const answers = await Promise.all([create(a), create(b, other), create(a, other), create(b)]);
  expect(answers.map((answer) => answer.http)).toEqual([200, 200, 200, 200]);
  expect(
    await f.sql(
      'SELECT tenant_id, count(*)::int AS n FROM statement WHERE tenant_id = ANY($1::bigint[]) GROUP BY 1 ORDER BY 1',
      [tenants],
    ),
  ).toEqual(tenants.map((tenant_id) => ({ tenant_id, n: 1 })));
  expect(
    await f.sql(
      `SELECT count(*)::int AS rows, count(DISTINCT l.source_id)::int AS sources FROM statement_line l JOIN statement s ON s.id = l.statement_id
        WHERE s.tenant_id = ANY($1::bigint[]) AND l.active AND l.source_type = 'order_line'`,
      [tenants],
    ),
  ).toEqual([{ rows: 12, sources: 12 }]);
  // Whoever comes back after the process was killed finds what was made.
  await f.sql(
    `UPDATE settlement_run_merchant SET state = 'previewed', statement_id = NULL WHERE run_id = $1`,
    [one],
  );
  expect((await create(await previewsOf(one))).data.done).toHaveLength(3);
  expect((await previewsOf(one)).map((row) => row.state)).toEqual(['existing', 'existing', 'existing']);
  // The database itself refuses a second living row of a line.
  await expect(
    f.sql(
      `INSERT INTO statement_line (statement_id, row_no, row_kind, source_type, source_id, net) SELECT statement_id, 99, 'adjustment', source_type, source_id, 0
         FROM statement_line l JOIN statement s ON s.id = l.statement_id WHERE s.tenant_id = $1 LIMIT 1`,
      [tenants[0]],
    ),
  ).rejects.toThrow(/statement_line_once/);
});

test('group 13 Must show 5: a refund opened between preview and making leaves that merchant out, with both figures; others are made', async () => {
  const [changed, same] = [await f.merchant(800), await f.merchant(800)];
  const sale = await f.sell(changed, EXAMPLE, { freight: 800, fee: 194 });
  await f.sell(changed, [{ price: 20_000, qty: 1 }]);
  await f.sell(same, [{ price: 20_000, qty: 1 }]);
  const runId = await previewed([changed, same]);
  await f.refunded(sale, sale.lines[0]!, { qty: 1, cash: 100 });
  await f.sql(`UPDATE refund SET state = 'reviewing', succeeded_at = NULL WHERE order_id = $1`, [sale.order]);
  await create(await previewsOf(runId));
  const rows = await previewsOf(runId);
  expect(rows.find((row) => (row.merchant as any).id === String(changed))).toMatchObject({
    state: 'changed',
    payable: '511.97',
    newPayable: '184.00',
  });
  expect(rows.find((row) => (row.merchant as any).id === String(same))!.state).toBe('created');
  expect(
    await f.sql('SELECT tenant_id FROM statement WHERE tenant_id = ANY($1::bigint[])', [[changed, same]]),
  ).toEqual([{ tenant_id: same }]);
});

test('group 13 Must show 13 (statement): an unreconciled payment is listed X04 and left out', async () => {
  const tenant = await f.merchant(800);
  await f.sell(tenant, [{ price: 30_000, qty: 1 }], { reconciled: false });
  await f.sell(tenant, [{ price: 20_000, qty: 1 }]);
  const runId = await previewed([tenant]);
  expect((await rowsOf(runId)).map((row) => row.net)).toEqual(['184.00']);
  const [left] = await rowsOf(runId, 'excluded');
  expect([left!.code, left!.why]).toEqual(['X04', '支付未对平｜Payment not reconciled']);
});

test('what is left out says why: not completed, window open, in a statement, no agreement, frozen', async () => {
  const tenant = await f.merchant(800);
  const [open, late, plain] = [
    await f.sell(tenant, [{ price: 10_000, qty: 1 }]),
    await f.sell(tenant, [{ price: 11_000, qty: 1 }], { completed: '2026-03-28' }),
    await f.sell(tenant, [{ price: 12_000, qty: 1 }]),
  ];
  await f.sql(`UPDATE sales_order SET state = 'to_receive', completed_at = NULL WHERE id = $1`, [open.order]);
  await f.sql(`UPDATE sales_order SET agreement_version = NULL WHERE id = $1`, [plain.order]);
  const taken = await f.sell(tenant, [{ price: 13_000, qty: 1 }]);
  await drafted(tenant);
  const broken = await f.sell(tenant, [{ price: 14_000, qty: 1 }]);
  await f.sql('UPDATE order_line SET cash = cash - 1 WHERE order_id = $1', [broken.order]);
  await previewed([tenant]);
  const runId = await previewed([tenant]);
  // Amounts that do not add up are told once, however often they are looked at.
  expect(
    await f.sql(`SELECT level FROM system_event WHERE kind = 'doctor' AND detail ->> 'x08' = $1`, [
      String(tenant),
    ]),
  ).toEqual([{ level: 'error' }]);
  const codes = new Map(
    (await rowsOf(runId, 'excluded')).map((row) => [row.orderCode, [row.code, row.why.split('｜')[0]]]),
  );
  const codeOf = async (order: number) =>
    codes.get(
      (await f.sql<{ code: string }>('SELECT code FROM sales_order WHERE id = $1', [order]))[0]!.code,
    );
  expect(await codeOf(open.order)).toEqual(['X01', '未完成']);
  expect(await codeOf(late.order)).toEqual(['X02', '售后期未满（至 2026-04-04）']);
  expect(await codeOf(plain.order)).toEqual(['X06', '无协议版本']);
  expect((await codeOf(taken.order))![0]).toBe('X07');
  expect(await codeOf(broken.order)).toEqual(['X08', '金额不平']);
  await f.sql(`UPDATE tenant SET settlement_frozen = true, freeze_reason = '资质过期' WHERE id = $1`, [
    tenant,
  ]);
  const frozen = await previewed([tenant], '2026-04-10');
  expect((await previewsOf(frozen))[0]!.state).toBe('frozen');
  const refused = await act(clerk, 'settlementPreview', (await previewsOf(frozen))[0]!.id!, 'make');
  expect(refused).toMatchObject({ status: 30101 });
  expect(refused.message).toContain('X05 商户结算冻结：资质过期');
});

test('a period that is not over is refused; a preview holds half an hour; a submitted statement is left alone', async () => {
  expect(
    await f.call(clerk, 'POST', `${WEB}/settlementRun`, {
      cycle: 'month',
      day: '2099-01-01',
      merchants: [],
      includeHeld: false,
    }),
  ).toMatchObject({
    status: 30101,
    message: '周期尚未结束',
  });
  const tenant = await f.merchant(800);
  await f.sell(tenant, [{ price: 20_000, qty: 1 }]);
  const runId = await previewed([tenant]);
  await f.sql(`UPDATE settlement_run SET previewed_at = now() - interval '31 minutes' WHERE id = $1`, [
    runId,
  ]);
  expect(await act(clerk, 'settlementPreview', (await previewsOf(runId))[0]!.id!, 'make')).toMatchObject({
    status: 30101,
    message: '预览已过期，请重新预览',
  });
  const id = await drafted(tenant);
  expect((await act(clerk, 'settlementDraft', id, 'submit')).http).toBe(200);
  for (const action of ['rebuild', 'submit'])
    expect(await act(clerk, 'settlementDraft', id, action)).toMatchObject({
      status: 30101,
      message: '已提交，不能修改',
    });
});

test('a draft is rebuilt with the difference shown, and voiding sets its rows free', async () => {
  const tenant = await f.merchant(0);
  await f.sell(tenant, [{ price: 20_000, qty: 1 }]);
  const id = await drafted(tenant);
  await f.sell(tenant, [{ price: 5_000, qty: 1 }]);
  const rebuilt = await act(clerk, 'settlementDraft', id, 'rebuild');
  expect(rebuilt.data.result).toEqual({ before: '200.00', after: '250.00' });
  expect((await act(clerk, 'settlementDraft', id, 'void', { reason: '重新出单' })).http).toBe(200);
  const next = await drafted(tenant);
  expect(next).not.toBe(id);
  expect(await f.sql('SELECT payable FROM statement WHERE id = $1', [next])).toEqual([{ payable: 25_000 }]);
});

test('an adjustment above the limit is checked by somebody else, and the next draft takes what was approved', async () => {
  const tenant = await f.merchant(0);
  const adjust = (amount: string, direction = 'minus') =>
    f.call(clerk, 'POST', `${WEB}/statementAdjustment`, {
      merchant: String(tenant),
      type: 'penalty',
      direction,
      amount,
      reason: '延迟发货按协议扣款',
      evidence: [picture],
    });
  const small = (await adjust('500.00')).data.id as string;
  const large = (await adjust('500.01')).data.id as string;
  const state = async (id: string) => (await f.call(clerk, 'GET', `${WEB}/statementAdjustment/${id}`)).data;
  expect([(await state(small)).state, (await state(large)).state]).toEqual(['approved', 'pending']);
  expect((await state(large)).actions).not.toContain('approve');
  expect(await act(clerk, 'statementAdjustment', large, 'approve')).toMatchObject({
    status: 30101,
    message: '不能复核自己提交的调整',
  });
  expect((await act(other, 'statementAdjustment', large, 'approve')).http).toBe(200);
  await f.sell(tenant, [{ price: 200_000, qty: 1 }]);
  const id = await drafted(tenant);
  expect(await f.sql('SELECT adjustments, payable FROM statement WHERE id = $1', [id])).toEqual([
    { adjustments: -100_001, payable: 99_999 },
  ]);
  expect(await act(clerk, 'statementAdjustment', small, 'withdraw')).toMatchObject({
    status: 30101,
    message: '已进入结算单，不能撤回',
  });
  // Withdrawn and claimed by a draft at the same moment: one of both.
  for (const day of ['2026-04-15', '2026-05-15', '2026-06-15']) {
    const one = (await adjust('1.00', 'plus')).data.id as string;
    const run = await previewed([tenant], day);
    const [preview] = await f.sql<{ id: number }>(
      'SELECT id FROM settlement_run_merchant WHERE run_id = $1',
      [run],
    );
    await Promise.all([
      act(clerk, 'statementAdjustment', one, 'withdraw'),
      act(clerk, 'settlementPreview', preview!.id, 'make'),
    ]);
    const [found] = await f.sql<{ state: string; lines: number }>(
      `SELECT a.state, (SELECT count(*)::int FROM statement_line c WHERE c.source_type = 'statement_adjustment' AND c.source_id = a.id AND c.active) AS lines FROM statement_adjustment a WHERE a.id = $1`,
      [one],
    );
    expect([
      ['withdrawn', 0],
      ['approved', 1],
    ]).toContainEqual([found!.state, found!.lines]);
  }
});

test('a large statement goes nowhere while nobody but its submitter could approve it', async () => {
  const tenant = await f.merchant(0);
  await f.sell(tenant, [{ price: 5_000_000, qty: 1 }]);
  const id = await drafted(tenant);
  const submitted = await act(clerk, 'settlementDraft', id, 'submit');
  // Nobody but the submitter could decide: nothing was sent out.
  expect(submitted.status).toBe(30101);
  expect(await f.sql('SELECT state, submitter_id FROM statement WHERE id = $1', [id])).toEqual([
    { state: 'draft', submitter_id: null },
  ]);
});

test('annual fees arise once on the anniversary of an agreement', async () => {
  const tenant = await f.merchant(0, { annual_fee: 99_900, starts_on: '2024-05-06' });
  expect(await makeAnnualFees(f.platform, '2026-05-05')).toBe(0);
  const [one, two] = await Promise.all([
    makeAnnualFees(f.platform, '2026-05-06'),
    makeAnnualFees(f.platform, '2026-05-06'),
  ]);
  expect(one + two).toBe(1);
  expect(
    await f.sql('SELECT signed, state FROM statement_adjustment WHERE tenant_id = $1', [tenant]),
  ).toEqual([{ signed: -99_900, state: 'approved' }]);
});
