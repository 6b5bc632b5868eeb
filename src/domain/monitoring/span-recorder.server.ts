import type { FastifyReply, FastifyRequest } from 'fastify';
import { factsOfCall } from '../../kernel/server/http/call-facts.ts';
import { currentRoot, currentSpans, type Span, type TraceRoot } from '../../kernel/server/http/tracing.ts';
import { staffIdOf } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { JobRun } from '../../kernel/server/tasks/jobs.ts';
import { exportSpans } from './span-export.server.ts';

const FLUSH_MS = 1_000;
/** Spans that are written before their second is over. */
const FLUSH_AT = 500;
/** Traces kept each second whatever the sample rate. */
const TRACES_A_SECOND = 200;
const MAX_WAITING = 20_000;

/** A span as it is stored. */
export interface StoredSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  readonly entry: boolean;
  readonly service: string;
  readonly instance: string;
  readonly peer: string;
  readonly name: string;
  readonly kind: 'SERVER' | 'CLIENT' | 'PRODUCER' | 'CONSUMER' | 'INTERNAL';
  readonly startedAt: number;
  readonly durationUs: number;
  readonly status: number;
  readonly failed: boolean;
  readonly staffId: number | null;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** Collects the spans of finished requests and jobs and writes them in batches; nothing ever waits for it. */
export interface SpanRecorder {
  finish(request: FastifyRequest, reply: FastifyReply): void;
  job(run: JobRun): void;
  /** Spans that were not written since the start: too many waited, or the database was away. */
  dropped(): number;
  flush(): Promise<void>;
  stop(): Promise<void>;
}

const COLUMNS = [
  ['trace_id', 'text', 'traceId'],
  ['span_id', 'text', 'spanId'],
  ['parent_id', 'text', 'parentId'],
  ['entry', 'boolean', 'entry'],
  ['service', 'text', 'service'],
  ['instance', 'text', 'instance'],
  ['peer', 'text', 'peer'],
  ['name', 'text', 'name'],
  ['kind', 'text', 'kind'],
  ['started_at', 'timestamptz', 'startedAt'],
  ['duration_us', 'bigint', 'durationUs'],
  ['status', 'integer', 'status'],
  ['failed', 'boolean', 'failed'],
  ['staff_id', 'bigint', 'staffId'],
  ['attributes', 'jsonb', 'attributes'],
] as const;
const INSERT = `INSERT INTO span (${COLUMNS.map(([name]) => name).join(', ')})
  SELECT ${COLUMNS.map(([name]) => (name === 'parent_id' ? `nullif(parent_id, '')` : name)).join(', ')}
    FROM unnest(${COLUMNS.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')}) AS s(${COLUMNS.map(([name]) => name).join(', ')})`;

/** Writes spans; throws when the database does not take them. */
export async function writeSpans(
  platform: Pick<Platform, 'database'>,
  spans: readonly StoredSpan[],
): Promise<void> {
  if (spans.length === 0) return;
  await platform.database.pool.query(
    INSERT,
    COLUMNS.map(([, , key]) =>
      spans.map((span) =>
        key === 'startedAt'
          ? new Date(span.startedAt)
          : key === 'attributes'
            ? JSON.stringify(span.attributes)
            : span[key],
      ),
    ),
  );
}

/** What a recorder is told of its process. */
export interface RecorderOptions {
  readonly service: string;
  readonly instance?: string;
  /** For tests: decides about traces beyond the fixed rate. */
  readonly random?: () => number;
}

/** Starts recording. Slow and failed traces always stay, others at a fixed rate and beyond it by `trace.sample_rate`. */
export function recordSpans(platform: Platform, options: RecorderOptions): SpanRecorder {
  const { service, instance = '', random = Math.random } = options;
  let waiting: StoredSpan[] = [];
  let kept = 0;
  let dropped = 0;
  let slowMs = 1_000;
  let rate = 1;
  let writing: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    kept = 0;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, 1_000);
      waiting = waiting.slice(1_000);
      try {
        await writeSpans(platform, batch);
      } catch {
        // Tracing must never fail a request; what could not be written is counted.
        dropped += batch.length;
        continue;
      }
      await exportSpans(platform, batch).catch(() => {});
    }
    try {
      slowMs = await platform.settings.number('trace.slow_ms');
      rate = await platform.settings.number('trace.sample_rate');
    } catch {
      // The last ones stand.
    }
  };
  const flush = () => (writing = writing.then(write));
  const timer = setInterval(() => void flush(), FLUSH_MS);
  timer.unref();
  const keep = (root: StoredSpan, inner: readonly Span[]): void => {
    const wanted = root.failed || root.durationUs >= slowMs * 1_000;
    if (!wanted && kept >= TRACES_A_SECOND && random() >= rate) return;
    kept += 1;
    if (waiting.length + inner.length >= MAX_WAITING) {
      dropped += inner.length + 1;
      return;
    }
    waiting.push(root, ...inner.map((span) => innerSpan(span, service, instance)));
    if (waiting.length >= FLUSH_AT && waiting.length - inner.length - 1 < FLUSH_AT) void flush();
  };
  return {
    finish: (request, reply) => {
      if (!request.url.startsWith('/api')) return;
      const root: TraceRoot = currentRoot() ?? {
        traceId: request.id,
        rootId: request.id.slice(0, 16),
        parentId: undefined,
      };
      const { caller } = factsOfCall(request);
      const route = request.routeOptions.url ?? '?';
      keep(
        {
          traceId: root.traceId,
          spanId: root.rootId,
          parentId: root.parentId ?? '',
          entry: true,
          service,
          instance,
          peer: '',
          name: `${request.method} ${route}`.slice(0, 200),
          kind: 'SERVER',
          startedAt: Date.now() - reply.elapsedTime,
          durationUs: Math.round(reply.elapsedTime * 1_000),
          status: reply.statusCode,
          failed: reply.statusCode >= 500,
          staffId: caller ? staffIdOf(caller) : null,
          attributes: {
            'http.method': request.method,
            'http.route': route.slice(0, 200),
            'http.status': String(reply.statusCode),
            bytes: Number(reply.getHeader('content-length') ?? 0) || 0,
            ...(caller?.tenantId ? { tenant: String(caller.tenantId) } : {}),
            ...(caller && caller.staffId !== 0 ? { staff: String(caller.staffId) } : {}),
          },
        },
        currentSpans(),
      );
    },
    job: (run) => {
      keep(
        {
          traceId: run.root.traceId,
          spanId: run.root.rootId,
          parentId: run.root.parentId ?? '',
          entry: true,
          service,
          instance,
          peer: '',
          name: run.name,
          kind: 'CONSUMER',
          startedAt: run.startedAt.getTime(),
          durationUs: Math.round(run.duration * 1_000),
          status: run.error === undefined ? 0 : 1,
          failed: run.error !== undefined,
          staffId: null,
          attributes: { job: run.name },
        },
        run.spans,
      );
    },
    dropped: () => dropped,
    flush,
    stop: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}

const KINDS: Readonly<Record<string, StoredSpan['kind']>> = {
  sql: 'CLIENT',
  effect: 'CLIENT',
  channel: 'CLIENT',
  gateway: 'CLIENT',
  storage: 'CLIENT',
};

function innerSpan(span: Span, service: string, instance: string): StoredSpan {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentId: span.parentId ?? '',
    entry: false,
    service,
    instance,
    // The first word of what leaves the process names who is called.
    peer: span.kind === 'sql' ? 'database' : KINDS[span.kind] ? span.name.split('.')[0]!.slice(0, 60) : '',
    name: span.name.slice(0, 200),
    kind: KINDS[span.kind] ?? 'INTERNAL',
    startedAt: span.startedAt,
    durationUs: Math.round(span.duration * 1_000),
    status: span.status,
    failed: span.status !== 0,
    staffId: null,
    attributes: span.attributes ?? {},
  };
}
