import { run, runOne, transaction, transactionBeside, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { feeBack, feeOf } from './fee.rules.ts';
import {
  businessOfOrder,
  channelOfPayment,
  NO_PAYEE,
  SWITCHED_OFF,
  type PayeeChannel,
} from './payee.rules.ts';
import {
  accountProblemSql,
  resolvePayee,
  type PayeeQuestion,
  type ResolvedPayee,
} from './resolve-payee.server.ts';
import { tellMissingPayee } from './payee-alert.server.ts';

interface PaymentPlace {
  readonly id: number;
  readonly state: number;
  readonly project_id: number | null;
  readonly kind: string | null;
  readonly account: number | null;
  readonly usable: boolean;
}

const PLACE = `SELECT p.id, p.state, o.project_id, o.kind, p.payee_account_id AS account,
       coalesce((SELECT a.channel = $2 AND ${accountProblemSql('clock_timestamp()')} IS NULL FROM payee_account a WHERE a.id = p.payee_account_id), false) AS usable
  FROM payment p LEFT JOIN LATERAL (SELECT project_id, kind FROM sales_order WHERE payment_id = p.id ORDER BY id LIMIT 1) o ON true
 WHERE p.id = $1`;

/**
 * Fixes the account a payment is going to be paid into, before the channel is called, and returns it. An account it was
 * started with stays while it may take payments through this channel. Throws 30101 未配置收款账户 when there is none, and
 * tells the finance desk. Source: group 15, Rules.
 */
export async function fixPayee(
  tx: Tx,
  platform: Platform,
  paymentId: number,
  paymentChannel: number,
): Promise<number | null> {
  const channel = channelOfPayment(paymentChannel);
  if (!channel) return null;
  const payment = await runOne<PaymentPlace>(tx, PLACE, [paymentId, channel]);
  if (!payment || payment.state === 2 || payment.usable || payment.project_id === null)
    return payment?.account ?? null;
  const businessType = businessOfOrder(payment.kind!);
  const mall = await mallAccount(tx, payment.id, channel);
  if (mall?.off) throw ruleBroken(SWITCHED_OFF);
  const question: PayeeQuestion = {
    projectId: payment.project_id,
    businessType,
    channel,
    ...(!mall || mall.built_in ? {} : { named: { by: 'mall_setting', accountId: mall.id } }),
  };
  const { accountId } = await resolvePayee(tx, question);
  if (accountId === null) {
    // The refusal takes this transaction back; what the finance desk is told stays.
    await transactionBeside(platform.database.db, (beside) => tellMissingPayee(beside, question));
    throw ruleBroken(NO_PAYEE);
  }
  await run(tx, 'UPDATE payment SET payee_account_id = $2 WHERE id = $1', [payment.id, accountId]);
  return accountId;
}

/**
 * The account of the mall in a channel: that of the merchant when all orders are its own, else the platform's. `off`: the mall
 * has switched the channel off. The built-in account of the sandbox only says that the channel is on; it stands at the end of
 * the ladder anyway. Undefined: the mall has no account of its own, and the ladder alone decides.
 */
async function mallAccount(
  tx: Tx,
  paymentId: number,
  channel: PayeeChannel,
): Promise<{ readonly id: number; readonly built_in: boolean; readonly off: boolean } | undefined> {
  return runOne(
    tx,
    `SELECT a.id, a.built_in, NOT a.mall_enabled AS off FROM payee_account a JOIN tenant t ON t.id = a.tenant_id
      WHERE a.is_pay_in_mall AND a.channel = $2 AND (NOT a.mall_enabled OR ${accountProblemSql('clock_timestamp()')} IS NULL)
        AND (t.kind = 3 OR (SELECT count(DISTINCT o.tenant_id) = 1 AND min(o.tenant_id) = a.tenant_id FROM sales_order o WHERE o.payment_id = $1))
      ORDER BY NOT a.mall_enabled, t.kind = 3, a.id LIMIT 1`,
    [paymentId, channel],
  );
}

/** The same for a payment known by its number, in a transaction of its own; null when there is no such payment. */
export async function fixPayeeOf(
  platform: Platform,
  checkoutCode: string,
  paymentChannel: number,
): Promise<number | null> {
  return transaction(platform.database.db, async (tx) => {
    const row = await runOne<{ id: number }>(
      tx,
      'SELECT id FROM payment WHERE checkout_code = $1 FOR NO KEY UPDATE',
      [checkoutCode],
    );
    return row ? fixPayee(tx, platform, row.id, paymentChannel) : null;
  });
}

/**
 * Freezes the account and its fee on a payment that is being marked as paid. `paidInto` is what the channel says; without it
 * the account the payment was started with, or the one that applies now: money that came is never without an account as
 * long as one applies.
 */
export async function bookPayee(
  tx: Tx,
  paymentId: number,
  paymentChannel: number,
  paidInto: number | null,
): Promise<void> {
  const channel = channelOfPayment(paymentChannel);
  if (!channel) return;
  const payment = (await runOne<PaymentPlace>(tx, PLACE, [paymentId, channel]))!;
  let account = paidInto ?? payment.account;
  if (account === null && payment.project_id !== null) {
    const question = {
      projectId: payment.project_id,
      businessType: businessOfOrder(payment.kind!),
      channel,
    };
    const found: ResolvedPayee = await resolvePayee(tx, question);
    account = found.accountId;
    if (account === null) await tellMissingPayee(tx, question);
  }
  if (account === null) return;
  const terms = await runOne<{ fee_ppm: number; amount: number }>(
    tx,
    'SELECT a.fee_ppm, p.amount FROM payee_account a, payment p WHERE a.id = $1 AND p.id = $2',
    [account, paymentId],
  );
  await run(tx, 'UPDATE payment SET payee_account_id = $2, fee = $3 WHERE id = $1', [
    paymentId,
    account,
    feeOf(terms!.amount, terms!.fee_ppm),
  ]);
}

/**
 * Books what a channel gives back of the fee with a refund that succeeds now. Payment and refund must be locked.
 */
export async function returnFee(tx: Tx, paymentId: number, refundId: number): Promise<void> {
  const payment = await runOne<{
    fee: number;
    fee_returned: number;
    amount: number;
    refunded: number;
    refundable: boolean;
  }>(
    tx,
    `SELECT p.fee, p.fee_returned, p.amount, coalesce(a.fee_refundable, false) AS refundable,
            (SELECT coalesce(sum(r.cash), 0)::bigint FROM refund r WHERE r.payment_id = p.id AND (r.id = $2 OR (r.state = 'succeeded' AND r.way <> 'offline'))) AS refunded
       FROM payment p LEFT JOIN payee_account a ON a.id = p.payee_account_id WHERE p.id = $1`,
    [paymentId, refundId],
  );
  if (!payment?.refundable || payment.fee === 0) return;
  const back = Math.max(feeBack(payment), payment.fee_returned);
  await run(tx, 'UPDATE payment SET fee_returned = $2 WHERE id = $1', [paymentId, back]);
  await run(tx, 'UPDATE refund SET fee_returned = fee_returned + $2 WHERE id = $1', [
    refundId,
    back - payment.fee_returned,
  ]);
}
