import type { Label } from '../../../kernel/contract/label.ts';
import { timeoutText } from '../../../kernel/client/api-client.ts';
import type { NoticeSpec } from '../notices/notices.ts';

/** What the catalogue looks at of a failed call. */
export interface Failure {
  /** HTTP status, 0 without an answer. */
  readonly http: number;
  /** Body status. */
  readonly status: number;
  readonly message: string;
  readonly reason: string | undefined;
  readonly traceId: string | undefined;
}

/** How a failure is shown, and whether it ends the session (token cleared, page reloaded). */
export interface FailurePresentation {
  readonly notice: NoticeSpec;
  readonly endsSession: boolean;
  /** Also given back at the server before the token is cleared. */
  readonly signsOut?: boolean;
  /** Shown as an alert titled 提示 / notice with the button 确定 / OK instead of the notice. */
  readonly alert?: boolean;
}

/** Text of a wrong account or password, and of every other HTTP 400. */
export const wrongPasswordText: Label = ['账户或密码错误！', 'Account or password wrong!'];
/** Text of a token that is missing, unknown or expired. */
export const loggedOutText: Label = [
  '您已被登出，请重新登录',
  'You have been logged out, please log in again',
];
/** Title of refusals. */
export const forbiddenTitle: Label = ['禁止', 'Forbidden'];
/** Title of broken business rules. */
export const failureTitle: Label = ['失败', 'Failure'];
/** Text of a dependency that did not answer. */
export const backendText: Label = [
  '后端服务异常，请联系管理员！',
  'Backend service abnormal, please contact the administrator!',
];
/** Text of a locked session, as the server sends it. */
export const lockedText: Label = ['屏幕已锁定', 'Screen is locked'];

const SHORT = 2000;
const LONG = 5000;

/** Shows a failure as the error catalogue says. Source: specification section 8, 00-frame error texts. */
export function presentFailure(failure: Failure): FailurePresentation {
  const { http, status, message, traceId } = failure;
  const stays = (notice: NoticeSpec): FailurePresentation => ({ notice, endsSession: false });
  if (http === 0) return stays({ tone: 'error', text: timeoutText, duration: LONG });
  if (http === 401) {
    if (status === 40101)
      return { notice: { tone: 'warning', text: loggedOutText, duration: LONG }, endsSession: true };
    if (status === 40001)
      return {
        notice: { tone: 'warning', title: forbiddenTitle, text: message, duration: LONG },
        endsSession: true,
        signsOut: true,
      };
    return {
      notice: { tone: 'warning', text: message || loggedOutText, duration: SHORT },
      endsSession: true,
    };
  }
  if (http === 400 || message.toLowerCase() === 'account or password wrong') {
    // Wrong verification codes are the one case in which the server's own text is shown.
    const text = failure.reason === 'code' && message ? message : wrongPasswordText;
    return stays({ tone: 'warning', text, duration: SHORT });
  }
  if (http === 403)
    return stays({
      tone: 'warning',
      title: forbiddenTitle,
      text: message || forbiddenTitle,
      duration: SHORT,
    });
  if (status === 30101)
    return stays({ tone: 'warning', title: failureTitle, text: message || failureTitle, duration: SHORT });
  if (http === 504) return stays({ tone: 'error', text: backendText, duration: LONG });
  const other: NoticeSpec = { tone: 'error', text: message || backendText, duration: LONG, traceId };
  // The call itself succeeded, its answer says otherwise: the generic helper's box.
  return { notice: other, endsSession: false, alert: http === 200 && status !== 200 };
}

/** True for the failures the catalogue has no line of their own for. */
export function isUnnamed(failure: Pick<Failure, 'http' | 'status'>): boolean {
  return ![0, 400, 401, 403, 504].includes(failure.http) && failure.status !== 30101;
}

/** True when the server refused a call because the session is locked. */
export function isLocked(failure: Failure): boolean {
  return failure.http === 403 && (failure.reason === 'locked' || lockedText.includes(failure.message));
}
