import type { Choice } from '../../kernel/contract/fields.ts';

/** Stages of decoration works in their order. Source: group 06, cs_decoreteApply. */
export const STAGES = {
  demolition: { label: ['拆改', 'Demolition'] },
  utilities: { label: ['水电', 'Utilities'] },
  masonry: { label: ['泥瓦', 'Masonry'] },
  carpentry: { label: ['木作', 'Carpentry'] },
  paint: { label: ['油漆', 'Paint'] },
  completion: { label: ['竣工', 'Completion'] },
} as const satisfies Readonly<Record<string, Choice>>;
export type Stage = keyof typeof STAGES;
export const STAGE_ORDER = Object.keys(STAGES) as Stage[];

/** How far the works are by the stages that passed: the first that has not, and how many have. */
export function progressOf(passed: ReadonlySet<Stage>): { readonly stage: Stage; readonly count: number } {
  return {
    stage: STAGE_ORDER.find((stage) => !passed.has(stage)) ?? 'completion',
    count: STAGE_ORDER.filter((stage) => passed.has(stage)).length,
  };
}

/** Hours an application waits for its payment. */
export const PAY_HOURS = 24;

/** What happens to a deposit: it comes in, some is kept for a violation, the rest is given back. */
export const DEPOSIT_MOVES = {
  receive: { label: ['收取', 'Received'], tone: 'success' },
  deduct: { label: ['扣除', 'Deducted'], tone: 'error' },
  return: { label: ['退还', 'Returned'], tone: 'default' },
} as const satisfies Readonly<Record<string, Choice>>;
export type DecorationDepositMove = keyof typeof DEPOSIT_MOVES;
