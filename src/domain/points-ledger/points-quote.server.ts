import { run, type Executor } from '../../kernel/server/database.ts';
import { isFrozen } from './points-freeze.server.ts';

/** What spending an amount would take, for explanations: nothing is locked or booked. */
export interface PointsQuote {
  readonly available: number;
  readonly needed: number;
  readonly missing: number;
  readonly frozen: boolean;
  readonly lots: readonly {
    readonly lotId: number;
    readonly amount: number;
    readonly expiresAt: Date | null;
  }[];
}

/** Lots a spend would use and what is missing. Source: group 22, quote. */
export async function quotePoints(
  db: Executor,
  memberId: number,
  amount: number,
  at?: Date,
): Promise<PointsQuote> {
  const lots = await run<{ lotId: number; remaining: number; expiresAt: Date | null }>(
    db,
    `SELECT l.id AS "lotId", l.remaining, l.expires_at AS "expiresAt" FROM points_lot l JOIN ledger_account a ON a.id = l.account_id
      WHERE a.member_id = $1 AND a.kind = 'points_available' AND a.unit = 'point' AND l.remaining > 0
        AND (l.expires_at IS NULL OR l.expires_at > coalesce($2::timestamptz, clock_timestamp()))
      ORDER BY l.expires_at NULLS LAST, l.granted_at, l.id`,
    [memberId, at ?? null],
  );
  const available = lots.reduce((sum, lot) => sum + lot.remaining, 0);
  let left = Math.min(amount, available);
  const used: PointsQuote['lots'][number][] = [];
  for (const lot of lots) {
    const part = Math.min(left, lot.remaining);
    if (part === 0) break;
    used.push({ lotId: lot.lotId, amount: part, expiresAt: lot.expiresAt });
    left -= part;
  }
  return {
    available,
    needed: amount,
    missing: Math.max(amount - available, 0),
    frozen: await isFrozen(db, memberId, at),
    lots: used,
  };
}
