import { createHash } from 'node:crypto';
import { run, runOne, type Tx } from '../database.ts';
import type { Caller } from '../people/caller.ts';
import { forbidden, invalid } from './errors.ts';

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
  const digest = createHash('sha256')
    .update(`${request.path}\n${JSON.stringify(request.body)}`)
    .digest();
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

function refuse(): never {
  throw forbidden();
}
