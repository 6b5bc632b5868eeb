import {
  beforeCommit,
  beginAnew,
  run,
  runOne,
  type Executor,
  type Tx,
} from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { SettingsReader } from '../../kernel/server/settings/settings-store.ts';
import { notify } from '../notification/notify.server.ts';
import { listSight } from '../notification/row-sight.server.ts';
import { holdersOf } from '../approval/approvers.server.ts';
import { bookTransfer, transferOf, type LedgerSource } from './ledger-book.server.ts';

const MENU = 'pointsSend';

/** Where a budget (`t`) stands: with the company, centre city or merchant it belongs to, or the platform. */
export const BUDGET_SCOPE = {
  tenant: 't.tenant_id',
  project: 'none',
  owner: 't.created_by',
} as const;

/** Budgets as those read of them who see the list. */
export const budgetSight = listSight({
  entity: 'pointsBudget',
  menu: MENU,
  table: 'points_budget',
  scope: BUDGET_SCOPE,
});

/** A budget with what its accounts hold, locked. */
export interface LockedBudget {
  readonly id: number;
  readonly name: string;
  readonly tenantId: number | null;
  readonly enabled: boolean;
  readonly accountId: number;
  readonly holdAccountId: number;
  /** Left to be given or held. */
  readonly left: number;
  readonly held: number;
}

/** SQL of a budget's figures: `t` is the budget. */
export const BUDGET_FIGURES = {
  left: '(SELECT a.balance FROM ledger_account a WHERE a.id = t.account_id)',
  held: '(SELECT a.balance FROM ledger_account a WHERE a.id = t.hold_account_id)',
  loaded: `(SELECT coalesce(-sum(e.amount), 0)::bigint FROM ledger_transfer l JOIN ledger_entry e ON e.transfer_id = l.id
      JOIN ledger_account a ON a.id = e.account_id WHERE l.source_type = 'points_budget' AND l.source_id = t.id::text AND a.kind = 'points_issue')`,
} as const;

/** Locks the accounts of a budget, behind those of members. Source: group 22, Accounts. */
export async function lockBudget(tx: Tx, budgetId: number): Promise<LockedBudget> {
  const budget = await runOne<{
    id: number;
    name: string;
    tenantId: number | null;
    enabled: boolean;
    accountId: number;
    holdAccountId: number;
  }>(
    tx,
    `SELECT id, name, tenant_id AS "tenantId", enabled, account_id AS "accountId", hold_account_id AS "holdAccountId" FROM points_budget WHERE id = $1`,
    [budgetId],
  );
  if (!budget) throw new Error(`no points budget ${budgetId}`);
  const rows = await run<{ id: number; balance: number }>(
    tx,
    'SELECT id, balance FROM ledger_account WHERE id IN ($1, $2) ORDER BY id FOR UPDATE',
    [budget.accountId, budget.holdAccountId],
  );
  const balanceOf = (id: number) => rows.find((row) => row.id === id)!.balance;
  return {
    ...budget,
    left: balanceOf(budget.accountId) - promisedOf(tx, budgetId),
    held: balanceOf(budget.holdAccountId),
  };
}

/** How many times what is wanted a budget must hold to be taken from without its lock. */
const AMPLE = 100;
/** What transactions under way take of budgets at their end. */
const promised = new WeakMap<Tx, Map<number, number>>();

function promisedOf(tx: Tx, budgetId: number): number {
  return promised.get(tx)?.get(budgetId) ?? 0;
}

/** A budget that holds far more than is wanted, not locked; undefined for others, which {@link lockBudget} is for. */
export async function ampleBudget(
  tx: Tx,
  budgetId: number,
  wanted: number,
): Promise<{ readonly id: number; readonly accountId: number } | undefined> {
  return runOne<{ id: number; accountId: number }>(
    tx,
    `SELECT b.id, b.account_id AS "accountId" FROM points_budget b JOIN ledger_account a ON a.id = b.account_id
      WHERE b.id = $1 AND b.enabled AND a.balance >= $2`,
    [budgetId, promisedOf(tx, budgetId) + wanted * AMPLE],
  );
}

/**
 * Takes the side of a transfer that an {@link ampleBudget} bears when all else of the transaction is written: the account of a
 * budget is wanted by everybody and held for its last moment only. Begins anew when the budget has run short meanwhile.
 */
export async function takeAtEnd(
  tx: Tx,
  budget: { readonly id: number; readonly accountId: number },
  transferId: number,
  amount: number,
): Promise<void> {
  const own = promised.get(tx) ?? new Map<number, number>();
  promised.set(tx, own.set(budget.id, promisedOf(tx, budget.id) + amount));
  await beforeCommit(tx, async () => {
    const taken = await runOne<WatchedBudget & { there: boolean; left: number | null }>(
      tx,
      `WITH touched AS (UPDATE ledger_account SET balance = balance - $3 WHERE id = $2 AND balance >= $3
           AND EXISTS (SELECT FROM ledger_transfer WHERE id = $1) RETURNING balance),
       booked AS (INSERT INTO ledger_entry (transfer_id, account_id, amount, balance_after) SELECT $1, $2, -$3::bigint, balance FROM touched)
       SELECT EXISTS (SELECT FROM ledger_transfer WHERE id = $1) AS there, (SELECT balance FROM touched) AS left, ${WATCHED}
         FROM points_budget t WHERE t.id = $4`,
      [transferId, budget.accountId, amount, budget.id],
    );
    // A transfer that is not there was undone up to a savepoint.
    if (!taken!.there) return;
    if (taken!.left === null) throw beginAnew(`budget ${budget.id}`);
    await tellOfBudget(tx, { ...taken!, left: taken!.left });
  });
}

/** The budget of sign-in, tasks and returns by `points.budget.default`; read over the transaction's own connection. */
export async function defaultBudget(tx: Tx, settings: SettingsReader): Promise<number> {
  const code = await settings.textIn(tx, 'points.budget.default');
  const budget = await runOne<{ id: number }>(tx, 'SELECT id FROM points_budget WHERE code = $1', [code]);
  if (!budget) throw ruleBroken([`没有积分预算 ${code}`, `There is no points budget ${code}`]);
  return budget.id;
}

/** Told when a budget has less than is asked for. */
export function budgetShort(left: number, needed: number) {
  const text = (amount: number) => amount.toLocaleString('en-US');
  return ruleBroken([
    `预算可用 ${text(left)}，不足 ${text(needed)}`,
    `Budget has ${text(left)} left, ${text(needed)} needed`,
  ]);
}

/** Opens the two accounts of a new budget and returns their ids. */
export async function openBudgetAccounts(
  tx: Tx,
  budgetId: number,
): Promise<{ accountId: number; holdAccountId: number }> {
  const rows = await run<{ id: number; kind: string }>(
    tx,
    `INSERT INTO ledger_account (kind, owner, unit, balance) VALUES ('points_budget', $1, 'point', 0), ('points_budget_hold', $1, 'point', 0) RETURNING id, kind`,
    [String(budgetId)],
  );
  const idOf = (kind: string) => rows.find((row) => row.kind === kind)!.id;
  return { accountId: idOf('points_budget'), holdAccountId: idOf('points_budget_hold') };
}

/** Issue → budget, or back. Throws 30101 where less is left than is taken. Source: group 22, rule 9. */
export async function loadBudget(
  tx: Tx,
  load: {
    readonly budgetId: number;
    /** Above zero loads, below reduces. */
    readonly amount: number;
    readonly reference: string;
    readonly staffId?: number;
    readonly note?: string;
    readonly at?: Date;
  },
): Promise<void> {
  const budget = await lockBudget(tx, load.budgetId);
  const source: LedgerSource = {
    type: 'points_budget',
    id: String(load.budgetId),
    purpose: `load:${load.reference}`,
  };
  if (await transferOf(tx, source)) return;
  if (budget.left + load.amount < 0)
    throw ruleBroken([
      `预算可用 ${budget.left.toLocaleString('en-US')}，不能低于已占用与已发放`,
      `Budget has ${budget.left.toLocaleString('en-US')} left: it cannot go below what is held and issued`,
    ]);
  await bookTransfer(
    tx,
    source,
    'point',
    [
      { account: 'points_issue', amount: -load.amount },
      { account: budget.accountId, amount: load.amount },
    ],
    { ...load, budgetId: undefined },
  );
  if (load.amount > 0)
    await run(tx, 'UPDATE points_budget SET warned_percent = 0 WHERE id = $1', [load.budgetId]);
  await watchBudget(tx, load.budgetId);
}

/** Budget → budget hold (above zero) or back. Throws 30101 with both figures when less is left. */
export async function holdBudget(
  tx: Tx,
  hold: { readonly budgetId: number; readonly amount: number; readonly source: LedgerSource },
): Promise<void> {
  const budget = await lockBudget(tx, hold.budgetId);
  if (await transferOf(tx, hold.source)) return;
  if (hold.amount > 0 && !budget.enabled) throw ruleBroken(['积分预算已停用', 'The points budget is off']);
  if (budget.left < hold.amount) throw budgetShort(budget.left, hold.amount);
  await bookTransfer(tx, hold.source, 'point', [
    { account: budget.accountId, amount: -hold.amount },
    { account: budget.holdAccountId, amount: hold.amount },
  ]);
}

interface WatchedBudget {
  readonly id: number;
  readonly name: string;
  readonly tenant_id: number | null;
  readonly warn: number;
  readonly warned: number;
  readonly loaded: number;
}

/** SQL: a {@link WatchedBudget} of the budget `t`. */
const WATCHED = `t.id, t.name, t.tenant_id, t.warn_percent AS warn, t.warned_percent AS warned, ${BUDGET_FIGURES.loaded} AS loaded`;

/** Tells who keeps a budget once when it passes its warning line and once when nothing is left. Source: group 22, budgetWatch. */
export async function watchBudget(tx: Tx, budgetId: number): Promise<void> {
  const row = await runOne<WatchedBudget & { left: number }>(
    tx,
    `SELECT ${WATCHED}, ${BUDGET_FIGURES.left} AS left FROM points_budget t WHERE t.id = $1`,
    [budgetId],
  );
  if (row) await tellOfBudget(tx, row);
}

async function tellOfBudget(tx: Tx, row: WatchedBudget & { readonly left: number }): Promise<void> {
  const budgetId = row.id;
  if (row.loaded <= 0) return;
  const used = Math.floor(((row.loaded - row.left) * 100) / row.loaded);
  const line = row.left <= 0 ? 100 : used >= row.warn ? row.warn : 0;
  if (line <= row.warned) return;
  await run(tx, 'UPDATE points_budget SET warned_percent = $2 WHERE id = $1', [budgetId, line]);
  const tenantId = row.tenant_id ?? (await platformTenant(tx));
  await notify(tx, {
    kind: 'pointsBudget',
    level: 'important',
    staffIds: await holdersOf(tx, tenantId, `${MENU}:btn_budget`, []),
    rows: { sight: budgetSight, ids: [budgetId] },
    title:
      line === 100
        ? [`积分预算「${row.name}」已用完`, `Points budget “${row.name}” is used up`]
        : [`积分预算「${row.name}」已用 ${used}%`, `Points budget “${row.name}” is used to ${used}%`],
    route: `/vipAccount/${MENU}?view=budgets`,
  });
}

/** The tenant of the platform itself. */
export async function platformTenant(db: Executor): Promise<number> {
  return (await runOne<{ id: number }>(db, 'SELECT id FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1'))!.id;
}
