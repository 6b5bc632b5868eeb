import zlib from 'node:zlib';

const SIZE = 96;
/** Background colours, red, green, blue. */
const COLOURS = [
  [22, 119, 255],
  [19, 158, 120],
  [212, 107, 8],
  [114, 46, 209],
  [207, 19, 34],
  [8, 145, 178],
] as const;

/** Shapes in white, by points from -1 to 1 around the middle. */
const SHAPES: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) =>
    y > -0.1 && y < 0.6 && Math.abs(x) < 0.45
      ? !(y > 0.2 && Math.abs(x) < 0.13)
      : y <= -0.1 && y > -0.6 && Math.abs(x) < 0.62 + y + 0.1,
  (x, y) => Math.hypot(x, y) < 0.58 && Math.hypot(x, y) > 0.36,
  (x, y) => Math.abs(x) < 0.52 && Math.abs(y) < 0.52 && (Math.abs(y % 0.34) > 0.08 || Math.abs(x) > 0.36),
  (x, y) => (Math.abs(x) < 0.14 && Math.abs(y) < 0.56) || (Math.abs(y) < 0.14 && Math.abs(x) < 0.56),
  (x, y) => Math.abs(x) + Math.abs(y) < 0.62 && Math.abs(x) + Math.abs(y) > 0.3,
];

/** A plain icon as PNG, different for every number: for modules that come with the product. */
export function moduleIcon(number: number): Buffer {
  const colour = COLOURS[number % COLOURS.length]!;
  const shape = SHAPES[number % SHAPES.length]!;
  const raw = Buffer.alloc((SIZE * 4 + 1) * SIZE);
  for (let y = 0; y < SIZE; y++)
    for (let x = 0; x < SIZE; x++) {
      const at = y * (SIZE * 4 + 1) + 1 + x * 4;
      const [u, v] = [(x + 0.5) / (SIZE / 2) - 1, (y + 0.5) / (SIZE / 2) - 1];
      // A square with round corners; nothing outside of it.
      const inside = Math.hypot(Math.max(0, Math.abs(u) - 0.66), Math.max(0, Math.abs(v) - 0.66)) < 0.32;
      const white = shape(u, v);
      for (let part = 0; part < 3; part++) raw[at + part] = white ? 255 : colour[part]!;
      raw[at + 3] = inside ? 255 : 0;
    }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIZE, 0);
  header.writeUInt32BE(SIZE, 4);
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', zlib.deflateSync(raw, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(zlib.crc32 ? zlib.crc32(body) : crc32(body), body.length + 4);
  return whole;
}

/** For versions of Node without one of their own. */
function crc32(data: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
