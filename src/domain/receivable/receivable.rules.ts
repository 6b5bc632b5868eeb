import { daysBetween } from '../../kernel/contract/time.rules.ts';

/** States of a receivable; the engine of receipts moves it between the first three. */
export type ReceivableState = 'open' | 'part' | 'paid' | 'written_off' | 'void';

/** Ways money comes in. */
export const METHODS = {
  cash: { label: ['现金', 'Cash'] },
  transfer: { label: ['银行转账', 'Bank transfer'] },
  pos: { label: ['POS 刷卡', 'POS'] },
  cheque: { label: ['支票', 'Cheque'] },
  alipay: { label: ['支付宝', 'Alipay'] },
  wechat: { label: ['微信', 'WeChat'] },
  prepaid: { label: ['余额抵扣', 'Prepaid balance'] },
} as const;

/** What a receivable was issued by. */
export const SOURCES = {
  package: { label: ['套餐订单', 'Package order'] },
  contract: { label: ['合同', 'Contract'] },
  decor: { label: ['美居订单', 'Decor order'] },
  decor_repair: { label: ['美居维修', 'Decor repair'] },
  manual: { label: ['手工录入', 'Manual'] },
} as const;

/** A line that still takes money; amounts are fen. */
export interface OpenLine {
  readonly id: number;
  readonly code: string;
  /** Business day. */
  readonly dueOn: string;
  readonly balance: number;
}

/** State of a line by its money: nothing owed any more is paid, also where the rest was let off. */
export function stateOf(received: number, total: number): 'open' | 'part' | 'paid' {
  return received === total ? 'paid' : received === 0 ? 'open' : 'part';
}

/**
 * Spreads an amount over lines: oldest due day first, then lower code; each takes at most its balance. Returns the parts above 0
 * and what is left for the prepaid account, in fen. Source: group 19, accountsConfirmEdit.
 */
export function allocate(
  amount: number,
  lines: readonly OpenLine[],
): { readonly parts: readonly { readonly id: number; readonly amount: number }[]; readonly rest: number } {
  const parts: { id: number; amount: number }[] = [];
  let rest = amount;
  for (const line of lines.toSorted(
    (a, b) => a.dueOn.localeCompare(b.dueOn) || a.code.localeCompare(b.code) || a.id - b.id,
  )) {
    const part = Math.min(rest, line.balance);
    if (part <= 0) continue;
    parts.push({ id: line.id, amount: part });
    rest -= part;
  }
  return { parts, rest };
}

/** Which part of a line an amount pays, in fen: principal first or charges first. */
export function splitPart(
  amount: number,
  owed: { readonly principal: number; readonly charge: number },
  order: 'principal_first' | 'charges_first',
): { readonly principal: number; readonly charge: number } {
  if (order === 'charges_first') {
    const charge = Math.min(amount, Math.max(0, owed.charge));
    return { charge, principal: amount - charge };
  }
  const principal = Math.min(amount, Math.max(0, owed.principal));
  return { principal, charge: amount - principal };
}

/** Whole days a line is late; 0 before and on its due day. */
export function overdueDays(dueOn: string, today: string): number {
  return Math.max(0, daysBetween(dueOn, today) - 1);
}

/**
 * Interest of a line in fen, floored: open principal × yearly basis points × days over 10,000 × 365, never past what the cap
 * leaves. `charged`: what stands on it already.
 */
export function interest(
  terms: { readonly principal: number; readonly bp: number; readonly days: number },
  cap: { readonly of: number; readonly bp: number; readonly charged: number },
): number {
  const full = Number((BigInt(terms.principal) * BigInt(terms.bp) * BigInt(terms.days)) / 3_650_000n);
  return Math.max(0, Math.min(full, Math.floor((cap.of * cap.bp) / 10_000) - cap.charged));
}

/** Column of an ageing table a day falls into: 0 is not due yet, the last one above the highest limit. `limits` rise. */
export function bucketOf(day: string, asOf: string, limits: readonly number[]): number {
  const late = daysBetween(day, asOf) - 1;
  if (late <= 0) return 0;
  const at = limits.findIndex((limit) => late <= limit);
  return at < 0 ? limits.length + 1 : at + 1;
}

/** Names of the columns: not due, 1–30, 31–60, …, above the highest limit. */
export function bucketNames(limits: readonly number[]): readonly string[] {
  return [
    '0',
    ...limits.map((limit, index) => `${(limits[index - 1] ?? 0) + 1}–${limit}`),
    `>${limits.at(-1) ?? 0}`,
  ];
}
