import {
  darker,
  hexOf,
  lighter,
  LIGHTER_SHARES,
  readableOn,
  rgbOf,
  DEFAULT_THEME,
  type Rgb,
} from './shades.rules.ts';

const WHITE: Rgb = [255, 255, 255];
const DARK_SURFACE: Rgb = [29, 35, 43];
/** Palest background theme-coloured text stands on in light appearance. */
const LIGHT_SURFACE: Rgb = [236, 242, 250];

/** The colours everything theme-coloured is made of. */
export interface ThemeColours {
  /** The chosen colour: fills without text, lines, charts. */
  readonly theme: string;
  /** Background under white text. */
  readonly solid: string;
  /** Theme-coloured text on the surface. */
  readonly text: string;
  /** The same on the dark sidebar. */
  readonly onSide: string;
}

/** Derives the readable shades of a theme colour. */
export function themeColours(theme: string, dark: boolean): ThemeColours {
  const rgb = rgbOf(theme) ?? rgbOf(DEFAULT_THEME)!;
  return {
    theme: hexOf(rgb),
    solid: hexOf(readableOn(rgb, WHITE)),
    text: hexOf(dark ? readableOn(rgb, DARK_SURFACE, 5) : readableOn(rgb, LIGHT_SURFACE)),
    onSide: hexOf(readableOn(rgb, dark ? [27, 36, 48] : [48, 65, 86])),
  };
}

/** The CSS variables of a theme colour in one appearance. */
export function themeVariables(theme: string, dark: boolean): Readonly<Record<string, string>> {
  const rgb = rgbOf(theme) ?? rgbOf(DEFAULT_THEME)!;
  const { solid, text, onSide } = themeColours(theme, dark);
  const variables: Record<string, string> = {
    '--theme': hexOf(rgb),
    '--theme-darker': hexOf(darker(rgb)),
    '--theme-solid': solid,
    '--theme-text': text,
    '--theme-side': onSide,
  };
  for (const share of LIGHTER_SHARES) variables[`--theme-${share}`] = hexOf(lighter(rgb, share));
  if (dark) {
    // Pale tints would be white panels in dark appearance: mix with the dark surface instead.
    variables['--theme-80'] = hexOf(blend(rgb, DARK_SURFACE, 0.26));
    variables['--theme-90'] = hexOf(blend(rgb, DARK_SURFACE, 0.14));
  }
  return variables;
}

function blend(a: Rgb, b: Rgb, share: number): Rgb {
  const one = (x: number, y: number) => Math.round(x * share + y * (1 - share));
  return [one(a[0], b[0]), one(a[1], b[1]), one(a[2], b[2])];
}
