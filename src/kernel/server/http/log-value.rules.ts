import { maskValue } from '../../contract/mask.rules.ts';

export const STARS = '******';

/** Names whose values are never told, whatever they hold. */
export function isSecretName(name: string): boolean {
  return /passw|pwd|secret|token|ticket|credential|authorization|cookie|private_?key|api_?key|v3_?key|captcha|verif|hash|salt|^(key|code_?value|otp|pin)$/i.test(
    name,
  );
}

/** A text with phone numbers, identity numbers and e-mail addresses masked wherever they stand. */
export function withoutPersonal(text: string): string {
  return text
    .replace(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, (found) => maskValue('email', found))
    .replace(/(?<!\d)\d{17}[\dXx](?!\d)/g, (found) => maskValue('idNumber', found))
    .replace(/(?<!\d)1[3-9]\d{9}(?!\d)/g, (found) => maskValue('phone', found));
}

/** A value nobody declared: figures, switches, days and code words are told, any other text may be personal and is stars. */
export function undeclaredText(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (isSecretName(name)) return STARS;
  if (typeof value === 'number' || typeof value === 'boolean') return withoutPersonal(String(value));
  if (typeof value === 'string')
    return /^([a-z][a-zA-Z_]{0,39}|\d{4}-\d\d-\d\d([T ][\d:.+Z-]*)?|\d{1,10}|[0-9a-f]{8}-[0-9a-f-]{27})$/.test(
      value,
    )
      ? value
      : STARS;
  if (Array.isArray(value) && value.every((one) => typeof one === 'number' || /^\d{1,10}$/.test(String(one))))
    return value.join('、');
  return STARS;
}
