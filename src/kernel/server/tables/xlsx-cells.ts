import { businessTimeText } from '../../contract/time.rules.ts';

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
  if ((sign >= 0x41 && sign <= 0x7e) || (sign >= 0x30 && sign <= 0x39) || (sign >= 0x4e00 && sign <= 0x9fff))
    return false;
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
  return lookAt(text) & SPECIAL ? escaped(text) : text;
}

/** A function that makes the XML of a column's cells; `place` is the cell's reference. An empty text is an empty cell. */
export function cellWriter(kind: CellKind): (place: string, value: CellValue) => string {
  if (kind === 'text') return textCell;
  if (kind === 'instant') return (place, value) => textCell(place, instantText(value));
  const style = STYLES[kind];
  return (place, value) => {
    if (value === null || value === '') return '';
    if (typeof value === 'number' ? Number.isFinite(value) : isNumber(value))
      return `<c r="${place}" s="${style}"><v>${value}</v></c>`;
    return textCell(place, value);
  };
}

/** XML of a text cell. Inline strings are never formulas; `quotePrefix` keeps a formula-like one text when it is edited. */
export function textCell(place: string, value: CellValue, style = 0): string {
  if (value === null || value === '') return '';
  const whole = typeof value === 'number' ? String(value) : value;
  const text = whole.length > CELL_TEXT ? whole.slice(0, CELL_TEXT) : whole;
  const seen = lookAt(text);
  if (seen === 0 && style === 0) return `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
  const look = seen & SUSPECT && isFormulaLike(text) ? STYLES.guarded : style;
  const space = seen & SPACED ? ' xml:space="preserve"' : '';
  return `<c r="${place}"${look ? ` s="${look}"` : ''} t="inlineStr"><is><t${space}>${seen & SPECIAL ? escaped(text) : text}</t></is></c>`;
}

// What one walk over a text finds; regular expressions for the same took half of an export's time.
const SPECIAL = 1;
const SPACED = 2;
const SUSPECT = 4;

function lookAt(text: string): number {
  const first = text.charCodeAt(0);
  let seen =
    (first >= 0x41 && first <= 0x7e) ||
    (first >= 0x30 && first <= 0x39) ||
    (first >= 0x4e00 && first <= 0x9fff)
      ? 0
      : SUSPECT;
  if (first <= 0x20 || text.charCodeAt(text.length - 1) <= 0x20) seen |= SPACED;
  for (let index = 0; index < text.length; index++) {
    const sign = text.charCodeAt(index);
    if (sign >= 0x3f) {
      if (
        sign === 0x5f
          ? text.charCodeAt(index + 1) === 0x78
          : sign >= 0xd800 && (sign <= 0xdfff || sign >= 0xfffe)
      )
        seen |= SPECIAL;
    } else if (sign <= 0x20) {
      if (sign < 0x20) seen |= SPECIAL | SPACED;
      else if (text.charCodeAt(index + 1) === 0x20) seen |= SPACED;
    } else if (sign === 0x26 || sign === 0x3c || sign === 0x3e || sign === 0x22) seen |= SPECIAL;
  }
  return seen;
}

function escaped(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(FORBIDDEN, '')
      // Excel reads _x0041_ as an escaped character; the underscore is escaped to keep the text as it is.
      .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
      .replace(/[&<>"\r]/g, (sign) => ESCAPES[sign]!)
  );
}

/** A decimal number of at most 15 digits: a spreadsheet keeps no more, so longer ones stay text. */
function isNumber(text: string): boolean {
  if (text.length > 17) return false;
  let digits = 0;
  let dots = 0;
  for (let index = text.charCodeAt(0) === 0x2d ? 1 : 0; index < text.length; index++) {
    const sign = text.charCodeAt(index);
    if (sign >= 0x30 && sign <= 0x39) digits += 1;
    else if (sign !== 0x2e || digits === 0 || ++dots > 1) return false;
  }
  return digits > 0 && digits <= 15 && text.charCodeAt(text.length - 1) !== 0x2e;
}

function instantText(value: CellValue): CellValue {
  if (typeof value !== 'string' || value[10] !== 'T') return value;
  return Number.isNaN(Date.parse(value)) ? value : businessTimeText(value);
}

const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};
