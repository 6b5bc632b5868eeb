import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { holds, type Caller } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { endpoint, type Call, type Endpoint } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { createForwarder, ForwardFailure, type Forwarder } from './forward.server.ts';
import {
  gatewayRoute,
  type RouteMinute,
  type RouteSample,
  type TriedRoute,
  type TriedSend,
} from './gateway-route.contract.ts';
import {
  readGatewayState,
  readServices,
  type LiveRoute,
  type LiveService,
  type Snapshot,
} from './gateway-state.server.ts';
import { outgoingHeaders } from './gateway.server.ts';
import { isPlainPath, matchRoute, strippedPath } from './route-match.rules.ts';

const ROOT = '/admin/gatewayRoute';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
/** Longest a try waits, whatever the route allows. */
const PATIENCE_MS = 5_000;
/** Bytes of an answer that are shown. Source: group 04, gatewayManager. */
const SHOWN = 2_048;

const asked = {
  path: z.string().max(1_000),
  /** The draft of this route stands in for what is published of it. */
  route: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
  /** Who calls: oneself, nobody who signed in, or the program of a service by its id. */
  as: z
    .string()
    .regex(/^(me|nobody|\d{1,15})$/)
    .default('me'),
};

/** Where a call would go, what it must pass, and on demand what comes back. */
export function tryEndpoints(
  bound: () => BoundResource,
  snapshotOf: (row: Readonly<Record<string, unknown>>) => Snapshot,
): readonly Endpoint[] {
  const access = { code: `${gatewayRoute.menu}:btn_try` };
  const planOf = async (call: Call, question: Question) => {
    const services = await readServices(call.platform);
    const { routes } = await readGatewayState(call.platform);
    const own = question.route === undefined ? undefined : idOf(question.route);
    if (own !== undefined) await bound().find(call, own);
    const draft = own === undefined ? undefined : await draftOf(call.platform.database.db, own, snapshotOf);
    const candidates = draft ? [...routes.filter((one) => one.id !== draft.id), draft] : routes;
    return planned(call, candidates, services, question);
  };
  return [
    endpoint({
      method: 'GET',
      path: `${ROOT}/try`,
      title: ['试路由', 'Try a route'],
      access,
      query: z.strictObject({ method: z.enum(METHODS).default('GET'), ...asked }),
      handle: async (call): Promise<TriedRoute> => {
        const plan = await planOf(call, call.query);
        if (!plan) return { matched: null };
        const { route } = plan;
        return {
          matched: { id: String(route.id), code: route.code, prefix: route.prefix, version: route.version },
          outgoing: plan.url?.href ?? null,
          headers: plan.url ? shownHeaders(call.platform, route, plan.url, plan.caller) : {},
          allowed: plan.refused === undefined,
          refused: plan.refused ?? null,
          auth: route.auth,
          permissionCode: route.permissionCode,
          ratePerMinute: route.ratePerMinute,
          rateBy: route.rateBy,
          timeoutMs: route.timeoutMs,
          retries: route.retries,
        };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/try`,
      title: ['试路由并发送', 'Try a route for real'],
      access,
      body: z.strictObject({ method: z.enum(['GET', 'HEAD']), ...asked }),
      handle: async (call): Promise<TriedSend> => {
        const plan = await planOf(call, call.body);
        if (!plan) throw invalid({ path: ['没有路由匹配', 'No route matches'] });
        if (plan.refused) throw invalid({ as: plan.refused });
        if (!plan.url) throw invalid({ path: ['没有可用实例', 'No instance is up'] });
        const forwarder = createForwarder();
        try {
          return await sent(call.platform, forwarder, plan.route, plan.url, call.body.method, plan.caller);
        } finally {
          forwarder.close();
        }
      },
    }),
  ];
}

interface Question {
  readonly method: string;
  readonly path: string;
  readonly route?: string | undefined;
  readonly as: string;
}

interface Plan {
  readonly route: LiveRoute;
  readonly url: URL | undefined;
  readonly caller: Caller | undefined;
  readonly refused: Label | undefined;
}

function planned(
  call: Pick<Call, 'caller'>,
  routes: readonly LiveRoute[],
  services: ReadonlyMap<number, LiveService>,
  { method, path: asked, as }: Question,
): Plan | undefined {
  const [path = '', ...rest] = asked.split('?');
  const route = isPlainPath(path) ? matchRoute(routes, method, path) : undefined;
  if (!route) return undefined;
  const target = route.serviceId === null ? undefined : services.get(route.serviceId);
  const url = outgoingUrl(route, target, path, rest.length === 0 ? undefined : rest.join('?'));
  return {
    route,
    url,
    caller: as === 'me' ? call.caller : undefined,
    refused: refusalOf(route, target, services, call.caller, as),
  };
}

/** What keeps somebody out, by the rules a call goes through. */
function refusalOf(
  route: LiveRoute,
  target: LiveService | undefined,
  services: ReadonlyMap<number, LiveService>,
  caller: Caller,
  as: string,
): Label | undefined {
  const NO_RIGHT: Label = ['该调用方没有权限（403）', 'This caller has no right (403)'];
  if (route.isOff) return ['接口已停用（503）', 'This API is switched off (503)'];
  if (target && !target.enabled) return ['目标服务已停用（503）', 'The service is disabled (503)'];
  if (target?.maintenance) return ['目标服务维护中（503）', 'The service is under maintenance (503)'];
  if (route.auth === 'public') return undefined;
  if (as === 'nobody') return ['需要登录（401）', 'A token is needed (401)'];
  if (as === 'me')
    return route.auth === 'permission' && holds(caller, route.permissionCode) ? undefined : NO_RIGHT;
  const program = services.get(Number(as));
  if (!program) throw invalid({ as: ['没有此服务', 'There is no such service'] });
  const may =
    route.auth === 'service' &&
    program.enabled &&
    (route.serviceId === null || program.allowed.has(route.serviceId));
  return may ? undefined : NO_RIGHT;
}

function outgoingUrl(
  route: LiveRoute,
  target: LiveService | undefined,
  path: string,
  search: string | undefined,
): URL | undefined {
  const instance = target?.instances[0];
  if (route.targetKind === 'service' && !instance) return undefined;
  const host = instance && (instance.host.includes(':') ? `[${instance.host}]` : instance.host);
  const url = new URL(route.targetKind === 'url' ? route.url : `http://${host}:${instance!.port}`);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${strippedPath(path, route.strip)}`;
  url.search = search === undefined ? '' : `?${search}`;
  return url;
}

const TRY_ID = '00000000000000000000000000000000';

function headersOf(platform: Platform, route: LiveRoute, url: URL, caller: Caller | undefined) {
  return outgoingHeaders(
    {
      request: {
        headers: { accept: '*/*', 'user-agent': 'gateway-try' },
        id: TRY_ID,
        protocol: 'https',
        host: 'gateway-try',
      },
      route,
      facts: { address: '127.0.0.1' },
      caller,
    },
    url,
    platform,
  );
}

/** Headers as the upstream gets them; values of sealed ones are shown to nobody. */
function shownHeaders(
  platform: Platform,
  route: LiveRoute,
  url: URL,
  caller: Caller | undefined,
): Record<string, string> {
  const open = headersOf(platform, { ...route, sealedHeaders: '' }, url, caller);
  return Object.fromEntries(
    Object.entries(headersOf(platform, route, url, caller)).map(([name, value]) => [
      name,
      open[name] === value ? String(value) : '••••',
    ]),
  );
}

async function sent(
  platform: Platform,
  forwarder: Forwarder,
  route: LiveRoute,
  url: URL,
  method: string,
  caller: Caller | undefined,
): Promise<TriedSend> {
  const began = performance.now();
  const took = () => Math.round(performance.now() - began);
  try {
    const answer = await forwarder.send({
      url,
      method,
      headers: headersOf(platform, route, url, caller),
      body: undefined,
      bodyLimit: 0,
      timeoutMs: Math.min(route.timeoutMs, PATIENCE_MS),
      privateAllowed: route.targetKind === 'service' || route.privateAllowed,
    });
    const parts: Buffer[] = [];
    let size = 0;
    try {
      for await (const part of answer as AsyncIterable<Buffer>) {
        parts.push(part);
        size += part.length;
        if (size >= SHOWN) break;
      }
    } finally {
      answer.destroy();
    }
    return {
      status: answer.statusCode ?? 502,
      ms: took(),
      body: Buffer.concat(parts).subarray(0, SHOWN).toString('utf8'),
      problem: null,
    };
  } catch (error) {
    // A body that breaks off is an answer that never came.
    const problem = error instanceof ForwardFailure ? error.problem : 'unreachable';
    return { status: null, ms: took(), body: '', problem };
  }
}

/** A route as it would run if its draft were published. */
async function draftOf(
  db: Executor,
  id: number,
  snapshotOf: (row: Readonly<Record<string, unknown>>) => Snapshot,
): Promise<LiveRoute | undefined> {
  const row = await runOne<Record<string, unknown>>(
    db,
    `SELECT t.*, coalesce(u.private_allowed, false) AS private_ok FROM gateway_route t LEFT JOIN upstream_host u ON u.id = t.upstream_id WHERE t.id = $1`,
    [id],
  );
  return (
    row && {
      ...snapshotOf(row),
      id,
      version: 0,
      apiId: null,
      isOff: false,
      privateAllowed: row.private_ok === true,
      resets: 0,
    }
  );
}

/**
 * Sends the sample requests of a draft, all beside each other and at most for some seconds, and returns those that did not come
 * back as they should, in words. Rights are not asked: what is tried is where the route leads.
 */
export async function redSamples(
  platform: Platform,
  db: Executor,
  id: number,
  samples: readonly RouteSample[],
  snapshotOf: (row: Readonly<Record<string, unknown>>) => Snapshot,
): Promise<readonly string[]> {
  if (samples.length === 0) return [];
  const route = (await draftOf(db, id, snapshotOf))!;
  const services = await readServices(platform, db);
  const target = route.serviceId === null ? undefined : services.get(route.serviceId);
  const forwarder = createForwarder();
  try {
    const told = await Promise.all(
      samples.map(async (sample) => {
        const [path = '', search] = sample.path.split('?');
        const url = outgoingUrl(route, target, path, search);
        const name = `${sample.method} ${sample.path}`;
        if (!url) return `${name} → 503`;
        const result = await sent(platform, forwarder, route, url, sample.method, undefined);
        const expected = sample.expect ?? null;
        const isRight =
          result.status !== null && (expected === null ? result.status < 400 : result.status === expected);
        return isRight ? undefined : `${name} → ${result.status ?? result.problem}`;
      }),
    );
    return told.filter((one) => one !== undefined);
  } finally {
    forwarder.close();
  }
}

/** Calls of a route minute by minute, as far as they are counted. */
export async function trafficOf(db: Executor, id: number, minutes: number): Promise<RouteMinute[]> {
  const rows = await run<{ at: Date; calls: number; errors: number; averageMs: number }>(
    db,
    `SELECT m.minute AS at, m.calls, m.refused + m.failed AS errors, round(m.total_ms::numeric / greatest(1, m.calls))::int AS "averageMs"
       FROM gateway_route t JOIN api_minute m ON m.api_id = t.api_id
      WHERE t.id = $1 AND m.minute > now() - make_interval(mins => $2) ORDER BY m.minute DESC`,
    [id, minutes],
  );
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}
