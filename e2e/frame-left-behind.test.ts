import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { enter, frameKit, navigate, ORDERS, REFUNDS, settled, view } from './frame-kit.ts';
import { languagesOf, say } from './frame-lines.ts';
import { enterPage, openPage, PASSWORD, startBrowser, until } from './product.ts';

/** What one staff leaves behind in a window, and what the next one to sign in there gets to see of it. */
const kit = frameKit();

const PHONE = '18600001111';
const FILTERED = `${ORDERS}?contactPhone=${PHONE}`;

const end = (token: string) =>
  fetch(`${kit.product.url}/api/auth/oauth/remove/token?access_token=${token.replace('Bearer ', '')}`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('web:web').toString('base64')}` },
  });
const signInHere = async (page: Page, account: string) => {
  await page.locator('#username').fill(account);
  await page.locator('#password').fill(PASSWORD);
  await page.locator('#code').fill('1234');
  await page.keyboard.press('Enter');
  await page.locator('nav').first().waitFor();
};
const atSignIn = async (page: Page, path: string) => {
  await page.waitForURL(/\/login\?redirect=/);
  expect(new URL(page.url()).search).toBe(`?redirect=${encodeURIComponent(path)}`);
  await page.locator('#username').waitFor();
};

describe.each(languagesOf('frame-left-behind'))('left behind (%s)', (language) => {
  /** Any call tells the page that its session ended; one of its own may be first, and then there is no button any more. */
  const askOnce = (page: Page) =>
    page
      .getByRole('button', { name: say(language, '通知', 'Notifications') })
      .first()
      .click({ timeout: 10_000 })
      .catch(() => {});
  const endedAt = async () => {
    const entered = await enter(kit, language, { account: 'mall1', path: FILTERED });
    const { page, token } = entered;
    await settled(page, ORDERS);
    await until(async () => page.url().includes(PHONE));
    await end(token);
    await Promise.all([atSignIn(page, ORDERS), askOnce(page)]);
    return entered;
  };

  test('the filters of an ended session are given back to the staff whose they were', async () => {
    const { page, context } = await endedAt();
    await signInHere(page, 'mall1');
    await page.waitForURL(`**${FILTERED}`);
    await settled(page, ORDERS);
    expect(await page.evaluate(() => sessionStorage.getItem('signInQuery'))).toBeNull();
    await context.close();
  });

  test('and to nobody else', async () => {
    const { page, context } = await endedAt();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await signInHere(page, 'merchant1');
    await settled(page, ORDERS);
    expect(new URL(page.url()).pathname).toBe(ORDERS);
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain(PHONE);
    expect(asked.filter((url) => url.includes(PHONE))).toEqual([]);
    expect(page.url()).not.toContain(PHONE);
    await context.close();
  });

  const NAME = '孙小安';
  const NAMED = `/adminSys/leaveTimeDetail/N-1/${encodeURIComponent(NAME)}`;
  const named = (text: string) => decodeURIComponent(text).includes(NAME);

  test('a page that names somebody in its path is given back to the staff who had it open, and shown to nobody else', async () => {
    for (const [account, path] of [
      ['admin', NAMED],
      ['merchant1', '/dashboard'],
    ] as const) {
      const { page, token, context } = await enter(kit, language, { path: NAMED });
      await until(async () => named(page.url()));
      await page.locator('nav').first().waitFor();
      await end(token);
      await Promise.all([atSignIn(page, '/'), askOnce(page)]);
      await signInHere(page, account);
      await page.waitForURL(`**${path}`);
      if (account !== 'admin') {
        expect(named(await page.evaluate(() => JSON.stringify({ ...sessionStorage })))).toBe(false);
        // Nor by the back button.
        for (let step = 0; step < 3; step += 1) {
          await page.goBack();
          expect(named(page.url())).toBe(false);
        }
      }
      await context.close();
    }
  });

  test('after a sign-out the back button leads the next one to the page, not to what was filtered there', async () => {
    const { page, context } = await enter(kit, language, { path: FILTERED });
    await settled(page, ORDERS);
    await until(async () => page.url().includes(PHONE));
    await navigate(page, REFUNDS);
    await settled(page, REFUNDS);
    const asked: string[] = [];
    await page.getByRole('button', { name: '平台管理员' }).click();
    await page.getByRole('menuitem', { name: say(language, '退出登录', 'Log out') }).click();
    await page.waitForURL(/\/login$/);
    page.on('request', (request) => asked.push(request.url()));
    // Back before anybody signs in: the page asks for a sign-in, its address tells nothing.
    await page.goBack();
    await page.goBack();
    await atSignIn(page, ORDERS);
    await signInHere(page, 'merchant1');
    await settled(page, ORDERS);
    expect(page.url()).not.toContain(PHONE);
    expect(asked.filter((url) => url.includes('/api/') && url.includes(PHONE))).toEqual([]);
    await context.close();
  });

  test('nor does the back button lead the next one there once it has signed in', async () => {
    const { page, context } = await enter(kit, language, { path: FILTERED });
    await settled(page, ORDERS);
    await until(async () => page.url().includes(PHONE));
    await navigate(page, REFUNDS);
    await settled(page, REFUNDS);
    await page.getByRole('button', { name: '平台管理员' }).click();
    await page.getByRole('menuitem', { name: say(language, '退出登录', 'Log out') }).click();
    await page.waitForURL(/\/login$/);
    await signInHere(page, 'merchant1');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    for (let step = 0; step < 5 && new URL(page.url()).pathname !== ORDERS; step += 1) {
      await page.goBack();
      await page.locator('nav').first().waitFor();
    }
    await settled(page, ORDERS);
    expect(new URL(page.url()).search).toBe('');
    expect(asked.filter((url) => url.includes('/api/') && url.includes(PHONE))).toEqual([]);
    await context.close();
  });

  test('a link that is opened without a session works for whoever signs in', async () => {
    const { page, context } = await openPage(kit.browser, { english: language === 'en' }, kit.product.url);
    await page.goto(`${kit.product.url}${FILTERED}`);
    await atSignIn(page, ORDERS);
    await signInHere(page, 'mall1');
    await page.waitForURL(`**${FILTERED}`);
    await settled(page, ORDERS);
    await view(page, ORDERS).waitFor();
    await context.close();
  });
});

test('the back button shows nothing of a session that was ended in another window', async () => {
  // People's browsers keep whole pages for the back button; those of other journeys do not.
  const browser = await startBrowser({ keepsPages: true });
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    const { url } = kit.product;
    await enterPage(page, url, await kit.product.signIn('admin'), '/adminSys/userManager');
    await page.getByText('admin', { exact: true }).first().waitFor();
    const other = await context.newPage();
    await other.goto(`${url}/login`);
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
  } finally {
    await browser.close();
  }
}, 180_000);
