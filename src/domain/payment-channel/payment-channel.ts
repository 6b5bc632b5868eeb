import type { Platform } from '../../kernel/server/platform.ts';

/** A refund as it is asked of a channel. Amounts in fen. The number is fixed for life: it can pay once only. */
export interface ChannelRefund {
  /** Our number (`out_refund_no`, `out_request_no`). */
  readonly refundNo: string;
  /** The channel's number of the payment (`transaction_id`, `trade_no`). */
  readonly tradeNo: string;
  /** Our number of the payment (`out_trade_no`). */
  readonly checkoutCode: string;
  readonly amount: number;
  /** The whole payment, which some channels ask for. */
  readonly paid: number;
  /** The payee account the payment went to, stopped or not: its keys sign the call. Null where none was kept. */
  readonly payeeAccountId: number | null;
  readonly reason: string;
}

/**
 * What a channel says of a refund. `accepted`: it works on it, the result comes later; `none`: it does not know the
 * number, no money moved. `code` and `message` are the channel's own texts.
 */
export interface ChannelAnswer {
  readonly state: 'accepted' | 'success' | 'failure' | 'none';
  readonly code: string;
  readonly message: string;
}

/** A result a channel tells by callback, after its signature was checked. It may come late, twice or never. */
export interface ChannelResult {
  readonly refundNo: string;
  readonly state: 'success' | 'failure';
  readonly code: string;
  readonly message: string;
}

/** Who takes results: the refund engine. A repeat must have no second effect. */
export type ChannelListener = (platform: Platform, result: ChannelResult) => Promise<void>;

/** The other side of a payment way as refunds need it. Alipay, WeChat and the sandbox implement it. */
export interface RefundChannel {
  /**
   * Asks for a refund. A repeat with the same number never pays twice; after a failure it tries again.
   * Throws ChannelSilent when there was no answer: the money may have moved, ask with `query`.
   */
  refund(order: ChannelRefund): Promise<ChannelAnswer>;
  /** What became of a number. Throws ChannelSilent when there was no answer. */
  query(refundNo: string, tradeNo: string): Promise<ChannelAnswer>;
}

/** The channel gave no answer in time: nothing is known. */
export class ChannelSilent extends Error {
  constructor(message = 'the channel did not answer') {
    super(message);
    this.name = 'ChannelSilent';
  }
}
