import { businessTimeText } from '../contract/time.rules.ts';

/** How a column's values are written. Money in yuan text, instants as Date, ISO text or ready text. */
export type CellKind = 'text' | 'money' | 'integer' | 'instant' | 'decimal';

/** A value as an export source yields it. */
export type CellValue = string | number | null;

/** Numbers of the cell styles in styles.xml. */
export const STYLES = { plain: 0, header: 1, money: 2, integer: 3, decimal: 4, guarded: 5, foot: 6 } as const;

/** Longest text a cell may have; Excel calls a file with a longer one damaged. */
export const CELL_TEXT = 32_767;

/** Letters of a column, the first is 0: `A`, `Z`, `AA`. */
export function columnLetters(index: number): string {
  let letters = '';
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  return letters;
}

/**
 * True for a text that a spreadsheet could take for a formula: it begins with `= + - @`, their full-width forms, a tab or
 * a line break, also after blanks. Plain numbers and phone numbers such as `-5.20` and `+86 10` are no danger but are
 * guarded all the same; as values of number columns they are written as numbers.
 */
export function isFormulaLike(text: string): boolean {
  const sign = text.charCodeAt(0);
  // Most texts begin with a letter, a digit or a Chinese character.
  if ((sign >= 0x41 && sign <= 0x7e) || (sign >= 0x30 && sign <= 0x39) || (sign >= 0x4e00 && sign <= 0x9fff)) return false;
  return FORMULA.test(text);
}

/**
 * A text as a CSV cell: quoted where needed, and with `'` in front when formula-like, because a CSV has no other way to
 * say that a cell is text.
 */
export function csvCell(value: CellValue): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = isFormulaLike(value) ? `'${value}` : value;
  return /[",\r\n\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Text that may stand in XML: markup escaped, what XML cannot carry left out. */
export function xmlText(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text
    .toWellFormed()
    .replace(FORBIDDEN, '')
    // Excel reads _x0041_ as an escaped character; the underscore is escaped to keep the text as it is.
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(/[&<>"\r]/g, (sign) => ESCAPES[sign]!);
}

/** XML of a cell without its reference, as a function of the value, or an empty text for an empty cell. */
export function cellWriter(kind: CellKind): (place: string, value: CellValue) => string {
  if (kind === 'text') return textCell;
  if (kind === 'instant') return (place, value) => textCell(place, instantText(value));
  const style = STYLES[kind];
  return (place, value) => {
    if (value === null || value === '') return '';
    if (typeof value === 'number' ? Number.isFinite(value) : NUMBER.test(value))
      return `<c r="${place}" s="${style}"><v>${value}</v></c>`;
    return textCell(place, value);
  };
}

/** XML of a text cell. Inline strings are never formulas; `quotePrefix` keeps a formula-like one text when it is edited. */
export function textCell(place: string, value: CellValue, style = 0): string {
  if (value === null || value === '') return '';
  const text = typeof value === 'number' ? String(value) : value.length > CELL_TEXT ? value.slice(0, CELL_TEXT) : value;
  const look = isFormulaLike(text) ? STYLES.guarded : style;
  const space = KEEP_SPACE.test(text) ? ' xml:space="preserve"' : '';
  return `<c r="${place}"${look ? ` s="${look}"` : ''} t="inlineStr"><is><t${space}>${xmlText(text)}</t></is></c>`;
}

function instantText(value: CellValue): CellValue {
  if (typeof value !== 'string' || value[10] !== 'T') return value;
  const instant = new Date(value);
  return Number.isNaN(instant.getTime()) ? value : businessTimeText(instant);
}

// A spreadsheet keeps 15 digits; longer numbers stay text so that no digit is lost.
const NUMBER = /^-?(?=(?:\.?\d){1,15}$)\d+(?:\.\d+)?$/;
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
const KEEP_SPACE = /^\s|\s$|[\n\t]| {2}/;
// eslint-disable-next-line no-control-regex
const SPECIAL = /[&<>"\u0000-\u001f\ud800-\udfff\ufffe\uffff]|_x[0-9A-Fa-f]{4}_/;
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' };
