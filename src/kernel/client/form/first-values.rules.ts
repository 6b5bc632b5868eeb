import type { Field, Fields } from '../../contract/fields.ts';
import { toInput, type FormValues } from './form-values.rules.ts';

/** First values the contract itself gives, as inputs hold them. Those of settings are asked for at the server. */
export function constantValues(fields: Fields, names: readonly string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const field = fields[name]!;
    if (field.initial === undefined || isSetting(field)) continue;
    values[name] = valueFromText(field, field.initial);
  }
  return values;
}

/** True when a form of these fields starts with the value of a setting. */
export function asksSettings(fields: Fields, names: readonly string[]): boolean {
  return names.some((name) => isSetting(fields[name]!));
}

/**
 * What a new row takes over from the one it is made after. Numbers that name one row only, values that came masked and the
 * ids of stored lines are not taken.
 */
export function copiedValues(fields: Fields, names: readonly string[], row: FormValues): FormValues {
  return Object.fromEntries(
    names.flatMap((name) => {
      const field = fields[name]!;
      if (field.kind === 'code' || field.createOnly || field.mask) return [];
      const value = toInput(field, row[name]);
      if (value === undefined) return [];
      return [[name, field.kind === 'lines' ? withoutIds(value) : value]];
    }),
  );
}

/** Values an address gives to a new form, by field name; what is no field of it is dropped. */
export function givenValues(
  fields: Fields,
  names: readonly string[],
  query: URLSearchParams,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const given = query.get(name);
    if (given !== null && given !== '') values[name] = valueFromText(fields[name]!, given);
  }
  return values;
}

/** Rows of options the values name by id only, by target. */
export function namelessRefs(
  fields: Fields,
  values: FormValues,
): Readonly<Record<string, readonly string[]>> {
  const ids: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(values)) {
    const { target } = fields[name]!;
    if (!target) continue;
    for (const one of [value ?? []].flat() as { id: string; title?: string }[])
      if (one.title === one.id) (ids[target] ??= []).push(one.id);
  }
  return ids;
}

/** The values with the names of what they refer to. */
export function withTitles(
  fields: Fields,
  values: FormValues,
  titles: Readonly<Record<string, Readonly<Record<string, string>>>>,
): FormValues {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const known = titles[fields[name]!.target ?? ''];
      if (!known || value === undefined) return [name, value];
      const named = (one: { id: string }) => ({ ...one, title: known[one.id] ?? one.id });
      return [name, Array.isArray(value) ? value.map(named) : named(value as { id: string })];
    }),
  );
}

function valueFromText(field: Field, value: unknown): unknown {
  if (isRef(field)) return { id: String(value), title: String(value) };
  if (field.kind === 'refs')
    return ([value].flat() as string[])
      .flatMap((one) => one.split(','))
      .filter(Boolean)
      .map((id) => ({ id, title: id }));
  if (field.kind === 'boolean') return value === true || value === 'true';
  return toInput(field, value);
}

function isRef(field: Field): boolean {
  return field.kind === 'ref' || field.kind === 'treeRef';
}

function isSetting(field: Field): boolean {
  return typeof field.initial === 'object' && field.initial !== null && 'setting' in field.initial;
}

function withoutIds(rows: unknown): unknown {
  return (rows as readonly Readonly<Record<string, unknown>>[]).map(({ id: _id, ...row }) => row);
}
