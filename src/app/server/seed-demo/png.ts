import zlib from 'node:zlib';

/** Writes red, green and blue (0–255) of a point into `row` at `at`; `x` and `y` are pixels from the upper left corner. */
export type Paint = (x: number, y: number, row: Uint8Array, at: number) => void;

/** A PNG picture of 8-bit colours without transparency. */
export function encodePng(width: number, height: number, paint: Paint): Buffer {
  const stride = width * 3;
  const raw = Buffer.alloc((stride + 1) * height);
  let above = Buffer.alloc(stride);
  for (let y = 0; y < height; y += 1) {
    const row = Buffer.alloc(stride);
    for (let x = 0; x < width; x += 1) paint(x, y, row, x * 3);
    const start = y * (stride + 1);
    raw[start] = UP;
    for (let i = 0; i < stride; i += 1) raw[start + 1 + i] = (row[i]! - above[i]!) & 0xff;
    above = row;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', zlib.deflateSync(raw, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Each row as its difference to the one above: a vertical gradient is nearly constant then. */
const UP = 2;

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const result = Buffer.alloc(body.length + 8);
  result.writeUInt32BE(data.length, 0);
  body.copy(result, 4);
  result.writeUInt32BE(crc32(body), body.length + 4);
  return result;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

function crc32(data: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of data) crc = CRC_TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
