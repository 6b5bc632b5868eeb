import type { Label } from './label.ts';
import type { MaskMode } from './mask.rules.ts';

/** Every kind of value a field can hold. A kind decides column, filter, input, validation, mask and export format. */
export type FieldKind =
  | 'text'
  | 'longText'
  | 'richText'
  | 'code'
  | 'money'
  | 'integer'
  | 'decimal'
  | 'percent'
  | 'choice'
  | 'boolean'
  | 'date'
  | 'instant'
  | 'dateRange'
  | 'ref'
  | 'refs'
  | 'treeRef'
  | 'phone'
  | 'idNumber'
  | 'email'
  | 'personName'
  | 'image'
  | 'images'
  | 'file'
  | 'files'
  | 'json'
  | 'tags'
  | 'lines';

/** How a field can be filtered: fuzzy text, exact value, one of several, or a closed range. */
export type SearchMode = 'contains' | 'equals' | 'in' | 'range';

/** Tone of a status or choice. Source: look.md, status tones. */
export type Tone = 'default' | 'processing' | 'warning' | 'success' | 'error' | 'paused';

/** One value of a choice. `code` is the number or text the paths of the specification send for it. */
export interface Choice {
  readonly label: Label;
  readonly tone?: Tone;
  readonly code?: number | string;
}

/** What every field kind may be told. */
export interface FieldOptions {
  /** The form refuses an empty value. */
  readonly required?: boolean;
  /** May be filtered in this way; a field without it is refused as filter. */
  readonly search?: SearchMode;
  /** Takes part in the fuzzy keyword `searchVal` (masked fields by exact value only). */
  readonly keyword?: boolean;
  /** May be sorted by; a field without it is refused as sort. */
  readonly sortable?: boolean;
  /** Hidden by the server in this way; the clear value needs the reveal element. */
  readonly mask?: MaskMode;
  /**
   * Write-only, such as keys and passwords of other systems: taken by forms, kept by the action's own code, never a column of
   * the row. It is read by nobody, and stands in no draft, timeline or audit record.
   */
  readonly secret?: true;
  /** Shown under the input, or behind the column title. */
  readonly help?: Label;
  readonly placeholder?: Label;
  /** Unit shown in the input and after the value. */
  readonly unit?: Label;
  /** Computed or set by the server; never accepted as input. */
  readonly readOnly?: boolean;
  /** Accepted when creating, never afterwards. */
  readonly createOnly?: boolean;
  /** Smallest number, or (text) fewest characters. Money: fen. */
  readonly min?: number;
  /** Largest number, or (text) most characters, or most entries of a list. Money: fen. */
  readonly max?: number;
  /** Decimal places of decimal and percent. */
  readonly scale?: number;
  /** Largest picture or file in MB, where it is less than uploads may be; the code of the action refuses it too. */
  readonly megabytes?: number;
  /** Fewest pixels of a picture on each side; the code of the action refuses fewer too. */
  readonly pixels?: number;
  /** Text must match; `message` says what is wrong. */
  readonly pattern?: { readonly source: string; readonly message: Label };
  /** Text made of figures, such as a span of prices: aligned like a number. */
  readonly numeric?: boolean;
  /** Column width in px. */
  readonly width?: number;
  /** A filter's value in words, where what travels tells a reader nothing. */
  readonly said?: (wire: string) => Label;
  /** What a new form starts with: a value as it travels on the wire, or the value of a setting key. */
  readonly initial?: InitialValue;
}

/** A first value of a form field; `setting` names a setting key whose value in force is taken. */
export type InitialValue = string | number | boolean | readonly string[] | { readonly setting: string };

/** A field as data. `T` is the type of its value on the wire and exists for the compiler only. */
export interface Field<T = unknown> extends FieldOptions {
  readonly kind: FieldKind;
  readonly label: Label;
  /** Values of a choice by their stored word. */
  readonly choices?: Readonly<Record<string, Choice>>;
  /** Name of the resource or option source a ref points to (see `defineOptions`). */
  readonly target?: string;
  /** Fields of one row of kind `lines`. */
  readonly lines?: Fields;
  /** As a filter, the choices follow the value of this other filter of the list (departments of the chosen company). */
  readonly within?: string;
  readonly __type?: T;
}

/** A reference on the wire: id as text and the readable name of what it points to. */
export interface RefValue {
  readonly id: string;
  readonly title: string;
  /** What English pages show instead, where what it points to has two names. */
  readonly titleEn?: string;
}

/** What a reference is called in both languages. */
export function refLabel({ title, titleEn }: RefValue): Label {
  return [title, titleEn ?? title];
}

/** An uploaded file on the wire. */
export interface FileValue {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly type: string;
  readonly size: number;
}

export type Fields = Readonly<Record<string, Field>>;

/** The wire type of a field. */
export type ValueOf<F> = F extends Field<infer T> ? T : never;

const make =
  <T>(kind: FieldKind, defaults: FieldOptions = {}) =>
  (label: Label, options: FieldOptions = {}): Field<T> => ({ kind, label, ...defaults, ...options });

/** One line of text, at most 255 characters unless `max` says otherwise. */
export const text = make<string>('text', { max: 255 });
/** Several lines of plain text. */
export const longText = make<string>('longText', { max: 2000 });
/** Formatted text, sanitised when written and when shown. */
export const richText = make<string>('richText', { max: 20_000 });
/** A readable business number made by the server or typed once. */
export const code = make<string>('code', { max: 64 });
/** Money: integer fen in the database, yuan text with two digits on the wire. */
export const money = make<string>('money');
export const integer = make<number>('integer');
/** Exact decimal, text on the wire. */
export const decimal = make<string>('decimal', { scale: 2 });
/** Percent, decimal text on the wire: `"12.5"` is 12.5 %. */
export const percent = make<string>('percent', { scale: 2 });
export const boolean = make<boolean>('boolean');
/** Calendar day, `yyyy-MM-dd`. */
export const date = make<string>('date');
/** Point in time, ISO 8601 with offset. */
export const instant = make<string>('instant');
/** Two days, both included. */
export const dateRange = make<readonly [string, string]>('dateRange');
/** Phone number; masked unless told otherwise. */
export const phone = make<string>('phone', { mask: 'phone', max: 20 });
/** Identity card number; masked. */
export const idNumber = make<string>('idNumber', { mask: 'idNumber', max: 18 });
export const email = make<string>('email', { mask: 'email', max: 120 });
/** Name of a member, household or visitor; masked. Names of staff are plain text fields. */
export const personName = make<string>('personName', { mask: 'name', max: 40 });
export const image = make<FileValue | null>('image');
export const images = make<readonly FileValue[]>('images', { max: 9 });
export const file = make<FileValue | null>('file');
export const files = make<readonly FileValue[]>('files', { max: 9 });
export const json = make<unknown>('json');
export const tags = make<readonly string[]>('tags', { max: 20 });

/** Several of a fixed set of words. */
export function choices<const C extends Readonly<Record<string, Choice>>>(
  label: Label,
  of: C,
  options: FieldOptions = {},
): Field<readonly Extract<keyof C, string>[]> & { readonly choices: C } {
  return { kind: 'tags', label, choices: of, max: Object.keys(of).length, ...options };
}

/** One of a fixed set of words. */
export function choice<const C extends Readonly<Record<string, Choice>>>(
  label: Label,
  choices: C,
  options: FieldOptions = {},
): Field<Extract<keyof C, string>> & { readonly choices: C } {
  return { kind: 'choice', label, choices, ...options };
}

/** A link to one row of `target`. On the wire `{id, title}` when read, the id when written. */
export function ref(target: string, label: Label, options: FieldOptions = {}): Field<RefValue | null> {
  return { kind: 'ref', label, target, ...options };
}

/** Links to many rows of `target`. */
export function refs(target: string, label: Label, options: FieldOptions = {}): Field<readonly RefValue[]> {
  return { kind: 'refs', label, target, max: 500, ...options };
}

/** A link to one node of a tree. */
export function treeRef(target: string, label: Label, options: FieldOptions = {}): Field<RefValue | null> {
  return { kind: 'treeRef', label, target, ...options };
}

/**
 * Rows of their own inside of a form, such as the steps of a plan: each has the given fields, their order is kept. On the wire a
 * list of objects with an `id` where the row is stored already. `max` is the most rows (default 100), `min` the fewest.
 */
export function lines(
  label: Label,
  fields: Fields,
  options: FieldOptions = {},
): Field<readonly Readonly<Record<string, unknown>>[]> & { readonly lines: Fields } {
  return { kind: 'lines', label, lines: fields, max: 100, ...options };
}
