import { columnLetters, STYLES, textCell, xmlText, type CellKind } from './xlsx-cells.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

/** The parts of a workbook beside its sheets, by path. `names` are the sheets in order. */
export function workbookParts(names: readonly string[]): Readonly<Record<string, string>> {
  const sheets = names.map(
    (name, index) => `<sheet name="${xmlText(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  const links = names.map(
    (_name, index) =>
      `<Relationship Id="rId${index + 1}" Type="${OFFICE}/relationships/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
  );
  const types = names.map(
    (_name, index) =>
      `<Override PartName="/xl/worksheets/sheet${index + 1}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`,
  );
  return {
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}/relationships"><sheets>${sheets.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${links.join('')}<Relationship Id="rId${names.length + 1}" Type="${OFFICE}/relationships/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': STYLE_SHEET,
    '_rels/.rels': `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    '[Content_Types].xml': `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>${types.join('')}<Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`,
  };
}

/** Beginning of a sheet: frozen header row, widths in characters, the header itself. */
export function sheetStart(
  columns: readonly { readonly title: string }[],
  widths: readonly number[],
): string {
  const cols = widths.map(
    (width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  );
  const titles = columns.map((column, index) =>
    textCell(`${columnLetters(index)}1`, column.title, STYLES.header),
  );
  return (
    `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/></sheetView></sheetViews>' +
    `<sheetFormatPr defaultRowHeight="15"/><cols>${cols.join('')}</cols><sheetData><row r="1">${titles.join('')}</row>`
  );
}

/** End of a sheet: the foot line one row below the last, and on every printed page. `row` is the last row's number. */
export function sheetEnd(row: number, foot: string | undefined): string {
  if (!foot) return '</sheetData></worksheet>';
  const line = `<row r="${row + 2}">${textCell(`A${row + 2}`, foot, STYLES.foot)}</row>`;
  // In a page footer & begins a command.
  return `${line}</sheetData><headerFooter><oddFooter>&amp;L${xmlText(foot.replaceAll('&', '&&'))}</oddFooter></headerFooter></worksheet>`;
}

/** Column width in characters from its title and some of its values; a Chinese character counts two. */
export function columnWidth(
  kind: CellKind,
  title: string,
  samples: readonly (string | number | null | undefined)[],
): number {
  const least = kind === 'instant' ? 19 : kind === 'money' || kind === 'decimal' ? 10 : 6;
  // An instant is always written at the same length, whatever it comes as.
  const longest = (kind === 'instant' ? [] : samples).reduce<number>(
    (most, value) => Math.max(most, textWidth(String(value ?? ''))),
    least,
  );
  return Math.min(60, Math.max(longest, textWidth(title)) + 2);
}

/** A sheet's name as Excel accepts it: at most 31 characters, none of `[]:*?/\`, not empty. */
export function sheetName(title: string, number: number): string {
  const suffix = number > 1 ? ` (${number})` : '';
  const clean = title
    .replace(/[[\]:*?/\\\p{Cc}]/gu, ' ')
    .replace(/^'+|'+$/g, '')
    .trim();
  return `${
    Array.from(clean)
      .slice(0, 31 - suffix.length)
      .join('')
      .trim() || 'Sheet1'
  }${suffix}`;
}

function textWidth(text: string): number {
  let width = 0;
  for (const sign of text.slice(0, 80)) width += sign.charCodeAt(0) > 0xff ? 2 : 1;
  return width;
}

// Order of cellXfs is STYLES of xlsx-cells.ts. 4 is the built-in format #,##0.00 and 1 is 0.
const STYLE_SHEET =
  `${HEAD}<styleSheet xmlns="${MAIN}"><fonts count="3"><font><sz val="11"/><name val="Calibri"/></font>` +
  '<font><b/><sz val="11"/><name val="Calibri"/></font><font><i/><sz val="9"/><color rgb="FF808080"/><name val="Calibri"/></font></fonts>' +
  '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>' +
  '<fill><patternFill patternType="solid"><fgColor rgb="FFEAEFF5"/><bgColor indexed="64"/></patternFill></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="7">' +
  '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  '<xf numFmtId="0" fontId="1" fillId="2" borderId="0" xfId="0" applyFont="1" applyFill="1"/>' +
  '<xf numFmtId="4" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="1" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" quotePrefix="1" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="0" fontId="2" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs>' +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';
