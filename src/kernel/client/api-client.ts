import type { Label } from '../contract/label.ts';
import { currentLanguage } from './language.ts';

/** A call that did not end with success. `fields` maps an input field to its message. */
export class ApiError extends Error {
  constructor(
    /** HTTP status; 0 when no answer came. */
    readonly http: number,
    /** Body status of the envelope. */
    readonly status: number,
    message: string,
    readonly data: unknown,
    readonly traceId: string | undefined,
  ) {
    super(message);
    this.name = 'ApiError';
  }

  get fields(): Readonly<Record<string, string>> {
    const data = this.data as { fields?: Record<string, string> } | null;
    return data?.fields ?? {};
  }

  get reason(): string | undefined {
    return (this.data as { reason?: string } | null)?.reason;
  }
}

/** What a call may be given. */
export interface CallOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined | readonly string[]>>;
  readonly body?: unknown;
  /** Sent form-encoded instead of JSON. */
  readonly form?: Readonly<Record<string, string>>;
  /** Sent as multipart. */
  readonly multipart?: FormData;
  readonly signal?: AbortSignal;
  /** Repeats with the same key have one effect. */
  readonly idempotencyKey?: string;
  /** The caller shows failures itself; session ends are still handled centrally. */
  readonly quiet?: boolean;
  /** Authorization header instead of the session's. */
  readonly authorization?: string;
  /** Milliseconds, default 30000. */
  readonly timeout?: number;
  /** Returns the whole body instead of `data` (the token endpoint). */
  readonly whole?: boolean;
}

/** Hooks the frame puts in: how failures are shown and what a response header means. */
export interface ApiHooks {
  /** The Authorization value to send, `Bearer …`, or undefined when signed out. */
  authorization(): string | undefined;
  /** Shows a failure as the error catalogue says and ends the session where it says so. Runs before the promise rejects. */
  failed(error: ApiError, quiet: boolean): void;
  /** Called with the `X-Permission-Epoch` header of every answer. */
  epoch(value: string): void;
}

const TIME_OUT_MS = 30_000;

let hooks: ApiHooks = { authorization: () => undefined, failed: () => {}, epoch: () => {} };

/** Installs the frame's hooks. */
export function installApiHooks(next: ApiHooks): void {
  hooks = next;
}

/** Text of a call without an answer. Source: specification section 8. */
export const timeoutText: Label = ['服务请求超时！', 'The service request timed out!'];

/**
 * Calls the server and returns `data` of the envelope.
 * Throws ApiError for everything else than HTTP 200 or body status 200; the failure is shown before that unless quiet.
 */
export async function call<T>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  options: CallOptions = {},
): Promise<T> {
  const { response, text } = await send(method, path, options);
  const traceId = response.headers.get('X-Trace-Id') ?? undefined;
  const epoch = response.headers.get('X-Permission-Epoch');
  if (epoch) hooks.epoch(epoch);
  const body = readEnvelope(text);
  // Success is HTTP 200 or body status 200; a body of HTTP 200 that says another status is refused by the helper itself.
  const isSuccess = response.status === 200 || body?.status === 200;
  if (isSuccess && body && (body.status === undefined || body.status === 200 || options.whole))
    return (options.whole ? body : body.data) as T;
  throw failure(
    new ApiError(response.status, body?.status ?? response.status, body?.message ?? '', body?.data, traceId),
    options,
  );
}

/** A fresh key for `Idempotency-Key`: 128 random bits. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function readEnvelope(
  text: string,
): { readonly status?: number; readonly message?: string; readonly data?: unknown } | undefined {
  try {
    return JSON.parse(text) as ReturnType<typeof readEnvelope>;
  } catch {
    return undefined;
  }
}

/**
 * The answer with its whole text. One that breaks off behind its head (a reload, a lost line) is no answer: the server's
 * "200" would else read as its refusal, and a session that was just being loaded would be given up.
 */
async function send(
  method: string,
  path: string,
  options: CallOptions,
): Promise<{ readonly response: Response; readonly text: string }> {
  const headers: Record<string, string> = { 'Accept-Language': currentLanguage() };
  const authorization = options.authorization ?? hooks.authorization();
  if (authorization) headers.Authorization = authorization;
  if (options.idempotencyKey) headers['Idempotency-Key'] = options.idempotencyKey;
  let body: BodyInit | undefined;
  if (options.form) {
    headers['Content-Type'] = 'application/x-www-form-urlencoded';
    body = new URLSearchParams(options.form as Record<string, string>).toString();
  } else if (options.multipart) {
    body = options.multipart;
  } else if (options.body !== undefined) {
    headers['Content-Type'] = 'application/json';
    body = JSON.stringify(options.body);
  }
  const abort = new AbortController();
  const cancel = () => abort.abort();
  options.signal?.addEventListener('abort', cancel, { once: true });
  const timer = setTimeout(cancel, options.timeout ?? TIME_OUT_MS);
  try {
    const response = await fetch(withQuery(path, options.query), {
      method,
      headers,
      body,
      signal: abort.signal,
      credentials: 'same-origin',
    });
    return { response, text: await response.text() };
  } catch (error) {
    // A call the page itself gave up (view closed, newer search) is no failure to show.
    if (options.signal?.aborted) throw error;
    throw failure(new ApiError(0, 0, '', undefined, undefined), options);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', cancel);
  }
}

function failure(error: ApiError, options: CallOptions): ApiError {
  hooks.failed(error, options.quiet ?? false);
  return error;
}

function withQuery(path: string, query: CallOptions['query']): string {
  if (!query) return path;
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(key, String(one));
  }
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}
