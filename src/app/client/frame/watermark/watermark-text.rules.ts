import { businessTimeText } from '../../../../kernel/contract/time.rules.ts';

/** `{name} {last 4 of staff number} yyyy-MM-dd HH:mm` in business time. */
export function watermarkText(name: string, staffNumber: string, at: Date): string {
  return `${name} ${staffNumber.slice(-4)} ${businessTimeText(at).slice(0, 16)}`;
}
