import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { SettingsReader } from '../../kernel/server/settings/settings-store.ts';
import {
  bookTransfer,
  LINE_KINDS,
  lockMembers,
  noteUses,
  transferOf,
  type LedgerSource,
  type MemberAccounts,
} from './ledger-book.server.ts';
import { grantPoints } from './points-grant.server.ts';
import { again, requireAmount, type Booked } from './points-ledger.server.ts';
import { openLots, partsOf, type LotPart, type MovementFacts } from './points-lots.server.ts';
import { cutPending, pendingOf } from './points-pending.server.ts';

/** What a take-back did: how much of it came from announced points, from lots, and became debt. */
export interface TakenBack extends Booked {
  readonly fromPending: number;
  readonly fromLots: number;
  readonly owed: number;
}

/**
 * Takes granted points back: announced points are reduced first, then what is left of the grant's own lot, then other lots in
 * the order of spending, never held points; what is missing is owed. Throws 30101 when more is taken than was granted.
 * Source: group 22, clawback; rule 7.
 */
export async function clawbackPoints(
  tx: Tx,
  back: MovementFacts & { readonly grant: LedgerSource; readonly amount: number },
): Promise<TakenBack> {
  requireAmount(back.amount);
  const memberId = await memberOf(tx, back.grant);
  if (memberId === undefined) throw ruleBroken(['没有可追回的积分', 'There are no points to take back']);
  const [account] = await lockMembers(tx, [memberId], back.unit ?? 'point');
  const cut = await runOne<{ amount: number }>(
    tx,
    'SELECT amount FROM points_pending_cut WHERE source_type = $1 AND source_id = $2 AND purpose = $3',
    [back.source.type, back.source.id, back.source.purpose],
  );
  if (cut)
    return {
      transferId: 0,
      amount: cut.amount,
      repeated: true,
      fromPending: cut.amount,
      fromLots: 0,
      owed: 0,
    };
  const first = await transferOf(tx, back.source);
  if (first) return { ...again(first), fromPending: 0, fromLots: first.amount, owed: 0 };
  const pending = await pendingOf(tx, back.grant);
  if (pending?.state === 'waiting') {
    await cutPending(tx, pending, back.amount, back.source);
    return {
      transferId: 0,
      amount: back.amount,
      repeated: false,
      fromPending: back.amount,
      fromLots: 0,
      owed: 0,
    };
  }
  const grant = await transferOf(tx, back.grant);
  const taken = grant
    ? (await runOne<{ sum: number }>(
        tx,
        `SELECT coalesce(sum(e.amount), 0)::bigint AS sum FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id
           JOIN ledger_account a ON a.id = e.account_id WHERE t.reverses = $1 AND a.kind = 'points_clawed_back'`,
        [grant.id],
      ))!.sum
    : 0;
  if (!grant || taken + back.amount > grant.amount)
    throw ruleBroken(['追回超过已发放积分', 'More is taken back than was granted']);
  return takeAway(tx, account!, { ...back, grantId: grant.id, kind: back.kind ?? LINE_KINDS.takeBack });
}

/**
 * A correction by staff: plus is a grant out of the default budget, minus takes from lots in the order of spending. What is
 * missing is owed where `allowDebt` says so, else 30101 (可用积分不足). Source: group 22, adjust.
 */
export async function adjustPoints(
  tx: Tx,
  settings: SettingsReader,
  change: MovementFacts & {
    readonly memberId: number;
    /** Not 0. */
    readonly amount: number;
    readonly allowDebt: boolean;
  },
): Promise<Booked> {
  const kind = LINE_KINDS.adjustment;
  if (change.amount > 0) return grantPoints(tx, settings, { ...change, kind });
  const amount = -change.amount;
  requireAmount(amount);
  const [account] = await lockMembers(tx, [change.memberId], change.unit ?? 'point');
  const first = await transferOf(tx, change.source);
  if (first) return again(first);
  const left = (await openLots(tx, account!.availableId, change.at)).reduce(
    (sum, lot) => sum + lot.remaining,
    0,
  );
  if (left < amount && !change.allowDebt) throw ruleBroken(['可用积分不足', 'Not enough points']);
  return takeAway(tx, account!, { ...change, amount, kind });
}

/** Available and debt → taken back, behind the member's lock. */
async function takeAway(
  tx: Tx,
  account: MemberAccounts,
  away: MovementFacts & { readonly amount: number; readonly grantId?: number },
): Promise<TakenBack> {
  const own =
    away.grantId === undefined
      ? []
      : await run<{ id: number; remaining: number }>(
          tx,
          'SELECT id, remaining FROM points_lot WHERE transfer_id = $1 AND remaining > 0 ORDER BY id FOR UPDATE',
          [away.grantId],
        );
  const others = (await openLots(tx, account.availableId, away.at)).filter(
    (lot) => !own.some((one) => one.id === lot.id),
  );
  const parts: LotPart[] = partsOf([...own, ...others], away.amount);
  const fromLots = parts.reduce((sum, part) => sum + part.amount, 0);
  const owed = away.amount - fromLots;
  const transferId = await bookTransfer(
    tx,
    away.source,
    account.unit,
    [
      { account: account.availableId, amount: -fromLots },
      { account: account.debtId, amount: -owed },
      { account: 'points_clawed_back', amount: away.amount },
    ],
    { ...away, memberId: account.memberId, reverses: away.grantId },
  );
  for (const part of parts)
    await run(tx, 'UPDATE points_lot SET remaining = remaining - $2 WHERE id = $1', [
      part.lotId,
      part.amount,
    ]);
  await noteUses(tx, transferId, 'clawback', parts);
  return { transferId, amount: away.amount, repeated: false, fromPending: 0, fromLots, owed };
}

/** The member a grant went to, or is announced to. */
async function memberOf(tx: Tx, grant: LedgerSource): Promise<number | undefined> {
  const row = await runOne<{ id: number }>(
    tx,
    `SELECT member_id AS id FROM points_pending WHERE source_type = $1 AND source_id = $2 AND purpose = $3
     UNION ALL
     SELECT a.member_id FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id
      WHERE t.source_type = $1 AND t.source_id = $2 AND t.purpose = $3 AND a.member_id IS NOT NULL LIMIT 1`,
    [grant.type, grant.id, grant.purpose],
  );
  return row?.id;
}
