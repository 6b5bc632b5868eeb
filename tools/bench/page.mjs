// A Chromium for the benchmarks of the page: signed-in contexts, a CPU throttle, figures next to their goals.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findBrowser } from '../browser.mjs';
import { signIn, startProduct } from './product.mjs';

/** Above this share of waiting for the processor, times on the clock say little. */
export const BUSY = 1.3;

/** Times slower than this machine. */
export const SLOW_DOWN = 4;

/**
 * Starts the product on an empty folder and a browser; `close` ends both and removes the folder. BENCH_URL names a
 * running product with the demonstration data instead.
 */
export async function startPages(port) {
  const { chromium } = await import('playwright-core');
  const running = process.env.BENCH_URL;
  const dataDir = running ? undefined : fs.mkdtempSync(path.join(os.tmpdir(), 'bench-page-'));
  const product = running ? { url: running, stop: async () => {} } : await startProduct(dataDir, port);
  const browser = await chromium.launch({
    executablePath: await findBrowser({ install: false }),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--js-flags=--expose-gc'],
  });
  const token = await signIn(product.url, 'admin');
  return {
    url: product.url,
    token,
    /** A page of its own context; `slow` throttles its processor. */
    open: async ({ signedIn = true, slow = false } = {}) => {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      if (signedIn) await context.addCookies([{ name: 'Authorization', value: token, url: product.url }]);
      await context.addInitScript(watchVitals);
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      const cdp = await context.newCDPSession(page);
      await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
      if (slow) await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOW_DOWN });
      return { page, cdp, close: () => context.close() };
    },
    close: async () => {
      await browser.close();
      await product.stop();
      if (dataDir) fs.rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Waits until the rows of a list, the figures of the home page or a form are shown. */
export async function waitForContent(page) {
  await page
    .locator(
      [
        '[data-view] tbody tr:visible',
        '[data-view] .k-state:visible',
        '[data-view] canvas:visible',
        '.home-figure:visible',
        'form:visible',
      ].join(', '),
    )
    .first()
    .waitFor();
}

/** Counters of the page: processor time of the main thread in ms, nodes, listeners, heap. */
export async function counters(cdp) {
  const { metrics } = await cdp.send('Performance.getMetrics');
  const of = (name) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return {
    cpu: of('TaskDuration') * 1000,
    nodes: of('Nodes'),
    listeners: of('JSEventListeners'),
    heapMb: of('JSHeapUsedSize') / 1024 / 1024,
  };
}

/** How much longer than its processor time work takes here now: 1 on a quiet machine. */
export function contention() {
  const before = process.cpuUsage();
  const began = performance.now();
  let cpu = 0;
  do {
    for (let i = 0; i < 1e6; i += 1) Math.sqrt(i);
    const used = process.cpuUsage(before);
    cpu = (used.user + used.system) / 1000;
  } while (cpu < 250);
  return Math.max(1, (performance.now() - began) / cpu);
}

/** A row of the printed table: measured next to its goal. */
export function figure(measured, goal, unit, note) {
  const digits = unit === '' ? 3 : measured < 10 && unit !== 'nodes' ? 1 : 0;
  return {
    measured: `${measured.toFixed(digits)} ${unit}`.trim(),
    goal: `<= ${goal} ${unit}`.trim(),
    met: measured <= goal ? 'yes' : 'NO',
    ...(note === undefined ? {} : { note }),
  };
}

/**
 * A row for a time on the clock with the processor time it took. On a busy machine the clock tells how busy it was, so
 * the processor time decides then.
 */
export function timed(clock, cpu, goal, note) {
  const row = figure(clock, goal, 'ms', note);
  const isBusy = contention() > BUSY;
  return {
    ...row,
    cpu: `${cpu.toFixed(0)} ms`,
    met: row.met === 'yes' ? 'yes' : isBusy && cpu <= goal ? 'yes, by processor time' : 'NO',
  };
}

/** Runs in the page before its own code. */
function watchVitals() {
  localStorage.setItem('mustChangePassword', 'false');
  const vitals = { lcp: 0, largest: '', cls: 0, inp: 0, slowest: '', work: 0, shifts: [] };
  const nameOf = (node) => {
    const element = node?.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    if (!element?.tagName) return 'what is gone by now';
    const classes = typeof element.className === 'string' ? element.className.trim().split(/\s+/) : [];
    const own =
      element.tagName.toLowerCase() +
      classes
        .filter(Boolean)
        .slice(0, 2)
        .map((one) => `.${one}`)
        .join('');
    return classes.filter(Boolean).length > 0 || !element.parentElement
      ? own
      : `${nameOf(element.parentElement)} > ${own}`;
  };
  window.__vitals = vitals;
  const watch = (type, options, seen) =>
    new PerformanceObserver((list) => list.getEntries().forEach(seen)).observe({
      type,
      buffered: true,
      ...options,
    });
  watch('largest-contentful-paint', {}, (entry) => {
    vitals.lcp = entry.startTime;
    vitals.largest = nameOf(entry.element);
  });
  watch('layout-shift', {}, (entry) => {
    if (entry.hadRecentInput) return;
    vitals.cls += entry.value;
    for (const { node, previousRect, currentRect } of entry.sources ?? [])
      vitals.shifts.push({
        value: entry.value,
        text: `${nameOf(node)} ${entry.value.toFixed(4)}, from ${previousRect.x} ${previousRect.y} ${previousRect.width}x${previousRect.height} to ${currentRect.x} ${currentRect.y} ${currentRect.width}x${currentRect.height}`,
      });
  });
  watch('event', { durationThreshold: 16 }, (entry) => {
    if (!entry.interactionId || entry.duration <= vitals.inp) return;
    vitals.inp = entry.duration;
    vitals.work = entry.processingEnd - entry.processingStart;
    vitals.slowest = `${entry.name} on ${nameOf(entry.target)}`;
  });
}
