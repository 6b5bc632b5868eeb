import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { bookTransfer, type LedgerSource } from '../points-ledger/ledger-book.server.ts';
import { PREPAID_KINDS, type PrepaidKind } from './bill-record.server.ts';

/** Other halves of what is booked with the money of houses: what came in, what bills took, what was given back, what was a gift. */
type Counter = 'fee_received' | 'fee_settled' | 'fee_returned' | 'fee_gift';

/** Prepaid money of a house by account, in fen. */
export type PrepaidBalances = Readonly<Record<PrepaidKind, number>>;

/** SQL of the balance of one prepaid account of a house, by a column that names it. */
export const prepaidSql = (house: string, kind: PrepaidKind): string =>
  `coalesce((SELECT l.balance FROM ledger_account l WHERE l.kind = 'prepaid_${kind}' AND l.owner = ${house}::text AND l.unit = 'fen'), 0)::bigint`;

/** Balances of a house. */
export async function prepaidOf(db: Executor, houseId: number): Promise<PrepaidBalances> {
  const kinds = Object.keys(PREPAID_KINDS) as PrepaidKind[];
  return (await runOne<PrepaidBalances>(
    db,
    `SELECT ${kinds.map((kind) => `${prepaidSql('$1', kind)} AS ${kind}`).join(', ')}`,
    [houseId],
  ))!;
}

/**
 * Money that was paid ahead into an account of a house and is still there, in fen. Gifts and what came from other accounts are not
 * paid out: bills take them first. What bills or other accounts gave back is again what they had taken.
 */
export async function paidAheadOf(db: Executor, houseId: number, kind: PrepaidKind): Promise<number> {
  const entries = await run<{ amount: number; by: 'paid' | 'gift' | 'bills' | 'other' }>(
    db,
    `SELECT e.amount, CASE WHEN c.kinds && '{fee_received}' THEN 'paid' WHEN c.kinds && '{fee_gift}' THEN 'gift' WHEN c.kinds && '{fee_settled}' THEN 'bills' ELSE 'other' END AS by
       FROM ledger_account l JOIN ledger_entry e ON e.account_id = l.id
       CROSS JOIN LATERAL (SELECT array_agg(k.kind) AS kinds FROM ledger_entry y JOIN ledger_account k ON k.id = y.account_id WHERE y.transfer_id = e.transfer_id) c
      WHERE l.kind = 'prepaid_' || $2 AND l.owner = $1 AND l.unit = 'fen' ORDER BY e.id`,
    [String(houseId), kind],
  );
  let [money, rest] = [0, 0];
  const taken = { bills: 0, other: 0 };
  for (const { amount, by } of entries) {
    if (by === 'paid') money += amount;
    else if (by === 'gift') rest += amount;
    else if (amount > 0) {
      const back = Math.min(amount, taken[by]);
      taken[by] -= back;
      money += back;
      rest += amount - back;
    } else {
      const first = Math.min(rest, -amount);
      rest -= first;
      money += amount + first;
      taken[by] += -amount - first;
    }
    // What one of them lacks the other has given.
    if (rest < 0) [money, rest] = [money + rest, 0];
    if (money < 0) [money, rest] = [0, rest + money];
  }
  return money;
}

/** Locks the prepaid accounts of a house, making them where they do not exist; ids and balances by kind. */
export async function lockPrepaid(
  tx: Tx,
  houseId: number,
): Promise<Record<PrepaidKind, { readonly id: number; readonly balance: number }>> {
  await run(
    tx,
    `INSERT INTO ledger_account (kind, owner, unit, balance) SELECT 'prepaid_' || k, $1, 'fen', 0 FROM unnest($2::text[]) k ON CONFLICT (kind, owner, unit) DO NOTHING`,
    [String(houseId), Object.keys(PREPAID_KINDS)],
  );
  const rows = await run<{ id: number; kind: string; balance: number }>(
    tx,
    `SELECT id, substr(kind, 9) AS kind, balance FROM ledger_account WHERE owner = $1 AND unit = 'fen' AND kind LIKE 'prepaid\\_%' ORDER BY kind FOR UPDATE`,
    [String(houseId)],
  );
  const found = (kind: PrepaidKind) => rows.find((one) => one.kind === kind)!;
  return {
    property_fee: found('property_fee'),
    utilities: found('utilities'),
    general: found('general'),
  };
}

/**
 * Books what a payment did with the money of a house: into bills, into a prepaid account, or out of one. `prepaid` is what an
 * account changes by, `settled` what bills took, `received` what came in from outside; in fen, they balance.
 */
export async function bookPayment(
  tx: Tx,
  source: LedgerSource,
  moved: {
    readonly received: number;
    readonly settled: number;
    readonly prepaid: readonly { readonly account: number; readonly amount: number }[];
  },
  staffId?: number,
): Promise<number> {
  return bookTransfer(
    tx,
    source,
    'fen',
    [
      { account: await counter(tx, 'fee_received'), amount: -moved.received },
      { account: await counter(tx, 'fee_settled'), amount: moved.settled },
      ...moved.prepaid,
    ],
    { staffId },
  );
}

/** Moves money between the prepaid accounts of one house. Throws 30101 when less is there. */
export async function movePrepaid(
  tx: Tx,
  houseId: number,
  move: { readonly from: PrepaidKind; readonly to: PrepaidKind; readonly amount: number },
  source: LedgerSource,
  staffId: number,
): Promise<void> {
  const accounts = await lockPrepaid(tx, houseId);
  if (move.from === move.to) throw ruleBroken(['请选择不同的预存类型', 'Choose another account']);
  if (accounts[move.from].balance < move.amount) throw tooLittle();
  await bookTransfer(
    tx,
    source,
    'fen',
    [
      { account: accounts[move.from].id, amount: -move.amount },
      { account: accounts[move.to].id, amount: move.amount },
    ],
    { staffId },
  );
}

/** Moves all prepaid money of a house to the same accounts of another; returns how much. Booked once for a source. */
export async function handOnPrepaid(
  tx: Tx,
  from: number,
  to: number,
  source: LedgerSource,
  staffId: number,
): Promise<number> {
  // In id order, so that two houses that are joined both ways never wait for each other in turn.
  const [first, second] = from < to ? [from, to] : [to, from];
  const locked = new Map([
    [first, await lockPrepaid(tx, first)],
    [second, await lockPrepaid(tx, second)],
  ]);
  const kinds = (Object.keys(PREPAID_KINDS) as PrepaidKind[]).filter(
    (kind) => locked.get(from)![kind].balance > 0,
  );
  if (kinds.length === 0) return 0;
  const amount = (kind: PrepaidKind) => locked.get(from)![kind].balance;
  await bookTransfer(
    tx,
    source,
    'fen',
    kinds.flatMap((kind) => [
      { account: locked.get(from)![kind].id, amount: -amount(kind) },
      { account: locked.get(to)![kind].id, amount: amount(kind) },
    ]),
    { staffId },
  );
  return kinds.reduce((sum, kind) => sum + amount(kind), 0);
}

/** Takes all prepaid money out of a house, to be paid back; returns how much. Booked once for a source. */
export async function returnPrepaid(
  tx: Tx,
  houseId: number,
  source: LedgerSource,
  staffId: number,
): Promise<number> {
  const held = Object.values(await lockPrepaid(tx, houseId)).filter((one) => one.balance > 0);
  const amount = held.reduce((sum, one) => sum + one.balance, 0);
  if (amount === 0) return 0;
  await bookTransfer(
    tx,
    source,
    'fen',
    [
      { account: await counter(tx, 'fee_returned'), amount },
      ...held.map((one) => ({ account: one.id, amount: -one.balance })),
    ],
    { staffId },
  );
  return amount;
}

/** Puts a gift into the general account of a house. Booked once for a source. */
export async function creditPrepaid(
  tx: Tx,
  houseId: number,
  amount: number,
  source: LedgerSource,
): Promise<void> {
  const accounts = await lockPrepaid(tx, houseId);
  await bookTransfer(tx, source, 'fen', [
    { account: await counter(tx, 'fee_gift'), amount: -amount },
    { account: accounts.general.id, amount },
  ]);
}

/** Takes a gift out of the general account again as far as it is there; returns how much. Booked once for a source. */
export async function takeCredit(
  tx: Tx,
  houseId: number,
  amount: number,
  source: LedgerSource,
): Promise<number> {
  const accounts = await lockPrepaid(tx, houseId);
  const taken = Math.min(amount, accounts.general.balance);
  if (taken > 0)
    await bookTransfer(tx, source, 'fen', [
      { account: await counter(tx, 'fee_gift'), amount: taken },
      { account: accounts.general.id, amount: -taken },
    ]);
  return taken;
}

/** The refusal of taking more than is there. */
export const tooLittle = () => ruleBroken(['预存余额不足', 'Not enough prepaid money']);

async function counter(tx: Tx, kind: Counter): Promise<number> {
  const find = () =>
    runOne<{ id: number }>(
      tx,
      `SELECT id FROM ledger_account WHERE kind = $1 AND owner = '' AND unit = 'fen'`,
      [kind],
    );
  const found = await find();
  if (found) return found.id;
  await run(
    tx,
    `INSERT INTO ledger_account (kind, owner, unit, may_be_negative) VALUES ($1, '', 'fen', true) ON CONFLICT (kind, owner, unit) DO NOTHING`,
    [kind],
  );
  return (await find())!.id;
}
