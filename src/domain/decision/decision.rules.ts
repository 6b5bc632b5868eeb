import type { Label } from '../../kernel/contract/label.ts';

/** What a house says. */
export const BALLOT_CHOICES = {
  disagree: { label: ['不同意', 'Disagree'], tone: 'error', code: 0 },
  agree: { label: ['同意', 'Agree'], tone: 'success', code: 1 },
  abstain: { label: ['弃权', 'Abstain'], tone: 'default', code: 2 },
} as const;

/** A fraction something must reach; strict: exceed. */
export interface Share {
  readonly over: number;
  readonly under: number;
  readonly strict: boolean;
}

/** A rule by houses and by area. */
export interface Shares {
  readonly count: Share;
  readonly area: Share;
}

/** Houses and 0.01 m² of one side. */
export interface Weight {
  readonly houses: number;
  readonly area: number;
}

/** What is counted of a decision. */
export interface Tally {
  readonly all: Weight;
  readonly participating: Weight;
  readonly agree: Weight;
  readonly disagree: Weight;
  readonly abstain: Weight;
}

/** The rules copied onto a decision. */
export interface DecisionRules {
  readonly quorum: string;
  readonly pass: string;
  readonly base: 'participating' | 'all';
}

/** Reads a rule as settings hold it: `2/3 count and 2/3 area`, `>1/2 count and area`. Undefined when it is none. */
export function sharesOf(text: string): Shares | undefined {
  const found = [...text.matchAll(/(>=|≥|>)?\s*(\d{1,6})\s*\/\s*(\d{1,6})/g)].map((match): Share => ({
    over: Number(match[2]),
    under: Number(match[3]),
    strict: match[1] === '>',
  }));
  const [count, area = count] = found;
  if (!count || !area || found.length > 2) return undefined;
  return [count, area].every((one) => one.under > 0 && one.over <= one.under) ? { count, area } : undefined;
}

/** Whether part ÷ whole reaches the share, exactly: a/b ≥ p/q ⇔ a·q ≥ b·p. Nothing of nothing reaches nothing. */
export function reaches(part: number, whole: number, share: Share): boolean {
  if (whole === 0) return false;
  const left = BigInt(part) * BigInt(share.under);
  const right = BigInt(whole) * BigInt(share.over);
  return share.strict ? left > right : left >= right;
}

/** part ÷ whole in percent with so many decimals, half up. */
export function percentOf(part: number, whole: number, decimals = 2): string {
  if (whole === 0) return (0).toFixed(decimals);
  const scale = 10n ** BigInt(decimals);
  const scaled = (BigInt(part) * 100n * scale * 2n + BigInt(whole)) / (BigInt(whole) * 2n);
  return `${scaled / scale}.${(scaled % scale).toString().padStart(decimals, '0')}`;
}

/** Why a decision did not pass. */
export const FAILURES = {
  quorum: ['参与未达法定比例', 'Quorum not reached'],
  pass: ['同意未达法定比例', 'Agreement not reached'],
} as const satisfies Readonly<Record<string, Label>>;

/** The verdict over what was counted. Source: group 10, cs_policyDecision, Thresholds. */
export function verdictOf(
  tally: Tally,
  rules: DecisionRules,
): { readonly passed: boolean; readonly why: keyof typeof FAILURES | '' } {
  const quorum = sharesOf(rules.quorum)!;
  const pass = sharesOf(rules.pass)!;
  const both = (part: Weight, whole: Weight, shares: Shares) =>
    reaches(part.houses, whole.houses, shares.count) && reaches(part.area, whole.area, shares.area);
  if (!both(tally.participating, tally.all, quorum)) return { passed: false, why: 'quorum' };
  const base = rules.base === 'all' ? tally.all : tally.participating;
  return both(tally.agree, base, pass) ? { passed: true, why: '' } : { passed: false, why: 'pass' };
}

/** A share in words: `超过 1/2`, `至少 3/4`. */
export const shareText = (share: Share): Label => [
  `${share.strict ? '超过' : '至少'} ${share.over}/${share.under}`,
  `${share.strict ? 'more than' : 'at least'} ${share.over}/${share.under}`,
];
