import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Platform } from '../../kernel/server/platform.ts';
import { currentSpans } from '../../kernel/server/http/tracing.ts';

const FLUSH_MS = 1_000;
/** Traces kept each second besides slow and failed ones, so that tracing costs the same at any load. */
const TRACES_A_SECOND = 20;
const MAX_WAITING = 2_000;

/** Collects spans of finished requests and writes them in batches: slow and failed traces always, others at a fixed rate. */
export function recordSpans(platform: Platform): {
  finish(request: FastifyRequest, reply: FastifyReply): void;
  stop(): Promise<void>;
} {
  let waiting: unknown[][] = [];
  let kept = 0;
  let slowMs = 1_000;
  const flush = async () => {
    kept = 0;
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    try {
      slowMs = await platform.settings.number('trace.slow_ms');
      const columns = Array.from({ length: 8 }, (_unused, column) => batch.map((span) => span[column]));
      await platform.database.pool.query(
        `INSERT INTO span (trace_id, span_id, parent_id, name, kind, started_at, duration_us, status)
         SELECT a, b, nullif(c, ''), d, e, f, g, h FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::bigint[], $8::int[]) AS s(a, b, c, d, e, f, g, h)`,
        columns,
      );
    } catch {
      // Tracing must never fail a request; the next batch tries again.
    }
  };
  const timer = setInterval(() => void flush(), FLUSH_MS);
  timer.unref();
  return {
    finish: (request, reply) => {
      if (!request.url.startsWith('/api') || waiting.length >= MAX_WAITING) return;
      const slow = reply.elapsedTime >= slowMs || reply.statusCode >= 500;
      if (!slow && kept >= TRACES_A_SECOND) return;
      kept += 1;
      const rootId = request.id.slice(0, 16);
      waiting.push([
        request.id,
        rootId,
        '',
        `${request.method} ${request.routeOptions.url ?? '?'}`,
        'http',
        new Date(Date.now() - reply.elapsedTime),
        Math.round(reply.elapsedTime * 1000),
        reply.statusCode,
      ]);
      for (const span of currentSpans())
        waiting.push([
          span.traceId,
          span.spanId,
          span.parentId ?? '',
          span.name.slice(0, 200),
          span.kind,
          new Date(span.startedAt),
          Math.round(span.duration * 1000),
          span.status,
        ]);
    },
    stop: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}
