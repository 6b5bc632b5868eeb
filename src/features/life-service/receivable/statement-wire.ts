/** What stands in a statement. */
export const ENTRY_KINDS = {
  line: ['应收', 'Receivable'],
  interest: ['滞纳金', 'Interest'],
  dunning_fee: ['催收费', 'Dunning fee'],
  waiver: ['减免', 'Waiver'],
  adjustment: ['调整', 'Adjustment'],
  receipt: ['收款', 'Receipt'],
  write_off: ['坏账核销', 'Written off'],
} as const;

/** Opening, what happened and closing of a payer in a period; amounts are texts in yuan. */
export interface StatementText {
  readonly payer: string;
  readonly from: string;
  readonly to: string;
  readonly opening: string;
  readonly entries: readonly {
    readonly day: string;
    readonly kind: keyof typeof ENTRY_KINDS;
    readonly code: string;
    readonly amount: string;
    readonly balance: string;
  }[];
  readonly closing: string;
}
