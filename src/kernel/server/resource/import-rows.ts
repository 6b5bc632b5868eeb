import type { Field } from '../../contract/fields.ts';
import { checkInput } from '../../contract/input.ts';
import { fill, textOf, type Label } from '../../contract/label.ts';
import { fieldsOf, type Resource } from '../../contract/resource.ts';
import { sql } from 'kysely';
import { withRecordsTogether } from '../audit/audit.ts';
import { optionSourcesOf } from './option-source.ts';
import { run, transaction, type Executor, type Tx } from '../database.ts';
import { InvalidInput, Refusal } from '../http/errors.ts';
import { Parameters, scopeCondition } from '../people/scope.ts';
import {
  importFacts,
  type ImportCall,
  type ImportColumn,
  type ImportProblem,
  type ImportRow,
  type ImportTarget,
} from '../tables/import-target.ts';
import type { Binding } from './binding.ts';
import type { BoundResource } from './bind.ts';
import type { BoundColumns } from './list-query.ts';

/** A row ready to be written: wire input by field, the id it changes, and the key of a parent that stands in the same file. */
interface Draft {
  readonly number: number;
  readonly key: string;
  readonly input: Record<string, unknown>;
  readonly id: number | undefined;
  readonly parentKey: string | undefined;
}

/** Most rows that are written on trial before anything is, so that every rule of the action has its say. */
const TRIED = 5_000;

/** Rows that are written between two looks at what was refused. */
const CHUNK = 500;

/** Ids of rows an import made or changed, by their key. */
type Made = ReadonlyMap<string, number>;

class RolledBack extends Error {}

/**
 * The import a contract declares: a column a field, values as people write them, found and new rows by the key. A dry run carries
 * the actions out and takes them back, so that it says what the commit would say.
 */
export function importTargetOf(
  resource: Resource,
  binding: Binding,
  columns: BoundColumns,
  act: BoundResource['actIn'],
): ImportTarget {
  const { key, fields: names, mode } = resource.importable!;
  const fields = fieldsOf(resource);
  const parent = resource.tree?.parent;

  const read = async (db: Executor, call: ImportCall, rows: readonly ImportRow[]) => {
    const problems: ImportProblem[] = [];
    const bad = (row: number, column: string, message: Label) => problems.push({ row, column, message });
    const inFile = new Map<string, number>();
    for (const row of rows) {
      const text = keyOf(row.values[key]!);
      if (inFile.has(text))
        bad(row.number, key, fill(['与第{n}行重复', 'Same as row {n}'], { n: inFile.get(text)! }));
      else inFile.set(text, row.number);
    }
    const known = await knownKeys(db, call, [...inFile.keys()]);
    const references = await referenceReader(call, rows);
    const drafts: Draft[] = [];
    for (const row of rows) {
      const before = problems.length;
      const id = known.get(keyOf(row.values[key]!));
      if (mode === 'insert' && id !== undefined) bad(row.number, key, takenText(fields[key]!.label));
      if (mode === 'update' && id === undefined)
        bad(row.number, key, ['没有此数据', 'There is no such record']);
      const input: Record<string, unknown> = {};
      let parentKey: string | undefined;
      for (const name of names) {
        const text = row.values[name] ?? '';
        const field = fields[name]!;
        // An empty cell changes nothing, and is no value of a new row either.
        if (text === '') continue;
        if (id !== undefined && (field.createOnly || name === key)) continue;
        const named = references.get(name)?.get(text);
        if (name === parent && named === undefined && inFile.has(keyOf(text))) parentKey = keyOf(text);
        else {
          const value = isReference(field) ? named : valueOf(field, text);
          if (value === undefined) bad(row.number, name, notUnderstood(field));
          else input[name] = value;
        }
      }
      const checked = checkInput(fields, names, input, { partial: id !== undefined });
      // What a cell holds was named already when it could not be read: it is not missing besides.
      const unread = new Set(problems.slice(before).map((one) => one.column));
      for (const [name, message] of Object.entries(checked.problems))
        if (!(name === parent && parentKey) && !unread.has(name)) bad(row.number, name, message);
      if (problems.length === before)
        drafts.push({ number: row.number, key: keyOf(row.values[key]!), input, id, parentKey });
    }
    return { drafts: ordered(drafts, bad, parent), problems };
  };

  /** Rows of the file that stand already, by key, as far as the caller sees them. */
  const knownKeys = async (db: Executor, call: ImportCall, keys: readonly string[]) => {
    const parameters = new Parameters();
    const scope = scopeCondition(call.caller, resource.menu, binding.scope, parameters);
    const expression = columns.expression(key);
    const rows = await run<{ id: number; key: string }>(
      db,
      `SELECT t.id, lower(${expression}) AS key FROM ${columns.from} WHERE ${scope}${binding.where ? ` AND ${binding.where}` : ''} AND lower(${expression}) = ANY(${parameters.bind(keys)}::text[])`,
      parameters.values,
    );
    return new Map(rows.map((row) => [row.key, row.id]));
  };

  /** What the cells of references name, asked once for every different text: the picker's titles and notes. */
  const referenceReader = async (call: ImportCall, rows: readonly ImportRow[]) => {
    const found = new Map<string, Map<string, unknown>>();
    for (const name of names) {
      const field = fields[name]!;
      if (!isReference(field)) continue;
      const texts = new Map<string, unknown>();
      found.set(name, texts);
      const source = optionSourcesOf(call.platform.registrations).get(field.target!);
      for (const text of new Set(rows.map((row) => row.values[name] ?? ''))) {
        if (text === '' || !source) continue;
        const parts = field.kind === 'refs' ? text.split(/[、,，;；]/).map((one) => one.trim()) : [text];
        const ids: string[] = [];
        for (const part of parts.filter(Boolean)) {
          const hits = await source.find(
            { ...call, facts: importFacts(call) },
            { searchVal: part, ids: [], offset: 0, limit: 50 },
          );
          const exact = hits.filter(
            (hit) => keyOf(hit.title) === keyOf(part) || keyOf(hit.note ?? '') === keyOf(part),
          );
          if (exact.length === 1) ids.push(exact[0]!.id);
        }
        if (ids.length === parts.filter(Boolean).length)
          texts.set(text, field.kind === 'refs' ? ids : ids[0]);
      }
    }
    return found;
  };

  /** Carries out drafts one after the other; ids of what was made by key. */
  const carryOut = async (
    tx: Tx,
    call: ImportCall,
    drafts: readonly Draft[],
    before: Made,
  ): Promise<Made> => {
    const made = new Map(before);
    const own = { caller: call.caller, platform: call.platform, facts: importFacts(call) };
    for (const draft of drafts) {
      const input = { ...draft.input };
      if (parent && draft.parentKey) input[parent] = String(made.get(draft.parentKey) ?? '');
      const action = draft.id === undefined ? 'create' : 'update';
      made.set(draft.key, (await act(tx, own, action, draft.id, input)).id);
    }
    return made;
  };

  /**
   * Writes drafts a chunk at a time, with the records of a chunk together. With `tried` a chunk that is refused is taken back and
   * repeated row by row, so that each refusal is told of its row; without, the first one ends the import.
   */
  const write = async (
    tx: Tx,
    call: ImportCall,
    drafts: readonly Draft[],
    tried?: (row: number, error: Refusal) => void,
  ) => {
    let made: Made = new Map();
    const attempt = async (rows: readonly Draft[], refused: (error: Refusal) => Promise<void> | void) => {
      await sql`SAVEPOINT import_rows`.execute(tx);
      try {
        made = await withRecordsTogether(tx, () => carryOut(tx, call, rows, made));
        await sql`RELEASE SAVEPOINT import_rows`.execute(tx);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        await sql`ROLLBACK TO SAVEPOINT import_rows`.execute(tx);
        await sql`RELEASE SAVEPOINT import_rows`.execute(tx);
        await refused(error);
      }
    };
    for (let from = 0; from < drafts.length; from += CHUNK) {
      const chunk = drafts.slice(from, from + CHUNK);
      if (!tried) made = await withRecordsTogether(tx, () => carryOut(tx, call, chunk, made));
      else
        await attempt(chunk, async () => {
          for (const draft of chunk) await attempt([draft], (error) => tried(draft.number, error));
        });
    }
  };

  return {
    source: resource.name,
    menu: resource.menu,
    element: 'btn_import',
    title: resource.noun ?? resource.title,
    columns: names.map((name) => columnOf(name, fields[name]!, name === key)),
    check: async (call, rows) => {
      const { drafts, problems } = await read(call.platform.database.db, call, rows);
      const all = [...problems];
      if (drafts.length <= TRIED)
        await transaction(call.platform.database.db, async (tx) => {
          await write(tx, call, drafts, (row, error) => {
            if (error instanceof InvalidInput)
              for (const [name, message] of Object.entries(error.fields))
                all.push({ row, ...(names.includes(name) ? { column: name } : {}), message });
            else all.push({ row, message: error.label });
          });
          throw new RolledBack();
        }).catch((error: unknown) => {
          if (!(error instanceof RolledBack)) throw error;
        });
      return all;
    },
    commit: async (tx, call, rows) => {
      const { drafts } = await read(tx, call, rows);
      await write(tx, call, drafts);
      call.platform.changed(binding.entity ?? resource.name);
      return drafts.length;
    },
  };
}

const keyOf = (text: string): string => text.trim().toLowerCase();

const takenText = (label: Label): Label => [`${label[0]}已存在`, `${label[1]} exists`];

function isReference(field: Field): boolean {
  return field.kind === 'ref' || field.kind === 'treeRef' || field.kind === 'refs';
}

function columnOf(name: string, field: Field, isKey: boolean): ImportColumn {
  const choices = Object.values(field.choices ?? {});
  return {
    name,
    title: field.label,
    required: isKey || (field.required === true && !isReference(field)),
    ...(choices.length > 0
      ? {
          note: [
            choices.map((one) => textOf(one.label, 'zh')).join(' / '),
            choices.map((one) => textOf(one.label, 'en')).join(' / '),
          ] as Label,
        }
      : {}),
  };
}

/** The wire value of a cell, undefined when it cannot be one. */
function valueOf(field: Field, text: string): unknown {
  switch (field.kind) {
    case 'integer':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
    case 'money':
    case 'decimal':
    case 'percent':
      return text.replace(/[,，%]/g, '');
    case 'boolean': {
      const word = text.toLowerCase();
      if (['是', 'yes', 'y', 'true', '1', '启用', '√'].includes(word)) return true;
      return ['否', 'no', 'n', 'false', '0', '停用', '×'].includes(word) ? false : undefined;
    }
    case 'choice':
      return Object.entries(field.choices ?? {}).find(
        ([word, { label }]) =>
          word === text || label[0] === text || label[1].toLowerCase() === text.toLowerCase(),
      )?.[0];
    case 'date':
      return text.slice(0, 10).replace(/[/.]/g, '-');
    case 'tags':
      return text.split(/[、,，;；]/).map((one) => one.trim());
    default:
      return text;
  }
}

function notUnderstood(field: Field): Label {
  if (isReference(field)) return ['没有此数据，或有多个同名', 'There is none of that name, or more than one'];
  if (field.kind === 'boolean') return ['请填写是或否', 'Please write yes or no'];
  if (field.kind === 'choice') return ['请填写列表中的值', 'Please write a value of the list'];
  return ['格式不正确', 'The form is not valid'];
}

/** Parents before their children, whatever the order of the file; what stands in a circle is a problem of each of its rows. */
function ordered(
  drafts: readonly Draft[],
  bad: (row: number, column: string, message: Label) => void,
  parent: string | undefined,
): Draft[] {
  const byKey = new Map(drafts.map((draft) => [draft.key, draft]));
  const done: Draft[] = [];
  const state = new Map<string, 'open' | 'done' | 'bad'>();
  const visit = (draft: Draft): boolean => {
    const seen = state.get(draft.key);
    if (seen) return seen === 'done';
    state.set(draft.key, 'open');
    const above = draft.parentKey === undefined ? undefined : byKey.get(draft.parentKey);
    if (draft.parentKey !== undefined && (!above || !visit(above))) {
      state.set(draft.key, 'bad');
      bad(
        draft.number,
        parent!,
        above
          ? ['上级有误或成环', 'The parent is wrong or stands below this row']
          : ['上级所在行有误', 'The row of the parent is wrong'],
      );
      return false;
    }
    state.set(draft.key, 'done');
    done.push(draft);
    return true;
  };
  for (const draft of drafts) visit(draft);
  return done;
}
