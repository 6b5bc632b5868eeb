import { statementScope } from '../../../domain/statement/statement-scope.server.ts';
import type { ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { OF_MERCHANT } from '../../../domain/merchant/merchant-scope.server.ts';

/** SQL: payouts `t` with what they pay. */
export const PAYOUT_FROM = `payout t LEFT JOIN statement s ON s.id = t.statement_id LEFT JOIN withdrawal w ON w.id = t.withdrawal_id`;

const OF_STATEMENT = statementScope('s').project as (ids: string) => string;
const OF_WITHDRAWAL = OF_MERCHANT.project as (ids: string) => string;

/** A payout stands where the statement or the withdrawal stands. */
export const PAYOUT_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: (ids) =>
    `CASE WHEN t.withdrawal_id IS NULL THEN ${OF_STATEMENT(ids)} ELSE ${OF_WITHDRAWAL(ids)} END`,
  owner: 'coalesce(s.created_by, w.created_by)',
};
