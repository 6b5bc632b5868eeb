// Commands on an installation: migrate, seed, backup, restore, doctor, audit verify, routes, client, whitelist off.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePackages } from './install.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
ensurePackages();
const { build } = await import('./build.mjs');
await build({ client: false, quiet: true });
const done = spawnSync(
  process.execPath,
  ['--enable-source-maps', path.join(root, 'dist', 'server', 'cli.js'), ...process.argv.slice(2)],
  { stdio: 'inherit' },
);
process.exit(done.status ?? 1);
