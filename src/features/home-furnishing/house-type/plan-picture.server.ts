import zlib from 'node:zlib';
import { areaUnits, type Room, type RoomKind } from '../../../domain/furnishing/rooms.rules.ts';

const WIDTH = 480;
const HEIGHT = 360;
const MARGIN = 20;
const WALL = [62, 71, 84];
const FLOORS: Readonly<Record<RoomKind, readonly number[]>> = {
  living: [247, 232, 206],
  dining: [250, 240, 220],
  master: [221, 232, 247],
  bedroom: [230, 239, 250],
  study: [232, 226, 245],
  kitchen: [252, 226, 214],
  bath: [214, 240, 243],
  balcony: [224, 243, 224],
  hall: [240, 240, 240],
};

interface Box {
  readonly kind: RoomKind;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** A plan of rooms as PNG, each as large as its share of the area. */
export function planPicture(rooms: readonly Room[]): Buffer {
  const boxes = divided(rooms, MARGIN, MARGIN, WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN);
  const raw = Buffer.alloc((WIDTH * 3 + 1) * HEIGHT);
  for (let y = 0; y < HEIGHT; y++)
    for (let x = 0; x < WIDTH; x++) {
      const box = boxes.find((one) => x >= one.x && x < one.x + one.w && y >= one.y && y < one.y + one.h);
      const edge =
        box !== undefined &&
        (x - box.x < 3 || y - box.y < 3 || box.x + box.w - x <= 3 || box.y + box.h - y <= 3);
      // A door in the middle of each lower wall.
      const door =
        box !== undefined && edge && box.y + box.h - y <= 3 && Math.abs(x - box.x - box.w / 2) < 14;
      raw.set(
        box === undefined ? [255, 255, 255] : edge && !door ? WALL : FLOORS[box.kind],
        y * (WIDTH * 3 + 1) + 1 + x * 3,
      );
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

/** Halves the rooms by area, the longer side of the box each time. */
function divided(rooms: readonly Room[], x: number, y: number, w: number, h: number): Box[] {
  if (rooms.length === 1) return [{ kind: rooms[0]!.kind, x, y, w, h }];
  const total = sum(rooms);
  let at = 1;
  while (at < rooms.length - 1 && sum(rooms.slice(0, at)) < total / 2) at++;
  const [first, second] = [rooms.slice(0, at), rooms.slice(at)];
  const share = sum(first) / total;
  if (w >= h) {
    const left = Math.round(w * share);
    return [...divided(first, x, y, left, h), ...divided(second, x + left, y, w - left, h)];
  }
  const top = Math.round(h * share);
  return [...divided(first, x, y, w, top), ...divided(second, x, y + top, w, h - top)];
}

function sum(rooms: readonly Room[]): number {
  return rooms.reduce((all, room) => all + areaUnits(room.area), 0);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(zlib.crc32(body), body.length + 4);
  return whole;
}
