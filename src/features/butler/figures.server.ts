import type { DbRow } from '../../kernel/server/resource/binding.ts';

/** Figures of a row by name, with its id. */
export type Figures = Readonly<Record<string, unknown>> & { readonly id: number };

/** Puts figures of the projects a caller works in into rows: what was read of each by its id, where the row has it at all. */
export function putFigures(rows: readonly DbRow[], found: readonly Figures[]): void {
  const of = new Map(found.map((one) => [Number(one.id), one]));
  for (const row of rows)
    for (const [name, value] of Object.entries(of.get(Number(row.id)) ?? {}))
      if (name !== 'id' && name in row) row[name] = value;
}
