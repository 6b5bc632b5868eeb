import { expect, test } from 'vitest';
import { openText, sealText } from './sealed-text.server.ts';

const config = { secretKey: Buffer.alloc(32, 5) };

test('a sealed text opens at its own place, under its own key and unchanged only', () => {
  const sealed = sealText(config, 'payee', '7:number', '6222021234567890');
  expect(sealed.toString('latin1')).not.toContain('6222');
  expect(openText(config, 'payee', '7:number', sealed)).toBe('6222021234567890');
  const bent = Buffer.from(sealed);
  bent[bent.length - 1]! ^= 1;
  for (const open of [
    () => openText(config, 'payee', '8:number', sealed),
    () => openText(config, 'other', '7:number', sealed),
    () => openText({ secretKey: Buffer.alloc(32, 6) }, 'payee', '7:number', sealed),
    () => openText(config, 'payee', '7:number', bent),
  ])
    expect(open).toThrow();
  const other = sealText(config, 'payee', '7:number', '6222021234567891');
  expect(other.subarray(0, 12).equals(sealed.subarray(0, 12))).toBe(false);
});
