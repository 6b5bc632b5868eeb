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

/** What stands above the list of orders. */
export interface OrderFigures {
  readonly service: number;
  readonly pending: number;
  readonly late: number;
  /** Uses of this month. */
  readonly used: number;
  /** Orders whose term ended within a year, and those of them that were renewed. */
  readonly ended: number;
  readonly renewed: number;
}
