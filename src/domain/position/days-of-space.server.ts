import { runOne, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';

/**
 * Refuses (30101) days on which the space of a position is not there yet or no longer, as after a split. Call behind the lock of the
 * position; the trigger of position_occupancy holds it for everybody. Source: group 20, proAdministration.
 */
export async function requireDaysOfSpace(
  tx: Tx,
  position: { readonly id: number; readonly code: string },
  from: string,
  to: string,
): Promise<void> {
  const space = await runOne<{ opens: string | null; closed: string | null }>(
    tx,
    `SELECT CASE WHEN opens_on > $2::date THEN opens_on::text END AS opens, CASE WHEN closed_on <= $3::date THEN closed_on::text END AS closed
       FROM space WHERE id = $1`,
    [position.id, from, to],
  );
  if (space?.closed)
    throw ruleBroken([
      `铺位 ${position.code} 自 ${space.closed} 起关闭`,
      `Space ${position.code} is closed from ${space.closed} on`,
    ]);
  if (space?.opens)
    throw ruleBroken([
      `铺位 ${position.code} 自 ${space.opens} 起启用`,
      `Space ${position.code} is there from ${space.opens} on`,
    ]);
}
