/** How streaks begin anew. */
export type SignInCycle = 'month' | 'week' | 'none';

const DAY_MS = 86_400_000;
const at = (day: string) => Date.parse(`${day}T00:00:00Z`);
const text = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** The day before (YYYY-MM-DD). */
export const dayBefore = (day: string): string => text(at(day) - DAY_MS);

/** The cycle a day lies in: its key and its first day; `none` has one that never ends. Weeks begin on Monday. */
export function cycleOf(cycle: SignInCycle, day: string): { readonly key: string; readonly from: string } {
  if (cycle === 'month') return { key: day.slice(0, 7), from: `${day.slice(0, 7)}-01` };
  if (cycle === 'none') return { key: 'all', from: '0001-01-01' };
  const weekday = (new Date(at(day)).getUTCDay() + 6) % 7;
  const monday = text(at(day) - weekday * DAY_MS);
  return { key: `W${monday}`, from: monday };
}

/** Days signed or made up in a row that end with `day`, inside its cycle; 0 when the day itself is missing. */
export function streakOf(cycle: SignInCycle, days: ReadonlySet<string>, day: string): number {
  const { from } = cycleOf(cycle, day);
  let streak = 0;
  for (let one = day; one >= from && days.has(one); one = dayBefore(one)) streak += 1;
  return streak;
}

/** The longest streak of a cycle by its days. */
export function longestOf(cycle: SignInCycle, days: ReadonlySet<string>): number {
  return Math.max(0, ...[...days].map((day) => streakOf(cycle, days, day)));
}

/** A rule as it holds on a day. */
export interface SignInRule {
  readonly id: number;
  readonly type: 'daily' | 'consecutive' | 'cumulative';
  readonly days: number;
  readonly points: number;
}

/**
 * Bonuses reached by the days of a cycle and not given yet: consecutive ones by the longest streak, cumulative ones by the
 * number of days; smaller ones first. Source: group 01, os_userSign, Rules.
 */
export function bonusesReached(
  rules: readonly SignInRule[],
  cycle: SignInCycle,
  days: ReadonlySet<string>,
  given: ReadonlySet<number>,
): readonly SignInRule[] {
  const longest = longestOf(cycle, days);
  return rules
    .filter((rule) => !given.has(rule.id))
    .filter((rule) =>
      rule.type === 'consecutive'
        ? longest >= rule.days
        : rule.type === 'cumulative' && days.size >= rule.days,
    )
    .sort((a, b) => a.days - b.days || a.id - b.id);
}
