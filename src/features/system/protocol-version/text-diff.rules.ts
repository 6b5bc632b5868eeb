/** A piece of a line: told apart where only one side has it. */
export interface DiffPiece {
  readonly text: string;
  readonly changed: boolean;
}

/** A line of two texts side by side; undefined on the side that does not have it. */
export interface DiffLine {
  readonly kind: 'same' | 'changed' | 'added' | 'removed';
  readonly left: readonly DiffPiece[] | undefined;
  readonly right: readonly DiffPiece[] | undefined;
}

const BLOCK = /<\/?(?:p|div|h[1-6]|li|ul|ol|tr|table|thead|tbody|blockquote|pre|hr|br)\b[^>]*>/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** The paragraphs of a formatted text as plain lines; a picture is its address. */
export function linesOf(html: string): string[] {
  return html
    .replace(/<img\b[^>]*\bsrc="([^"]*)"[^>]*>/gi, '[$1]')
    .replace(BLOCK, '\n')
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:#(\d+)|#x([0-9a-f]+)|([a-z]+));/gi, (all, decimal, hex, name) => {
      if (name) return ENTITIES[String(name).toLowerCase()] ?? all;
      const point = decimal ? Number(decimal) : parseInt(String(hex), 16);
      return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : all;
    })
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '');
}

/** Most cells of a table of two texts; longer ones are told apart as a whole. */
const MOST_CELLS = 4_000_000;

/** Two texts line by line: what stayed, what was changed, what only one of them has. */
export function diffLines(left: readonly string[], right: readonly string[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let gone: string[] = [];
  let come: string[] = [];
  const flush = () => {
    // Lines that gave way to others stand beside them, so that the words between can be compared.
    for (let at = 0; at < Math.max(gone.length, come.length); at++) {
      const before = gone[at];
      const after = come[at];
      if (before !== undefined && after !== undefined) {
        const [one, other] = diffPieces(before, after);
        lines.push({ kind: 'changed', left: one, right: other });
      } else if (before !== undefined)
        lines.push({ kind: 'removed', left: [{ text: before, changed: true }], right: undefined });
      else lines.push({ kind: 'added', left: undefined, right: [{ text: after!, changed: true }] });
    }
    gone = [];
    come = [];
  };
  for (const step of steps(left, right))
    if (step.kind === 'same') {
      flush();
      const same = [{ text: step.value, changed: false }];
      lines.push({ kind: 'same', left: same, right: same });
    } else if (step.kind === 'left') gone.push(step.value);
    else come.push(step.value);
  flush();
  return lines;
}

function diffPieces(left: string, right: string): [DiffPiece[], DiffPiece[]] {
  const sides: [DiffPiece[], DiffPiece[]] = [[], []];
  const put = (side: DiffPiece[], text: string, changed: boolean) => {
    const last = side.at(-1);
    if (last?.changed === changed) side[side.length - 1] = { text: last.text + text, changed };
    else side.push({ text, changed });
  };
  for (const step of steps(Array.from(left), Array.from(right))) {
    if (step.kind !== 'right') put(sides[0], step.value, step.kind === 'left');
    if (step.kind !== 'left') put(sides[1], step.value, step.kind === 'right');
  }
  return sides;
}

interface Step {
  readonly kind: 'same' | 'left' | 'right';
  readonly value: string;
}

/** The steps from one list to the other that keep the most. */
function steps(left: readonly string[], right: readonly string[]): Step[] {
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head++;
  let tail = 0;
  while (
    tail < left.length - head &&
    tail < right.length - head &&
    left[left.length - 1 - tail] === right[right.length - 1 - tail]
  )
    tail++;
  const same = (value: string): Step => ({ kind: 'same', value });
  return [
    ...left.slice(0, head).map(same),
    ...middle(left.slice(head, left.length - tail), right.slice(head, right.length - tail)),
    ...left.slice(left.length - tail).map(same),
  ];
}

function middle(left: readonly string[], right: readonly string[]): Step[] {
  const width = right.length + 1;
  if (left.length * right.length > MOST_CELLS || left.length === 0 || right.length === 0)
    return [
      ...left.map((value): Step => ({ kind: 'left', value })),
      ...right.map((value): Step => ({ kind: 'right', value })),
    ];
  // How many are kept from here on, for every pair of places.
  const kept = new Uint32Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      kept[i * width + j] =
        left[i] === right[j]
          ? kept[(i + 1) * width + j + 1]! + 1
          : Math.max(kept[(i + 1) * width + j]!, kept[i * width + j + 1]!);
  const found: Step[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length)
    if (i < left.length && j < right.length && left[i] === right[j]) {
      found.push({ kind: 'same', value: left[i]! });
      i++;
      j++;
    } else if (
      j >= right.length ||
      (i < left.length && kept[(i + 1) * width + j]! >= kept[i * width + j + 1]!)
    )
      found.push({ kind: 'left', value: left[i++]! });
    else found.push({ kind: 'right', value: right[j++]! });
  return found;
}
