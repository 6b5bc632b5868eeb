import { runOne, run, type Executor } from '../../../kernel/server/database.ts';
import type { RequestFacts } from '../../../kernel/server/people/caller.ts';
import { networkOf } from './network.rules.ts';

/** How a sign-in ended, as the list of sign-ins shows it. */
export type AttemptResult =
  | 'success'
  | 'wrong_password'
  | 'wrong_code'
  | 'disabled'
  | 'locked'
  | 'not_on_whitelist'
  | 'unknown_account'
  | 'address_limit'
  | 'lapsed';

/** How somebody signed in: with the password, or vouched for by the single sign-on server. */
export type SignInWay = 'password' | 'sso';

/** Keeps one sign-in for the lists of sign-ins. `account` is what was typed; the way is the password unless it says so. */
export async function noteAttempt(
  db: Executor,
  facts: Pick<RequestFacts, 'address' | 'userAgent'>,
  attempt: {
    readonly account: string;
    readonly staffId?: number | undefined;
    readonly result: AttemptResult;
    readonly way?: SignInWay;
  },
): Promise<void> {
  await run(
    db,
    'INSERT INTO sign_in_attempt (account, staff_id, address, network, user_agent, result, way) VALUES ($1, $2, $3, $4, $5, $6, $7)',
    [
      attempt.account.slice(0, 60),
      attempt.staffId ?? null,
      facts.address,
      networkOf(facts.address),
      facts.userAgent.slice(0, 300),
      attempt.result,
      attempt.way ?? 'password',
    ],
  );
}

/** Seconds an address (an IPv6 one with its /64) still waits because it failed 50 times in 15 minutes; 0 when it may try. Source: ground rules section 3. */
export async function addressWait(db: Executor, address: string): Promise<number> {
  const row = await runOne<{ failures: number; wait: number | null }>(
    db,
    `SELECT count(*) AS failures, extract(epoch FROM min(at) + interval '15 minutes' - clock_timestamp())::float8 AS wait
       FROM (SELECT at FROM sign_in_attempt
              WHERE network = $1 AND at > clock_timestamp() - interval '15 minutes'
                AND result IN ('wrong_password', 'wrong_code', 'unknown_account', 'locked')
              ORDER BY at DESC LIMIT ${MOST_FAILURES}) recent`,
    [networkOf(address)],
  );
  return row && row.failures >= MOST_FAILURES ? Math.max(1, row.wait ?? 1) : 0;
}

/** Keeps that an address was turned away, once a minute at most: an attack must not fill the table. */
export async function noteAddressLimit(
  db: Executor,
  facts: Pick<RequestFacts, 'address' | 'userAgent'>,
  account: string,
): Promise<void> {
  await run(
    db,
    `INSERT INTO sign_in_attempt (account, address, user_agent, network, result, way)
     SELECT $1, $2, $3, $4, 'address_limit', 'password'
      WHERE NOT EXISTS (SELECT FROM sign_in_attempt WHERE network = $4 AND result = 'address_limit'
                         AND at > clock_timestamp() - interval '1 minute')`,
    [account.slice(0, 60), facts.address, facts.userAgent.slice(0, 300), networkOf(facts.address)],
  );
}

const MOST_FAILURES = 50;
