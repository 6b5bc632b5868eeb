import type { TraceDetail, TraceSpan } from './tracing.contract.ts';

/** Reads a downloaded trace; undefined for a file that is none. */
export function readTraceFile(text: string): TraceDetail | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const trace = value as Partial<TraceDetail> | null;
  if (!trace || typeof trace.traceId !== 'string' || !Array.isArray(trace.spans)) return undefined;
  const spans = trace.spans as readonly Partial<TraceSpan>[];
  const fits = spans.every(
    (span) =>
      typeof span?.id === 'string' &&
      typeof span.name === 'string' &&
      typeof span.startedAt === 'number' &&
      typeof span.durationUs === 'number',
  );
  if (!fits || spans.length === 0 || spans.length > 20_000) return undefined;
  return {
    traceId: trace.traceId.slice(0, 64),
    links: { gateLog: null, changes: null, errors: null },
    spans: spans.map((span) => ({
      id: span.id!,
      parentId: typeof span.parentId === 'string' ? span.parentId : null,
      service: String(span.service ?? ''),
      peer: String(span.peer ?? ''),
      name: span.name!,
      kind: String(span.kind ?? 'INTERNAL'),
      startedAt: span.startedAt!,
      durationUs: span.durationUs!,
      failed: span.failed === true,
      status: Number(span.status ?? 0),
      tags: Object.fromEntries(Object.entries(span.tags ?? {}).map(([key, one]) => [key, String(one)])),
    })),
  };
}
