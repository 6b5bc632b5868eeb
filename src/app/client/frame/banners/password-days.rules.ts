/** Days left of the password when the banner is shown (7 to 1), from the cookie `OverDay`; else undefined. */
export function daysToWarn(overDay: string | undefined): number | undefined {
  if (!overDay || !/^-?\d+$/.test(overDay)) return undefined;
  const days = Number(overDay);
  return days >= 1 && days <= 7 ? days : undefined;
}
