import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';

/** All rows as they are printed; nobody's name or phone stands on paper. */
export async function printedRows(db: Executor, id: number): Promise<unknown[]> {
  const rows = await run<DbRow>(
    db,
    `SELECT t.row_no, t.row_kind, coalesce(o.code, '') AS order_code, t.title, t.qty, t.happened_at, t.cash, t.subsidy, t.commission, t.channel_fee, t.net
       FROM statement_line t LEFT JOIN sales_order o ON o.id = t.order_id WHERE t.statement_id = $1 AND t.active ORDER BY t.row_no`,
    [id],
  );
  return rows.map((row) => ({
    rowNo: row.row_no,
    rowKind: row.row_kind,
    orderCode: row.order_code,
    title: row.title,
    qty: row.qty,
    happenedAt: row.happened_at === null ? null : isoInstant(row.happened_at as Date),
    ...Object.fromEntries(
      (['cash', 'subsidy', 'commission', 'channel_fee', 'net'] as const).map((name) => [
        name === 'channel_fee' ? 'channelFee' : name,
        yuanFromFen(row[name] as number),
      ]),
    ),
  }));
}
