import type { Field } from '../../kernel/contract/fields.ts';
import type { Label } from '../../kernel/contract/label.ts';

/** One input of the form in which staff record an event on behalf of a member. */
export interface EventInput {
  readonly field: Field;
  /** Path of its value in the payload; absent: the name of the input; empty: it only decides which others are asked for. */
  readonly at?: string;
  /** Asked for where another input holds one of these words, or anything at all. */
  readonly when?: readonly [input: string, ...words: string[]];
  /** Another input its choices follow; those of every picker follow the member. */
  readonly follows?: string;
  /** `json`: its words are numbers or yes and no; `lines`: one entry of a list on each line. */
  readonly as?: 'json' | 'lines';
}

/** The inputs of a kind of event by their names; none for kinds that say all by themselves. */
export type EventForm = Readonly<Record<string, EventInput>>;

/** A kind of event staff may record, as their dialog gets it. */
export interface RecordableEvent {
  readonly type: string;
  readonly title: Label;
  readonly form: EventForm;
}

type Values = Readonly<Record<string, unknown>>;

const isFilled = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

/** Names of the inputs that these values ask for. */
export function askedInputs(form: EventForm, values: Values): string[] {
  const asked: string[] = [];
  for (const [name, { when }] of Object.entries(form)) {
    if (when) {
      const [by, ...words] = when;
      const value = values[by];
      if (!asked.includes(by) || !isFilled(value)) continue;
      if (words.length > 0 && !words.includes(String(value))) continue;
    }
    asked.push(name);
  }
  return asked;
}

const partsOf = (value: unknown, as: EventInput['as']): unknown => {
  if (as === 'lines')
    return String(value)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  if (as === 'json')
    return Array.isArray(value)
      ? value.map((one) => JSON.parse(String(one)) as unknown)
      : (JSON.parse(String(value)) as unknown);
  return value;
};

/** The payload that the written values of a form say; what is empty or not asked for is left out. */
export function payloadOf(form: EventForm, values: Values): Record<string, unknown> {
  const payload: Record<string, unknown> = {};
  for (const name of askedInputs(form, values)) {
    const { at = name, as } = form[name]!;
    const value = values[name];
    if (at === '' || !isFilled(value)) continue;
    const path = at.split('.');
    let inside = payload;
    for (const step of path.slice(0, -1)) inside = (inside[step] ??= {}) as Record<string, unknown>;
    inside[path.at(-1)!] = partsOf(value, as);
  }
  return payload;
}
