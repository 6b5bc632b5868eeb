import { run, type Tx } from '../../kernel/server/database.ts';
import type { SettingsReader } from '../../kernel/server/settings/settings-store.ts';
import { moveBases } from '../grade/member-grade.server.ts';
import {
  bookMany,
  LINE_KINDS,
  lockMembers,
  type LedgerSource,
  type MemberAccounts,
} from './ledger-book.server.ts';
import { ampleBudget, budgetShort, defaultBudget, lockBudget, watchBudget } from './points-budget.server.ts';
import { cappedRule, raiseUncut } from './points-caps.server.ts';
import { countsByKind, endOf } from './points-grant.server.ts';
import { expiryOf, now } from './points-lots.server.ts';

/** What the points of a batch have in common. */
export interface BatchOfPoints {
  readonly budgetId: number;
  readonly staffId: number;
  readonly note: string;
  readonly countsForGrade: boolean;
  /** Absent: by `points.expiry_months`. */
  readonly expiresAt?: Date;
}

/**
 * Issues points out of what a batch holds of its budget, to members who each stand in the list once: as grantPoints does for one,
 * by one statement for each table. No caps hold for batches. Returns the transfers in the order given. Throws 30101 when the
 * hold has less, 23505 when one was booked before. Source: group 22, grant and pointsSend.
 */
export async function grantMany(
  tx: Tx,
  settings: SettingsReader,
  batch: BatchOfPoints,
  grants: readonly { readonly memberId: number; readonly amount: number; readonly source: LedgerSource }[],
): Promise<number[]> {
  const accounts = await lockedAccounts(tx, grants);
  const expiresAt =
    batch.expiresAt ?? expiryOf(await now(tx), await settings.numberIn(tx, 'points.expiry_months'));
  const budget = await lockBudget(tx, batch.budgetId);
  const total = grants.reduce((sum, { amount }) => sum + amount, 0);
  if (budget.held < total) throw budgetShort(budget.held, total);
  return issueMany(
    tx,
    budget.holdAccountId,
    grants.map((grant) => ({ ...grant, account: accounts.get(grant.memberId)! })),
    { ...batch, kind: LINE_KINDS.staff, expiresAt },
  );
}

/** An activity that brings many members the same points, such as signing in. */
export interface ActivityOfMany {
  readonly amount: number;
  readonly kind: number;
  /** Rule of persons whose caps hold. */
  readonly ruleId?: number | undefined;
}

/**
 * Gives the points of an activity to members who each stand in the list once, as grantPoints does for one, by one statement for each
 * table. Only those are given any whom every cap and the budget leave all of it; returns who they are. The caller holds the accounts,
 * and has just made the sources: nothing was booked for them before.
 */
export async function grantActivityToMany(
  tx: Tx,
  settings: SettingsReader,
  activity: ActivityOfMany,
  grants: readonly { readonly account: MemberAccounts; readonly source: LedgerSource }[],
): Promise<ReadonlySet<number>> {
  const { amount, kind, ruleId } = activity;
  const budget = await ampleBudget(tx, await defaultBudget(tx, settings), amount * grants.length);
  if (!budget) return new Set();
  const at = await now(tx);
  const rule = ruleId === undefined ? undefined : await cappedRule(tx, ruleId);
  const given = new Set(
    await raiseUncut(
      tx,
      settings,
      { points: amount, rule, at },
      grants.map(({ account }) => account.memberId),
    ),
  );
  if (given.size === 0) return given;
  await issueMany(
    tx,
    budget.accountId,
    grants
      .map((grant) => ({ ...grant, amount, memberId: grant.account.memberId }))
      .filter(({ memberId }) => given.has(memberId)),
    {
      budgetId: budget.id,
      kind,
      ruleId,
      countsForGrade: await countsByKind(tx, settings, kind),
      expiresAt: await endOf(tx, settings, {}, at, rule?.lotDays ?? null),
    },
  );
  await watchBudget(tx, budget.id);
  return given;
}

/** The accounts of members, locked, by member. */
export async function lockedAccounts(
  tx: Tx,
  members: readonly { readonly memberId: number }[],
): Promise<ReadonlyMap<number, MemberAccounts>> {
  const accounts = await lockMembers(
    tx,
    members.map((one) => one.memberId),
  );
  return new Map(accounts.map((one) => [one.memberId, one]));
}

/** Moves points from an account of a budget to members: debt first, the rest into a lot each. Returns the transfers in the order given. */
async function issueMany(
  tx: Tx,
  from: number,
  grants: readonly {
    readonly memberId: number;
    readonly amount: number;
    readonly source: LedgerSource;
    readonly account: MemberAccounts;
  }[],
  facts: {
    readonly budgetId: number;
    readonly kind: number;
    readonly countsForGrade: boolean;
    readonly expiresAt: Date | null;
    readonly ruleId?: number | undefined;
    readonly staffId?: number;
    readonly note?: string;
  },
): Promise<number[]> {
  const parts = grants.map((grant) => {
    const repaid = Math.min(grant.amount, grant.account.owed);
    return { ...grant, repaid, rest: grant.amount - repaid };
  });
  const transfers = await bookMany(
    tx,
    parts.map(({ memberId, source, amount, account, repaid, rest }) => ({
      memberId,
      source,
      postings: [
        { account: from, amount: -amount },
        { account: account.debtId, amount: repaid },
        { account: account.availableId, amount: rest },
      ],
    })),
    facts,
  );
  const lots = parts
    .map(({ account, rest }, index) => ({ account: account.availableId, rest, transfer: transfers[index]! }))
    .filter(({ rest }) => rest > 0);
  await run(
    tx,
    `INSERT INTO points_lot (account_id, amount, remaining, expires_at, transfer_id, budget_id, granted_at)
     SELECT x.account, x.amount, x.amount, $4, x.transfer, $5, clock_timestamp()
       FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS x(account, amount, transfer, nr) ORDER BY x.nr`,
    [
      lots.map((lot) => lot.account),
      lots.map((lot) => lot.rest),
      lots.map((lot) => lot.transfer),
      facts.expiresAt,
      facts.budgetId,
    ],
  );
  return transfers;
}

/** A grant that is recalled. */
export interface RecalledGrant {
  readonly memberId: number;
  /** Transfer of the grant. */
  readonly grantId: number;
  readonly source: LedgerSource;
}

/**
 * Gives back to a budget what is left of the lots that grants opened, nothing that is held or spent; of members who each stand in
 * the list once. Returns what each gave back, in the order given. Source: group 22, recall.
 */
export async function recallMany(
  tx: Tx,
  {
    budgetAccountId,
    ...facts
  }: { readonly budgetAccountId: number; readonly note: string; readonly at?: Date },
  recalls: readonly RecalledGrant[],
): Promise<number[]> {
  const accounts = await lockedAccounts(tx, recalls);
  const lots = new Map(
    (
      await run<{ id: number; remaining: number; grantId: number; counts: boolean }>(
        tx,
        `SELECT l.id, l.remaining, l.transfer_id AS "grantId", t.counts_for_grade AS counts FROM points_lot l JOIN ledger_transfer t ON t.id = l.transfer_id
          WHERE l.transfer_id = ANY($1::bigint[]) AND l.parent_lot IS NULL AND l.remaining > 0 ORDER BY l.id FOR UPDATE OF l`,
        [recalls.map((one) => one.grantId)],
      )
    ).map((lot) => [lot.grantId, lot]),
  );
  const given = recalls.flatMap((recall) => {
    const lot = lots.get(recall.grantId);
    return lot ? [{ ...recall, lot, amount: lot.remaining }] : [];
  });
  if (given.length > 0) {
    const transfers = await bookMany(
      tx,
      given.map(({ memberId, source, grantId, amount }) => ({
        memberId,
        source,
        reverses: grantId,
        postings: [
          { account: accounts.get(memberId)!.availableId, amount: -amount },
          { account: budgetAccountId, amount },
        ],
      })),
      { ...facts, kind: LINE_KINDS.recall },
    );
    await run(tx, 'UPDATE points_lot SET remaining = 0 WHERE id = ANY($1::bigint[])', [
      given.map((one) => one.lot.id),
    ]);
    await run(
      tx,
      `INSERT INTO points_lot_use (transfer_id, lot_id, seq, amount, kind)
       SELECT x.transfer, x.lot, 1, x.amount, 'recall' FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS x(transfer, lot, amount)`,
      [transfers, given.map((one) => one.lot.id), given.map((one) => one.amount)],
    );
    const counted = given.filter((one) => one.lot.counts);
    if (counted.length > 0)
      await moveBases(
        tx,
        counted.map(({ memberId, amount }) => ({ memberId, by: -amount })),
      );
  }
  return recalls.map(({ grantId }) => lots.get(grantId)?.remaining ?? 0);
}
