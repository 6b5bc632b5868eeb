import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes, randomUUID } from 'node:crypto';

/** One timed piece of work. Times are milliseconds since the epoch (start) and milliseconds (duration). */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly kind: string;
  readonly startedAt: number;
  duration: number;
  status: number;
  /** What is known of it beside its name; never values of parameters, bodies or personal data. */
  readonly attributes?: Readonly<Record<string, string | number>>;
}

/** Where the running piece of work stands in its trace. */
export interface TraceRoot {
  readonly traceId: string;
  readonly rootId: string;
  /** Span of the caller that began the trace elsewhere. */
  readonly parentId: string | undefined;
}

interface Trace extends TraceRoot {
  readonly spans: Span[];
}

const storage = new AsyncLocalStorage<Trace>();

/** A fresh trace id of 32 hex digits, 122 of its bits random: every request needs one, and this source keeps a stock. */
export function newTraceId(): string {
  return randomUUID().replaceAll('-', '');
}

/** The trace id of the running request or job, or an empty text outside of one. */
export function currentTraceId(): string {
  return storage.getStore()?.traceId ?? '';
}

function newTrace(traceId: string, parentId?: string): Trace {
  // A trace that goes on from elsewhere has other roots already.
  const rootId = parentId === undefined ? traceId.slice(0, 16) : randomBytes(8).toString('hex');
  return { traceId, rootId, parentId, spans: [] };
}

/** Runs `work` as a trace of its own, or as a part of one that began elsewhere. `spans` collects what happened inside. */
export function inTrace<T>(traceId: string, work: () => T, parentId?: string): T {
  return storage.run(newTrace(traceId, parentId), work);
}

/** Starts a trace for the rest of the current asynchronous context (request hooks). */
export function enterTrace(traceId: string, parentId?: string): void {
  storage.enterWith(newTrace(traceId, parentId));
}

/** The running trace with its root span; undefined outside of one. */
export function currentRoot(): TraceRoot | undefined {
  return storage.getStore();
}

/** Trace and span of a `traceparent` header; undefined for what is none. */
export function readTraceparent(header: unknown): { traceId: string; parentId: string } | undefined {
  const found = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(String(header ?? ''));
  if (!found || /^0+$/.test(found[1]!) || /^0+$/.test(found[2]!)) return undefined;
  return { traceId: found[1]!, parentId: found[2]! };
}

/** Spans of the running trace. */
export function currentSpans(): readonly Span[] {
  return storage.getStore()?.spans ?? [];
}

/** Times `work` as a span of the running trace; without a trace it only runs it. At most 200 spans a trace. */
export async function withSpan<T>(
  kind: string,
  name: string,
  work: () => Promise<T>,
  attributes?: Span['attributes'],
): Promise<T> {
  const trace = storage.getStore();
  if (!trace || trace.spans.length >= 200) return work();
  const started = performance.now();
  const span: Span = {
    traceId: trace.traceId,
    spanId: `${trace.rootId.slice(0, 10)}${(trace.spans.length + 1).toString(16).padStart(6, '0')}`,
    parentId: trace.rootId,
    name,
    kind,
    startedAt: Date.now(),
    duration: 0,
    status: 0,
    ...(attributes ? { attributes } : {}),
  };
  trace.spans.push(span);
  try {
    return await work();
  } catch (error) {
    span.status = 1;
    throw error;
  } finally {
    span.duration = performance.now() - started;
  }
}
