import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import fs from 'node:fs/promises';
import path from 'node:path';
import v8 from 'node:v8';
import type pg from 'pg';
import { watchStatements } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';

/** One measured value of a moment. */
export interface Measured {
  readonly metric: string;
  readonly labels: string;
  readonly value: number;
}

/** An answered request as the detail of an instance lists it. */
export interface SeenRequest {
  readonly at: number;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  readonly staff: string;
  readonly traceId: string;
}

/** A statement by its text without values. */
export interface SeenStatement {
  readonly text: string;
  readonly calls: number;
  readonly totalMs: number;
  readonly maxMs: number;
  readonly rows: number;
  readonly failed: number;
}

const KEPT_REQUESTS = 100;
const KEPT_STATEMENTS = 500;
const KEPT_TIMES = 5_000;
const MB = 1_048_576;

/** Measures the process it runs in. Everything here is plain counting, so that no request waits for it. */
export interface ProcessMeter {
  /** A request begins; tells of its end. */
  begin(): void;
  end(request: SeenRequest): void;
  /** Values of the time since the last take. `now` in milliseconds. */
  take(now: number): Promise<readonly Measured[]>;
  requests(): readonly SeenRequest[];
  /** The statements that took most time, at most 50. */
  statements(): readonly SeenStatement[];
  /** Calls and faults since the last question, for the totals of the day. */
  totals(): { readonly calls: number; readonly faults: number };
  stop(): void;
}

interface Window {
  readonly times: number[];
  count: number;
  faults: number;
}

/** Group of a route: the part after `/api`. */
export function routeGroup(route: string): string {
  return /^\/api\/([a-z]+)/i.exec(route)?.[1] ?? 'page';
}

/** The value below which the share of the sorted times lies. */
export function percentile(times: readonly number[], share: number): number | undefined {
  if (times.length === 0) return undefined;
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
}

/** Tells how long each connection was waited for; returns what ends it. */
function watchWaits(pool: pg.Pool, told: (milliseconds: number) => void): () => void {
  // The pool has no word for it, and everybody who asks it comes through here.
  const plain = pool.connect;
  type Connect = (callback?: (...got: unknown[]) => void) => Promise<unknown> | undefined;
  const ask = plain.bind(pool) as Connect;
  const watched: Connect = (callback) => {
    const since = performance.now();
    const done = () => told(performance.now() - since);
    if (callback)
      return ask((...got) => {
        done();
        callback(...got);
      });
    return ask()?.then((client) => {
      done();
      return client;
    });
  };
  pool.connect = watched as typeof plain;
  return () => {
    pool.connect = plain;
  };
}

/** MB of files that are being written. */
async function sizeOfDrafts(dataDir: string): Promise<number> {
  const folder = path.join(dataDir, 'files', 'tmp');
  const names = await fs.readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      fs.stat(path.join(folder, name)).then(
        (one) => one.size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / MB;
}

/** Starts measuring this process; `debug` is told of every statement and request and writes what its level asks for. */
export function createProcessMeter(
  platform: Platform,
  extra: () => readonly Measured[] = () => [],
  debug?: (logger: 'db' | 'http', event: () => Readonly<Record<string, unknown>>) => void,
): ProcessMeter {
  const loop = monitorEventLoopDelay({ resolution: 20 });
  loop.enable();
  let gcMs = 0;
  const gc = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) gcMs += entry.duration;
  });
  gc.observe({ entryTypes: ['gc'] });
  const groups = new Map<string, Window>();
  let inflight = 0;
  let statementTimes: number[] = [];
  let statementErrors = 0;
  const { pool } = platform.database;
  let waits: number[] = [];
  const stopWaits = watchWaits(pool, (milliseconds) => {
    if (waits.length < KEPT_TIMES) waits.push(milliseconds);
  });
  const statements = new Map<
    string,
    { calls: number; totalMs: number; maxMs: number; rows: number; failed: number }
  >();
  const ring: SeenRequest[] = [];
  // Counts of the last minute, by kind, as times of their calls.
  const minute: { at: number; kind: 'login_failed' | 'refused_403' | 'limited_429' }[] = [];
  let cpu = process.cpuUsage();
  let cpuAt = performance.now();
  let takenAt = performance.now();
  let calls = 0;
  let faults = 0;
  let costMs = 0;
  watchStatements((text, milliseconds, rows, failed) => {
    debug?.('db', () => ({
      message: text.replace(/\s+/g, ' ').slice(0, 1_000),
      ms: Math.round(milliseconds * 10) / 10,
      rows,
      ...(failed ? { failed } : {}),
    }));
    if (statementTimes.length < KEPT_TIMES) statementTimes.push(milliseconds);
    if (failed) statementErrors += 1;
    let seen = statements.get(text);
    if (!seen) {
      if (statements.size >= KEPT_STATEMENTS) return;
      statements.set(text, (seen = { calls: 0, totalMs: 0, maxMs: 0, rows: 0, failed: 0 }));
    }
    seen.calls += 1;
    seen.totalMs += milliseconds;
    seen.maxMs = Math.max(seen.maxMs, milliseconds);
    seen.rows += rows;
    if (failed) seen.failed += 1;
  });
  const count = (group: string, ms: number, fault: boolean) => {
    let window = groups.get(group);
    if (!window) groups.set(group, (window = { times: [], count: 0, faults: 0 }));
    window.count += 1;
    if (fault) window.faults += 1;
    if (window.times.length < KEPT_TIMES) window.times.push(ms);
  };
  return {
    begin: () => {
      inflight += 1;
    },
    end: (request) => {
      inflight = Math.max(0, inflight - 1);
      debug?.('http', () => ({
        message: request.route,
        status: request.status,
        ms: request.ms,
        traceId: request.traceId,
      }));
      const fault = request.status >= 500;
      count('', request.ms, fault);
      count(routeGroup(request.route), request.ms, fault);
      calls += 1;
      if (fault) faults += 1;
      if (request.status === 403) minute.push({ at: request.at, kind: 'refused_403' });
      if (request.status === 429) minute.push({ at: request.at, kind: 'limited_429' });
      if (request.status >= 400 && request.status < 500 && request.route === '/api/auth/oauth/token')
        minute.push({ at: request.at, kind: 'login_failed' });
      if (minute.length > 10_000) minute.splice(0, 5_000);
      ring.push(request);
      if (ring.length > KEPT_REQUESTS) ring.shift();
    },
    take: async (now) => {
      const begun = performance.now();
      const seconds = Math.max(0.001, (begun - takenAt) / 1_000);
      takenAt = begun;
      const out: Measured[] = [];
      const put = (metric: string, value: number | undefined, labels = '') => {
        if (value !== undefined && Number.isFinite(value)) out.push({ metric, labels, value });
      };
      // A time without calls is measured too: nobody called.
      if (!groups.has('')) groups.set('', { times: [], count: 0, faults: 0 });
      for (const [group, window] of groups) {
        put('http_rps', window.count / seconds, group);
        if (group === '') {
          put('http_calls', window.count);
          put('http_faults', window.faults);
        }
        put('http_error_rate', window.count > 0 ? (100 * window.faults) / window.count : 0, group);
        put('http_p50', percentile(window.times, 0.5), group);
        put('http_p95', percentile(window.times, 0.95), group);
        put('http_p99', percentile(window.times, 0.99), group);
      }
      groups.clear();
      put('http_inflight', inflight);
      const used = process.cpuUsage(cpu);
      const cpuSeconds = (begun - cpuAt) / 1_000;
      cpu = process.cpuUsage();
      cpuAt = begun;
      put('cpu', cpuSeconds > 0 ? (100 * (used.user + used.system)) / 1e6 / cpuSeconds : 0);
      const memory = process.memoryUsage();
      put('rss', memory.rss / MB);
      put('heap_used', memory.heapUsed / MB);
      put('heap_limit_share', (100 * memory.heapUsed) / v8.getHeapStatistics().heap_size_limit);
      put('gc_pause_ms', gcMs);
      gcMs = 0;
      const lag = loop.percentile(99) / 1e6 - 20;
      put('loop_lag_p99', Number.isFinite(lag) ? Math.max(0, lag) : 0);
      loop.reset();
      put('open_handles', process.getActiveResourcesInfo().length);
      put('uptime', process.uptime());
      put('db_used', pool.totalCount - pool.idleCount);
      put('db_waiting', pool.waitingCount);
      put('db_wait_p95', percentile(waits, 0.95));
      waits = [];
      put('db_query_p95', percentile(statementTimes, 0.95));
      put('db_errors', statementErrors);
      statementTimes = [];
      statementErrors = 0;
      while (minute.length > 0 && minute[0]!.at < now - 60_000) minute.shift();
      for (const kind of ['login_failed', 'refused_403', 'limited_429'] as const)
        put(kind, minute.filter((one) => one.kind === kind).length);
      put('monitor_cost', (100 * costMs) / (seconds * 1_000));
      for (const one of extra()) put(one.metric, one.value, one.labels);
      const disk = await fs.statfs(platform.config.dataDir);
      put('disk_free_share', (100 * disk.bavail) / Math.max(1, disk.blocks));
      put('tmp_size', await sizeOfDrafts(platform.config.dataDir));
      put('disk_free', (disk.bavail * disk.bsize) / 1024 ** 3);
      costMs = performance.now() - begun;
      return out;
    },
    requests: () => [...ring].reverse(),
    statements: () =>
      [...statements]
        .map(([text, seen]) => ({ text, ...seen }))
        .sort((a, b) => b.totalMs - a.totalMs)
        .slice(0, 50),
    totals: () => {
      const result = { calls, faults };
      calls = 0;
      faults = 0;
      return result;
    },
    stop: () => {
      watchStatements(undefined);
      stopWaits();
      loop.disable();
      gc.disconnect();
    },
  };
}
