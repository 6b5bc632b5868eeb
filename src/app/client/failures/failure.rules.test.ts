import { describe, expect, it } from 'vitest';
import { isLocked, isUnnamed, presentFailure, type Failure } from './failure.rules.ts';

const failure = (http: number, status: number, message = 'm', reason?: string): Failure => ({
  http,
  status,
  message,
  reason,
  traceId: 't1',
});

describe('error catalogue', () => {
  it.each([
    [failure(0, 0, ''), ['服务请求超时！', 'The service request timed out!'], 5000, undefined, false],
    [
      failure(400, 400, 'anything'),
      ['账户或密码错误！', 'Account or password wrong!'],
      2000,
      undefined,
      false,
    ],
    [
      failure(500, 500, 'Account or password wrong'),
      ['账户或密码错误！', 'Account or password wrong!'],
      2000,
      undefined,
      false,
    ],
    [failure(400, 400, '验证码错误', 'code'), '验证码错误', 2000, undefined, false],
    [
      failure(401, 40101),
      ['您已被登出，请重新登录', 'You have been logged out, please log in again'],
      5000,
      undefined,
      true,
    ],
    [failure(401, 40001, '账户已停用'), '账户已停用', 5000, ['禁止', 'Forbidden'], true],
    [failure(401, 401, 'client'), 'client', 2000, undefined, true],
    [failure(403, 403, 'no'), 'no', 2000, ['禁止', 'Forbidden'], false],
    [failure(409, 30101, 'stale'), 'stale', 2000, ['失败', 'Failure'], false],
    [
      failure(504, 504),
      ['后端服务异常，请联系管理员！', 'Backend service abnormal, please contact the administrator!'],
      5000,
      undefined,
      false,
    ],
    [failure(422, 422, 'bad'), 'bad', 5000, undefined, false],
  ])('%j', (given, text, duration, title, endsSession) => {
    const shown = presentFailure(given);
    expect(shown.notice.text).toEqual(text);
    expect(shown.notice.duration).toBe(duration);
    expect(shown.notice.title).toEqual(title);
    expect(shown.endsSession).toBe(endsSession);
  });
  it('carries the trace id of unexpected failures', () => {
    expect(presentFailure(failure(500, 500)).notice.traceId).toBe('t1');
  });
  it('gives the token back when the account was refused, and only then', () => {
    expect(
      [40001, 40101, 401].map((status) => presentFailure(failure(401, status)).signsOut === true),
    ).toEqual([true, false, false]);
  });
  it('shows the box of the generic helper for a call that succeeded with another status', () => {
    expect(presentFailure(failure(200, 500, 'no')).alert).toBe(true);
    expect(presentFailure(failure(200, 200, '')).alert).toBe(false);
    expect(presentFailure(failure(500, 500, 'no')).alert).toBe(false);
    expect(presentFailure(failure(200, 30101, 'no')).alert).toBeUndefined();
  });
  it('knows what it has a line of its own for', () => {
    const named = [failure(0, 0), failure(403, 403), failure(504, 504), failure(409, 30101)];
    expect(named.map(isUnnamed)).toEqual([false, false, false, false]);
    expect([failure(200, 500), failure(500, 500), failure(422, 422)].map(isUnnamed)).toEqual([
      true,
      true,
      true,
    ]);
  });
  it('recognises a locked session', () => {
    expect(isLocked(failure(403, 403, '屏幕已锁定'))).toBe(true);
    expect(isLocked(failure(403, 403, 'x', 'locked'))).toBe(true);
    expect(isLocked(failure(403, 403, 'x'))).toBe(false);
  });
});
