import { createHash } from 'node:crypto';
import { z } from 'zod';
import { run, runOne, type Tx } from '../database.ts';
import type { Caller } from '../people/caller.ts';
import { forbidden, invalid } from './errors.ts';

/** What makes a repeat of a program's write the same write. */
export const requestId = z.string().regex(/^[\x21-\x7e]{8,64}$/);

/** Days a repeat of a program's request gets the first answer. */
export const PROGRAM_REQUEST_KEEP_DAYS = 30;

/**
 * Carries out what a program asks for once per its `requestId`, in the caller's transaction: a repeat gets the first
 * answer, one that comes meanwhile waits for it. The same id with another body is refused (422). Work that throws keeps
 * nothing, so it may be asked for again under the same id. `work` answers with what JSON can hold.
 */
export async function oncePerRequest<T>(
  tx: Tx,
  caller: Caller,
  request: { readonly requestId: string; readonly path: string; readonly body: unknown },
  work: () => Promise<T>,
): Promise<T> {
  const program = caller.program ?? refuse();
  const digest = digestOf(request);
  const mine = await runOne(
    tx,
    `INSERT INTO program_request (client_id, request_id, digest) VALUES ($1, $2, $3)
     ON CONFLICT (client_id, request_id) DO NOTHING RETURNING 1 AS one`,
    [program.clientId, request.requestId, digest],
  );
  if (!mine) {
    const first = await runOne<{ digest: Buffer; answer: T }>(
      tx,
      'SELECT digest, answer FROM program_request WHERE client_id = $1 AND request_id = $2',
      [program.clientId, request.requestId],
    );
    if (!first?.digest.equals(digest))
      throw invalid({ requestId: ['请求标识已用于其他请求', 'The request id was used for another request'] });
    return first.answer;
  }
  const answer = await work();
  await run(tx, 'UPDATE program_request SET answer = $3 WHERE client_id = $1 AND request_id = $2', [
    program.clientId,
    request.requestId,
    JSON.stringify(answer),
  ]);
  return answer;
}

/** A request of a program as it is kept. */
export interface ProgramRequest {
  readonly caller: Caller;
  readonly requestId: string;
  readonly path: string;
  readonly body: unknown;
}

/** Takes the ids of several requests, each another one, as {@link oncePerRequest} does; false when one is taken already. */
export async function takeRequests(tx: Tx, requests: readonly ProgramRequest[]): Promise<boolean> {
  const taken = await run(
    tx,
    `INSERT INTO program_request (client_id, request_id, digest)
     SELECT r.client, r.id, r.digest FROM unnest($1::text[], $2::text[], $3::bytea[]) AS r (client, id, digest) ORDER BY r.client, r.id
     ON CONFLICT (client_id, request_id) DO NOTHING RETURNING 1 AS one`,
    [...namesOf(requests), requests.map(digestOf)],
  );
  return taken.length === requests.length;
}

/** Keeps the answers of requests that {@link takeRequests} took; those without one are set free again. */
export async function answerRequests(
  tx: Tx,
  requests: readonly (ProgramRequest & { readonly answer: unknown })[],
): Promise<void> {
  await run(
    tx,
    `UPDATE program_request p SET answer = r.answer::json FROM unnest($1::text[], $2::text[], $3::text[]) AS r (client, id, answer)
      WHERE p.client_id = r.client AND p.request_id = r.id AND r.answer IS NOT NULL`,
    [
      ...namesOf(requests),
      requests.map(({ answer }) => (answer === undefined ? null : JSON.stringify(answer))),
    ],
  );
  const free = requests.filter(({ answer }) => answer === undefined);
  if (free.length > 0)
    await run(
      tx,
      `DELETE FROM program_request p USING unnest($1::text[], $2::text[]) AS r (client, id) WHERE p.client_id = r.client AND p.request_id = r.id`,
      namesOf(free),
    );
}

const namesOf = (requests: readonly ProgramRequest[]) => [
  requests.map(({ caller }) => (caller.program ?? refuse()).clientId),
  requests.map(({ requestId }) => requestId),
];

const digestOf = ({ path, body }: Pick<ProgramRequest, 'path' | 'body'>): Buffer =>
  createHash('sha256')
    .update(`${path}\n${JSON.stringify(body)}`)
    .digest();

function refuse(): never {
  throw forbidden();
}
