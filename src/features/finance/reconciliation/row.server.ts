import { settleState } from '../../../domain/settlement/channel-bill.server.ts';
import { CALLBACK_EFFECT } from '../../../domain/checkout/sandbox-pay.server.ts';
import { RETURN_EFFECT, returnNoOf } from '../../../domain/checkout/money-back.server.ts';
import { picturesOf } from '../../property/picture-columns.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import type { TodoKind } from '../../../kernel/server/registration.ts';
import { queueJob } from '../../../kernel/server/tasks/job-queue.ts';
import { addEffect } from '../../../kernel/server/tasks/outbox.ts';
import { PLATFORM_SCOPE } from '../initiate/platform-scope.server.ts';
import {
  ASK_EFFECT,
  askEffects,
  DIFFERENCE_EFFECT,
  differenceNoOf,
  RESEND_EFFECT,
} from './channel-asks.server.ts';
import { channelBill, HANDLE_WAYS, reconciliation, RECONCILIATION_MENU } from './reconciliation.contract.ts';

/** From this amount on a picture has to prove it. */
const EVIDENCE_FROM = 10_000;

/** Ways a result may be handled in. Source: group 13, fm_financialReconciliationDetails, Handling. */
const WAYS: Readonly<Record<string, readonly string[]>> = {
  'amount_differs pay': ['write_off', 'refund_diff', 'hold'],
  'amount_differs refund': ['write_off', 'hold'],
  'only_ours pay': ['hold'],
  'only_ours refund': ['resend', 'hold'],
  'only_channel pay': ['fill', 'refund', 'hold'],
  'only_channel refund': ['fill', 'hold'],
};

const byOther = (row: DbRow, caller: Caller): Label | undefined =>
  Number(row.makerId) === caller.staffId
    ? ['不能复核自己的处理', 'You cannot check your own handling']
    : undefined;

const ROW_SCOPE = PLATFORM_SCOPE('b.created_by');
const HELD_DAYS = `(CASE WHEN t.state = 'held' THEN ((now() AT TIME ZONE 'Asia/Shanghai')::date - (t.first_held_at AT TIME ZONE 'Asia/Shanghai')::date) END)`;

/** Rows of bills and what is done with their differences. */
export const registration = bindResource(reconciliation, {
  table: 'reconciliation',
  from: `reconciliation t LEFT JOIN channel_bill b ON b.id = t.bill_id LEFT JOIN staff k ON k.id = t.maker_id LEFT JOIN staff c ON c.id = t.checker_id`,
  scope: ROW_SCOPE,
  keyword: (value, parameters) => {
    const exact = parameters.bind(value.trim());
    return `(t.trade_no = ${exact} OR t.our_no = ${exact})`;
  },
  columns: {
    bill: { id: 't.bill_id', title: 'b.code' },
    billDate: 'b.bill_date',
    maker: { id: 't.maker_id', title: 'k.name' },
    checker: { id: 't.checker_id', title: 'c.name' },
    evidence: picturesOf('t.evidence_ids'),
    reason: `nullif(t.reason, '')`,
    heldDays: HELD_DAYS,
    age: `(CASE WHEN ${HELD_DAYS} <= 1 THEN '0-1' WHEN ${HELD_DAYS} <= 7 THEN '2-7' WHEN ${HELD_DAYS} <= 30 THEN '8-30' WHEN ${HELD_DAYS} > 30 THEN '31-' END)`,
  },
  writes: { evidence: 'evidence_ids' },
  extra: { makerId: 't.maker_id' },
  ruleReads: ['makerId', 'result'],
  rowRules: {
    check: byOther,
    refuse: byOther,
    query: (row) =>
      row.result === 'only_ours'
        ? undefined
        : ['只有我方多的明细需要查证', 'Only rows the channel lacks are asked about'],
  },
  sets: { refuse: { handle_way: null } },
  handlers: {
    handle,
    check: async (context) => {
      await carryOut(context, String(context.row.handle_way));
      return { set: { checker_id: context.caller.staffId, handled_at: new Date() } };
    },
    query: async ({ tx, id }) => {
      await addEffect(tx, ASK_EFFECT, { rowId: id });
    },
  },
  after: [
    async ({ tx, platform, row }) => {
      await settleState(tx, Number(row.bill_id));
      platform.changed(channelBill.name);
      return [];
    },
  ],
  also: { effects: askEffects, todos: [heldTooLong()] },
}).registration;

/** Writes off, fills in, sends back or holds a difference; all but small write-offs, holds and fills wait for a second person. */
async function handle(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, row, input, caller } = context;
  const way = String(input.way) as keyof typeof HANDLE_WAYS;
  const amount = amountOf(row);
  if (!(WAYS[`${String(row.result)} ${String(row.type)}`] ?? []).includes(way))
    throw invalid({ way: ['该结果不能这样处理', 'This result is not handled in this way'] });
  if (way === 'refund_diff' && Number(row.their_amount) < Number(row.our_amount))
    throw invalid({
      way: ['渠道金额少于我方，没有可退的差额', 'The channel has less than we: nothing goes back'],
    });
  if (way === 'resend' && row.channel_says !== 'unknown' && row.channel_says !== 'failed')
    throw ruleBroken([
      '请先查证；渠道确认未退款后才能重发',
      'Query first: it is sent again only when the channel has not refunded it',
    ]);
  const evidence = (input.evidence ?? []) as string[];
  if (amount >= EVIDENCE_FROM && evidence.length === 0)
    throw invalid({ evidence: ['100.00 元及以上须附凭证', 'From 100.00 on a picture is needed'] });
  await checkAttachable(tx, caller, 'evidence', evidence);
  const set = {
    handle_way: way,
    reason: String(input.reason),
    evidence_ids: evidence,
    maker_id: caller.staffId,
    checker_id: null,
  };
  if (way === 'hold') {
    const today = businessDayOf(new Date());
    if (row.held_on === today) throw ruleBroken(['同一笔每天只能挂账一次', 'A row is held once a day']);
    const most = await platform.settings.numberIn(tx, 'recon.hold_max');
    if (Number(row.holds) >= most) throw ruleBroken([`最多挂账 ${most} 次`, `Held ${most} times at most`]);
    return {
      to: 'held',
      set: {
        ...set,
        holds: Number(row.holds) + 1,
        held_on: today,
        first_held_at: row.first_held_at ?? new Date(),
      },
      remark: String(input.reason),
    };
  }
  const direct =
    way === 'fill' ||
    (way === 'write_off' && amount <= (await platform.settings.numberIn(tx, 'recon.write_off_max')));
  if (!direct) return { to: 'to_check', set, remark: String(input.reason) };
  const done = await carryOut(context, way);
  return { to: 'handled', set: { ...set, ...done, handled_at: new Date() }, remark: String(input.reason) };
}

/** What a difference is about, in fen. */
function amountOf(row: DbRow): number {
  return row.result === 'amount_differs'
    ? Math.abs(Number(row.their_amount) - Number(row.our_amount))
    : Number(row.our_amount ?? row.their_amount);
}

/** Does what was decided: a payment goes through the handler of callbacks, money goes back through the outbox. */
async function carryOut({ tx, row, platform }: ActionContext, way: string): Promise<Record<string, unknown>> {
  if (way === 'resend') {
    await addEffect(
      tx,
      RESEND_EFFECT,
      { refundId: row.refund_id },
      { key: `${RESEND_EFFECT}:${String(row.id)}` },
    );
    return {};
  }
  if (way === 'refund_diff') return sendDifference(tx, row);
  if (way === 'fill' && row.type === 'refund') return fillRefund(tx, platform, row);
  if (way !== 'fill' && way !== 'refund') return {};
  const bill = (await runOne<{ channel: 1 | 2; account: number }>(
    tx,
    'SELECT channel, payee_account_id AS account FROM channel_bill WHERE id = $1',
    [row.bill_id],
  ))!;
  const trade = {
    checkoutCode: String(row.our_no),
    tradeNo: String(row.trade_no),
    amount: Number(row.their_amount),
    channel: bill.channel,
    payeeAccountId: bill.account,
  };
  if (way === 'refund') {
    await addEffect(tx, RETURN_EFFECT, trade, { key: `${RETURN_EFFECT}:${trade.tradeNo}` });
    return {};
  }
  const payment = await runOne<{ id: number }>(
    tx,
    'SELECT id FROM payment WHERE checkout_code = $1 AND state <> 2 AND amount = $2',
    [trade.checkoutCode, trade.amount],
  );
  if (!payment)
    throw ruleBroken([
      '没有金额一致的待支付单，请退回',
      'No unpaid payment of this amount: send it back instead',
    ]);
  await addEffect(
    tx,
    CALLBACK_EFFECT,
    { ...trade, paidAt: (row.their_at as Date).toISOString() },
    { key: `recon.fill:${trade.tradeNo}` },
  );
  await run(tx, 'UPDATE reconciliation SET payment_id = $2 WHERE id = $1', [row.id, payment.id]);
  return {};
}

/** What the channel took above our amount goes back to who paid it. */
async function sendDifference(tx: Tx, row: DbRow): Promise<Record<string, unknown>> {
  const payment = (await runOne<{ checkout_code: string; channel: number; account: number | null }>(
    tx,
    'SELECT checkout_code, channel, payee_account_id AS account FROM payment WHERE id = $1',
    [row.payment_id],
  ))!;
  await addEffect(
    tx,
    DIFFERENCE_EFFECT,
    {
      tradeNo: String(row.trade_no),
      checkoutCode: payment.checkout_code,
      amount: Number(row.their_amount) - Number(row.our_amount),
      paid: Number(row.their_amount),
      payeeAccountId: payment.account,
      channel: payment.channel,
    },
    { key: `${DIFFERENCE_EFFECT}:${String(row.trade_no)}` },
  );
  return {};
}

/**
 * A refund the channel paid while ours waits for its result, or was given up: it is asked for again and succeeds. Money that went back
 * without a refund of ours, because no order could keep it, is explained by its number.
 */
async function fillRefund(tx: Tx, platform: Platform, row: DbRow): Promise<Record<string, unknown>> {
  const [ourNo, tradeNo] = [String(row.our_no), String(row.trade_no)];
  if ([returnNoOf(tradeNo), differenceNoOf(tradeNo)].includes(ourNo)) return {};
  const refund = await runOne<{ id: number; state: string; attempts: number }>(
    tx,
    `SELECT id, state, attempts FROM refund WHERE channel_refund_no = $1 AND cash = $2 AND state IN ('refunding', 'failed')`,
    [ourNo, Number(row.their_amount)],
  );
  if (!refund)
    throw ruleBroken([
      '没有同号同额、等待结果的退款，请挂账',
      'No refund of this number and amount waits for its result: hold it',
    ]);
  await (refund.state === 'refunding'
    ? queueJob(
        tx,
        'refund.query',
        { refundId: refund.id, attempt: refund.attempts, tries: 0 },
        { jobKey: `refund.query:${refund.id}` },
      )
    : queueJob(tx, 'refund.late_success', { refundId: refund.id }));
  platform.changed('refund');
  await run(tx, 'UPDATE reconciliation SET refund_id = $2 WHERE id = $1', [row.id, refund.id]);
  return {};
}

/** Rows that are held for more than a week. Source: group 13, Suspense. */
function heldTooLong(): TodoKind {
  return {
    kind: 'reconSuspense',
    label: ['挂账超过 7 天', 'Suspense older than 7 days'],
    menu: RECONCILIATION_MENU,
    route: `/financialManage/${RECONCILIATION_MENU}?as=rows&tab=held&age=8-30,31-`,
    order: 176,
    count: async ({ caller, platform }) => {
      const parameters = new Parameters();
      const seen = scopeCondition(caller, RECONCILIATION_MENU, ROW_SCOPE, parameters);
      const row = await runOne<{ count: number; oldest: Date | null }>(
        platform.database.db,
        `SELECT count(*)::int AS count, min(t.first_held_at) AS oldest FROM reconciliation t JOIN channel_bill b ON b.id = t.bill_id
          WHERE t.state = 'held' AND ${HELD_DAYS} > 7 AND ${seen}`,
        parameters.values,
      );
      return { count: row!.count, oldest: row!.oldest, overdue: row!.count };
    },
  };
}
