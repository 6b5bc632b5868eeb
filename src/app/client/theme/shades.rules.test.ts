import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  contrast,
  darker,
  hexOf,
  lighter,
  LIGHTER_SHARES,
  readableOn,
  rgbOf,
  type Rgb,
} from './shades.rules.ts';

const blue = rgbOf('#409EFF')!;
const channel = fc.integer({ min: 0, max: 255 });
const colour = fc.tuple(channel, channel, channel) as fc.Arbitrary<Rgb>;

describe('theme shades', () => {
  it('computes the examples of the specification', () => {
    expect(hexOf(lighter(blue, 10))).toBe('#53A8FF');
    expect(hexOf(lighter(blue, 90))).toBe('#ECF5FF');
    expect(hexOf(darker(blue))).toBe('#3A8EE6');
  });
  it('has ten lighter shades', () => expect(LIGHTER_SHARES).toHaveLength(10));
  it('refuses what is no colour', () => expect(rgbOf('blue')).toBeUndefined());
  it('knows that the default fails on white', () =>
    expect(contrast(blue, [255, 255, 255])).toBeLessThan(4.5));
  it('always finds a readable shade on light and dark surfaces', () => {
    fc.assert(
      fc.property(
        colour,
        fc.constantFrom<Rgb>([255, 255, 255], [21, 25, 31], [29, 35, 43]),
        (given, surface) => {
          expect(contrast(readableOn(given, surface), surface)).toBeGreaterThanOrEqual(4.5);
        },
      ),
    );
  });
  it('keeps a colour that is readable already', () => {
    expect(readableOn(rgbOf('#003366')!, [255, 255, 255])).toEqual(rgbOf('#003366'));
  });
});
