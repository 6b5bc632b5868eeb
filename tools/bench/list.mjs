// List of 20 of a million orders with token, permissions, scope and masks, against the two floors, interleaved five times.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { load, median, table } from './load.mjs';
import { benchData, memory, startProduct } from './product.mjs';

const ROUNDS = 5;

export async function bench() {
  const dataDir = benchData(Number(process.env.ROWS ?? 1_000_000));
  const product = await startProduct(dataDir);
  const floor = spawn(
    process.execPath,
    [
      path.join(path.dirname(fileURLToPath(import.meta.url)), 'floor.mjs'),
      path.join(dataDir, 'addresses.json'),
      '18081',
      '18082',
      '18083',
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await new Promise((resolve) => floor.stdout.once('data', resolve));
  const authorization = await product.signIn('admin');
  const candidates = {
    'floor: Fastify + json_agg': { port: 18081, path: '/list' },
    'floor: json_agg of the same values': { port: 18083, path: '/list' },
    'floor: Fastify + pg rows': { port: 18082, path: '/list' },
    'list, administrator': {
      port: product.port,
      path: '/api/jinmao/web/goodsOrder/page?limit=20',
      headers: { authorization },
    },
    'list, merchant': {
      port: product.port,
      path: '/api/jinmao/web/goodsOrder/page?limit=20',
      headers: { authorization: await product.signIn('merchant1') },
    },
  };
  for (const candidate of Object.values(candidates)) await load({ ...candidate, seconds: 2 });
  const results = Object.fromEntries(Object.keys(candidates).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, candidate] of Object.entries(candidates))
      results[name].push(await load({ ...candidate, seconds: 3 }));
  const base = median(results['floor: Fastify + json_agg'].map((one) => one.rps));
  table(
    `List of 20 (median of ${ROUNDS} rounds, 16 connections; the load generator shares the machine)`,
    Object.fromEntries(
      Object.entries(results).map(([name, runs]) => [
        name,
        {
          'requests/s': Math.round(median(runs.map((one) => one.rps))),
          spread: `${Math.round(Math.min(...runs.map((one) => one.rps)))}–${Math.round(Math.max(...runs.map((one) => one.rps)))}`,
          'of floor': `${Math.round((median(runs.map((one) => one.rps)) / base) * 100)} %`,
          'p50 ms': median(runs.map((one) => one.p50)).toFixed(1),
          'p99 ms': median(runs.map((one) => one.p99)).toFixed(1),
        },
      ]),
    ),
  );
  table(
    'Memory after load, MB',
    memory(product.pid).map(({ mb, args }) => ({ mb, args: args.slice(0, 90) })),
  );
  floor.kill('SIGTERM');
  await product.stop();
}
