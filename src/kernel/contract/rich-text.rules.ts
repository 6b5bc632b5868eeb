const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'title'],
  abbr: [],
  b: [],
  blockquote: [],
  br: [],
  code: [],
  del: [],
  div: [],
  em: [],
  figcaption: [],
  figure: [],
  h1: [],
  h2: [],
  h3: [],
  h4: [],
  h5: [],
  h6: [],
  hr: [],
  i: [],
  img: ['src', 'alt', 'title', 'width', 'height'],
  ins: [],
  li: [],
  ol: [],
  p: [],
  pre: [],
  s: [],
  small: [],
  span: [],
  strong: [],
  sub: [],
  sup: [],
  table: [],
  tbody: [],
  td: ['colspan', 'rowspan'],
  tfoot: [],
  th: ['colspan', 'rowspan'],
  thead: [],
  tr: [],
  u: [],
  ul: [],
};
const VOID = new Set(['br', 'hr', 'img']);
/** Their content is not text, so it goes with them. */
const DROPPED = new Set([
  'script',
  'style',
  'iframe',
  'object',
  'embed',
  'template',
  'noscript',
  'svg',
  'math',
  'title',
]);

/**
 * Formatted text with nothing but harmless tags: it is written anew from what is allowed, so that whatever a browser
 * might make of the rest never gets through. Texts are escaped; links keep http, https, mailto, tel and own paths,
 * pictures https and own files. Source: ground rules section 14 (sanitised when written and when shown).
 */
export function sanitizeRichText(html: string): string {
  let out = '';
  const open: string[] = [];
  let at = 0;
  while (at < html.length) {
    const next = html.indexOf('<', at);
    if (next < 0) return out + textPart(html.slice(at)) + closing(open);
    out += textPart(html.slice(at, next));
    if (html.startsWith('<!--', next)) {
      const end = html.indexOf('-->', next + 4);
      at = end < 0 ? html.length : end + 3;
      continue;
    }
    const tag = TAG.exec(html.slice(next, next + MOST_TAG));
    if (!tag) {
      out += '&lt;';
      at = next + 1;
      continue;
    }
    at = next + tag[0].length;
    const name = tag[2]!.toLowerCase();
    if (DROPPED.has(name)) {
      if (tag[1] === '') at = endOf(html, name, at);
    } else if (!Object.hasOwn(ALLOWED, name)) continue;
    else if (tag[1] === '/') {
      const place = open.lastIndexOf(name);
      if (place < 0) continue;
      out += open
        .slice(place)
        .reverse()
        .map((one) => `</${one}>`)
        .join('');
      open.length = place;
    } else {
      out += `<${name}${attributes(name, tag[3] ?? '')}>`;
      if (!VOID.has(name)) open.push(name);
    }
  }
  return out + closing(open);
}

const MOST_TAG = 4_000;
const TAG = /^<(\/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s|\/)(?:[^<>"']|"[^"]*"|'[^']*')*)?>/;
const ATTRIBUTE = /([a-zA-Z][a-zA-Z0-9-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/g;

function attributes(name: string, text: string): string {
  let out = '';
  const seen = new Set<string>();
  for (const match of text.matchAll(ATTRIBUTE)) {
    const attribute = match[1]!.toLowerCase();
    const value = decoded(match[2] ?? match[3] ?? match[4] ?? '');
    if (!ALLOWED[name]!.includes(attribute) || seen.has(attribute) || !isHarmless(attribute, value)) continue;
    seen.add(attribute);
    out += ` ${attribute}="${escaped(value)}"`;
  }
  return name === 'a' && seen.has('href') ? `${out} rel="noopener noreferrer"` : out;
}

function isHarmless(attribute: string, value: string): boolean {
  // eslint-disable-next-line no-control-regex
  const bare = value.replace(/[\u0000-\u0020]/g, '').toLowerCase();
  if (attribute === 'href') return /^(https?:\/\/|mailto:|tel:|#|\/(?!\/))/.test(bare);
  if (attribute === 'src') return /^(https:\/\/|\/api\/file\/)/.test(bare);
  if (attribute === 'width' || attribute === 'height' || attribute.endsWith('span'))
    return /^\d{1,4}$/.test(bare);
  return true;
}

function endOf(html: string, name: string, from: number): number {
  const end = html.toLowerCase().indexOf(`</${name}`, from);
  if (end < 0) return html.length;
  const close = html.indexOf('>', end);
  return close < 0 ? html.length : close + 1;
}

function closing(open: readonly string[]): string {
  return [...open]
    .reverse()
    .map((name) => `</${name}>`)
    .join('');
}

/** Text between tags; entities that were written stay as they are. */
function textPart(text: string): string {
  return text
    .replace(/&(?!(?:[a-zA-Z][a-zA-Z0-9]{1,31}|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)/g, '&amp;')
    .replace(/>/g, '&gt;');
}

function decoded(value: string): string {
  return value
    .replace(/&#[xX]([0-9a-fA-F]{1,6});?/g, (_, hex: string) => characterOf(Number.parseInt(hex, 16)))
    .replace(/&#(\d{1,7});?/g, (_, digits: string) => characterOf(Number(digits)))
    .replace(/&(colon|tab|newline|lt|gt|quot|apos|amp);/gi, (_, name: string) => NAMED[name.toLowerCase()]!);
}

const NAMED: Readonly<Record<string, string>> = {
  colon: ':',
  tab: '\t',
  newline: '\n',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
};

function characterOf(code: number): string {
  return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    ? String.fromCodePoint(code)
    : '';
}

function escaped(value: string): string {
  return value.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
