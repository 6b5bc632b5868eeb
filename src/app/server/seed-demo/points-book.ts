import { businessDayOf, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { insertRows, type Runner, takeIds } from './insert-rows.ts';
import type { Keyed } from './world.ts';

/** Points an order holds or has spent, by lot in the order of spending. */
export interface PointsHold {
  readonly memberId: number;
  readonly order: Keyed;
  readonly amount: number;
  readonly parts: readonly { readonly lot: Lot; readonly amount: number }[];
  readonly uses: readonly LotUse[];
}

/** Books points as the ledger's functions do and keeps transfers, entries, lots and their uses. Source: group 22. */
export class PointsBook {
  readonly #members = new Map<number, Account>();
  readonly #transfers: Transfer[] = [];
  readonly #entries: Entry[] = [];
  readonly #lots: Lot[] = [];
  readonly #uses: LotUse[] = [];
  /** What counts for the grade of each member. */
  readonly #growth = new Map<number, number>();
  #granted = 0;

  /** Points a member can spend now. */
  available(memberId: number): number {
    return this.#members.get(memberId)?.available ?? 0;
  }

  /** Issues points in a lot of their own that ends with the twelfth month after this one. */
  grant(
    memberId: number,
    amount: number,
    at: number,
    source: { id: string; purpose: string; note: string },
  ): void {
    const transfer = this.#transfer(memberId, 'points_grant', source.id, source.purpose, at, source.note);
    if (COUNTED.has(source.purpose)) {
      transfer.countsForGrade = true;
      this.#growth.set(memberId, (this.#growth.get(memberId) ?? 0) + amount);
    }
    this.#book(transfer, 'points_budget', null, -amount);
    this.#granted += amount;
    this.#book(transfer, 'points_available', memberId, amount);
    const lot: Lot = {
      memberId,
      amount,
      remaining: amount,
      held: 0,
      grantedAt: at,
      expiresAt: expiryOf(at),
      transfer,
      index: this.#lots.length,
    };
    this.#lots.push(lot);
    this.#account(memberId).lots.push(lot);
  }

  /** Available → held; the lot that ends first goes first. */
  hold(memberId: number, amount: number, at: number, order: Keyed): PointsHold {
    const transfer = this.#transfer(memberId, 'sales_order', order, 'hold', at);
    this.#book(transfer, 'points_available', memberId, -amount);
    this.#book(transfer, 'points_held', memberId, amount);
    const lots = this.#account(memberId).lots.filter((lot) => lot.remaining > 0);
    lots.sort((a, b) => a.expiresAt - b.expiresAt || a.grantedAt - b.grantedAt || a.index - b.index);
    let missing = amount;
    const parts: { lot: Lot; amount: number }[] = [];
    for (const lot of lots) {
      const part = Math.min(missing, lot.remaining);
      if (part === 0) break;
      lot.remaining -= part;
      lot.held += part;
      missing -= part;
      parts.push({ lot, amount: part });
    }
    if (missing > 0) throw new Error(`Member ${memberId} has not enough points`);
    return { memberId, order, amount, parts, uses: this.#use(transfer, parts, 'hold') };
  }

  /** Held → available, back into the same lots. */
  release(hold: PointsHold, at: number): void {
    const transfer = this.#transfer(hold.memberId, 'sales_order', hold.order, 'release', at);
    this.#book(transfer, 'points_held', hold.memberId, -hold.amount);
    this.#book(transfer, 'points_available', hold.memberId, hold.amount);
    for (const { lot, amount } of hold.parts) {
      lot.held -= amount;
      lot.remaining += amount;
    }
    for (const use of hold.uses) use.returned = use.amount;
    this.#use(transfer, hold.parts, 'release');
  }

  /** Held → redeemed; the uses of the capture are what refunds go back to. */
  capture(hold: PointsHold, at: number): PointsHold {
    const transfer = this.#transfer(hold.memberId, 'sales_order', hold.order, 'capture', at);
    this.#book(transfer, 'points_held', hold.memberId, -hold.amount);
    this.#book(transfer, 'points_redeemed', null, hold.amount);
    for (const { lot, amount } of hold.parts) lot.held -= amount;
    for (const use of hold.uses) use.returned = use.amount;
    return { ...hold, uses: this.#use(transfer, hold.parts, 'capture') };
  }

  /** Redeemed → available: the lot used last gets its points back first. */
  refund(spent: PointsHold, amount: number, at: number, refund: Keyed): void {
    const transfer = this.#transfer(spent.memberId, 'refund', refund, 'refund', at);
    this.#book(transfer, 'points_redeemed', null, -amount);
    this.#book(transfer, 'points_available', spent.memberId, amount);
    let missing = amount;
    const parts: { lot: Lot; amount: number }[] = [];
    for (const use of [...spent.uses].reverse()) {
      const part = Math.min(missing, use.amount - use.returned);
      if (part === 0) continue;
      use.returned += part;
      use.lot.remaining += part;
      missing -= part;
      parts.push({ lot: use.lot, amount: part });
    }
    if (missing > 0) throw new Error('More points back than were used');
    this.#use(transfer, parts, 'refund');
  }

  /** Writes everything booked. */
  async write(client: Runner): Promise<void> {
    const accounts = await this.#writeAccounts(client);
    const budget = await this.#loadBudget(client);
    const firstTransfer = await takeIds(client, 'ledger_transfer', this.#transfers.length);
    const firstLot = await takeIds(client, 'points_lot', this.#lots.length);
    await insertRows(
      client,
      'ledger_transfer',
      this.#transfers.map((transfer) => ({
        id: firstTransfer + transfer.index,
        source_type: transfer.sourceType,
        source_id: typeof transfer.source === 'string' ? transfer.source : String(transfer.source.id),
        purpose: transfer.purpose,
        at: new Date(transfer.at),
        note: transfer.note,
        member_id: transfer.memberId,
        budget_id: transfer.sourceType === 'points_grant' ? budget.id : null,
        counts_for_grade: transfer.countsForGrade,
      })),
    );
    await insertRows(
      client,
      'member_grade',
      [...this.#growth].map(([memberId, basis]) => ({ member_id: memberId, basis })),
    );
    let left = budget.left + this.#granted;
    await insertRows(
      client,
      'ledger_entry',
      this.#entries.map((entry) => ({
        transfer_id: firstTransfer + entry.transfer.index,
        account_id:
          entry.kind === 'points_budget'
            ? budget.accountId
            : accounts.get(`${entry.kind} ${entry.memberId ?? ''}`),
        amount: entry.amount,
        balance_after: entry.kind === 'points_budget' ? (left += entry.amount) : entry.balanceAfter,
      })),
    );
    await insertRows(
      client,
      'points_lot',
      this.#lots.map((lot) => ({
        id: firstLot + lot.index,
        account_id: accounts.get(`points_available ${lot.memberId}`),
        amount: lot.amount,
        remaining: lot.remaining,
        held: lot.held,
        granted_at: new Date(lot.grantedAt),
        expires_at: new Date(lot.expiresAt),
        transfer_id: firstTransfer + lot.transfer.index,
        budget_id: budget.id,
      })),
    );
    await insertRows(
      client,
      'points_lot_use',
      this.#uses.map((use) => ({
        transfer_id: firstTransfer + use.transfer.index,
        lot_id: firstLot + use.lot.index,
        seq: use.seq,
        amount: use.amount,
        kind: use.kind,
        returned: use.returned,
      })),
    );
  }

  /** The first budget is loaded with what is given here, so that its own points stay; returns what it held before. */
  async #loadBudget(client: Runner): Promise<{ id: string; accountId: string; left: number }> {
    const { rows } = await client.query<{ id: string; account_id: string; balance: string }>(
      `SELECT b.id, b.account_id, a.balance FROM points_budget b JOIN ledger_account a ON a.id = b.account_id ORDER BY b.id LIMIT 1`,
    );
    const [budget] = rows;
    if (!budget) throw new Error('There is no points budget');
    const left = Number(budget.balance);
    if (this.#granted > 0)
      await client.query(
        `WITH transfer AS (
           INSERT INTO ledger_transfer (source_type, source_id, purpose, note) VALUES ('points_budget', $1, 'load:demo', '演示数据') RETURNING id)
         INSERT INTO ledger_entry (transfer_id, account_id, amount, balance_after)
         SELECT transfer.id, a.id, CASE a.kind WHEN 'points_issue' THEN -$3::bigint ELSE $3::bigint END,
                CASE a.kind WHEN 'points_issue' THEN NULL ELSE $4::bigint + $3::bigint END
           FROM transfer, ledger_account a WHERE a.id = $2 OR (a.kind = 'points_issue' AND a.owner = '' AND a.unit = 'point')`,
        [budget.id, budget.account_id, this.#granted, left],
      );
    return { id: budget.id, accountId: budget.account_id, left };
  }

  /** System accounts keep no balance and may exist already. */
  async #writeAccounts(client: Runner): Promise<Map<string, string>> {
    const system = [
      { kind: 'points_issue', owner: '', unit: 'point', may_be_negative: true },
      { kind: 'points_redeemed', owner: '', unit: 'point', may_be_negative: false },
    ];
    await insertRows(client, 'ledger_account', system, 'ON CONFLICT (kind, owner, unit) DO NOTHING');
    const members = [...this.#members].flatMap(([memberId, account]) => [
      { kind: 'points_available', owner: String(memberId), unit: 'point', balance: account.available },
      { kind: 'points_held', owner: String(memberId), unit: 'point', balance: account.held },
    ]);
    await insertRows(client, 'ledger_account', members);
    const { rows } = await client.query<{ id: string; kind: string; owner: string }>(
      `SELECT id, kind, owner FROM ledger_account WHERE unit = 'point'`,
    );
    return new Map(rows.map((row) => [`${row.kind} ${row.owner}`, row.id]));
  }

  #account(memberId: number): Account {
    let account = this.#members.get(memberId);
    if (!account) this.#members.set(memberId, (account = { available: 0, held: 0, lots: [] }));
    return account;
  }

  #transfer(
    memberId: number,
    sourceType: string,
    source: string | Keyed,
    purpose: string,
    at: number,
    note = '',
  ): Transfer {
    const transfer = {
      index: this.#transfers.length,
      memberId,
      sourceType,
      source,
      purpose,
      at,
      note,
      countsForGrade: false,
    };
    this.#transfers.push(transfer);
    return transfer;
  }

  #book(transfer: Transfer, kind: AccountKind, memberId: number | null, amount: number): void {
    let balanceAfter: number | null = null;
    if (memberId !== null) {
      const account = this.#account(memberId);
      if (kind === 'points_available') balanceAfter = account.available += amount;
      else balanceAfter = account.held += amount;
      if (balanceAfter < 0) throw new Error(`${kind} of member ${memberId} below zero`);
    }
    this.#entries.push({ transfer, kind, memberId, amount, balanceAfter });
  }

  #use(transfer: Transfer, parts: readonly { lot: Lot; amount: number }[], kind: LotUse['kind']): LotUse[] {
    const uses = parts.map(({ lot, amount }, index) => ({
      transfer,
      lot,
      seq: index + 1,
      amount,
      kind,
      returned: 0,
    }));
    this.#uses.push(...uses);
    return uses;
  }
}

type AccountKind = 'points_budget' | 'points_available' | 'points_held' | 'points_redeemed';

interface Account {
  available: number;
  held: number;
  readonly lots: Lot[];
}

interface Transfer {
  readonly index: number;
  readonly memberId: number;
  readonly sourceType: string;
  readonly source: string | Keyed;
  readonly purpose: string;
  readonly at: number;
  readonly note: string;
  countsForGrade: boolean;
}

/** Grants that count for grades, as `grade.count_kinds` has it; what staff give does not. */
const COUNTED: ReadonlySet<string> = new Set(['purchase', 'sign_in']);

interface Entry {
  readonly transfer: Transfer;
  readonly kind: AccountKind;
  readonly memberId: number | null;
  readonly amount: number;
  readonly balanceAfter: number | null;
}

interface Lot {
  readonly index: number;
  readonly memberId: number;
  readonly amount: number;
  remaining: number;
  held: number;
  readonly grantedAt: number;
  readonly expiresAt: number;
  readonly transfer: Transfer;
}

interface LotUse {
  readonly transfer: Transfer;
  readonly lot: Lot;
  readonly seq: number;
  readonly amount: number;
  readonly kind: 'hold' | 'release' | 'capture' | 'refund';
  returned: number;
}

/** 23:59:59 of the last day of the month twelve months after the month of granting. Source: group 22, rule 3. */
function expiryOf(at: number): number {
  const [year, month] = businessDayOf(new Date(at)).split('-').map(Number) as [number, number];
  const next = month === 12 ? `${year + 2}-01-01` : `${year + 1}-${String(month + 1).padStart(2, '0')}-01`;
  return startOfBusinessDay(next).getTime() - 1_000;
}
