import type { Day } from './calendar.rules.ts';

/** Order in which bills are paid, and what is paid first inside one. Source: group 06, Rules of charging 8. */
export type BillOrder = 'oldest_first' | 'other_before_property' | 'chosen';
export type WithinOrder = 'principal_first' | 'late_fee_first';

/** What a bill still asks for, in fen. */
export interface OpenBill {
  readonly id: number;
  readonly dueDate: Day;
  /** Kind of its item: management fees stand behind others of the same day under `other_before_property`. */
  readonly kind: string;
  /** Place of the item among items. */
  readonly position: number;
  readonly principal: number;
  readonly lateFee: number;
}

export interface Allocated {
  readonly billId: number;
  readonly kind: 'principal' | 'late_fee';
  readonly amount: number;
}

/** Bills in the order they are paid; `chosen` keeps the order they come in. */
export function inOrder<B extends OpenBill>(bills: readonly B[], order: BillOrder): B[] {
  if (order === 'chosen') return [...bills];
  const late = (bill: B) => (order === 'other_before_property' && bill.kind === 'management' ? 1 : 0);
  return [...bills].sort((a, b) =>
    a.dueDate !== b.dueDate
      ? a.dueDate < b.dueDate
        ? -1
        : 1
      : late(a) - late(b) || a.position - b.position || a.id - b.id,
  );
}

/** Spreads money over bills; `rest` is what no bill asks for. Amounts in fen. */
export function allocate(
  amount: number,
  bills: readonly OpenBill[],
  order: BillOrder,
  within: WithinOrder,
): { readonly parts: readonly Allocated[]; readonly rest: number } {
  const parts: Allocated[] = [];
  let rest = amount;
  const take = (billId: number, kind: Allocated['kind'], open: number) => {
    const part = Math.min(rest, open);
    if (part <= 0) return;
    parts.push({ billId, kind, amount: part });
    rest -= part;
  };
  for (const bill of inOrder(bills, order)) {
    if (within === 'principal_first') take(bill.id, 'principal', bill.principal);
    take(bill.id, 'late_fee', bill.lateFee);
    if (within === 'late_fee_first') take(bill.id, 'principal', bill.principal);
  }
  return { parts, rest };
}
