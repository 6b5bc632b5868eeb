import { run, runOne, transaction, type Tx } from '../../kernel/server/database.ts';
import { Refusal, ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { SettingsReader } from '../../kernel/server/settings/settings-store.ts';
import { LINE_KINDS, lockMembers, type LedgerSource, type LedgerUnit } from './ledger-book.server.ts';
import { grantPoints, type Grant, type Granted } from './points-grant.server.ts';
import { requireAmount } from './points-ledger.server.ts';

/** Announced points, locked. */
export interface Pending {
  readonly id: number;
  readonly memberId: number;
  readonly amount: number;
  readonly reduced: number;
  readonly state: 'waiting' | 'released' | 'cancelled';
}

/** Announces points that cannot be spent before they are released. The same source is announced once. Source: group 22, grantPending. */
export async function grantPending(
  tx: Tx,
  pending: Omit<Grant, 'activity' | 'groupId' | 'fromHold' | 'countsForGrade'> & {
    /** null: not known yet; whoever announced them says it later. */
    readonly releaseAt: Date | null;
  },
): Promise<{ readonly id: number; readonly repeated: boolean }> {
  requireAmount(pending.amount);
  const unit = pending.unit ?? 'point';
  if (unit === 'fen') throw new RangeError('money is not announced');
  await lockMembers(tx, [pending.memberId], unit);
  const { source } = pending;
  const known = await pendingOf(tx, source);
  if (known) return { id: known.id, repeated: true };
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO points_pending (member_id, amount, source_type, source_id, purpose, kind, rule_id, budget_id, expires_at, note, release_at, created_at, unit)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, coalesce($12::timestamptz, clock_timestamp()), $13) RETURNING id`,
    [
      pending.memberId,
      pending.amount,
      source.type,
      source.id,
      source.purpose,
      pending.kind ?? LINE_KINDS.purchase,
      pending.ruleId ?? null,
      pending.budgetId ?? null,
      pending.expiresAt ?? null,
      pending.note ?? '',
      pending.releaseAt,
      pending.at ?? null,
      unit,
    ],
  );
  return { id: row!.id, repeated: false };
}

/**
 * Takes announced points away before they are released; with nothing left they are cancelled. Throws 30101 when they are
 * released already or fewer are left. Source: group 22, reducePending.
 */
export async function reducePending(
  tx: Tx,
  cut: { readonly pending: LedgerSource; readonly amount: number; readonly source: LedgerSource },
): Promise<void> {
  requireAmount(cut.amount);
  const known = await runOne<{ memberId: number; unit: LedgerUnit }>(
    tx,
    'SELECT member_id AS "memberId", unit FROM points_pending WHERE source_type = $1 AND source_id = $2 AND purpose = $3',
    [cut.pending.type, cut.pending.id, cut.pending.purpose],
  );
  if (!known) throw ruleBroken(['没有待入账的积分', 'No points are pending']);
  await lockMembers(tx, [known.memberId], known.unit);
  const pending = (await pendingOf(tx, cut.pending))!;
  const done = await runOne(
    tx,
    'SELECT FROM points_pending_cut WHERE source_type = $1 AND source_id = $2 AND purpose = $3',
    [cut.source.type, cut.source.id, cut.source.purpose],
  );
  if (!done) await cutPending(tx, pending, cut.amount, cut.source);
}

/** The announced points of a source, locked behind their member. */
export async function pendingOf(tx: Tx, source: LedgerSource): Promise<Pending | undefined> {
  return runOne<Pending>(
    tx,
    `SELECT id, member_id AS "memberId", amount, reduced, state FROM points_pending
      WHERE source_type = $1 AND source_id = $2 AND purpose = $3 FOR UPDATE`,
    [source.type, source.id, source.purpose],
  );
}

/** Cuts locked announced points. */
export async function cutPending(
  tx: Tx,
  pending: Pending,
  amount: number,
  source: LedgerSource,
): Promise<void> {
  if (pending.state !== 'waiting' || pending.amount - pending.reduced < amount)
    throw ruleBroken(['待入账积分不足', 'Fewer points are pending']);
  await run(
    tx,
    'INSERT INTO points_pending_cut (pending_id, amount, source_type, source_id, purpose) VALUES ($1, $2, $3, $4, $5)',
    [pending.id, amount, source.type, source.id, source.purpose],
  );
  await run(
    tx,
    `UPDATE points_pending SET reduced = reduced + $2, state = CASE WHEN reduced + $2 = amount THEN 'cancelled' ELSE state END WHERE id = $1`,
    [pending.id, amount],
  );
}

/** Grants what is left of announced points; a second call answers the first grant. Source: group 22, release. */
export async function releasePending(
  tx: Tx,
  settings: SettingsReader,
  release: { readonly id: number; readonly at?: Date },
): Promise<Granted | undefined> {
  const known = await runOne<{ memberId: number; unit: LedgerUnit }>(
    tx,
    'SELECT member_id AS "memberId", unit FROM points_pending WHERE id = $1',
    [release.id],
  );
  if (!known) return undefined;
  await lockMembers(tx, [known.memberId], known.unit);
  const row = (await runOne<{
    amount: number;
    reduced: number;
    state: string;
    type: string;
    sid: string;
    purpose: string;
    kind: number;
    rule: number | null;
    budget: number | null;
    ends: Date | null;
    note: string;
  }>(
    tx,
    `SELECT amount, reduced, state, source_type AS type, source_id AS sid, purpose, kind, rule_id AS rule, budget_id AS budget, expires_at AS ends, note
       FROM points_pending WHERE id = $1 FOR UPDATE`,
    [release.id],
  ))!;
  if (row.state === 'cancelled') return undefined;
  const granted = await grantPoints(tx, settings, {
    memberId: known.memberId,
    unit: known.unit,
    amount: row.amount - row.reduced,
    source: { type: row.type, id: row.sid, purpose: row.purpose },
    kind: row.kind,
    ruleId: row.rule ?? undefined,
    budgetId: row.budget ?? undefined,
    ...(row.ends ? { expiresAt: row.ends } : {}),
    note: row.note,
    at: release.at,
  });
  await run(tx, `UPDATE points_pending SET state = 'released' WHERE id = $1`, [release.id]);
  return granted;
}

/** Releases everything whose time has come, each in a transaction of its own; what a budget refuses waits for the next run. */
export async function releaseDue(platform: Platform, at?: Date): Promise<number> {
  const { db } = platform.database;
  const due = await run<{ id: number }>(
    db,
    `SELECT id FROM points_pending WHERE state = 'waiting' AND release_at <= coalesce($1::timestamptz, now()) ORDER BY release_at, id`,
    [at ?? null],
  );
  let released = 0;
  for (const { id } of due) {
    try {
      await transaction(db, (tx) => releasePending(tx, platform.settings, { id, ...(at ? { at } : {}) }));
      released += 1;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return released;
}
