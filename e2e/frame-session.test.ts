import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  addButton,
  builtPaths,
  DEPARTMENTS,
  enter,
  frameKit,
  navigate,
  POSTS,
  REFUNDS,
  settled,
  tab,
  tabPaths,
  USERS,
  view,
} from './frame-kit.ts';
import { mustShow, say } from './frame-lines.ts';
import { openPage, PASSWORD, query, signInPage, startProduct, until } from './product.ts';

/** Lines of the frame about sessions: lock, sign-out, rights taken away, disabling, expiry, waiting after wrong passwords. */
const kit = frameKit();

const cover = (page: Page) => page.locator('#lock-password');
/** Sends a password on the cover; its click guard swallows a key that comes within three seconds of the one before. */
const unlock = async (page: Page, password: string) => {
  await page.clock.fastForward(3_100);
  let isAnswered = false;
  const answer = page.waitForResponse('**/session/unlock').then(() => (isAnswered = true));
  await cover(page).fill(password);
  while (!isAnswered) {
    await cover(page)
      .press('Enter', { timeout: 500 })
      .catch(() => {});
    await Promise.race([answer, page.waitForTimeout(300)]);
  }
};

mustShow(
  20,
  async (language) => {
    const { page, context, token } = await enter(kit, language, {
      account: say(language, 'company1', 'company2'),
    });
    const list = () => kit.product.call('GET', '/api/admin/staff/page', token);
    await navigate(page, DEPARTMENTS);
    await navigate(page, USERS);
    await settled(page, USERS);
    await addButton(page, language).click();
    const name = page.getByRole('dialog').getByLabel(say(language, '姓名', 'Name'), { exact: true });
    await name.fill('韩半夏');
    const before = await tabPaths(page);
    // Alt+L works while typing.
    await page.keyboard.press('Alt+l');
    await cover(page).waitFor();
    await page.getByText(say(language, '屏幕已锁定', 'Screen is locked')).waitFor();
    await until(async () => (await list()).http === 403);
    await page.reload();
    await cover(page).waitFor();
    // A locked page that was loaded anew has no tabs to show yet, the draft is in the browser.
    await unlock(page, PASSWORD);
    await cover(page).waitFor({ state: 'detached' });
    await tab(page, USERS).waitFor();
    expect((await list()).http).toBe(200);
    expect(await tabPaths(page)).toEqual(before);
    await addButton(page, language).click();
    await page.getByRole('button', { name: say(language, '恢复草稿', 'Restore') }).click();
    await until(async () => (await name.inputValue()) === '韩半夏');
    // Without a reload nothing behind the cover moves.
    await page.keyboard.press('Alt+l');
    await cover(page).waitFor();
    await unlock(page, PASSWORD);
    await cover(page).waitFor({ state: 'detached' });
    expect(await name.inputValue()).toBe('韩半夏');
    expect(await tabPaths(page)).toEqual(before);
    expect(new URL(page.url()).pathname).toBe(USERS);
    // Five wrong ones end the session.
    await page.keyboard.press('Alt+l');
    await cover(page).waitFor();
    for (let n = 1; n <= 5; n += 1) await unlock(page, `Wrong-${n}-xyZ!`);
    await page.waitForURL(/\/login/);
    expect((await list()).http).toBe(401);
    await context.close();
  },
  { timeout: 120_000 },
);

mustShow(21, async (language) => {
  const { page, context } = await enter(kit, language);
  const other = await context.newPage();
  await other.goto(`${kit.product.url}${USERS}`);
  await other.locator('tr[data-row-key]').first().waitFor();
  await page.getByRole('button', { name: '平台管理员' }).click();
  const ended = page.waitForResponse('**/oauth/remove/token*');
  await page.getByRole('menuitem', { name: say(language, '退出登录', 'Log out') }).click();
  await ended;
  const started = performance.now();
  await other.waitForURL(/\/login/, { waitUntil: 'commit' });
  expect(performance.now() - started).toBeLessThan(1_000);
  await page.waitForURL(/\/login/);
  await other.getByRole('heading', { name: say(language, '登录', 'Sign in') }).waitFor();
  // Nothing tells the next one at this computer where the staff had been.
  for (const window of [page, other])
    expect(await window.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
  await context.close();
});

mustShow(22, async (language) => {
  // Each language loses another menu: the group belongs to both runs.
  const [menu, path, title, call] = (
    language === 'zh'
      ? ['stationManage', POSTS, '岗位管理', '/api/admin/station/page']
      : ['WhiteManage', '/adminSys/WhiteManage', 'Login whitelist', '/api/admin/whitelist/page']
  ) as [string, string, string, string];
  const { page, context, token } = await enter(kit, language, { account: 'hr1', path: USERS });
  await settled(page, USERS);
  await navigate(page, path);
  await settled(page, path);
  expect((await kit.product.call('GET', call, token)).http).toBe(200);
  const { groups } = await kit.data<{ groups: { id: string; code: string }[] }>(
    '/api/admin/permissionGroup/tree',
  );
  const root = `/api/admin/permissionGroup/${groups.find((one) => one.code === 'company_admin')!.id}`;
  const held = await kit.data<{ menus: { code: string }[]; elements: string[] }>(`${root}/grants`);
  const { version } = (await kit.data<{ group: { version: number } }>(`${root}/authority`)).group;
  const saved = await kit.product.call('PUT', `${root}/authority`, kit.admin, {
    version,
    reason: '离岗',
    menus: held.menus.filter((one) => one.code !== menu),
    elements: held.elements.filter((element) => !element.startsWith(`${menu}:`)),
  });
  expect([saved.http, saved.body.message]).toEqual([200, '']);
  const changed = performance.now();
  await until(async () => (await kit.product.call('GET', call, token)).http === 403, 1_000);
  expect(performance.now() - changed).toBeLessThan(1_000);
  // By itself: nobody clicks, and the page's own polls come once a minute.
  await page
    .getByText(say(language, `您没有权限访问“${title}”`, `You have no permission for "${title}"`))
    .waitFor({ timeout: 5_000 });
  await page.locator(`nav.side-menu a[href="${path}"]`).waitFor({ state: 'detached' });
  expect(await tab(page, path).count()).toBe(1);
  await tab(page, USERS).click();
  await view(page, USERS).locator('tr[data-row-key]').first().waitFor();
  await context.close();
});

mustShow(23, async (language) => {
  const account = say(language, 'service1', 'service2');
  const { page, context } = await enter(kit, language, { account, path: REFUNDS });
  await settled(page, REFUNDS);
  const { rows } = await kit.data<{ rows: { id: string; account: string }[] }>(
    `/api/admin/staff/page?searchVal=${account}`,
  );
  const { id } = rows.find((row) => row.account === account)!;
  const done = await kit.product.call('POST', `/api/admin/staff/${id}/disable`, kit.admin, {
    reason: '离岗',
  });
  expect([done.http, done.body.message]).toEqual([200, '']);
  // The next call of the page.
  await page.keyboard.press('r');
  await page.waitForURL(/\/login/);
  const card = page.locator('.notice-cards .notice');
  await card.waitFor();
  expect(await card.innerText()).toContain(say(language, '禁止', 'Forbidden'));
  expect(await card.innerText()).toContain(say(language, '账户已停用', 'Account is disabled'));
  expect((await context.cookies()).filter((cookie) => cookie.name === 'Authorization')).toEqual([]);
  await context.close();
});

mustShow(24, async (language) => {
  const { page, context, token } = await enter(kit, language);
  await settled(page, '/dashboard');
  // Calls wait until two dozen are on their way (each screen that is opened counts its visit); then all are refused by
  // the server, and the page gets all of it at the same moment.
  const held: Route[] = [];
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/admin/profile/visit', async (route) => {
    held.push(route);
    await gate;
    const answer = await route.fetch();
    answers.push(answer.status());
    await until(() => Promise.resolve(answers.length === held.length));
    await route.fulfill({ response: answer }).catch(() => {});
  });
  const answers: number[] = [];
  const [one, another] = await builtPaths(kit);
  while (held.length < 24) {
    await navigate(page, one!);
    await navigate(page, another!);
  }
  await fetch(`${kit.product.url}/api/auth/oauth/remove/token?access_token=${token.replace('Bearer ', '')}`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('web:web').toString('base64')}` },
  });
  let loads = 0;
  page.on('domcontentloaded', () => {
    loads += 1;
  });
  release();
  await page.waitForURL(/\/login/);
  const notice = page.getByText(
    say(language, '您已被登出，请重新登录', 'You have been logged out, please log in again'),
  );
  await notice.first().waitFor();
  expect(await notice.count()).toBe(1);
  await page.locator('#username').waitFor();
  expect(await page.locator('.notice').count()).toBe(1);
  expect(loads).toBe(1);
  expect(answers.length).toBeGreaterThanOrEqual(24);
  expect(new Set(answers)).toEqual(new Set([401]));
  expect((await context.cookies()).filter((cookie) => cookie.name === 'Authorization')).toEqual([]);
  await context.close();
});

mustShow(
  5,
  async (language) => {
    const account = say(language, 'audit2', 'audit1');
    for (let n = 0; n < 5; n += 1)
      await expect(kit.product.signIn(account, `Wrong-${n}-xyZ!`)).rejects.toThrow('账户或密码错误');
    await expect(kit.product.signIn(account, 'Wrong-6-xyZ!')).rejects.toThrow('请 1 分钟后再试');
    await expect(kit.product.signIn(account, PASSWORD)).rejects.toThrow('请 1 分钟后再试');
    await kit.product.kill('SIGTERM');
    kit.product = await startProduct({}, kit.product.dataDir);
    const { page, context } = await openPage(kit.browser, { english: language === 'en' }, kit.product.url);
    await page.goto(`${kit.product.url}/login`);
    await page.locator('#username').fill(account);
    await page.locator('#password').fill(PASSWORD);
    await page.locator('#code').fill('1234');
    await page.keyboard.press('Enter');
    await page
      .getByText(
        say(language, '登录失败次数过多，请 1 分钟后再试', 'Too many failed sign-ins, try again in 1 minute'),
      )
      .waitFor();
    await context.close();
    // Others sign in as ever.
    const other = await openPage(kit.browser, { english: language === 'en' }, kit.product.url);
    await signInPage(other.page, kit.product.url, 'finance1');
    await other.context.close();
  },
  { timeout: 120_000 },
);

test('reloading again and again while a slow server loads the session keeps the session', async () => {
  const { page, context, token } = await enter(kit, 'zh', { path: USERS });
  await page.route('**/api/admin/user/front/info', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    // The page that asked may be gone by then.
    await route.continue().catch(() => {});
  });
  for (let reloads = 0; reloads < 8; reloads += 1) {
    await page.goto(`${kit.product.url}${USERS}`, { waitUntil: 'commit' });
    await page.waitForTimeout(200 + 60 * reloads);
  }
  await settled(page, USERS);
  const kept = (await context.cookies()).find((cookie) => cookie.name === 'Authorization');
  expect(decodeURIComponent(kept?.value ?? '')).toBe(token);
  await context.close();
});

test('eight windows of one browser share one stream, and all of them hear the news', async () => {
  const { page, context, token } = await enter(kit, 'zh', { account: 'company1', path: USERS });
  const streams = new Set<Page>();
  const watch = (window: Page) =>
    window.on('request', (request) => {
      if (request.url().endsWith('/notification/stream')) streams.add(window);
    });
  await page.reload();
  await settled(page, USERS);
  const windows = [page];
  // A browser opens six connections to a server: with a stream each, the seventh would wait for ever.
  while (windows.length < 8) {
    const window = await context.newPage();
    watch(window);
    await window.goto(`${kit.product.url}${USERS}`);
    await settled(window, USERS);
    windows.push(window);
  }
  expect(streams.size).toBe(0);
  const heard = () =>
    Promise.all(windows.map((window) => window.waitForRequest('**/api/admin/notification/unread')));
  const me = (await kit.data<{ id: string }>('/api/admin/user/front/info', token)).id;
  const tell = () =>
    query(kit.product, `SELECT pg_notify('session_changed', 'staff:' || $1::text)`, [String(me)]);
  await Promise.all([heard(), tell()]);
  // When the window that listens is closed another one takes over.
  await windows.shift()!.close();
  await until(() => Promise.resolve(streams.size === 1));
  await Promise.all([heard(), tell()]);
  await context.close();
}, 180_000);

test('without locks, as over plain http, only the window that is looked at keeps a stream', async () => {
  const { page, context } = await enter(kit, 'zh', { account: 'company1' });
  await page.addInitScript(() => {
    delete (Navigator.prototype as { locks?: unknown }).locks;
    let sight = 'visible';
    Object.defineProperty(document, 'visibilityState', { get: () => sight });
    addEventListener('sight', (event) => {
      sight = (event as CustomEvent<string>).detail;
      document.dispatchEvent(new Event('visibilitychange'));
    });
  });
  const look = (sight: string) =>
    page.evaluate((detail) => void dispatchEvent(new CustomEvent('sight', { detail })), sight);
  const open = new Set<object>();
  page.on('request', (request) => {
    if (request.url().endsWith('/notification/stream')) open.add(request);
  });
  page.on('requestfailed', (request) => open.delete(request));
  await page.goto(`${kit.product.url}${USERS}`);
  await settled(page, USERS);
  await until(() => Promise.resolve(open.size === 1));
  await look('hidden');
  await until(() => Promise.resolve(open.size === 0));
  await Promise.all([page.waitForRequest('**/api/admin/notification/unread'), look('visible')]);
  await until(() => Promise.resolve(open.size === 1));
  await context.close();
}, 180_000);
