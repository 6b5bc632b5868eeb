import { createHash } from 'node:crypto';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { Effect } from '../../../kernel/server/service.ts';

/** Effect that sends the money of a trade back which no order may keep. */
export const RETURN_EFFECT = 'payment.return';

/** The trade that goes back whole; `amount` in fen. */
export interface ReturnOfTrade {
  readonly checkoutCode: string;
  readonly tradeNo: string;
  readonly amount: number;
  readonly channel: 1 | 2;
}

/** Number of the return at the channel: fixed by the trade, so any number of deliveries pays once. */
export function returnNoOf(tradeNo: string): string {
  return `RT${createHash('sha256').update(tradeNo).digest('hex').slice(0, 24).toUpperCase()}`;
}
