import type { Field, Fields } from '../../contract/fields.ts';
import type { Label } from '../../contract/label.ts';
import { invalid } from '../http/errors.ts';
import type { Binding } from './binding.ts';
import { snakeCase } from './list-query.ts';

export const REQUIRED: Label = ['此项必填', 'This field is required'];

/** The column an input is written to, undefined where it belongs to the handler alone. */
export function columnOfField(
  fields: Fields,
  binding: Pick<Binding, 'writes'>,
  name: string,
): string | undefined {
  const target = binding.writes?.[name];
  const field = fields[name];
  if (target === false || (target === undefined && !field) || field?.secret) return undefined;
  return target ?? defaultColumn(name, field!);
}

/**
 * An input as it is stored: an emptied one of a column that is never null as what such columns hold when nothing was typed.
 * Refuses it at the field where there is no such value.
 */
export function filled(name: string, value: unknown, field: Field | undefined, notNull: boolean): unknown {
  const stored = value === null && notNull ? emptyOf(field?.kind) : value;
  if (stored === undefined) throw invalid({ [name]: REQUIRED });
  return stored;
}

/** What a column that is never null holds when nothing was typed; undefined where only a choice will do, null where nothing will. */
export function emptyOf(kind: Field['kind'] | undefined): unknown {
  switch (kind) {
    case 'integer':
    case 'money':
    case 'decimal':
    case 'percent':
      return 0;
    case 'boolean':
      return false;
    case 'text':
    case 'longText':
    case 'richText':
    case 'phone':
    case 'email':
    case 'idNumber':
    case 'personName':
      return '';
    case 'choice':
      return undefined;
    default:
      return null;
  }
}

function defaultColumn(name: string, field: Field): string {
  const snake = snakeCase(name);
  switch (field.kind) {
    case 'ref':
    case 'treeRef':
    case 'image':
    case 'file':
      return `${snake}_id`;
    default:
      return snake;
  }
}
