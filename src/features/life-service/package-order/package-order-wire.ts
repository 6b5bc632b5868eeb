import type { REFUND_METHODS, START_RULES } from '../../../domain/life-service/package.rules.ts';

/** An item of an order with what was used of it; amounts are texts in yuan. */
export interface OrderItem {
  readonly id: string;
  readonly name: string;
  /** None: as often as one likes. */
  readonly times: number | null;
  readonly listPrice: string;
  readonly used: number;
}

/** What cancelling an order means today; amounts are texts in yuan. */
export interface CancellationText {
  readonly method: keyof typeof REFUND_METHODS;
  readonly feePercent: string;
  readonly paid: string;
  readonly used: string;
  readonly fee: string;
  /** Below 0: still to be paid. */
  readonly dueBack: string;
  /** What another package would be credited with. */
  readonly credit: string;
  readonly needsApproval: boolean;
}

/** What a package is sold under now. */
export interface SaleTerms {
  readonly versionNo: number;
  readonly price: string;
  readonly plans: readonly string[];
  readonly startRule: keyof typeof START_RULES;
  readonly validity: number;
  readonly validityUnit: 'month' | 'day';
}
