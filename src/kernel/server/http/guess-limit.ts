import type { MaskMode } from '../../contract/mask.rules.ts';
import type { Caller } from '../people/caller.ts';
import type { Platform } from '../platform.ts';
import { countValues, type RateLimit } from './rate-limit.ts';

/**
 * Different personal values a staff may look for in an hour. A masked phone hides four digits, so whoever may ask often
 * enough whether a value is the exact one reads it without the reveal, its limit and its record.
 */
export const GUESSES_PER_HOUR = 120;

/** What a keyword must look like to be the exact value of a masked field. */
const LOOKS: Readonly<Record<MaskMode, RegExp>> = {
  phone: /^(1\d{10}|0\d{2,3}-?\d{7,8}|400-?\d{3}-?\d{4})$/,
  idNumber: /^(\d{15}|\d{17}[\dXx])$/,
  // Chinese names, with the dot of longer ones, with what desks add, 王先生(1); other names are one to four words of letters.
  name: /^(\p{Script=Han}[\p{Script=Han}·•]{0,11}[（(]?\d{1,4}[）)]?|\p{Script=Han}[\p{Script=Han}·•]{1,11}|(?=.{3,40}$)\p{L}[\p{L}'’.-]*(\s+\p{L}[\p{L}'’.-]*){0,3})$/u,
  email: /^[^\s@]+@[^\s@]+$/,
};

/** True for a keyword that can be the exact value of a field of that mask. */
export function looksPersonal(mode: MaskMode, keyword: string): boolean {
  return LOOKS[mode].test(keyword);
}

/**
 * Counts values a staff looks for in masked fields, in the database, so that all servers count together; the same value
 * counts once. Without a value nothing is asked. Throws 429 beyond the limit.
 */
export async function noteGuesses(
  platform: Pick<Platform, 'database' | 'config'>,
  caller: Pick<Caller, 'staffId'>,
  values: readonly string[],
): Promise<void> {
  if (values.length > 0) await countValues(platform, caller.staffId, GUESSES, values);
}

const GUESSES: RateLimit = {
  purpose: 'exactValue',
  most: GUESSES_PER_HOUR,
  seconds: 3_600,
  text: [
    '每小时最多按姓名、电话等精确查找{most}个不同的值，请稍后再试',
    'At most {most} different names or phones an hour can be looked for, please try again later',
  ],
};
