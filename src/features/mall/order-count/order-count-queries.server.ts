import { endOfBusinessDay, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { orderCount, type CountFigure } from './order-count.contract.ts';

/** Orders `t` of a merchant in a project; who placed it on behalf owns it. */
export const COUNT_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: 't.project_id',
  owner: 't.created_by',
};

/** What each figure counts of the orders `t`, once for the report and the list behind it. */
export const COUNTED: Readonly<Record<CountFigure, string>> = {
  created: 'TRUE',
  paid: 't.paid_at IS NOT NULL',
  closed: `t.state = 'closed'`,
  refunds: `EXISTS (SELECT FROM refund r WHERE r.order_id = t.id AND r.state <> 'cancelled')`,
  completed: `t.state = 'completed'`,
};

/** Cash of the goods of a paid order `t` in fen, freight excluded; null of one that was not paid. */
export const RECEIVED = `(CASE WHEN t.paid_at IS NOT NULL THEN t.payable - t.freight END)`;

/** Kinds of orders that are counted. */
export const COUNTED_KINDS = `t.kind IN ('goods', 'service')`;

/** What is asked for. Days are business days, both included. */
export interface CountQuestion {
  readonly from: string;
  readonly to: string;
  readonly projects: readonly number[] | undefined;
  readonly merchants: readonly number[] | undefined;
  readonly kinds: readonly string[] | undefined;
}

/** Counts of one day, merchant and project; `received` in fen. */
export interface CountRow {
  readonly day: string;
  readonly tenant: number;
  readonly project: number;
  readonly created: number;
  readonly paid: number;
  readonly closed: number;
  readonly refunds: number;
  readonly completed: number;
  readonly received: number;
}

/** Counts per day, merchant and project inside the caller's scope; a merchant's own tenant is forced. */
export async function countOrders(
  db: Executor,
  caller: Caller,
  question: CountQuestion,
): Promise<readonly CountRow[]> {
  const parameters = new Parameters();
  const parts = [
    COUNTED_KINDS,
    `t.created_at >= ${parameters.bind(startOfBusinessDay(question.from))}::timestamptz`,
    `t.created_at < ${parameters.bind(endOfBusinessDay(question.to))}::timestamptz`,
    scopeCondition(caller, orderCount.menu, COUNT_SCOPE, parameters),
  ];
  if (question.projects) parts.push(`t.project_id = ANY(${parameters.bind(question.projects)}::bigint[])`);
  if (question.merchants && caller.tenantKind !== 2)
    parts.push(`t.tenant_id = ANY(${parameters.bind(question.merchants)}::bigint[])`);
  if (question.kinds) parts.push(`t.kind = ANY(${parameters.bind(question.kinds)}::text[])`);
  const counts = Object.entries(COUNTED)
    .map(([name, condition]) => `count(*) FILTER (WHERE ${condition})::integer AS ${name}`)
    .join(', ');
  return run<CountRow>(
    db,
    `SELECT (t.created_at AT TIME ZONE 'Asia/Shanghai')::date::text AS day, t.tenant_id AS tenant, t.project_id AS project, ${counts},
            coalesce(sum(${RECEIVED}), 0)::bigint AS received
       FROM sales_order t WHERE ${parts.join(' AND ')} GROUP BY 1, 2, 3`,
    parameters.values,
  );
}
