import { HIDE_CODES } from '../../domain/content/content.rules.ts';
import { invalid } from '../../kernel/server/http/errors.ts';

/** What a moderator gave as the reason, in words of the timeline. Throws 422 where "other" has no words. */
export function moderationReason(input: Readonly<Record<string, unknown>>): string {
  const code = String(input.code);
  const words = String(input.text ?? '').trim();
  if (code === 'other' && words.length < 5)
    throw invalid({ text: ['选“其他”时至少5个字', 'At least 5 characters for “Other”'] });
  return [HIDE_CODES[code as keyof typeof HIDE_CODES].label[0], words].filter((one) => one !== '').join('：');
}
