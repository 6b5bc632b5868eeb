import { businessTimeText } from '../../../../kernel/contract/time.rules.ts';

/** `{name} {last 4 of staff number} yyyy-MM-dd HH:mm` in business time; without a number the whole account stands for it. */
export function watermarkText(
  who: { readonly name: string; readonly staffNumber?: string; readonly username: string },
  at: Date,
): string {
  const number = who.staffNumber ? who.staffNumber.slice(-4) : who.username;
  return `${who.name} ${number} ${businessTimeText(at).slice(0, 16)}`;
}
