import { spawnSync } from 'node:child_process';
import path from 'node:path';
import type { Download } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { enter, frameKit, holdClock, navigate, ORDERS, settled } from './frame-kit.ts';
import { mustShow, say, type Language } from './frame-lines.ts';
import { until, workerOf } from './product.ts';

/** The download centre with an export of 50,000 rows, made by the worker as any other. */
const kit = frameKit();
const ROWS = 50_000;
/** Address of the finished file, by language. */
const files: Partial<Record<Language, string>> = {};

beforeAll(() => {
  const done = spawnSync(
    process.execPath,
    [path.join(import.meta.dirname, '..', 'dist', 'server', 'cli.js'), 'seed', '--rows', String(ROWS)],
    { env: { ...process.env, DATA_DIR: kit.product.dataDir }, encoding: 'utf8' },
  );
  expect(done.stderr + done.stdout).toContain(`Wrote ${ROWS} orders`);
}, 180_000);

mustShow(
  13,
  async (language) => {
    const { page, context, token } = await enter(kit, language, { path: ORDERS });
    await settled(page, ORDERS);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('exportTask/list')) asked.push(request.url());
    });
    // A worker that is busy elsewhere for a while, so that there is something to wait for on a fast machine too.
    const worker = workerOf(kit.product.pid)!;
    process.kill(worker, 'SIGSTOP');
    try {
      await page
        .getByRole('button', { name: say(language, '导出', 'Export') })
        .first()
        .click();
      const panel = page.locator('.downloads');
      await panel.waitFor();
      const download = panel
        .locator('tbody tr')
        .first()
        .getByRole('button', {
          name: say(language, '下载', 'Download'),
        });
      await download.waitFor();
      expect(await download.isDisabled()).toBe(true);
      await panel
        .getByText(new RegExp(say(language, '排队中|导出中', 'Queued|Exporting')))
        .first()
        .waitFor();
      // From question to question by the clock of the page.
      await Promise.all([page.waitForResponse('**/exportTask/list'), holdClock(page)]);
      for (let times = 0; times < 2; times += 1) {
        const before = asked.length;
        const answered = page.waitForResponse('**/exportTask/list');
        let waited = 0;
        for (; asked.length === before && waited < 10_000; waited += 100) await page.clock.runFor(100);
        await answered;
        expect(Math.abs(waited - 5_000)).toBeLessThanOrEqual(500);
      }
      process.kill(worker, 'SIGCONT');
      await until(async () => {
        await page.clock.runFor(1_000);
        return download.isEnabled();
      }, 180_000);
      const after = asked.length;
      await page.clock.runFor(6_000);
      expect(asked.length).toBe(after);
      await page.clock.resume();
      // A new window that turns out to be a download closes by itself; the event comes to it or to the page that opened it.
      const downloaded = new Promise<string>((resolve) => {
        const note = (found: Download) => resolve(found.url());
        page.on('download', note);
        context.on('page', (opened) => opened.on('download', note));
      });
      const [opened] = await Promise.all([context.waitForEvent('page'), download.click()]);
      files[language] = await downloaded;
      expect(opened).not.toBe(page);
    } finally {
      process.kill(worker, 'SIGCONT');
    }
    const [task] = await kit.data<{ rowCount: number; exportUrl: string }[]>(
      '/api/jinmao/web/exportTask/list',
      token,
    );
    expect(task!.rowCount).toBeGreaterThanOrEqual(ROWS);
    const own = await context.request.get(new URL(task!.exportUrl, kit.product.url).href);
    expect(own.status()).toBe(200);
    expect((await own.body()).subarray(0, 2).toString()).toBe('PK');
    await context.close();
  },
  { timeout: 240_000 },
);

mustShow(15, async (language) => {
  const file = files[language];
  expect(file).toContain(kit.product.url);
  const { page, context } = await enter(kit, language, { account: 'mall1' });
  await navigate(page, ORDERS);
  expect((await context.request.get(file!)).status()).toBe(404);
  // Neither does a window of the other staff show it, nor one of nobody.
  expect((await page.goto(file!))!.status()).toBe(404);
  expect((await fetch(file!)).status).toBe(404);
  await context.close();
});
