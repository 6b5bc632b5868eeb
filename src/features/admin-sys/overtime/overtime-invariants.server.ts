import { run, runOne } from '../../../kernel/server/database.ts';
import type { Invariant } from '../../../kernel/server/registration.ts';

/** The lines of a staff's balance add up to what its lots hold, and no lot gave more than was noted. */
export const balanceInvariant: Invariant = {
  name: 'overtime.balance',
  check: async (platform) => {
    const { db } = platform.database;
    const looked = await runOne<{ n: number }>(db, 'SELECT count(*) AS n FROM leave_balance_lot');
    const off = await run<{ line: string }>(
      db,
      `SELECT 'staff ' || staff_id || ': lines ' || sum(lines) || ', lots ' || sum(lots) AS line FROM (
         SELECT staff_id, effect AS lines, 0 AS lots FROM leave_record
         UNION ALL SELECT staff_id, 0, minutes - used - expired FROM leave_balance_lot WHERE NOT voided) b
        GROUP BY staff_id HAVING sum(lines) <> sum(lots)
       UNION ALL
       SELECT 'lot ' || l.id || ': used and expired ' || (l.used + l.expired) || ', noted ' || coalesce(sum(u.minutes), 0)
         FROM leave_balance_lot l LEFT JOIN leave_lot_use u ON u.lot_id = l.id AND NOT u.returned
        GROUP BY l.id HAVING l.used + l.expired <> coalesce(sum(u.minutes), 0) LIMIT 50`,
    );
    return { looked: looked!.n, problems: off.map((row) => row.line) };
  },
};
