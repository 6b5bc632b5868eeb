import type { Fields } from '../../contract/fields.ts';
import { fieldsOf, type ResourceSpec } from '../../contract/resource.ts';
import { fill, textOf, type Label, type Language } from '../../contract/label.ts';
import { valueText } from '../value-text.rules.ts';
import type { RowData } from '../wire.ts';

/** A confirmation with `{field}` replaced by the row's text of that field, in English by `fieldEn` where there is one, money with its sign. */
export function confirmText(resource: ResourceSpec, label: Label, row: RowData, language: Language): string {
  const fields: Fields = fieldsOf(resource);
  return textOf(label, language).replace(/\{(\w+)\}/g, (whole, name: string) => {
    const english = `${name}En`;
    const shown = language === 'en' && fields[english] && row[english] ? english : name;
    const field = fields[shown];
    if (!field) return name === 'id' ? row.id : whole;
    const value = valueText(field, row[shown], language, true);
    return field.kind === 'money' ? `¥${value}` : value;
  });
}

/** Values named before the rest are counted. */
const NAMED = 3;

/** A confirmation over several rows: `{field}` becomes the rows' own texts, the first ones by name, the rest as a number. */
export function bulkConfirmText(
  resource: ResourceSpec,
  label: Label,
  rows: readonly RowData[],
  language: Language,
): string {
  return textOf(label, language).replace(/\{\w+\}/g, (place) => {
    const values = [...new Set(rows.map((row) => confirmText(resource, [place, place], row, language)))];
    const shown = values.slice(0, NAMED).join(language === 'zh' ? '、' : ', ');
    if (values.length <= NAMED) return shown;
    return `${shown}${textOf(fill(AND_MORE, { n: values.length, more: values.length - NAMED }), language)}`;
  });
}

const AND_MORE: Label = [' 等 {n} 项', ' and {more} more'];
