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

/** The colour itself, or the nearest darker (on dark surfaces lighter) tone of its hue that reaches the contrast. */
export function readableOn(rgb: Rgb, background: Rgb, wanted = TEXT_CONTRAST): Rgb {
  const step = luminance(background) > 0.18 ? -0.005 : 0.005;
  const [hue, saturation, lightness] = hslOf(rgb);
  for (let l = lightness; l >= 0 && l <= 1; l += step) {
    const tone = l === lightness ? rgb : rgbOfHsl(hue, saturation, l);
    if (contrast(tone, background) >= wanted) return tone;
  }
  return step < 0 ? [0, 0, 0] : [255, 255, 255];
}

function hslOf([red, green, blue]: Rgb): readonly [hue: number, saturation: number, lightness: number] {
  const [r, g, b] = [red / 255, green / 255, blue / 255];
  const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
  const range = most - least;
  const lightness = (most + least) / 2;
  if (range === 0) return [0, 0, lightness];
  const saturation = range / (1 - Math.abs(2 * lightness - 1));
  const sector =
    most === r ? ((g - b) / range + 6) % 6 : most === g ? (b - r) / range + 2 : (r - g) / range + 4;
  return [sector * 60, saturation, lightness];
}

function rgbOfHsl(hue: number, saturation: number, lightness: number): Rgb {
  const amplitude = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number) => {
    const k = (offset + hue / 30) % 12;
    return Math.round(255 * (lightness - amplitude * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((channel) => {
    const c = channel / 255;
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
