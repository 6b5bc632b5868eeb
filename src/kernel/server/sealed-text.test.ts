import { expect, test } from 'vitest';
import { openText, sealText } from './sealed-text.ts';

const config = { secretKey: Buffer.alloc(32, 7) };

test('a sealed text opens for its purpose and under its key only, and looks different every time', () => {
  const sealed = sealText(config, 'bank_account:1', '6222021001116245');
  expect(sealed.includes('6222021001116245')).toBe(false);
  expect(sealed.equals(sealText(config, 'bank_account:1', '6222021001116245'))).toBe(false);
  expect(openText(config, 'bank_account:1', sealed)).toBe('6222021001116245');
  expect(() => openText(config, 'bank_account:2', sealed)).toThrow();
  expect(() => openText({ secretKey: Buffer.alloc(32, 8) }, 'bank_account:1', sealed)).toThrow();
  const touched = Buffer.from(sealed);
  touched[touched.length - 1]! ^= 1;
  expect(() => openText(config, 'bank_account:1', touched)).toThrow();
});
