import type { TraceSpan } from './tracing.contract.ts';

/** A line of the waterfall: a span, or several equal ones below the same parent. */
export interface WaterfallLine {
  readonly span: TraceSpan;
  readonly depth: number;
  /** Microseconds the span itself took, without what ran inside. */
  readonly selfUs: number;
  /** How many equal spans the line stands for. */
  readonly times: number;
  /** Microseconds of all of them together. */
  readonly totalUs: number;
  /** The longest way through the trace passes here. */
  readonly critical: boolean;
  readonly hasChildren: boolean;
}

/** From so many equal statements on they look like a query inside of a loop. */
export const LOOP_HINT = 10;

/** Spans in the order they are drawn: parents before children, by their start, equal siblings as one line. */
export function waterfall(
  spans: readonly TraceSpan[],
  collapsed: ReadonlySet<string> = new Set(),
): readonly WaterfallLine[] {
  const ids = new Set(spans.map((span) => span.id));
  const children = new Map<string, TraceSpan[]>();
  const roots: TraceSpan[] = [];
  for (const span of [...spans].sort((a, b) => a.startedAt - b.startedAt)) {
    if (span.parentId !== null && span.parentId !== span.id && ids.has(span.parentId))
      children.set(span.parentId, [...(children.get(span.parentId) ?? []), span]);
    else roots.push(span);
  }
  const critical = new Set<string>();
  const seen = new Set<string>();
  let at: TraceSpan | undefined = longest(roots);
  while (at && !critical.has(at.id)) {
    critical.add(at.id);
    at = longest(children.get(at.id) ?? []);
  }
  const lines: WaterfallLine[] = [];
  const add = (siblings: readonly TraceSpan[], depth: number): void => {
    const groups = new Map<string, TraceSpan[]>();
    for (const span of siblings) {
      const alone = (children.get(span.id) ?? []).length > 0;
      const key = alone ? span.id : `${span.kind} ${span.service} ${span.tags.statement ?? span.name}`;
      groups.set(key, [...(groups.get(key) ?? []), span]);
    }
    for (const group of groups.values()) {
      const span = group[0]!;
      if (seen.has(span.id)) continue;
      for (const one of group) seen.add(one.id);
      const inner = children.get(span.id) ?? [];
      lines.push({
        span,
        depth,
        selfUs: selfTime(span, inner),
        times: group.length,
        totalUs: group.reduce((sum, one) => sum + one.durationUs, 0),
        critical: group.some((one) => critical.has(one.id)),
        hasChildren: inner.length > 0,
      });
      if (!collapsed.has(span.id)) add(inner, depth + 1);
    }
  };
  add(roots, 0);
  return lines;
}

function longest(spans: readonly TraceSpan[]): TraceSpan | undefined {
  return [...spans].sort((a, b) => b.durationUs - a.durationUs)[0];
}

/** A span's time without the time in which one of its children ran; children that overlap count once. */
export function selfTime(span: TraceSpan, children: readonly TraceSpan[]): number {
  const start = span.startedAt;
  const end = start + span.durationUs / 1_000;
  let covered = 0;
  let reached = start;
  for (const child of [...children].sort((a, b) => a.startedAt - b.startedAt)) {
    const from = Math.max(reached, child.startedAt);
    const to = Math.min(end, child.startedAt + child.durationUs / 1_000);
    if (to > from) {
      covered += to - from;
      reached = to;
    }
  }
  return Math.max(0, Math.round(span.durationUs - covered * 1_000));
}
