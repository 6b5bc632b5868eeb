import type { Label } from '../../kernel/contract/label.ts';

/** Most numbers of a list. */
export const MOST_PHONES = 10_000;

/** Places in a list that are told in a refusal, in both languages. */
export function toldPlaces(places: readonly number[]): readonly [string, string] {
  const told = places.slice(0, 10);
  return [told.join('、'), told.join(', ')];
}

/** Numbers of a list as they stand there, or why it cannot be taken: the first wrong ones by their place. */
export function phonesIn(text: string): { readonly phones: readonly string[] } | { readonly problem: Label } {
  const phones = text.split(/[\s,，;；]+/).filter((line) => line !== '');
  if (phones.length > MOST_PHONES)
    return { problem: [`最多${MOST_PHONES}个手机号`, `At most ${MOST_PHONES} phones`] };
  const bad = phones.flatMap((line, index) => (/^1\d{10}$/.test(line) ? [] : [index + 1]));
  if (bad.length === 0) return { phones };
  const [zh, en] = toldPlaces(bad);
  return { problem: [`第 ${zh} 个手机号格式不正确`, `Not a phone number: no. ${en}`] };
}

/** {@link phonesIn}, each number once, with how many stood there twice. */
export function readPhoneList(
  text: string,
): { readonly phones: readonly string[]; readonly doubles: number } | { readonly problem: Label } {
  const read = phonesIn(text);
  if ('problem' in read) return read;
  const phones = [...new Set(read.phones)];
  return { phones, doubles: read.phones.length - phones.length };
}
