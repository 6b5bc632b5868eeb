/** A piece of a text, and whether the other text has it too. */
export interface Piece {
  readonly text: string;
  readonly differs: boolean;
}

/** Two texts cut into what they begin and end with alike and what lies between. */
export function differenceOf(was: string, now: string): readonly [readonly Piece[], readonly Piece[]] {
  const [a, b] = [[...was], [...now]];
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const cut = (signs: readonly string[]): readonly Piece[] =>
    [
      { text: signs.slice(0, head).join(''), differs: false },
      { text: signs.slice(head, signs.length - tail).join(''), differs: true },
      { text: signs.slice(signs.length - tail).join(''), differs: false },
    ].filter((piece) => piece.text !== '');
  return [cut(a), cut(b)];
}
