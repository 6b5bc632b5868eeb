import { run } from '../../../kernel/server/database.ts';
import type { Invariant } from '../../../kernel/server/registration.ts';

/** What must hold of cases at any time. */
export const caseInvariants: readonly Invariant[] = [
  {
    name: 'after_sale.claimed',
    check: async (platform) => {
      const rows = await run<{ id: number; claimed: number; sum: number }>(
        platform.database.db,
        `SELECT l.id, l.qty_claimed AS claimed, coalesce(c.sum, 0)::integer AS sum FROM order_line l
           LEFT JOIN (SELECT x.line_id, sum(coalesce(x.accepted_qty, x.qty)) AS sum FROM after_sale_line x
                        JOIN after_sale a ON a.id = x.after_sale_id WHERE after_sale_is_live(a.state) GROUP BY x.line_id) c ON c.line_id = l.id
          WHERE l.qty_claimed > 0 OR c.sum > 0`,
      );
      return {
        looked: rows.length + 1,
        problems: rows
          .filter((row) => row.claimed !== row.sum)
          .map((row) => `order line ${row.id}: ${row.claimed} claimed, cases say ${row.sum}`),
      };
    },
  },
  {
    name: 'after_sale.refund',
    check: async (platform) => {
      const rows = await run<{ code: string; state: string | null }>(
        platform.database.db,
        `SELECT a.code, r.state FROM after_sale a LEFT JOIN refund r ON r.id = a.refund_id WHERE a.state = 'refunding'`,
      );
      return {
        looked: rows.length + 1,
        problems: rows
          .filter((row) => !['reviewing', 'refunding', 'failed'].includes(row.state ?? ''))
          .map((row) => `${row.code}: refunding, its refund is ${row.state ?? 'missing'}`),
      };
    },
  },
  {
    name: 'after_sale.holds',
    check: async (platform) => {
      const rows = await run<{ code: string; state: string; live: boolean }>(
        platform.database.db,
        `SELECT a.code, a.state, a.type = 'exchange' AND a.state IN ('agreed', 'returned', 'received') AS live
           FROM after_sale_hold h JOIN after_sale a ON a.id = h.after_sale_id WHERE h.state = 'held'`,
      );
      return {
        looked: rows.length + 1,
        problems: rows
          .filter((row) => !row.live)
          .map((row) => `${row.code}: stock is kept in state ${row.state}`),
      };
    },
  },
];
