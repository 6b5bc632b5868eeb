// Start times and idle memory: first run on an empty folder (with demonstration data), then warm.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { table } from './load.mjs';
import { memory, startProduct } from './product.mjs';

export async function bench() {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-start-'));
  const first = await startProduct(dataDir);
  const firstSeconds = first.readyAfter / 1000;
  await first.stop();
  const warm = [];
  let idle = [];
  for (let round = 0; round < 5; round++) {
    const product = await startProduct(dataDir);
    warm.push(product.readyAfter / 1000);
    if (round === 4) {
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      idle = memory(product.pid);
    }
    await product.stop();
  }
  table('Start, seconds until ready', {
    'first run (initdb, migrations, demonstration data)': { seconds: firstSeconds.toFixed(2) },
    'warm (median of 5)': { seconds: warm.sort((a, b) => a - b)[2].toFixed(2) },
  });
  table(
    'Idle memory, MB (resident; shared pages counted in each)',
    idle.map(({ mb, args }) => ({ mb, args: args.slice(0, 90) })),
  );
  fs.rmSync(dataDir, { recursive: true, force: true });
}
