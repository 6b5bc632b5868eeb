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

const sourceOf = ({
  tenantId,
  move,
  reference,
}: Pick<DepositBooking, 'tenantId' | 'move' | 'reference'>) => ({
  type: 'merchant_deposit',
  id: `${tenantId}:${reference}`,
  purpose: move,
});

/** Whether a reference is booked itself: vouchers were, before entries of deposits had numbers of their own. */
export async function isBooked(
  tx: Tx,
  booking: Pick<DepositBooking, 'tenantId' | 'move' | 'reference'>,
): Promise<boolean> {
  return (await transferOf(tx, sourceOf(booking))) !== undefined;
}

/** Deposit of a merchant in fen. */
export async function depositOf(db: Executor, tenantId: number): Promise<number> {
  return (await runOne<{ held: number }>(db, `SELECT ${depositSql('$1')} AS held`, [tenantId]))!.held;
}

/**
 * Books money of a deposit behind the lock of its account and returns what is left; a reference booked before books nothing.
 * Throws 30101 where more would leave than is there.
 */
export async function bookDeposit(tx: Tx, booking: DepositBooking): Promise<number> {
  const { tenantId, move, amount } = booking;
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
  const source = sourceOf(booking);
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

/** SQL: what the agreement in force asks of the merchant `t`, in fen. */
export const DEPOSIT_ASKED = `coalesce((SELECT f.deposit FROM merchant_agreement f WHERE f.tenant_id = t.id AND f.state IN ('active', 'superseded', 'expired')
  AND f.effective_from <= now() AND (f.effective_to IS NULL OR f.effective_to > now()) LIMIT 1), 0)`;

/** Notes since when deposits are short, and forgets it where they are not. Returns merchants whose grace ends on this day. */
export async function noteShortDeposits(
  tx: Tx,
  graceDays: number,
): Promise<{ id: number; account: string; name: string }[]> {
  await run(
    tx,
    `UPDATE tenant t SET deposit_short_since = CASE WHEN s.short THEN coalesce(t.deposit_short_since, s.today) END
       FROM (SELECT t.id, ${depositSql('t.id')} < ${DEPOSIT_ASKED} AND t.merchant_state IN ('operating', 'suspended') AS short,
                    (now() AT TIME ZONE 'Asia/Shanghai')::date AS today FROM tenant t WHERE t.kind = 2) s
      WHERE s.id = t.id AND s.short IS DISTINCT FROM (t.deposit_short_since IS NOT NULL)`,
  );
  return run(
    tx,
    `SELECT id, account, name FROM tenant WHERE deposit_short_since = (now() AT TIME ZONE 'Asia/Shanghai')::date - $1::int - 1 ORDER BY id`,
    [graceDays],
  );
}

/** Refuses (30101) new goods of a merchant whose deposit has been short for longer than the grace. */
export async function requireDeposit(db: Executor, tenantId: number, graceDays: number): Promise<void> {
  const short = await runOne(
    db,
    `SELECT FROM tenant t WHERE t.id = $1 AND t.deposit_short_since < (now() AT TIME ZONE 'Asia/Shanghai')::date - $2::int
        AND ${depositSql('t.id')} < ${DEPOSIT_ASKED}`,
    [tenantId, graceDays],
  );
  if (short)
    throw ruleBroken([
      '商户保证金不足且已过宽限期，暂不能发布新商品',
      'The deposit of the merchant has been short for too long: no new goods for now',
    ]);
}
