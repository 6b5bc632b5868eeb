import { createHash } from 'node:crypto';
import type { Label } from '../../contract/label.ts';
import { requestEnd, run, runOne, type Tx } from '../database.ts';
import { invalid, ruleBroken } from './errors.ts';
import { failureFacts } from './failure-facts.ts';
import type { Platform } from '../platform.ts';
import type { Call } from '../registration.ts';
import { digestOfUpload, dropUpload } from '../files/upload.ts';

const PENDING_SECONDS = 60;

const RUNNING: Label = [
  '请求正在处理，请勿重复提交',
  'The request is being processed, please do not submit again',
];
const CARRIED_OUT: Label = [
  '该请求已经执行，请刷新页面查看结果，不要再次提交',
  'The request was carried out already; reload the page to see the result instead of submitting again',
];

/** A key as the request that took it knows it. */
interface TakenKey {
  readonly staffId: number;
  readonly key: string;
  /** When it was taken: a request that took it over later has another instant. */
  readonly takenAt: string;
  /** True once the work has ended: what it left running in the background is not the request any more. */
  isOver?: boolean;
}

/**
 * Runs a write once per `Idempotency-Key` of a staff: a repeat gets the first answer, a repeat while the first still runs
 * is refused (30101), the same key with another request (another body or another uploaded file) is refused (422).
 * Failures free the key, unless something was written before; keys live for 24 hours. Every transaction of the work marks
 * the key as carried out, so that a crash between the commit and the kept answer refuses a repeat (30101) instead of
 * running it again.
 */
export async function withIdempotency(
  platform: Platform,
  call: Call,
  work: () => Promise<unknown>,
): Promise<unknown> {
  const isUpload =
    call.request.headers['idempotency-key'] !== undefined && call.request.isMultipart?.() === true;
  try {
    return await once(platform, call, work, isUpload);
  } finally {
    if (isUpload) await dropUpload(call.request);
  }
}

async function once(
  platform: Platform,
  call: Call,
  work: () => Promise<unknown>,
  isUpload: boolean,
): Promise<unknown> {
  const header = call.request.headers['idempotency-key'];
  // Keys are kept by staff; what programs may write is safe to repeat by itself.
  if (header === undefined || call.caller.program) return work();
  if (typeof header !== 'string' || !/^[\x21-\x7e]{8,128}$/.test(header))
    throw invalid({ 'Idempotency-Key': ['重复提交标识不正确', 'The idempotency key is not valid'] });
  const db = platform.database.db;
  const staffId = call.caller.staffId;
  // A multipart body is a stream no parser has seen: it is read first, so that its content counts as any body's does.
  const body = isUpload ? await digestOfUpload(platform, call.request) : JSON.stringify(call.body ?? null);
  const request = createHash('sha256')
    .update(`${call.request.method} ${call.request.url}\n${body}`)
    .digest('hex');
  // The key is taken in a statement of its own: the second of two parallel submits sees it at once.
  const mine = await runOne<{ takenAt: string }>(
    db,
    `INSERT INTO idempotency_key (staff_id, key, request) VALUES ($1, $2, $3)
     ON CONFLICT (staff_id, key) DO UPDATE SET request = excluded.request, created_at = clock_timestamp()
       WHERE idempotency_key.response IS NULL AND idempotency_key.done_at IS NULL AND idempotency_key.created_at < clock_timestamp() - make_interval(secs => ${PENDING_SECONDS})
     RETURNING created_at::text AS "takenAt"`,
    [staffId, header, request],
  );
  if (!mine) {
    const first = await runOne<{ request: string; response: { data: unknown } | null; isOver: boolean }>(
      db,
      `SELECT request, response, done_at IS NOT NULL AND created_at < clock_timestamp() - make_interval(secs => ${PENDING_SECONDS}) AS "isOver"
         FROM idempotency_key WHERE staff_id = $1 AND key = $2`,
      [staffId, header],
    );
    if (first && first.request !== request)
      throw invalid({
        'Idempotency-Key': ['重复提交标识已用于其他请求', 'The key was used for another request'],
      });
    if (first?.response) return first.response.data;
    throw ruleBroken(first?.isOver ? CARRIED_OUT : RUNNING);
  }
  const key: TakenKey = { staffId, key: header, takenAt: mine.takenAt };
  const data = await requestEnd
    .run({ ...requestEnd.getStore(), mark: (tx) => markCarriedOut(tx, key) }, work)
    .catch(async (error: unknown) => {
      await run(
        db,
        `DELETE FROM idempotency_key
        WHERE staff_id = $1 AND key = $2 AND created_at = $3::timestamptz AND done_at IS NULL`,
        [staffId, header, key.takenAt],
      ).catch(() => {});
      throw error;
    })
    .finally(() => {
      key.isOver = true;
    });
  // The work is done whatever becomes of this: a key that was freed now would let a repeat do it once more.
  await run(db, 'UPDATE idempotency_key SET response = $3 WHERE staff_id = $1 AND key = $2', [
    staffId,
    header,
    JSON.stringify({ data: data ?? null }, withoutSecrets),
  ]).catch((error: unknown) =>
    platform.log.error({ err: failureFacts(error) }, 'the answer of a finished call could not be kept'),
  );
  return data;
}

/**
 * Marks a key as carried out, in a transaction of the work itself. Throws 30101 when another request took the key over
 * meanwhile, which rolls this work back.
 */
async function markCarriedOut(tx: Tx, key: TakenKey): Promise<void> {
  if (key.isOver) return;
  const row = await runOne(
    tx,
    `UPDATE idempotency_key SET done_at = coalesce(done_at, clock_timestamp())
      WHERE staff_id = $1 AND key = $2 AND created_at = $3::timestamptz RETURNING key`,
    [key.staffId, key.key, key.takenAt],
  );
  if (!row) throw ruleBroken(RUNNING);
}

/** One-time passwords and secrets of programs are shown once and never stored, not even for a repeat of the same call. */
function withoutSecrets(key: string, value: unknown): unknown {
  return /password|clientSecret/i.test(key) ? null : value;
}
