import { fill, type Label } from '../../../kernel/contract/label.ts';
import { ONE_TIME_DAYS } from '../../../kernel/contract/password.rules.ts';
import { forbidden, Refusal, sessionEnded, tooMany } from '../../../kernel/server/http/errors.ts';

/** 400: unknown account or wrong password, never told apart. */
export function wrongPassword(): Refusal {
  return new Refusal(400, 400, ['账户或密码错误！', 'Account or password wrong!']);
}

/** What is the matter with a verification code. */
export type CodeProblem = 'missing' | 'wrong' | 'expired';

/** 400 with `data.reason` "code": the verification code is missing, wrong, used or expired. */
export function codeRefused(problem: CodeProblem): Refusal {
  return new Refusal(400, 400, CODE_TEXTS[problem], { reason: 'code' });
}

/** 429: the account waits after failures. `minutes` are whole minutes. */
export function waiting(minutes: number): Refusal {
  return tooMany(
    fill(
      [
        '登录失败次数过多，请 {n} 分钟后再试',
        'Too many failed sign-ins, try again in {n} {n|minute|minutes}',
      ],
      {
        n: minutes,
      },
    ),
    minutes * 60,
  );
}

/** 429: the address failed too often. `seconds` until it may try again. */
export function addressWaits(seconds: number): Refusal {
  return waiting(Math.max(1, Math.ceil(seconds / 60)));
}

/** 401, body status 40001: the right password of an account that is disabled, or whose company is. */
export function accountDisabled(): Refusal {
  return sessionEnded(['账户已停用', 'Account is disabled']);
}

/** 403: the whitelist does not let the account in from this address. */
export function addressRefused(): Refusal {
  return forbidden(['当前地址不允许登录', 'Sign-in is not allowed from this address']);
}

/** 403: the right one-time password, too late. */
export function passwordLapsed(): Refusal {
  return forbidden(
    fill(
      [
        '一次性密码超过{n}天未使用，已失效。请用“忘记密码”设置新密码，或请管理员重置密码',
        'The one-time password was not used within {n} days and has lapsed. Set a new one with "Forgot password", or ask an administrator to reset it',
      ],
      { n: ONE_TIME_DAYS },
    ),
  );
}

/** 401, body status 401: the client credential is missing, wrong or switched off. */
export function clientRefused(): Refusal {
  return new Refusal(401, 401, ['客户端认证失败', 'Client authentication failed']);
}

/** 400: the program may not ask in this way. */
export function grantRefused(): Refusal {
  return new Refusal(400, 400, ['不支持的授权类型', 'Grant type not allowed']);
}

/** 400: the program does not have what it asks for. */
export function scopeRefused(): Refusal {
  return new Refusal(400, 400, ['授权范围不允许', 'Scope not allowed']);
}

/** 422: the text is not encrypted under the current key, which a reload of the page mends. */
export const NOT_ENCRYPTED: Label = [
  '密码无法解密，请刷新页面后重试',
  'The password could not be decrypted, reload the page',
];

const CODE_TEXTS: Readonly<Record<CodeProblem, Label>> = {
  missing: ['请输入验证码', 'Please enter the verification code'],
  wrong: ['验证码错误', 'Verification code is wrong'],
  expired: ['验证码已失效，请刷新', 'Verification code has expired, please refresh'],
};
