// Installs the packages of package-lock.json when they are missing or stale. Uses nothing but Node and npm.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Makes node_modules match the lock file. Exits with npm's code when that fails. */
export function ensurePackages() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`Node 20.19 or newer is needed, this is ${process.versions.node}.`);
    process.exit(1);
  }
  const lock = fs.readFileSync(path.join(root, 'package-lock.json'));
  const id = createHash('sha256').update(lock).digest('hex');
  const stamp = path.join(root, 'node_modules', '.installed');
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === id) return;
  console.log('Installing packages …');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
  fs.writeFileSync(stamp, id);
}
