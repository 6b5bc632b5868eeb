import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import type { DecorationDepositMove } from './decoration.rules.ts';
import { bookTransfer, transferOf } from '../points-ledger/ledger-book.server.ts';

const COUNTER = { receive: 'deposit_bank', deduct: 'deposit_kept', return: 'deposit_bank' } as const;

/** SQL: deposit of an application, whose id is an expression, in fen. */
export const decorationDepositSql = (application: string): string =>
  `coalesce((SELECT l.balance FROM ledger_account l WHERE l.kind = 'deco_deposit' AND l.owner = ${application}::text AND l.unit = 'fen'), 0)::bigint`;

/** One booking of a deposit. */
export interface DecorationDepositBooking {
  readonly applicationId: number;
  readonly move: DecorationDepositMove;
  /** In fen, positive. */
  readonly amount: number;
  /** What it is booked for; the same is booked once. */
  readonly reference: string;
  readonly staffId?: number | undefined;
  readonly note?: string | undefined;
  readonly at?: Date | undefined;
}

/**
 * Books money of a deposit behind the lock of its account and returns what is left; a reference booked before books nothing.
 * Throws 30101 where more would leave than is there.
 */
export async function bookDecorationDeposit(tx: Tx, booking: DecorationDepositBooking): Promise<number> {
  const { applicationId, move, amount, reference } = booking;
  if (!Number.isSafeInteger(amount) || amount <= 0) throw new Error(`a deposit of ${amount} fen`);
  const owner = String(applicationId);
  await run(
    tx,
    `INSERT INTO ledger_account (kind, owner, unit, balance) VALUES ('deco_deposit', $1, 'fen', 0) ON CONFLICT (kind, owner, unit) DO NOTHING`,
    [owner],
  );
  const account = (await runOne<{ id: number; balance: number }>(
    tx,
    `SELECT id, balance FROM ledger_account WHERE kind = 'deco_deposit' AND owner = $1 AND unit = 'fen' FOR UPDATE`,
    [owner],
  ))!;
  const source = { type: 'deco_deposit', id: `${owner}:${reference}`, purpose: move };
  if (await transferOf(tx, source)) return account.balance;
  const change = move === 'receive' ? amount : -amount;
  if (account.balance + change < 0)
    throw ruleBroken([
      `押金余额仅${yuanFromFen(account.balance)}元`,
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
    { staffId: booking.staffId, note: booking.note, at: booking.at },
  );
  return account.balance + change;
}

/** A line of the statement of a deposit, in fen. */
export interface DepositLine {
  readonly id: number;
  readonly at: Date;
  readonly move: DecorationDepositMove;
  readonly amount: number;
  readonly balance: number;
  readonly note: string;
  readonly by: string | null;
}

/** The statement of an application's deposit, oldest first. */
export function depositLinesOf(db: Executor, applicationId: number): Promise<DepositLine[]> {
  return run<DepositLine>(
    db,
    `SELECT e.id, f.at, f.purpose AS move, e.amount, e.balance_after AS balance, f.note, s.name AS by
       FROM ledger_account a JOIN ledger_entry e ON e.account_id = a.id JOIN ledger_transfer f ON f.id = e.transfer_id LEFT JOIN staff s ON s.id = f.staff_id
      WHERE a.kind = 'deco_deposit' AND a.owner = $1 AND a.unit = 'fen' ORDER BY e.id`,
    [String(applicationId)],
  );
}
