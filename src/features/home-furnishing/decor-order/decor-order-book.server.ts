import { SETTLEMENT_PERIOD } from '../../../domain/furnishing/decor-order.rules.ts';
import { percentOf } from '../../../domain/furnishing/decor-version.rules.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { picturesOf } from '../../property/picture-columns.server.ts';
import type { DecorBook } from './decor-order-wire.ts';
import { TODAY } from '../../../kernel/server/today.ts';

/** Everything an order has beside its row. */
export async function bookOf(db: Executor, id: number): Promise<DecorBook> {
  type Raw = Record<string, unknown>;
  const read = (sql: string) => run<Raw>(db, sql, [id]);
  const money = (value: unknown) => yuanFromFen(Number(value ?? 0));
  const lines = await read(
    'SELECT kind, source, name, quantity, unit_price, amount FROM decor_line WHERE order_id = $1 ORDER BY position',
  );
  const parts = await read(
    `SELECT i.seq, i.name, i.share, i.amount, i.due_event, i.due_days, r.due_on::text AS due_on, coalesce(r.received, 0)::bigint AS received,
            CASE WHEN i.amount = 0 THEN 'none' ELSE coalesce(r.state, CASE WHEN o.state = 'closed' THEN 'void' ELSE 'later' END) END AS state,
            coalesce(r.state IN ('open', 'part') AND r.due_on < ${TODAY}, false) AS overdue,
            coalesce((SELECT array_agg(c.code ORDER BY c.id) FROM receipt_allocation a JOIN receipt c ON c.id = a.receipt_id WHERE a.receivable_id = r.id), '{}') AS receipts
       FROM decor_instalment i JOIN decor_order o ON o.id = i.order_id LEFT JOIN receivable r ON r.id = i.receivable_id WHERE i.order_id = $1
     UNION ALL
     SELECT r.period_no, '结算补收', 0, r.principal, 'settlement', 0, r.due_on::text, r.received, r.state, r.state IN ('open', 'part') AND r.due_on < ${TODAY},
            coalesce((SELECT array_agg(c.code ORDER BY c.id) FROM receipt_allocation a JOIN receipt c ON c.id = a.receipt_id WHERE a.receivable_id = r.id), '{}')
       FROM receivable r WHERE r.source_kind = 'decor' AND r.source_id = $1 AND r.period_no = ${SETTLEMENT_PERIOD}
     ORDER BY 1`,
  );
  const nodes = await read(
    `SELECT n.seq, n.name, n.weight, n.planned_from::text AS "from", n.planned_to::text AS "to", n.state, n.rework_count, d.name AS done_by, c.name AS checked_by,
            ((n.finished_at AT TIME ZONE 'Asia/Shanghai')::date)::text AS finished_on,
            (coalesce((n.finished_at AT TIME ZONE 'Asia/Shanghai')::date, ${TODAY}) > n.planned_to) AS late
       FROM decor_node n LEFT JOIN staff d ON d.id = n.done_by LEFT JOIN staff c ON c.id = n.checked_by WHERE n.order_id = $1 ORDER BY n.seq`,
  );
  const checks = await read(
    `SELECT k.id, k.kind, n.name AS node, k.round, k.result, k.defects, ${picturesOf('k.file_ids')} AS files, ${picturesOf('ARRAY[k.signature_id]')} AS signature, k.note,
            coalesce(s.name, '') AS who, k.created_at FROM decor_check k LEFT JOIN decor_node n ON n.id = k.node_id LEFT JOIN staff s ON s.id = k.created_by
      WHERE k.order_id = $1 ORDER BY k.id DESC`,
  );
  const warranty = await read(
    `SELECT category, months, from_on::text AS "from", to_on::text AS "to" FROM decor_warranty WHERE order_id = $1 ORDER BY months DESC, category`,
  );
  const refunds = await read(
    `SELECT f.code, f.cash, f.state, f.reason, f.created_at, coalesce((SELECT jsonb_agg(jsonb_build_object('receipt', c.code, 'amount', p.amount) ORDER BY c.received_on DESC, c.id DESC)
              FROM refund_part p JOIN receipt c ON c.id = p.receipt_id WHERE p.refund_id = f.id), '[]') AS parts
       FROM refund f JOIN decor_order o ON o.sales_order_id = f.order_id WHERE o.id = $1 ORDER BY f.id DESC`,
  );
  const cases = await run<Omit<DecorBook['cases'][number], 'at'> & { at: Date }>(
    db,
    'SELECT code, type, category, room, state, applied_at AS at FROM after_sale WHERE decor_order_id = $1 ORDER BY id DESC LIMIT 50',
    [id],
  );
  return {
    cases: cases.map((row) => ({ ...row, at: isoInstant(row.at) })),
    lines: lines.map((row) => ({
      kind: row.kind as DecorBook['lines'][number]['kind'],
      source: String(row.source),
      name: String(row.name),
      quantity: (Number(row.quantity) / 100).toFixed(2),
      unitPrice: money(row.unit_price),
      amount: money(row.amount),
    })),
    instalments: parts.map((row) => ({
      seq: Number(row.seq),
      name: String(row.name),
      share: percentOf(Number(row.share)),
      amount: money(row.amount),
      dueEvent: row.due_event as DecorBook['instalments'][number]['dueEvent'],
      dueDays: Number(row.due_days),
      dueOn: row.due_on as string | null,
      received: money(row.received),
      state: row.state as DecorBook['instalments'][number]['state'],
      overdue: row.overdue === true,
      receipts: row.receipts as string[],
    })),
    nodes: nodes.map((row) => ({
      seq: Number(row.seq),
      name: String(row.name),
      weight: percentOf(Number(row.weight)),
      from: String(row.from),
      to: String(row.to),
      state: row.state as DecorBook['nodes'][number]['state'],
      reworks: Number(row.rework_count),
      doneBy: row.done_by as string | null,
      checkedBy: row.checked_by as string | null,
      finishedOn: row.finished_on as string | null,
      late: row.late === true,
    })),
    checks: checks.map((row) => ({
      id: String(row.id),
      kind: row.kind as DecorBook['checks'][number]['kind'],
      node: row.node as string | null,
      round: Number(row.round),
      result: row.result as DecorBook['checks'][number]['result'],
      defects: row.defects as DecorBook['checks'][number]['defects'],
      files: row.files as readonly FileValue[],
      signature: (row.signature as readonly FileValue[])[0] ?? null,
      note: String(row.note),
      by: String(row.who),
      at: isoInstant(row.created_at as Date),
    })),
    warranty: warranty as unknown as DecorBook['warranty'],
    refunds: refunds.map((row) => ({
      code: String(row.code),
      amount: money(row.cash),
      state: row.state as DecorBook['refunds'][number]['state'],
      reason: String(row.reason),
      parts: (row.parts as { receipt: string; amount: number }[]).map((one) => ({
        receipt: one.receipt,
        amount: money(one.amount),
      })),
      at: isoInstant(row.created_at as Date),
    })),
  };
}
