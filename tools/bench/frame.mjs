// How fast the page feels on a machine four times slower (CPU throttle through CDP): LCP, INP and CLS of the main screens,
// and switching between twelve live lists. Prints figures; bounds are in the quality bar.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findBrowser } from '../browser.mjs';
import { median, table } from './load.mjs';
import { startProduct } from './product.mjs';

const SLOW_DOWN = 4;
const ROUNDS = 2;
const SCREENS = [
  '/dashboard',
  '/merchantManager/mm_businessOrder_wx',
  '/service/mm_orderRefund',
  '/merchantManager/mm_commodityMana',
  '/merchantManager/mm_businessAna',
  '/adminSys/userManager',
  '/adminSys/departManager',
];

/** Measures and prints. */
export async function bench() {
  const { chromium } = await import('playwright-core');
  const product = await startProduct(fs.mkdtempSync(path.join(os.tmpdir(), 'bench-frame-')), 18085);
  const browser = await chromium.launch({
    executablePath: await findBrowser({ install: false }),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  const token = await product.signIn('admin');
  const open = async () => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    await context.addCookies([{ name: 'Authorization', value: token, url: product.url }]);
    await context.addInitScript(watchVitals);
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOW_DOWN });
    return page;
  };
  try {
    table(
      `Start of a screen, CPU ${SLOW_DOWN}x slower, warm cache, median of ${ROUNDS} (reach: LCP 1500 ms, INP 100 ms, CLS 0.02)`,
      await screens(open, product.url),
    );
    table(
      `Switching between twelve live lists, CPU ${SLOW_DOWN}x slower (reach: 50 ms on a plain machine)`,
      await switching(open, product.url, token),
    );
  } finally {
    await browser.close();
    await product.stop();
  }
}

async function screens(open, url) {
  const rows = {};
  const page = await open();
  for (const screen of ['/login', ...SCREENS]) {
    const runs = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      await page.goto(url + screen, { waitUntil: 'load' });
      await page.locator('nav, form').first().waitFor();
      await page
        .locator(
          '[data-view] table tbody tr td:visible, .home-figure:visible, .home-shortcuts button:visible, form:visible',
        )
        .first()
        .waitFor();
      await page.waitForTimeout(700);
      // What a staff does first: type into the first field, open the first menu.
      const button = page.locator('.bar-button').last();
      if (await button.count()) {
        await button.click();
        await page.keyboard.press('Escape');
        await page.waitForTimeout(300);
      }
      const { lcp, cls, inp } = await page.evaluate(() => window.__vitals);
      // The first round fills the browser's cache.
      if (round > 0) runs.push({ lcp, cls, inp });
    }
    rows[screen] = {
      'LCP ms': Math.round(median(runs.map((run) => run.lcp))),
      'INP ms': Math.round(median(runs.map((run) => run.inp))),
      CLS: median(runs.map((run) => run.cls)).toFixed(3),
    };
  }
  await page.context().close();
  return rows;
}

async function switching(open, url, token) {
  const { data } = await (
    await fetch(`${url}/api/admin/user/front/info`, { headers: { authorization: token } })
  ).json();
  const paths = [
    ...new Set([
      '/merchantManager/mm_businessOrder_wx',
      '/service/mm_orderRefund',
      ...data.menus.map((menu) => menu.uri).filter((uri) => /^\/\w+\/\w+$/.test(uri)),
    ]),
  ].slice(0, 12);
  const page = await open();
  await page.goto(`${url}/dashboard`);
  await page.locator('nav').first().waitFor();
  const go = (to) =>
    page.evaluate(async (path) => {
      const began = performance.now();
      history.pushState(null, '', path);
      dispatchEvent(new PopStateEvent('popstate'));
      // Two frames: the first commits, the second has painted it.
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      return performance.now() - began;
    }, to);
  for (const one of paths) {
    await go(one);
    await page.locator(`[data-view="${one}"]`).waitFor();
    await page.waitForTimeout(900);
  }
  const times = [];
  for (let round = 0; round < 3; round += 1) for (const one of paths) times.push(await go(one));
  const slow = times.sort((a, b) => a - b);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  const plain = [];
  for (let round = 0; round < 3; round += 1) for (const one of paths) plain.push(await go(one));
  plain.sort((a, b) => a - b);
  const of = (list) => ({
    'median ms': Math.round(median(list)),
    'p95 ms': Math.round(list[Math.floor(list.length * 0.95)]),
    'worst ms': Math.round(list.at(-1)),
  });
  const heap = await page.evaluate(() => Math.round(performance.memory.usedJSHeapSize / 1024 / 1024));
  await page.context().close();
  return {
    [`${SLOW_DOWN}x slower`]: of(slow),
    'plain machine': of(plain),
    [`heap with ${paths.length} lists, MB`]: { 'median ms': heap },
  };
}

/** Runs in the page before its own code. */
function watchVitals() {
  const vitals = { lcp: 0, cls: 0, inp: 0 };
  window.__vitals = vitals;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) vitals.lcp = entry.startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) vitals.cls += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) vitals.inp = Math.max(vitals.inp, entry.duration);
  }).observe({ type: 'event', buffered: true, durationThreshold: 16 });
}
