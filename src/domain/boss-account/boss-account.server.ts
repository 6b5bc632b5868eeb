import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { run, runOne, transaction, type Db, type Executor, type Tx } from '../../kernel/server/database.ts';
import { Refusal, ruleBroken } from '../../kernel/server/http/errors.ts';
import { queueSms } from '../message/queue-message.server.ts';

const CODE_SECONDS = 300;
const WRONG_MOST = 5;
const WRONG_MINUTES = 15;
const LOCK_MINUTES = 30;
/** A new code is sent at most this often. */
const AGAIN_SECONDS = 60;
/** Days a session lives without use, and in any case. */
const IDLE_DAYS = 7;
const ABSOLUTE_DAYS = 30;
/** SQL: a session `s` that is neither ended nor over. */
export const LIVE_BOSS_SESSION = `s.ended_at IS NULL AND s.opened_at > clock_timestamp() - interval '${ABSOLUTE_DAYS} days' AND s.last_used_at > clock_timestamp() - interval '${IDLE_DAYS} days'`;
/** Lines about sessions, codes and wrong guesses are kept so long behind their end. */
const KEPT_DAYS = 90;
const hashOf = (value: string) => createHash('sha256').update(value).digest();
const WRONG = () => new Refusal(401, 40001, ['手机号或验证码不正确', 'Phone or code is not right']);

/** Sends a code to the phone of an account; nothing tells whether there is such an account. Codes are good for five minutes. */
export async function sendCode(tx: Tx, accountId: number, purpose: 'sign_in' | 'transfer'): Promise<void> {
  const account = await runOne<{ phone: string; recent: boolean }>(
    tx,
    `SELECT a.phone, EXISTS (SELECT FROM boss_code c WHERE c.boss_account_id = a.id AND c.purpose = $2
            AND c.sent_at > clock_timestamp() - make_interval(secs => ${AGAIN_SECONDS})) AS recent
       FROM boss_account a WHERE a.id = $1 FOR UPDATE`,
    [accountId, purpose],
  );
  if (!account) return;
  if (account.recent)
    throw ruleBroken(['验证码发送过于频繁，请稍后再试', 'A code was sent just now, try again later']);
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  await run(tx, 'INSERT INTO boss_code (boss_account_id, purpose, code_hash) VALUES ($1, $2, $3)', [
    accountId,
    purpose,
    hashOf(`${accountId}:${code}`),
  ]);
  await queueSms(tx, {
    phone: account.phone,
    purpose: `boss.${purpose}`,
    body:
      purpose === 'sign_in'
        ? `商户端登录验证码 ${code}，5分钟内有效，请勿告知他人。`
        : `商户老板转移验证码 ${code}，5分钟内有效。如非本人操作请联系平台。`,
    params: { code },
    validSeconds: CODE_SECONDS,
  });
}

/** Takes a code once: the latest one, not too old, not guessed at too often. False when it is another one. */
export async function takeCode(
  tx: Tx,
  accountId: number,
  purpose: 'sign_in' | 'transfer',
  code: string,
): Promise<boolean> {
  const row = await runOne<{ id: number; code_hash: Buffer; fresh: boolean }>(
    tx,
    `SELECT id, code_hash, used_at IS NULL AND wrong < ${WRONG_MOST} AND sent_at > clock_timestamp() - make_interval(secs => ${CODE_SECONDS}) AS fresh
       FROM boss_code WHERE boss_account_id = $1 AND purpose = $2 ORDER BY id DESC LIMIT 1 FOR UPDATE`,
    [accountId, purpose],
  );
  if (!row?.fresh) return false;
  const right = timingSafeEqual(row.code_hash, hashOf(`${accountId}:${code}`));
  await run(
    tx,
    right
      ? 'UPDATE boss_code SET used_at = clock_timestamp() WHERE id = $1'
      : 'UPDATE boss_code SET wrong = wrong + 1 WHERE id = $1',
    [row.id],
  );
  return right;
}

/** What the app is told of a session. */
export interface BossSession {
  readonly accountId: number;
  readonly name: string;
  readonly links: readonly {
    readonly merchantId: number;
    readonly role: string;
    readonly permissions: readonly string[];
  }[];
}

/**
 * Opens a session of the merchants' app by phone and code. Five wrong codes in a quarter of an hour lock the account for half
 * an hour; a lock that is over opens by itself. Throws 401 in one wording for everything that is not right.
 */
export async function bossSignIn(
  db: Db,
  asked: { readonly phone: string; readonly code: string; readonly device: string },
): Promise<{ readonly token: string; readonly session: BossSession }> {
  const opened = await transaction(db, async (tx) => {
    const account = await runOne<{ id: number; state: string; over: boolean }>(
      tx,
      `SELECT id, state, coalesce(locked_until <= clock_timestamp(), false) AS over FROM boss_account WHERE phone = $1 FOR UPDATE`,
      [asked.phone],
    );
    if (!account || account.state === 'disabled') return undefined;
    if (account.state === 'locked') {
      if (!account.over) return undefined;
      await run(
        tx,
        `UPDATE boss_account SET state = 'normal', locked_until = NULL, version = version + 1, updated_at = now() WHERE id = $1`,
        [account.id],
      );
    }
    if (!(await takeCode(tx, account.id, 'sign_in', asked.code))) {
      await run(tx, 'INSERT INTO boss_wrong_code (boss_account_id) VALUES ($1)', [account.id]);
      await run(
        tx,
        `UPDATE boss_account SET state = 'locked', locked_until = clock_timestamp() + make_interval(mins => ${LOCK_MINUTES}), version = version + 1, updated_at = now()
          WHERE id = $1 AND (SELECT count(*) FROM boss_wrong_code w WHERE w.boss_account_id = $1 AND w.at > clock_timestamp() - make_interval(mins => ${WRONG_MINUTES})) >= ${WRONG_MOST}`,
        [account.id],
      );
      return undefined;
    }
    const token = randomBytes(32).toString('base64url');
    await run(tx, 'DELETE FROM boss_wrong_code WHERE boss_account_id = $1', [account.id]);
    await run(tx, 'INSERT INTO boss_session (boss_account_id, token_hash, device) VALUES ($1, $2, $3)', [
      account.id,
      hashOf(token),
      asked.device,
    ]);
    await run(tx, 'UPDATE boss_account SET last_login_at = clock_timestamp() WHERE id = $1', [account.id]);
    return token;
  });
  if (!opened) throw WRONG();
  return { token: opened, session: (await bossSession(db, opened))! };
}

/**
 * Who a token belongs to and for which enabled merchants; undefined once it was ended, was not used for a week, is a month old,
 * the account is not open or holds no merchant.
 */
export async function bossSession(db: Executor, token: string): Promise<BossSession | undefined> {
  const rows = await run<{
    id: number;
    name: string;
    merchantId: number;
    role: string;
    permissions: string[];
  }>(
    db,
    `SELECT a.id, a.name, l.merchant_id AS "merchantId", l.role, l.permissions FROM boss_session s JOIN boss_account a ON a.id = s.boss_account_id
       JOIN boss_link l ON l.boss_account_id = a.id JOIN tenant m ON m.id = l.merchant_id AND m.enabled
      WHERE s.token_hash = $1 AND ${LIVE_BOSS_SESSION} AND a.state = 'normal' ORDER BY l.position`,
    [hashOf(token)],
  );
  const [first] = rows;
  if (!first) return undefined;
  // Every call of the app would write otherwise.
  await run(
    db,
    `UPDATE boss_session s SET last_used_at = clock_timestamp()
      WHERE s.token_hash = $1 AND s.last_used_at < clock_timestamp() - interval '1 minute' AND ${LIVE_BOSS_SESSION}`,
    [hashOf(token)],
  );
  return {
    accountId: first.id,
    name: first.name,
    links: rows.map(({ merchantId, role, permissions }) => ({ merchantId, role, permissions })),
  };
}

/** Ends every session of an account; the app is signed out at its next call. Returns how many there were. */
export async function endBossSessions(tx: Tx, accountId: number, reason: string): Promise<number> {
  const ended = await run(
    tx,
    'UPDATE boss_session SET ended_at = clock_timestamp(), end_reason = $2 WHERE boss_account_id = $1 AND ended_at IS NULL RETURNING id',
    [accountId, reason],
  );
  return ended.length;
}

/** Marks sessions that are over as ended and forgets old lines; returns how many sessions were ended. */
export async function endOldBossSessions(db: Db): Promise<number> {
  const ended = await run(
    db,
    `UPDATE boss_session s SET ended_at = clock_timestamp(), end_reason = 'expired'
      WHERE s.ended_at IS NULL AND NOT (${LIVE_BOSS_SESSION}) RETURNING id`,
  );
  for (const [table, column] of [
    ['boss_session', 'ended_at'],
    ['boss_code', 'sent_at'],
    ['boss_wrong_code', 'at'],
  ])
    await run(db, `DELETE FROM ${table} WHERE ${column} < now() - interval '${KEPT_DAYS} days'`);
  return ended.length;
}
