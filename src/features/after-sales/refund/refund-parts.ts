import type { Label } from '../../../kernel/contract/label.ts';

/** One line of the money table, in yuan: what is left after this refund, of the order and of the whole payment. */
export interface MoneyRow {
  readonly scope: 'order' | 'payment';
  readonly paid: string;
  readonly refunded: string;
  readonly inProgress: string;
  readonly current: string;
  readonly leftAfter: string;
}

/** A line of the order with what this refund takes from it; money in yuan. */
export interface LinePart {
  readonly lineNo: number;
  readonly product: string;
  readonly spec: string;
  readonly price: string;
  readonly qty: number;
  readonly shipped: number;
  readonly refundedQty: number;
  readonly goods: string;
  readonly cash: string;
  readonly cashRefunded: string;
  readonly currentQty: number;
  readonly currentCash: string;
  /** Cash of this refund's units that was not given back. */
  readonly currentWithheld: string;
  /** A kept line on which a coupon is undone. */
  readonly recheck: boolean;
  readonly shares: readonly {
    readonly step: number;
    readonly amount: string;
    readonly units: number;
    readonly refunded: string;
    readonly current: string;
    readonly currentUnits: number;
  }[];
}

/** What a refund does to a coupon of the checkout; money in yuan. */
export interface CouponEffect {
  readonly name: string;
  readonly step: number;
  readonly rule: 'share' | 'recheck';
  readonly threshold: string;
  readonly lapses: string;
  readonly outcome: 'returned' | 'marked' | 'will_return' | 'will_mark' | 'kept';
}

/** A row of the suggested split with its formula; money in yuan. */
export interface SuggestedRow {
  readonly lineNo: number;
  readonly product: string;
  readonly kind: string;
  readonly qty: number;
  readonly cash: string;
  readonly formula: Label;
  readonly before: string;
  readonly after: string;
}

/** The parts of a refund's detail beside its fields, as `GET /api/jinmao/web/refund/{id}` sends them under `parts`. */
export interface RefundParts {
  readonly order: {
    readonly id: string;
    readonly code: string;
    readonly title: string;
    readonly state: Label;
    readonly createdAt: string;
    readonly payable: string;
  };
  readonly payment: {
    readonly id: string;
    readonly code: string;
    readonly channel: number;
    readonly tradeNo: string;
    readonly paidAt: string | null;
    readonly amount: string;
  };
  readonly money: readonly MoneyRow[];
  readonly lines: readonly LinePart[];
  readonly coupons: readonly CouponEffect[];
  readonly suggested: readonly SuggestedRow[];
  readonly suggestedCash: string;
  readonly appliedCash: string;
  readonly cashReason: string;
  readonly notices: readonly Label[];
  readonly channel: {
    readonly number: string;
    readonly attempts: number;
    readonly code: string;
    readonly message: string;
    readonly sentAt: string | null;
    readonly waitsUntil: string | null;
  };
  readonly events: readonly {
    readonly at: string;
    readonly from: string | null;
    readonly to: string;
    readonly who: string;
    readonly remark: string;
    readonly answer: string;
  }[];
  /** Payee and vouchers are read by their own ways: masked, and by who may. */
  readonly offline: { readonly waits: boolean } | null;
}
