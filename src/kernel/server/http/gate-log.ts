import os from 'node:os';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { codeOfCall } from './held-code.ts';
import { failureFacts } from './failure-facts.ts';
import { factsOfCall } from './call-facts.ts';
import { inputLogger } from './logged-input.ts';
import { withoutPersonal } from './log-value.rules.ts';
import { menuOfElement } from '../../contract/resource.ts';
import { staffIdOf } from '../people/caller.ts';
import type { Platform } from '../platform.ts';

const FLUSH_MS = 1_000;
/** Calls of one INSERT, and calls that wait at most: beyond it the newest are not logged, but answered all the same. */
const BATCH = 1_000;
const MAX_WAITING = 20_000;

/** Logs calls after their answer, in batches: no call waits for its line. */
export interface GateLog {
  finish(request: FastifyRequest, reply: FastifyReply): void;
  /** Writes what waits; also for tests. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

const COLUMNS = [
  ['at', 'timestamptz'],
  ['trace_id', 'text'],
  ['staff_id', 'bigint'],
  ['staff_name', 'text'],
  ['tenant_id', 'bigint'],
  ['address', 'text'],
  ['method', 'text'],
  ['path', 'text'],
  ['menu', 'text'],
  ['element', 'text'],
  ['http', 'integer'],
  ['status', 'integer'],
  ['duration_ms', 'integer'],
  ['size', 'bigint'],
  ['client', 'text'],
  ['agent', 'text'],
  ['instance', 'text'],
  ['query', 'text'],
  ['body', 'text'],
] as const;
const INSERT = `INSERT INTO gate_log (${COLUMNS.map(([name]) => name).join(', ')})
  SELECT * FROM unnest(${COLUMNS.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')})`;

/** Starts the log of calls below /api. */
export function recordCalls(platform: Platform): GateLog {
  const instance = `${os.hostname()}:${process.pid}`.slice(0, 80);
  const logged = inputLogger(platform.registrations);
  let waiting: (() => unknown[])[] = [];
  let lost = 0;
  let daysMade = 0;
  let writing: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    const { pool } = platform.database;
    try {
      if (waiting.length > 0 && Date.now() - daysMade > 6 * 3_600_000) {
        await pool.query('SELECT make_gate_log_days()');
        daysMade = Date.now();
      }
      while (waiting.length > 0) {
        const rows = waiting.slice(0, BATCH).map((row) => row());
        waiting = waiting.slice(BATCH);
        await pool.query(
          INSERT,
          COLUMNS.map((_column, index) => rows.map((row) => row[index])),
        );
      }
      if (lost > 0) platform.log.warn({ lost }, 'calls were not logged');
      lost = 0;
    } catch (error) {
      // The log must never fail a call; what comes next is tried again.
      platform.log.warn({ err: failureFacts(error) }, 'calls were not logged');
    }
  };
  const flush = () => (writing = writing.then(write));
  const timer = setInterval(() => void flush(), FLUSH_MS);
  timer.unref();
  return {
    finish: (request, reply) => {
      if (!request.url.startsWith('/api')) return;
      if (waiting.length >= MAX_WAITING) {
        lost += 1;
        return;
      }
      const elapsed = reply.elapsedTime;
      const at = new Date(Date.now() - elapsed);
      const http = reply.statusCode;
      const size = Number(reply.getHeader('content-length') ?? 0) || 0;
      // Masking waits for the batch: what is done here is done while other calls want their answer.
      waiting.push(() => {
        const { caller, endpoint, status } = factsOfCall(request);
        const path = withoutPersonal(request.url.split('?', 1)[0]!.slice(0, 500)).replaceAll('%00', '');
        const code = endpoint ? codeOfCall(endpoint, caller) : '';
        return [
          at,
          request.id,
          caller ? staffIdOf(caller) : null,
          caller?.name ?? '',
          caller?.tenantId || null,
          request.ip,
          request.method,
          path,
          menuOfElement(code),
          code.includes(':') ? code : '',
          http,
          status ?? http,
          Math.min(Math.round(elapsed), 2_147_483_647),
          size,
          caller?.application?.clientId ?? (caller ? 'web' : ''),
          withoutPersonal(String(request.headers['user-agent'] ?? ''))
            .slice(0, 300)
            .toWellFormed(),
          instance,
          logged(endpoint, path, request.query),
          request.method === 'GET' || Buffer.isBuffer(request.body)
            ? ''
            : logged(endpoint, path, request.body),
        ];
      });
    },
    flush,
    stop: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}
