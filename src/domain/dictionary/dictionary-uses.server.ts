import { fill, type Label } from '../../kernel/contract/label.ts';
import { run, type Executor } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { nounOf } from '../../kernel/server/resource/abilities/deletable.ts';

/** The two kinds of dictionaries: those of the platform and those of the business. */
export type Catalogue = 'platform' | 'business';

/** Rows of a feature that hold values of a dictionary, declared by the feature: `usedIn({ … })`. */
export interface DictionaryUse {
  readonly catalogue: Catalogue;
  /** Code of the dictionary. */
  readonly dictionary: string;
  /** What the rows are called: `['合同', 'Contract']`. */
  readonly noun: Label;
  /** How many rows hold each value; values nobody holds are left out. */
  counts(db: Executor): Promise<ReadonlyMap<string, number>>;
}

declare module '../../kernel/server/registration.ts' {
  interface Registration {
    /** Rows of this feature that hold values of dictionaries. */
    readonly dictionaryUses?: readonly DictionaryUse[];
  }
}

/**
 * Declares that a column holds values of a dictionary; `many`: the column is a list of them. Whoever writes the column calls
 * `dictionaryProblem` in the same transaction, so that a value is never deleted under a row that is just being written.
 */
export function usedIn(spec: {
  readonly catalogue: Catalogue;
  readonly dictionary: string;
  readonly table: string;
  readonly column: string;
  readonly noun: Label;
  readonly many?: true;
}): DictionaryUse {
  const { table, column } = spec;
  const text = spec.many
    ? `SELECT v AS value, count(*)::int AS n FROM ${table}, unnest(${column}) v GROUP BY 1`
    : `SELECT ${column}::text AS value, count(*)::int AS n FROM ${table} WHERE ${column} IS NOT NULL GROUP BY 1`;
  return {
    catalogue: spec.catalogue,
    dictionary: spec.dictionary,
    noun: spec.noun,
    counts: async (db) => {
      const rows = await run<{ value: string; n: number }>(db, text);
      return new Map(rows.map((row) => [row.value, row.n]));
    },
  };
}

/** A value as its uses are asked for. */
export interface UsedValue {
  readonly id: number;
  readonly dictionary: string;
  readonly value: string;
}

/** How many rows of one kind hold a value. */
export interface ValueUse {
  readonly noun: Label;
  readonly count: number;
}

const TABLES: Readonly<Record<Catalogue, string>> = { platform: 'dictionary_value', business: 'biz_dict' };

/**
 * Who holds each of these values, by id: rows of the features that declared it, and rows whose foreign keys point to the
 * value. Most first; values nobody holds are left out.
 */
export async function usesOfValues(
  db: Executor,
  platform: Pick<Platform, 'registrations' | 'tables'>,
  catalogue: Catalogue,
  values: readonly UsedValue[],
): Promise<ReadonlyMap<number, readonly ValueUse[]>> {
  const found = new Map<number, ValueUse[]>();
  const add = (id: number, use: ValueUse) => found.set(id, [...(found.get(id) ?? []), use]);
  const dictionaries = new Set(values.map((one) => one.dictionary));
  for (const use of platform.registrations.flatMap((service) => service.dictionaryUses ?? [])) {
    if (use.catalogue !== catalogue || !dictionaries.has(use.dictionary)) continue;
    const counts = await use.counts(db);
    for (const one of values) {
      const count = one.dictionary === use.dictionary ? (counts.get(one.value) ?? 0) : 0;
      if (count > 0) add(one.id, { noun: use.noun, count });
    }
  }
  const table = TABLES[catalogue];
  const ids = values.map((one) => one.id);
  for (const key of (await platform.tables()).referencesTo(table)) {
    if (key.table === table || key.columns.length > 1 || ids.length === 0) continue;
    const column = `"${key.columns[0]!}"`;
    const rows = await run<{ id: number; n: number }>(
      db,
      `SELECT ${column} AS id, count(*)::int AS n FROM "${key.table}" WHERE ${column} = ANY($1::bigint[]) GROUP BY 1`,
      [ids],
    );
    for (const row of rows) add(row.id, { noun: nounOf(key.table), count: row.n });
  }
  for (const uses of found.values()) uses.sort((a, b) => b.count - a.count);
  return found;
}

/** How many rows hold a value, all kinds together. */
export function totalUse(uses: readonly ValueUse[] | undefined): number {
  return (uses ?? []).reduce((sum, use) => sum + use.count, 0);
}

/** Who holds a value, in words: 「3 个合同、1 个点位」. */
export function useText(uses: readonly ValueUse[]): { readonly zh: string; readonly en: string } {
  return {
    zh: uses.map(({ noun, count }) => `${count} 个${noun[0]}`).join('、'),
    en: uses.map(({ noun, count }) => `${count} × ${noun[1].toLowerCase()}`).join(', '),
  };
}

/** Refusal of deleting a value that rows hold. */
export function heldText(uses: readonly ValueUse[]): Label {
  return fill(['已被 {zh} 使用，不能删除', 'Used by {en}, it cannot be deleted'], useText(uses));
}

/** Refusal of changing the code of a value that rows hold. */
export function fixedText(uses: readonly ValueUse[]): Label {
  return fill(['已被 {zh} 使用，不能修改编码', 'Used by {en}, its code cannot be changed'], useText(uses));
}
