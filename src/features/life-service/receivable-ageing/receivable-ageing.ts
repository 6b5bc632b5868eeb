/** What the ageing table counts from. */
export const BASES = {
  due_on: { label: ['到期日', 'Due day'] },
  posted_on: { label: ['入账日', 'Posted day'] },
} as const;

/** What a row of the ageing table is. */
export const GROUPS = {
  project: { label: ['项目', 'Project'] },
  payer: { label: ['付款方', 'Payer'] },
  owner: { label: ['负责人', 'Owner'] },
  source: { label: ['来源', 'Source'] },
} as const;

/** A row of the ageing table; amounts are texts in yuan. */
export interface AgeingRow {
  readonly key: string;
  readonly name: string;
  /** Not due, then a cell for each limit, then above the highest. */
  readonly cells: readonly string[];
  readonly total: string;
  /** Due in the next 30 days. */
  readonly soon: string;
  /** Prepaid balance of its payers, not taken off. */
  readonly credit: string;
}

export interface AgeingTable {
  readonly limits: readonly number[];
  readonly rows: readonly AgeingRow[];
  readonly sums: AgeingRow;
}

/** A line of a cell as it stood on the day. */
export interface AgeingLine {
  readonly id: string;
  readonly code: string;
  readonly payer: string;
  readonly project: string;
  readonly dueOn: string;
  readonly days: number;
  readonly balance: string;
}

/** The figures above the receivables, those that are read as a whole. */
export interface ReceivableFigures {
  readonly balance: string;
  readonly overdue: string;
  readonly overdueRate: string | null;
  readonly dueThisMonth: string;
  readonly receivedThisMonth: string;
  readonly collectionRate: string | null;
  readonly dso: string | null;
}
