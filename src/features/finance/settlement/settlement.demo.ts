import { lastPeriod } from '../../../domain/statement/settlement.rules.ts';
import { addDays, businessDayOf, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo, type DemoContext } from '../../../kernel/server/demo.ts';
import { settlementRun, statementAdjustment } from '../initiate/initiate.contract.ts';
import { previewMerchant, runOf } from '../initiate/preview-run.server.ts';
import { payoutBatch } from './settlement.contract.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Runs with their previews, adjustments, batches and payouts around the statements that stand. */
export const demo = defineDemo({
  key: 'settlements',
  after: ['statements', 'merchantPayees'],
  run: async (context) => {
    await adjustments(context);
    await madeRun(context);
    await readyRun(context);
    await batches(context);
  },
});

const compact = (day: string) => day.replaceAll('-', '');

const ADJUSTMENTS = [
  ['penalty', 'minus', 20_000, 'approved', '虚假发货核实属实，按协议扣除违约金'],
  ['compensation', 'plus', 35_800, 'approved', '平台活动页误标价格，补偿商户差额'],
  ['correction', 'plus', 1_260, 'approved', '上期佣金比例按旧协议多扣，予以更正'],
  ['annual_fee', 'minus', 200_000, 'pending', '年度技术服务费'],
  ['other', 'minus', 128_000, 'pending', '展位物料由平台垫付，本期收回'],
  ['penalty', 'minus', 600_000, 'rejected', '售后投诉超标处罚，证据不足退回'],
  ['compensation', 'plus', 8_800, 'withdrawn', '重复录入'],
] as const;

async function adjustments({ now, base, as, tell, insert }: DemoContext): Promise<void> {
  const maker = as('finance1');
  const checker = as('finance2');
  for (const [index, [type, direction, amount, state, reason]] of ADJUSTMENTS.entries()) {
    const at = new Date(now.getTime() - (9 - index) * DAY - 3 * HOUR);
    const later = new Date(at.getTime() + 5 * HOUR);
    const checked = state === 'rejected' || (state === 'approved' && amount >= 30_000);
    const [id] = await insert('statement_adjustment', [
      {
        code: `SA${compact(businessDayOf(at))}${String(900 + index).padStart(6, '0')}`,
        tenant_id: base.merchants[index % base.merchants.length]!.id,
        type,
        direction,
        amount,
        reason,
        state,
        maker_id: maker.staffId,
        checker_id: checked ? checker.staffId : null,
        checked_at: checked ? later : null,
        created_at: at,
        created_by: maker.staffId,
        updated_at: checked ? later : at,
        updated_by: checked ? checker.staffId : maker.staffId,
      },
    ]);
    const actions = statementAdjustment.actions!;
    const told = { entity: statementAdjustment.name, entityId: id! };
    await tell({
      ...told,
      caller: maker,
      action: 'create',
      label: actions.create.label,
      to: state === 'approved' && !checked ? 'approved' : 'pending',
      at,
    });
    if (checked) {
      const action = state === 'rejected' ? 'reject' : 'approve';
      await tell({
        ...told,
        caller: checker,
        action,
        label: actions[action].label,
        from: 'pending',
        to: state,
        at: later,
      });
    }
    if (state === 'withdrawn')
      await tell({
        ...told,
        caller: maker,
        action: 'withdraw',
        label: actions.withdraw.label,
        from: 'pending',
        to: state,
        at: later,
      });
  }
}

/** The run the statements of last month came from. */
async function madeRun({ tx, now, as, tell }: DemoContext): Promise<void> {
  const maker = as('finance1');
  const period = lastPeriod('month', businessDayOf(now));
  const at = new Date(startOfBusinessDay(addDays(period.to, 1)).getTime() + 2 * HOUR);
  if (at > now) return;
  const [made] = await run<{ id: number }>(
    tx,
    `INSERT INTO settlement_run (code, cycle, period_from, period_to, state, progress, previewed_at, maker_id, created_at, created_by, updated_at, updated_by)
     VALUES ($1, 'month', $2, $3, 'done', 100, $5, $4, $6, $4, $5, $4) RETURNING id`,
    [
      `SR${compact(addDays(period.to, 1))}000900`,
      period.from,
      period.to,
      maker.staffId,
      new Date(at.getTime() + HOUR / 2),
      at,
    ],
  );
  const id = made!.id;
  await run(
    tx,
    `INSERT INTO settlement_run_merchant (run_id, tenant_id, state, orders, cash, subsidy, freight, refunds, commission, channel_fee, adjustments, carry_in, payable, statement_id, created_at, updated_at)
     SELECT $1, s.tenant_id, 'created', (SELECT count(DISTINCT l.order_id) FROM statement_line l WHERE l.statement_id = s.id AND l.row_kind = 'sale'), s.cash, s.subsidy,
            (SELECT coalesce(sum(l.gross), 0) FROM statement_line l WHERE l.statement_id = s.id AND l.row_kind = 'freight'),
            s.refunds, s.commission, s.channel_fee, s.adjustments, s.carry_in, s.payable, s.id, $4, $4
       FROM statement s WHERE s.period_from = $2 AND s.period_to = $3 AND s.state <> 'void' ORDER BY s.id`,
    [id, period.from, period.to, at],
  );
  await run(
    tx,
    `INSERT INTO settlement_run_row (run_merchant_id, row_kind, source_type, source_id, order_id, first_statement_id, title, qty, happened_at, cash, subsidy, gross, commission_bp, commission, channel_fee, net)
     SELECT m.id, l.row_kind, l.source_type, l.source_id, l.order_id, l.first_statement_id, l.title, l.qty, l.happened_at, l.cash, l.subsidy, l.gross, l.commission_bp, l.commission, l.channel_fee, l.net
       FROM settlement_run_merchant m JOIN statement_line l ON l.statement_id = m.statement_id WHERE m.run_id = $1 ORDER BY m.id, l.row_no`,
    [id],
  );
  await run(
    tx,
    `UPDATE settlement_run r SET merchants = x.n, statements = x.n, total = x.total
       FROM (SELECT count(*) AS n, coalesce(sum(payable), 0) AS total FROM settlement_run_merchant WHERE run_id = $1) x WHERE r.id = $1`,
    [id],
  );
  await run(
    tx,
    `UPDATE statement SET run_id = $1 WHERE state <> 'settled' AND id IN (SELECT statement_id FROM settlement_run_merchant WHERE run_id = $1)`,
    [id],
  );
  await tell({
    entity: settlementRun.name,
    entityId: id,
    caller: maker,
    action: 'create',
    label: settlementRun.actions!.create.label,
    to: 'done',
    at,
  });
}

/** A run over last week that waits to be made into statements: most of its lines are still inside their days of after-sales. */
async function readyRun({ tx, now, as, tell, base }: DemoContext): Promise<void> {
  const maker = as('finance1');
  const period = lastPeriod('week', businessDayOf(now));
  const at = new Date(now.getTime() - 4 * HOUR);
  const merchants = base.merchants.slice(0, 5).map((one) => one.id);
  const made = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO settlement_run (code, cycle, period_from, period_to, merchant_ids, state, progress, previewed_at, maker_id, created_at, created_by, updated_at, updated_by)
     VALUES ($1, 'week', $2, $3, $4, 'ready', 100, $6, $5, $6, $5, $6, $5) RETURNING id`,
    [`SR${compact(businessDayOf(at))}000900`, period.from, period.to, merchants, maker.staffId, at],
  ))!;
  const asked = (await runOf(tx, made.id))!;
  for (const merchant of merchants) await previewMerchant(tx, asked, merchant);
  await run(tx, `UPDATE settlement_run_merchant SET created_at = $2, updated_at = $2 WHERE run_id = $1`, [
    made.id,
    at,
  ]);
  await run(
    tx,
    `UPDATE settlement_run r SET merchants = x.n, total = x.total
       FROM (SELECT count(*) AS n, coalesce(sum(payable), 0) AS total FROM settlement_run_merchant WHERE run_id = $1) x WHERE r.id = $1`,
    [made.id],
  );
  await tell({
    entity: settlementRun.name,
    entityId: made.id,
    caller: maker,
    action: 'create',
    label: settlementRun.actions!.create.label,
    to: 'ready',
    at,
  });
}

/**
 * Batches: each older month paid through the bank where the merchant's account is known, what the bank sent back, and one that waits
 * for its second person.
 */
async function batches(context: DemoContext): Promise<void> {
  const { tx, now } = context;
  const rows = await run<Payable & { state: string; period_to: string }>(
    tx,
    `SELECT s.id, s.code, s.state, s.period_to::text AS period_to, s.tenant_id, s.pay_amount::bigint AS amount, coalesce(s.paid_at, s.updated_at) AS ended,
            y.id AS account, y.account_name AS name, y.bank, coalesce(y.number_tail, '') AS tail
       FROM statement s JOIN payee_account y ON y.tenant_id = s.tenant_id AND y.purpose = 'payout' AND y.state = 'active' AND y.verify_state = 'verified'
        AND (s.state = 'settled' OR y.usable_from <= $1)
      WHERE s.pay_amount > 0 AND (s.state IN ('failed', 'to_pay') OR s.pay_way = 'channel') ORDER BY s.period_to, s.id`,
    [now],
  );
  const paid = rows.filter((row) => row.state === 'settled');
  for (const month of new Set(paid.map((row) => row.period_to)))
    await batch(
      context,
      paid.filter((row) => row.period_to === month),
      'done',
    );
  await batch(
    context,
    rows.filter((row) => row.state === 'failed'),
    'failed',
  );
  await batch(context, rows.filter((row) => row.state === 'to_pay').slice(0, 2), 'draft');
}

interface Payable {
  readonly id: number;
  readonly code: string;
  readonly tenant_id: number;
  readonly amount: number;
  readonly ended: Date;
  readonly account: number;
  readonly name: string;
  readonly bank: string;
  readonly tail: string;
}

async function batch(
  { now, as, tell, insert, random }: DemoContext,
  rows: readonly Payable[],
  how: 'done' | 'failed' | 'draft',
): Promise<void> {
  if (rows.length === 0) return;
  const maker = as('finance1');
  const authoriser = as('finance2');
  const ended = how === 'draft' ? now : new Date(Math.max(...rows.map((row) => row.ended.getTime())));
  const at = new Date(ended.getTime() - 26 * HOUR);
  const authorised = new Date(at.getTime() + 3 * HOUR);
  const isDraft = how === 'draft';
  const number = { done: 900, failed: 930, draft: 960 }[how];
  const code = `PB${compact(businessDayOf(at))}000${number}`;
  const [id] = await insert('payout_batch', [
    {
      code,
      state: isDraft ? 'draft' : 'done',
      maker_id: maker.staffId,
      authoriser_id: isDraft ? null : authoriser.staffId,
      authorised_at: isDraft ? null : authorised,
      payouts: rows.length,
      total: rows.reduce((sum, row) => sum + row.amount, 0),
      note: isDraft ? '本周付款' : '',
      created_at: at,
      created_by: maker.staffId,
      updated_at: isDraft ? at : ended,
      updated_by: maker.staffId,
    },
  ]);
  await insert(
    'payout',
    rows.map((row, index) => ({
      payout_no: `PO${compact(businessDayOf(at))}000${number + index}`,
      batch_id: id!,
      statement_id: row.id,
      tenant_id: row.tenant_id,
      payee_account_id: row.account,
      payee_name: row.name,
      payee_bank: row.bank,
      payee_tail: row.tail,
      amount: row.amount,
      state: isDraft ? 'waiting' : how === 'done' ? 'succeeded' : 'failed',
      attempts: isDraft ? 0 : 1,
      sent_at: isDraft ? null : authorised,
      ended_at: isDraft ? null : row.ended,
      channel_no: how === 'done' ? `SB${random.digits(12)}` : '',
      channel_message: how === 'failed' ? '户名与账号不符，银行退回' : '',
      created_at: at,
      created_by: maker.staffId,
      updated_at: isDraft ? at : row.ended,
      updated_by: maker.staffId,
    })),
  );
  const actions = payoutBatch.actions!;
  const told = { entity: payoutBatch.name, entityId: id! };
  await tell({ ...told, caller: maker, action: 'create', label: actions.create.label, to: 'draft', at });
  if (isDraft) return;
  await tell({
    ...told,
    caller: authoriser,
    action: 'authorise',
    label: actions.authorise.label,
    from: 'draft',
    to: 'authorised',
    at: authorised,
  });
  await tell({
    ...told,
    action: 'finish',
    label: actions.finish.label,
    from: 'authorised',
    to: 'done',
    at: ended,
  });
}
