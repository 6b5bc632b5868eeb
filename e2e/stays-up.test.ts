import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, test } from 'vitest';
import {
  postmasterOf,
  serverOf,
  startProduct,
  until,
  workerOf,
  type Entry,
  type RunningProduct,
} from './product.ts';

const KEPT: Entry = 'keep.js';
const GAVE_UP = 70;

let product: RunningProduct | undefined;
afterEach(async () => {
  await product?.stop();
  product = undefined;
});

async function startKept(): Promise<RunningProduct> {
  const started = await startProduct({}, undefined, undefined, KEPT);
  // The folder was copied a moment ago. An installation's files have long been written when something is killed.
  spawnSync('sync');
  return started;
}

/**
 * Kills a process without a word and asks /readyz until the product is ready with another one in its place. Returns every
 * new code of /readyz from the kill on.
 */
async function kill(
  running: RunningProduct,
  of: () => number | undefined,
): Promise<readonly (number | 'refused')[]> {
  const before = await known(of);
  const codes: (number | 'refused')[] = [];
  let replaced = false;
  process.kill(before, 'SIGKILL');
  await Promise.all([
    soon(async () => {
      const now = of();
      return (replaced = now !== undefined && now !== before);
    }, 50),
    soon(async () => {
      const since = replaced;
      const code = await fetch(`${running.url}/readyz`).then(
        (answer) => answer.status,
        () => 'refused' as const,
      );
      if (codes.at(-1) !== code) codes.push(code);
      return since && code === 200;
    }, 1),
  ]);
  return codes;
}

async function known(of: () => number | undefined): Promise<number> {
  let pid: number | undefined;
  await soon(async () => (pid = of()) !== undefined);
  return pid!;
}

/** As `until`, asking more often: what is seen here may last less than a second. On a busy machine a start takes a while. */
async function soon(condition: () => Promise<boolean>, pause = 10): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`waited in vain\n${product?.output()}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

describe.runIf(process.platform === 'linux')('a product whose processes are killed', () => {
  test('database, server and worker come back by themselves, with 503 while there is a server', async () => {
    product = await startKept();
    const running = product;
    const { pid } = running;
    const token = await running.signIn('admin');
    const group = (code: string) =>
      running.call('POST', '/api/admin/groupType', token, { code, name: code, description: '不丢失' });
    const codes = async () =>
      (
        (await running.call('GET', '/api/admin/groupType/page?limit=200', token)).body.data as {
          rows: { code: string }[];
        }
      ).rows.map((row) => row.code);

    // A second one on this data folder cannot start, however often it is tried: it ends with the reason at once.
    await expect(startProduct({}, running.dataDir, undefined, KEPT)).rejects.toThrow(
      /^the product ended: The database in .* is already run by process \d+/,
    );
    expect((await group('before_database')).http).toBe(200);
    const server = await known(() => serverOf(pid));
    const api: number[] = [];
    let asking = true;
    const caller = (async () => {
      while (asking) api.push((await running.call('GET', '/api/admin/groupType/page?limit=20', token)).http);
    })();
    const database = await kill(running, () => postmasterOf(running.dataDir));
    asking = false;
    await caller;
    expect(database.at(0)).not.toBe('refused');
    expect(database).toContain(503);
    expect(database.at(-1)).toBe(200);
    expect(database).not.toContain('refused');
    // Calls of staff get a refusal they can repeat, never a fault.
    expect(new Set(api)).toEqual(new Set([200, 503]));
    expect(serverOf(pid)).toBe(server);
    expect(running.output()).toMatch(/the database ended \(SIGKILL\); starting it again/);
    expect(await codes()).toContain('before_database');

    expect((await group('before_server')).http).toBe(200);
    await kill(running, () => serverOf(pid));
    expect(serverOf(pid)).not.toBe(server);
    expect(running.output()).toMatch(/The server ended \(SIGKILL\)\. Starting it again\./);
    // The session is a row: whoever was signed in goes on.
    expect(await codes()).toEqual(expect.arrayContaining(['before_database', 'before_server']));

    const next = await known(() => serverOf(pid));
    const worker = await kill(running, () => workerOf(next));
    expect(worker).toEqual([200]);
    expect(serverOf(pid)).toBe(next);
    const { taskId } = (await running.call('POST', '/api/jinmao/web/refund/export', token, { query: {} }))
      .body.data as { taskId: string };
    await until(async () => {
      const tasks = (await running.call('GET', '/api/jinmao/web/exportTask/list', token)).body
        .data as unknown as { id: string; state: string }[];
      return tasks.find((task) => task.id === taskId)?.state === 'ready';
    });

    await running.kill('SIGTERM');
    expect(running.exitCode()).toBe(0);
    expect(postmasterOf(running.dataDir)).toBeUndefined();
  }, 240_000);

  const victims = [
    ['database', () => postmasterOf(product!.dataDir)],
    ['server', () => serverOf(product!.pid)],
    ['worker', () => workerOf(serverOf(product!.pid) ?? -1)],
  ] as const;
  for (const [name, of] of victims)
    test(`after five ends of the ${name} within a minute it gives up and says why`, async () => {
      product = await startKept();
      for (let end = 1; end <= 4; end += 1) await kill(product, of);
      process.kill(await known(of), 'SIGKILL');
      await soon(async () => product!.ended());
      expect(product.exitCode()).toBe(GAVE_UP);
      expect(product.output()).toMatch(
        new RegExp(
          `the ${name} ended 5 times within a minute, the last time with SIGKILL\\. Giving up\\.`,
          'i',
        ),
      );
      expect(product.output().match(new RegExp(`the ${name} ended .*starting it again`, 'gi'))).toHaveLength(
        4,
      );
      expect(postmasterOf(product.dataDir)).toBeUndefined();
    }, 240_000);

  test('SIGINT while it is starting ends it with 0 and leaves no database behind', async () => {
    product = await startKept();
    const running = product;
    const left = await known(() => postmasterOf(running.dataDir));
    process.kill(await known(() => serverOf(running.pid)), 'SIGKILL');
    // The database of the killed server is replaced first: the start is under way.
    await soon(async () => ![left, undefined].includes(postmasterOf(running.dataDir)));
    await running.kill('SIGINT');
    expect(running.exitCode()).toBe(0);
    expect(postmasterOf(running.dataDir)).toBeUndefined();
  }, 240_000);
});
