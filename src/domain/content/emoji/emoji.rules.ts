import { EMOJI } from './emoji-codes.rules.ts';

const CHARACTERS = new Map(EMOJI);

/** A piece of content: plain text, or a code with the character its picture shows. */
export type EmojiPart = { readonly text: string } | { readonly code: string; readonly character: string };

/** Content in pieces; brackets around anything but a code stay text. Joined again the pieces are the content. */
export function emojiParts(content: string): readonly EmojiPart[] {
  const parts: EmojiPart[] = [];
  let from = 0;
  for (const match of content.matchAll(/\[([^[\]]{1,6})\]/gu)) {
    const character = CHARACTERS.get(match[1]!);
    if (character === undefined) continue;
    if (match.index > from) parts.push({ text: content.slice(from, match.index) });
    parts.push({ code: match[1]!, character });
    from = match.index + match[0].length;
  }
  if (from < content.length) parts.push({ text: content.slice(from) });
  return parts;
}

/** File name of a character's picture: its code points in lower-case hex, joined by a hyphen. */
export const pictureName = (character: string): string =>
  Array.from(character, (one) => one.codePointAt(0)!.toString(16)).join('-');
