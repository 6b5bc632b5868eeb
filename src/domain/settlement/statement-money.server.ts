import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { bookMoney } from './merchant-ledger.server.ts';

/** A statement's sums as the ledger takes them, in fen. */
interface Sums {
  readonly tenant_id: number;
  readonly cash: number;
  readonly subsidy: number;
  readonly commission: number;
  readonly channel_fee: number;
  readonly adjustments: number;
  readonly accrual: number;
}

/** What a booking may say besides. */
export interface Booked {
  readonly staffId?: number | undefined;
  readonly at?: Date | undefined;
}

/**
 * What is owed to the merchant by a statement that is being confirmed; its adjustments are booked with it. What it carried in is
 * owed already. Source: group 13, rule 6.
 */
export async function bookConfirmed(tx: Tx, statementId: number, more: Booked = {}): Promise<void> {
  const sums = await sumsOf(tx, statementId);
  await bookMoney(tx, {
    tenantId: sums.tenant_id,
    source: { type: 'statement', id: statementId, purpose: 'confirm' },
    postings: postingsOf(sums, 1),
    ...more,
  });
  await run(
    tx,
    `UPDATE statement_adjustment a SET state = 'booked', version = a.version + 1, updated_at = now()
       FROM statement_line l WHERE l.statement_id = $1 AND l.active AND l.source_type = 'statement_adjustment' AND a.id = l.source_id AND a.state = 'approved'`,
    [statementId],
  );
}

/** The exact reverse of the confirmation; its adjustments wait for another statement. */
export async function bookVoided(tx: Tx, statementId: number, more: Booked = {}): Promise<void> {
  const sums = await sumsOf(tx, statementId);
  await bookMoney(tx, {
    tenantId: sums.tenant_id,
    source: { type: 'statement', id: statementId, purpose: 'void' },
    postings: postingsOf(sums, -1),
    ...more,
  });
  await run(
    tx,
    `UPDATE statement_adjustment a SET state = 'approved', version = a.version + 1, updated_at = now()
       FROM statement_line l WHERE l.statement_id = $1 AND l.active AND l.source_type = 'statement_adjustment' AND a.id = l.source_id AND a.state = 'booked'`,
    [statementId],
  );
}

/** Money on its way out of what is owed: by a transfer that a cashier made, or a payout; `source` names it. */
export const bookPaying = (tx: Tx, payment: Paid): Promise<void> =>
  move(tx, payment, 'pay', 'merchant_payable', 'merchant_transit');

/** It arrived. */
export const bookArrived = (tx: Tx, payment: Paid): Promise<void> =>
  move(tx, payment, 'paid', 'merchant_transit', 'settlement_bank');

/** It came back: it is owed again. */
export const bookReturned = (tx: Tx, payment: Paid): Promise<void> =>
  move(tx, payment, 'failed', 'merchant_transit', 'merchant_payable');

/** It stands in the merchant's wallet, which the merchant draws from. */
export const bookToWallet = (tx: Tx, payment: Paid): Promise<void> =>
  move(tx, payment, 'wallet', 'merchant_payable', 'merchant_wallet');

type Account = 'merchant_payable' | 'merchant_transit' | 'merchant_wallet' | 'settlement_bank';

async function move(tx: Tx, payment: Paid, purpose: string, from: Account, to: Account): Promise<void> {
  await bookMoney(tx, {
    tenantId: payment.tenantId,
    source: { ...payment.source, purpose },
    postings: { [from]: -payment.amount, [to]: payment.amount },
    staffId: payment.staffId,
    at: payment.at,
  });
}

/** A payment to a merchant. */
export interface Paid extends Booked {
  readonly tenantId: number;
  readonly amount: number;
  readonly source: { readonly type: 'statement' | 'payout'; readonly id: number };
}

async function sumsOf(tx: Tx, id: number): Promise<Sums> {
  return (await runOne<Sums>(
    tx,
    'SELECT tenant_id, cash, subsidy, commission, channel_fee, adjustments, accrual FROM statement WHERE id = $1',
    [id],
  ))!;
}

const postingsOf = (sums: Sums, sign: 1 | -1) => ({
  settlement_source: -sign * sums.cash,
  subsidy_expense: -sign * sums.subsidy,
  commission_income: sign * sums.commission,
  channel_fee_recovered: sign * sums.channel_fee,
  settlement_adjustment: -sign * sums.adjustments,
  merchant_payable: sign * sums.accrual,
});
