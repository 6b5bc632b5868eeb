import type http from 'node:http';
import { BlockList, isIP } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { run } from '../../../kernel/server/database.ts';
import { factsOfCall } from '../../../kernel/server/http/call-facts.ts';
import { failureFacts } from '../../../kernel/server/http/failure-facts.ts';
import { forbidden, notFound, Refusal, tooMany } from '../../../kernel/server/http/errors.ts';
import { factsOf, type Authenticator } from '../../../kernel/server/http/mount.ts';
import { withSpan } from '../../../kernel/server/http/tracing.ts';
import { holds, type Caller, type RequestFacts } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { openText } from '../../../domain/payee/sealed-text.server.ts';
import { callLimit } from '../../frame/sign-in/call-limit.server.ts';
import { networkOf } from '../../frame/sign-in/network.rules.ts';
import { Circuit, type CircuitSettings } from './circuit.rules.ts';
import { createForwarder, ForwardFailure, type Resolve } from './forward.server.ts';
import {
  readGatewayState,
  ROUTE_ENTITY,
  type GatewayState,
  type LiveRoute,
  type LiveService,
} from './gateway-state.server.ts';
import { isPlainPath, matchRoute, rewrittenLocation, strippedPath } from './route-match.rules.ts';

/** The circuit of a route, as this server has it. */
interface KeptCircuit {
  readonly circuit: Circuit;
  resets: number;
  /** The state the list was told last, and when that stands there. */
  told: string;
  written: Promise<unknown>;
}

/** What tests hand in: the time circuits go by, and what names mean. */
export interface GatewayOptions {
  readonly now?: () => number;
  readonly resolve?: Resolve;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const RETRIED = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);
const MB = 1_048_576;
/** A body that may have to be sent again is held; larger ones stream and are sent once. */
const HELD_BODY = MB;
/** How old what is known of routes may be: below the second in which changes act. */
const STATE_MS = 800;

// Of one connection only, or what nobody beyond this server may be told or may tell.
const DROPPED_REQUEST = new Set([
  'authorization',
  'cookie',
  'host',
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-real-ip',
  'x-request-id',
  'traceparent',
  'tracestate',
  'x-staff-id',
  'x-tenant-id',
  'x-gateway',
]);
const DROPPED_ANSWER = new Set([
  'set-cookie',
  'set-cookie2',
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'strict-transport-security',
  'content-security-policy',
  'x-frame-options',
  'x-content-type-options',
  'referrer-policy',
  'x-trace-id',
  'cache-control',
  'access-control-allow-origin',
  'access-control-allow-credentials',
]);

const DOWN = new Refusal(503, 503, ['上游服务不可用', 'Upstream unavailable']);
const TIMED_OUT = new Refusal(504, 504, ['上游服务超时', 'The upstream did not answer in time']);
const TOO_LARGE = new Refusal(413, 413, ['内容过大', 'The content is too large']);
const NO_ADDRESS = notFound(['地址不存在', 'There is no such address']);

/** Forwards what no own route answers by the published routes. Own routes always win: they are more exact than what is below /api. */
export async function mountGateway(
  app: FastifyInstance,
  platform: Platform,
  authenticator: Authenticator,
  options: GatewayOptions = {},
): Promise<void> {
  const now = options.now ?? (() => performance.now());
  const forwarder = createForwarder(options.resolve);
  app.addHook('onClose', async () => forwarder.close());
  const circuits = new Map<number, KeptCircuit>();
  const turns = new Map<number, number>();
  let state: GatewayState = { routes: [], services: new Map() };
  let readAt = -Infinity;
  let seen = -1;
  let reading: Promise<void> | undefined;
  const present = async (): Promise<GatewayState> => {
    if (platform.changeCount(ROUTE_ENTITY) !== seen || performance.now() - readAt > STATE_MS)
      await (reading ??= (async () => {
        const count = platform.changeCount(ROUTE_ENTITY);
        const started = performance.now();
        state = await readGatewayState(platform);
        seen = count;
        readAt = started;
      })().finally(() => (reading = undefined)));
    return state;
  };
  const circuitOf = (route: LiveRoute) => {
    let kept = circuits.get(route.id);
    if (!kept)
      circuits.set(
        route.id,
        (kept = {
          circuit: new Circuit(),
          resets: route.resets,
          told: 'closed',
          written: Promise.resolve(),
        }),
      );
    if (kept.resets !== route.resets) {
      kept.resets = route.resets;
      kept.circuit.reset();
    }
    return kept;
  };
  const tell = (route: LiveRoute, kept: KeptCircuit): void => {
    if (kept.told === kept.circuit.state) return;
    const told = (kept.told = kept.circuit.state);
    // Only what the list shows: calls do not wait for it. One after the other, or an earlier state could stay.
    kept.written = kept.written
      .then(() =>
        run(
          platform.database.db,
          `INSERT INTO gateway_circuit (route_id, state) VALUES ($1, $2) ON CONFLICT (route_id) DO UPDATE SET state = excluded.state, at = now()`,
          [route.id, told],
        ),
      )
      .catch((error: unknown) =>
        platform.log.warn({ err: failureFacts(error) }, 'the state of a circuit could not be written'),
      );
  };
  const originOf = (route: LiveRoute, service: LiveService | undefined): URL => {
    if (route.targetKind === 'url') return new URL(route.url);
    const instances = service!.instances;
    const total = instances.reduce((sum, one) => sum + one.weight, 0);
    if (total === 0) throw DOWN;
    // One after the other, each as often as its weight says.
    const turn = turns.get(service!.id) ?? 0;
    turns.set(service!.id, turn + 1);
    const step = Math.max(...instances.map((one) => one.weight));
    let place = (turn * step) % total;
    const chosen = instances.find((one) => (place -= one.weight) < 0) ?? instances[0]!;
    return new URL(`http://${isIP(chosen.host) === 6 ? `[${chosen.host}]` : chosen.host}:${chosen.port}`);
  };

  await app.register(async (scope) => {
    // Bodies pass through as they come: nothing reads them here.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
    scope.route({
      method: [...METHODS],
      url: '/api/*',
      handler: async (request, reply) => {
        const [path = '', search] = splitOnce(request.raw.url ?? '', '?');
        const current = await present();
        const route = isPlainPath(path) ? matchRoute(current.routes, request.method, path) : undefined;
        if (!route) throw NO_ADDRESS;
        if (request.headers.upgrade !== undefined)
          throw new Refusal(426, 426, ['不支持协议升级', 'Protocol upgrade not supported']);
        const facts = factsOf(request);
        factsOfCall(request).apiId = route.apiId ?? undefined;
        if (request.headers['x-gateway'] !== undefined)
          throw new Refusal(503, 503, ['不能转发到自身', 'Cannot forward to itself']);
        if (route.isOff) throw new Refusal(503, 503, ['接口已停用', 'This API is switched off']);
        checkAddress(route, facts.address);
        const service = route.serviceId === null ? undefined : current.services.get(route.serviceId);
        const caller = await admit(request, route, facts, current, authenticator);
        await countCall(platform, route, caller, facts);
        if (route.targetKind === 'service') checkService(service);
        const limit = route.bodyLimitMb * MB;
        if (Number(request.headers['content-length'] ?? 0) > limit) throw TOO_LARGE;
        const kept = circuitOf(route);
        const settings = await circuitSettings(platform);
        if (!kept.circuit.admit(now(), settings)) throw DOWN;
        tell(route, kept);
        let failed = true;
        try {
          const answer = await withSpan('gateway', `${request.method} ${route.prefix}`, () =>
            send({
              request,
              route,
              facts,
              caller,
              path,
              search,
              limit,
              origin: () => originOf(route, service),
            }),
          );
          failed = (answer.response.statusCode ?? 502) >= 500;
          return relay(reply, route, answer);
        } catch (error) {
          if (error instanceof ForwardFailure) {
            // A body that is too large is the caller's doing.
            if (error.problem === 'tooLarge') {
              failed = false;
              throw TOO_LARGE;
            }
            throw error.problem === 'timeout' ? TIMED_OUT : DOWN;
          }
          throw error;
        } finally {
          kept.circuit.note(now(), failed, settings);
          tell(route, kept);
        }
      },
    });
  });

  interface Sending {
    readonly request: FastifyRequest;
    readonly route: LiveRoute;
    readonly facts: RequestFacts;
    readonly caller: Caller | undefined;
    readonly path: string;
    readonly search: string | undefined;
    readonly limit: number;
    readonly origin: () => URL;
  }

  async function send(sending: Sending): Promise<{ response: http.IncomingMessage; origin: URL }> {
    const { request, route, path, search, limit } = sending;
    const length = Number(request.headers['content-length'] ?? 0);
    const hasBody = length > 0 || request.headers['transfer-encoding'] !== undefined;
    const mayRepeat = RETRIED.has(request.method) && (!hasBody || (length > 0 && length <= HELD_BODY));
    const attempts = mayRepeat ? 1 + route.retries : 1;
    const held = hasBody && attempts > 1 ? await readAll(request.raw) : undefined;
    for (let attempt = 1; ; attempt++) {
      const origin = sending.origin();
      const base = origin.pathname.replace(/\/$/, '');
      const url = new URL(origin);
      url.pathname = `${base}${strippedPath(path, route.strip)}`;
      url.search = search === undefined ? '' : `?${search}`;
      try {
        const response = await forwarder.send({
          url,
          method: request.method,
          headers: outgoingHeaders(sending, url, platform),
          body: hasBody ? (held ? Readable.from([held]) : request.raw) : undefined,
          bodyLimit: limit,
          timeoutMs: route.timeoutMs,
          // Instances of own services stand in the own network.
          privateAllowed: route.targetKind === 'service' || route.privateAllowed,
        });
        if (attempt < attempts && [502, 503, 504].includes(response.statusCode ?? 0)) {
          response.destroy();
          continue;
        }
        return { response, origin };
      } catch (error) {
        const again = error instanceof ForwardFailure && error.problem === 'unreachable';
        if (!again || attempt >= attempts) throw error;
      }
    }
  }
}

/** Headers as the upstream gets them. */
export function outgoingHeaders(
  {
    request,
    route,
    facts,
    caller,
  }: {
    readonly request: Pick<FastifyRequest, 'headers' | 'id' | 'protocol' | 'host'>;
    readonly route: Pick<LiveRoute, 'id' | 'preserveHost' | 'forwardIdentity' | 'sealedHeaders'>;
    readonly facts: Pick<RequestFacts, 'address'>;
    readonly caller: Caller | undefined;
  },
  url: URL,
  platform: Pick<Platform, 'config'>,
): Record<string, string | string[]> {
  const named = String(request.headers.connection ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase());
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(request.headers))
    // Many programs read x_staff_id as X-Staff-Id.
    if (value !== undefined && !DROPPED_REQUEST.has(name.replaceAll('_', '-')) && !named.includes(name))
      headers[name] = value;
  headers.host = route.preserveHost ? request.host : url.host;
  headers['x-request-id'] = request.id;
  headers.traceparent = `00-${request.id}-${request.id.slice(0, 16)}-01`;
  headers['x-forwarded-for'] = facts.address;
  headers['x-forwarded-proto'] = request.protocol;
  headers['x-gateway'] = '1';
  if (route.forwardIdentity && caller && !caller.program) {
    headers['x-staff-id'] = String(caller.staffId);
    headers['x-tenant-id'] = String(caller.tenantId);
  }
  if (route.sealedHeaders !== '')
    Object.assign(
      headers,
      JSON.parse(
        openText(platform.config, 'gateway', `route:${route.id}`, Buffer.from(route.sealedHeaders, 'base64')),
      ),
    );
  return headers;
}

function relay(
  reply: FastifyReply,
  route: LiveRoute,
  { response, origin }: { readonly response: http.IncomingMessage; readonly origin: URL },
): FastifyReply {
  const named = String(response.headers.connection ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase());
  for (const [name, value] of Object.entries(response.headers))
    if (value !== undefined && !DROPPED_ANSWER.has(name) && !named.includes(name)) reply.header(name, value);
  const { location } = response.headers;
  if (location !== undefined)
    reply.header(
      'location',
      rewrittenLocation(location, {
        origin: origin.origin,
        basePath: origin.pathname.replace(/\/$/, ''),
        prefix: route.prefix,
        strip: route.strip,
      }),
    );
  return reply.code(response.statusCode ?? 502).send(response);
}

function checkAddress(route: LiveRoute, address: string): void {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const kind = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
  const covers = (ranges: readonly string[]) => {
    const list = new BlockList();
    for (const range of ranges) {
      const [network = '', bits] = range.split('/');
      const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
      list.addSubnet(network, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family);
    }
    return list.check(plain, kind);
  };
  if (covers(route.denyAddresses) || (route.allowAddresses.length > 0 && !covers(route.allowAddresses)))
    throw forbidden(['当前地址不允许访问', 'Your address is not allowed']);
}

/** Who calls, if the route lets it: staff with the right, a program whose service may call the target, or everybody. */
async function admit(
  request: FastifyRequest,
  route: LiveRoute,
  facts: RequestFacts,
  state: GatewayState,
  authenticator: Authenticator,
): Promise<Caller | undefined> {
  if (route.auth === 'public') return undefined;
  const caller = await authenticator.authenticate(request.headers.authorization, facts);
  factsOfCall(request).caller = caller;
  if (route.auth === 'service') {
    const own = [...state.services.values()].find(
      (one) => one.clientId !== null && one.clientId === caller.program?.clientId,
    );
    const hasScope = caller.application?.scopes.includes('service') === true;
    if (!own?.enabled || !hasScope || (route.serviceId !== null && !own.allowed.has(route.serviceId)))
      throw forbidden();
    return caller;
  }
  if (caller.program) throw forbidden();
  if (caller.locked) throw forbidden(['屏幕已锁定', 'Screen is locked']);
  if (caller.mustChangePassword) throw forbidden(['请先修改密码', 'Please change your password first']);
  if (!holds(caller, route.permissionCode)) throw forbidden();
  return caller;
}

async function countCall(
  platform: Platform,
  route: LiveRoute,
  caller: Caller | undefined,
  facts: RequestFacts,
): Promise<void> {
  const count = callLimit({ purpose: `gateway:${route.id}`, most: route.ratePerMinute, seconds: 60 });
  const who =
    route.rateBy === 'address' || !caller
      ? `address ${networkOf(facts.address)}`
      : caller.program
        ? `program ${caller.program.clientId}`
        : `staff ${caller.staffId}`;
  const wait = await count(platform, who);
  if (wait > 0)
    throw tooMany(['操作过于频繁，请稍后再试', 'Too many requests, please try again later'], wait);
}

function checkService(service: LiveService | undefined): asserts service is LiveService {
  if (!service?.enabled) throw DOWN;
  if (!service.maintenance) return;
  const seconds = service.maintenanceUntil
    ? Math.max(1, Math.ceil((service.maintenanceUntil.getTime() - Date.now()) / 1000))
    : 60;
  const { maintenanceText: text } = service;
  throw new Refusal(
    503,
    503,
    [`服务维护中${text ? `：${text}` : ''}`, `Under maintenance${text ? `: ${text}` : ''}`],
    null,
    { 'Retry-After': String(seconds) },
  );
}

async function circuitSettings({ settings }: Platform): Promise<CircuitSettings> {
  return {
    minCalls: await settings.number('gateway.circuit.min_calls'),
    windowMs: (await settings.number('gateway.circuit.window_seconds')) * 1000,
    failurePercent: await settings.number('gateway.circuit.failure_percent'),
    openMs: (await settings.number('gateway.circuit.open_seconds')) * 1000,
    halfOpenCalls: await settings.number('gateway.circuit.half_open_calls'),
  };
}

async function readAll(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function splitOnce(text: string, at: string): [string, string | undefined] {
  const index = text.indexOf(at);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}
