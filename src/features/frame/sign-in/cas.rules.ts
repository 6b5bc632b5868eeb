/** What a CAS server says about a ticket. */
export type CasAnswer = { readonly user: string } | { readonly failure: string };

/**
 * Reads the answer of `/p3/serviceValidate`. Anything that is not exactly such a document (a document type, comments,
 * processing instructions, unbalanced tags, two users) gives a failure. Source: CAS protocol 3.0, section 2.5.
 */
export function readCasAnswer(xml: string): CasAnswer {
  const root = parseElements(xml);
  if (!root || root.name !== 'serviceResponse') return { failure: 'malformed' };
  const success = root.children.filter((child) => child.name === 'authenticationSuccess');
  if (success.length !== 1 || root.children.length !== 1) {
    const failure = root.children.find((child) => child.name === 'authenticationFailure');
    return { failure: failure?.attributes.code ?? 'malformed' };
  }
  const users = success[0]!.children.filter((child) => child.name === 'user');
  const user =
    users.length === 1 && users[0]!.children.length === 0 ? users[0]!.text.replace(XML_SPACE, '') : '';
  return user === '' ? { failure: 'malformed' } : { user };
}

// Not what JavaScript trims: a name that begins with another kind of space is another name.
const XML_SPACE = /^[ \t\r\n]+|[ \t\r\n]+$/g;

interface Element {
  /** Name without prefix. */
  readonly name: string;
  readonly qualified: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

const MOST_ELEMENTS = 1_000;
const TAG =
  /<(\/?)([A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;

/** A tiny reader of elements, attributes and text: no document type, so no entities of anybody's making. */
function parseElements(xml: string): Element | undefined {
  const text = xml.replace(/^\uFEFF?\s*(<\?xml[^?<>]*\?>)?\s*/, '').trimEnd();
  const open: Element[] = [];
  let root: Element | undefined;
  let count = 0;
  for (let at = 0; at < text.length;) {
    if (text[at] !== '<') {
      const end = text.indexOf('<', at);
      const top = open.at(-1);
      if (end === -1 || !top) return undefined;
      const clear = unescapeText(text.slice(at, end));
      if (clear === undefined) return undefined;
      top.text += clear;
      at = end;
      continue;
    }
    TAG.lastIndex = at;
    const match = TAG.exec(text);
    if (!match || ++count > MOST_ELEMENTS) return undefined;
    at = TAG.lastIndex;
    const [, closing, qualified, attributes, selfClosing] = match as unknown as [
      string,
      string,
      string,
      string,
      string,
    ];
    if (closing) {
      if (attributes || selfClosing || open.pop()?.qualified !== qualified) return undefined;
      if (open.length === 0 && at < text.length) return undefined;
      continue;
    }
    const element: Element = {
      name: qualified.slice(qualified.indexOf(':') + 1),
      qualified,
      attributes: attributesOf(attributes),
      children: [],
      text: '',
    };
    const parent = open.at(-1);
    if (parent) parent.children.push(element);
    else if (root) return undefined;
    else root = element;
    if (!selfClosing) open.push(element);
  }
  return open.length === 0 ? root : undefined;
}

function attributesOf(text: string): Record<string, string> {
  const attributes: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [, name, value] of text.matchAll(/([\w:.-]+)\s*=\s*("[^"]*"|'[^']*')/g))
    attributes[name!] = unescapeText(value!.slice(1, -1)) ?? '';
  return attributes;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescapeText(text: string): string | undefined {
  let isGood = true;
  const clear = text.replace(/&([^;&\s]{1,10});|&/g, (_whole, name: string | undefined) => {
    if (name !== undefined && Object.hasOwn(ENTITIES, name)) return ENTITIES[name]!;
    const code = name === undefined ? null : /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/.exec(name);
    const point = code ? (code[1] ? parseInt(code[1], 16) : Number(code[2])) : -1;
    if (point > 0 && point <= 0x10ffff) return String.fromCodePoint(point);
    isGood = false;
    return '';
  });
  return isGood ? clear : undefined;
}
