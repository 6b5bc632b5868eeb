import type { Fields } from '../../contract/fields.ts';
import { fieldsOf, type ResourceSpec } from '../../contract/resource.ts';
import { textOf, type Label, type Language } from '../../contract/label.ts';
import { valueText } from '../value-text.rules.ts';
import type { RowData } from '../wire.ts';

/** A confirmation with `{field}` replaced by the row's text of that field, money with its sign. */
export function confirmText(resource: ResourceSpec, label: Label, row: RowData, language: Language): string {
  const fields: Fields = fieldsOf(resource);
  return textOf(label, language).replace(/\{(\w+)\}/g, (whole, name: string) => {
    const field = fields[name];
    if (!field) return name === 'id' ? row.id : whole;
    const value = valueText(field, row[name], language, true);
    return field.kind === 'money' ? `¥${value}` : value;
  });
}
