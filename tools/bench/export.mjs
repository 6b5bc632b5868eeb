// Export of 100,000 orders from click to file, with the latency of the list meanwhile, against a raw sheet-XML + deflate writer.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { load, table } from './load.mjs';
import { benchData, memory, startProduct } from './product.mjs';

export async function bench() {
  const product = await startProduct(benchData(Number(process.env.ROWS ?? 1_000_000)));
  const authorization = await product.signIn('admin');
  const headers = { authorization, 'content-type': 'application/json' };
  const list = {
    port: product.port,
    path: '/api/jinmao/web/goodsOrder/page?limit=20',
    headers: { authorization },
    connections: 2,
  };
  const calm = await load({ ...list, seconds: 4 });
  const range = await rangeOf(product, authorization, 100_000);
  const began = performance.now();
  const { data } = await (
    await fetch(`${product.url}/api/jinmao/web/goodsOrder/export`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: { createdAt: range.range } }),
    })
  ).json();
  let peak = 0;
  const loaded = load({ ...list, seconds: 6 });
  let task;
  do {
    await new Promise((resolve) => setTimeout(resolve, 250));
    peak = Math.max(
      peak,
      ...memory(product.pid)
        .filter((one) => one.args.includes('worker'))
        .map((one) => one.mb),
    );
    const tasks = await (await fetch(`${product.url}/api/jinmao/web/exportTask/list`, { headers })).json();
    task = tasks.data.find((one) => one.id === data.taskId);
  } while (task && !['ready', 'failed'].includes(task.state));
  const seconds = (performance.now() - began) / 1000;
  const busy = await loaded;
  const floorSeconds = await floor(range.total);
  table('Export', {
    orders: { value: range.total },
    'rows in the file': { value: task?.rowCount },
    state: { value: task?.state },
    'seconds from click to file': { value: seconds.toFixed(1) },
    'raw writer of as many rows × 20, seconds': { value: floorSeconds.toFixed(1) },
    'worker memory peak MB': { value: peak },
    'list p99 ms calm': { value: calm.p99.toFixed(1) },
    'list p99 ms meanwhile': { value: busy.p99.toFixed(1) },
  });
  await product.stop();
}

async function rangeOf(product, authorization, wanted) {
  for (let days = 10; days < 1200; days = Math.ceil(days * 1.3)) {
    const from = new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    const range = `${from}~`;
    const { data } = await (
      await fetch(`${product.url}/api/jinmao/web/goodsOrder/page?limit=1&exact=1&createdAt=${range}`, {
        headers: { authorization },
      })
    ).json();
    if (data.total >= wanted) return { range, total: data.total };
  }
  throw new Error('not enough rows');
}

async function floor(rows) {
  const file = path.join(os.tmpdir(), `bench-floor-${process.pid}.gz`);
  const began = performance.now();
  const text = '某某小区3栋2单元1201';
  async function* sheet() {
    for (let row = 1; row <= rows; row += 500) {
      let chunk = '';
      for (let one = row; one < row + 500 && one <= rows; one++) {
        chunk += `<row r="${one}">`;
        for (let column = 0; column < 20; column++)
          chunk +=
            column % 4 === 0
              ? `<c><v>${one * column}</v></c>`
              : `<c t="inlineStr"><is><t>${text}${one}</t></is></c>`;
        chunk += '</row>';
      }
      yield chunk;
    }
  }
  await pipeline(Readable.from(sheet()), zlib.createDeflateRaw({ level: 6 }), fs.createWriteStream(file));
  fs.rmSync(file);
  return (performance.now() - began) / 1000;
}
