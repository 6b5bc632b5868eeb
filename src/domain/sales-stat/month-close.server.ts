import type { Label } from '../../kernel/contract/label.ts';
import {
  businessDayOf,
  endOfBusinessDay,
  startOfBusinessDay,
  monthBefore,
} from '../../kernel/contract/time.rules.ts';
import { writeAudit } from '../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../kernel/server/database.ts';
import { invalid } from '../../kernel/server/http/errors.ts';
import { sqlInvariant } from '../../kernel/server/sql-invariant.ts';
import { staffIdOf } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { defineRegistration, type Call } from '../../kernel/server/registration.ts';

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

const monthOf = (at: string) => `to_char(${at} AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM')`;
const CHECKSUM = `md5(concat_ws('|', count(*), coalesce(sum(s.qty), 0), coalesce(sum(s.cash), 0), coalesce(sum(s.goods), 0), coalesce(sum(s.id), 0)))`;

/** Closes a month once and for all; false where it is closed already. */
export async function closeMonth(tx: Tx, month: string, by: number | null): Promise<boolean> {
  await run(tx, `SELECT pg_advisory_xact_lock(hashtext('stat_month_close'))`);
  if (await isClosed(tx, month)) return false;
  const from = startOfBusinessDay(`${month}-01`);
  const to = endOfBusinessDay(lastOf(month));
  await run(
    tx,
    `INSERT INTO stat_month_close (month, closed_by, line_count, pieces, paid, refund_lines, refunded, checksum)
     SELECT $1, $2, x.*, (SELECT count(*) FROM goods_sale_refund b WHERE b.sold_at >= $3 AND b.sold_at < $4),
            (SELECT coalesce(sum(b.cash), 0) FROM goods_sale_refund b WHERE b.sold_at >= $3 AND b.sold_at < $4),
            (SELECT ${CHECKSUM} FROM goods_sale s WHERE s.sold_at >= $3 AND s.sold_at < $4)
       FROM (SELECT count(*), coalesce(sum(s.qty), 0), coalesce(sum(s.cash), 0) FROM goods_sale s WHERE s.sold_at >= $3 AND s.sold_at < $4) x`,
    [month, by, from, to],
  );
  // In the same transaction and by its own rows: a refund that is written meanwhile is not among them, whatever its instant says.
  await run(
    tx,
    `INSERT INTO stat_month_refund (refund_id, month)
     SELECT DISTINCT b.refund_id, $1 FROM goods_sale_refund b WHERE b.sold_at >= $2 AND b.sold_at < $3 ON CONFLICT DO NOTHING`,
    [month, from, to],
  );
  return true;
}

/** Whether figures of a month never move again. */
export async function isClosed(db: Executor, month: string): Promise<boolean> {
  return (await runOne(db, 'SELECT 1 FROM stat_month_close WHERE month = $1', [month])) !== undefined;
}

/** Why a month cannot be written to. */
export const monthClosed = (month: string): Label => [`${month} 已关账`, `${month}: Month is closed`];

/** Closes the month before a day, from the day on that is set. */
export async function closeDue(platform: Platform, today: string): Promise<boolean> {
  if (Number(today.slice(8)) < (await platform.settings.number('stat.close_day'))) return false;
  return transaction(platform.database.db, (tx) => closeMonth(tx, monthBefore(today), null));
}

const lastOf = (month: string) => {
  const [year, at] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, at, 0)).toISOString().slice(0, 10);
};

/** The newest closed months. */
export async function closedMonths(db: Executor): Promise<string[]> {
  const rows = await run<{ month: string }>(
    db,
    'SELECT month FROM stat_month_close ORDER BY month DESC LIMIT 120',
  );
  return rows.map((row) => row.month);
}

/** Closes a month by hand. Refuses (422) one that is not over or closed already. */
export async function closeByHand(
  { platform, caller, facts }: Call,
  month: string,
): Promise<{ month: string }> {
  if (!MONTH.test(month)) throw invalid({ month: ['月份不正确', 'The month is not valid'] });
  if (month >= businessDayOf(new Date()).slice(0, 7))
    throw invalid({ month: ['只能关账已结束的月份', 'Only a month that is over can be closed'] });
  return transaction(platform.database.db, async (tx) => {
    if (!(await closeMonth(tx, month, staffIdOf(caller)))) throw invalid({ month: monthClosed(month) });
    await writeAudit(tx, {
      caller,
      facts,
      menu: 'sa_achievement',
      action: 'closeMonth',
      entity: 'statMonth',
      entityId: Number(month.replace('-', '')),
      after: { month },
    });
    return { month };
  });
}

/** Closing of months by the job, and looked after. Patterns are UTC: 19:00 is 03:00 of the business day. */
export const registration = defineRegistration({
  endpoints: [],
  invariants: [
    sqlInvariant(
      'stat.month',
      `SELECT 'month ' || c.month AS what, ARRAY[c.line_count, c.pieces, c.paid, c.refund_lines, c.refunded]::bigint[] AS found,
              ARRAY[x.lines, x.pieces, x.paid, y.lines, y.cash]::bigint[] AS wanted
         FROM stat_month_close c
         CROSS JOIN LATERAL (SELECT count(*) AS lines, coalesce(sum(s.qty), 0) AS pieces, coalesce(sum(s.cash), 0) AS paid
                               FROM goods_sale s WHERE ${monthOf('s.sold_at')} = c.month) x
         CROSS JOIN LATERAL (SELECT count(*) AS lines, coalesce(sum(b.cash), 0) AS cash
                               FROM goods_sale_refund b WHERE NOT b.correction AND ${monthOf('b.sold_at')} = c.month) y`,
    ),
  ],
  jobs: [
    {
      name: 'stat.close',
      title: ['销售月度关账', 'Closing sales figures of the month'],
      cron: '0 19 * * *',
      timeoutSeconds: 1_800,
      run: async (_payload, platform, context) => {
        context?.print((await closeDue(platform, businessDayOf(new Date()))) ? '已关账 / closed' : '—');
      },
    },
  ],
});
