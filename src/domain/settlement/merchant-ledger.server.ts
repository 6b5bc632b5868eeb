import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import {
  bookTransfer,
  transferOf,
  type Posting,
  type SettlementAccount,
} from '../points-ledger/ledger-book.server.ts';

/** Accounts of one merchant: what is owed to it may fall below zero, the others may not. */
export type MerchantAccount =
  'merchant_payable' | 'merchant_transit' | 'merchant_wallet' | 'merchant_wallet_frozen' | 'merchant_deposit';

/** One transfer of a merchant's money. */
export interface MoneyTransfer {
  readonly tenantId: number;
  /** Booked once per source and purpose. */
  readonly source: { readonly type: string; readonly id: number | string; readonly purpose: string };
  /** What each account gains, in fen; together nothing. */
  readonly postings: Readonly<Partial<Record<MerchantAccount | SettlementAccount, number>>>;
  readonly staffId?: number | undefined;
  readonly note?: string;
  readonly at?: Date | undefined;
}

const OWN: readonly string[] = [
  'merchant_payable',
  'merchant_transit',
  'merchant_wallet',
  'merchant_wallet_frozen',
  'merchant_deposit',
];

/** Locks an account of a merchant, making it where there is none. */
async function accountOf(tx: Tx, tenantId: number, kind: string): Promise<number> {
  await run(
    tx,
    `INSERT INTO ledger_account (kind, owner, unit, balance, may_be_negative) VALUES ($1, $2, 'fen', 0, $3) ON CONFLICT (kind, owner, unit) DO NOTHING`,
    [kind, String(tenantId), kind === 'merchant_payable'],
  );
  const row = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM ledger_account WHERE kind = $1 AND owner = $2 AND unit = 'fen' FOR UPDATE`,
    [kind, String(tenantId)],
  );
  return row!.id;
}

/** Books a transfer behind the locks of the merchant's accounts; false when its source was booked before. */
export async function bookMoney(tx: Tx, transfer: MoneyTransfer): Promise<boolean> {
  const source = { ...transfer.source, id: String(transfer.source.id) };
  const parts = Object.entries(transfer.postings)
    .filter(([, amount]) => amount !== 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const postings: Posting[] = [];
  for (const [kind, amount] of parts)
    postings.push({
      account: OWN.includes(kind)
        ? await accountOf(tx, transfer.tenantId, kind)
        : (kind as SettlementAccount),
      amount: amount!,
    });
  if (await transferOf(tx, source)) return false;
  await bookTransfer(tx, source, 'fen', postings, {
    staffId: transfer.staffId,
    note: transfer.note,
    at: transfer.at,
  });
  return true;
}

/** Balance of an account of a merchant in fen. */
export async function balanceOf(db: Executor, tenantId: number, kind: MerchantAccount): Promise<number> {
  const row = await runOne<{ balance: number }>(
    db,
    `SELECT balance FROM ledger_account WHERE kind = $1 AND owner = $2 AND unit = 'fen'`,
    [kind, String(tenantId)],
  );
  return row?.balance ?? 0;
}
