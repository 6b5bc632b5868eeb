/** Text of a round badge: nothing for 0, the number to 99, `99+` above. Source: specification section 9. */
export function badgeText(count: number | undefined): string | undefined {
  if (!count || count < 1) return undefined;
  return count > 99 ? '99+' : String(count);
}
