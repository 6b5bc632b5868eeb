import zlib from 'node:zlib';

const WIDTH = 270;
const HEIGHT = 480;

/** A calm picture in the form of a phone: hills in the colours of a season, different for every number. */
export function launchPicture(number: number): Buffer {
  const [sky, low, hill] = SEASONS[number % SEASONS.length]!;
  const raw = Buffer.alloc((WIDTH * 3 + 1) * HEIGHT);
  for (let y = 0; y < HEIGHT; y++)
    for (let x = 0; x < WIDTH; x++) {
      const at = y * (WIDTH * 3 + 1) + 1 + x * 3;
      const depth = y / HEIGHT;
      const sun = Math.hypot(x - 190 + number * 11, y - 120) < 34;
      const far = y > 300 + 26 * Math.sin(x / 40 + number);
      const near = y > 370 + 34 * Math.sin(x / 57 + 2 + number);
      for (let part = 0; part < 3; part++) {
        const ground = sky[part]! + (low[part]! - sky[part]!) * depth;
        raw[at + part] = Math.round(
          near ? hill[part]! : far ? (hill[part]! + low[part]!) / 2 : sun ? 255 : ground,
        );
      }
    }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', zlib.deflateSync(raw, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const SEASONS = [
  [
    [255, 214, 165],
    [255, 154, 118],
    [148, 62, 84],
  ],
  [
    [190, 227, 248],
    [144, 205, 244],
    [39, 103, 73],
  ],
  [
    [233, 216, 253],
    [183, 148, 244],
    [68, 51, 122],
  ],
  [
    [254, 235, 200],
    [246, 173, 85],
    [156, 66, 33],
  ],
] as const;

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}

function crc32(data: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
