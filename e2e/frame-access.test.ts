import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  accessibilityProblems,
  enterPage,
  openPage,
  startBrowser,
  startProduct,
  type RunningProduct,
} from './product.ts';

/** Must show line 30 of the page frame: no accessibility violation in both languages and appearances, no sideways scroll. */
let product: RunningProduct;
let browser: Browser;
let admin: string;

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), startBrowser()]);
  admin = await product.signIn('admin');
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

const signedIn = async (options: Parameters<typeof openPage>[1]) => {
  const watched = await openPage(browser, options, product.url);
  await enterPage(watched.page, product.url, admin);
  return watched;
};
const goTo = async (page: Page, path: string) => {
  await page.goto(`${product.url}${path}`);
  await page.locator('h1, h2, table').first().waitFor();
};

describe('everybody can use it', () => {
  test.each([
    ['zh light', {}],
    ['zh dark', { dark: true }],
    ['en light', { english: true }],
  ] as const)(
    '30: no accessibility violation on login, home, list, form, detail (%s)',
    async (_name, options) => {
      const { page, context } = await openPage(browser, options, product.url);
      await page.goto(`${product.url}/login`);
      await page.locator('#username').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await enterPage(page, product.url, admin);
      for (const path of [
        '/dashboard',
        '/adminSys/userManager',
        '/adminSys/groupTypeManager',
        '/service/mm_orderRefund',
        '/merchantManager/mm_businessOrder_wx',
        '/merchantManager/mm_commodityMana',
        '/merchantManager/mm_businessAna',
        '/merchantManager/mm_integral',
      ]) {
        await goTo(page, path);
        await page.waitForTimeout(500);
        expect([path, await accessibilityProblems(page)]).toEqual([path, []]);
      }
      await context.close();
    },
    240_000,
  );

  test.each([768, 1024])('30: no horizontal page scroll at %i px', async (width) => {
    const { page, context } = await signedIn({ width, height: 768 });
    for (const path of [
      '/dashboard',
      '/adminSys/userManager',
      '/service/mm_orderRefund',
      '/merchantManager/mm_businessAna',
    ]) {
      await goTo(page, path);
      await page.waitForTimeout(500);
      expect([
        path,
        await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        ),
      ]).toEqual([path, 0]);
    }
    await context.close();
  });
});
