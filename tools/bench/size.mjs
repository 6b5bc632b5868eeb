// Bytes of JavaScript and CSS a browser requests for the login page and for frame + list, gzip, measured in Chromium.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import { findBrowser } from '../browser.mjs';
import { table } from './load.mjs';
import { startProduct } from './product.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

export async function bench() {
  const { chromium } = await import('playwright-core');
  const product = await startProduct(fs.mkdtempSync(path.join(os.tmpdir(), 'bench-size-')));
  const browser = await chromium.launch({
    executablePath: await findBrowser({ install: false }),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  let asked = new Set();
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/\.(js|css)$/.test(pathname)) asked.add(pathname);
  });
  const gzip = (names) =>
    [...names].reduce(
      (sum, name) =>
        sum + zlib.gzipSync(fs.readFileSync(path.join(root, 'dist/client', name)), { level: 9 }).length,
      0,
    ) / 1024;
  await page.goto(`${product.url}/login`, { waitUntil: 'load' });
  await page.locator('#username').waitFor();
  const login = gzip(asked);
  await page.waitForTimeout(3_000);
  const withPreload = gzip(asked);
  await page.locator('#username').fill('admin');
  await page.locator('#password').fill('Xk7#mQ2vLp9!');
  await page.locator('#code').fill('1234');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => !url.pathname.startsWith('/login'));
  asked = new Set();
  await page.goto(`${product.url}/merchantManager/mm_businessOrder_wx`, { waitUntil: 'load' });
  await page.locator('table').first().waitFor();
  await page.waitForTimeout(1_000);
  table('gzip KB of all JavaScript and CSS requested', {
    'login page until it can be used': { KB: login.toFixed(0) },
    'login page with the frame preloaded behind it': { KB: withPreload.toFixed(0) },
    'frame + list of orders': { KB: gzip(asked).toFixed(0) },
  });
  await browser.close();
  await product.stop();
}
