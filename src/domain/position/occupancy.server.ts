import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { requireDaysOfSpace } from './days-of-space.server.ts';

/** What takes a position for some days. */
export type OccupancyKind = 'hold' | 'lease' | 'repair';

export interface Occupation {
  readonly positionId: number;
  readonly kind: OccupancyKind;
  /** First and last day, both included. */
  readonly from: string;
  readonly to: string;
  readonly holderId?: number | null;
  readonly clientId?: number | null;
  readonly reason?: string;
  /** Needed for holds. */
  readonly expiresAt?: Date;
  readonly by: number | null;
}

const WORDS: Readonly<Record<OccupancyKind, Label>> = {
  hold: ['预留', 'held'],
  lease: ['出租', 'leased'],
  repair: ['维修', 'under repair'],
};

/**
 * Takes a position for days nobody else has it; returns the id of the new row. Refuses (30101) with the position and the days where
 * it is taken. The position stays locked until the transaction ends, so that the second of two is told why; the exclusion constraint
 * of the table holds it for every other writer. Source: group 17, position_occupancy.
 */
export async function occupy(tx: Tx, one: Occupation): Promise<number> {
  const position = (await runOne<{ code: string }>(
    tx,
    'SELECT code FROM position WHERE id = $1 FOR NO KEY UPDATE',
    [one.positionId],
  ))!;
  await requireDaysOfSpace(tx, { id: one.positionId, code: position.code }, one.from, one.to);
  // A hold whose time is over is nobody's, whether the job came by or not.
  await releaseExpired(tx, one.positionId);
  const taken = await runOne<{ kind: OccupancyKind; from: string; to: string }>(
    tx,
    `SELECT kind, from_on::text AS from, to_on::text AS to FROM position_occupancy
      WHERE position_id = $1 AND released_at IS NULL AND period && daterange($2::date, $3::date, '[]') ORDER BY from_on LIMIT 1`,
    [one.positionId, one.from, one.to],
  );
  if (taken) {
    if (one.kind === 'repair' && taken.kind === 'lease')
      throw ruleBroken(['点位已出租，不能维修/停用', 'Position is leased']);
    const [zh, en] = WORDS[taken.kind];
    throw ruleBroken([
      `点位 ${position.code} 在 ${taken.from} 至 ${taken.to} 已被占用（${zh}）`,
      `Position ${position.code} is taken from ${taken.from} to ${taken.to} (${en})`,
    ]);
  }
  const made = await runOne<{ id: number }>(
    tx,
    `INSERT INTO position_occupancy (position_id, kind, from_on, to_on, holder_id, client_id, reason, expires_at, created_by, updated_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) RETURNING id`,
    [
      one.positionId,
      one.kind,
      one.from,
      one.to,
      one.holderId ?? null,
      one.clientId ?? null,
      one.reason ?? '',
      one.expiresAt ?? null,
      one.by,
    ],
  );
  return made!.id;
}

/** Ends holds of a position whose time is over. */
export async function releaseExpired(tx: Tx, positionId: number): Promise<void> {
  await run(
    tx,
    `UPDATE position_occupancy SET released_at = expires_at, release_reason = '到期', expired = true, version = version + 1, updated_at = now()
      WHERE position_id = $1 AND kind = 'hold' AND released_at IS NULL AND expires_at <= now()`,
    [positionId],
  );
}

/**
 * Refuses (30101) a hold above the limit of a staff. The staff row stays locked, so that two holds at once never both take the last
 * place. Source: group 17, pointList; setting `position.hold_max_per_staff`.
 */
export async function requireHoldRoom(tx: Tx, staffId: number, limit: number, more = 1): Promise<void> {
  await run(tx, 'SELECT 1 FROM staff WHERE id = $1 FOR NO KEY UPDATE', [staffId]);
  const own = await runOne<{ n: number }>(
    tx,
    `SELECT count(*)::int AS n FROM position_occupancy WHERE holder_id = $1 AND kind = 'hold' AND released_at IS NULL AND expires_at > now()`,
    [staffId],
  );
  if (own!.n + more > limit)
    throw ruleBroken([`您的预留已达 ${limit} 个`, `You hold ${limit} positions already`]);
}
