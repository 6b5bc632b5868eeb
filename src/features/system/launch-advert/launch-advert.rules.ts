/** A launch page as the rule of what is shown reads it. */
export interface LaunchPage {
  readonly id: number;
  readonly title: string;
  readonly sort: number;
  readonly starts_at: Date;
  readonly ends_at: Date;
}

/** What an app of a project shows of the pages that run: by order, then the newest, so many at most. */
export function shownPages<P extends LaunchPage>(pages: readonly P[], at: Date, max: number): P[] {
  return pages
    .filter((page) => page.starts_at <= at && page.ends_at > at)
    .sort((a, b) => a.sort - b.sort || b.id - a.id)
    .slice(0, max);
}

/** Pages of a project that would be left out at some time of the page's period, were it published beside the others. */
export function leftOut<P extends LaunchPage>(page: P, others: readonly P[], max: number): P[] {
  const all = [...others.filter((one) => one.id !== page.id), page];
  // The most run at the beginning of one of them.
  const moments = all
    .map((one) => (one.starts_at > page.starts_at ? one.starts_at : page.starts_at))
    .filter((at) => at < page.ends_at);
  const lost = new Set<P>();
  for (const at of moments) {
    const shown = new Set(shownPages(all, at, max));
    for (const one of all) if (one.starts_at <= at && one.ends_at > at && !shown.has(one)) lost.add(one);
  }
  return all.filter((one) => lost.has(one));
}
