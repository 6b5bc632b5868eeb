import type { FileValue } from '../../../kernel/contract/fields.ts';
import type { VISIT_RESULTS } from './decor-case.contract.ts';

/** What a case has beside its row; amounts are texts in yuan. */
export interface DecorCaseBook {
  readonly visits: readonly {
    readonly id: string;
    readonly person: string;
    readonly from: string;
    readonly to: string;
    readonly state: keyof typeof VISIT_RESULTS | 'planned' | 'cancelled';
    readonly note: string;
    readonly files: readonly FileValue[];
  }[];
  readonly refunds: readonly {
    readonly code: string;
    readonly amount: string;
    readonly state: 'reviewing' | 'refunding' | 'succeeded' | 'failed' | 'cancelled';
    readonly parts: readonly { readonly receipt: string; readonly amount: string }[];
  }[];
}

/** What may go back of the order of a case, over which receipts, and what the merchant's settlement loses. */
export interface DecorCaseRefund {
  readonly paid: string;
  readonly refunded: string;
  readonly inProgress: string;
  readonly refundable: string;
  /** What the case asks for; null where staff say it. */
  readonly amount: string | null;
  readonly parts: readonly { readonly receipt: string; readonly amount: string }[];
  /** Commission of the merchant's agreement in percent: that share of a refund comes back to it. */
  readonly commission: string;
  readonly settlement: string | null;
}
