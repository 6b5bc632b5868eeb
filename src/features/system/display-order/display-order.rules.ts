/** The rows with one of them before (or after) another; unchanged when either is not among them. */
export function putAt<T>(
  rows: readonly T[],
  keyOf: (row: T) => string,
  moved: string,
  target: string,
  after: boolean,
): readonly T[] {
  const row = rows.find((one) => keyOf(one) === moved);
  const rest = rows.filter((one) => one !== row);
  const at = rest.findIndex((one) => keyOf(one) === target);
  if (!row || at < 0) return rows;
  rest.splice(after ? at + 1 : at, 0, row);
  return rest;
}
