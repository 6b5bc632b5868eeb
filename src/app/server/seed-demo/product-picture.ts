import { encodePng, type Paint } from './png.ts';

/** The kinds of shapes a product picture can show. */
export type Glyph = 'grain' | 'box' | 'apple' | 'plug' | 'paw' | 'star' | 'pen' | 'leaf';

/** Side of a product picture in pixels. */
export const PICTURE_SIZE = 128;

/** A calm placeholder: a two-colour gradient of the hue (degrees) with a white shape; `turn` tells products apart. */
export function drawProductPicture(glyph: Glyph, hue: number, turn: number): Buffer {
  return encodePng(PICTURE_SIZE, PICTURE_SIZE, paintProduct(glyph, hue, turn));
}

/** The colours of such a picture, point by point. */
export function paintProduct(glyph: Glyph, hue: number, turn: number): Paint {
  const top = colourOf(hue, 0.5, 0.72);
  const bottom = colourOf(hue + 26, 0.55, 0.46);
  const shape = GLYPHS[glyph];
  const angle = ((turn % 7) - 3) * 0.09;
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const size = 0.92 + (turn % 4) * 0.05;
  return (px, py, row, at) => {
    const t = py / (PICTURE_SIZE - 1);
    const u = (((px + 0.5) / PICTURE_SIZE) * 2 - 1) / size;
    const v = (((py + 0.5) / PICTURE_SIZE) * 2 - 1) / size;
    // Beyond this no shape reaches; most of the picture is ground.
    const distance = u * u + v * v > 0.7 ? 1 : shape(u * cos + v * sin, v * cos - u * sin);
    // One pixel wide edge, so that the shape has no steps.
    const cover = Math.min(1, Math.max(0, 0.5 - (distance * PICTURE_SIZE) / 2)) * 0.92;
    for (let i = 0; i < 3; i += 1) {
      const ground = top[i]! + (bottom[i]! - top[i]!) * t;
      row[at + i] = Math.round(ground + (255 - ground) * cover);
    }
  };
}

/** Signed distance of a point to a shape: below 0 is inside; the picture reaches from −1 to 1. */
type Shape = (x: number, y: number) => number;

const circle =
  (cx: number, cy: number, radius: number): Shape =>
  (x, y) =>
    Math.hypot(x - cx, y - cy) - radius;

const ellipse =
  (cx: number, cy: number, rx: number, ry: number): Shape =>
  (x, y) =>
    (Math.hypot((x - cx) / rx, (y - cy) / ry) - 1) * Math.min(rx, ry);

const rectangle =
  (cx: number, cy: number, halfWidth: number, halfHeight: number, round = 0.06): Shape =>
  (x, y) => {
    const dx = Math.abs(x - cx) - halfWidth + round;
    const dy = Math.abs(y - cy) - halfHeight + round;
    return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - round;
  };

const union =
  (...shapes: Shape[]): Shape =>
  (x, y) =>
    Math.min(...shapes.map((shape) => shape(x, y)));

const both =
  (a: Shape, b: Shape): Shape =>
  (x, y) =>
    Math.max(a(x, y), b(x, y));

const without =
  (a: Shape, b: Shape): Shape =>
  (x, y) =>
    Math.max(a(x, y), -b(x, y));

const turned =
  (shape: Shape, angle: number): Shape =>
  (x, y) =>
    shape(x * Math.cos(angle) + y * Math.sin(angle), y * Math.cos(angle) - x * Math.sin(angle));

const lens = (half: number, width: number): Shape => {
  const offset = (half * half - width * width) / (2 * width);
  return both(circle(-offset, 0, offset + width), circle(offset, 0, offset + width));
};

const GLYPHS: Readonly<Record<Glyph, Shape>> = {
  grain: union(
    rectangle(0, 0.25, 0.035, 0.45),
    ...[-0.32, -0.08, 0.16].flatMap((y) => [
      (px: number, py: number) => turned(lens(0.2, 0.085), 0.7)(px - 0.17, py - y),
      (px: number, py: number) => turned(lens(0.2, 0.085), -0.7)(px + 0.17, py - y),
    ]),
    (px, py) => lens(0.2, 0.09)(px, py + 0.46),
  ),
  box: without(
    union(rectangle(0, 0.1, 0.5, 0.38), rectangle(0, -0.36, 0.56, 0.1)),
    union(rectangle(0, 0.02, 0.08, 0.18, 0.02), rectangle(0, -0.25, 0.6, 0.012, 0)),
  ),
  apple: union(
    without(union(circle(-0.19, 0.1, 0.37), circle(0.19, 0.1, 0.37)), circle(0, -0.36, 0.15)),
    (px, py) => turned(lens(0.2, 0.08), 0.9)(px - 0.14, py + 0.45),
  ),
  plug: union(
    rectangle(-0.18, -0.42, 0.06, 0.18),
    rectangle(0.18, -0.42, 0.06, 0.18),
    both(union(rectangle(0, -0.1, 0.4, 0.2), ellipse(0, 0.08, 0.4, 0.32)), rectangle(0, 0.1, 0.5, 0.42)),
    rectangle(0, 0.5, 0.06, 0.16),
  ),
  paw: union(
    ellipse(0, 0.22, 0.34, 0.28),
    ellipse(-0.4, -0.08, 0.13, 0.18),
    ellipse(0.4, -0.08, 0.13, 0.18),
    ellipse(-0.16, -0.34, 0.14, 0.19),
    ellipse(0.16, -0.34, 0.14, 0.19),
  ),
  star: (x, y) => {
    const angle = Math.atan2(x, -y);
    const fifth = (2 * Math.PI) / 5;
    const folded = Math.abs((((angle % fifth) + fifth * 1.5) % fifth) - fifth / 2);
    const radius = Math.hypot(x, y);
    const px = radius * Math.cos(folded);
    const py = radius * Math.sin(folded);
    // The edge from an outer point (0.62 away) to an inner one (0.27 away).
    const ix = 0.27 * Math.cos(fifth / 2);
    const iy = 0.27 * Math.sin(fifth / 2);
    const length = Math.hypot(ix - 0.62, iy);
    return ((px - 0.62) * iy - py * (ix - 0.62)) / length;
  },
  pen: (x, y) =>
    turned(
      union(
        rectangle(0, -0.14, 0.12, 0.42, 0.04),
        both(rectangle(0, 0.42, 0.12, 0.14, 0), (px, py) => Math.abs(px) * 0.78 + (py - 0.52) * 0.5),
      ),
      0.7,
    )(x, y),
  leaf: without(
    (x, y) => turned(lens(0.62, 0.3), 0.75)(x, y),
    (x, y) => turned(rectangle(0, 0.1, 0.018, 0.5, 0), 0.75)(x, y),
  ),
};

function colourOf(hue: number, saturation: number, lightness: number): readonly [number, number, number] {
  const channel = (n: number): number => {
    const k = (n + hue / 30) % 12;
    return (
      255 *
      (lightness - saturation * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(k - 3, 9 - k, 1)))
    );
  };
  return [channel(0), channel(8), channel(4)];
}
