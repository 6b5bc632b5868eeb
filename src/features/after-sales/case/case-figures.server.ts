import { z } from 'zod';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { CASE_SCOPE, NOT_DECOR } from '../../../domain/after-sale/move-case.server.ts';
import { afterSale } from './case.contract.ts';
import type { CaseFigures } from './case-parts.ts';

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

/** Figures of a range of business days in the caller's scope; each counts the very cases its drill opens. Source: group 21. */
export const figuresEndpoint = endpoint({
  method: 'GET',
  path: '/jinmao/web/afterSale/figures',
  title: ['售后概览', 'Figures of cases'],
  access: { code: afterSale.menu },
  query: z.strictObject({ from: day, to: day }),
  handle: async ({ caller, platform, query }): Promise<CaseFigures> => {
    const { db } = platform.database;
    const parameters = new Parameters();
    const scope = scopeCondition(caller, afterSale.menu, CASE_SCOPE, parameters);
    const from = `(${parameters.bind(query.from)}::date)::timestamp AT TIME ZONE 'Asia/Shanghai'`;
    const to = `(${parameters.bind(query.to)}::date + 1)::timestamp AT TIME ZONE 'Asia/Shanghai'`;
    const within = (column: string) => `(${column} >= ${from} AND ${column} < ${to})`;
    const source = `FROM after_sale t LEFT JOIN refund r ON r.id = t.refund_id WHERE ${NOT_DECOR} AND ${scope}`;
    const counts = `count(*) FILTER (WHERE ${within('t.applied_at')})::int AS applied,
      count(*) FILTER (WHERE ${within('t.decided_at')})::int AS decided,
      count(*) FILTER (WHERE ${within('t.decided_at')} AND t.agreed_at IS NOT NULL)::int AS agreed,
      coalesce(sum(r.cash) FILTER (WHERE r.state = 'succeeded' AND ${within('r.succeeded_at')}), 0)::bigint AS refunded`;
    const { values } = parameters;
    const sums = (await runOne<{
      applied: number;
      decided: number;
      agreed: number;
      refunded: number;
      cases: number;
      minutes: number | null;
    }>(
      db,
      `SELECT ${counts}, count(*) FILTER (WHERE r.state = 'succeeded' AND ${within('r.succeeded_at')})::int AS cases,
              round(avg(t.audit_minutes) FILTER (WHERE ${within('t.decided_at')}))::int AS minutes ${source}`,
      values,
    ))!;
    const lines = (await runOne<{ n: number }>(
      db,
      `SELECT count(*)::int AS n FROM sales_order t JOIN order_line l ON l.order_id = t.id WHERE ${scope} AND ${within('t.completed_at')}`,
      values,
    ))!;
    const reasons = await run<{ reason: string; count: number }>(
      db,
      `SELECT t.reason_code AS reason, count(*)::int AS count ${source} AND ${within('t.applied_at')} GROUP BY 1 ORDER BY 2 DESC, 1`,
      values,
    );
    const merchants =
      caller.tenantKind === 2
        ? []
        : await run<{
            id: number;
            name: string;
            applied: number;
            decided: number;
            agreed: number;
            refunded: number;
          }>(
            db,
            `SELECT x.*, mt.name FROM (SELECT t.tenant_id AS id, ${counts} ${source} GROUP BY 1) x JOIN tenant mt ON mt.id = x.id
              WHERE x.applied + x.decided > 0 OR x.refunded > 0 ORDER BY x.applied DESC, x.id LIMIT 20`,
            values,
          );
    return {
      applied: sums.applied,
      decided: sums.decided,
      agreed: sums.agreed,
      averageMinutes: sums.minutes,
      refunded: yuanFromFen(sums.refunded),
      refundedCases: sums.cases,
      linesCompleted: lines.n,
      reasons,
      merchants: merchants.map((one) => ({
        ...one,
        id: String(one.id),
        refunded: yuanFromFen(one.refunded),
      })),
    };
  },
});
