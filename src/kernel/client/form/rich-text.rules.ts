/** Tags the editor keeps as they are or turns into others that look the same. */
const KEPT = new Set(
  'p br b strong i em u ins s del h1 h2 h3 h4 h5 h6 ul ol li blockquote a img hr code pre span div'.split(
    ' ',
  ),
);

/** True when a text holds what the editor would lose, such as a table: it is then changed in its source only. */
export function needsSource(html: string): boolean {
  for (const [, tag] of html.matchAll(/<([a-z][a-z0-9]*)/gi)) if (!KEPT.has(tag!.toLowerCase())) return true;
  return false;
}

/** An address as a link takes it: own paths and http, https, mailto, tel; a bare host gets https. Undefined: no address. */
export function linkAddress(typed: string): string | undefined {
  const text = typed.trim();
  if (text === '' || /\s/.test(text)) return undefined;
  if (/^(https?:\/\/|mailto:|tel:|\/(?!\/))/i.test(text)) return text;
  if (text.startsWith('//')) return `https:${text}`;
  if (/^[a-z][a-z0-9+.-]*:/i.test(text) && !/^[^/]+:\d+(\/|$)/.test(text)) return undefined;
  return `https://${text}`;
}
