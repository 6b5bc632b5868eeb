const PLAIN_JOIN = /^(.*\S) LEFT JOIN \w+ (\w+) ON (\w+)\.id = \w+\.\w+$/s;

/**
 * A FROM clause without its last `LEFT JOIN x a ON a.id = …` that neither `sql` nor the joins kept behind them mention.
 * Joins by id neither add nor drop rows. PostgreSQL leaves them out by itself, but takes their columns for needed all the
 * same and no longer answers from an index alone: skipping to page 10,000 took six times as long.
 */
export function withoutPlainJoins(from: string, sql: string): string {
  let rest = from;
  let kept = '';
  for (;;) {
    const match = PLAIN_JOIN.exec(rest);
    if (!match || match[2] !== match[3]) return rest + kept;
    const [, before, alias] = match;
    if (new RegExp(`\\b${alias}\\.`).test(`${sql}${kept}`)) kept = rest.slice(before!.length) + kept;
    rest = before!;
  }
}
