import { fill, type Label } from '../../../contract/label.ts';
import type { Resource } from '../../../contract/resource.ts';
import { run, type Executor } from '../../database.ts';
import { ruleBroken } from '../../http/errors.ts';
import type { Binding } from '../binding.ts';

/** What the rows of a table are called, told by the resources as they are bound. */
const nouns = new Map<string, Label>();

/** Notes what the rows of a table are called, for refusals that name who uses a row. The first word stays. */
export function noteNoun(table: string, noun: Label): void {
  if (!nouns.has(table)) nouns.set(table, noun);
}

/** How many rows of one kind refer to a row. */
export interface Use {
  readonly table: string;
  readonly noun: Label;
  readonly count: number;
}

/** Deletes only what nothing else refers to, by the foreign keys of the database; the refusal says who and how many. */
export function deletable(resource: Resource, binding: Binding): Binding {
  if (resource.deletable !== 'unused' || !resource.actions?.remove) return binding;
  const own = new Set([
    ...Object.values(binding.links ?? {}).map((one) => one.table),
    ...Object.values(binding.lines ?? {}).map((one) => one.table),
  ]);
  return {
    ...binding,
    before: [
      ...(binding.before ?? []),
      async ({ action, tx, id }) => {
        if (action !== 'remove') return;
        const uses = await usesOf(tx, binding.table, id, binding.usedBy, own);
        if (uses.length > 0) throw ruleBroken(binding.inUse?.(uses) ?? inUseText(uses));
      },
    ],
  };
}

function inUseText(uses: readonly Use[]): Label {
  const zh = uses.map(({ noun, count }) => `${count} 个${noun[0]}`).join('、');
  const en = uses.map(({ noun, count }) => `${count} ${noun[1].toLowerCase()}`).join(', ');
  return fill(['已被 {zh} 使用，不能删除', 'Used by {en}, it cannot be deleted'], { zh, en });
}

/**
 * Who refers to a row: foreign keys of the database that neither delete nor empty themselves along with it, most first. Tables
 * in `without` belong to the row itself.
 */
export async function usesOf(
  db: Executor,
  table: string,
  id: number,
  names: Readonly<Record<string, Label | false>> = {},
  without: ReadonlySet<string> = new Set(),
): Promise<Use[]> {
  const uses: Use[] = [];
  for (const one of await referencesTo(db, table)) {
    if (without.has(one.table) || names[one.table] === false) continue;
    const [row] = await run<{ n: number }>(
      db,
      `SELECT count(*)::int AS n FROM ${one.table} WHERE ${one.column} = $1`,
      [id],
    );
    if (row!.n === 0) continue;
    const given = names[one.table];
    uses.push({
      table: one.table,
      noun: given || nouns.get(one.table) || ['其他数据', 'other records'],
      count: row!.n,
    });
  }
  return uses.sort((a, b) => b.count - a.count);
}

const known = new Map<string, Promise<readonly { table: string; column: string }[]>>();

function referencesTo(db: Executor, table: string): Promise<readonly { table: string; column: string }[]> {
  let found = known.get(table);
  if (!found) {
    found = run<{ table: string; column: string }>(
      db,
      `SELECT c.conrelid::regclass::text AS "table", quote_ident(a.attname) AS "column"
         FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
        WHERE c.contype = 'f' AND c.confrelid = to_regclass($1) AND c.confdeltype NOT IN ('c', 'n')
          AND cardinality(c.conkey) = 1 AND c.conparentid = 0
        ORDER BY 1, 2`,
      [table],
    );
    known.set(table, found);
    found.catch(() => known.delete(table));
  }
  return found;
}
