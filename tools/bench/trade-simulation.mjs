// The whole of the trade simulation: 20,000 random steps of members and staff, where npm test takes 2,000.
// node tools/bench/trade-simulation.mjs [seed] [steps]; a failure prints its seed and step. Takes minutes.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Runs one seed; the process ends with the status of the run. */
export function simulate(seed, steps) {
  const begun = Date.now();
  const { status } = spawnSync('npx', ['vitest', 'run', 'src/app/trade-simulation.test.ts'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, SEED: String(seed), STEPS: String(steps) },
  });
  const seconds = ((Date.now() - begun) / 1000).toFixed(0);
  console.log(`SEED=${seed}, ${steps} steps: ${status === 0 ? 'every rule held' : 'FAILED'}, ${seconds} s`);
  return status ?? 1;
}

const [seed = String(Math.floor(Math.random() * 1e8)), steps = '20000'] = process.argv.slice(2);
process.exit(simulate(Number(seed), Number(steps)));
