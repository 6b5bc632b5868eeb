import { createHash } from 'node:crypto';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { businessDayOf, endOfBusinessDay, startOfBusinessDay } from '../../kernel/contract/time.rules.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { dayTypesOf } from '../business-calendar/day-type.server.ts';
import { judgeRows, type DraftRow, type ExcludedRow } from './eligible.server.ts';
import type { Cycle } from './settlement.rules.ts';

/** How timelines and audit records call statements. */
export const STATEMENT = 'statement';

/** What a statement is drafted for. */
export interface DraftQuestion {
  readonly tenantId: number;
  readonly cycle: Cycle;
  readonly from: string;
  readonly to: string;
  /** Who makes it; null: the product itself. */
  readonly makerId: number | null;
  /** When it was made, for demonstration rows; default now. */
  readonly at?: Date;
  /** The run it is made by. */
  readonly runId?: number;
  /** Takes lines that are held back after a dispute, too. */
  readonly includeHeld?: boolean;
}

/** What a statement would take, and what is left out. */
export interface Collected {
  readonly rows: readonly DraftRow[];
  readonly excluded: readonly ExcludedRow[];
}

/** Everything a statement of a merchant and a period may take now: sales, refunds, adjustments, what was carried over. */
export async function collectRows(
  tx: Tx,
  question: Pick<DraftQuestion, 'tenantId' | 'from' | 'to' | 'at' | 'includeHeld'>,
): Promise<Collected> {
  const { rows, excluded } = await judgeRows(tx, {
    tenantId: question.tenantId,
    start: startOfBusinessDay(question.from),
    end: endOfBusinessDay(question.to),
    at: question.at ?? new Date(),
    includeHeld: question.includeHeld,
  });
  return {
    rows: [
      ...rows,
      ...(await adjustmentRows(tx, question.tenantId)),
      ...(await carriedOver(tx, question.tenantId)),
      ...(await coverRows(tx, question.tenantId)),
    ],
    excluded,
  };
}

/** Sums of rows as the header of a statement has them. */
export function sumsOf(rows: readonly DraftRow[]) {
  const sum = (value: (row: DraftRow) => number, ...kinds: readonly DraftRow['rowKind'][]) =>
    rows.reduce(
      (total, row) => total + (kinds.length === 0 || kinds.includes(row.rowKind) ? value(row) : 0),
      0,
    );
  return {
    orders: new Set(
      rows.filter((row) => row.rowKind === 'sale' || row.rowKind === 'freight').map((row) => row.orderId),
    ).size,
    cash: sum((row) => row.cash, 'sale'),
    subsidy: sum((row) => row.subsidy),
    freight: sum((row) => row.cash, 'freight'),
    refunds: sum((row) => row.gross, 'refund', 'refund_freight'),
    commission: sum((row) => row.commission),
    channelFee: sum((row) => row.channelFee),
    adjustments: sum((row) => row.net, 'adjustment'),
    carryIn: sum((row) => row.net, 'carry_in'),
    payable: sum((row) => row.net),
  };
}

/**
 * Drafts the statement of a merchant and a period that is over: eligible rows are claimed, what earlier statements carried over is
 * taken in. The same period again, also at the same moment, returns the statement that exists; a merchant whose settlement is
 * frozen, or who has nothing to settle, gets none. Source: group 13, The engine, rules 3 to 7.
 */
export async function draftStatement(
  tx: Tx,
  question: DraftQuestion,
): Promise<{ readonly id: number; readonly made: boolean } | undefined> {
  const { tenantId, from, to } = question;
  if (to >= businessDayOf(question.at ?? new Date())) throw new RangeError(`${to} is not over`);
  const merchant = await lockMerchant(tx, tenantId);
  const existing = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM statement WHERE tenant_id = $1 AND period_from = $2 AND period_to = $3 AND kind = 'payout' AND state <> 'void'`,
    [tenantId, from, to],
  );
  if (existing) return { id: existing.id, made: false };
  if (!merchant || merchant.settlement_frozen) return undefined;
  const { rows } = await collectRows(tx, question);
  if (rows.length === 0) return undefined;
  const id = await insertHeader(tx, question);
  await putRows(tx, id, rows);
  await writeTimeline(tx, {
    entity: STATEMENT,
    entityId: id,
    action: 'draft',
    label: ['生成账单', 'Bill drafted'],
    ...(question.at ? { at: question.at } : {}),
  });
  return { id, made: true };
}

/** Writes the rows of a draft that has none, and everything that follows from them. */
async function putRows(tx: Tx, id: number, rows: readonly DraftRow[]): Promise<void> {
  await insertLines(tx, id, rows);
  await run(tx, 'DELETE FROM statement_project WHERE statement_id = $1', [id]);
  await run(
    tx,
    `INSERT INTO statement_project (statement_id, project_id)
     SELECT $1, project_id FROM statement_line WHERE statement_id = $1 AND project_id IS NOT NULL
     UNION SELECT $1, x.project_id FROM statement_line l JOIN statement_project x ON x.statement_id = l.first_statement_id
       WHERE l.statement_id = $1 AND l.row_kind = 'carry_in'`,
    [id],
  );
  await refreshHeader(tx, id);
}

/** Sums the living rows of a statement up into its header. */
export async function refreshHeader(tx: Tx, id: number): Promise<void> {
  await run(
    tx,
    `UPDATE statement s SET orders = x.orders, row_count = x.row_count, cash = x.cash, subsidy = x.subsidy, gross = x.gross, refunds = x.refunds, commission = x.commission,
       channel_fee = x.channel_fee, adjustments = x.adjustments, carry_in = x.carry_in, cover = x.cover, accrual = x.payable - x.carry_in - x.cover, payable = x.payable
       FROM (SELECT count(DISTINCT order_id) FILTER (WHERE row_kind IN ('sale', 'freight')) AS orders, count(*) AS row_count, coalesce(sum(cash), 0) AS cash,
               coalesce(sum(subsidy), 0) AS subsidy, coalesce(sum(gross) FILTER (WHERE row_kind IN ('sale', 'freight')), 0) AS gross,
               coalesce(sum(gross) FILTER (WHERE row_kind IN ('refund', 'refund_freight')), 0) AS refunds, coalesce(sum(commission), 0) AS commission,
               coalesce(sum(channel_fee), 0) AS channel_fee, coalesce(sum(net) FILTER (WHERE row_kind = 'adjustment'), 0) AS adjustments,
               coalesce(sum(net) FILTER (WHERE row_kind = 'carry_in'), 0) AS carry_in, coalesce(sum(net) FILTER (WHERE row_kind = 'deposit_cover'), 0) AS cover,
               coalesce(sum(net), 0) AS payable
          FROM statement_line WHERE statement_id = $1 AND active) x
      WHERE s.id = $1`,
    [id],
  );
}

/** Reckons the rows of a draft anew; returns what it came to before and comes to now. */
export async function rebuildStatement(
  tx: Tx,
  id: number,
): Promise<{ readonly before: number; readonly after: number; readonly rows: number }> {
  const head = (await runOne<{ tenant_id: number; from: string; to: string; payable: number; held: boolean }>(
    tx,
    `SELECT s.tenant_id, s.period_from::text AS "from", s.period_to::text AS "to", s.payable, coalesce(r.include_held, false) AS held
       FROM statement s LEFT JOIN settlement_run r ON r.id = s.run_id WHERE s.id = $1 AND s.state = 'draft'`,
    [id],
  ))!;
  await lockMerchant(tx, head.tenant_id);
  // Lines that were disputed stay for their disputes; they make room by standing aside.
  await run(tx, 'UPDATE statement_line SET active = false WHERE statement_id = $1 AND active', [id]);
  await run(
    tx,
    'DELETE FROM statement_line l WHERE statement_id = $1 AND NOT EXISTS (SELECT FROM statement_dispute d WHERE d.line_id = l.id)',
    [id],
  );
  const { rows } = await collectRows(tx, {
    tenantId: head.tenant_id,
    from: head.from,
    to: head.to,
    includeHeld: head.held,
  });
  await putRows(tx, id, rows);
  const after = (await runOne<{ payable: number }>(tx, 'SELECT payable FROM statement WHERE id = $1', [id]))!;
  return { before: head.payable, after: after.payable, rows: rows.length };
}

/** Sets the rows of a statement that is given up free for the next one. */
export async function releaseRows(tx: Tx, id: number): Promise<void> {
  await run(tx, 'UPDATE statement_line SET active = false WHERE statement_id = $1 AND active', [id]);
}

/** One at a time may claim rows of a merchant. */
async function lockMerchant(
  tx: Tx,
  tenantId: number,
): Promise<{ readonly settlement_frozen: boolean } | undefined> {
  return runOne(
    tx,
    `SELECT settlement_frozen FROM tenant WHERE id = $1 AND kind = 2 AND merchant_kind IS DISTINCT FROM 'self' FOR NO KEY UPDATE`,
    [tenantId],
  );
}

/** A row that moves no goods: its net is all it is. */
const plainRow = (
  row: Pick<DraftRow, 'rowKind' | 'sourceType' | 'sourceId' | 'title' | 'net' | 'happenedAt'>,
): DraftRow => ({
  projectId: null,
  orderId: null,
  orderLineId: null,
  refundId: null,
  firstStatementId: null,
  qty: 0,
  unitPrice: 0,
  cash: 0,
  subsidy: 0,
  gross: 0,
  commissionBase: 'gross',
  commissionBp: 0,
  commission: 0,
  channelFee: 0,
  ...row,
});

/** Adjustments that were approved and stand on no statement yet. */
async function adjustmentRows(tx: Tx, tenantId: number): Promise<DraftRow[]> {
  const rows = await run<{ id: number; code: string; reason: string; signed: number; at: Date }>(
    tx,
    `SELECT a.id, a.code, a.reason, a.signed, coalesce(a.checked_at, a.created_at) AS at FROM statement_adjustment a
      WHERE a.tenant_id = $1 AND a.state = 'approved'
        AND NOT EXISTS (SELECT FROM statement_line c WHERE c.source_type = 'statement_adjustment' AND c.source_id = a.id AND c.active)
      ORDER BY a.id FOR SHARE OF a`,
    [tenantId],
  );
  return rows.map((row) =>
    plainRow({
      rowKind: 'adjustment',
      sourceType: 'statement_adjustment',
      sourceId: row.id,
      title: `${row.code} ${row.reason}`,
      happenedAt: row.at,
      net: row.signed,
    }),
  );
}

/** Puts an approved adjustment on a statement whose rows are open, behind the others. */
export async function addAdjustmentRow(tx: Tx, id: number, adjustmentId: number): Promise<void> {
  await run(
    tx,
    `INSERT INTO statement_line (statement_id, row_no, row_kind, source_type, source_id, title, happened_at, net)
     SELECT $1, (SELECT coalesce(max(row_no), 0) + 1 FROM statement_line WHERE statement_id = $1), 'adjustment', 'statement_adjustment', a.id,
            a.code || ' ' || a.reason, now(), a.signed FROM statement_adjustment a WHERE a.id = $2`,
    [id, adjustmentId],
  );
}

/** What confirmed statements carried over and no living row has taken yet. */
async function carriedOver(tx: Tx, tenantId: number): Promise<DraftRow[]> {
  const rows = await run<{ id: number; code: string; carry_out: number; confirmed_at: Date }>(
    tx,
    `SELECT s.id, s.code, s.carry_out, s.confirmed_at FROM statement s
      WHERE s.tenant_id = $1 AND s.state IN ('to_pay', 'paying', 'failed', 'settled') AND s.carry_out <> 0
        AND NOT EXISTS (SELECT FROM statement_line c WHERE c.source_type = 'statement' AND c.source_id = s.id AND c.active)
      ORDER BY s.id`,
    [tenantId],
  );
  return rows.map((row) => ({
    ...plainRow({
      rowKind: 'carry_in',
      sourceType: 'statement',
      sourceId: row.id,
      title: row.code,
      happenedAt: row.confirmed_at,
      net: row.carry_out,
    }),
    firstStatementId: row.id,
  }));
}

/** What the deposit covered of a debt, until a statement has taken it over; the ledger holds it already. */
async function coverRows(tx: Tx, tenantId: number): Promise<DraftRow[]> {
  const rows = await run<{ id: number; code: string; amount: number; booked_at: Date }>(
    tx,
    `SELECT d.id, d.code, d.amount, d.booked_at FROM deposit_entry d
      WHERE d.tenant_id = $1 AND d.type = 'cover' AND d.state = 'booked'
        AND NOT EXISTS (SELECT FROM statement_line c WHERE c.source_type = 'deposit_entry' AND c.source_id = d.id AND c.active)
      ORDER BY d.id`,
    [tenantId],
  );
  return rows.map((row) =>
    plainRow({
      rowKind: 'deposit_cover',
      sourceType: 'deposit_entry',
      sourceId: row.id,
      title: row.code,
      happenedAt: row.booked_at,
      net: row.amount,
    }),
  );
}

async function insertHeader(tx: Tx, question: DraftQuestion): Promise<number> {
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO statement (code, tenant_id, cycle, period_from, period_to, payee_account_id, payee_name, payee_bank, payee_tail, run_id, maker_id, created_by, updated_by,
       created_at, updated_at)
     SELECT $1, $2, $3, $4, $5, y.id, coalesce(y.account_name, t.name), coalesce(y.bank, ''), coalesce(y.number_tail, ''), $8, $6, $6, $6,
            coalesce($7::timestamptz, now()), coalesce($7::timestamptz, now())
       FROM tenant t LEFT JOIN LATERAL (SELECT a.id, a.account_name, a.bank, a.number_tail FROM payee_account a
         WHERE a.tenant_id = t.id AND a.purpose = 'payout' AND a.state = 'active' ORDER BY (a.verify_state = 'verified') DESC NULLS LAST, a.id LIMIT 1) y ON true
      WHERE t.id = $2 RETURNING id`,
    [
      await nextCode(tx, 'ST', question.at),
      question.tenantId,
      question.cycle,
      question.from,
      question.to,
      question.makerId,
      question.at ?? null,
      question.runId ?? null,
    ],
  );
  return row!.id;
}

async function insertLines(tx: Tx, id: number, rows: readonly DraftRow[]): Promise<void> {
  await run(
    tx,
    `INSERT INTO statement_line (statement_id, row_no, row_kind, source_type, source_id, project_id, order_id, order_line_id, refund_id, first_statement_id,
       title, qty, unit_price, happened_at, cash, subsidy, gross, commission_base, commission_bp, commission, channel_fee, net)
     SELECT $1, n + (SELECT coalesce(max(row_no), 0) FROM statement_line WHERE statement_id = $1), r."rowKind", r."sourceType", r."sourceId", r."projectId", r."orderId", r."orderLineId", r."refundId", r."firstStatementId",
            r.title, r.qty, r."unitPrice", r."happenedAt", r.cash, r.subsidy, r.gross, r."commissionBase", r."commissionBp", r.commission, r."channelFee", r.net
       FROM ROWS FROM (jsonb_to_recordset($2::jsonb) AS ("rowKind" text, "sourceType" text, "sourceId" bigint, "projectId" bigint, "orderId" bigint,
         "orderLineId" bigint, "refundId" bigint, "firstStatementId" bigint, title text, qty integer, "unitPrice" bigint, "happenedAt" timestamptz, cash bigint,
         subsidy bigint, gross bigint, "commissionBase" text, "commissionBp" integer, commission bigint, "channelFee" bigint, net bigint))
       WITH ORDINALITY AS r ("rowKind", "sourceType", "sourceId", "projectId", "orderId", "orderLineId", "refundId", "firstStatementId", title, qty, "unitPrice",
         "happenedAt", cash, subsidy, gross, "commissionBase", "commissionBp", commission, "channelFee", net, n)`,
    [id, JSON.stringify(rows)],
  );
}

/**
 * Hands a draft in: its rows are frozen under a hash, and the merchant's window to confirm or dispute begins. `objectionDays` are
 * working days; the window ends with the last of them. Source: group 13, Statement life cycle, submit.
 */
export async function submitStatement(
  tx: Tx,
  id: number,
  spec: { readonly submitterId: number | null; readonly objectionDays: number; readonly at?: Date },
): Promise<void> {
  const at = spec.at ?? new Date();
  const done = await run(
    tx,
    `UPDATE statement SET state = 'to_confirm', submitter_id = $2, submitted_at = $3, window_ends_at = $4, rows_hash = $5, version = version + 1,
       updated_at = $3, updated_by = $2 WHERE id = $1 AND state = 'draft' RETURNING id`,
    [id, spec.submitterId, at, await endOfWorkingDays(tx, at, spec.objectionDays), await hashOfRows(tx, id)],
  );
  if (done.length === 0) throw new RangeError(`statement ${id} is no draft`);
  await writeTimeline(tx, {
    entity: STATEMENT,
    entityId: id,
    action: 'submit',
    label: ['提交账单', 'Bill submitted'],
    to: 'to_confirm',
    ...(spec.at ? { at: spec.at } : {}),
  });
}

/** The fingerprint of a statement's rows, printed on it and sent along with the confirmation. */
export async function hashOfRows(db: Executor, id: number): Promise<string> {
  const rows = await run<{ row: string }>(
    db,
    `SELECT concat_ws('|', row_kind, source_type, source_id, qty, cash, subsidy, commission, channel_fee, net) AS row
       FROM statement_line WHERE statement_id = $1 AND active ORDER BY row_no`,
    [id],
  );
  return createHash('sha256')
    .update(rows.map((one) => one.row).join('\n'))
    .digest('hex');
}

/** The end of the n-th working day after the day of an instant. */
export async function endOfWorkingDays(db: Executor, from: Date, count: number): Promise<Date> {
  const days = Array.from({ length: count * 3 + 30 }, (_, n) =>
    businessDayOf(new Date(from.getTime() + (n + 1) * 86_400_000)),
  );
  const types = await dayTypesOf(db, days);
  const works = days.filter((day) => types.get(day) === 'workday');
  return endOfBusinessDay(works[count - 1] ?? days.at(-1)!);
}
