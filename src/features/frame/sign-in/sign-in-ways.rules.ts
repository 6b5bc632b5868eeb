import type { Label } from '../../../kernel/contract/label.ts';

/** How somebody signed in, in words. */
export const signInWays: Readonly<Record<string, Label>> = {
  password: ['密码', 'Password'],
  sso: ['单点登录', 'Single sign-on'],
};
