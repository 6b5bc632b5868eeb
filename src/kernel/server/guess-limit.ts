import type { MaskMode } from '../contract/mask.rules.ts';
import type { Caller } from './caller.ts';
import { tooMany } from './errors.ts';

/**
 * Different personal values a staff may look for in an hour. A masked phone hides four digits, so whoever may ask often
 * enough whether a value is the exact one reads it without the reveal, its limit and its record.
 */
export const GUESSES_PER_HOUR = 120;

const HOUR_MS = 3_600_000;
const MOST_STAFF = 5_000;

/** What a keyword must look like to be the exact value of a masked field. */
const LOOKS: Readonly<Record<MaskMode, RegExp>> = {
  phone: /^(1\d{10}|0\d{2,3}-?\d{7,8}|400-?\d{3}-?\d{4})$/,
  idNumber: /^(\d{15}|\d{17}[\dXx])$/,
  name: /^\p{Script=Han}{2,4}$/u,
  email: /^[^\s@]+@[^\s@]+$/,
};

const asked = new Map<number, Map<string, number>>();

/** True for a keyword that can be the exact value of a field of that mask. */
export function looksPersonal(mode: MaskMode, keyword: string): boolean {
  return LOOKS[mode].test(keyword);
}

/**
 * Counts values a staff looks for in masked fields; the same value counts once. Throws 429 beyond the limit. Counts in
 * this process: with several servers the limit is as many times wider, which still keeps thousands of tries away.
 */
export function noteGuesses(
  caller: Pick<Caller, 'staffId'>,
  values: readonly string[],
  now = Date.now(),
): void {
  if (values.length === 0) return;
  let mine = asked.get(caller.staffId);
  if (!mine) {
    if (asked.size >= MOST_STAFF) forgetOld(now);
    asked.set(caller.staffId, (mine = new Map()));
  }
  for (const value of values) {
    if (mine.has(value) && now - mine.get(value)! < HOUR_MS) continue;
    if (mine.size >= GUESSES_PER_HOUR)
      for (const [old, at] of mine) if (now - at >= HOUR_MS) mine.delete(old);
    if (mine.size >= GUESSES_PER_HOUR) {
      const oldest = Math.min(...mine.values());
      throw tooMany(
        [
          `每小时最多按姓名、电话等精确查找${GUESSES_PER_HOUR}个不同的值，请稍后再试`,
          `At most ${GUESSES_PER_HOUR} different names or phones an hour can be looked for, please try again later`,
        ],
        (oldest + HOUR_MS - now) / 1000,
      );
    }
    mine.set(value, now);
  }
}

function forgetOld(now: number): void {
  for (const [staffId, values] of asked)
    if ([...values.values()].every((at) => now - at >= HOUR_MS)) asked.delete(staffId);
}
