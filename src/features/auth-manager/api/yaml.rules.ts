/** A value of JSON as YAML 1.2: block style, texts always quoted, so that nothing reads as something else. */
export function yamlOf(value: unknown): string {
  return `${block(value, 0).replace(/^\n/, '')}\n`;
}

function block(value: unknown, depth: number): string {
  const pad = '  '.repeat(depth);
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []';
    return value.map((one) => `\n${pad}-${inItem(one, depth)}`).join('');
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, one]) => one !== undefined);
    if (entries.length === 0) return ' {}';
    return entries.map(([name, one]) => `\n${pad}${JSON.stringify(name)}:${block(one, depth + 1)}`).join('');
  }
  return ` ${JSON.stringify(value ?? null)}`;
}

/** The first line of an entry of a list stands behind its dash. */
function inItem(value: unknown, depth: number): string {
  const text = block(value, depth + 1);
  return text.startsWith('\n') ? ` ${text.slice(1).trimStart()}` : text;
}
