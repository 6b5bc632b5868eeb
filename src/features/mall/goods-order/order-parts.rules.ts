import type { Label } from '../../../kernel/contract/label.ts';
import type { QuoteOrder } from '../../../domain/trade-money/quote.rules.ts';
import type { WireShares, WireStep } from './quote-wire.rules.ts';

/** A line of an order on the wire. Money as yuan text. `unshipped` less `held` may be shipped now. */
export interface OrderLinePart {
  readonly id: string;
  readonly lineNo: number;
  readonly productId: string;
  readonly productName: string;
  readonly specName: string;
  readonly specCode: string;
  readonly image: string | null;
  readonly supplier: string;
  readonly price: string;
  readonly listPrice: string;
  readonly qty: number;
  readonly goods: string;
  readonly cash: string;
  readonly cashRefunded: string;
  readonly cashLeft: string;
  /** Cash of refunded pieces that was not given back; out of reach of later refunds but the platform's. */
  readonly withheld: string;
  readonly shares: WireShares;
  readonly shipped: number;
  readonly refunded: number;
  readonly unshipped: number;
  readonly held: number;
  readonly commented: boolean;
}

/** A parcel with its pieces. */
export interface ShipmentPart {
  readonly id: string;
  readonly way: 'express' | 'own';
  readonly company: string;
  readonly trackingNo: string;
  readonly courier: string;
  readonly courierPhone: string;
  readonly at: string;
  readonly who: string;
  readonly lines: readonly {
    readonly lineId: string;
    readonly productName: string;
    readonly specName: string;
    readonly qty: number;
  }[];
}

/** A refund of the order. */
export interface RefundPart {
  readonly id: string;
  readonly code: string;
  readonly state: string;
  readonly cash: string;
  readonly points: number;
  readonly freight: string;
  readonly reason: string;
  readonly appliedAt: string;
  readonly succeededAt: string | null;
}

/** An entry of the order's own timeline, oldest first. */
export interface OperationPart {
  readonly code: number;
  readonly label: Label;
  readonly at: string;
  readonly who: string;
  readonly remark: string;
}

/** What the detail of a goods order has beside its fields. Money as yuan text, instants as ISO 8601. */
export interface OrderParts {
  readonly times: Readonly<
    Record<
      'createdAt' | 'paidAt' | 'shippedAt' | 'completedAt' | 'closedAt' | 'payDeadline' | 'receiveDeadline',
      string | null
    >
  >;
  readonly closeReason: string;
  readonly onBehalf: boolean;
  readonly invoice: {
    readonly type: number;
    readonly name: string;
    readonly dutyCode: string;
    /** 需红冲: goods of an invoiced order were refunded. */
    readonly toReverse: boolean;
  };
  readonly lines: readonly OrderLinePart[];
  readonly shipments: readonly ShipmentPart[];
  readonly money: Readonly<
    Record<
      | 'goods'
      | 'merchantCoupon'
      | 'platformCoupon'
      | 'pointsValue'
      | 'coinsValue'
      | 'manualOff'
      | 'freight'
      | 'freightRefunded'
      | 'payable'
      | 'refunded'
      | 'net'
      | 'discount'
      | 'cash',
      string
    >
  > & { readonly points: number; readonly pointsRefunded: number };
  readonly payment: {
    readonly checkoutCode: string;
    readonly channel: number;
    readonly state: number;
    readonly amount: string;
    readonly tradeNo: string | null;
    readonly paidAt: string | null;
    readonly orders: readonly {
      readonly id: string;
      readonly code: string;
      readonly merchant: string;
      readonly payable: string;
      readonly state: string;
    }[];
  };
  readonly refunds: readonly RefundPart[];
  /** After-sales cases of the order, the newest first. */
  readonly cases: readonly {
    readonly id: string;
    readonly code: string;
    readonly type: string;
    readonly state: string;
    readonly cash: string;
    readonly appliedAt: string;
  }[];
  /** What the member said of the order. */
  readonly comment: {
    readonly stars: number;
    readonly content: string;
    readonly reply: string;
    readonly shown: boolean;
  } | null;
  readonly operations: readonly OperationPart[];
  readonly steps: readonly WireStep[];
  /** The priced order as the money engine stored it, while it is unpaid: the page runs 改价 on it with the engine itself. */
  readonly pricing: QuoteOrder | null;
}
