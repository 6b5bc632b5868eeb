import { expect, test } from 'vitest';
import { ApiError } from '../../../kernel/client/api-client.ts';
import { tryAgain } from './try-again.ts';

const failure = (http: number) => new ApiError(http, http, '', undefined, undefined);

/** Fails in order with what is given, then loads; tells how often it was called. */
function loader(...errors: readonly unknown[]) {
  let calls = 0;
  const load = async () => {
    const error = errors[calls++];
    if (error) throw error;
    return 'loaded';
  };
  return { load, calls: () => calls };
}

test('no answer, a proxy without server and code that does not come are tried again', async () => {
  const { load, calls } = loader(failure(0), failure(502), new TypeError('import'));
  expect(await tryAgain(load, [0, 0, 0])).toBe('loaded');
  expect(calls()).toBe(4);
});

test('a refusal by the server counts at once', async () => {
  for (const http of [401, 403, 423, 500]) {
    const { load, calls } = loader(failure(http));
    await expect(tryAgain(load, [0, 0])).rejects.toMatchObject({ http });
    expect(calls()).toBe(1);
  }
});

test('a server that stays away fails in the end', async () => {
  const { load, calls } = loader(failure(0), failure(0), failure(0), failure(0));
  await expect(tryAgain(load, [0, 0])).rejects.toMatchObject({ http: 0 });
  expect(calls()).toBe(3);
});
