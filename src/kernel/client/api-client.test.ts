import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiError, call, installApiHooks } from './api-client.ts';

const realFetch = globalThis.fetch;
let failures: ApiError[] = [];

beforeEach(() => {
  failures = [];
  installApiHooks({
    authorization: () => undefined,
    failed: (error) => failures.push(error),
    epoch: () => {},
  });
});
afterEach(() => {
  globalThis.fetch = realFetch;
});

const answering = (response: () => Response) => {
  globalThis.fetch = async () => response();
};

/** An answer whose line is lost behind the head and the first bytes. */
const brokenOff = () =>
  new Response(
    new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode('{"status":200,'));
        controller.error(new TypeError('network error'));
      },
    }),
    { status: 200 },
  );

test('an answer that breaks off behind its head is no answer, not a refusal with 200', async () => {
  answering(brokenOff);
  await expect(call('GET', '/x')).rejects.toMatchObject({ http: 0, status: 0 });
  expect(failures.map((error) => error.http)).toEqual([0]);
});

test('text that is no envelope, such as a page of a proxy, is a failure with its HTTP status', async () => {
  answering(() => new Response('<html>', { status: 502 }));
  await expect(call('GET', '/x')).rejects.toMatchObject({ http: 502, status: 502, message: '' });
  answering(() => new Response('<html>', { status: 200 }));
  await expect(call('GET', '/x')).rejects.toMatchObject({ http: 200 });
});

test('what the page gave up itself is shown to nobody', async () => {
  const abort = new AbortController();
  globalThis.fetch = async (_url, init) => {
    const response = new Response(
      new ReadableStream({
        start: (controller) =>
          init!.signal!.addEventListener('abort', () => controller.error(new DOMException('', 'AbortError'))),
      }),
    );
    setTimeout(() => abort.abort());
    return response;
  };
  await expect(call('GET', '/x', { signal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' });
  expect(failures).toEqual([]);
});

test('data of the envelope is what a call returns', async () => {
  answering(() => Response.json({ status: 200, message: '', data: { a: 1 } }));
  expect(await call('GET', '/x')).toEqual({ a: 1 });
  answering(() => Response.json({ status: 30101, message: 'no', data: { reason: 'r' } }, { status: 409 }));
  await expect(call('GET', '/x')).rejects.toMatchObject({
    http: 409,
    status: 30101,
    message: 'no',
    reason: 'r',
  });
});

test('success is HTTP 200 or body status 200; HTTP 200 with another body status is refused with it', async () => {
  answering(() => Response.json({ status: 200, message: '', data: 1 }, { status: 202 }));
  expect(await call('GET', '/x')).toBe(1);
  answering(() => Response.json({ data: 2 }));
  expect(await call('GET', '/x')).toBe(2);
  answering(() => Response.json({ status: 500, message: 'no', data: null }));
  await expect(call('GET', '/x')).rejects.toMatchObject({ http: 200, status: 500, message: 'no' });
  answering(() => Response.json({ status: 500, message: 'no', data: null }, { status: 202 }));
  await expect(call('GET', '/x')).rejects.toMatchObject({ http: 202, status: 500 });
});
