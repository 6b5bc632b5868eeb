/** A menu that can be offered: its path and the words it is known by. */
export interface MenuWords {
  readonly path: string;
  readonly code: string;
}

/** The menus whose path or code is most like a path that does not exist, nearest first. */
export function nearestMenus<M extends MenuWords>(
  pathname: string,
  menus: readonly M[],
  count = 3,
): readonly M[] {
  const wanted = pathname.toLowerCase();
  const lastPart = wanted.split('/').filter(Boolean).at(-1) ?? '';
  const distance = (menu: M) =>
    Math.min(similarity(wanted, menu.path.toLowerCase()), similarity(lastPart, menu.code.toLowerCase()));
  return menus
    .map((menu) => ({ menu, distance: distance(menu) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ menu }) => menu);
}

/** Edit distance as a share of the longer text. */
function similarity(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length]! / Math.max(a.length, b.length, 1);
}
