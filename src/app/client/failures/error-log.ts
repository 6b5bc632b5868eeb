import { create } from 'zustand';
import { ApiError, call } from '../../../kernel/client/api-client.ts';
import { pageBuild } from '../version/page-build.ts';

/** A caught error as the error log shows it. */
export interface LoggedError {
  readonly message: string;
  /** Component, script or promise it came from. */
  readonly where: string;
  readonly url: string;
  readonly stack: string;
  readonly at: number;
  /** Times seen. */
  readonly count: number;
  readonly traceId: string;
}

interface ErrorLogState {
  /** Newest first, at most 50. */
  readonly errors: readonly LoggedError[];
  /** How often a code chunk could not be loaded: another release is on the server, or the server is gone. */
  readonly missingCode: number;
}

/** Errors caught since the page was loaded. */
export const useErrorLog = create<ErrorLogState>(() => ({ errors: [], missingCode: 0 }));

const MOST = 50;
const REPORTS_A_MINUTE = 20;
const LOGGED_BY_OTHERS_MS = 1000;
let sentAt: number[] = [];

/** Trace ids of the errors in the log: one that is caught at two places is one error. */
const caught = new WeakMap<object, string>();

/** Takes an error into the log; equal ones (message, where, address) are counted. Returns its trace id. */
export function logError(error: unknown, where: string): string {
  const isObject = typeof error === 'object' && error !== null;
  const seen = isObject ? caught.get(error) : undefined;
  if (seen) return seen;
  const traceId = addError(error, where);
  if (isObject) caught.set(error, traceId);
  return traceId;
}

function addError(error: unknown, where: string): string {
  const message = error instanceof Error ? error.message : String(error);
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  if (isChunkFailure(message)) noteMissingCode();
  const url = window.location.pathname;
  const { errors } = useErrorLog.getState();
  const known = errors.find((one) => one.message === message && one.where === where && one.url === url);
  const at = Date.now();
  if (known) {
    const counted = { ...known, count: known.count + 1, at };
    useErrorLog.setState({ errors: [counted, ...errors.filter((one) => one !== known)] });
    return known.traceId;
  }
  const traceId = (error instanceof ApiError && error.traceId) || newTraceId();
  const logged: LoggedError = { message, where, url, stack, at, count: 1, traceId };
  useErrorLog.setState({ errors: [logged, ...errors].slice(0, MOST) });
  report(logged);
  return traceId;
}

/** Empties the log. */
export function clearErrors(): void {
  useErrorLog.setState({ errors: [] });
}

/** Catches script, promise and chunk errors of the window. */
export function watchErrors(): void {
  window.addEventListener('error', (event) => {
    if (/ResizeObserver loop/.test(event.message)) return;
    logError(
      event.error ?? event.message,
      event.filename ? `script ${new URL(event.filename, location.href).pathname}` : 'script',
    );
  });
  window.addEventListener('unhandledrejection', (event) => {
    // Failed calls are shown by the error catalogue; given-up calls are no errors.
    if (event.reason instanceof ApiError || (event.reason as Error | undefined)?.name === 'AbortError')
      return;
    logError(event.reason, 'promise');
  });
  window.addEventListener('vite:preloadError', (event) => {
    const error = (event as Event & { payload?: unknown }).payload ?? 'chunk';
    if (isChunkFailure(String(error))) noteMissingCode();
    // Who asked for the code mostly logs it, and says better where.
    setTimeout(() => logError(error, 'chunk'), LOGGED_BY_OTHERS_MS);
  });
}

function noteMissingCode(): void {
  useErrorLog.setState((state) => ({ missingCode: state.missingCode + 1 }));
}

/** True for the texts browsers have for code that could not be loaded. */
export function isChunkFailure(message: string): boolean {
  return /dynamically imported module|module script failed|preload CSS|error loading dynamically/i.test(
    message,
  );
}

function report(error: LoggedError): void {
  const now = Date.now();
  sentAt = sentAt.filter((at) => now - at < 60_000);
  if (sentAt.length >= REPORTS_A_MINUTE) return;
  sentAt.push(now);
  void send(error);
}

async function send({ message, where, url, stack, traceId }: LoggedError): Promise<void> {
  const body = {
    message,
    where,
    url,
    // Rows of one screen are one route: that is how reports are looked through.
    route: url.replace(/\/\d+(?=\/|$)/g, '/:id'),
    stack,
    traceId,
    release: pageBuild(),
    userAgent: navigator.userAgent,
  };
  // A failing report must not report itself.
  await call('POST', '/api/admin/errorReport', { body, quiet: true }).catch(() => {});
}

function newTraceId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
