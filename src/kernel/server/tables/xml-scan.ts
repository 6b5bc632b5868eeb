/** What a scanner tells its owner. Names come without prefix. */
export interface XmlHandler {
  open(name: string, attributes: (name: string) => string | undefined): void;
  close(name: string): void;
  text(text: string): void;
}

/** The text is no XML this reader accepts. */
export class BadXml extends Error {}

/**
 * Scans XML piece by piece. Knows elements, attributes, text, CDATA, comments and the five entities. Declarations of
 * types are refused: nothing in a table needs them, and entities that expand are how small files become large.
 */
export class XmlScanner {
  #rest = '';

  constructor(private readonly handler: XmlHandler) {}

  /** Takes the next piece of the document. Throws BadXml. */
  feed(piece: string): void {
    const text = this.#rest + piece;
    let at = 0;
    for (;;) {
      const start = text.indexOf('<', at);
      if (start < 0) break;
      if (start > at) this.handler.text(decode(text.slice(at, start)));
      at = start;
      const end = this.#tagEnd(text, start);
      if (end < 0) break;
      this.#tag(text, start, end);
      at = end;
    }
    const open = text.indexOf('<', at);
    // Text before an unfinished tag may end inside an entity, so it waits as well.
    this.#rest = text.slice(at);
    if (open < 0 && this.#rest.length > LONGEST) throw new BadXml('text is too long');
    if (this.#rest.length > LONGEST * 2) throw new BadXml('tag is too long');
  }

  /** Ends the document. Throws BadXml when something is unfinished. */
  finish(): void {
    if (this.#rest.trim() !== '') throw new BadXml('the document is cut off');
  }

  #tagEnd(text: string, start: number): number {
    if (text.startsWith('<!--', start)) return after(text.indexOf('-->', start + 4), 3);
    if (text.startsWith('<![CDATA[', start)) return after(text.indexOf(']]>', start + 9), 3);
    if (text.startsWith('<?', start)) return after(text.indexOf('?>', start + 2), 2);
    if (text.startsWith('<!', start)) {
      if (
        '<!--'.startsWith(text.slice(start, start + 4)) ||
        '<![CDATA['.startsWith(text.slice(start, start + 9))
      )
        return -1;
      throw new BadXml('declarations are not accepted');
    }
    return markupEnd(text, start);
  }

  #tag(text: string, start: number, end: number): void {
    const second = text.charCodeAt(start + 1);
    if (second === 0x3f) return;
    if (second === 0x21) {
      if (text.startsWith('<![CDATA[', start)) this.handler.text(text.slice(start + 9, end - 3));
      return;
    }
    if (second === 0x2f) return this.handler.close(localName(text.slice(start + 2, end - 1).trim()));
    const empty = text.charCodeAt(end - 2) === 0x2f;
    const body = text.slice(start + 1, empty ? end - 2 : end - 1);
    const gap = body.search(/\s/);
    const name = localName(gap < 0 ? body : body.slice(0, gap));
    this.handler.open(name, (wanted) => (gap < 0 ? undefined : attribute(body, wanted)));
    if (empty) this.handler.close(name);
  }
}

// Longer than any cell may be, with its escapes.
const LONGEST = 1_000_000;

function after(found: number, length: number): number {
  return found < 0 ? -1 : found + length;
}

/** End of a tag; a `>` between quotes does not end it. */
function markupEnd(text: string, start: number): number {
  let end = text.indexOf('>', start + 1);
  let quote = text.indexOf('"', start + 1);
  while (end >= 0 && quote >= 0 && quote < end) {
    const closing = text.indexOf('"', quote + 1);
    if (closing < 0) return -1;
    if (closing > end) end = text.indexOf('>', closing + 1);
    quote = text.indexOf('"', closing + 1);
  }
  return after(end, 1);
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
}

function attribute(tag: string, name: string): string | undefined {
  const match = new RegExp(`\\s(?:\\w+:)?${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag);
  const value = match?.[1] ?? match?.[2];
  return value === undefined ? undefined : decode(value);
}

function decode(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(#x[0-9a-fA-F]{1,6}|#\d{1,7}|amp|lt|gt|quot|apos);/g, (whole, entity: string) => {
    if (entity[0] !== '#') return NAMED[entity] ?? whole;
    const code = entity[1] === 'x' ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1));
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
      ? String.fromCodePoint(code)
      : '';
  });
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
