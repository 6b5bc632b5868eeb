import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import { bookTransfer, transferOf } from '../points-ledger/ledger-book.server.ts';

/** What happens to a deposit: money comes in, some is kept for a claim, the rest is given back. */
export type DepositMove = 'receive' | 'deduct' | 'return';

/** One booking of a deposit. */
export interface DepositBooking {
  readonly tenantId: number;
  readonly move: DepositMove;
  /** In fen, positive. */
  readonly amount: number;
  /** Voucher or decision it is booked for; the same one is booked once. */
  readonly reference: string;
  readonly staffId?: number | undefined;
  readonly note?: string | undefined;
}

/** Where the other half of each booking stands. */
const COUNTER = { receive: 'deposit_bank', deduct: 'deposit_kept', return: 'deposit_bank' } as const;

/** SQL: deposit of the merchant whose id is an expression, in fen. */
export const depositSql = (tenant: string): string =>
  `coalesce((SELECT l.balance FROM ledger_account l WHERE l.kind = 'merchant_deposit' AND l.owner = ${tenant}::text AND l.unit = 'fen'), 0)::bigint`;

/** Deposit of a merchant in fen. */
export async function depositOf(db: Executor, tenantId: number): Promise<number> {
  return (await runOne<{ held: number }>(db, `SELECT ${depositSql('$1')} AS held`, [tenantId]))!.held;
}

/**
 * Books money of a deposit behind the lock of its account and returns what is left; a reference booked before books nothing.
 * Throws 30101 where more would leave than is there.
 */
export async function bookDeposit(tx: Tx, booking: DepositBooking): Promise<number> {
  const { tenantId, move, amount, reference } = booking;
  if (!Number.isSafeInteger(amount) || amount <= 0) throw new Error(`a deposit of ${amount} fen`);
  const owner = String(tenantId);
  await run(
    tx,
    `INSERT INTO ledger_account (kind, owner, unit, balance) VALUES ('merchant_deposit', $1, 'fen', 0) ON CONFLICT (kind, owner, unit) DO NOTHING`,
    [owner],
  );
  const account = (await runOne<{ id: number; balance: number }>(
    tx,
    `SELECT id, balance FROM ledger_account WHERE kind = 'merchant_deposit' AND owner = $1 AND unit = 'fen' FOR UPDATE`,
    [owner],
  ))!;
  const source = { type: 'merchant_deposit', id: `${owner}:${reference}`, purpose: move };
  if (await transferOf(tx, source)) return account.balance;
  const change = move === 'receive' ? amount : -amount;
  if (account.balance + change < 0)
    throw ruleBroken([
      `保证金余额仅 ${yuanFromFen(account.balance)} 元`,
      `Only ${yuanFromFen(account.balance)} yuan of deposit are there`,
    ]);
  await bookTransfer(
    tx,
    source,
    'fen',
    [
      { account: account.id, amount: change },
      { account: COUNTER[move], amount: -change },
    ],
    { staffId: booking.staffId, note: booking.note },
  );
  return account.balance + change;
}
