import { isStorableText } from '../../contract/input.ts';
import { fill, type Label } from '../../contract/label.ts';
import { invalid, type InvalidInput } from '../http/errors.ts';
import { IMPORT_ROWS, type ImportProblem, type ImportRow, type ImportTarget } from './import-target.ts';
import { BadTable, readTable, type TableRow } from './table-reader.ts';

/** A read table: rows by column name, and what is wrong with single cells. */
export interface ImportTable {
  readonly rows: readonly ImportRow[];
  readonly problems: readonly ImportProblem[];
  /** Header texts nothing was made of. */
  readonly ignored: readonly string[];
}

/**
 * Reads an uploaded table for a target. Headers are recognised in both languages; `mapping` names the header of a column
 * where it is called something else. Cells are checked for required, length and storable text. Throws 422 when the
 * table itself cannot be used.
 */
export async function readImportTable(
  content: Buffer,
  target: ImportTarget,
  mapping: Readonly<Record<string, string>> = {},
): Promise<ImportTable> {
  const maxRows = Math.min(target.maxRows ?? IMPORT_ROWS, IMPORT_ROWS);
  const rows: ImportRow[] = [];
  const problems: ImportProblem[] = [];
  let places: ReadonlyMap<string, number> | undefined;
  let ignored: readonly string[] = [];
  try {
    for await (const row of readTable(content, { maxRows: maxRows + 1, maxColumns: 200 })) {
      if (!places) {
        ({ places, ignored } = placesOf(row, target, mapping));
        continue;
      }
      rows.push(readRow(row, target, places, problems));
    }
  } catch (error) {
    throw error instanceof BadTable ? refusalOf(error, maxRows) : error;
  }
  if (rows.length === 0) throw refusalOf(new BadTable('empty'), maxRows);
  return { rows, problems, ignored };
}

const REQUIRED: Label = ['必填', 'Required'];
const UNSTORABLE: Label = ['包含无法保存的字符', 'Contains characters that cannot be stored'];

function placesOf(
  header: TableRow,
  target: ImportTarget,
  mapping: Readonly<Record<string, string>>,
): { places: ReadonlyMap<string, number>; ignored: readonly string[] } {
  const titles = header.cells.map(plainTitle);
  const places = new Map<string, number>();
  for (const column of target.columns) {
    const wanted =
      mapping[column.name] !== undefined ? [mapping[column.name]!] : [...column.title, column.name];
    const place = titles.findIndex((title) => wanted.some((one) => plainTitle(one) === title));
    if (place >= 0) places.set(column.name, place);
  }
  const missing = target.columns.filter((column) => column.required && !places.has(column.name));
  if (missing.length > 0) {
    const titleIn = (language: 0 | 1) =>
      missing.map((column) => column.title[language]).join(language === 0 ? '、' : ', ');
    throw invalid({ file: [`缺少列：${titleIn(0)}`, `Missing columns: ${titleIn(1)}`] });
  }
  const used = new Set(places.values());
  return { places, ignored: header.cells.filter((cell, index) => cell !== '' && !used.has(index)) };
}

function readRow(
  row: TableRow,
  target: ImportTarget,
  places: ReadonlyMap<string, number>,
  problems: ImportProblem[],
): ImportRow {
  const values: Record<string, string> = {};
  for (const column of target.columns) {
    const place = places.get(column.name);
    const value = place === undefined ? '' : (row.cells[place] ?? '');
    values[column.name] = value;
    const max = column.max ?? 2_000;
    let message: Label | undefined;
    if (value === '') message = column.required ? REQUIRED : undefined;
    else if (!isStorableText(value)) message = UNSTORABLE;
    else if (value.length > max)
      message = fill(['最多{n}个字', 'At most {n} {n|character|characters}'], { n: max });
    if (message) problems.push({ row: row.number, column: column.name, message });
  }
  return { number: row.number, values };
}

/** Titles are compared without blanks, the star of required columns and case. */
function plainTitle(title: string): string {
  return title.replace(/[\s*＊]/g, '').toLowerCase();
}

function refusalOf(error: BadTable, maxRows: number): InvalidInput {
  const label: Record<BadTable['reason'], Label> = {
    damaged: ['文件已损坏或不是表格', 'The file is damaged or not a table'],
    rows: fill(['不能超过{n}行', 'At most {n} rows'], { n: maxRows }),
    columns: ['列太多', 'Too many columns'],
    empty: ['表格没有数据', 'The table has no rows'],
  };
  return invalid({ file: label[error.reason] });
}
