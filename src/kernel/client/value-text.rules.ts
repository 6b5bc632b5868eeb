import { refLabel, type Field, type FileValue, type RefValue } from '../contract/fields.ts';
import { isEmpty } from '../contract/input.ts';
import { fill, textOf, type Language } from '../contract/label.ts';
import { words } from './texts.ts';
import { NOTHING, instantFull, instantShort, moneyText, thousands } from './format.rules.ts';

/** The value of a field as one line of text; `long` writes instants in full. `–` for nothing. */
export function valueText(field: Field, value: unknown, language: Language, long = false): string {
  if (isEmpty(value)) return NOTHING;
  const unit = field.unit ? textOf(field.unit, language) : '';
  switch (field.kind) {
    case 'money':
      return moneyText(value as string);
    case 'decimal':
      // As many digits as the column has: 11.0 under 5.0 and 6.0.
      return withUnit(
        thousands(field.scale === undefined ? (value as string) : Number(value).toFixed(field.scale)),
        unit,
      );
    case 'integer':
      // 1 day, 2 days; short units such as pcs and ms stay.
      return withUnit(
        thousands(value as string | number),
        Number(value) === 1 ? unit.replace(/(?<=^[a-z]{3,})s$/, '') : unit,
      );
    case 'percent':
      return `${String(value)}%`;
    case 'choice': {
      const choice = field.choices?.[String(value)];
      return choice ? textOf(choice.label, language) : String(value);
    }
    case 'boolean':
      return textOf(value ? ['是', 'Yes'] : ['否', 'No'], language);
    case 'instant':
      return long ? instantFull(value as string) : instantShort(value as string);
    case 'dateRange':
      return (value as readonly string[]).join(' ~ ');
    case 'ref':
    case 'treeRef':
      return typeof value === 'object' ? textOf(refLabel(value as RefValue), language) : String(value);
    case 'refs':
      return (value as readonly RefValue[])
        .map((one) => textOf(refLabel(one), language))
        .join(language === 'zh' ? '、' : ', ');
    case 'tags':
      return (value as readonly string[])
        .map((one) => (field.choices?.[one] ? textOf(field.choices[one].label, language) : one))
        .join(language === 'zh' ? '、' : ', ');
    case 'image':
    case 'file':
      return (value as FileValue).name;
    case 'images':
    case 'files':
      return (value as readonly FileValue[]).map((one) => one.name).join(', ');
    case 'lines': {
      const rows = value as readonly Readonly<Record<string, unknown>>[];
      if (!long) return textOf(fill(words.lineCount, { n: rows.length }), language);
      const cells = (row: Readonly<Record<string, unknown>>) =>
        Object.entries(field.lines ?? {})
          .filter(([name]) => !isEmpty(row[name]))
          .map(([name, one]) => valueText(one, row[name], language))
          .join(' ');
      return rows.map(cells).join(language === 'zh' ? '；' : '; ');
    }
    case 'richText':
      return plainText(String(value));
    case 'json':
      return JSON.stringify(value);
    default:
      return withUnit(String(value), unit);
  }
}

/** Formatted text as plain text, for one-line places. */
export function plainText(html: string): string {
  return html
    .replace(/<(style|script)[^>]*>[\s\S]*?<\/\1>/gi, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&nbsp;/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The readable name of a row: the contract's title field (on English pages `<title>En` where it has one), else name, else code, else the id. */
export function rowTitle(
  resource: { readonly titleField?: string; readonly fields: Readonly<Record<string, Field>> },
  row: Readonly<Record<string, unknown>>,
  language: Language,
): string {
  for (const name of [englishTitle(resource, language), resource.titleField, 'name', 'code']) {
    if (!name || isEmpty(row[name])) continue;
    const field = resource.fields[name];
    return field ? valueText(field, row[name], language) : String(row[name]);
  }
  return String(row.id);
}

/** The field that holds the English name of a row beside its title: `nameEn` of `name`. */
export function englishTitle(
  resource: { readonly titleField?: string; readonly fields: Readonly<Record<string, Field>> },
  language: Language,
): string | undefined {
  const name = `${resource.titleField ?? 'name'}En`;
  return language === 'en' && resource.fields[name] ? name : undefined;
}

function withUnit(text: string, unit: string): string {
  return unit ? `${text} ${unit}` : text;
}
