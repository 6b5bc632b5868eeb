import { expect, test } from 'vitest';
import { encryptionToken, readEncryptionToken, sealRowTokensUnder } from './row-token.ts';

test('a token names its row, and its path, to who sealed it', () => {
  sealRowTokensUnder(Buffer.alloc(32, 1));
  const token = encryptionToken('goodsOrder', 12);
  expect(readEncryptionToken(token)).toEqual({ name: 'goodsOrder', id: 12, path: undefined });
  expect(readEncryptionToken(encryptionToken('refund', 7, 'list'))).toEqual({
    name: 'refund',
    id: 7,
    path: 'list',
  });
  expect(encryptionToken('goodsOrder', 12)).toBe(token);
  expect(Buffer.from(token, 'base64url').toString('latin1')).not.toMatch(/goodsOrder|12$/);
});

test('what was made up, changed or sealed elsewhere opens nothing', () => {
  sealRowTokensUnder(Buffer.alloc(32, 1));
  const token = encryptionToken('goodsOrder', 12);
  const bent = `${token.slice(0, 20)}${token[20] === 'A' ? 'B' : 'A'}${token.slice(21)}`;
  for (const given of ['', 'x', bent, `${token}=`, Buffer.from('goodsOrder:12').toString('base64url')])
    expect(readEncryptionToken(given)).toBeUndefined();
  sealRowTokensUnder(Buffer.alloc(32, 2));
  expect(readEncryptionToken(token)).toBeUndefined();
});
