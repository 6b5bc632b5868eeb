import type { TraceSpan } from './tracing.contract.ts';

/** Spans of one name in two traces: how many, and how long together in microseconds. */
export interface ComparedSpans {
  readonly name: string;
  readonly left: { readonly count: number; readonly us: number };
  readonly right: { readonly count: number; readonly us: number };
}

const NONE = { count: 0, us: 0 } as const;

/** Two traces side by side by span name; what differs most in time stands first. */
export function compareTraces(
  left: readonly TraceSpan[],
  right: readonly TraceSpan[],
): readonly ComparedSpans[] {
  const [a, b] = [summed(left), summed(right)];
  return [...new Set([...a.keys(), ...b.keys()])]
    .map((name) => ({ name, left: a.get(name) ?? NONE, right: b.get(name) ?? NONE }))
    .sort(
      (one, other) =>
        Math.abs(other.right.us - other.left.us) - Math.abs(one.right.us - one.left.us) ||
        one.name.localeCompare(other.name),
    );
}

function summed(spans: readonly TraceSpan[]): ReadonlyMap<string, { count: number; us: number }> {
  const sums = new Map<string, { count: number; us: number }>();
  for (const { name, durationUs } of spans) {
    const sum = sums.get(name) ?? { count: 0, us: 0 };
    sums.set(name, { count: sum.count + 1, us: sum.us + durationUs });
  }
  return sums;
}
