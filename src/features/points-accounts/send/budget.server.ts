import { submitApproval } from '../../../domain/approval/approve.server.ts';
import {
  BUDGET_FIGURES,
  BUDGET_SCOPE,
  budgetSight,
  openBudgetAccounts,
  platformTenant,
} from '../../../domain/points-ledger/points-budget.server.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { TODAY } from '../../../kernel/server/today.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { BUDGET_APPROVAL, BUDGET_FREE, bookChange } from './budget-approval.server.ts';
import { pointsBudget, SEND_MENU } from './send.contract.ts';

/** Companies a budget may belong to: any for platform staff, the own one for others. */
const owners: OptionSource = {
  target: 'budgetOwner',
  anyOf: [SEND_MENU],
  find: async ({ caller, platform }, query) => {
    const rows = await run<{ id: number; name: string }>(
      platform.database.db,
      `SELECT id, name FROM tenant WHERE kind <> 3 AND ($1::bigint IS NULL OR id = $1)
          AND CASE WHEN cardinality($2::bigint[]) > 0 THEN id = ANY($2::bigint[]) ELSE name ILIKE $3 END
        ORDER BY kind, id LIMIT $4 OFFSET $5`,
      [
        caller.tenantKind === 3 ? null : caller.tenantId,
        query.ids.map(Number),
        containing(query.searchVal),
        query.limit,
        query.offset,
      ],
    );
    return rows.map((row) => ({ id: String(row.id), title: row.name }));
  },
};

/** Budgets points are given from. */
export const registration = bindResource(pointsBudget, {
  table: 'points_budget',
  from: 'points_budget t LEFT JOIN tenant o ON o.id = t.tenant_id',
  scope: BUDGET_SCOPE,
  search: `lower(t.code || ' ' || t.name)`,
  columns: {
    owner: { id: 't.tenant_id', title: 'o.name' },
    loaded: BUDGET_FIGURES.loaded,
    held: BUDGET_FIGURES.held,
    left: BUDGET_FIGURES.left,
    issued: `(${BUDGET_FIGURES.loaded} - ${BUDGET_FIGURES.left} - ${BUDGET_FIGURES.held})`,
    used: `(CASE WHEN ${BUDGET_FIGURES.loaded} > 0 THEN round((${BUDGET_FIGURES.loaded} - ${BUDGET_FIGURES.left}) * 100.0 / ${BUDGET_FIGURES.loaded}, 2) END)`,
  },
  writes: { owner: 'tenant_id' },
  handlers: { create, load },
  also: { options: [owners], sights: [budgetSight] },
}).registration;

/** Opens the accounts of a new budget with it; nothing is in them before it is loaded. */
async function create({ tx, columns, caller }: ActionContext): Promise<ActionResult> {
  if (caller.tenantKind !== 3) columns.tenant_id = caller.tenantId;
  const { id } = (await runOne<{ id: number }>(
    tx,
    `SELECT nextval(pg_get_serial_sequence('points_budget', 'id'))::bigint AS id`,
  ))!;
  const { accountId, holdAccountId } = await openBudgetAccounts(tx, id);
  await run(
    tx,
    `INSERT INTO points_budget (id, code, name, tenant_id, year, warn_percent, account_id, hold_account_id, created_by, updated_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
    [
      id,
      await nextCode(tx, 'PB'),
      columns.name,
      columns.tenant_id ?? null,
      columns.year,
      columns.warn_percent,
      accountId,
      holdAccountId,
      caller.staffId,
    ],
  );
  return { id };
}

/** What a budget was loaded by (or reduced by) today without anybody's approval: large changes do not pass in pieces. */
async function freeToday(tx: Tx, budgetId: number, amount: number): Promise<number> {
  return (await runOne<{ sum: number }>(
    tx,
    `SELECT coalesce(sum(abs(c.amount)), 0)::bigint AS sum FROM points_budget_change c
      WHERE c.budget_id = $1 AND sign(c.amount) = sign($2::numeric) AND c.state = 'booked' AND (c.created_at AT TIME ZONE 'Asia/Shanghai')::date = ${TODAY}
        AND NOT EXISTS (SELECT FROM approval_instance a WHERE a.biz_type = $3 AND a.biz_id = c.id)`,
    [budgetId, amount, BUDGET_APPROVAL],
  ))!.sum;
}

/** Loads or reduces at once, or hands it in where a day's changes are above the free amount. Source: group 22, btn_budget. */
async function load({ tx, platform, id, row, input, caller, facts }: ActionContext): Promise<ActionResult> {
  const amount = Number(input.amount);
  if (amount === 0) throw invalid({ amount: ['积分不能为 0', 'The points cannot be 0'] });
  const waits = Math.abs(amount) + (await freeToday(tx, id, amount)) > BUDGET_FREE;
  const code = await nextCode(tx, 'PL');
  const made = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO points_budget_change (code, budget_id, amount, reason, state, created_by, updated_by) VALUES ($1, $2, $3, $4, $5, $6, $6) RETURNING id`,
    [code, id, amount, input.reason, waits ? 'reviewing' : 'booked', caller.staffId],
  ))!.id;
  platform.changed('pointsBudgetChange');
  const signed = `${amount > 0 ? '+' : ''}${amount.toLocaleString('en-US')}`;
  const remark = `${signed} ${String(input.reason)}`;
  if (!waits) {
    await bookChange(tx, made);
    return { remark };
  }
  await submitApproval(
    tx,
    platform,
    {
      kind: BUDGET_APPROVAL,
      bizId: made,
      tenantId: (row.tenant_id as number | null) ?? (await platformTenant(tx)),
      title: [`积分预算 ${String(row.name)}`, `Points budget: ${String(row.name)}`],
      summary: [
        { label: ['变动积分', 'Points'], value: [signed, signed] },
        { label: ['原因', 'Reason'], value: [String(input.reason), String(input.reason)] },
      ],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  return { event: ['提交预算审批', 'Change handed in'], remark };
}
