import fs from 'node:fs';
import path from 'node:path';
import formbody from '@fastify/formbody';
import multipart from '@fastify/multipart';
import fastifyStatic from '@fastify/static';
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import { InvalidInput, Refusal, invalid, notFound, unavailable } from '../../kernel/server/http/errors.ts';
import { noteFault } from '../../kernel/server/http/fault-report.ts';
import { recordCalls } from '../../kernel/server/http/gate-log.ts';
import { kernelEndpoints } from '../../kernel/server/http/kernel-endpoints.ts';
import {
  languageOf,
  mountEndpoints,
  sendRefusal,
  type Authenticator,
} from '../../kernel/server/http/mount.ts';
import { openApiEndpoints } from '../../kernel/server/http/openapi.ts';
import { enterTrace, newTraceId, readTraceparent } from '../../kernel/server/http/tracing.ts';
import type { ProcessMeter } from '../../domain/monitoring/process-meter.server.ts';
import { factsOfCall } from '../../kernel/server/http/call-facts.ts';
import { openApiDesk, type ApiDesk } from '../../features/auth-manager/api/api-desk.server.ts';
import { mountGateway, type GatewayOptions } from '../../features/auth-manager/gateway/gateway.server.ts';
import { healthRoutes } from './health.ts';
import { frameSites, pagePolicy } from './page-policy.ts';
import { recordSpans, type SpanRecorder } from '../../domain/monitoring/span-recorder.server.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { projectFolder } from './migrate.ts';

/** What the HTTP application is made of. */
export interface AppParts {
  readonly platform: Platform;
  readonly authenticator: Authenticator;
  /** Addresses of proxies whose X-Forwarded-For is believed; empty: none. */
  readonly trustedProxies?: readonly string[];
  readonly metricsToken?: string | undefined;
  /** Writes the gate log and counts calls; tests of other things leave it out, as rows that come by themselves disturb what they count. */
  readonly logCalls?: boolean;
  /** Records traces; default one of its own, without an instance. */
  readonly spans?: SpanRecorder;
  /** Measures calls; tests of other things leave it out. */
  readonly meter?: ProcessMeter;
  /** Why this instance takes no calls though it could: it was taken out of service. */
  readonly outOfService?: () => boolean;
  /** Calls a minute of one caller where nobody gave a call its own limit; tests that call on end leave it out. */
  readonly defaultLimit?: number;
  /** Time and names as routes to other systems go by them; tests hand in their own. */
  readonly gateway?: GatewayOptions;
  /** Serves the built page; tests of the API leave it out. */
  readonly serveClient?: boolean;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts calls and follows the rules of the list of calls. */
    readonly apiDesk: ApiDesk;
  }
}

const NO_ADDRESS = notFound(['地址不存在', 'There is no such address']);

/** Builds the HTTP application: hooks, error catalogue, every endpoint of every service, the built page. */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { platform } = parts;
  const tables = await platform.tables();
  const contradictions = platform.registrations.flatMap((one) => one.tableProblems?.(tables) ?? []);
  if (contradictions.length > 0) throw new Error(contradictions.join('\n'));
  const app = fastify({
    logger: false,
    bodyLimit: 1_048_576,
    // A caller that traces itself goes on with its trace.
    genReqId: (request) => readTraceparent(request.headers.traceparent)?.traceId ?? newTraceId(),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    trustProxy: parts.trustedProxies && parts.trustedProxies.length > 0 ? [...parts.trustedProxies] : false,
    requestTimeout: 60_000,
    forceCloseConnections: 'idle',
    // A call on a kept-alive connection that arrives while closing is still answered; new connections are refused.
    return503OnClosing: false,
    // Addresses the router cannot read come before every hook and handler.
    frameworkErrors: (_error, request, reply) => {
      reply.headers({
        'X-Trace-Id': request.id,
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'same-origin',
      });
      if (request.method === 'GET' && parts.serveClient && !/^\/+api(\/|\?|$)/i.test(request.raw.url ?? '')) {
        reply.headers({
          'Cache-Control': 'no-cache',
          'Content-Security-Policy': pagePolicy([]),
          'X-Frame-Options': 'DENY',
        });
        return (reply as FastifyReply)
          .type('text/html; charset=utf-8')
          .send(fs.readFileSync(path.join(clientFolder(), 'index.html')));
      }
      reply.header('Cache-Control', 'no-store');
      return sendRefusal(reply as FastifyReply, NO_ADDRESS, languageOf(request));
    },
  });
  await app.register(formbody, { bodyLimit: 65_536 });
  await app.register(multipart, { limits: { files: 1, fileSize: 21 * 1_048_576, fields: 10, parts: 12 } });
  const spans = parts.spans ?? recordSpans(platform, { service: 'backoffice-web' });
  const gate = parts.logCalls ? recordCalls(platform) : undefined;
  app.addHook('onClose', async () => {
    await spans.stop();
    await gate?.stop();
  });
  app.addHook('onRequest', (request, reply, done) => {
    enterTrace(request.id, readTraceparent(request.headers.traceparent)?.parentId);
    parts.meter?.begin();
    reply.header('X-Trace-Id', request.id);
    reply.header('X-Content-Type-Options', 'nosniff');
    reply.header('Referrer-Policy', 'same-origin');
    // Only what came over https may bind browsers to it; behind a proxy that is the proxy's word, if it is trusted.
    if (request.protocol === 'https') reply.header('Strict-Transport-Security', 'max-age=31536000');
    if (request.url.startsWith('/api')) {
      reply.header('Cache-Control', 'no-store');
      // Answers are data: opened as a page they load and run nothing. Files say so themselves, with a sandbox.
      reply.header('Content-Security-Policy', "default-src 'none'; base-uri 'none'; frame-ancestors 'none'");
    }
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    spans.finish(request, reply);
    gate?.finish(request, reply);
    parts.meter?.end({
      at: Date.now(),
      route: request.routeOptions.url ?? '?',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      staff: factsOfCall(request).caller?.name ?? '',
      traceId: request.id,
    });
    done();
  });
  app.setErrorHandler((error: FastifyError | Refusal, request, reply) => {
    const refusal = asRefusal(error);
    if (refusal) return sendRefusal(reply, refusal, languageOf(request));
    platform.log.error(
      {
        err: { message: error.message, stack: error.stack, code: (error as FastifyError).code },
        traceId: request.id,
        path: request.url.split('?')[0],
      },
      'request failed',
    );
    noteFault(platform, request, error);
    return sendRefusal(
      reply,
      new Refusal(500, 500, [
        '系统异常，请联系管理员',
        'Something went wrong, please contact the administrator',
      ]),
      languageOf(request),
    );
  });
  const endpoints = [
    ...platform.registrations.flatMap((service) => service.endpoints),
    ...kernelEndpoints(platform.registrations),
  ];
  const all = [...endpoints, ...openApiEndpoints(endpoints)];
  const desk = await openApiDesk(platform, all, { defaultLimit: parts.defaultLimit });
  if (parts.logCalls)
    app.addHook('onResponse', (request, reply, done) => {
      desk.finish(request, reply);
      done();
    });
  app.addHook('onClose', () => desk.stop());
  app.decorate('apiDesk', desk);
  mountEndpoints(app, all, platform, parts.authenticator, desk);
  await mountGateway(app, platform, parts.authenticator, parts.gateway);
  healthRoutes(app, platform, parts.metricsToken, parts.outOfService);
  if (parts.serveClient) await serveClient(app, platform);
  app.setNotFoundHandler((request, reply) => {
    if (
      request.method === 'GET' &&
      !request.url.startsWith('/api') &&
      parts.serveClient &&
      !path.extname(request.url.split('?')[0]!)
    )
      return reply.header('Cache-Control', 'no-cache').sendFile('index.html');
    return sendRefusal(reply, NO_ADDRESS, languageOf(request));
  });
  return app;
}

/** Maps what libraries and the database throw to the error catalogue; undefined is a real fault. */
function asRefusal(error: FastifyError | Refusal): Refusal | undefined {
  if (error instanceof Refusal) return error;
  const code = error.code ?? '';
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || code === 'FST_REQ_FILE_TOO_LARGE')
    return new Refusal(413, 413, ['内容过大', 'The content is too large']);
  if (
    code.startsWith('FST_ERR_CTP') ||
    code.startsWith('FST_ERR_VALIDATION') ||
    error.statusCode === 400 ||
    error.statusCode === 415 ||
    error instanceof SyntaxError
  )
    return invalid({ _: ['请求格式不正确', 'The request is not well-formed'] });
  if (
    code === 'FST_ERR_MAX_PARAM_LENGTH' ||
    code === 'FST_ERR_BAD_URL' ||
    error.statusCode === 414 ||
    // What the folder of the page refuses to look for, such as two slashes or dots in a row.
    error.statusCode === 403 ||
    error.statusCode === 404
  )
    return notFound();
  // Shutdown, crash and exhaustion of the database, and connections it refused or lost.
  if (
    /^(57P0\d|53\d{3}|08\d{3})$/.test(code) ||
    ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE'].includes(code)
  )
    return unavailable();
  if (
    /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error/i.test(
      error.message,
    )
  )
    return unavailable();
  // Constraints are the last line: what reaches them is refused without telling which.
  if (code === '23505') return new Refusal(409, 30101, ['数据已存在', 'The record exists already']);
  if (code === '23503') return new Refusal(409, 30101, ['数据正在被使用', 'The record is in use']);
  if (code === '23514' || code === '23P01' || code === '40001' || code === '40P01')
    return new Refusal(409, 30101, [
      '数据已变化，请刷新后重试',
      'The data has changed, please refresh and try again',
    ]);
  if (/^(22|23502)/.test(code)) return new InvalidInput({ _: ['输入不正确', 'The input is not valid'] });
  return undefined;
}

const clientFolder = (): string => path.join(projectFolder(), 'dist', 'client');

async function serveClient(app: FastifyInstance, platform: Platform): Promise<void> {
  const root = clientFolder();
  if (!fs.existsSync(path.join(root, 'index.html')))
    throw new Error('dist/client is missing: run npm run build');
  await app.register(fastifyStatic, {
    root,
    wildcard: true,
    cacheControl: false,
    preCompressed: true,
    setHeaders: (reply, file) => {
      const hashed = file.includes(`${path.sep}assets${path.sep}`);
      reply.header('Cache-Control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      reply.header('Content-Security-Policy', pagePolicy([]));
      reply.header('X-Frame-Options', 'DENY');
    },
  });
  const sites = frameSites(platform);
  // Only the page itself can hold frames; what it loads keeps the policy without any.
  app.addHook('onSend', async (_request, reply) => {
    if (String(reply.getHeader('content-type')).startsWith('text/html') && reply.hasHeader('x-frame-options'))
      reply.header('Content-Security-Policy', pagePolicy(await sites()));
  });
}
