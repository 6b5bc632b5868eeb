// Finds a Chromium for browser tests: an installed one, else Debian's package, else playwright's download.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
];

/** Path of a Chromium that starts, installing one when the machine has none. Throws when none can be had. */
export async function findBrowser({ install = true } = {}) {
  const found = installed();
  if (found) return found;
  if (!install)
    throw new Error('No Chromium found. Set CHROMIUM to one, or run npm test, which installs one.');
  if (spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0 && process.getuid?.() === 0) {
    console.log('Installing Chromium with apt …');
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-noto-cjk'], {
      stdio: 'ignore',
    });
    const afterwards = installed();
    if (afterwards) return afterwards;
  }
  console.log('Downloading Chromium with playwright …');
  spawnSync('npx', ['playwright-core', 'install', 'chromium'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  const { chromium } = await import('playwright-core');
  if (fs.existsSync(chromium.executablePath())) return chromium.executablePath();
  throw new Error('No Chromium could be installed. Install one and set CHROMIUM to its path.');
}

function installed() {
  if (process.env.CHROMIUM && fs.existsSync(process.env.CHROMIUM)) return process.env.CHROMIUM;
  for (const folder of (process.env.PATH ?? '').split(path.delimiter))
    for (const name of NAMES) if (fs.existsSync(path.join(folder, name))) return path.join(folder, name);
  const mac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
  return fs.existsSync(mac) ? mac : undefined;
}
