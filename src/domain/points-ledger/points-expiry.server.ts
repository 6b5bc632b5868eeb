import { run, runOne, transaction, type Tx } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { bookTransfer, LINE_KINDS, lockMembers, noteUses, type LedgerUnit } from './ledger-book.server.ts';

/** Lots of one transaction. Source: group 22, jobs. */
const BATCH = 1_000;

/** Books what is left of expired lots, a thousand at a time; a run that was cut goes on where it stood. Returns lots booked. */
export async function expireLots(platform: Platform, at?: Date, signal?: AbortSignal): Promise<number> {
  let booked = 0;
  for (;;) {
    signal?.throwIfAborted();
    const lots = await transaction(platform.database.db, (tx) => expireSome(tx, at));
    booked += lots;
    if (lots === 0) return booked;
  }
}

/** One transaction of expiry; returns lots booked. */
export async function expireSome(tx: Tx, at?: Date): Promise<number> {
  const members = await run<{ member: number; unit: LedgerUnit }>(
    tx,
    `SELECT DISTINCT d.member, d.unit FROM (
       SELECT a.member_id AS member, a.unit FROM points_lot l JOIN ledger_account a ON a.id = l.account_id
        WHERE l.remaining > 0 AND l.expires_at <= coalesce($1::timestamptz, clock_timestamp()) ORDER BY l.expires_at, l.id LIMIT ${BATCH}) d`,
    [at ?? null],
  );
  let booked = 0;
  for (const unit of ['point', 'coin'] as const) {
    const ids = members.filter((row) => row.unit === unit).map((row) => row.member);
    for (const account of await lockMembers(tx, ids, unit)) {
      const lots = await run<{ id: number; remaining: number }>(
        tx,
        `SELECT id, remaining FROM points_lot WHERE account_id = $1 AND remaining > 0 AND expires_at <= coalesce($2::timestamptz, clock_timestamp())
          ORDER BY expires_at, id FOR UPDATE`,
        [account.availableId, at ?? null],
      );
      for (const lot of lots) {
        const transferId = await bookTransfer(
          tx,
          { type: 'points_lot', id: String(lot.id), purpose: 'expire' },
          unit,
          [
            { account: account.availableId, amount: -lot.remaining },
            { account: 'points_expired', amount: lot.remaining },
          ],
          { memberId: account.memberId, kind: LINE_KINDS.expiry, at },
        );
        await run(tx, 'UPDATE points_lot SET remaining = 0 WHERE id = $1', [lot.id]);
        await noteUses(tx, transferId, 'expire', [{ lotId: lot.id, amount: lot.remaining }]);
        booked += 1;
      }
    }
  }
  return booked;
}

/** Tells members of what expires on the day that is so many days ahead, once for each of them and date. Returns how many. */
export async function noteExpiring(platform: Platform, days: readonly number[]): Promise<number> {
  const rows = await run(
    platform.database.db,
    `INSERT INTO points_expiry_notice (member_id, expires_on, days, points)
     SELECT a.member_id, (l.expires_at AT TIME ZONE 'Asia/Shanghai')::date, d.days, sum(l.remaining)
       FROM unnest($1::int[]) AS d(days)
       JOIN points_lot l ON l.remaining > 0 AND (l.expires_at AT TIME ZONE 'Asia/Shanghai')::date = (now() AT TIME ZONE 'Asia/Shanghai')::date + d.days
       JOIN ledger_account a ON a.id = l.account_id AND a.unit = 'point' JOIN member m ON m.id = a.member_id
      GROUP BY 1, 2, 3 ON CONFLICT DO NOTHING RETURNING member_id`,
    [days],
  );
  return rows.length;
}

/** Writes the figures of the month that has ended, once. Source: group 22, pointsSnapshot. */
export async function snapshotMonth(platform: Platform): Promise<void> {
  await transaction(platform.database.db, async (tx) => {
    const fen = await platform.settings.numberIn(tx, 'points.fen_per_point');
    const known = await runOne(
      tx,
      `SELECT FROM points_snapshot WHERE month = (date_trunc('month', now() AT TIME ZONE 'Asia/Shanghai') - interval '1 month')::date`,
    );
    if (known) return;
    await run(
      tx,
      `INSERT INTO points_snapshot (month, tenant_id, project_id, outstanding, liability, fen_per_point)
       SELECT (date_trunc('month', now() AT TIME ZONE 'Asia/Shanghai') - interval '1 month')::date, b.tenant_id, m.project_id,
              sum(l.remaining + l.held), sum(l.remaining + l.held) * $1, $1
         FROM points_lot l JOIN ledger_account a ON a.id = l.account_id AND a.unit = 'point' JOIN member m ON m.id = a.member_id
         LEFT JOIN points_budget b ON b.id = l.budget_id
        WHERE l.remaining + l.held > 0 GROUP BY b.tenant_id, m.project_id ON CONFLICT DO NOTHING`,
      [fen],
    );
  });
}
