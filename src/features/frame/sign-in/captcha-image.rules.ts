/** Width and height of a verification picture, px. */
export const CAPTCHA_SIZE = { width: 120, height: 40 } as const;

/** Characters of a verification code; none looks like another one. */
export const CAPTCHA_ALPHABET = 'ACEFHJKLMNPRTUVWXY34679';

/**
 * Draws a code as SVG made of filled paths only: glyphs of our own strokes, warped, cut into short outlines and mixed
 * with noise of the same kind, so that neither text nor the order of the paths tells the code. `random` gives [0, 1).
 */
export function drawCaptcha(code: string, random: () => number): string {
  const pieces: Piece[] = [];
  const add = (lines: readonly Line[], half: number) => pieces.push(...lines.map((line) => ({ line, half })));
  for (const [index, character] of Array.from(code).entries())
    add(glyphPieces(character, index, code.length, random), 1.15);
  for (let line = 0; line < 3; line++) add(cut(noiseLine(random), random), 0.55);
  for (let dash = 0; dash < 16; dash++) add([noiseDash(random)], 0.8);
  shuffle(pieces, random);
  const layers: string[][] = INKS.map(() => []);
  for (const piece of pieces) layers[Math.floor(random() * layers.length)]!.push(outline(piece, random));
  const paths = layers.map((layer, index) => `<path fill="${INKS[index]}" d="${layer.join('')}"/>`).join('');
  const { width, height } = CAPTCHA_SIZE;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${PAPER}${paths}</svg>`;
}

type Point = readonly [x: number, y: number];
type Line = readonly Point[];

interface Piece {
  readonly line: Line;
  /** About half the width of the stroke. */
  readonly half: number;
}

// The page may be dark.
const PAPER = '<path fill="#f2f5f9" d="M0 0L120 0L120 40L0 40Z"/>';
const INKS = ['#2f4a68', '#2f4660', '#3d4a66', '#344558'];

const bowl: Line = [
  [0, 14],
  [0, 0],
  [6, 0],
  [9, 1.5],
  [9.5, 4],
  [9, 6],
  [6, 7.5],
  [0, 7.5],
];
const six: Line = [
  [8.5, 0.7],
  [5, 0],
  [2, 2.5],
  [0.3, 7],
  [0.3, 10.5],
  [2, 13.5],
  [5, 14],
  [8, 13.2],
  [9.7, 10.5],
  [8.5, 7.5],
  [5, 6.3],
  [2, 7.5],
  [0.3, 10],
];

// Strokes on a grid of 10 by 14. Digits that never come up by chance serve the fixed code of automated tests.
const GLYPHS: Readonly<Record<string, readonly Line[]>> = {
  A: [
    [
      [0, 14],
      [5, 0],
      [10, 14],
    ],
    [
      [2, 9],
      [8, 9],
    ],
  ],
  C: [
    [
      [9.5, 2.5],
      [7, 0.3],
      [4, 0],
      [1, 2.5],
      [0, 7],
      [1, 11.5],
      [4, 14],
      [7, 13.7],
      [9.5, 11.5],
    ],
  ],
  E: [
    [
      [9, 0],
      [0, 0],
      [0, 14],
      [9, 14],
    ],
    [
      [0, 7],
      [7, 7],
    ],
  ],
  F: [
    [
      [9, 0],
      [0, 0],
      [0, 14],
    ],
    [
      [0, 6.5],
      [7, 6.5],
    ],
  ],
  H: [
    [
      [0, 0],
      [0, 14],
    ],
    [
      [10, 0],
      [10, 14],
    ],
    [
      [0, 7],
      [10, 7],
    ],
  ],
  J: [
    [
      [8, 0],
      [8, 10],
      [7, 13],
      [4, 14],
      [1, 13],
      [0, 10],
    ],
  ],
  K: [
    [
      [0, 0],
      [0, 14],
    ],
    [
      [9, 0],
      [0, 8],
    ],
    [
      [3.5, 5.5],
      [9.5, 14],
    ],
  ],
  L: [
    [
      [0, 0],
      [0, 14],
      [8.5, 14],
    ],
  ],
  M: [
    [
      [0, 14],
      [0.5, 0],
      [5, 8],
      [9.5, 0],
      [10, 14],
    ],
  ],
  N: [
    [
      [0, 14],
      [0, 0],
      [10, 14],
      [10, 0],
    ],
  ],
  P: [bowl],
  R: [
    bowl,
    [
      [5, 7.5],
      [10, 14],
    ],
  ],
  T: [
    [
      [0, 0],
      [10, 0],
    ],
    [
      [5, 0],
      [5, 14],
    ],
  ],
  U: [
    [
      [0, 0],
      [0, 9],
      [1, 12.5],
      [4, 14],
      [6, 14],
      [9, 12.5],
      [10, 9],
      [10, 0],
    ],
  ],
  V: [
    [
      [0, 0],
      [5, 14],
      [10, 0],
    ],
  ],
  W: [
    [
      [0, 0],
      [2.5, 14],
      [5, 5],
      [7.5, 14],
      [10, 0],
    ],
  ],
  X: [
    [
      [0, 0],
      [10, 14],
    ],
    [
      [10, 0],
      [0, 14],
    ],
  ],
  Y: [
    [
      [0, 0],
      [5, 7],
      [10, 0],
    ],
    [
      [5, 7],
      [5, 14],
    ],
  ],
  0: [
    [
      [5, 0],
      [1.5, 2],
      [0, 7],
      [1.5, 12],
      [5, 14],
      [8.5, 12],
      [10, 7],
      [8.5, 2],
      [5, 0],
    ],
    [
      [7.5, 3.5],
      [2.5, 10.5],
    ],
  ],
  1: [
    [
      [2, 3],
      [5.5, 0],
      [5.5, 14],
    ],
    [
      [2, 14],
      [9, 14],
    ],
  ],
  2: [
    [
      [0.5, 3],
      [2, 0.7],
      [5, 0],
      [8, 0.8],
      [9.3, 3.5],
      [8, 7],
      [0, 14],
      [10, 14],
    ],
  ],
  3: [
    [
      [0.5, 1.5],
      [3, 0],
      [6.5, 0],
      [9, 2],
      [9, 4.5],
      [6.5, 6.5],
      [4, 6.7],
    ],
    [
      [6.5, 6.5],
      [9.5, 8.5],
      [9.5, 11.5],
      [7, 14],
      [3, 14],
      [0, 12],
    ],
  ],
  4: [
    [
      [7.5, 14],
      [7.5, 0],
      [0, 9.5],
      [10, 9.5],
    ],
  ],
  5: [
    [
      [9, 0],
      [1.5, 0],
      [1, 6],
      [5, 5.2],
      [8.5, 6.8],
      [9.5, 10],
      [8, 13],
      [4, 14],
      [0, 12.5],
    ],
  ],
  6: [six],
  7: [
    [
      [0, 0],
      [10, 0],
      [4, 14],
    ],
  ],
  8: [
    [
      [5, 6.5],
      [1.5, 5],
      [1, 2],
      [5, 0],
      [9, 2],
      [8.5, 5],
      [5, 6.5],
    ],
    [
      [5, 6.5],
      [0.8, 8.5],
      [0.3, 12],
      [5, 14],
      [9.7, 12],
      [9.2, 8.5],
      [5, 6.5],
    ],
  ],
  9: [six.map(([x, y]): Point => [10 - x, 14 - y])],
};
const UNKNOWN: readonly Line[] = [
  [
    [0, 0],
    [10, 0],
    [10, 14],
    [0, 14],
    [0, 0],
  ],
];

function glyphPieces(character: string, index: number, count: number, random: () => number): Line[] {
  const { width, height } = CAPTCHA_SIZE;
  const scale = 1.65 + random() * 0.3;
  const angle = (random() - 0.5) * 0.5;
  const shear = (random() - 0.5) * 0.4;
  const centre: Point = [
    ((index + 0.5) * width) / count + (random() - 0.5) * 5,
    height / 2 + (random() - 0.5) * 6,
  ];
  const wave = { depth: 1 + random(), length: 0.18 + random() * 0.1, start: random() * 6.3 };
  const place = ([x, y]: Point): Point => {
    const fromX = (x - 5 + (random() - 0.5) * 0.7) * scale;
    const fromY = (y - 7 + (random() - 0.5) * 0.7) * scale * 0.92;
    const leaning = fromX + fromY * shear;
    const turnedX = leaning * Math.cos(angle) - fromY * Math.sin(angle);
    const turnedY = leaning * Math.sin(angle) + fromY * Math.cos(angle);
    return [
      centre[0] + turnedX + wave.depth * Math.sin(turnedY * wave.length + wave.start),
      centre[1] + turnedY + wave.depth * Math.cos(turnedX * wave.length + wave.start),
    ];
  };
  const strokes = GLYPHS[character.toUpperCase()] ?? UNKNOWN;
  return strokes.flatMap((stroke) =>
    cut(divide(stroke.length > 5 ? rounded(stroke) : stroke).map(place), random),
  );
}

// Curves are given by few points; cutting their corners twice makes them round.
function rounded(line: Line, times = 2): Line {
  if (times === 0) return line;
  const points: Point[] = [line[0]!];
  for (let index = 1; index < line.length; index++) {
    const [fromX, fromY] = line[index - 1]!;
    const [toX, toY] = line[index]!;
    points.push([fromX * 0.75 + toX * 0.25, fromY * 0.75 + toY * 0.25]);
    points.push([fromX * 0.25 + toX * 0.75, fromY * 0.25 + toY * 0.75]);
  }
  return rounded([...points, line.at(-1)!], times - 1);
}

function divide(line: Line): Point[] {
  const points: Point[] = [line[0]!];
  for (let index = 1; index < line.length; index++) {
    const [fromX, fromY] = line[index - 1]!;
    const [toX, toY] = line[index]!;
    const steps = Math.max(1, Math.round(Math.hypot(toX - fromX, toY - fromY) / 2.5));
    for (let step = 1; step <= steps; step++)
      points.push([fromX + ((toX - fromX) * step) / steps, fromY + ((toY - fromY) * step) / steps]);
  }
  return points;
}

function cut(line: Line, random: () => number): Line[] {
  const pieces: Line[] = [];
  for (let at = 0; at < line.length - 1;) {
    const end = Math.min(line.length - 1, at + 1 + Math.floor(random() * 3));
    pieces.push(line.slice(at, end + 1));
    at = end;
  }
  return pieces;
}

function noiseLine(random: () => number): Point[] {
  const { width, height } = CAPTCHA_SIZE;
  const from = random() * height;
  const to = random() * height;
  const depth = 3 + random() * 6;
  const start = random() * 6.3;
  return Array.from({ length: 17 }, (_, step): Point => {
    const part = step / 16;
    return [part * width, from + (to - from) * part + depth * Math.sin(part * 7 + start)];
  });
}

function noiseDash(random: () => number): Line {
  const x = random() * CAPTCHA_SIZE.width;
  const y = random() * CAPTCHA_SIZE.height;
  const angle = random() * 6.3;
  const length = 2 + random() * 5;
  return [
    [x, y],
    [x + length * Math.cos(angle), y + length * Math.sin(angle)],
  ];
}

function outline({ line: given, half: width }: Piece, random: () => number): string {
  const line = stretched(random() < 0.5 ? given : [...given].reverse());
  const left: string[] = [];
  const right: string[] = [];
  line.forEach(([x, y], index) => {
    const [beforeX, beforeY] = line[Math.max(0, index - 1)]!;
    const [afterX, afterY] = line[Math.min(line.length - 1, index + 1)]!;
    const length = Math.hypot(afterX - beforeX, afterY - beforeY) || 1;
    const half = width * (0.85 + random() * 0.35);
    const acrossX = (-(afterY - beforeY) / length) * half;
    const acrossY = ((afterX - beforeX) / length) * half;
    left.push(`${(x + acrossX).toFixed(1)} ${(y + acrossY).toFixed(1)}`);
    right.unshift(`${(x - acrossX).toFixed(1)} ${(y - acrossY).toFixed(1)}`);
  });
  return `M${[...left, ...right].join('L')}Z`;
}

// Both ends go on a little, so that neighbouring pieces overlap instead of showing a crack.
function stretched(line: Line): Line {
  const on = ([fromX, fromY]: Point, [toX, toY]: Point): Point => {
    const length = Math.hypot(toX - fromX, toY - fromY) || 1;
    return [toX + ((toX - fromX) / length) * 0.6, toY + ((toY - fromY) / length) * 0.6];
  };
  return [on(line[1]!, line[0]!), ...line.slice(1, -1), on(line.at(-2)!, line.at(-1)!)];
}

function shuffle<T>(list: T[], random: () => number): void {
  for (let index = list.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [list[index], list[other]] = [list[other]!, list[index]!];
  }
}
