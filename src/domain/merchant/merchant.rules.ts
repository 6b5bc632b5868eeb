import type { Label } from '../../kernel/contract/label.ts';

/** A band of postage in fen: from `start` on, below `end`; the last has no end. */
export interface Band {
  readonly start: number;
  readonly end: number | null;
}

/** What is wrong with postage bands in their order; undefined for none. Source: group 03, postage bands. */
export function bandProblem(bands: readonly Band[]): Label | undefined {
  for (const [index, band] of bands.entries()) {
    const expected = index === 0 ? 0 : bands[index - 1]!.end;
    const last = index === bands.length - 1;
    const open = band.end === null;
    if (band.start !== expected || open !== last || (!open && band.end <= band.start))
      return [`第 ${index + 1} 行区间不连续`, `Band ${index + 1} is not contiguous`];
  }
  return undefined;
}

/** Postage in fen of a goods amount; nothing where no band is agreed. */
export function postageOf(amount: number, bands: readonly (Band & { readonly postage: number })[]): number {
  return bands.find((band) => band.start <= amount && (band.end === null || amount < band.end))?.postage ?? 0;
}

const WEIGHTS = [1, 3, 9, 27, 19, 26, 16, 17, 20, 29, 25, 13, 8, 24, 10, 30, 28];
const LETTERS = '0123456789ABCDEFGHJKLMNPQRTUWXY';

/** Whether a text is a unified social credit code with its check digit. Source: GB 32100-2015. */
export function isCreditCode(text: string): boolean {
  if (!/^[0-9A-HJ-NPQRTUWXY]{18}$/.test(text)) return false;
  const sum = WEIGHTS.reduce((total, weight, index) => total + weight * LETTERS.indexOf(text[index]!), 0);
  return LETTERS[(31 - (sum % 31)) % 31] === text[17];
}

/** What a merchant still needs before it opens. Source: group 03, states. */
export interface Checklist {
  readonly agreement: boolean;
  readonly licence: boolean;
  readonly payee: boolean;
  readonly deposit: boolean;
  readonly project: boolean;
  readonly business: boolean;
  readonly staff: boolean;
}

/** Items of the checklist in words. */
export const CHECKLIST_ITEMS: Readonly<Record<keyof Checklist, Label>> = {
  agreement: ['生效中的协议', 'an agreement in force'],
  licence: ['有效的营业执照', 'a valid business licence'],
  payee: ['已验证的收款账户', 'a verified payee account'],
  deposit: ['保证金', 'the deposit'],
  project: ['项目', 'a project'],
  business: ['业务', 'a business'],
  staff: ['启用的员工', 'an enabled staff'],
};

/** The checklist in its order, each item with whether it is there. */
export const checklistItems = (
  list: Checklist,
): readonly { readonly label: Label; readonly done: boolean }[] =>
  Object.entries(CHECKLIST_ITEMS).map(([name, label]) => ({ label, done: list[name as keyof Checklist] }));

/** Why a merchant cannot open yet; undefined when nothing is missing. */
export function checklistProblem(list: Checklist): Label | undefined {
  const missing = (Object.keys(CHECKLIST_ITEMS) as (keyof Checklist)[]).filter((name) => !list[name]);
  if (missing.length === 0) return undefined;
  return [
    `还缺：${missing.map((name) => CHECKLIST_ITEMS[name][0]).join('、')}`,
    `Missing: ${missing.map((name) => CHECKLIST_ITEMS[name][1]).join(', ')}`,
  ];
}

/** What a sale of an amount in fen leaves: commission in basis points, channel fee in millionths, half a fen rounded up. */
export function netOf(
  amount: number,
  commissionBp: number,
  feePpm: number,
): { readonly commission: number; readonly fee: number; readonly net: number } {
  const commission = Math.floor((amount * commissionBp + 5_000) / 10_000);
  const fee = Math.floor((amount * feePpm + 500_000) / 1_000_000);
  return { commission, fee, net: amount - commission - fee };
}
