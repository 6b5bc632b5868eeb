import type { CaseState } from '../../../domain/after-sale/case.rules.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import type {
  CHECK_KINDS,
  INSTALMENT_STATES,
  NODE_STATES,
} from '../../../domain/furnishing/decor-order.rules.ts';
import type { WarrantyCategory } from '../../../domain/furnishing/decor-version.rules.ts';
import type { DECOR_CASE_TYPES } from '../decor-case/decor-case.contract.ts';
import type { CancelStage, DUE_EVENTS, OPTION_MODES } from '../../../domain/furnishing/price.rules.ts';

/** Everything an order has beside its row; amounts are texts in yuan. */
export interface DecorBook {
  readonly lines: readonly {
    readonly kind: 'base' | 'option' | 'change' | 'discount';
    readonly source: string;
    readonly name: string;
    readonly quantity: string;
    readonly unitPrice: string;
    readonly amount: string;
  }[];
  readonly instalments: readonly {
    readonly seq: number;
    readonly name: string;
    readonly share: string;
    readonly amount: string;
    readonly dueEvent: keyof typeof DUE_EVENTS | 'settlement';
    readonly dueDays: number;
    readonly dueOn: string | null;
    readonly received: string;
    readonly state: keyof typeof INSTALMENT_STATES;
    readonly overdue: boolean;
    readonly receipts: readonly string[];
  }[];
  readonly nodes: readonly {
    readonly seq: number;
    readonly name: string;
    readonly weight: string;
    readonly from: string;
    readonly to: string;
    readonly state: keyof typeof NODE_STATES;
    readonly reworks: number;
    readonly doneBy: string | null;
    readonly checkedBy: string | null;
    readonly finishedOn: string | null;
    readonly late: boolean;
  }[];
  readonly checks: readonly {
    readonly id: string;
    readonly kind: keyof typeof CHECK_KINDS;
    readonly node: string | null;
    readonly round: number;
    readonly result: 'passed' | 'failed' | null;
    readonly defects: readonly { readonly room: string; readonly text: string }[];
    readonly files: readonly FileValue[];
    readonly signature: FileValue | null;
    readonly note: string;
    readonly by: string;
    readonly at: string;
  }[];
  readonly warranty: readonly {
    readonly category: WarrantyCategory;
    readonly months: number;
    readonly from: string;
    readonly to: string;
  }[];
  readonly refunds: readonly {
    readonly code: string;
    readonly amount: string;
    readonly state: 'reviewing' | 'refunding' | 'succeeded' | 'failed' | 'cancelled';
    readonly reason: string;
    readonly parts: readonly { readonly receipt: string; readonly amount: string }[];
    readonly at: string;
  }[];
  /** After-sales cases, the newest first. */
  readonly cases: readonly {
    readonly code: string;
    readonly type: keyof typeof DECOR_CASE_TYPES;
    readonly category: WarrantyCategory;
    readonly room: string;
    readonly state: CaseState;
    readonly at: string;
  }[];
}

/** What cancelling an order means now; amounts are texts in yuan. */
export interface DecorCancelText {
  readonly stage: CancelStage | null;
  readonly passed: string;
  readonly paid: string;
  readonly works: string;
  readonly fee: string;
  readonly kept: string;
  readonly refund: string;
  readonly rest: string;
}

/** What a package is sold under now for a house: prices are texts in yuan. */
export interface DecorTerms {
  readonly versionNo: number;
  readonly houseType: string;
  readonly built: string;
  readonly options: readonly {
    readonly code: string;
    readonly name: string;
    readonly mode: keyof typeof OPTION_MODES;
    readonly amount: string;
    readonly preset: boolean;
  }[];
  readonly base: string;
}

/** A quote as it would be. */
export interface DecorPreview {
  readonly lines: readonly { readonly name: string; readonly amount: string }[];
  readonly price: string;
  readonly instalments: readonly { readonly name: string; readonly amount: string }[];
  readonly problem: readonly [zh: string, en: string] | null;
}

/** What stands above the list of orders; amounts are texts in yuan. */
export interface DecorFigures {
  /** Price of signed orders that are not cancelled. */
  readonly contract: string;
  readonly received: string;
  readonly owed: string;
  readonly overdue: string;
  /** Orders with a late node. */
  readonly late: number;
}
