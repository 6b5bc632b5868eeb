import { expect, test } from 'vitest';
import { watermarkText } from './watermark-text.rules.ts';

const at = new Date('2026-11-21T04:30:00Z');

test('last four of the staff number, in business time', () => {
  expect(watermarkText({ name: '王明', staffNumber: 'P00012345', username: 'wangming' }, at)).toBe(
    '王明 2345 2026-11-21 12:30',
  );
});
test('without a number the account as it is, never its tail', () => {
  expect(watermarkText({ name: '平台管理员', username: 'admin' }, at)).toBe(
    '平台管理员 admin 2026-11-21 12:30',
  );
});
