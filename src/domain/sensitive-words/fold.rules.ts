/** A text as words with variants are looked for in it: code points, and where each of them stands in the text. */
export interface Folded {
  readonly points: readonly number[];
  /** Positions (UTF-16) of the character each point comes from, and of what follows it. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/**
 * What people put between the characters of a word to hide it: blanks, punctuation, signs, zero-width and combining characters.
 * Pictures stay, as they are words themselves.
 */
const BETWEEN = /[\s\p{P}\p{Sc}\p{Sk}\p{Sm}\p{Z}\p{C}\p{M}]|(?!\p{Extended_Pictographic})\p{So}/gu;

const NOTHING: readonly number[] = [];
const known = new Map<number, readonly number[]>();

/** A character in its plain form: half width, lower case, without what only stands between characters. */
function plain(point: number): readonly number[] {
  let found = known.get(point);
  if (!found) {
    const text = String.fromCodePoint(point).normalize('NFKC').toLowerCase().replace(BETWEEN, '');
    found = text === '' ? NOTHING : Array.from(text, (one) => one.codePointAt(0)!);
    known.set(point, found);
  }
  return found;
}

/** Folds a text: case, width and everything between the characters no longer count. */
export function fold(text: string): Folded {
  const points: number[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  for (let at = 0; at < text.length;) {
    const point = text.codePointAt(at)!;
    const next = at + (point > 0xffff ? 2 : 1);
    for (const one of plain(point)) {
      points.push(one);
      starts.push(at);
      ends.push(next);
    }
    at = next;
  }
  return { points, starts, ends };
}

/** The same without folding: every character as it is. */
export function asWritten(text: string): Folded {
  const points: number[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  for (let at = 0; at < text.length;) {
    const point = text.codePointAt(at)!;
    const next = at + (point > 0xffff ? 2 : 1);
    points.push(point);
    starts.push(at);
    ends.push(next);
    at = next;
  }
  return { points, starts, ends };
}

/** The folded form of a word as text: two words with the same one are the same word. */
export function foldedText(text: string): string {
  return String.fromCodePoint(...fold(text).points);
}
