import type { Label, Language } from '../../contract/label.ts';
import type { Caller, RequestFacts } from '../people/caller.ts';
import type { Tx } from '../database.ts';
import type { Platform } from '../platform.ts';

/** A column of an import. */
export interface ImportColumn {
  /** Name under which values reach `check` and `commit`. */
  readonly name: string;
  /** Header in the template; either language is recognised. */
  readonly title: Label;
  readonly required?: boolean;
  /** Most characters; default 2,000. */
  readonly max?: number;
  /** Shown in the template's second sheet row as an example. */
  readonly example?: string;
  /** What may be written, for the template. */
  readonly note?: Label;
}

/** One row of an uploaded table: trimmed texts by column name, empty ones as ''. `number` is the row in the file, from 1. */
export interface ImportRow {
  readonly number: number;
  readonly values: Readonly<Record<string, string>>;
}

/** What is wrong with a cell, or with the whole row when `column` is absent. */
export interface ImportProblem {
  readonly row: number;
  readonly column?: string;
  readonly message: Label;
}

/** Who imports, with the rights of the moment the task runs. */
export interface ImportCall {
  readonly caller: Caller;
  readonly platform: Platform;
  readonly language: Language;
}

/** Facts of the actions an import carries out: it runs behind the request that brought the file. */
export const importFacts = ({ language }: Pick<ImportCall, 'language'>): RequestFacts => ({
  address: '',
  userAgent: '',
  language,
  traceId: '',
});

/** Something tables can be imported into. */
export interface ImportTarget {
  /** Name in paths, camelCase. */
  readonly source: string;
  readonly menu: string;
  /** Element without the menu part; `btn_import` usually. */
  readonly element: string;
  readonly title: Label;
  readonly columns: readonly ImportColumn[];
  /** Most rows of a file; default and limit 50,000. */
  readonly maxRows?: number;
  /** Says what is wrong with rows that passed the column rules. Gets all of them at once: doubles and look-ups in one go. */
  check(call: ImportCall, rows: readonly ImportRow[]): Promise<readonly ImportProblem[]>;
  /** What the good rows would do, told before the commit: what is added, renamed, missing from the file. */
  summary?(call: ImportCall, rows: readonly ImportRow[]): Promise<readonly Label[]>;
  /** Writes good rows in the given transaction, audit included; returns how many rows it wrote. */
  commit(tx: Tx, call: ImportCall, rows: readonly ImportRow[]): Promise<number>;
}

/** Most rows of an imported file. */
export const IMPORT_ROWS = 50_000;
/** Largest imported file in bytes. */
export const IMPORT_BYTES = 20 * 1024 * 1024;

/** The target of a name among all services, or undefined. */
export function findImportTarget(
  platform: Pick<Platform, 'registrations'>,
  source: string,
): ImportTarget | undefined {
  for (const service of platform.registrations) {
    const found = service.imports?.find((target) => target.source === source);
    if (found) return found;
  }
  return undefined;
}
