import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enterPage, startBrowser, startProduct, type RunningProduct } from './product.ts';

let product: RunningProduct;
let browser: Browser;

beforeAll(async () => {
  product = await startProduct();
  // People's browsers keep whole pages for the back button; those of other journeys do not.
  browser = await startBrowser({ keepsPages: true });
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

test('the back button shows nothing of a session that was ended in another window', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await enterPage(page, product.url, await product.signIn('admin'), '/adminSys/userManager');
  await page.getByText('admin', { exact: true }).first().waitFor();
  const other = await context.newPage();
  await other.goto(`${product.url}/login`);
  await other.evaluate(() => {
    document.cookie = 'Authorization=; path=/; SameSite=Strict; max-age=0';
    new BroadcastChannel('community-retail').postMessage({ kind: 'signedOut' });
  });
  await page.waitForURL(/\/login/);
  await page.locator('input').first().waitFor();
  await page.evaluate(() => history.back());
  await page.waitForTimeout(1_500);
  expect(await page.locator('nav').count()).toBe(0);
  expect(await page.locator('body').innerText()).not.toContain('用户管理');
  await page.waitForURL(/\/login/);
}, 60_000);
