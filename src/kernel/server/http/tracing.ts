import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

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
}

interface Trace {
  readonly traceId: string;
  readonly rootId: string;
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

/** Runs `work` as a trace of its own. `spans` collects what happened inside. */
export function inTrace<T>(traceId: string, work: () => T): T {
  return storage.run({ traceId, rootId: traceId.slice(0, 16), spans: [] }, work);
}

/** Starts a trace for the rest of the current asynchronous context (request hooks). */
export function enterTrace(traceId: string): void {
  storage.enterWith({ traceId, rootId: traceId.slice(0, 16), spans: [] });
}

/** Spans of the running trace. */
export function currentSpans(): readonly Span[] {
  return storage.getStore()?.spans ?? [];
}

/** Times `work` as a span of the running trace; without a trace it only runs it. At most 200 spans a trace. */
export async function withSpan<T>(kind: string, name: string, work: () => Promise<T>): Promise<T> {
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
