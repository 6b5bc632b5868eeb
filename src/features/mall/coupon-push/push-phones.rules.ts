import { phonesIn, toldPlaces } from '../../../domain/message-send/phones.rules.ts';

/** Numbers of a list, each once, or why it cannot be taken: what is wrong or stands there twice by its place. */
export function readPhones(text: string): ReturnType<typeof phonesIn> {
  const read = phonesIn(text);
  if ('problem' in read) return read;
  const seen = new Set<string>();
  const doubles = read.phones.flatMap((phone, index) => {
    if (seen.has(phone)) return [index + 1];
    seen.add(phone);
    return [];
  });
  if (doubles.length === 0) return read;
  const [zh, en] = toldPlaces(doubles);
  return { problem: [`第 ${zh} 个手机号重复`, `Stands twice: no. ${en}`] };
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
