/** Rows of a CSV as texts, quotes resolved. Never fails: what is no CSV comes out as one column. */
export function* readCsv(content: Buffer): Generator<{ number: number; cells: string[] }> {
  const text = decodeText(content);
  const separator = separatorOf(text);
  let number = 1;
  let started = 1;
  let cells: string[] = [];
  let at = 0;
  while (at < text.length) {
    const [cell, next, lines] = readCell(text, at, separator);
    number += lines;
    cells.push(cell.trim());
    const sign = text[next];
    at = next + 1;
    if (sign === separator && at <= text.length) {
      if (at === text.length) cells.push('');
      continue;
    }
    if (sign === '\r' && text[at] === '\n') at += 1;
    yield { number: started, cells };
    number += 1;
    started = number;
    cells = [];
  }
  if (cells.length > 0) yield { number: started, cells };
}

/** Text of a file in the encodings Chinese offices use. */
function decodeText(content: Buffer): string {
  if (content[0] === 0xff && content[1] === 0xfe) return new TextDecoder('utf-16le').decode(content);
  if (content[0] === 0xfe && content[1] === 0xff) return new TextDecoder('utf-16be').decode(content);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return new TextDecoder('gb18030').decode(content);
  }
}

function separatorOf(text: string): string {
  const line = text.slice(0, 10_000).split(/[\r\n]/, 1)[0] ?? '';
  const counts = [',', '\t', ';'].map((sign) => [sign, line.split(sign).length] as const);
  return counts.reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}

/** A cell from `at`: its text, the place of the sign that ends it, and line breaks inside. */
function readCell(text: string, at: number, separator: string): [string, number, number] {
  if (text[at] !== '"') {
    let end = at;
    while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1;
    return [text.slice(at, end), end, 0];
  }
  let cell = '';
  let from = at + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) {
      cell += text.slice(from);
      return [cell, text.length, cell.split('\n').length - 1];
    }
    cell += text.slice(from, quote);
    if (text[quote + 1] !== '"') {
      let end = quote + 1;
      while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r')
        end += 1;
      return [cell + text.slice(quote + 1, end), end, cell.split('\n').length - 1];
    }
    cell += '"';
    from = quote + 2;
  }
}
