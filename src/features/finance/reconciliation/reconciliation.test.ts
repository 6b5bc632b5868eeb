import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { transaction } from '../../../kernel/server/database.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { awaitBill } from '../../../domain/settlement/channel-bill.server.ts';
import { insertRow } from '../../../kernel/server/resource/run-action.ts';
import { collectRows, draftStatement } from '../../../domain/statement/draft-statement.server.ts';
import { registration as statementService } from '../../mall/account-statement/statement.server.ts';
import { registration as lineService } from '../../mall/account-statement/statement-line.server.ts';
import { statement, statementLine } from '../../mall/account-statement/statement.contract.ts';
import { EXAMPLE, openFinance, type Finance } from '../finance-fixture.ts';
import { settlementDraft } from '../initiate/initiate.contract.ts';
import { registration as draftService } from '../initiate/draft.server.ts';
import { importRows, registration as billService } from './bill.server.ts';
import { readBill } from './bill-file.server.ts';
import { registration as confirmationService } from './confirmation.server.ts';
import { registration as rowService } from './row.server.ts';
import { channelBill, merchantConfirmation, reconciliation } from './reconciliation.contract.ts';

const WEB = '/jinmao/web';
let f: Finance;
let clerk: Caller;
let reconciler: Caller;
let leader: Caller;
let picture: string;

beforeAll(async () => {
  f = await openFinance(
    [statementService, lineService, draftService, billService, rowService, confirmationService],
    [statement, statementLine, settlementDraft, channelBill, reconciliation, merchantConfirmation],
  );
  clerk = await f.clerk('clerk');
  reconciler = await f.clerk('reconciler');
  leader = await f.clerk('leader');
  picture = await f.picture();
});
afterAll(() => f.close());

const MARCH = { cycle: 'month', from: '2026-03-01', to: '2026-03-31' } as const;
const act = (
  by: Caller,
  name: string,
  id: string | number,
  action: string,
  body: Record<string, unknown> = {},
) => f.call(by, 'POST', `${WEB}/${name}/${id}/${action}`, body);
const get = async (by: Caller, name: string, id: string | number) =>
  (await f.call(by, 'GET', `${WEB}/${name}/${id}`)).data;

async function submitted(tenantId: number): Promise<number> {
  const made = await transaction(f.platform.database.db, (tx) =>
    draftStatement(tx, { tenantId, ...MARCH, makerId: clerk.staffId }),
  );
  expect(await act(clerk, 'settlementDraft', made!.id, 'submit')).toMatchObject({ http: 200 });
  return made!.id;
}

/** An account nobody else is paid into, so that its days belong to one test. */
async function account(): Promise<number> {
  const [platform] = await f.sql<{ id: number }>('SELECT id FROM tenant WHERE kind = 3');
  const [row] = await f.sql<{ id: number }>(
    `INSERT INTO payee_account (code, name, tenant_id, purpose, channel, state, built_in) VALUES ('AC' || (random() * 1e9)::bigint, 'account', $1, 'collect', 'alipay', 'draft', false) RETURNING id`,
    [platform!.id],
  );
  return row!.id;
}

let number = 0;
async function paid(
  accountId: number,
  amount: number,
  at: string,
  state = 2,
): Promise<{ id: number; no: string; trade: string }> {
  number += 1;
  const [no, trade] = [`CKR${number}`, `TR${number}`];
  const id = await transaction(f.platform.database.db, (tx) =>
    insertRow(tx, 'payment', {
      checkout_code: no,
      channel: 1,
      state,
      amount,
      trade_no: state === 2 ? trade : null,
      paid_at: state === 2 ? new Date(at) : null,
      deadline: new Date(at),
      payee_account_id: accountId,
    }),
  );
  return { id, no, trade };
}

const bill = (
  accountId: number,
  date: string,
  rows: readonly { no: string; trade: string; amount: number; fee?: number; at?: string }[],
) =>
  transaction(f.platform.database.db, (tx) =>
    importRows(tx, f.platform, {
      channel: 1,
      accountId,
      date,
      rows: rows.map((row) => ({
        type: 'pay' as const,
        tradeNo: row.trade,
        ourNo: row.no,
        amount: row.amount,
        fee: row.fee ?? 0,
        at: new Date(row.at ?? `${date}T12:00:00+08:00`),
      })),
      sha256: `${accountId} ${date}`,
      fileName: 'a.csv',
      source: 'upload',
    }),
  );
const rowsOf = (billId: number) =>
  f.sql<{ id: number; result: string; state: string; our_no: string }>(
    'SELECT id, result, state, our_no FROM reconciliation WHERE bill_id = $1 ORDER BY result, id',
    [billId],
  );

test('group 13 Must show 6: an old fingerprint after recall and rebuild is refused', async () => {
  const tenant = await f.merchant(0);
  await f.sell(tenant, [{ price: 30_000, qty: 1 }]);
  const id = await submitted(tenant);
  const me = await f.merchantStaff(tenant);
  const { rowsHash } = await get(me, 'statement', id);
  expect(await act(reconciler, 'merchantConfirmation', id, 'recall', { reason: '漏了一单' })).toMatchObject({
    http: 200,
  });
  expect((await f.call(me, 'GET', `${WEB}/statement/${id}`)).http).toBe(404);
  await f.sell(tenant, [{ price: 10_000, qty: 1 }]);
  expect((await act(clerk, 'settlementDraft', id, 'rebuild')).data.result.after).toBe('400.00');
  expect(await act(clerk, 'settlementDraft', id, 'submit')).toMatchObject({ http: 200 });
  expect(await act(me, 'statement', id, 'confirm', { rowsHash })).toMatchObject({
    http: 409,
    status: 30101,
    message: '账单内容已更新，请重新查看',
  });
  const fresh = await get(me, 'statement', id);
  expect(await act(me, 'statement', id, 'confirm', { rowsHash: fresh.rowsHash })).toMatchObject({
    http: 200,
  });
});

test('group 13 Must show 7: line B disputed at 53.93 and accepted: correction +0.66, round 2, payable 328.63; silence confirms', async () => {
  const tenant = await f.merchant(800);
  await f.sell(tenant, EXAMPLE, { freight: 800, fee: 194 });
  const id = await submitted(tenant);
  const me = await f.merchantStaff(tenant);
  const before = await get(me, 'statement', id);
  const lines = (await f.call(me, 'GET', `${WEB}/statementLine/page?statement=${id}`)).data.rows;
  const b = lines.find((line: { net: string }) => line.net === '53.27');
  expect(
    await act(me, 'statement', id, 'dispute', {
      lines: [b.id],
      reasonType: 'amount',
      claimed: '53.93',
      text: '佣金多扣',
      evidence: [],
    }),
  ).toMatchObject({ http: 200 });
  expect(await act(reconciler, 'merchantConfirmation', id, 'resubmit')).toMatchObject({ status: 30101 });
  const [dispute] = await f.sql<{ id: number }>('SELECT id FROM statement_dispute WHERE statement_id = $1', [
    id,
  ]);
  expect(
    await act(reconciler, 'merchantConfirmation', id, 'answer', {
      dispute: String(dispute!.id),
      answer: 'accepted',
      text: '同意更正',
      until: null,
    }),
  ).toMatchObject({ http: 200 });
  expect(await act(reconciler, 'merchantConfirmation', id, 'resubmit')).toMatchObject({ http: 200 });
  const after = await get(me, 'statement', id);
  expect(after).toMatchObject({ state: 'to_confirm', round: 2, payable: '328.63', adjustments: '0.66' });
  expect(after.rowsHash).not.toBe(before.rowsHash);
  await f.sql(`UPDATE statement SET window_ends_at = now() - interval '1 minute' WHERE id = $1`, [id]);
  await statementService.jobs!.find((one) => one.name === 'settle.auto_confirm')!.run({}, f.platform);
  expect(await get(me, 'statement', id)).toMatchObject({
    state: 'to_pay',
    confirmer: 'system',
    payAmount: '328.63',
  });
  expect(await f.sql(`SELECT state FROM statement_adjustment WHERE tenant_id = $1`, [tenant])).toEqual([
    { state: 'booked' },
  ]);
});

test('a released line stays out until its day, and a rejection needs its words; a decision comes from the third round on', async () => {
  const tenant = await f.merchant(0);
  await f.sell(tenant, [{ price: 30_000, qty: 1 }]);
  await f.sell(tenant, [{ price: 20_000, qty: 1 }]);
  const id = await submitted(tenant);
  const me = await f.merchantStaff(tenant);
  const [first] = (await f.call(me, 'GET', `${WEB}/statementLine/page?statement=${id}`)).data.rows;
  const dispute = () =>
    act(me, 'statement', id, 'dispute', {
      lines: [first.id],
      reasonType: 'other',
      text: '争议',
      evidence: [],
    });
  expect((await dispute()).http).toBe(200);
  const [one] = await f.sql<{ id: number }>('SELECT id FROM statement_dispute WHERE statement_id = $1', [id]);
  const answer = (body: Record<string, unknown>) =>
    act(reconciler, 'merchantConfirmation', id, 'answer', { dispute: String(one!.id), ...body });
  const desk = await get(reconciler, 'merchantConfirmation', id);
  expect(desk.disputes).toEqual([expect.objectContaining({ id: String(one!.id), round: 1, answer: null })]);
  expect(desk.lines[0]).toMatchObject({ open: true });
  expect(desk.lines[0].why).toContain('应结');
  expect((await answer({ answer: 'rejected', text: '不' })).http).toBe(422);
  expect(
    await act(leader, 'merchantConfirmation', id, 'decide', { reason: '证据充分，按账单结算执行' }),
  ).toMatchObject({ status: 30101 });
  expect((await answer({ answer: 'released', text: '待核实', until: '2099-01-01' })).http).toBe(200);
  expect((await act(reconciler, 'merchantConfirmation', id, 'resubmit')).http).toBe(200);
  expect((await get(me, 'statement', id)).payable).toBe('200.00');
  const again = await transaction(f.platform.database.db, (tx) =>
    collectRows(tx, { tenantId: tenant, from: MARCH.from, to: MARCH.to }),
  );
  expect(again.excluded.map((row) => row.code)).toContain('X09');
  expect(
    await act(reconciler, 'merchantConfirmation', id, 'confirmFor', {
      reason: '商户书面确认',
      evidence: [picture],
    }),
  ).toMatchObject({ http: 200 });
  expect(await get(me, 'statement', id)).toMatchObject({ state: 'to_pay', confirmer: 'platform' });
});

test('a released sale takes what was clawed back of it along; it stays while a later statement claws it back', async () => {
  const disputed = async (back: 'before' | 'after') => {
    const tenant = await f.merchant(0);
    const sale = await f.sell(tenant, [{ price: 10_000, qty: 3 }]);
    await f.sell(tenant, [{ price: 20_000, qty: 1 }]);
    const refund = () => f.refunded(sale, sale.lines[0]!, { qty: 1, cash: 10_000 });
    if (back === 'before') await refund();
    const id = await submitted(tenant);
    const me = await f.merchantStaff(tenant);
    const [line] = await f.sql<{ id: number }>(
      `SELECT id FROM statement_line WHERE statement_id = $1 AND row_kind = 'sale' AND net = 30000`,
      [id],
    );
    const answer = await act(me, 'statement', id, 'dispute', {
      lines: [String(line!.id)],
      reasonType: 'other',
      text: '争议',
      evidence: [],
    });
    expect(answer.http).toBe(200);
    if (back === 'after') await refund();
    const [one] = await f.sql<{ id: number }>('SELECT id FROM statement_dispute WHERE statement_id = $1', [
      id,
    ]);
    return {
      tenant,
      payable: async () => (await get(me, 'statement', id)).payable,
      release: () =>
        act(reconciler, 'merchantConfirmation', id, 'answer', {
          dispute: String(one!.id),
          answer: 'released',
          text: '待核实',
          until: '2099-01-01',
        }),
    };
  };
  const same = await disputed('before');
  expect(await same.payable()).toBe('400.00');
  expect((await same.release()).http).toBe(200);
  expect(await same.payable()).toBe('200.00');
  const later = await disputed('after');
  const april = await transaction(f.platform.database.db, (tx) =>
    draftStatement(tx, {
      tenantId: later.tenant,
      cycle: 'month',
      from: '2026-04-01',
      to: '2026-04-30',
      makerId: null,
    }),
  );
  const [{ code }] = (await f.sql<{ code: string }>('SELECT code FROM statement WHERE id = $1', [
    april!.id,
  ])) as [{ code: string }];
  expect(await later.release()).toMatchObject({
    status: 30101,
    message: `该行的追回已在结算单 ${code}，不能移出`,
  });
  expect(await later.payable()).toBe('500.00');
});

test('group 13 Must show 11: the identity example; the next day has the 20.00; the day closes once −0.90 and 8.00 are handled', async () => {
  const acc = await account();
  const [a, b, late] = [
    await paid(acc, 10_000, '2026-03-10T10:00:00+08:00'),
    await paid(acc, 5_990, '2026-03-10T11:00:00+08:00'),
    await paid(acc, 2_000, '2026-03-10T23:59:58+08:00'),
  ];
  const day = await bill(acc, '2026-03-10', [
    { ...a, amount: 10_000 },
    { ...b, amount: 5_900 },
    { no: 'X', trade: `OTHER${acc}`, amount: 800 },
  ]);
  expect((await rowsOf(day)).map((row) => [row.result, row.state])).toEqual([
    ['amount_differs', 'open'],
    ['cross_day', 'waiting'],
    ['matched', 'none'],
    ['only_channel', 'open'],
  ]);
  expect(await get(reconciler, 'channelBill', day)).toMatchObject({
    ourAmount: '179.90',
    theirAmount: '167.00',
    state: 'differences',
    identity: '179.90 + -0.90 + 8.00 − 0.00 − 20.00 + 0.00 = 167.00 (0.00)',
  });
  expect(await act(reconciler, 'channelBill', day, 'close')).toMatchObject({
    status: 30101,
    message: '还有 3 笔差异未处理',
  });
  const next = await bill(acc, '2026-03-11', [{ ...late, amount: 2_000, at: '2026-03-11T00:00:01+08:00' }]);
  expect((await rowsOf(next)).map((row) => row.result)).toEqual(['cross_day']);
  expect((await get(reconciler, 'channelBill', next)).state).toBe('balanced');
  expect(await act(reconciler, 'channelBill', day, 'close')).toMatchObject({
    message: '还有 2 笔差异未处理',
  });
  const rows = await rowsOf(day);
  const differs = rows.find((row) => row.result === 'amount_differs')!;
  const extra = rows.find((row) => row.result === 'only_channel')!;
  expect(
    await act(reconciler, 'reconciliation', differs.id, 'handle', {
      way: 'write_off',
      reason: '尾差核销',
      evidence: [],
    }),
  ).toMatchObject({ http: 200 });
  expect(
    await act(reconciler, 'reconciliation', extra.id, 'handle', {
      way: 'refund',
      reason: '无主款项退回',
      evidence: [],
    }),
  ).toMatchObject({ http: 200 });
  expect(await act(reconciler, 'channelBill', day, 'close')).toMatchObject({
    message: '还有 1 笔差异未处理',
  });
  expect(await act(reconciler, 'reconciliation', extra.id, 'check')).toMatchObject({
    status: 30101,
    message: '不能复核自己的处理',
  });
  expect(await act(leader, 'reconciliation', extra.id, 'check')).toMatchObject({ http: 200 });
  expect(await act(reconciler, 'channelBill', day, 'close')).toMatchObject({ http: 200 });
  for (const rule of billService.invariants!) expect((await rule.check(f.platform)).problems).toEqual([]);
});

test('group 13 Must show 12 (the desk): a payment only the channel has is filled in once, through the handler of payments', async () => {
  const acc = await account();
  const unpaid = await paid(acc, 800, '2026-03-12T10:00:00+08:00', 1);
  const day = await bill(acc, '2026-03-12', [{ no: unpaid.no, trade: `LATE${acc}`, amount: 800 }]);
  const [row] = await rowsOf(day);
  const clicks = await Promise.all(
    [reconciler, leader].map((by) =>
      act(by, 'reconciliation', row!.id, 'handle', { way: 'fill', reason: '渠道已收款', evidence: [] }),
    ),
  );
  expect(clicks.map((one) => one.http).sort()).toEqual([200, 409]);
  const effects = await f.sql<{ payload: { checkoutCode: string; amount: number } }>(
    `SELECT payload FROM outbox WHERE kind = 'payment.callback' AND key = $1`,
    [`recon.fill:LATE${acc}`],
  );
  expect(effects.map((one) => [one.payload.checkoutCode, one.payload.amount])).toEqual([[unpaid.no, 800]]);
  expect((await get(reconciler, 'channelBill', day)).state).toBe('balanced');
});

/** Runs an effect of the desk as the outbox does. */
const deliver = (kind: string, payload: object) =>
  (
    rowService.effects!.find((one) => one.kind === kind) as unknown as {
      deliver(payload: object, platform: unknown, id: number): Promise<void>;
    }
  ).deliver(payload, f.platform, 0);
const effectsOf = (kind: string) =>
  f.sql<{ payload: Record<string, unknown> }>('SELECT payload FROM outbox WHERE kind = $1 ORDER BY id', [
    kind,
  ]);
/** A refunded sale whose money came in through an account. */
async function refundedSale(acc: number) {
  const tenant = await f.merchant(0);
  const sale = await f.sell(tenant, [{ price: 30_000, qty: 1 }], {
    completed: '2026-03-05',
    reconciled: false,
  });
  await f.refunded(sale, sale.lines[0]!, { qty: 1, cash: 3_000 });
  await f.sql('UPDATE payment SET payee_account_id = $2 WHERE id = $1', [sale.payment, acc]);
  await f.sql(`UPDATE refund SET succeeded_at = '2026-03-16T12:00:00+08' WHERE payment_id = $1`, [
    sale.payment,
  ]);
  const [mine] = await f.sql<{ id: number; refund: string; no: string; trade: string }>(
    'SELECT r.id, r.channel_refund_no AS refund, p.checkout_code AS no, p.trade_no AS trade FROM refund r JOIN payment p ON p.id = r.payment_id WHERE p.id = $1',
    [sale.payment],
  );
  return mine!;
}

test('what the channel took above our amount goes back to who paid it, once somebody else has checked it', async () => {
  const acc = await account();
  const [more, less] = [
    await paid(acc, 5_000, '2026-03-15T10:00:00+08:00'),
    await paid(acc, 5_000, '2026-03-15T11:00:00+08:00'),
  ];
  const day = await bill(acc, '2026-03-15', [
    { ...more, amount: 5_090 },
    { ...less, amount: 4_900 },
  ]);
  const rows = await rowsOf(day);
  const of = (no: string) => rows.find((row) => row.our_no === no)!.id;
  const handle = (id: number) =>
    act(reconciler, 'reconciliation', id, 'handle', { way: 'refund_diff', reason: '多收退回', evidence: [] });
  const refused = await handle(of(less.no));
  expect([refused.http, Object.keys(refused.data.fields)]).toEqual([422, ['way']]);
  expect(await handle(of(more.no))).toMatchObject({ http: 200 });
  expect((await get(reconciler, 'reconciliation', of(more.no))).state).toBe('to_check');
  expect(await effectsOf('recon.refund_diff')).toEqual([]);
  expect(await act(leader, 'reconciliation', of(more.no), 'check')).toMatchObject({ http: 200 });
  const [effect] = await effectsOf('recon.refund_diff');
  expect(effect!.payload).toMatchObject({
    tradeNo: more.trade,
    amount: 90,
    paid: 5_090,
    payeeAccountId: acc,
  });
});

test('a refund only we have is asked about first and sent again under its number when the channel knows none', async () => {
  const acc = await account();
  const mine = await refundedSale(acc);
  const day = await bill(acc, '2026-03-16', []);
  const [row] = await rowsOf(day);
  expect([row!.result, row!.our_no]).toEqual(['only_ours', mine.refund]);
  const resend = () =>
    act(reconciler, 'reconciliation', row!.id, 'handle', {
      way: 'resend',
      reason: '渠道无此退款',
      evidence: [],
    });
  expect(await resend()).toMatchObject({ status: 30101, message: '请先查证；渠道确认未退款后才能重发' });
  expect(await act(reconciler, 'reconciliation', row!.id, 'query')).toMatchObject({ http: 200 });
  const [asked] = await effectsOf('recon.ask');
  await deliver('recon.ask', asked!.payload);
  expect((await get(reconciler, 'reconciliation', row!.id)).channelSays).toBe('unknown');
  expect(await resend()).toMatchObject({ http: 200 });
  expect(await act(leader, 'reconciliation', row!.id, 'check')).toMatchObject({ http: 200 });
  const [effect] = await effectsOf('recon.resend');
  expect(effect!.payload).toEqual({ refundId: mine.id });
  // The sandbox knows the trade: the money goes back under the number the refund has, however often it is delivered.
  await f.sql('INSERT INTO sandbox_trade (trade_no, checkout_code, amount) VALUES ($1, $2, 30000)', [
    mine.trade,
    mine.no,
  ]);
  await deliver('recon.resend', effect!.payload);
  await deliver('recon.resend', effect!.payload);
  expect(
    await f.sql('SELECT refund_no, amount FROM sandbox_refund WHERE trade_no = $1', [mine.trade]),
  ).toEqual([{ refund_no: mine.refund, amount: 3_000 }]);
});

test('a refund only the channel has is filled in where one of its number waits; others are held', async () => {
  const acc = await account();
  const mine = await refundedSale(acc);
  await f.sql(`UPDATE refund SET state = 'refunding', succeeded_at = NULL WHERE id = $1`, [mine.id]);
  const day = await transaction(f.platform.database.db, (tx) =>
    importRows(tx, f.platform, {
      channel: 1,
      accountId: acc,
      date: '2026-03-17',
      rows: [mine.refund, 'NOBODY'].map((ourNo) => ({
        type: 'refund' as const,
        tradeNo: mine.trade,
        ourNo,
        amount: 3_000,
        fee: 0,
        at: new Date('2026-03-17T12:00:00+08:00'),
      })),
      sha256: `refunds ${acc}`,
      fileName: 'r.csv',
      source: 'upload',
    }),
  );
  const rows = await rowsOf(day);
  const fill = (no: string) =>
    act(reconciler, 'reconciliation', rows.find((row) => row.our_no === no)!.id, 'handle', {
      way: 'fill',
      reason: '渠道已退款',
      evidence: [],
    });
  expect(await fill('NOBODY')).toMatchObject({
    status: 30101,
    message: '没有同号同额、等待结果的退款，请挂账',
  });
  expect(await fill(mine.refund)).toMatchObject({ http: 200 });
  expect(
    (
      await f.sql<{ key: string }>(`SELECT key FROM graphile_worker.jobs WHERE key = $1`, [
        `refund.query:${mine.id}`,
      ])
    ).length,
  ).toBe(1);
});

test('group 13 Must show 13: once the bill is imported and in order, the sale is settled', async () => {
  const tenant = await f.merchant(0);
  const acc = await account();
  const sale = await f.sell(tenant, [{ price: 30_000, qty: 1 }], { reconciled: false, fee: 180 });
  const codes = async () =>
    transaction(f.platform.database.db, async (tx) => {
      const found = await collectRows(tx, { tenantId: tenant, from: MARCH.from, to: MARCH.to });
      return [found.rows.map((row) => row.net), found.excluded.map((row) => row.code)];
    });
  expect(await codes()).toEqual([[], ['X04']]);
  await f.sql('UPDATE payment SET payee_account_id = $2 WHERE id = $1', [sale.payment, acc]);
  const [mine] = await f.sql<{ no: string; trade: string }>(
    'SELECT checkout_code AS no, trade_no AS trade FROM payment WHERE id = $1',
    [sale.payment],
  );
  // The channel took 1.90, not the 1.80 that was reckoned.
  await bill(acc, '2026-03-05', [{ ...mine!, amount: 30_000, fee: 190 }]);
  expect(await codes()).toEqual([[29_810], []]);
});

test('a day with payments of ours and no bill is awaited, once; the bill that comes takes its place', async () => {
  const acc = await account();
  const row = await paid(acc, 1_000, '2026-03-20T10:00:00+08:00');
  const waits = (date: string) =>
    transaction(f.platform.database.db, (tx) =>
      awaitBill(tx, { channel: 1, accountId: acc, date, code: () => nextCode(tx, 'CB') }),
    );
  const both = await Promise.all([waits('2026-03-20'), waits('2026-03-20')]);
  expect(both.filter(Boolean)).toHaveLength(1);
  // Nothing was paid on this one.
  expect(await waits('2026-03-21')).toBe(false);
  const { rows } = (await f.call(reconciler, 'GET', `${WEB}/channelBill/page?account=${acc}`)).data;
  expect(rows).toEqual([expect.objectContaining({ state: 'awaiting', ourCount: 1, ourAmount: '10.00' })]);
  const id = await bill(acc, '2026-03-20', [{ ...row, amount: 1_000 }]);
  expect(String(id)).toBe(rows[0].id);
  expect((await get(reconciler, 'channelBill', id)).state).toBe('balanced');
});

test('a bill comes in once; its total, day and columns are looked at', async () => {
  const acc = await account();
  const row = await paid(acc, 1_000, '2026-03-13T10:00:00+08:00');
  const twice = await Promise.allSettled(
    [1, 2].map(() => bill(acc, '2026-03-13', [{ ...row, amount: 1_000 }])),
  );
  expect(twice.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
  await expect(bill(acc, '2026-03-13', [{ ...row, amount: 1_000 }])).rejects.toMatchObject({
    label: ['该账单已导入', 'Bill already imported'],
  });
  const csv = (...lines: string[]) =>
    Buffer.from(['类型,渠道流水,我方单号,金额,手续费,时间', ...lines].join('\n'));
  expect(
    await readBill(
      csv(
        '支付,T1,CK1,"1,000.00",6.00,2026-03-14 10:00:00',
        '退款,T1,RF1,20.00,0,2026-03-14 11:00:00',
        '合计,,,980.00,,',
      ),
      '2026-03-14',
    ),
  ).toMatchObject([
    { type: 'pay', amount: 100_000, fee: 600 },
    { type: 'refund', ourNo: 'RF1', amount: 2_000 },
  ]);
  await expect(
    readBill(csv('支付,T1,CK1,10.00,0,2026-03-14 10:00:00', '合计,,,9.00,,'), '2026-03-14'),
  ).rejects.toMatchObject({
    label: ['文件合计 9.00 与明细合计 10.00 不一致', 'Total of the file 9.00 differs from its rows 10.00'],
  });
  await expect(readBill(csv('支付,T1,CK1,10.00,0,2026-03-15 10:00:00'), '2026-03-14')).rejects.toMatchObject({
    label: ['账户/日期与账单不符', 'Account or day differ from the bill'],
  });
});
