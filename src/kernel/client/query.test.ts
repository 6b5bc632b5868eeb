import { QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { createQueryClient, uncached } from './query.ts';

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

test('a view that is never cached asks again and forgets; the others keep what they read', async () => {
  const cached = createQueryClient();
  const fresh = uncached(cached);
  for (const [client, asked] of [
    [cached, 1],
    [fresh, 2],
  ] as const) {
    let calls = 0;
    const options = { queryKey: ['rows', asked], queryFn: async () => ++calls };
    for (let shown = 0; shown < 2; shown += 1) {
      const leave = new QueryObserver(client, options).subscribe(() => {});
      await turn();
      leave();
      await turn();
    }
    expect(calls).toBe(asked);
    expect(client.getQueryData(['rows', asked])).toBe(asked === 1 ? 1 : undefined);
  }
});

test('what a view that is never cached changes refreshes the others', async () => {
  const cached = createQueryClient();
  let calls = 0;
  const leave = new QueryObserver(cached, { queryKey: ['rows'], queryFn: async () => ++calls }).subscribe(
    () => {},
  );
  await turn();
  await uncached(cached).invalidateQueries({ queryKey: ['rows'] });
  expect(calls).toBe(2);
  leave();
});
