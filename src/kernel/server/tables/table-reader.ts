import { readCsv } from './csv-reader.ts';
import { readXlsx } from './xlsx-reader.ts';
import { BadXml } from './xml-scan.ts';
import { BadArchive } from './zip-entries.ts';

/** One row of a table as texts; `number` is its number in the file, from 1. Empty rows are left out. */
export interface TableRow {
  readonly number: number;
  readonly cells: readonly string[];
}

/** Bounds of what is read. */
export interface TableLimits {
  /** Rows with content, the header included. */
  readonly maxRows: number;
  readonly maxColumns: number;
}

/** The table cannot be read: `reason` says why. */
export class BadTable extends Error {
  constructor(
    readonly reason: 'damaged' | 'rows' | 'columns' | 'empty',
    cause?: unknown,
  ) {
    super(`table is not readable: ${reason}`, { cause });
  }
}

/**
 * Reads the first sheet of an XLSX or a CSV (UTF-8, UTF-16 or GB18030; comma, semicolon or tab). Numbers come without
 * exponent, dates as `yyyy-MM-dd` or `yyyy-MM-dd HH:mm:ss`, truth values as `TRUE`/`FALSE`, formulas by their stored
 * result. Memory is bounded whatever sizes the file claims. Throws BadTable.
 */
export async function* readTable(content: Buffer, limits: TableLimits): AsyncGenerator<TableRow> {
  let count = 0;
  try {
    const rows =
      content.toString('latin1', 0, 4) === 'PK\x03\x04'
        ? readXlsx(content, limits.maxColumns)
        : readCsv(content);
    for await (const row of rows) {
      if (row.cells.every((cell) => cell === '')) continue;
      if (row.cells.length > limits.maxColumns) throw new BadTable('columns');
      count += 1;
      if (count > limits.maxRows) throw new BadTable('rows');
      yield row;
    }
  } catch (error) {
    if (error instanceof BadArchive || error instanceof BadXml || error instanceof RangeError)
      throw new BadTable('damaged', error);
    throw error;
  }
  if (count === 0) throw new BadTable('empty');
}
