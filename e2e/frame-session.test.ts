import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  accessibilityProblems,
  enterPage,
  newStaff,
  openPage,
  PASSWORD,
  signInPage,
  startBrowser,
  startProduct,
  until,
  type RunningProduct,
} from './product.ts';

/** Must show lines of the page frame about sessions (20, 21, 23, 24) and that everybody can use it (30). */
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

const addStaff = (account: string) => newStaff(product, admin, account);
const signedIn = async (options: Parameters<typeof openPage>[1] = {}) => {
  const watched = await openPage(browser, options, product.url);
  // A session of its own: some journeys end theirs.
  await enterPage(watched.page, product.url, await product.signIn('admin'));
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

describe('sessions', () => {
  test('21: signing out in one window takes the other to /login within a second', async () => {
    const { page, context } = await signedIn();
    const other = await context.newPage();
    await other.goto(`${product.url}/adminSys/userManager`);
    await other.locator('table').first().waitFor();
    await page.getByRole('button', { name: '平台管理员' }).click();
    await page.getByRole('menuitem', { name: '退出登录' }).click();
    await other.waitForURL(/\/login/, { timeout: 3_000 });
    await context.close();
  });

  test('20: the lock screen is enforced by the server; the right password brings the page back', async () => {
    const { page, context } = await signedIn();
    await goTo(page, '/adminSys/groupTypeManager');
    const token = decodeURIComponent(
      (await context.cookies()).find((cookie) => cookie.name === 'Authorization')!.value,
    );
    await page.keyboard.press('Alt+l');
    const cover = page.locator('input[type=password]').last();
    await cover.waitFor();
    await until(async () => (await product.call('GET', '/api/admin/groupType/page', token)).http === 403);
    await cover.fill(PASSWORD);
    await page.keyboard.press('Enter');
    await cover.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/adminSys/groupTypeManager');
    expect((await product.call('GET', '/api/admin/groupType/page', token)).http).toBe(200);
    await context.close();
  });

  test('23: an administrator disables the staff: Forbidden with the message, then /login', async () => {
    const first = await addStaff('soon_gone');
    const { page, context } = await openPage(browser);
    await signInPage(page, product.url, 'soon_gone', first);
    const rows = (await product.call('GET', '/api/admin/staff/page?searchVal=soon_gone', admin)).body
      .data as { rows: { id: string }[] };
    await product.call('POST', `/api/admin/staff/${rows.rows[0]!.id}/disable`, admin, { reason: '离岗' });
    await page.goto(`${product.url}/dashboard`);
    await page.waitForURL(/\/login/);
    await page.getByText('账户已停用').or(page.getByText('禁止')).first().waitFor();
    await context.close();
  });

  test('24: twenty parallel calls with an ended session: one message, one reload', async () => {
    const { page, context } = await signedIn();
    const token = decodeURIComponent(
      (await context.cookies()).find((cookie) => cookie.name === 'Authorization')!.value,
    );
    let loads = 0;
    page.on('domcontentloaded', () => {
      loads += 1;
    });
    await fetch(
      `${product.url}/api/auth/oauth/remove/token?access_token=${encodeURIComponent(token.replace('Bearer ', ''))}`,
      { method: 'POST', headers: { authorization: `Basic ${Buffer.from('web:web').toString('base64')}` } },
    );
    // The home page of a long absence asks for several things at once.
    await page.evaluate(() => {
      // After this call has returned: the reload it causes would end it in the middle.
      setTimeout(() => {
        for (let n = 0; n < 20; n += 1) {
          history.pushState(null, '', n % 2 ? '/adminSys/userManager' : '/adminSys/departManager');
          dispatchEvent(new PopStateEvent('popstate'));
        }
      }, 50);
    });
    await page.waitForURL(/\/login/);
    await page.getByText('您已被登出，请重新登录').first().waitFor();
    expect(await page.getByText('您已被登出，请重新登录').count()).toBe(1);
    expect(loads).toBe(1);
    await context.close();
  });
});
