import { randomInt } from 'node:crypto';
import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { invalid } from '../../kernel/server/http/errors.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import type { SettingsReader } from '../../kernel/server/settings/settings-store.ts';
import { refundPoints, releasePoints } from '../points-ledger/points-ledger.server.ts';
import { REDEMPTION_ENTITY, type RedemptionWay } from './points-shop.rules.ts';

const sourceOf = (purpose: string) => (id: number) => ({
  type: 'points_redemption',
  id: String(id),
  purpose,
});
/** Where the points of a redemption are spent, and where they are held until its cash is paid. */
export const spendOf = sourceOf('spend');
export const holdOf = sourceOf('hold');

/** A redemption behind its lock. */
export interface OpenRedemption {
  readonly id: number;
  readonly member_id: number;
  readonly state: string;
  readonly way: RedemptionWay;
  readonly product_name: string;
  readonly qty: number;
  readonly qty_back: number;
  readonly order_id: number | null;
}

/** What a redemption waits for once it is paid. */
export const handedOutState = (way: RedemptionWay): 'to_fulfil' | 'to_collect' | 'completed' =>
  way === 'ship' ? 'to_fulfil' : way === 'collect' ? 'to_collect' : 'completed';

/** Eight digits that nobody waits to collect with. */
export async function freeCode(tx: Tx): Promise<string> {
  for (;;) {
    const code = String(randomInt(100_000_000)).padStart(8, '0');
    if (!(await runOne(tx, 'SELECT FROM points_redemption WHERE collect_code = $1', [code]))) return code;
  }
}

/**
 * Gives a redemption back, whole or some pieces: points into their lots, stock where it is wanted, the member's limits; cash is
 * the matter of its order. The row is locked by the caller. Returns the points. Source: group 01, os_integralCash, cancel and return.
 */
export async function giveBackRedemption(
  tx: Tx,
  settings: SettingsReader,
  back: {
    readonly id: number;
    readonly qty?: number | undefined;
    readonly restock: boolean;
    readonly note: string;
  },
): Promise<number> {
  const row = (await runOne<
    OpenRedemption & {
      readonly product_id: number;
      readonly spec_id: number;
      readonly month: string;
      readonly points: number;
    }
  >(tx, 'SELECT * FROM points_redemption WHERE id = $1 FOR UPDATE', [back.id]))!;
  const qty = back.qty ?? row.qty - row.qty_back;
  if (qty < 1 || qty > row.qty - row.qty_back)
    throw invalid({ qty: ['退回数量不正确', 'More than is left to give back'] });
  // Every piece costs the same.
  const points = (row.points / row.qty) * qty;
  if (row.state === 'pending_payment')
    await releasePoints(tx, settings, {
      hold: holdOf(back.id),
      source: { ...spendOf(back.id), purpose: 'release' },
      note: back.note,
    });
  else
    await refundPoints(tx, settings, {
      memberId: row.member_id,
      amount: points,
      spend: spendOf(back.id),
      source: { ...spendOf(back.id), purpose: `back:${row.qty_back + qty}` },
      note: back.note,
    });
  if (back.restock)
    await run(tx, 'UPDATE points_product_spec SET taken = taken - $2 WHERE id = $1', [row.spec_id, qty]);
  await run(
    tx,
    `UPDATE points_redemption_count SET n = n - $4 WHERE product_id = $1 AND member_id = $2 AND period IN ('all', $3)`,
    [row.product_id, row.member_id, row.month, qty],
  );
  await run(
    tx,
    'UPDATE points_redemption SET points_back = points_back + $2, qty_back = qty_back + $3 WHERE id = $1',
    [back.id, points, qty],
  );
  return points;
}

/** Writes a redemption that was moved without an action of staff. */
export async function moveRedemption(
  tx: Tx,
  row: Pick<OpenRedemption, 'id' | 'state'>,
  to: {
    readonly to: 'cancelled' | 'completed';
    readonly action: string;
    readonly label: Label;
    readonly remark?: string;
  },
): Promise<void> {
  await run(
    tx,
    `UPDATE points_redemption SET state = $2, collect_code = NULL, collect_until = NULL, receive_by = NULL,
            completed_at = CASE WHEN $2 = 'completed' THEN now() ELSE completed_at END, version = version + 1, updated_at = now() WHERE id = $1`,
    [row.id, to.to],
  );
  await writeTimeline(tx, { entity: REDEMPTION_ENTITY, entityId: row.id, from: row.state, ...to });
}
