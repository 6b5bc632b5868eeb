/** Page numbers a pager shows: first, last and those around the current one; null stands for a gap. */
export function pagesAround(page: number, last: number): (number | null)[] {
  const shown = [...new Set([1, page - 1, page, page + 1, last])]
    .filter((one) => one >= 1 && one <= last)
    .sort((a, b) => a - b);
  return shown.flatMap((one, index) => {
    const before = shown[index - 1];
    if (before === undefined || one === before + 1) return [one];
    // A gap of one page is that page.
    return one === before + 2 ? [before + 1, one] : [null, one];
  });
}
