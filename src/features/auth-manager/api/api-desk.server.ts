import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { menuOfElement } from '../../../kernel/contract/resource.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { factsOfCall } from '../../../kernel/server/http/call-facts.ts';
import { Refusal, tooMany } from '../../../kernel/server/http/errors.ts';
import { failureFacts } from '../../../kernel/server/http/failure-facts.ts';
import type { CallWatch } from '../../../kernel/server/http/mount.ts';
import { describeCall, describedPath } from '../../../kernel/server/http/openapi.ts';
import type { Caller, RequestFacts } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Endpoint } from '../../../kernel/server/registration.ts';
import { callLimit } from '../../frame/sign-in/call-limit.server.ts';
import { networkOf } from '../../frame/sign-in/network.rules.ts';
import { API_ENTITY, tellOfPublicCalls } from './api-notice.server.ts';

/** Calls a minute of one caller where nobody said otherwise. Source: group 04, apiManager. */
export const DEFAULT_LIMIT = 600;
/** Durations are counted in 32 steps, the nth up to 2 to the power of n/2 ms. */
const BUCKETS = 32;
const FLUSH_MS = 10_000;
const RULES_MS = 5_000;

/** What of a server keeps the list of calls true: rules are followed, calls are counted. */
export interface ApiDesk extends CallWatch {
  /** The calls of this server. */
  readonly endpoints: readonly Endpoint[];
  /** Counts an answered call. */
  finish(request: FastifyRequest, reply: FastifyReply): void;
  /** Writes what was counted; also for tests. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

interface Rule {
  readonly id: number;
  readonly state: string;
  readonly sunset: Date | null;
  readonly replacement: string;
  readonly deprecatedAt: Date | null;
  readonly limit: number | null;
}

interface Minute {
  calls: number;
  refused: number;
  failed: number;
  ms: number;
  readonly buckets: number[];
}

/** Key of a call in the list. */
export const keyOf = (one: Pick<Endpoint, 'method' | 'path'>): string =>
  `${one.method} ${describedPath(one)}`;

/**
 * Writes the calls of this release to the list and keeps the rules somebody gave them. `defaultLimit` bounds what nobody gave
 * a limit, counted by this server alone; given limits are counted by all of them together.
 */
export async function openApiDesk(
  platform: Platform,
  endpoints: readonly Endpoint[],
  options: { readonly defaultLimit?: number | undefined } = {},
): Promise<ApiDesk> {
  const ids = await syncCalls(platform, endpoints);
  const idOf = new WeakMap<Endpoint, number>();
  for (const one of endpoints) idOf.set(one, ids.get(keyOf(one))!);
  let rules = new Map<number, Rule>();
  let seen = -1;
  let loadedAt = 0;
  let loading: Promise<void> | undefined;
  const load = async (): Promise<void> => {
    const count = platform.changeCount(API_ENTITY);
    rules = new Map((await readRules(platform)).map((rule) => [rule.id, rule]));
    seen = count;
    loadedAt = performance.now();
  };
  const present = async (one: Endpoint): Promise<Rule | undefined> => {
    const id = idOf.get(one);
    if (id === undefined) return undefined;
    // A notice that was lost is made good by time.
    if (platform.changeCount(API_ENTITY) !== seen || performance.now() - loadedAt > RULES_MS)
      await (loading ??= load()
        .catch((error: unknown) => {
          loadedAt = performance.now();
          platform.log.warn({ err: failureFacts(error) }, 'rules of calls could not be read');
        })
        .finally(() => (loading = undefined)));
    return rules.get(id);
  };
  const counts = new Map<number, Map<number, Minute>>();
  const windows = new Map<string, { readonly ends: number; calls: number }>();
  let writing: Promise<void> = Promise.resolve();
  const flush = (): Promise<void> =>
    (writing = writing.then(() =>
      writeCounts(platform, counts).catch((error: unknown) =>
        platform.log.warn({ err: failureFacts(error) }, 'calls were not counted'),
      ),
    ));
  const timer = setInterval(() => {
    const now = performance.now();
    for (const [key, window] of windows) if (window.ends <= now) windows.delete(key);
    void flush();
  }, FLUSH_MS);
  timer.unref();
  await load();
  return {
    endpoints,
    before: async (one, reply) => {
      const rule = await present(one);
      if (!rule) return;
      if (rule.state === 'off') throw new Refusal(503, 503, ['接口已停用', 'This API is switched off']);
      if (rule.state !== 'deprecated' || !rule.sunset) return;
      reply.header('Deprecation', `@${Math.floor((rule.deprecatedAt ?? rule.sunset).getTime() / 1000)}`);
      reply.header('Sunset', rule.sunset.toUTCString());
      if (rule.replacement.startsWith('/'))
        reply.header('Link', `<${encodeURI(rule.replacement)}>; rel="successor-version"`);
    },
    admit: async (one, caller, facts) => {
      const id = idOf.get(one);
      if (id === undefined) return;
      const rule = rules.get(id);
      const who = nameOf(caller, facts);
      if (rule?.limit) {
        const count = callLimit({ purpose: `api:${id}`, most: rule.limit, seconds: 60 });
        const wait = await count(platform, who);
        if (wait > 0) throw tooOften(wait);
        return;
      }
      if (options.defaultLimit === undefined) return;
      const now = performance.now();
      const key = `${id}\n${who}`;
      let window = windows.get(key);
      if (!window || window.ends <= now) windows.set(key, (window = { ends: now + 60_000, calls: 0 }));
      window.calls += 1;
      if (window.calls > options.defaultLimit) throw tooOften((window.ends - now) / 1000);
    },
    finish: (request, reply) => {
      const { endpoint, apiId } = factsOfCall(request);
      const id = endpoint ? idOf.get(endpoint) : apiId;
      if (id !== undefined) count(counts, id, reply.statusCode, reply.elapsedTime);
    },
    flush,
    stop: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}

const tooOften = (wait: number) =>
  tooMany(['操作过于频繁，请稍后再试', 'Too many requests, please try again later'], wait);

/** Who is counted: the program, the staff, or the network a call without a token comes from. */
function nameOf(caller: Caller | undefined, facts: RequestFacts): string {
  if (!caller) return `address ${networkOf(facts.address)}`;
  return caller.program ? `program ${caller.program.clientId}` : `staff ${caller.staffId}`;
}

function count(counts: Map<number, Map<number, Minute>>, id: number, http: number, elapsed: number): void {
  const minute = Math.floor((Date.now() - elapsed) / 60_000);
  let minutes = counts.get(id);
  if (!minutes) counts.set(id, (minutes = new Map()));
  let kept = minutes.get(minute);
  if (!kept)
    minutes.set(
      minute,
      (kept = { calls: 0, refused: 0, failed: 0, ms: 0, buckets: Array.from({ length: BUCKETS }, () => 0) }),
    );
  kept.calls += 1;
  if (http >= 500) kept.failed += 1;
  else if (http >= 400) kept.refused += 1;
  kept.ms += elapsed;
  const bucket = elapsed <= 1 ? 0 : Math.min(BUCKETS - 1, Math.ceil(2 * Math.log2(elapsed)));
  kept.buckets[bucket]! += 1;
}

/** Adds what was counted to the rows of all instances; what cannot be written is counted again. */
async function writeCounts(platform: Platform, counts: Map<number, Map<number, Minute>>): Promise<void> {
  const rows = [...counts].flatMap(([id, minutes]) =>
    [...minutes].map(([minute, kept]) => ({ id, minute, kept })),
  );
  if (rows.length === 0) return;
  counts.clear();
  // In one order, so that instances that write the same minute wait for each other instead of deadlocking.
  rows.sort((a, b) => a.id - b.id || a.minute - b.minute);
  try {
    await transaction(platform.database.db, async (tx) => {
      await run(
        tx,
        `INSERT INTO api_minute AS m (api_id, minute, calls, refused, failed, total_ms, buckets)
         SELECT r.api, to_timestamp(r.minute * 60), r.calls, r.refused, r.failed, r.ms, r.buckets::int[]
           FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::int[], $5::int[], $6::bigint[], $7::text[]) AS r (api, minute, calls, refused, failed, ms, buckets)
          WHERE EXISTS (SELECT FROM api_call c WHERE c.id = r.api)
         ON CONFLICT (api_id, minute) DO UPDATE SET calls = m.calls + excluded.calls, refused = m.refused + excluded.refused,
           failed = m.failed + excluded.failed, total_ms = m.total_ms + excluded.total_ms,
           buckets = (SELECT array_agg(a + b ORDER BY n) FROM unnest(m.buckets, excluded.buckets) WITH ORDINALITY AS u (a, b, n))`,
        [
          rows.map((row) => row.id),
          rows.map((row) => row.minute),
          rows.map((row) => row.kept.calls),
          rows.map((row) => row.kept.refused),
          rows.map((row) => row.kept.failed),
          rows.map((row) => Math.round(row.kept.ms)),
          rows.map((row) => `{${row.kept.buckets.join(',')}}`),
        ],
      );
      await run(
        tx,
        `UPDATE api_call c SET total_calls = c.total_calls + s.calls, total_errors = c.total_errors + s.errors,
                last_called_at = greatest(c.last_called_at, s.at)
           FROM (SELECT r.api, sum(r.calls) AS calls, sum(r.errors) AS errors, least(now(), to_timestamp(max(r.minute) * 60 + 59)) AS at
                   FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::int[]) AS r (api, minute, calls, errors) GROUP BY r.api) s
          WHERE c.id = s.api`,
        [
          rows.map((row) => row.id),
          rows.map((row) => row.minute),
          rows.map((row) => row.kept.calls),
          rows.map((row) => row.kept.refused + row.kept.failed),
        ],
      );
    });
  } catch (error) {
    for (const { id, minute, kept } of rows) {
      const minutes = counts.get(id) ?? new Map<number, Minute>();
      counts.set(id, minutes);
      const later = minutes.get(minute);
      if (!later) minutes.set(minute, kept);
      else {
        later.calls += kept.calls;
        later.refused += kept.refused;
        later.failed += kept.failed;
        later.ms += kept.ms;
        for (const [index, calls] of kept.buckets.entries()) later.buckets[index]! += calls;
      }
    }
    throw error;
  }
}

async function readRules(platform: Platform): Promise<Rule[]> {
  return run<Rule>(
    platform.database.db,
    `SELECT id, state, sunset_on::timestamp AT TIME ZONE 'Asia/Shanghai' AS sunset, replacement, deprecated_at AS "deprecatedAt",
            limit_per_minute AS "limit"
       FROM api_call WHERE state IN ('off', 'deprecated') OR limit_per_minute IS NOT NULL`,
  );
}

/** Writes the route table of this release; returns ids by key. What the table does not have any more is removed, and comes back. */
async function syncCalls(
  platform: Platform,
  endpoints: readonly Endpoint[],
): Promise<ReadonlyMap<string, number>> {
  const rows = endpoints.map((one) => ({
    method: one.method,
    path: describedPath(one),
    zh: one.title[0],
    en: one.title[1],
    codes: codesOf(one),
    level: levelOf(one),
  }));
  const release = platform.config.build;
  const calls = Object.fromEntries(endpoints.map((one) => [keyOf(one), digestOf(one)]));
  const known = await transaction(platform.database.db, async (tx) => {
    // Starters follow each other.
    await run(tx, `SELECT pg_advisory_xact_lock(hashtextextended('api_call', 0))`);
    const before = await runOne<{ n: number }>(
      tx,
      `SELECT count(*)::int AS n FROM api_call WHERE source = 'own'`,
    );
    const fresh = await run<{ id: number; level: string }>(
      tx,
      `INSERT INTO api_call AS c (method, path, title_zh, title_en, codes, menu, level)
       SELECT r.method, r.path, r.zh, r.en, string_to_array(r.codes, ','), r.menu, r.level
         FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) AS r (method, path, zh, en, codes, menu, level)
       ON CONFLICT (method, path) DO UPDATE SET title_zh = excluded.title_zh, title_en = excluded.title_en, codes = excluded.codes,
         menu = excluded.menu, level = excluded.level, source = 'own',
         state = CASE WHEN c.state <> 'removed' THEN c.state WHEN c.sunset_on IS NULL THEN 'active' ELSE 'deprecated' END
       WHERE (c.title_zh, c.title_en, c.codes, c.menu, c.level, c.source) IS DISTINCT FROM
             (excluded.title_zh, excluded.title_en, excluded.codes, excluded.menu, excluded.level, 'own') OR c.state = 'removed'
       RETURNING c.id, c.level`,
      [
        rows.map((row) => row.method),
        rows.map((row) => row.path),
        rows.map((row) => row.zh),
        rows.map((row) => row.en),
        rows.map((row) => row.codes.join(',')),
        rows.map((row) => (row.codes[0] ? menuOfElement(row.codes[0]) : '')),
        rows.map((row) => row.level),
      ],
    );
    await run(
      tx,
      `UPDATE api_call c SET state = 'removed' WHERE c.source = 'own' AND c.state <> 'removed'
          AND NOT EXISTS (SELECT FROM unnest($1::text[], $2::text[]) AS r (method, path) WHERE r.method = c.method AND r.path = c.path)`,
      [rows.map((row) => row.method), rows.map((row) => row.path)],
    );
    await run(
      tx,
      `INSERT INTO api_release AS r (release, calls) VALUES ($1, $2) ON CONFLICT (release) DO UPDATE SET calls = excluded.calls WHERE r.calls <> excluded.calls`,
      [release, JSON.stringify(calls)],
    );
    const open = fresh.filter((row) => row.level === 'public').map((row) => row.id);
    if (before!.n > 0 && open.length > 0) await tellOfPublicCalls(tx, open);
    return run<{ id: number; method: string; path: string }>(
      tx,
      `SELECT id, method, path FROM api_call WHERE source = 'own' AND state <> 'removed'`,
    );
  });
  platform.changed(API_ENTITY);
  return new Map(known.map((row) => [`${row.method} ${row.path}`, row.id]));
}

function codesOf({ access }: Endpoint): readonly string[] {
  if (typeof access === 'string') return [];
  if ('program' in access) return [];
  return 'code' in access ? [access.code] : access.anyOf;
}

function levelOf({ access }: Endpoint): 'public' | 'token' | 'permission' | 'service' {
  if (access === 'public') return 'public';
  if (typeof access === 'string') return 'token';
  return 'program' in access ? 'service' : 'permission';
}

/** A call does not change while the process lives, and some processes start many servers. */
const digests = new WeakMap<Endpoint, string>();

/** Changes whenever who may call, what is taken or what is answered changes; words do not count. */
function digestOf(one: Endpoint): string {
  let digest = digests.get(one);
  if (digest === undefined) digests.set(one, (digest = makeDigest(one)));
  return digest;
}

function makeDigest(one: Endpoint): string {
  const { parameters, requestBody, responses } = describeCall(one, 'en') as Record<string, unknown>;
  return createHash('sha256')
    .update(JSON.stringify([one.access, one.scope ?? null, parameters, requestBody ?? null, responses]))
    .digest('base64url')
    .slice(0, 16);
}
