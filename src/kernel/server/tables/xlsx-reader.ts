import { BadXml, XmlScanner, type XmlHandler } from './xml-scan.ts';
import { BadArchive, unzipSmall, unzipText, zipEntries, type ZipEntry } from './zip-entries.ts';

// Bounds of unpacked sizes in bytes: a table of 50,000 rows with 60 columns unpacks to some 150 MB.
const SHEET_BYTES = 400 * 1024 * 1024;
const STRINGS_BYTES = 150 * 1024 * 1024;
const PART_BYTES = 4 * 1024 * 1024;
const STRINGS_CHARACTERS = 40_000_000;

/** Rows of the first sheet of a workbook as texts. Throws BadArchive or BadXml. */
export async function* readXlsx(
  content: Buffer,
  maxColumns: number,
): AsyncGenerator<{ number: number; cells: string[] }> {
  const entries = zipEntries(content);
  const book = readBook(entries);
  const dates = readDateStyles(entries.get('xl/styles.xml'));
  const strings = await readStrings(entries.get('xl/sharedStrings.xml'));
  const sheet = new SheetRows(strings, dates, book.from1904, maxColumns);
  const scanner = new XmlScanner(sheet);
  for await (const piece of unzipText(book.sheet, SHEET_BYTES)) {
    scanner.feed(piece);
    yield* sheet.take();
  }
  scanner.finish();
  yield* sheet.take();
}

interface Book {
  readonly sheet: ZipEntry;
  readonly from1904: boolean;
}

function readBook(entries: ReadonlyMap<string, ZipEntry>): Book {
  let relation: string | undefined;
  let from1904 = false;
  scanPart(entries.get('xl/workbook.xml'), (name, attributes) => {
    if (name === 'sheet' && attributes('state') === undefined) relation ??= attributes('id');
    if (name === 'workbookPr') from1904 = ['1', 'true'].includes(attributes('date1904') ?? '');
  });
  let target: string | undefined;
  scanPart(entries.get('xl/_rels/workbook.xml.rels'), (name, attributes) => {
    if (name === 'Relationship' && attributes('Id') === relation) target ??= attributes('Target');
  });
  const path = target?.startsWith('/') ? target.slice(1) : `xl/${target ?? ''}`;
  const sheet = entries.get(path) ?? entries.get('xl/worksheets/sheet1.xml');
  if (!sheet) throw new BadArchive('no sheet');
  return { sheet, from1904 };
}

/** For each cell style, whether its numbers are dates. */
function readDateStyles(entry: ZipEntry | undefined): readonly boolean[] {
  const formats = new Map<number, boolean>();
  const styles: boolean[] = [];
  let inCells = false;
  if (!entry) return styles;
  scanPart(
    entry,
    (name, attributes) => {
      if (name === 'numFmt')
        formats.set(Number(attributes('numFmtId')), isDateFormat(attributes('formatCode') ?? ''));
      if (name === 'cellXfs') inCells = true;
      if (name === 'xf' && inCells) {
        const format = Number(attributes('numFmtId') ?? 0);
        styles.push(formats.get(format) ?? isBuiltInDate(format));
      }
    },
    (name) => {
      if (name === 'cellXfs') inCells = false;
    },
  );
  return styles;
}

function isDateFormat(format: string): boolean {
  const plain = format.replace(/"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '').split(';')[0]!;
  return /[ymdhs\u5e74\u6708\u65e5]/i.test(plain);
}

function isBuiltInDate(format: number): boolean {
  return (
    (format >= 14 && format <= 22) ||
    (format >= 27 && format <= 36) ||
    (format >= 45 && format <= 47) ||
    (format >= 50 && format <= 58)
  );
}

async function readStrings(entry: ZipEntry | undefined): Promise<readonly string[]> {
  const strings: string[] = [];
  if (!entry) return strings;
  let characters = 0;
  let current = '';
  let inText = false;
  let phonetic = 0;
  const scanner = new XmlScanner({
    open: (name) => {
      if (name === 'si') current = '';
      else if (name === 't') inText = phonetic === 0;
      else if (name === 'rPh') phonetic += 1;
    },
    text: (text) => {
      if (inText) current += text;
    },
    close: (name) => {
      if (name === 't') inText = false;
      else if (name === 'rPh') phonetic -= 1;
      else if (name === 'si') {
        characters += current.length;
        if (characters > STRINGS_CHARACTERS) throw new BadXml('too much text');
        strings.push(unescapeText(current));
      }
    },
  });
  for await (const piece of unzipText(entry, STRINGS_BYTES)) scanner.feed(piece);
  scanner.finish();
  return strings;
}

/** Collects the rows of a sheet while it is scanned. */
class SheetRows implements XmlHandler {
  #rows: { number: number; cells: string[] }[] = [];
  #number = 0;
  #cells: string[] = [];
  #column = 0;
  #type = 'n';
  #isDate = false;
  #value = '';
  #inValue = false;
  #phonetic = 0;

  constructor(
    private readonly strings: readonly string[],
    private readonly dates: readonly boolean[],
    private readonly from1904: boolean,
    private readonly maxColumns: number,
  ) {}

  take(): { number: number; cells: string[] }[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, attributes: (name: string) => string | undefined): void {
    if (name === 'row') {
      this.#number = Number(attributes('r') ?? this.#number + 1);
      this.#cells = [];
      this.#column = 0;
    } else if (name === 'c') {
      const place = attributes('r');
      if (place) this.#column = columnOf(place);
      // One far away cell must not make a row of a million empty ones.
      if (this.#column > this.maxColumns) throw new BadXml('too many columns');
      this.#type = attributes('t') ?? 'n';
      this.#isDate = this.dates[Number(attributes('s') ?? -1)] ?? false;
      this.#value = '';
    } else if (name === 'rPh') this.#phonetic += 1;
    else if ((name === 'v' || name === 't') && this.#phonetic === 0) this.#inValue = true;
  }

  text(text: string): void {
    if (this.#inValue) this.#value += text;
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#inValue = false;
    else if (name === 'rPh') this.#phonetic -= 1;
    else if (name === 'c') {
      while (this.#cells.length < this.#column) this.#cells.push('');
      this.#cells[this.#column] = this.#textOf();
      this.#column += 1;
    } else if (name === 'row') this.#rows.push({ number: this.#number, cells: this.#cells });
  }

  #textOf(): string {
    const value = this.#value;
    switch (this.#type) {
      case 's':
        return (this.strings[Number(value)] ?? '').trim();
      case 'inlineStr':
      case 'str':
        return unescapeText(value).trim();
      case 'b':
        return value === '' ? '' : value === '1' ? 'TRUE' : 'FALSE';
      case 'e':
        return value;
      case 'd':
        return value.replace('T', ' ').slice(0, 19);
      default:
        return this.#isDate ? dateText(value, this.from1904) : numberText(value);
    }
  }
}

function scanPart(
  entry: ZipEntry | undefined,
  open: (name: string, attributes: (name: string) => string | undefined) => void,
  close: (name: string) => void = () => {},
): void {
  if (!entry) throw new BadArchive('a part is missing');
  const scanner = new XmlScanner({ open, close, text: () => {} });
  scanner.feed(unzipSmall(entry, PART_BYTES).toString('utf8'));
}

/** Number of a column from a cell's place, the first is 0. */
function columnOf(place: string): number {
  let column = 0;
  for (const letter of place) {
    const value = letter.charCodeAt(0) - 64;
    if (value < 1 || value > 26) break;
    column = column * 26 + value;
  }
  return column - 1;
}

function numberText(value: string): string {
  if (value === '') return '';
  const number = Number(value);
  if (!Number.isFinite(number)) return value.trim();
  // 0.1 + 0.2 is stored with 17 digits and shown with 15.
  return Number.isSafeInteger(number) ? String(number) : String(Number(number.toPrecision(15)));
}

function dateText(value: string, from1904: boolean): string {
  const days = Number(value);
  if (value === '' || !Number.isFinite(days) || days < 0 || days > 2_958_466) return value;
  const origin = Date.UTC(1899, 11, 30) + (from1904 ? 1462 * 86_400_000 : 0);
  // Whole seconds: the fraction of a day is not exact.
  const text = new Date(origin + Math.round(days * 86_400) * 1000).toISOString();
  if (days < 1 && !from1904) return text.slice(11, 19);
  return Number.isInteger(days) ? text.slice(0, 10) : `${text.slice(0, 10)} ${text.slice(11, 19)}`;
}

function unescapeText(text: string): string {
  return text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_whole, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text;
}
