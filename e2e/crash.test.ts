import fs from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { startProduct, until, workerOf, type RunningProduct } from './product.ts';

let product: RunningProduct | undefined;
afterEach(async () => {
  await product?.stop();
  product = undefined;
});

test('kill -9 of the server: the next start takes over the database, nothing acknowledged is lost', async () => {
  product = await startProduct();
  const token = await product.signIn('admin');
  const codes: string[] = [];
  for (let index = 0; index < 20; index++) {
    const answer = await product.call('POST', '/api/admin/groupType', token, {
      code: `crash_${index}`,
      name: `崩溃测试${index}`,
      description: '断电不丢数据',
    });
    expect(answer.http).toBe(200);
    codes.push(`crash_${index}`);
  }
  await product.kill('SIGKILL');
  product = await startProduct({}, product.dataDir);
  const again = await product.signIn('admin');
  const rows = (await product.call('GET', '/api/admin/groupType/page?limit=200', again)).body.data as {
    rows: { code: string }[];
  };
  const seen = new Set(rows.rows.map((row) => row.code));
  for (const code of codes) expect(seen.has(code)).toBe(true);
  // The old token survives too: sessions are rows.
  expect((await product.call('GET', '/api/admin/user/front/info', token)).http).toBe(200);
}, 180_000);

test.runIf(fs.existsSync('/proc/self/environ'))(
  'kill -9 of the worker during an export: another worker finishes it, the file is there once',
  async () => {
    product = await startProduct();
    const token = await product.signIn('admin');
    const { taskId } = (await product.call('POST', '/api/jinmao/web/refund/export', token, { query: {} }))
      .body.data as { taskId: string };
    const { pid } = product;
    await until(async () => workerOf(pid) !== undefined);
    const worker = workerOf(pid)!;
    process.kill(worker, 'SIGKILL');
    await until(async () => {
      const tasks = (await product!.call('GET', '/api/jinmao/web/exportTask/list', token)).body
        .data as unknown as { id: string; state: string }[];
      return tasks.find((task) => task.id === taskId)?.state === 'ready';
    }, 150_000);
    expect(workerOf(pid)).not.toBe(worker);
  },
  240_000,
);

test('SIGTERM under load: every call that was taken gets its answer', async () => {
  product = await startProduct();
  const token = await product.signIn('admin');
  const answers: (number | 'refused')[] = [];
  let stopped = false;
  const callers = Array.from({ length: 8 }, async () => {
    while (!stopped) {
      try {
        answers.push((await product!.call('GET', '/api/jinmao/web/refund/page?limit=20', token)).http);
      } catch {
        // The port is closed: a refused connection is no call that was taken.
        answers.push('refused');
        return;
      }
      // Stays below the calls a staff may make in a minute, however fast the machine is.
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await product.kill('SIGTERM');
  stopped = true;
  await Promise.all(callers);
  const taken = answers.filter((answer) => answer !== 'refused');
  expect(taken.length).toBeGreaterThan(20);
  expect(taken.filter((answer) => answer !== 200)).toEqual([]);
}, 180_000);
