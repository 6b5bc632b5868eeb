import { expect, test } from 'vitest';
import { enter, frameKit, ORDERS, rowsOf, settled, USERS, view } from './frame-kit.ts';
import { openPage, signInPage, until } from './product.ts';

/** Small things of the frame that are seen every day. */
const kit = frameKit();

test('a page number past the end shows the last page', async () => {
  const { page, context } = await enter(kit, 'zh', { path: `${USERS}?page=99` });
  await settled(page, USERS);
  await view(page, USERS).locator('tbody tr').nth(1).waitFor();
  await until(async () => !page.url().includes('page=99'));
  await page.goto(`${kit.product.url}${ORDERS}?page=9999`);
  await view(page, ORDERS).locator('.k-pages [aria-current=page]').waitFor();
  await until(async () => !page.url().includes('page=9999'));
  await context.close();
});

test('/401 and /404 read well without what led to them', async () => {
  const { page, context } = await enter(kit, 'zh', { path: '/401' });
  await page.getByText('您没有权限访问此页面', { exact: true }).waitFor();
  await page.goto(`${kit.product.url}/404`);
  await page.getByText('您访问的页面不存在', { exact: true }).waitFor();
  expect(await page.locator('.near-menus').count()).toBe(0);
  await context.close();
});

test('the breadcrumb of a detail names its list, and its last part is whole at 1280 px', async () => {
  const [order] = await rowsOf(kit, 'goodsOrder', 'limit=1');
  const { page, context } = await enter(kit, 'zh', { width: 1280, path: `${ORDERS}/detail/${order!.id}` });
  const crumbs = page.locator('.breadcrumb li');
  await page.locator('.breadcrumb [aria-current=page]', { hasText: order!.code }).waitFor();
  expect((await crumbs.allInnerTexts()).slice(0, 3)).toEqual(['首页', '商城', '商品订单']);
  expect(await crumbs.nth(2).locator('a').getAttribute('href')).toBe(ORDERS);
  for (let at = 0; at < (await crumbs.count()); at += 1) {
    const cut = await crumbs
      .nth(at)
      .locator('a, span')
      .evaluate((node) => node.scrollWidth - node.clientWidth);
    expect([at, cut]).toEqual([at, 0]);
  }
  await context.close();
});

test('every empty required field of the sign-in is marked', async () => {
  const { page, context } = await openPage(kit.browser, {}, kit.product.url);
  await page.goto(`${kit.product.url}/login`);
  await page.locator('form button[type=submit]').first().click();
  await page.getByText('请输入用户名', { exact: true }).waitFor();
  await page.getByText('请输入密码', { exact: true }).waitFor();
  expect(await page.locator('.input-box.bad').count()).toBe(2);
  await context.close();
});

test('the language follows in the other windows; sign-out leaves nothing of the person behind', async () => {
  const { page, context } = await openPage(kit.browser, {}, kit.product.url);
  await signInPage(page, kit.product.url, 'admin');
  expect(await page.evaluate(() => localStorage.getItem('userInfo'))).toContain('admin');
  const other = await context.newPage();
  await other.goto(`${kit.product.url}${USERS}`);
  await settled(other, USERS);
  await page.getByRole('button', { name: '语言' }).click();
  await page.getByRole('menuitem', { name: 'English' }).click();
  await other.getByRole('button', { name: 'Add user' }).first().waitFor();
  expect(await other.evaluate(() => document.documentElement.lang)).toBe('en');
  await other.getByRole('button', { name: 'Add user' }).first().click();
  await other.locator('.ant-drawer input').first().fill('someone');
  await until(async () => (await other.evaluate(() => Object.keys(localStorage).join())).includes('draft:'));
  await page.locator('.bar-user').click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.waitForURL('**/login**');
  await page.waitForTimeout(1_500);
  const left = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  expect(left).not.toMatch(/admin|someone|draft:|userInfo|mustChangePassword/);
  await context.close();
});

test('the actions of the download list stay on one line, inside of the panel', async () => {
  const { page, context } = await enter(kit, 'en', { path: USERS });
  const record = (id: number, state: string, text: string) => ({
    id: String(id),
    exportDate: '2026-11-21 12:30:00',
    exportName: 'Goods orders 20261121123000 with a long name.xlsx',
    exportState: text,
    state,
    exportUrl: '/x',
    progress: 50,
    reason: null,
  });
  await page.route('**/exportTask/list', (route) =>
    route.fulfill({
      json: { status: 200, message: '', data: [record(1, 'ready', '下载'), record(2, 'expired', '已过期')] },
    }),
  );
  await page.getByRole('button', { name: 'Download centre' }).click();
  const actions = page.locator('.downloads .actions');
  await actions.first().waitFor();
  for (const one of await actions.all()) {
    const tops = await one
      .locator('button')
      .evaluateAll((all) => all.map((node) => node.getBoundingClientRect()));
    expect(new Set(tops.map((box) => Math.round((box.top + box.bottom) / 2))).size).toBeLessThan(2);
  }
  const wide = await page
    .locator('.downloads-scroll')
    .evaluate((node) => node.scrollWidth - node.clientWidth);
  expect(wide).toBe(0);
  await context.close();
});

test('the clock of the lock screen is that of the business', async () => {
  const context = await kit.browser.newContext({ timezoneId: 'America/New_York', locale: 'zh-CN' });
  const page = await context.newPage();
  await signInPage(page, kit.product.url, 'admin');
  await page.keyboard.press('Alt+l');
  const shown = await page.locator('.lock-time').innerText();
  const now = (offset: number) => new Date(Date.now() + 8 * 3_600_000 + offset).toISOString().slice(11, 16);
  expect([now(0), now(-60_000)]).toContain(shown);
  await context.close();
});

test('the department tree beside the users: chosen by click, moved in by arrow keys', async () => {
  const { page, context } = await enter(kit, 'zh', { path: USERS });
  await settled(page, USERS);
  // Whatever language the administrator chose above.
  const tree = view(page, USERS).getByRole('tree');
  const items = tree.getByRole('treeitem');
  await items.nth(1).click();
  await until(async () => page.url().includes('department='));
  expect(await items.nth(1).getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('ArrowUp');
  const all = await items.count();
  await page.keyboard.press('ArrowLeft');
  expect(await items.first().getAttribute('aria-expanded')).toBe('false');
  expect(await items.count()).toBeLessThan(all);
  await page.keyboard.press('ArrowRight');
  expect(await items.count()).toBe(all);
  await items.nth(1).click();
  await until(async () => !page.url().includes('department='));
  await context.close();
});
