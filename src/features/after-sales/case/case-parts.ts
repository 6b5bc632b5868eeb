import type { Label } from '../../../kernel/contract/label.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';

/** A line of the order with what the case asks of it; money in yuan. */
export interface CaseLinePart {
  readonly id: string;
  readonly lineNo: number;
  readonly product: string;
  readonly spec: string;
  readonly image: string | null;
  readonly price: string;
  readonly qty: number;
  readonly shipped: number;
  readonly refundedQty: number;
  readonly goods: string;
  readonly shares: readonly {
    readonly step: number;
    readonly amount: string;
    readonly units: number;
    readonly refunded: string;
  }[];
  readonly cash: string;
  readonly cashRefunded: string;
  /** Units and cash of this case; null where the line is not part of it. */
  readonly caseQty: number | null;
  readonly acceptedQty: number | null;
  readonly caseCash: string | null;
  readonly newSpec: string | null;
  readonly cashLeft: string;
}

/** A row of the engine's split with its formula; money in yuan. */
export interface CaseStepPart {
  readonly product: string;
  readonly kind: string;
  readonly qty: number;
  readonly cash: string;
  readonly formula: Label;
  readonly before: string;
  readonly after: string;
}

/** What the engine would give back; money in yuan. */
export interface CaseSuggestion {
  readonly cash: string;
  readonly points: number;
  readonly freight: string;
  readonly rows: readonly CaseStepPart[];
  readonly notices: readonly Label[];
}

/** Everything a case shows beside its fields, as `GET /api/jinmao/web/afterSale/{id}` sends it under `parts`. */
export interface CaseParts {
  readonly order: {
    readonly id: string;
    readonly code: string;
    readonly state: Label;
    readonly payable: string;
    readonly refunded: string;
    readonly inProgress: string;
    readonly left: string;
  };
  readonly lines: readonly CaseLinePart[];
  /** As the engine said when its refund was made, before that when the case was applied for. */
  readonly applied: CaseSuggestion | null;
  /** As it says now; null when nothing can be decided any more. */
  readonly now: CaseSuggestion | null;
  /** Why nothing can be refunded now. */
  readonly impossible: Label | null;
  /** What this staff may agree to at most, and what stands without input; null for exchanges. */
  readonly limit: { readonly most: string; readonly usual: string } | null;
  readonly agreedReason: string;
  readonly addresses: readonly { readonly id: string; readonly title: string; readonly isDefault: boolean }[];
  readonly returnAddress: {
    readonly receiver: string;
    readonly region: string;
    readonly address: string;
  } | null;
  readonly back: { readonly company: string; readonly trackingNo: string; readonly at: string } | null;
  readonly inspection: {
    readonly result: string;
    readonly note: string;
    readonly at: string;
    readonly resellable: boolean;
  } | null;
  readonly sent: { readonly company: string; readonly trackingNo: string; readonly at: string } | null;
  readonly refuseReason: string;
  readonly messages: readonly {
    readonly id: string;
    readonly side: 'buyer' | 'merchant' | 'platform';
    readonly who: string;
    readonly body: string;
    readonly images: readonly string[];
    readonly at: string;
  }[];
  readonly refunds: readonly {
    readonly id: string;
    readonly code: string;
    readonly state: string;
    readonly cash: string;
    readonly points: number;
    readonly channelRefundNo: string;
    readonly attempts: number;
    readonly reason: string;
    readonly appliedAt: string;
  }[];
  readonly events: readonly {
    readonly at: string;
    readonly code: number | null;
    readonly label: Label;
    readonly who: string;
    readonly remark: string;
  }[];
}

/** Pictures and videos of a case by where they belong. */
export type CaseFiles = Readonly<
  Record<'evidence' | 'video' | 'refused' | 'inspected' | 'said', readonly FileValue[]>
>;

/** An order as 代客申请 shows it; money in yuan. */
export interface LookedUpOrder {
  readonly orderId: string;
  readonly code: string;
  readonly state: Label;
  readonly customer: string;
  readonly merchant: string;
  readonly lines: readonly {
    readonly id: string;
    readonly product: string;
    readonly spec: string;
    readonly image: string | null;
    readonly price: string;
    readonly qty: number;
    readonly shipped: number;
    /** Units no case and no refund holds. */
    readonly free: number;
    /** Of these, units that were shipped: they can come back. */
    readonly returnable: number;
    readonly cashLeft: string;
    readonly specs: readonly { readonly id: string; readonly name: string; readonly stock: number }[];
  }[];
}

/** Figures of the head of the list; money in yuan, minutes of business time. */
export interface CaseFigures {
  readonly applied: number;
  readonly decided: number;
  readonly agreed: number;
  readonly averageMinutes: number | null;
  readonly refunded: string;
  readonly refundedCases: number;
  readonly linesCompleted: number;
  readonly reasons: readonly { readonly reason: string; readonly count: number }[];
  readonly merchants: readonly {
    readonly id: string;
    readonly name: string;
    readonly applied: number;
    readonly decided: number;
    readonly agreed: number;
    readonly refunded: string;
  }[];
}
