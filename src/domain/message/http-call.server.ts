import { SendFailure } from './send-failure.server.ts';

/** An answer of a provider, cut to what any of them needs. */
export interface ProviderAnswer {
  readonly http: number;
  readonly text: string;
}

const MOST_BYTES = 65_536;

/** One HTTP call to a provider: no redirects, an end after `timeoutMs`, and errors that tell nothing but their kind. */
export async function callProvider(
  name: string,
  url: string,
  request: {
    readonly method: 'GET' | 'POST';
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  },
  timeoutMs: number,
): Promise<ProviderAnswer> {
  const over = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await fetch(url, {
      method: request.method,
      headers: request.headers,
      ...(request.body === undefined ? {} : { body: request.body }),
      redirect: 'manual',
      signal: over,
    });
    return { http: answer.status, text: await textOf(answer) };
  } catch (error) {
    // The address may carry a phone or a key: the words of the error are not passed on.
    if (over.aborted) throw new SendFailure(`${name}: no answer in time`);
    const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
    throw new SendFailure(
      `${name}: ${typeof code === 'string' && /^[A-Z_]+$/.test(code) ? code : 'no connection'}`,
    );
  }
}

async function textOf(answer: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  if (answer.body)
    for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) {
      parts.push(part);
      size += part.length;
      if (size > MOST_BYTES) break;
    }
  return Buffer.concat(parts).toString('utf8');
}
