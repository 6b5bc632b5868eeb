import type { PlanLine } from './plan.rules.ts';

/** A line of a contract as it stands; amounts are fen. */
export interface StandingLine {
  readonly id: number;
  readonly key: string;
  readonly kind: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly dueOn: string;
  readonly amount: number;
  readonly state: 'planned' | 'issued' | 'part' | 'paid' | 'void';
  /** What came in or was paid out for it. */
  readonly received: number;
  /** Sum of the adjustments that belong to it. */
  readonly adjusted: number;
  /** Its amount was set by hand. */
  readonly manual: boolean;
}

/** What becomes of a line when terms change. */
export type Settlement =
  | { readonly op: 'add'; readonly line: PlanLine }
  /** Not issued yet: it is written anew. */
  | { readonly op: 'rebuild'; readonly id: number; readonly line: PlanLine }
  | { readonly op: 'void'; readonly id: number }
  /** Issued and nothing came in: its receivable falls with it. */
  | { readonly op: 'voidIssued'; readonly id: number }
  /** Issued: the difference gets a line of its own. */
  | { readonly op: 'adjust'; readonly id: number; readonly amount: number };

/**
 * What new terms do to the lines of a contract: only what is not issued yet is rebuilt, an issued line gets the difference, what
 * falls away is void unless money came in. A received deposit stays, it is returned by a line of its own. What was set by hand stays
 * where the old terms (`was`) and the new ones say the same. Source: group 17.
 */
export function settle(
  standing: readonly StandingLine[],
  next: readonly PlanLine[],
  was: readonly PlanLine[] = [],
): readonly Settlement[] {
  const done: Settlement[] = [];
  const before = new Map(was.map((line) => [line.key, line]));
  const wanted = new Map(next.map((line) => [line.key, line]));
  for (const line of standing) {
    if (line.state === 'void' || line.kind === 'adjustment' || line.kind === 'deposit_return') continue;
    const now = wanted.get(line.key);
    wanted.delete(line.key);
    if (line.manual && now && alike(now, before.get(line.key))) continue;
    if (line.state === 'planned') {
      if (!now) done.push({ op: 'void', id: line.id });
      else if (
        now.amount !== line.amount ||
        now.from !== line.from ||
        now.to !== line.to ||
        now.dueOn !== line.dueOn
      )
        done.push({ op: 'rebuild', id: line.id, line: now });
      continue;
    }
    if (!now) {
      if (line.kind === 'deposit' && line.received > 0) continue;
      if (line.received === 0 && line.adjusted === 0 && line.amount > 0)
        done.push({ op: 'voidIssued', id: line.id });
      else if (line.amount + line.adjusted !== 0)
        done.push({ op: 'adjust', id: line.id, amount: -(line.amount + line.adjusted) });
    } else if (now.amount !== line.amount + line.adjusted)
      done.push({ op: 'adjust', id: line.id, amount: now.amount - line.amount - line.adjusted });
  }
  for (const line of wanted.values()) done.push({ op: 'add', line });
  return done;
}

const alike = (a: PlanLine, b: PlanLine | undefined): boolean =>
  b !== undefined && a.amount === b.amount && a.from === b.from && a.to === b.to && a.dueOn === b.dueOn;
