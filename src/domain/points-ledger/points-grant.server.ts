import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { SettingsReader } from '../../kernel/server/settings/settings-store.ts';
import { bookTransfer, LINE_KINDS, lockMembers, type LedgerSource } from './ledger-book.server.ts';
import {
  ampleBudget,
  budgetShort,
  defaultBudget,
  lockBudget,
  takeAtEnd,
  watchBudget,
} from './points-budget.server.ts';
import { cappedRule, capsOf, cutByCaps, raiseCaps, type CapName } from './points-caps.server.ts';
import { requireAmount, type Booked } from './points-ledger.server.ts';
import { endOfDay, expiryOf, type MovementFacts } from './points-lots.server.ts';

/** Points that are given to a member. */
export interface Grant extends MovementFacts {
  readonly memberId: number;
  readonly amount: number;
  /** Rule whose caps hold; its lots may have a life of their own. */
  readonly ruleId?: number | undefined;
  /** Interest group of rules of that dimension. */
  readonly groupId?: number | undefined;
  /** Sign-in, tasks and posts: `points.cap.activity_daily` holds, and an empty budget skips instead of refusing. */
  readonly activity?: boolean | undefined;
  /** Absent: the one of `points.budget.default`. */
  readonly budgetId?: number | undefined;
  /** Out of what a batch holds of its budget. */
  readonly fromHold?: boolean | undefined;
  /** null: never; absent: the rule's days or `points.expiry_months`. */
  readonly expiresAt?: Date | null | undefined;
  /** Absent: whether its kind is one of `grade.count_kinds`. */
  readonly countsForGrade?: boolean | undefined;
}

/** What a grant did. */
export interface Granted extends Booked {
  /** Why less than asked for was given, with `amount` 0 why nothing was. */
  readonly cut: CapName | 'budget' | undefined;
}

/**
 * Issues points to a member: budget → debt first, the rest → a lot of its own. Given are min(points, every cap); nothing left
 * books nothing and leaves a skip. A budget without points refuses (30101), activities are skipped instead. Throws RangeError
 * for an amount below 1. Source: group 22, grant; rules 7 to 9.
 */
export async function grantPoints(tx: Tx, settings: SettingsReader, grant: Grant): Promise<Granted> {
  requireAmount(grant.amount);
  const unit = grant.unit ?? 'point';
  const [account] = await lockMembers(tx, [grant.memberId], unit);
  const first = await firstOf(tx, grant.source);
  if (first.id !== null)
    return { transferId: first.id, amount: first.amount, repeated: true, cut: undefined };
  if (first.skipped) return { transferId: 0, amount: 0, repeated: true, cut: first.skipped };

  const at = grant.at ?? first.now;
  const activity = grant.activity === true;
  const rule = grant.ruleId === undefined ? undefined : await cappedRule(tx, grant.ruleId);
  const caps =
    rule || activity ? await capsOf(tx, settings, { ...grant, at, rule, activity, lock: true }) : [];
  const { granted, cut } = cutByCaps(grant.amount, caps);
  if (granted === 0) return skip(tx, grant, cut!);

  // Coins know no budgets.
  const budgetId = unit === 'point' ? (grant.budgetId ?? (await defaultBudget(tx, settings))) : undefined;
  // Activities of everybody take from one budget: while it holds plenty, its account is touched last.
  const ample =
    budgetId !== undefined && activity && !grant.fromHold
      ? await ampleBudget(tx, budgetId, granted)
      : undefined;
  const budget = budgetId === undefined || ample ? undefined : await lockBudget(tx, budgetId);
  if (budget) {
    const has = grant.fromHold ? budget.held : budget.enabled ? budget.left : 0;
    if (has < granted) {
      if (activity) {
        await watchBudget(tx, budget.id);
        return skip(tx, grant, 'budget');
      }
      if (!grant.fromHold && !budget.enabled)
        throw ruleBroken(['积分预算已停用', 'The points budget is off']);
      throw budgetShort(has, granted);
    }
  }
  await raiseCaps(tx, caps, granted);
  const repaid = Math.min(granted, account!.owed);
  const rest = granted - repaid;
  const transferId = await bookTransfer(
    tx,
    grant.source,
    unit,
    [
      {
        account: budget ? (grant.fromHold ? budget.holdAccountId : budget.accountId) : 'points_issue',
        amount: ample ? 0 : -granted,
      },
      { account: account!.debtId, amount: repaid },
      { account: account!.availableId, amount: rest },
    ],
    {
      ...grant,
      budgetId,
      kind: grant.kind ?? LINE_KINDS.staff,
      countsForGrade:
        unit === 'point' && (grant.countsForGrade ?? (await countsByKind(tx, settings, grant.kind))),
    },
  );
  if (rest > 0)
    await run(
      tx,
      `INSERT INTO points_lot (account_id, amount, remaining, expires_at, transfer_id, budget_id, granted_at)
       VALUES ($1, $2, $2, $3, $4, $5, coalesce($6::timestamptz, clock_timestamp()))`,
      [
        account!.availableId,
        rest,
        await endOf(tx, settings, grant, at, rule?.lotDays ?? null),
        transferId,
        budgetId ?? null,
        grant.at ?? null,
      ],
    );
  if (ample) await takeAtEnd(tx, ample, transferId, granted);
  if (budget && !grant.fromHold) await watchBudget(tx, budget.id);
  return { transferId, amount: granted, repeated: false, cut };
}

/** When a grant's lot expires: as told, by the days of its rule, or by `points.expiry_months`. Source: group 22, rule 3. */
export async function endOf(
  tx: Tx,
  settings: SettingsReader,
  grant: Pick<Grant, 'expiresAt'>,
  at: Date,
  lotDays: number | null,
): Promise<Date | null> {
  if (grant.expiresAt !== undefined) return grant.expiresAt;
  if (lotDays !== null) return endOfDay(at, lotDays);
  return expiryOf(at, await settings.numberIn(tx, 'points.expiry_months'));
}

/** Kinds of grants in the words of `grade.count_kinds`. */
export const GRADE_KINDS: Readonly<Record<number, string>> = {
  [LINE_KINDS.signIn]: 'sign-in',
  [LINE_KINDS.task]: 'task',
  [LINE_KINDS.purchase]: 'purchase return',
  [LINE_KINDS.rebate]: 'rebate',
};

/** Whether grants of a kind count for the grade of their members. */
export async function countsByKind(
  tx: Tx,
  settings: SettingsReader,
  kind: number = LINE_KINDS.staff,
): Promise<boolean> {
  const word = GRADE_KINDS[kind];
  return word !== undefined && (await settings.listIn(tx, 'grade.count_kinds')).includes(word);
}

/** What was done for a source before: its transfer, or why it was skipped; with the database's clock. */
async function firstOf(
  tx: Tx,
  source: LedgerSource,
): Promise<{ id: number | null; amount: number; skipped: CapName | 'budget' | null; now: Date }> {
  return (await runOne<{ id: number | null; amount: number; skipped: CapName | 'budget' | null; now: Date }>(
    tx,
    `SELECT t.id, coalesce((SELECT sum(e.amount) FROM ledger_entry e WHERE e.transfer_id = t.id AND e.amount > 0), 0)::bigint AS amount,
            (SELECT s.cap FROM points_skip s WHERE s.source_type = $1 AND s.source_id = $2 AND s.purpose = $3) AS skipped, clock_timestamp() AS now
       FROM (VALUES (1)) one LEFT JOIN ledger_transfer t ON t.source_type = $1 AND t.source_id = $2 AND t.purpose = $3`,
    [source.type, source.id, source.purpose],
  ))!;
}

async function skip(tx: Tx, grant: Grant, cap: CapName | 'budget'): Promise<Granted> {
  const { source } = grant;
  await run(
    tx,
    `INSERT INTO points_skip (member_id, rule_id, cap, points, source_type, source_id, purpose, skipped_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, coalesce($8::timestamptz, clock_timestamp()))`,
    [
      grant.memberId,
      grant.ruleId ?? null,
      cap,
      grant.amount,
      source.type,
      source.id,
      source.purpose,
      grant.at ?? null,
    ],
  );
  return { transferId: 0, amount: 0, repeated: false, cut: cap };
}
