import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { Platform } from '../../kernel/server/platform.ts';

const READY_TIMEOUT_MS = 900;

/** Health, version and metrics: `/livez`, `/readyz`, `/version` without a token, `/metrics` for loopback or its own token. */
export function healthRoutes(
  app: FastifyInstance,
  platform: Platform,
  metricsToken: string | undefined,
  outOfService: () => boolean = () => false,
): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const calls = new Counter({
    name: 'http_requests_total',
    help: 'Answered requests',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'http_request_seconds',
    help: 'Time to answer',
    labelNames: ['method'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.3, 1, 3, 10],
    registers: [registry],
  });
  app.addHook('onResponse', (request, reply, done) => {
    calls.inc({
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
    });
    seconds.observe({ method: request.method }, reply.elapsedTime / 1000);
    done();
  });
  app.get('/livez', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    // Taken out in the registry: whoever spreads calls asks here and passes them to others.
    if (outOfService()) return reply.code(503).send({ status: 'out of service' });
    try {
      await within(platform.database.pool.query('SELECT 1'), READY_TIMEOUT_MS);
      return { status: 'ok' };
    } catch {
      return reply.code(503).send({ status: 'database unavailable' });
    }
  });
  app.get('/version', () => ({ build: platform.config.build }));
  app.get('/metrics', async (request, reply) => {
    if (
      !mayReadMetrics(
        request.ip,
        request.headers['x-forwarded-for'],
        request.headers.authorization,
        metricsToken,
      )
    )
      return reply.code(403).send({ status: 403, message: '', data: null });
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

function mayReadMetrics(
  address: string,
  forwarded: unknown,
  authorization: string | undefined,
  token: string | undefined,
): boolean {
  if (token && authorization) {
    const given = Buffer.from(authorization.replace(/^Bearer /, ''));
    const wanted = Buffer.from(token);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
  // A loopback proxy in front forwards strangers: its header says so.
  return forwarded === undefined && /^(127\.|::1$|::ffff:127\.)/.test(address);
}

function within<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('timed out')), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
