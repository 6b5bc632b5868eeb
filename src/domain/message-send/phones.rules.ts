import type { Label } from '../../kernel/contract/label.ts';

/** Most numbers of a list. */
const MOST = 10_000;

/** Numbers of a list, each once, with how many stood there twice; or why it cannot be taken, by the first wrong lines. */
export function readPhoneList(
  text: string,
): { readonly phones: readonly string[]; readonly doubles: number } | { readonly problem: Label } {
  const lines = text.split(/[\s,，;；]+/).filter((line) => line !== '');
  if (lines.length > MOST) return { problem: [`最多${MOST}个手机号`, `At most ${MOST} phones`] };
  const bad = lines.flatMap((line, index) => (/^1\d{10}$/.test(line) ? [] : [index + 1]));
  if (bad.length > 0) {
    const told = bad.slice(0, 10).join('、');
    return { problem: [`第 ${told} 个手机号格式不正确`, `Not a phone number: no. ${told}`] };
  }
  const phones = [...new Set(lines)];
  return { phones, doubles: lines.length - phones.length };
}
