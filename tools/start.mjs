// npm start: installs what is missing, builds what is stale, starts the product and passes signals on.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePackages } from './install.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
ensurePackages();
const { build } = await import('./build.mjs');
const id = await build();
const child = spawn(
  process.execPath,
  ['--enable-source-maps', path.join(root, 'dist', 'server', 'main.js')],
  {
    cwd: process.cwd(),
    stdio: 'inherit',
    env: { ...process.env, BUILD_ID: id, NODE_ENV: 'production' },
  },
);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
