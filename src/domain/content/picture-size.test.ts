import { expect, test } from 'vitest';
import { pictureSize } from './picture-size.server.ts';

const size = (hex: string) => pictureSize(Buffer.from(hex.replace(/\s/g, ''), 'hex'));

test('the size of a picture is read from what its kind says of it', () => {
  expect(size('89504e470d0a1a0a 0000000d 49484452 000000c8 000000c7 08020000')).toEqual({
    width: 200,
    height: 199,
  });
  expect(size('474946383961 c800 2c01 f70000000000')).toEqual({ width: 200, height: 300 });
  expect(size('52494646 00000000 57454250 56503858 0a000000 10000000 c70000 2b0100')).toEqual({
    width: 200,
    height: 300,
  });
  expect(size('52494646 00000000 57454250 56503820 00000000 000000 9d012a c800 2c01')).toEqual({
    width: 200,
    height: 300,
  });
  expect(size('52494646 00000000 57454250 5650384c 00000000 2f c7c04a00')).toEqual({
    width: 200,
    height: 300,
  });
  // A segment before it is skipped, fill bytes too.
  expect(size('ffd8 ffe0 0004 0000 ff ffc2 0011 08 012c 00c8 03')).toEqual({ width: 200, height: 300 });
});

test('what says no size has none', () => {
  for (const hex of ['', '00', '89504e47', 'ffd8 ffe0 ffff 00', 'ffd8 ffda 0004', 'ffd8 00', '25504446'])
    expect(size(hex)).toBeUndefined();
});
