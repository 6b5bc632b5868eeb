import type { FastifyRequest } from 'fastify';
import { run } from '../database.ts';
import { staffIdOf } from '../people/caller.ts';
import type { Platform } from '../platform.ts';
import { factsOfCall } from './call-facts.ts';
import { failureFacts } from './failure-facts.ts';
import { withoutPersonal } from './log-value.rules.ts';

/** Keeps a fault of the server under the trace of its call, beside those pages report. Never waited for, never failing. */
export function noteFault(platform: Platform, request: FastifyRequest, error: Error): void {
  const { caller, endpoint } = factsOfCall(request);
  const told = (text: string, length: number) =>
    withoutPersonal(text.replaceAll('\u0000', '').toWellFormed()).slice(0, length);
  void run(
    platform.database.db,
    `INSERT INTO error_report (origin, message, place, url, stack, release, trace_id, staff_id)
     VALUES ('server', $1, $2, $3, $4, $5, $6, $7)`,
    [
      told(error.message, 1_000) || error.name,
      endpoint ? `${endpoint.method} ${endpoint.path}` : '',
      told(request.url.split('?', 1)[0]!, 300),
      told(error.stack ?? '', 8_000),
      platform.config.build,
      request.id,
      caller ? staffIdOf(caller) : null,
    ],
  ).catch((failure: unknown) => platform.log.warn({ err: failureFacts(failure) }, 'a fault was not kept'));
}
