import { saidTwice } from '../../domain/coupon/said-twice.rules.ts';
import { whyOf, type Working } from '../../domain/settlement/why.rules.ts';
import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../kernel/server/database.ts';
import { filesById } from '../../kernel/server/files/files.ts';

/** Rows the desk reads at once; all of them stand in the export. */
const SHOWN = 300;

/** What merchants disputed of a statement and what they were answered, the latest first. */
export async function disputesOf(db: Executor, id: number) {
  const rows = await run<{
    id: number;
    round: number;
    row_no: number;
    title: string;
    reason: string;
    net: number;
    claimed: number | null;
    text: string;
    evidence: string[];
    at: Date;
    withdrawn: boolean;
    answer: string | null;
    answer_text: string;
    answered_by: string | null;
  }>(
    db,
    `SELECT d.id, d.round, l.row_no, coalesce(nullif(l.title, ''), o.title, '') AS title, d.reason_type AS reason, l.net, d.claimed, d.text, d.evidence_ids::text[] AS evidence,
            d.created_at AS at, d.withdrawn_at IS NOT NULL AS withdrawn, d.answer, d.answer_text, s.name AS answered_by
       FROM statement_dispute d JOIN statement_line l ON l.id = d.line_id LEFT JOIN sales_order o ON o.id = l.order_id LEFT JOIN staff s ON s.id = d.answered_by
      WHERE d.statement_id = $1 ORDER BY d.id DESC`,
    [id],
  );
  const files = await filesById(
    db,
    rows.flatMap((row) => row.evidence),
  );
  return rows.map((row) => ({
    ...row,
    id: String(row.id),
    net: yuanFromFen(row.net),
    claimed: row.claimed === null ? null : yuanFromFen(row.claimed),
    evidence: row.evidence.flatMap((file) => files.get(file) ?? []),
    at: isoInstant(row.at),
    answered_by: row.answered_by ?? '',
  }));
}

/** Rows of a statement with their working, those that wait for an answer first. */
export async function rowsOf(db: Executor, id: number) {
  const rows = await run<
    Working & {
      id: number;
      rowNo: number;
      title: string;
      orderCode: string | null;
      claimed: number | null;
      open: boolean;
    }
  >(
    db,
    `SELECT t.id, t.row_no AS "rowNo", t.row_kind AS "rowKind", coalesce(nullif(t.title, ''), o.title, '') AS title, o.code AS "orderCode", t.cash, t.subsidy, t.gross,
            t.commission_base AS "commissionBase", t.commission_bp AS "commissionBp", t.commission, t.channel_fee AS "channelFee", t.net, o.agreement_version AS "agreementVersion",
            d.claimed, d.id IS NOT NULL AS open
       FROM statement_line t LEFT JOIN sales_order o ON o.id = t.order_id
       LEFT JOIN statement_dispute d ON d.line_id = t.id AND d.withdrawn_at IS NULL AND d.answer IS NULL
      WHERE t.statement_id = $1 AND t.active ORDER BY d.id IS NULL, t.row_no LIMIT ${SHOWN}`,
    [id],
  );
  return rows.map((row) => ({
    id: String(row.id),
    rowNo: row.rowNo,
    rowKind: row.rowKind,
    title: row.title,
    orderCode: row.orderCode,
    net: yuanFromFen(row.net),
    claimed: row.claimed === null ? null : yuanFromFen(row.claimed),
    open: row.open,
    why: saidTwice(whyOf(row)),
  }));
}

/** What the ledger holds of a statement and of its payouts, in the order it was booked. */
export async function bookingsOf(db: Executor, id: number) {
  const rows = await run<{
    id: number;
    at: Date;
    purpose: string;
    account: string;
    own: boolean;
    amount: number;
    by: string | null;
  }>(
    db,
    `SELECT e.id, t.at, t.purpose, a.kind AS account, a.kind LIKE 'merchant%' AS own, e.amount, s.name AS by
       FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id LEFT JOIN staff s ON s.id = t.staff_id
      WHERE (t.source_type = 'statement' AND t.source_id = $1::text)
         OR (t.source_type = 'payout' AND t.source_id IN (SELECT p.id::text FROM payout p WHERE p.statement_id = $1::bigint))
      ORDER BY t.at, t.id, e.id`,
    [id],
  );
  return rows.map((row) => ({
    ...row,
    id: String(row.id),
    at: isoInstant(row.at),
    amount: yuanFromFen(row.amount),
    by: row.by ?? '',
  }));
}
