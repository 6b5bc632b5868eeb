import { randomInt } from 'node:crypto';
import { businessTimeText } from '../../kernel/contract/time.rules.ts';
import { run, runOne, transactionBeside, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { putSecrets, tailOf } from '../payee/payee-secret.server.ts';
import { openText, sealText } from '../payee/sealed-text.server.ts';

/** Wrong amounts until the account counts as failed. */
export const VERIFY_TRIES = 3;
/** Hours in which the amount has to be entered. */
export const VERIFY_HOURS = 24;
const PURPOSE = 'payee-verify';

/** SQL: state of the verification of the payout account `t`; a transfer nobody answered in time has failed. */
export const VERIFY_STATE = `CASE WHEN t.verify_state = 'verifying' AND t.verify_sent_at <= now() - interval '${VERIFY_HOURS} hours' THEN 'failed'
  ELSE coalesce(t.verify_state, 'unverified') END`;

interface Verifying {
  readonly verify_state: string;
  readonly verify_amount: Uint8Array | null;
  readonly verify_tries: number;
  readonly late: boolean;
}

/** The payout account of a merchant: one, which changes replace. Undefined where none was approved yet. */
export function payoutAccountOf(
  db: Executor,
  tenantId: number,
): Promise<
  { id: number; account_name: string; bank: string; number_tail: string; state: string } | undefined
> {
  return runOne(
    db,
    `SELECT t.id, t.account_name, t.bank, t.number_tail, ${VERIFY_STATE} AS state FROM payee_account t
      WHERE t.tenant_id = $1 AND t.purpose = 'payout' AND t.state IN ('draft', 'active') ORDER BY t.id DESC LIMIT 1`,
    [tenantId],
  );
}

/**
 * Begins a verification: an amount of 1 to 99 fen, kept sealed and told this once to who transfers it. The merchant is locked
 * by the caller. Source: group 03, maoBossAccount, payee verification.
 */
export async function beginVerification(
  tx: Tx,
  platform: Pick<Platform, 'config'>,
  tenantId: number,
  staffId: number,
): Promise<{
  readonly amount: number;
  readonly holder: string;
  readonly bank: string;
  readonly tail: string;
}> {
  const account = await payoutAccountOf(tx, tenantId);
  if (!account) throw ruleBroken(['商户尚未登记收款账户', 'The merchant has no payee account']);
  if (account.state === 'verified') throw ruleBroken(['收款账户已验证', 'The payee account is verified']);
  if (account.state === 'verifying')
    throw ruleBroken(['已打款，等待商户回填金额', 'The transfer is made, the merchant enters the amount']);
  const amount = randomInt(1, 100);
  await run(
    tx,
    `UPDATE payee_account SET verify_state = 'verifying', verify_amount = $2, verify_tries = 0, verify_sent_at = now(), verify_sent_by = $3,
            usable_from = NULL, version = version + 1, updated_at = now() WHERE id = $1`,
    [account.id, sealText(platform.config, PURPOSE, String(account.id), String(amount)), staffId],
  );
  return { amount, holder: account.account_name, bank: account.bank, tail: account.number_tail };
}

/**
 * Takes the amount the merchant found on its account. Wrong ones are counted whatever becomes of the call; the third fails
 * the account. Right: usable after the cooling hours, told as the instant. Throws 30101. Nobody may hold the row's lock: the
 * caller holds that of the merchant, behind which entries of one account wait for each other.
 */
export async function enterVerification(
  tx: Tx,
  platform: Platform,
  tenantId: number,
  amount: number,
): Promise<{ readonly usableFrom: Date }> {
  const account = await payoutAccountOf(tx, tenantId);
  if (!account) throw ruleBroken(['商户尚未登记收款账户', 'The merchant has no payee account']);
  const accountId = account.id;
  const row = (await runOne<Verifying>(
    tx,
    `SELECT verify_state, verify_amount, verify_tries, verify_sent_at <= now() - interval '${VERIFY_HOURS} hours' AS late FROM payee_account WHERE id = $1`,
    [accountId],
  ))!;
  if (row.verify_state !== 'verifying' || !row.verify_amount)
    throw ruleBroken(['没有待验证的打款', 'No transfer waits to be verified']);
  if (row.late)
    throw ruleBroken([
      '验证已超过24小时，请联系平台重新打款',
      'Over 24 hours: ask the platform for a new transfer',
    ]);
  if (Number(openText(platform.config, PURPOSE, String(accountId), row.verify_amount)) !== amount) {
    const tries = row.verify_tries + 1;
    await transactionBeside(platform.database.db, (beside) =>
      run(
        beside,
        `UPDATE payee_account SET verify_tries = $2::smallint, verify_state = CASE WHEN $2::smallint >= ${VERIFY_TRIES} THEN 'failed' ELSE verify_state END,
                version = version + 1, updated_at = now() WHERE id = $1`,
        [accountId, tries],
      ),
    );
    const left = VERIFY_TRIES - tries;
    throw ruleBroken(
      left <= 0
        ? ['验证失败，请更换账户或联系平台', 'Verification failed: use another account or ask the platform']
        : [`金额不正确，还可尝试${left}次`, `Wrong amount, ${left} ${left === 1 ? 'try' : 'tries'} left`],
    );
  }
  const hours = await platform.settings.numberIn(tx, 'payee.cooling_hours');
  const done = (await runOne<{ usable_from: Date }>(
    tx,
    `UPDATE payee_account SET verify_state = 'verified', verify_amount = NULL, verify_tries = 0, state = 'active',
            usable_from = now() + make_interval(hours => $2), version = version + 1, updated_at = now() WHERE id = $1 RETURNING usable_from`,
    [accountId, hours],
  ))!;
  return { usableFrom: done.usable_from };
}

/**
 * Refuses (30101) money to an account that is not verified or still cools down; whoever pays out calls it in the payment's
 * transaction. Source: group 03, Must show 11.
 */
export async function requireUsablePayee(tx: Executor, accountId: number): Promise<void> {
  const row = await runOne<{ verified: boolean; cooling: boolean; usable_from: Date | null }>(
    tx,
    `SELECT verify_state = 'verified' AS verified, coalesce(usable_from > now(), false) AS cooling, usable_from
       FROM payee_account WHERE id = $1 AND purpose = 'payout' AND state = 'active' FOR SHARE`,
    [accountId],
  );
  if (!row?.verified) throw ruleBroken(['收款账户未验证，不能付款', 'The payee account is not verified']);
  if (row.cooling) {
    const at = businessTimeText(row.usable_from!).slice(0, 16);
    throw ruleBroken([`账户处于冷静期，${at} 后可付款`, `The account cools down, payouts from ${at} on`]);
  }
}

/** Puts another account in the place of a merchant's payout account. Nothing is paid to it before it is verified. */
export async function replacePayoutAccount(
  tx: Tx,
  platform: Pick<Platform, 'config'>,
  tenantId: number,
  account: {
    readonly holder: string;
    readonly bank: string;
    readonly branch: string;
    readonly number: string;
  },
): Promise<number> {
  await run(
    tx,
    `UPDATE payee_account SET state = 'stopped', stop_reason = '已更换', mall_enabled = false, version = version + 1, updated_at = now()
      WHERE tenant_id = $1 AND purpose = 'payout' AND state <> 'stopped'`,
    [tenantId],
  );
  const { id } = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO payee_account (code, name, tenant_id, purpose, channel, account_name, number_tail, bank, branch, state)
     SELECT 'MP' || t.id || '-' || (SELECT count(*) + 1 FROM payee_account y WHERE y.tenant_id = t.id AND y.purpose = 'payout'),
            left(t.name, 32) || '收款账户', t.id, 'payout', 'bank', $2, $3, $4, $5, 'active' FROM tenant t WHERE t.id = $1 RETURNING id`,
    [tenantId, account.holder, tailOf(account.number), account.bank, account.branch],
  ))!;
  await putSecrets(tx, platform, { accountId: id }, { number: account.number });
  return id;
}

/** SQL: whether the merchant `t` has a payout account that was verified. */
export const HAS_VERIFIED_PAYEE = `EXISTS (SELECT FROM payee_account y WHERE y.tenant_id = t.id AND y.purpose = 'payout' AND y.verify_state = 'verified' AND y.state = 'active')`;

const ACCOUNT = (value: string) =>
  `(SELECT ${value} FROM payee_account y WHERE y.tenant_id = t.id AND y.purpose = 'payout' AND y.state IN ('draft', 'active') ORDER BY y.id DESC LIMIT 1)`;

/** SQL over the merchant `t`: its payout account by bank and last four, what became of its verification, and when it may be paid to. */
export const PAYEE_COLUMNS = {
  payee: ACCOUNT(`concat_ws(' ', nullif(y.bank, ''), '****' || y.number_tail)`),
  payeeState: `coalesce(${ACCOUNT(VERIFY_STATE.replaceAll('t.', 'y.'))}, 'none')`,
  usableFrom: ACCOUNT('y.usable_from'),
} as const;
