import { fill, type Label } from '../../../contract/label.ts';
import type { Resource } from '../../../contract/resource.ts';
import { run, type Executor } from '../../database.ts';
import { ruleBroken } from '../../http/errors.ts';
import type { DatabaseTables } from '../../tables-of-database.ts';
import type { Binding } from '../binding.ts';
import { quoted } from '../run-action.ts';

/** What the rows of a table are called, told by the resources as they are bound. */
const nouns = new Map<string, Label>();

/** Notes what the rows of a table are called, for refusals that name who uses a row. The first word stays. */
export function noteNoun(table: string, noun: Label): void {
  if (!nouns.has(table)) nouns.set(table, noun);
}

/** What the rows of a table are called, for those who count them by themselves. */
export function nounOf(table: string): Label {
  return nouns.get(table) ?? ['其他数据', 'other records'];
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
      async ({ action, tx, id, platform }) => {
        if (action !== 'remove') return;
        const uses = await usesOf(tx, await platform.tables(), binding.table, id, binding.usedBy, own);
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
  tables: DatabaseTables,
  table: string,
  id: number,
  names: Readonly<Record<string, Label | false>> = {},
  without: ReadonlySet<string> = new Set(),
): Promise<Use[]> {
  const uses: Use[] = [];
  for (const one of tables.referencesTo(table)) {
    if (one.onDelete === 'cascade' || one.onDelete === 'set null' || one.columns.length > 1) continue;
    if (without.has(one.table) || names[one.table] === false) continue;
    const [row] = await run<{ n: number }>(
      db,
      `SELECT count(*)::int AS n FROM ${quoted(one.table)} WHERE ${quoted(one.columns[0]!)} = $1`,
      [id],
    );
    if (row!.n === 0) continue;
    const given = names[one.table];
    uses.push({
      table: one.table,
      noun: given || nounOf(one.table),
      count: row!.n,
    });
  }
  return uses.sort((a, b) => b.count - a.count);
}
