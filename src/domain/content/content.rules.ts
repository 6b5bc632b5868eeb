import type { Label } from '../../kernel/contract/label.ts';

/** Kinds of posts and the names of their lists, which timelines know them by; their comments are `<name>Comment`. */
export const POST_ENTITIES = {
  family: 'familyPost',
  chamber: 'chamberPost',
  group_post: 'groupPost',
} as const;
export type PostKind = keyof typeof POST_ENTITIES;

/** Why content is hidden or refused. */
export const HIDE_CODES = {
  advert: { label: ['广告', 'Advert'] },
  abuse: { label: ['辱骂', 'Abuse'] },
  porn: { label: ['色情', 'Porn'] },
  politics: { label: ['政治', 'Politics'] },
  privacy: { label: ['隐私', 'Privacy'] },
  false: { label: ['不实', 'False'] },
  other: { label: ['其他', 'Other'] },
} as const;

export const REVIEW_STATES = {
  pending: { label: ['待审', 'Waiting'], tone: 'warning', code: 0 },
  passed: { label: ['已通过', 'Passed'], tone: 'success', code: 1 },
  refused: { label: ['未通过', 'Refused'], tone: 'error', code: 2 },
} as const;

export const SENSITIVE: Label = ['内容包含敏感词', 'Contains sensitive words'];

/**
 * A text as it is kept: plain, without control signs and without signs that turn the direction of writing, line breaks kept,
 * blanks at its ends removed. Throws nothing.
 */
export function plainContent(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .trim();
}

/** Shares of votes in tenths of a per cent that add up to 1000 where each voter chose one (largest remainder), else floors. */
export function voteShares(
  votes: readonly number[],
  participants: number,
  multiple: boolean,
): readonly number[] {
  if (participants === 0) return votes.map(() => 0);
  const floors = votes.map((count) => Math.floor((count * 1_000) / participants));
  if (multiple) return floors;
  let left = 1_000 - floors.reduce((sum, one) => sum + one, 0);
  const order = votes
    .map((count, index) => ({ index, rest: (count * 1_000) % participants }))
    .sort((a, b) => b.rest - a.rest || a.index - b.index);
  const shares = [...floors];
  for (const { index, rest } of order) {
    if (left === 0 || rest === 0) break;
    shares[index]! += 1;
    left -= 1;
  }
  return shares;
}
