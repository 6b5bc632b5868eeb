/** What the tool bar of the formatted text input puts in. */
export type TagKind = 'heading' | 'bold' | 'italic' | 'list' | 'numbered' | 'link' | 'image';

/** Puts a tag around the selected part of a text and says what is selected afterwards. `extra` is the image's address. */
export function insertTag(
  html: string,
  from: number,
  to: number,
  kind: TagKind,
  extra = '',
): { html: string; start: number; end: number } {
  const chosen = html.slice(from, to);
  const [open, inner, close] = partsOf(kind, chosen, extra);
  const start = from + open.length;
  return {
    html: html.slice(0, from) + open + inner + close + html.slice(to),
    start,
    end: start + inner.length,
  };
}

function partsOf(kind: TagKind, chosen: string, extra: string): [string, string, string] {
  switch (kind) {
    case 'heading':
      return ['<h3>', chosen, '</h3>\n'];
    case 'bold':
      return ['<b>', chosen, '</b>'];
    case 'italic':
      return ['<i>', chosen, '</i>'];
    case 'list':
    case 'numbered': {
      const tag = kind === 'list' ? 'ul' : 'ol';
      const items = (chosen || '').split('\n').map((line) => `  <li>${line}</li>`);
      return [`<${tag}>\n`, items.join('\n'), `\n</${tag}>\n`];
    }
    case 'link':
      return [`<a href="https://">`, chosen, '</a>'];
    case 'image':
      return [
        '',
        `<img src="${extra.replace(/"/g, '&quot;')}" alt="${chosen.replace(/"/g, '&quot;')}">`,
        '\n',
      ];
  }
}
