import zlib from 'node:zlib';

const WIDTH = 360;
const HEIGHT = 220;

/** A bank slip as demonstration vouchers show it: paper, a coloured head, lines of text that nobody can read. */
export function voucherPicture(number: number): Buffer {
  const raw = Buffer.alloc((WIDTH * 3 + 1) * HEIGHT, 250);
  const paint = (x0: number, y0: number, x1: number, y1: number, colour: readonly number[]) => {
    for (let y = y0; y < y1; y++)
      for (let x = x0; x < x1; x++) raw.set(colour, y * (WIDTH * 3 + 1) + 1 + x * 3);
  };
  for (let y = 0; y < HEIGHT; y++) raw[y * (WIDTH * 3 + 1)] = 0;
  paint(0, 0, WIDTH, 44, HEADS[number % HEADS.length]!);
  paint(20, 16, 150, 28, [255, 255, 255]);
  for (let line = 0; line < 6; line++) {
    paint(20, 64 + line * 22, 90, 72 + line * 22, [170, 174, 182]);
    paint(110, 64 + line * 22, 200 + ((number * 37 + line * 53) % 130), 72 + line * 22, [90, 96, 108]);
  }
  paint(250, 150, 330, 200, [232, 200, 200]);
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

const HEADS = [
  [178, 34, 52],
  [20, 92, 158],
  [22, 120, 84],
] as const;

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(zlib.crc32(body), body.length + 4);
  return framed;
}
