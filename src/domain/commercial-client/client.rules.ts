import { addDays } from '../../kernel/contract/time.rules.ts';

/** Stages a client goes along, in order; signed follows from its contracts alone. */
export const STAGES = ['lead', 'contacted', 'viewing', 'negotiating', 'signed'] as const;
export type Stage = (typeof STAGES)[number];

/** Most clients of one person, claims of a day, days until an own released one may be claimed again, and locks. */
export const LIMITS = { claims: 10, reclaimDays: 7, locked: 10, warnDays: 3 } as const;

/** What keeps a client from going to a stage; undefined where nothing does. */
export type StageProblem = 'signed' | 'same' | 'skips' | 'reason' | 'viewing';

/** Whether a client may go from one stage to another. Source: group 20, customerList, stages. */
export function stageProblem(
  from: Stage,
  to: Stage,
  facts: { readonly reason: string; readonly viewed: boolean },
): StageProblem | undefined {
  if (to === 'signed') return 'signed';
  const step = STAGES.indexOf(to) - STAGES.indexOf(from);
  if (step === 0) return 'same';
  if (step > 2) return 'skips';
  if (step < 0 && facts.reason.trim() === '') return 'reason';
  if (to === 'viewing' && !facts.viewed) return 'viewing';
  return undefined;
}

const ENDS = /(股份有限公司|有限责任公司|有限公司|公司|集团|个体工商户|co\.?,?\s*ltd\.?|ltd\.?|inc\.?)$/;

/** A name as alike ones are found by: lower case, without spaces, brackets and what companies end with. */
export function plainName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[\s()（）【】[\]·.,，。-]/g, '')
    .replace(ENDS, '');
}

const WEIGHTS = [1, 3, 9, 27, 19, 26, 16, 17, 20, 29, 25, 13, 8, 24, 10, 30, 28];
const LETTERS = '0123456789ABCDEFGHJKLMNPQRTUWXY';

/** Whether a licence number has its 18 characters and the check character that follows from them (GB 32100). */
export function isLicence(text: string): boolean {
  if (!/^[0-9A-HJ-NPQRTUWXY]{18}$/.test(text)) return false;
  const sum = WEIGHTS.reduce((total, weight, index) => total + weight * LETTERS.indexOf(text[index]!), 0);
  return LETTERS[(31 - (sum % 31)) % 31] === text[17];
}

/**
 * The business day a client goes to the pool: so many days after the last follow-up, and so many after it became the owner's.
 * Days are business days.
 */
export function poolDay(
  facts: { readonly assignedOn: string; readonly followedOn: string | null },
  days: { readonly noFollow: number; readonly noDeal: number },
): string {
  const from =
    facts.followedOn !== null && facts.followedOn > facts.assignedOn ? facts.followedOn : facts.assignedOn;
  const follow = addDays(from, days.noFollow);
  const deal = addDays(facts.assignedOn, days.noDeal);
  return follow < deal ? follow : deal;
}

/** How alike two plain names are: shared pairs of letters, 0 to 1. */
export function likeness(a: string, b: string): number {
  if (a === b) return 1;
  const pairs = (text: string) =>
    new Set(Array.from(text, (letter, index) => letter + (text[index + 1] ?? '')).slice(0, -1));
  const [left, right] = [pairs(a), pairs(b)];
  if (left.size + right.size === 0) return 0;
  const shared = [...left].filter((pair) => right.has(pair)).length;
  return (2 * shared) / (left.size + right.size);
}
