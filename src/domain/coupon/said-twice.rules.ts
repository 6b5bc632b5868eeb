import type { Label } from '../../kernel/contract/label.ts';

const BETWEEN = '｜';

/** A text in both languages as one value of a list; screens and files take the part of their reader. */
export function saidTwice([zh, en]: Label): string {
  return `${zh}${BETWEEN}${en}`;
}

/** Both parts of such a text. */
export function partsOfSaid(value: unknown): Label {
  const [zh = '', en = zh] = String(value ?? '').split(BETWEEN);
  return [zh, en];
}
