/** A payment or refund as we know it, in fen. */
export interface Ours {
  readonly type: 'pay' | 'refund';
  readonly id: number;
  readonly tradeNo: string;
  readonly ourNo: string;
  readonly amount: number;
  readonly at: Date;
}

/** A row of a channel's bill, in fen. */
export interface Theirs {
  readonly type: 'pay' | 'refund';
  readonly rowId: number;
  readonly tradeNo: string;
  readonly ourNo: string;
  readonly amount: number;
  readonly fee: number;
  readonly at: Date;
}

/** What became of a row of one side or of both. */
export type MatchResult = 'matched' | 'amount_differs' | 'only_ours' | 'only_channel' | 'cross_day';

/** A row of the reconciliation. */
export interface Matched {
  readonly result: MatchResult;
  readonly ours: Ours | undefined;
  readonly theirs: Theirs | undefined;
}

/**
 * Puts the two sides of a day together: payments by the channel's number, else ours; refunds by our number. Amounts must be equal to
 * the fen. What is left of ours lies near midnight, or is ours only. Source: group 13, fm_financialReconciliation, Matching.
 */
export function matchDay(
  ours: readonly Ours[],
  theirs: readonly Theirs[],
  nearMidnight: (at: Date) => boolean,
): Matched[] {
  const left = new Set(ours);
  const byTrade = new Map(ours.filter((one) => one.type === 'pay').map((one) => [one.tradeNo, one]));
  const byNumber = new Map(ours.map((one) => [`${one.type} ${one.ourNo}`, one]));
  const rows = theirs.map((row): Matched => {
    const found =
      (row.type === 'pay' ? byTrade.get(row.tradeNo) : undefined) ?? byNumber.get(`${row.type} ${row.ourNo}`);
    if (!found || !left.has(found)) return { result: 'only_channel', ours: undefined, theirs: row };
    left.delete(found);
    return { result: found.amount === row.amount ? 'matched' : 'amount_differs', ours: found, theirs: row };
  });
  return [
    ...rows,
    ...[...left].map((one): Matched => ({
      result: nearMidnight(one.at) ? 'cross_day' : 'only_ours',
      ours: one,
      theirs: undefined,
    })),
  ];
}

/** True where an instant lies within so many minutes of midnight of the business day. */
export function nearMidnight(minutes: number): (at: Date) => boolean {
  return (at) => {
    const ofDay = ((at.getTime() + 8 * 3_600_000) % 86_400_000) / 60_000;
    return ofDay < minutes || ofDay >= 1_440 - minutes;
  };
}

/** The sums of a day's reconciliation, refunds below zero. */
export interface Identity {
  readonly ours: number;
  readonly channel: number;
  readonly diff: number;
  readonly onlyOurs: number;
  readonly onlyChannel: number;
  readonly crossOut: number;
  readonly crossIn: number;
  /** channel − (ours + Σdiff + only_channel − only_ours − cross_out + cross_in); 0, or rows are lost. */
  readonly residual: number;
}

/** What the identity of a day is made of: a row with both sides of a cross-day belongs to the day that came later. */
export function identityOf(
  rows: readonly {
    readonly type: 'pay' | 'refund';
    readonly result: MatchResult;
    readonly ours: number | null;
    readonly theirs: number | null;
  }[],
  day: { readonly ours: number; readonly channel: number },
): Identity {
  const sum = (result: MatchResult, value: (row: (typeof rows)[number]) => number, crossIn?: boolean) =>
    rows.reduce(
      (total, row) =>
        row.result === result && (crossIn === undefined || (row.theirs !== null) === crossIn)
          ? total + (row.type === 'pay' ? value(row) : -value(row))
          : total,
      0,
    );
  const diff = sum('amount_differs', (row) => (row.theirs ?? 0) - (row.ours ?? 0));
  const onlyOurs = sum('only_ours', (row) => row.ours ?? 0);
  const onlyChannel = sum('only_channel', (row) => row.theirs ?? 0);
  const crossOut = sum('cross_day', (row) => row.ours ?? 0, false);
  const crossIn = sum('cross_day', (row) => row.theirs ?? 0, true);
  return {
    ...day,
    diff,
    onlyOurs,
    onlyChannel,
    crossOut,
    crossIn,
    residual: day.channel - (day.ours + diff + onlyChannel - onlyOurs - crossOut + crossIn),
  };
}
