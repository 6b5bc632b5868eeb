import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { deflateRawSync } from 'node:zlib';
import { zipSync, strToU8 } from 'fflate';
import { describe, expect, it } from 'vitest';
import { BadTable, readTable } from './table-reader.ts';
import { csvCell, isFormulaLike, type CellValue } from './xlsx-cells.ts';
import { createXlsxWriter, type XlsxSpec } from './xlsx-writer.ts';
import { unzipSmall, zipEntries } from './zip-entries.ts';

async function write(
  spec: XlsxSpec,
  batches: readonly (readonly (readonly CellValue[])[])[],
): Promise<Buffer> {
  const writer = createXlsxWriter(spec);
  const [content] = await Promise.all([
    buffer(writer.output),
    (async () => {
      for (const batch of batches) await writer.write(batch);
      await writer.finish();
    })(),
  ]);
  return content;
}

it('writes further sheets with columns of their own, never two of one name', async () => {
  const writer = createXlsxWriter({ title: '表', columns: [{ title: '名称', kind: 'text' }] });
  const [content] = await Promise.all([
    buffer(writer.output),
    (async () => {
      await writer.write([['张三']]);
      await writer.next({
        title: '表',
        columns: [
          { title: '指标', kind: 'text' },
          { title: '值', kind: 'decimal' },
        ],
      });
      await writer.write([['完成率', '77.8']]);
      await writer.next({ title: '口径', columns: [{ title: '定义', kind: 'text' }] });
      await writer.finish();
    })(),
  ]);
  const book = partOf(content, 'xl/workbook.xml');
  expect([...book.matchAll(/<sheet name="([^"]+)"/g)].map((one) => one[1])).toEqual(['表', '表 (2)', '口径']);
  expect(partOf(content, 'xl/worksheets/sheet2.xml')).toContain('77.8');
  expect(await read(content)).toEqual([['名称'], ['张三']]);
});

async function read(content: Buffer, maxRows = 100, maxColumns = 50): Promise<(readonly string[])[]> {
  const rows: (readonly string[])[] = [];
  for await (const row of readTable(content, { maxRows, maxColumns })) rows.push(row.cells);
  return rows;
}

const partOf = (content: Buffer, name: string) =>
  unzipSmall(zipEntries(content).get(name)!, 10_000_000).toString();
const columns = [
  { title: '名称', kind: 'text' as const },
  { title: '金额', kind: 'money' as const },
  { title: '数量', kind: 'integer' as const },
  { title: '时间', kind: 'instant' as const },
  { title: '比例', kind: 'decimal' as const },
];

describe('xlsx writer', () => {
  it('writes typed cells, header, foot and widths that read back equal', async () => {
    const content = await write({ title: '退款审核', columns, foot: '王小明 1234 2026-11-21 08:00' }, [
      [['张三 <b>&"', '128.00', 3, '2026-11-21T08:00:00+08:00', '12.5']],
      [
        ['line\nbreak', '-0.05', null, '2026-11-21 09:00:00', 'n/a'],
        ['_x0041_ 😀', '123456789012345678.00', 2, null, null],
      ],
    ]);
    expect(await read(content)).toEqual([
      ['名称', '金额', '数量', '时间', '比例'],
      ['张三 <b>&"', '128', '3', '2026-11-21 08:00:00', '12.5'],
      ['line\nbreak', '-0.05', '', '2026-11-21 09:00:00', 'n/a'],
      ['_x0041_ 😀', '123456789012345678.00', '2'],
      ['王小明 1234 2026-11-21 08:00'],
    ]);
    const sheet = partOf(content, 'xl/worksheets/sheet1.xml');
    expect(sheet).toContain('<c r="B2" s="2"><v>128.00</v></c>');
    expect(sheet).toContain('<c r="C2" s="3"><v>3</v></c>');
    expect(sheet).toContain('state="frozen"');
    expect(sheet).toContain('<row r="6"><c r="A6" s="6"');
    expect(sheet).toContain('<cols><col min="1"');
    expect(sheet).toContain('<headerFooter>');
  });

  it('never lets a text become a formula', async () => {
    const dangerous = [
      '=1+1',
      '+86 10',
      '-5',
      '@SUM(A1)',
      '\t=1',
      '\r=1',
      '\n=1',
      ' =1',
      '＝1',
      '＋1',
      '－1',
      '＠a',
      '\u3000=1',
      '\ufeff=1',
    ];
    for (const text of dangerous) expect(isFormulaLike(text), JSON.stringify(text)).toBe(true);
    for (const text of ['abc', '中文', '1-2', '', 'a=1', '😀', '(1)'])
      expect(isFormulaLike(text)).toBe(false);
    const content = await write({ title: 't', columns: [columns[0]!] }, [dangerous.map((text) => [text])]);
    const sheet = partOf(content, 'xl/worksheets/sheet1.xml');
    expect(sheet).not.toContain('<f>');
    expect(sheet.match(/s="5" t="inlineStr"/g)).toHaveLength(dangerous.length);
    // A money column keeps its negative numbers as numbers and takes nothing else for one.
    const money = partOf(
      await write({ title: 't', columns: [columns[1]!] }, [[['-5.00'], ['=1+1'], ['1e5']]]),
      'xl/worksheets/sheet1.xml',
    );
    expect(money).toContain('<v>-5.00</v>');
    expect(money).toContain('t="inlineStr"><is><t>=1+1</t>');
    expect(money).toContain('t="inlineStr"><is><t>1e5</t>');
    expect(csvCell('=1+1')).toBe("'=1+1");
    expect(csvCell('\t=1')).toBe(`"'\t=1"`);
    expect(csvCell('a "b", c')).toBe('"a ""b"", c"');
    expect(csvCell(-5)).toBe('-5');
  });

  it('drops what XML cannot carry and cuts what Excel cannot', async () => {
    const content = await write({ title: 'a/b:c*[d]?', columns: [columns[0]!] }, [
      [['a\u0000b\u0001\ufffe'], ['\ud800x'], ['x'.repeat(40_000)]],
    ]);
    const rows = await read(content);
    expect(rows[1]).toEqual(['ab']);
    expect(rows[2]).toEqual(['\ufffdx']);
    expect(rows[3]![0]).toHaveLength(32_767);
    expect(partOf(content, 'xl/workbook.xml')).toContain('name="a b c  d"');
  });

  it('begins another sheet when one is full', async () => {
    const content = await write({ title: '表', columns: [columns[2]!], rowsPerSheet: 2, foot: 'foot' }, [
      [[1], [2], [3]],
      [[4], [5]],
    ]);
    const names = [...zipEntries(content).keys()].filter((name) => name.includes('sheet'));
    expect(names).toEqual([
      'xl/worksheets/sheet1.xml',
      'xl/worksheets/sheet2.xml',
      'xl/worksheets/sheet3.xml',
    ]);
    expect(partOf(content, 'xl/worksheets/sheet2.xml')).toContain(
      '<row r="2"><c r="A2" s="3"><v>3</v></c></row><row r="3"><c r="A3" s="3"><v>4</v></c></row><row r="5">',
    );
    expect(partOf(content, 'xl/workbook.xml')).toContain('name="表 (3)"');
    expect(await read(await write({ title: '表', columns: [columns[2]!] }, []))).toEqual([['数量']]);
  });

  it('is a package strict readers accept', async () => {
    const content = await write({ title: '表', columns, foot: 'A & B' }, [
      [['a', '1.00', 1, null, '2']],
      [['=x', null, null, null, null]],
    ]);
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'xlsx-')), 'a.xlsx');
    fs.writeFileSync(file, content);
    expect(execFileSync('python3', ['-c', CHECK, file], { encoding: 'utf8' }).trim()).toBe(
      'ok 1 sheets 4 rows',
    );
  });

  it('fails instead of hanging when its reader goes away or it is given up', async () => {
    const rows = Array.from({ length: 2_000 }, () => ['中'.repeat(50), '1.00', 1, null, null] as CellValue[]);
    const gone = createXlsxWriter({ title: 't', columns });
    gone.output.once('data', () => gone.output.destroy());
    await expect(
      (async () => {
        for (let n = 0; n < 500; n++) await gone.write(rows);
      })(),
    ).rejects.toThrow('gone');
    const given = createXlsxWriter({ title: 't', columns });
    const reading = buffer(given.output);
    await given.write(rows);
    given.abort(new Error('cancelled'));
    await expect(reading).rejects.toThrow('cancelled');
    await expect(given.write(rows)).rejects.toThrow('cancelled');
  });
});

describe('table reader', () => {
  const book = (sheet: string, more: Record<string, string> = {}) =>
    Buffer.from(
      zipSync(
        Object.fromEntries(
          Object.entries({
            'xl/workbook.xml':
              '<x:workbook xmlns:x="a" xmlns:r="b"><x:sheets><x:sheet name="s" r:id="rId7"/></x:sheets></x:workbook>',
            'xl/_rels/workbook.xml.rels':
              '<Relationships><Relationship Id="rId7" Target="worksheets/data.xml"/></Relationships>',
            'xl/worksheets/data.xml': sheet,
            ...more,
          }).map(([name, text]) => [name, strToU8(text)]),
        ),
      ),
    );

  it('reads shared and inline strings, dates, numbers, gaps and prefixes', async () => {
    const sheet = `<?xml version="1.0"?><x:worksheet xmlns:x="a"><x:sheetData>
      <x:row r="1"><x:c r="A1" t="s"><x:v>1</x:v></x:c><x:c r="C1" t="inlineStr"><x:is><x:r><x:t>a</x:t></x:r><x:r><x:t>b</x:t></x:r></x:is></x:c></x:row>
      <x:row r="4"><x:c s="1"><x:v>45981</x:v></x:c><x:c s="2"><x:v>45981.5</x:v></x:c><x:c><x:v>13812345678</x:v></x:c><x:c><x:v>0.30000000000000004</x:v></x:c><x:c t="b"><x:v>1</x:v></x:c><x:c t="str"><x:f>1+1</x:f><x:v>x &amp; y</x:v></x:c></x:row>
    </x:sheetData></x:worksheet>`;
    const content = book(sheet, {
      'xl/sharedStrings.xml':
        '<sst><si><t>x</t></si><si><r><t>手</t></r><r><t>机</t></r><rPh><t>shou</t></rPh></si></sst>',
      'xl/styles.xml':
        '<styleSheet><numFmts><numFmt numFmtId="180" formatCode="[&gt;=1]yyyy&quot;x&quot;-mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="180"/></cellXfs></styleSheet>',
    });
    expect(await read(content)).toEqual([
      ['手机', '', 'ab'],
      ['2025-11-20', '2025-11-20 12:00:00', '13812345678', '0.3', 'TRUE', 'x & y'],
    ]);
  });

  it('reads CSV in the encodings and separators of offices', async () => {
    const text = '名称;数量\r\n"a;""b""\nc";2\r\n\r\nd;';
    const wanted = [
      ['名称', '数量'],
      ['a;"b"\nc', '2'],
      ['d', ''],
    ];
    expect(await read(Buffer.from(`\ufeff${text}`))).toEqual(wanted);
    const gbk = Buffer.from([0xc3, 0xfb, 0xb3, 0xc6, 0x2c, 0x31, 0x0a]);
    expect(await read(gbk)).toEqual([['名称', '1']]);
    expect(await read(Buffer.from(`\ufeff${text}`, 'utf16le'))).toEqual(wanted);
  });

  it('refuses bombs, lies, type declarations and nonsense quickly', async () => {
    const reasons = async (content: Buffer, maxRows = 100) => {
      const started = performance.now();
      const reason = await read(content, maxRows).then(
        () => 'fine',
        (error: BadTable) => error.reason,
      );
      expect(performance.now() - started).toBeLessThan(3_000);
      return reason;
    };
    const row = '<row><c><v>1</v></c></row>';
    expect(await reasons(book(`<worksheet><sheetData>${row.repeat(200)}`), 100)).toBe('rows');
    expect(await reasons(book('<!DOCTYPE x [<!ENTITY a "aa">]><worksheet/>'))).toBe('damaged');
    expect(await reasons(book(`<worksheet><row><c r="XFD1"><v>1</v></c></row></worksheet>`))).toBe('damaged');
    expect(await reasons(book('<worksheet><sheetData><row><c><v>1</v></c></row>'.slice(0, -3)))).toBe(
      'damaged',
    );
    expect(await reasons(Buffer.from('PK\x03\x04 nonsense'))).toBe('damaged');
    expect(await reasons(book('<worksheet/>'))).toBe('empty');
    // 400 MB of blanks from some 400 KB: unpacked size is counted, not believed.
    const bomb = book(`<worksheet>${' '.repeat(1_000)}</worksheet>`, {});
    const packed = deflateRawSync(Buffer.alloc(450 * 1024 * 1024, ' '), { level: 1 });
    expect(await reasons(withEntry(bomb, packed))).toBe('damaged');
    const lie = book('<worksheet/>', { 'xl/styles.xml': 'x'.repeat(6_000_000) });
    expect(await reasons(lie)).toBe('damaged');
  });
});

/** The archive with the sheet replaced by raw deflate data; sizes in the directory lie. */
function withEntry(archive: Buffer, packed: Buffer): Buffer {
  const entries = [...zipEntries(archive).values()];
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const data = entry.name.endsWith('data.xml') ? packed : entry.packed;
    const name = Buffer.from(entry.name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(entry.method === 0 ? 0 : 8, 8);
    local.writeUInt16LE(name.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(entry.name.endsWith('data.xml') ? 8 : entry.method, 10);
    central.writeUInt32LE(data.length, 20);
    central.writeUInt32LE(100, 24);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt32LE(at, 42);
    parts.push(local, name, data);
    directory.push(central, name);
    at += 30 + name.length + data.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

// Well-formed XML, every relationship leads to a part, every part has a content type, cells in order, styles exist.
const CHECK = `
import sys, zipfile, posixpath, re
import xml.etree.ElementTree as E
z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None
names = z.namelist(); trees = {n: E.fromstring(z.read(n)) for n in names}
types = trees['[Content_Types].xml']
over = {o.get('PartName') for o in types if o.tag.endswith('Override')}; ext = {o.get('Extension') for o in types if o.tag.endswith('Default')}
for n in names: assert n == '[Content_Types].xml' or '/' + n in over or n.rsplit('.', 1)[1] in ext, n
for o in over: assert o[1:] in names, o
for n in names:
    if n.endswith('.rels'):
        base = posixpath.dirname(posixpath.dirname(n))
        for r in trees[n]: assert posixpath.normpath(posixpath.join(base, r.get('Target'))) in names, r.get('Target')
S = '{http://schemas.openxmlformats.org/spreadsheetml/2006/main}'
xfs = len(trees['xl/styles.xml'].find(S + 'cellXfs')); fonts = len(trees['xl/styles.xml'].find(S + 'fonts')); fills = len(trees['xl/styles.xml'].find(S + 'fills'))
for x in trees['xl/styles.xml'].find(S + 'cellXfs'): assert int(x.get('fontId')) < fonts and int(x.get('fillId')) < fills
assert int(trees['xl/styles.xml'].find(S + 'cellXfs').get('count')) == xfs
rows = 0; sheets = 0
for n in names:
    if not n.startswith('xl/worksheets/'): continue
    sheets += 1; last = 0
    order = [c.tag[len(S):] for c in trees[n]]
    assert order == [t for t in ['sheetViews', 'sheetFormatPr', 'cols', 'sheetData', 'headerFooter'] if t in order], order
    for r in trees[n].find(S + 'sheetData'):
        assert int(r.get('r')) > last; last = int(r.get('r')); rows += 1; col = 0
        for c in r:
            m = re.fullmatch(r'([A-Z]+)(\\d+)', c.get('r')); assert int(m.group(2)) == last
            k = 0
            for ch in m.group(1): k = k * 26 + ord(ch) - 64
            assert k > col; col = k; assert int(c.get('s', '0')) < xfs
            assert c.get('t') != 'inlineStr' or c.find(S + 'is') is not None
print('ok', sheets, 'sheets', rows, 'rows')
`;
