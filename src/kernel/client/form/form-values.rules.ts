import type { Field, Fields, FileValue, RefValue } from '../../contract/fields.ts';
import { inputProblem } from '../../contract/input.ts';
import { fill, textOf, type Label, type Language } from '../../contract/label.ts';
import { moneyText, thousands } from '../format.rules.ts';
import { formWords } from '../texts.ts';

/** Values as form inputs hold them: references and files as read, numbers and JSON as text. */
export type FormValues = Readonly<Record<string, unknown>>;

/** A value of the wire as its input holds it. */
export function toInput(field: Field, value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (field.kind === 'integer') return String(value);
  if (field.kind === 'lines')
    return (value as readonly FormValues[]).map((row) => ({
      ...row,
      ...initialValues(field.lines!, Object.keys(field.lines!), row),
    }));
  if (field.kind === 'json') return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return value;
}

/** What an input holds as the wire wants it written. Empty becomes null, references become ids. */
export function toWrite(field: Field, value: unknown): unknown {
  if (value === undefined || value === null || value === '') return isList(field) ? [] : null;
  switch (field.kind) {
    case 'ref':
    case 'treeRef':
    case 'image':
    case 'file':
      return typeof value === 'string' ? value : (value as RefValue | FileValue).id;
    case 'refs':
    case 'images':
    case 'files':
      return (value as readonly (RefValue | FileValue | string)[]).map((one) =>
        typeof one === 'string' ? one : one.id,
      );
    case 'integer':
      return Number(value);
    case 'json':
      return parsed(value);
    case 'lines': {
      const names = Object.keys(field.lines!).filter((name) => !field.lines![name]!.readOnly);
      return (value as readonly FormValues[]).map((row) => ({
        ...(row.id === undefined ? {} : { id: row.id }),
        ...writtenValues(field.lines!, names, row),
      }));
    }
    case 'richText':
      return value;
    default:
      return typeof value === 'string' ? value.trim() || null : value;
  }
}

/** Initial values of a form from a row, or empty ones. */
export function initialValues(
  fields: Fields,
  names: readonly string[],
  row?: FormValues,
): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, row ? toInput(fields[name]!, row[name]) : undefined]));
}

/** Wire values of all named fields. */
export function writtenValues(
  fields: Fields,
  names: readonly string[],
  values: FormValues,
): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, toWrite(fields[name]!, values[name])]));
}

/** Names of the fields whose wire value differs between two sets of form values. */
export function changedNames(
  fields: Fields,
  names: readonly string[],
  before: FormValues,
  after: FormValues,
): string[] {
  return names.filter(
    (name) => !same(toWrite(fields[name]!, before[name]), toWrite(fields[name]!, after[name])),
  );
}

/** Values as a browser may keep them: without what is secret. */
export function keptValues(fields: Fields, values: FormValues): FormValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !fields[name]?.secret));
}

/** What is wrong with what an input holds, by the same rules as the server. */
export function formProblem(field: Field, value: unknown): Label | undefined {
  if (
    field.kind === 'json' &&
    typeof value === 'string' &&
    value.trim() !== '' &&
    parsed(value) === undefined
  )
    return formWords.badJson;
  return inputProblem(field, toWrite(field, value));
}

/** What a field accepts, in words, for the line under its input; undefined when there is nothing to say. */
export function ruleHint(field: Field, language: Language): string | undefined {
  if (field.help) return textOf(field.help, language);
  if (field.pattern) return textOf(field.pattern.message, language);
  if (
    field.kind === 'money' ||
    field.kind === 'integer' ||
    field.kind === 'decimal' ||
    field.kind === 'percent'
  ) {
    const show = (limit: number) =>
      field.kind === 'money' ? moneyText(String(limit / 100)) : thousands(limit);
    const { min, max } = field;
    if (min !== undefined && max !== undefined)
      return textOf(fill(formWords.between, { min: show(min), max: show(max) }), language);
    if (min !== undefined && min > 0)
      return textOf(fill(formWords.atLeastNumber, { min: show(min) }), language);
    if (max !== undefined) return textOf(fill(formWords.atMostNumber, { max: show(max) }), language);
  }
  return undefined;
}

/** One field two people changed, for the conflict panel. */
export interface Conflict {
  readonly name: string;
  readonly before: unknown;
  readonly theirs: unknown;
  readonly mine: unknown;
}

/**
 * What someone else changed meanwhile. `conflicts` were changed by both, `theirs` only by them.
 * Values are in input form.
 */
export function conflictsOf(
  fields: Fields,
  names: readonly string[],
  before: FormValues,
  theirs: FormValues,
  mine: FormValues,
): { conflicts: Conflict[]; theirs: Conflict[] } {
  const byThem = changedNames(fields, names, before, theirs);
  const byMe = new Set(changedNames(fields, names, before, mine));
  const entry = (name: string): Conflict => ({
    name,
    before: before[name],
    theirs: theirs[name],
    mine: mine[name],
  });
  const both = byThem.filter(
    (name) =>
      byMe.has(name) && !same(toWrite(fields[name]!, theirs[name]), toWrite(fields[name]!, mine[name])),
  );
  return { conflicts: both.map(entry), theirs: byThem.filter((name) => !byMe.has(name)).map(entry) };
}

function isList(field: Field): boolean {
  return ['refs', 'images', 'files', 'tags', 'lines'].includes(field.kind);
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

function parsed(value: unknown): unknown {
  try {
    return JSON.parse(String(value)) as unknown;
  } catch {
    return undefined;
  }
}
