import type { Choice } from '../../kernel/contract/fields.ts';

/** Grades with their codes. Source: group 06, cs_housekeeperEvaluate. */
export const GRADES = {
  unsatisfied: { label: ['不满意', 'Not satisfied'], tone: 'error', code: 1 },
  fair: { label: ['一般', 'Fair'], tone: 'warning', code: 2 },
  satisfied: { label: ['满意', 'Satisfied'], tone: 'success', code: 3 },
} as const satisfies Readonly<Record<string, Choice>>;

export type Grade = keyof typeof GRADES;
export type RatingTarget = 'property' | 'housekeeper';

/** Working days after a rating of the lowest grade until somebody has to have called. */
export const FOLLOW_DAYS = 2;
