/*
 * QR codes of one kind: version 4 (33 × 33), correction level M, bytes. They hold 62 bytes, more than a check-in text ever has.
 * Source: ISO/IEC 18004.
 */

/** Sides of the PNG in pixels by the codes 1 to 5 of the specification. */
export const QR_SIZES = { 1: 80, 2: 120, 3: 150, 4: 300, 5: 500 } as const;

/** Modules of a side. */
export const QR_SIDE = 33;
const DATA = 64;
const BLOCKS = 2;
const CORRECTION = 18;
const MOST_BYTES = 62;
const ALIGNMENT = 26;

const EXP: number[] = [];
const LOG: number[] = [];
for (let power = 0, value = 1; power < 255; power += 1) {
  EXP[power] = value;
  LOG[value] = power;
  value = value & 0x80 ? (value << 1) ^ 0x11d : value << 1;
}
const times = (a: number, b: number): number => (a && b ? EXP[(LOG[a]! + LOG[b]!) % 255]! : 0);

/** Correction bytes of a block: the rest of its polynomial divided by the generator. */
function correctionOf(block: readonly number[]): readonly number[] {
  let generator = [1];
  for (let root = 0; root < CORRECTION; root += 1) {
    const next = [...generator, 0];
    generator.forEach((value, at) => (next[at + 1]! ^= times(value, EXP[root]!)));
    generator = next;
  }
  const rest = [...block, ...Array.from({ length: CORRECTION }, () => 0)];
  for (let at = 0; at < block.length; at += 1) {
    const factor = rest[at]!;
    if (factor) generator.forEach((value, offset) => (rest[at + offset]! ^= times(value, factor)));
  }
  return rest.slice(block.length);
}

function codewords(bytes: readonly number[]): readonly number[] {
  const bits = [0, 1, 0, 0];
  const push = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1);
  };
  push(bytes.length, 8);
  for (const byte of bytes) push(byte, 8);
  push(0, Math.min(4, DATA * 8 - bits.length));
  while (bits.length % 8) bits.push(0);
  const data: number[] = [];
  for (let at = 0; at < bits.length; at += 8) data.push(Number.parseInt(bits.slice(at, at + 8).join(''), 2));
  for (let pad = 0xec; data.length < DATA; pad ^= 0xec ^ 0x11) data.push(pad);
  const size = DATA / BLOCKS;
  const blocks = Array.from({ length: BLOCKS }, (_, n) => data.slice(n * size, (n + 1) * size));
  const corrections = blocks.map(correctionOf);
  const woven = (parts: readonly (readonly number[])[]) =>
    parts[0]!.flatMap((_, at) => parts.map((part) => part[at]!));
  return [...woven(blocks), ...woven(corrections)];
}

const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_row, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

type Grid = (boolean | undefined)[][];

/** Finders, timing, alignment and the room of the format; what is left undefined holds data. */
function frame(): Grid {
  const grid: Grid = Array.from({ length: QR_SIDE }, () =>
    Array.from({ length: QR_SIDE }, (): boolean | undefined => undefined),
  );
  const last = QR_SIDE - 7;
  for (const [top, left] of [
    [0, 0],
    [0, last],
    [last, 0],
  ] as const)
    for (let y = -1; y <= 7; y += 1)
      for (let x = -1; x <= 7; x += 1) {
        const row = grid[top + y];
        if (!row || left + x < 0 || left + x >= QR_SIDE) continue;
        const ring = Math.max(Math.abs(y - 3), Math.abs(x - 3));
        row[left + x] = ring !== 2 && ring !== 4;
      }
  for (let at = 8; at < QR_SIDE - 8; at += 1) {
    grid[6]![at] = at % 2 === 0;
    grid[at]![6] = at % 2 === 0;
  }
  for (let y = -2; y <= 2; y += 1)
    for (let x = -2; x <= 2; x += 1)
      grid[ALIGNMENT + y]![ALIGNMENT + x] = Math.max(Math.abs(y), Math.abs(x)) !== 1;
  for (const [row, column] of formatPlaces().flat()) grid[row]![column] ??= false;
  grid[QR_SIDE - 8]![8] = true;
  return grid;
}

/** Both places of each of the 15 bits of the format, the lowest bit first. */
function formatPlaces(): readonly (readonly (readonly [number, number])[])[] {
  return Array.from({ length: 15 }, (_, bit) => {
    const first: readonly [number, number] =
      bit < 6 ? [bit, 8] : bit < 8 ? [bit + 1, 8] : bit === 8 ? [8, 7] : [8, 14 - bit];
    const second: readonly [number, number] = bit < 8 ? [8, QR_SIDE - 1 - bit] : [QR_SIDE - 15 + bit, 8];
    return [first, second];
  });
}

function drawFormat(grid: Grid, mask: number): void {
  // Level M is 00.
  let rest = mask;
  for (let step = 0; step < 10; step += 1) rest = (rest << 1) ^ (rest >> 9 ? 0x537 : 0);
  const bits = ((mask << 10) | rest) ^ 0x5412;
  formatPlaces().forEach((places, bit) => {
    for (const [row, column] of places) grid[row]![column] = ((bits >> bit) & 1) === 1;
  });
}

/** How hard a grid is to read: runs, squares and an uneven balance; likenesses of finders weigh most. */
function penalty(grid: readonly (readonly boolean[])[]): number {
  let sum = 0;
  const lines = [...grid, ...grid.map((_, at) => grid.map((row) => row[at]!))].map((line) =>
    line.map(Number).join(''),
  );
  for (const line of lines) {
    for (const run of line.match(/0{5,}|1{5,}/g) ?? []) sum += run.length - 2;
    for (const like of ['10111010000', '00001011101'])
      for (let at = line.indexOf(like); at >= 0; at = line.indexOf(like, at + 1)) sum += 40;
  }
  for (let y = 1; y < QR_SIDE; y += 1)
    for (let x = 1; x < QR_SIDE; x += 1)
      if (
        grid[y]![x] === grid[y - 1]![x] &&
        grid[y]![x] === grid[y]![x - 1] &&
        grid[y]![x] === grid[y - 1]![x - 1]
      )
        sum += 3;
  const dark = grid.flat().filter(Boolean).length / (QR_SIDE * QR_SIDE);
  return sum + 10 * Math.floor(Math.abs(dark - 0.5) * 20);
}

/** Bytes of a text as UTF-8. */
function utf8(text: string): readonly number[] {
  return Array.from(text).flatMap((sign) =>
    encodeURIComponent(sign)
      .split(/%(..)/)
      .flatMap((part, at) =>
        part === '' ? [] : at % 2 === 1 ? [Number.parseInt(part, 16)] : [part.charCodeAt(0)],
      ),
  );
}

/** The modules of a QR code that holds a text, row by row, true is dark. Throws for more than 62 bytes. */
export function qrModules(text: string): readonly (readonly boolean[])[] {
  const bytes = utf8(text);
  if (bytes.length > MOST_BYTES) throw new Error('too long for this QR code');
  const words = codewords(bytes);
  const fixed = frame();
  const places: [number, number][] = [];
  for (let right = QR_SIDE - 1, up = true; right > 0; right -= 2, up = !up) {
    if (right === 6) right = 5;
    for (let step = 0; step < QR_SIDE; step += 1) {
      const row = up ? QR_SIDE - 1 - step : step;
      for (const column of [right, right - 1])
        if (fixed[row]![column] === undefined) places.push([row, column]);
    }
  }
  const drawn = MASKS.map((masked, mask) => {
    const grid = fixed.map((row) => [...row]);
    places.forEach(([row, column], at) => {
      const bit = ((words[at >> 3] ?? 0) >> (7 - (at & 7))) & 1;
      grid[row]![column] = (bit === 1) !== masked(row, column);
    });
    drawFormat(grid, mask);
    return grid as boolean[][];
  });
  const scores = drawn.map(penalty);
  return drawn[scores.indexOf(Math.min(...scores))]!;
}
