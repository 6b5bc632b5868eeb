import type { Tx } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import {
  applyRefund,
  type RefundApplication,
} from '../../features/after-sales/refund/refund-apply.server.ts';

/**
 * Applies for a refund of an order of `openPlainOrder`: by staff it goes the way of every refund of staff, else it is the
 * system's and passes.
 */
export async function refundPlainOrder(
  tx: Tx,
  platform: Platform,
  of: Pick<
    RefundApplication,
    'orderId' | 'lines' | 'agreedCash' | 'cashReason' | 'reason' | 'caller' | 'facts' | 'liable'
  >,
): Promise<void> {
  await applyRefund(tx, { ...of, platform, system: of.caller === undefined, applicantType: 2 });
}
