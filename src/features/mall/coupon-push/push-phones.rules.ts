import type { Label } from '../../../kernel/contract/label.ts';

/** Most numbers of a list. */
export const MOST_PHONES = 10_000;

/** Numbers of a list, one a line, or why it cannot be taken: the first wrong lines by their number. */
export function readPhones(
  text: string,
): { readonly phones: readonly string[] } | { readonly problem: Label } {
  const lines = text.split(/[\s,，;；]+/).filter((line) => line !== '');
  if (lines.length > MOST_PHONES)
    return { problem: [`最多${MOST_PHONES}个手机号`, `At most ${MOST_PHONES} phones`] };
  const bad = lines.flatMap((line, index) => (/^1\d{10}$/.test(line) ? [] : [index + 1]));
  if (bad.length > 0) {
    const told = bad.slice(0, 10);
    return {
      problem: [`第 ${told.join('、')} 个手机号格式不正确`, `Not a phone number: no. ${told.join(', ')}`],
    };
  }
  const seen = new Map<string, number>();
  const doubles = lines.flatMap((line, index) => {
    if (seen.has(line)) return [index + 1];
    seen.set(line, index);
    return [];
  });
  if (doubles.length > 0) {
    const told = doubles.slice(0, 10);
    return { problem: [`第 ${told.join('、')} 个手机号重复`, `Stands twice: no. ${told.join(', ')}`] };
  }
  return { phones: lines };
}

/**
 * Numbers of a text or CSV file, one a line: of each line the cell that looks like one, else its first cell, so that what is
 * wrong is named when it is saved; a heading is left out.
 */
export function phonesOfFile(content: string): string {
  const cells = content
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.split(/[,;\t，；]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1')))
    .filter((line) => line.some((cell) => cell !== ''));
  return cells
    .map((line) => line.find((cell) => /^1\d{10}$/.test(cell)) ?? line.find((cell) => cell !== '')!)
    .filter((cell, index) => index > 0 || /\d/.test(cell))
    .join('\n');
}
