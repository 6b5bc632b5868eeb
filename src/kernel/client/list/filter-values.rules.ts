import type { Field } from '../../contract/fields.ts';
import { textOf, type Label, type Language } from '../../contract/label.ts';
import { addDays } from '../../contract/time.rules.ts';
import { words } from '../texts.ts';

/** Splits the wire text `from~to` of a range filter; either side may be empty. */
export function splitRange(wire: string | undefined): readonly [string, string] {
  const [from = '', to = ''] = (wire ?? '').split('~');
  return [from, to];
}

/** Joins both sides of a range filter; empty when neither is set. */
export function joinRange(from: string, to: string): string {
  return from || to ? `${from}~${to}` : '';
}

/** Splits the wire text of an `in` filter. */
export function splitList(wire: string | undefined): string[] {
  return wire ? wire.split(',').filter(Boolean) : [];
}

/**
 * The value of an applied filter in words, for its chip. `titles` are the readable names of referenced ids;
 * what is not known yet reads "…".
 */
export function filterText(
  field: Field,
  wire: string,
  language: Language,
  titles: Readonly<Record<string, string>> = {},
): string {
  if (field.said) return textOf(field.said(wire), language);
  const join = (parts: readonly string[]) => parts.join(language === 'zh' ? '、' : ', ');
  if (field.search === 'range') {
    const [from, to] = splitRange(wire);
    if (from && to) return from === to ? from : `${from} ~ ${to}`;
    return from ? `≥ ${from}` : `≤ ${to}`;
  }
  switch (field.kind) {
    case 'choice':
      return join(
        splitList(wire).map((word) =>
          field.choices?.[word] ? textOf(field.choices[word].label, language) : word,
        ),
      );
    case 'boolean':
      return textOf(wire === 'true' ? words.yes : words.no, language);
    case 'ref':
    case 'refs':
    case 'treeRef':
      return join(splitList(wire).map((id) => titles[id] ?? '…'));
    default:
      return wire;
  }
}

/** Ready ranges of days up to the business day `today`, both ends included. */
export function dayPresets(
  today: string,
): { readonly label: Label; readonly range: readonly [string, string] }[] {
  const month = `${today.slice(0, 8)}01`;
  const lastMonthEnd = addDays(month, -1);
  const yesterday = addDays(today, -1);
  return [
    { label: words.today, range: [today, today] },
    { label: words.yesterday, range: [yesterday, yesterday] },
    { label: words.last7, range: [addDays(today, -6), today] },
    { label: words.last30, range: [addDays(today, -29), today] },
    { label: words.thisMonth, range: [month, today] },
    { label: words.lastMonth, range: [`${lastMonthEnd.slice(0, 8)}01`, lastMonthEnd] },
  ];
}
