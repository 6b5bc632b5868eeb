/** Colour as three channels from 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Default theme colour. Source: specification section 9. */
export const DEFAULT_THEME = '#409EFF';

/** Smallest contrast of text against its background (WCAG 2.2 AA). */
export const TEXT_CONTRAST = 4.5;

/** Shares of white of the ten lighter shades, in percent. */
export const LIGHTER_SHARES = [5, 10, 20, 30, 40, 50, 60, 70, 80, 90] as const;

/** Reads `#RRGGBB`; undefined for anything else. */
export function rgbOf(hex: string): Rgb | undefined {
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex.trim());
  if (!match) return undefined;
  return [parseInt(match[1]!, 16), parseInt(match[2]!, 16), parseInt(match[3]!, 16)];
}

/** Writes `#RRGGBB` in capitals. */
export function hexOf(rgb: Rgb): string {
  return `#${rgb.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`.toUpperCase();
}

/** A lighter shade: per channel `c + round(t × (255 − c))`, t in percent. Source: 00-frame, theme picker. */
export function lighter(rgb: Rgb, percent: number): Rgb {
  const lift = (channel: number) => channel + Math.round((percent / 100) * (255 - channel));
  return [lift(rgb[0]), lift(rgb[1]), lift(rgb[2])];
}

/** The 10 % darker shade: per channel `round(c × 0.9)`. */
export function darker(rgb: Rgb): Rgb {
  return [Math.round(rgb[0] * 0.9), Math.round(rgb[1] * 0.9), Math.round(rgb[2] * 0.9)];
}

/** Contrast ratio of two colours, 1 to 21 (WCAG). */
export function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** The colour itself, or the nearest shade of it that reaches the contrast against the background. */
export function readableOn(rgb: Rgb, background: Rgb, wanted = TEXT_CONTRAST): Rgb {
  const towards = luminance(background) > 0.18 ? 0 : 255;
  for (let share = 0; share <= 1; share += 0.01) {
    const mixed: Rgb = [mix(rgb[0], towards, share), mix(rgb[1], towards, share), mix(rgb[2], towards, share)];
    if (contrast(mixed, background) >= wanted) return mixed;
  }
  return [towards, towards, towards];
}

function mix(channel: number, towards: number, share: number): number {
  return Math.round(channel + (towards - channel) * share);
}

function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((channel) => {
    const c = channel / 255;
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
