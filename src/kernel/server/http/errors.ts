import type { Label } from '../../contract/label.ts';

/**
 * A call that is refused for a reason the caller may know. Everything else becomes a 500 without details.
 * Source: ground rules section 2, error catalogue.
 */
export class Refusal extends Error {
  constructor(
    readonly http: number,
    /** Body status of the envelope. */
    readonly status: number,
    readonly label: Label,
    readonly data: unknown = null,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(label[1]);
    this.name = 'Refusal';
  }
}

/** 401, body status 40101: token missing, unknown, expired, logged out. */
export function loggedOut(): Refusal {
  return new Refusal(401, 40101, ['您已被登出，请重新登录', 'You have been logged out, please log in again']);
}

/** 401, body status 40001: the session was ended by somebody else, for the given reason. */
export function sessionEnded(label: Label): Refusal {
  return new Refusal(401, 40001, label);
}

/** 403: the caller does not hold the menu or element. */
export function forbidden(
  label: Label = ['您没有权限执行此操作', 'You have no permission for this'],
): Refusal {
  return new Refusal(403, 403, label);
}

/** 404: the row does not exist or is outside the caller's data scope; the two are never told apart. */
export function notFound(
  label: Label = ['数据不存在或无权查看', 'The record does not exist or is not visible to you'],
): Refusal {
  return new Refusal(404, 404, label);
}

/** 409, body status 30101: a business rule is broken. `data` may explain (for a stale version: `{current}`). */
export function ruleBroken(label: Label, data: unknown = null): Refusal {
  return new Refusal(409, 30101, label, data);
}

/** 422: input is not valid. Messages by field name. */
export function invalid(fields: Readonly<Record<string, Label>>, label?: Label): InvalidInput {
  return new InvalidInput(fields, label);
}

/** 429 with `Retry-After` in seconds. */
export function tooMany(label: Label, retryAfterSeconds: number): Refusal {
  return new Refusal(429, 429, label, null, {
    'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))),
  });
}

/** 503: the database or another dependency is down. */
export function unavailable(): Refusal {
  return new Refusal(503, 503, [
    '服务暂时不可用，请稍后再试',
    'The service is unavailable for a moment, please try again',
  ]);
}

/** 504: a payment channel, SMS or SSO server did not answer in time. */
export function timedOut(): Refusal {
  return new Refusal(504, 504, [
    '后端服务异常，请联系管理员！',
    'Backend service abnormal, please contact the administrator!',
  ]);
}

/** Input that is not valid, with a message per field in both languages. */
export class InvalidInput extends Refusal {
  constructor(
    readonly fields: Readonly<Record<string, Label>>,
    label?: Label,
  ) {
    super(422, 422, label ?? Object.values(fields)[0] ?? ['输入不正确', 'The input is not valid']);
  }
}

/** Runs what checks under names of its own, and names what it refuses as the request did. */
export async function namedAsAsked<T>(
  names: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const fields = Object.entries(error.fields).map(([name, label]) => [names[name] ?? name, label] as const);
    throw new InvalidInput(Object.fromEntries(fields), error.label);
  }
}
