import { expect, test } from 'vitest';
import { BOSS_PERMISSIONS, permissionsOf } from './boss-account.rules.ts';

test('an owner has everything, only finance besides may withdraw', () => {
  expect(permissionsOf('owner', [])).toEqual({ kept: Object.keys(BOSS_PERMISSIONS) });
  expect(permissionsOf('finance', ['money', 'withdraw', 'money'])).toEqual({ kept: ['money', 'withdraw'] });
  expect(permissionsOf('clerk', ['take', 'withdraw'])).toEqual({
    problem: ['仅老板与财务可提现', 'Only owner and finance may withdraw'],
  });
});
