import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { rowPerLine, type RefundSplit } from '../../../domain/trade-money/refund.rules.ts';
import type { RefundRecord, ShareRow, Trade } from './refund-order.server.ts';

/** Writes the rows of a split as refund_line and refund_line_share, one per line. */
export async function writeSplitRows(
  tx: Tx,
  refundId: number,
  split: RefundSplit,
  trade: Trade,
): Promise<void> {
  for (const row of rowPerLine(split.rows)) {
    const lineId = trade.lineIds.get(row.lineNo)!;
    const line = await runOne<{ id: number }>(
      tx,
      `INSERT INTO refund_line (refund_id, line_id, qty, unshipped_qty, fee, cash, kind, withheld, amount_part)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`,
      [
        refundId,
        lineId,
        row.qty,
        row.unshippedQty,
        row.fee,
        row.cash,
        row.kind === 'recheck' || row.cash < 0 ? 'recheck' : 'part',
        row.withheld,
        row.amountPart,
      ],
    );
    for (const share of row.shares) {
      if (share.amount === 0 && share.units === 0) continue;
      await run(
        tx,
        `INSERT INTO refund_line_share (refund_line_id, share_id, amount, units, platform_amount)
         SELECT $1, id, $6, $7, $8 FROM order_share WHERE line_id = $2 AND step = $3 AND source_type = $4 AND source_id = $5`,
        [
          line!.id,
          lineId,
          share.step,
          share.sourceType,
          share.sourceId ?? '',
          share.amount,
          share.units,
          share.platformAmount,
        ],
      );
    }
  }
}

/**
 * The split of a stored refund, for the rules that book or lower it. Formulas are in the stored snapshot only. Older
 * demonstration data keeps units and re-check of a line in two rows, so a line may occur once per kind.
 */
export async function storedSplit(db: Executor, refund: RefundRecord): Promise<RefundSplit> {
  const lines = await run<{
    id: number;
    line_no: number;
    qty: number;
    unshipped_qty: number;
    fee: number;
    cash: number;
    kind: string;
    withheld: number;
    amount_part: number;
  }>(
    db,
    `SELECT rl.*, ol.line_no FROM refund_line rl JOIN order_line ol ON ol.id = rl.line_id WHERE rl.refund_id = $1
      ORDER BY ol.line_no, rl.kind`,
    [refund.id],
  );
  const shares = await run<
    ShareRow & { refund_line_id: number; part: number; part_units: number; part_platform: number }
  >(
    db,
    `SELECT s.*, rs.refund_line_id, rs.amount AS part, rs.units AS part_units, rs.platform_amount AS part_platform
       FROM refund_line_share rs JOIN order_share s ON s.id = rs.share_id
      WHERE rs.refund_line_id = ANY($1::bigint[]) ORDER BY s.step, s.id`,
    [lines.map((line) => line.id)],
  );
  return {
    kind: refund.kind,
    rows: lines.map((line) => ({
      kind: line.kind === 'recheck' ? 'recheck' : line.qty > 0 ? 'units' : 'amount',
      lineNo: line.line_no,
      qty: line.qty,
      unshippedQty: line.unshipped_qty,
      cash: line.cash,
      fee: line.fee,
      withheld: line.withheld,
      amountPart: line.amount_part,
      shares: shares
        .filter((share) => share.refund_line_id === line.id)
        .map((share) => ({
          step: share.step,
          sourceType: share.source_type,
          sourceId: share.source_id === '' ? null : share.source_id,
          amount: share.part,
          platformAmount: share.part_platform,
          units: share.part_units,
        })),
      formula: ['', ''],
      cashLeftBefore: 0,
      cashLeftAfter: 0,
    })),
    freightPart: refund.freight_part,
    fee: refund.fee,
    cash: refund.cash,
    points: refund.points,
    pointsValue: refund.points_value,
    coins: refund.coins,
    coinsValue: refund.coins_value,
    applyPrice: refund.cash + refund.points_value + refund.coins_value,
    send: refund.shipped,
    notices: [],
  };
}
