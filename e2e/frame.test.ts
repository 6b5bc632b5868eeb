import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import {
  addButton,
  DEPARTMENTS,
  enter,
  frameKit,
  navigate,
  openRemark,
  ORDERS,
  POSTS,
  rowsOf,
  settled,
  tab,
  tabMenu,
  tabPaths,
  tabs,
  TYPES,
  USERS,
  view,
} from './frame-kit.ts';
import { mustShow, say, type Language } from './frame-lines.ts';
import { openPage, PASSWORD, query, signInPage, until } from './product.ts';

/** Lines of the page frame about signing in, tabs, languages, errors and the palette. Numbers: frame-lines.ts. */
const kit = frameKit();

const fourTabs = [USERS, DEPARTMENTS, POSTS, TYPES];

/** The input of a group type's code in the form of its view. */
const codeInput = (page: Page, language: Language): Locator =>
  page.getByRole('dialog').getByLabel(say(language, '编码', 'Code'));
const unsaved = (page: Page, language: Language): Locator =>
  page.getByText(say(language, '有未保存的修改，确定离开吗？', 'You have unsaved changes. Leave?')).first();

/** Opens the four tabs by the side menu. */
async function openFour(page: Page, language: Language): Promise<void> {
  for (const path of fourTabs) {
    const link = page.locator(`nav.side-menu a[href="${path}"]`);
    if (!(await link.isVisible()))
      await page
        .locator('nav.side-menu')
        .getByRole('button', { name: say(language, '权限管理', 'Permission management') })
        .click();
    await link.click();
    await view(page, path).waitFor();
  }
}

mustShow(1, async (language) => {
  const { page, context } = await openPage(kit.browser, { english: language === 'en' }, kit.product.url);
  await page.goto(`${kit.product.url}/login`);
  const image = page.locator('.code-image img');
  const again = async (password: string, code: string) => {
    await image.waitFor();
    const before = await image.getAttribute('src');
    await page.locator('#username').fill('admin');
    await page.locator('#password').fill(password);
    await page.locator('#code').fill(code);
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().includes('/oauth/token')),
      page.keyboard.press('Enter'),
    ]);
    return { before, answer };
  };
  const first = await again('Wrong-Password-1', '1234');
  await page
    .locator('.notice')
    .filter({ hasText: say(language, '账户或密码错误！', 'Account or password wrong!') })
    .waitFor();
  expect(first.answer.status()).toBe(400);
  await until(async () => (await page.locator('#code').inputValue()) === '');
  await until(async () => (await page.evaluate(() => document.activeElement?.id)) === 'code');
  await until(async () => (await image.getAttribute('src')) !== first.before);
  // The button is guarded for three seconds after a click.
  await until(async () => page.locator('form button[type=submit]').isEnabled());
  const second = await again(PASSWORD, '9999');
  await page
    .locator('.notice')
    .filter({ hasText: say(language, '验证码错误', 'Verification code is wrong') })
    .waitFor();
  expect(await second.answer.json()).toMatchObject({ data: { reason: 'code' } });
  await until(async () => (await page.locator('#code').inputValue()) === '');
  await context.close();
});

mustShow(2, async (language) => {
  const { page, context, troubles } = await openPage(
    kit.browser,
    { english: language === 'en' },
    kit.product.url,
  );
  await signInPage(page, kit.product.url, 'admin');
  const cookies = await context.cookies();
  expect(decodeURIComponent(cookies.find((cookie) => cookie.name === 'Authorization')!.value)).toMatch(
    /^Bearer /,
  );
  expect(JSON.parse((await page.evaluate(() => localStorage.getItem('userInfo')))!)).toMatchObject({
    username: 'admin',
  });
  expect(new URL(page.url()).pathname).toBe('/dashboard');
  expect(await page.title()).toBe(say(language, '首页 - 社区零售系统', 'Home - community retail system'));
  await page.goto(`${kit.product.url}/login`);
  await page.waitForURL(/\/dashboard$/);
  expect(troubles()).toEqual([]);
  await context.close();
});

mustShow(6, async (language) => {
  const { page, context } = await enter(kit, language, { account: 'merchant1' });
  await page.goto(`${kit.product.url}/adminSys/menuManager`);
  await page.waitForURL(/\/401/);
  await page
    .getByText(say(language, '您没有权限访问“菜单管理”', 'You have no permission for "Menus"'))
    .waitFor();
  await page.goto(`${kit.product.url}/nope`);
  await page.waitForURL(/\/404/);
  await page
    .getByText(say(language, '您访问的页面不存在', 'The page you asked for does not exist'))
    .waitFor();
  expect(await tabs(page).count()).toBe(1);
  await context.clearCookies({ name: 'Authorization' });
  for (const path of ['/adminSys/menuManager', '/nope']) {
    await page.goto(`${kit.product.url}${path}`);
    await page.waitForURL((address) => address.search === `?redirect=${encodeURIComponent(path)}`);
    expect(new URL(page.url()).pathname).toBe('/login');
    await page.getByRole('heading', { name: say(language, '登录', 'Sign in') }).waitFor();
  }
  await context.close();
});

mustShow(8, async (language) => {
  const { page, context, troubles } = await enter(kit, language);
  const [first, second] = (await rowsOf(kit, 'goodsOrder', 'limit=2')).map(
    (row) => `${ORDERS}/${row.id}`,
  ) as [string, string];
  const note = page.locator('.ant-modal:visible textarea');
  const write = async (path: string, words: string) => {
    await navigate(page, path);
    await (await openRemark(page, language, path)).fill(words);
  };
  const texts = [
    say(language, '先联系买家', 'Call the buyer first'),
    say(language, '周五送货', 'Deliver on Friday'),
  ];
  await write(first, texts[0]!);
  await write(second, texts[1]!);
  // Two details, two titles: each carries the number of its order.
  expect(new Set(await tabs(page).allInnerTexts()).size).toBe(await tabs(page).count());
  await tab(page, first).click();
  await until(async () => (await note.inputValue()) === texts[0]);
  expect(await note.count()).toBe(1);
  await tab(page, second).click();
  await until(async () => (await note.inputValue()) === texts[1]);
  // Refreshing asks, as something was typed; only this one is built anew.
  await tabMenu(page, second, say(language, '刷新', 'Refresh'));
  await unsaved(page, language).waitFor();
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: say(language, '离开', 'Leave') })
    .click();
  await note.waitFor({ state: 'detached' });
  await view(page, second).locator('.go-page').waitFor();
  await tab(page, first).click();
  await until(async () => (await note.inputValue()) === texts[0]);
  expect(troubles()).toEqual([]);
  await context.close();
});

mustShow(9, async (language) => {
  const { page, context } = await enter(kit, language);
  await openFour(page, language);
  await tab(page, DEPARTMENTS).click();
  await tab(page, DEPARTMENTS).locator('.tab-close').click();
  await page.waitForURL(`**${TYPES}`);
  await tabMenu(page, POSTS, say(language, '关闭其他', 'Close others'));
  await page.waitForURL(`**${POSTS}`);
  expect(await tabPaths(page)).toEqual([POSTS]);
  await tabMenu(page, POSTS, say(language, '关闭全部', 'Close all'));
  await page.waitForURL(/\/dashboard$/);
  expect(await tabPaths(page)).toEqual(['/dashboard']);
  await context.close();
});

mustShow(10, async (language) => {
  const { page, context } = await enter(kit, language);
  await navigate(page, TYPES);
  await addButton(page, language).click();
  await codeInput(page, language).fill('kept_alive');
  await navigate(page, `${USERS}?searchVal=admin`);
  const { menus } = await kit.data<{ menus: { uri: string }[] }>('/api/admin/user/front/info');
  const others = [...new Set(menus.map((menu) => menu.uri))].filter(
    // Pages that are asked anew each time are never kept alive.
    (uri) => /^\/\w+\/\w+$/.test(uri) && uri !== TYPES && uri !== USERS && !uri.startsWith('/operReport/'),
  );
  for (const path of others.slice(0, 10)) await navigate(page, path);
  // Home, the form, the filtered list and ten more: thirteen tabs, twelve alive.
  expect(await tabs(page).count()).toBe(13);
  expect(await page.locator('[data-view]').count()).toBe(12);
  expect(await view(page, '/dashboard').count()).toBe(0);
  await tab(page, '/dashboard').click();
  await view(page, '/dashboard').waitFor();
  expect(await view(page, USERS).count()).toBe(0);
  expect(await view(page, TYPES).count()).toBe(1);
  await tab(page, USERS).click();
  await page.waitForURL(`**${USERS}?searchVal=admin`);
  await view(page, USERS).locator('.k-chip').filter({ hasText: 'admin' }).waitFor();
  await tab(page, TYPES).click();
  expect(await codeInput(page, language).inputValue()).toBe('kept_alive');
  await context.close();
});

mustShow(11, async (language) => {
  const { page, context, troubles } = await enter(kit, language);
  await openFour(page, language);
  await addButton(page, language).click();
  const code = codeInput(page, language);
  await code.fill('typed_text');
  await tab(page, TYPES).locator('.tab-dot').waitFor();
  await tab(page, TYPES).locator('.tab-close').click();
  await unsaved(page, language).waitFor();
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: say(language, '留下', 'Stay') })
    .click();
  await unsaved(page, language).waitFor({ state: 'detached' });
  expect(await code.inputValue()).toBe('typed_text');
  await page.keyboard.press('Alt+w');
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: say(language, '离开', 'Leave') })
    .click();
  await tab(page, TYPES).waitFor({ state: 'detached' });
  await page.keyboard.press('Alt+Shift+T');
  await page.waitForURL(`**${TYPES}`);
  await addButton(page, language).click();
  const form = page.getByRole('dialog');
  await form.getByText(say(language, '的未提交草稿', 'An unsubmitted draft of')).waitFor();
  await form.getByRole('button', { name: say(language, '恢复草稿', 'Restore') }).click();
  await until(async () => (await code.inputValue()) === 'typed_text');
  expect(troubles()).toEqual([]);
  await context.close();
});

mustShow(12, async (language) => {
  const { page, context } = await enter(kit, language);
  await openFour(page, language);
  await tabMenu(page, POSTS, say(language, '固定', 'Pin'));
  expect(await tab(page, POSTS).locator('.tab-close').count()).toBe(0);
  await tabMenu(page, TYPES, say(language, '关闭全部', 'Close all'));
  await page.waitForURL(/\/dashboard$/);
  expect(await tabPaths(page)).toEqual([POSTS, '/dashboard']);
  await navigate(page, USERS);
  const before = await tabs(page).allInnerTexts();
  await page.reload();
  await tabs(page).first().waitFor();
  expect(await tabs(page).allInnerTexts()).toEqual(before);
  expect(await tabPaths(page)).toEqual([POSTS, '/dashboard', USERS]);
  await context.close();
});

mustShow(16, async (language) => {
  // The language is kept per staff, so each run has a staff of its own.
  const other: Language = language === 'zh' ? 'en' : 'zh';
  const { page, context, troubles } = await enter(kit, language, {
    account: language === 'zh' ? 'company1' : 'company2',
  });
  await navigate(page, USERS);
  await settled(page, USERS);
  await addButton(page, language).click();
  const form = page.getByRole('dialog');
  await form.getByLabel(say(language, '姓名', 'Name'), { exact: true }).fill('林晚照');
  const account = form.getByLabel(say(language, '账号', 'Account'), { exact: true });
  await account.fill('1 2');
  await account.blur();
  const complaint = form.locator('.ant-form-item-explain-error').first();
  await complaint.waitFor();
  const before = await complaint.innerText();
  await page.getByRole('button', { name: say(language, '语言', 'Language'), exact: true }).click();
  await page.getByText(say(language, 'English', '中文'), { exact: true }).click();
  await page.locator('.notice').filter({ hasText: 'switch language success' }).waitFor();
  // Labels, validation, tabs, breadcrumb and title follow; what was typed stays.
  expect(await form.getByLabel(say(other, '姓名', 'Name'), { exact: true }).inputValue()).toBe('林晚照');
  expect(await form.getByLabel(say(other, '账号', 'Account'), { exact: true }).inputValue()).toBe('1 2');
  await until(async () => (await complaint.innerText()) !== before);
  // The old words leave while the new ones come: what stays is in the new language.
  await until(async () => /[\u4e00-\u9fff]/.test(await complaint.innerText()) === (other === 'zh'));
  expect(await tab(page, USERS).innerText()).toContain(say(other, '用户管理', 'Users'));
  await page
    .locator('nav')
    .filter({ hasText: say(other, '首页', 'Home') })
    .last()
    .waitFor();
  expect(await page.title()).toBe(say(other, '用户管理 - 社区零售系统', 'Users - community retail system'));
  // The current one cannot be chosen again.
  await page.getByRole('button', { name: say(other, '语言', 'Language'), exact: true }).click();
  await page
    .locator('[role=menuitem]:disabled')
    .filter({ hasText: say(other, '中文', 'English') })
    .waitFor();
  // The menu only: the form below asks nothing and keeps what was typed.
  await page.keyboard.press('Escape');
  await page.locator('[role=menuitem]').first().waitFor({ state: 'detached' });
  expect(await unsaved(page, other).count()).toBe(0);
  // Dates: the calendar of the component library speaks the language too.
  await form.locator('.ant-picker input').first().click();
  const header = page.locator('.ant-picker-dropdown:visible .ant-picker-header-view');
  await header.waitFor();
  expect(/[\u4e00-\u9fff]/.test(await header.innerText())).toBe(other === 'zh');
  await page.keyboard.press('Escape');
  await page.reload();
  await until(async () => (await tab(page, USERS).innerText()).includes(say(other, '用户管理', 'Users')));
  expect(await page.evaluate(() => document.documentElement.lang)).toBe(say(other, 'zh-CN', 'en'));
  expect(troubles()).toEqual([]);
  await context.close();
});

mustShow(18, async (language) => {
  const { page, context } = await enter(kit, language, {
    // Journey 16 leaves each of the two in the other language.
    account: say(language, 'company2', 'company1'),
  });
  const fault = 'planted in a screen';
  await page.route(/\/assets\/station\.contract-.*\.js$/, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: `throw new Error('${fault}')` }),
  );
  const reported = page.waitForRequest('**/api/admin/errorReport');
  await navigate(page, USERS);
  await settled(page, USERS);
  await navigate(page, POSTS);
  await view(page, POSTS)
    .getByRole('heading', { name: say(language, '页面出错了', 'This page failed') })
    .waitFor();
  const { traceId } = (await reported).postDataJSON() as { traceId: string };
  expect(traceId).toMatch(/^[0-9a-f]{32}$/);
  await page.getByRole('button', { name: say(language, '错误日志（1）', 'Error Log (1)') }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('columnheader').first().waitFor();
  expect(await dialog.getByRole('columnheader').allInnerTexts()).toEqual(
    language === 'zh'
      ? ['信息', '位置', '页面地址', '堆栈', '时间', '次数', '追踪号']
      : ['Message', 'Where', 'URL', 'Stack', 'Time', 'Times seen', 'Trace id'],
  );
  const cells = await dialog.locator('tbody tr').first().locator('td').allInnerTexts();
  expect(cells[0]).toBe(fault);
  expect(cells[1]).toContain(POSTS);
  expect(cells[2]).toBe(POSTS);
  expect(cells[5]).toBe('1');
  expect(cells[6]).toContain(traceId.slice(0, 16));
  await dialog.locator('summary').click();
  expect(await dialog.locator('pre').innerText()).toContain('at ');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await tab(page, USERS).click();
  await view(page, USERS).locator('tr[data-row-key]').first().waitFor();
  await until(async () => {
    const rows = await query<{ url: string }>(
      kit.product,
      'SELECT url FROM error_report WHERE trace_id = $1',
      [traceId],
    );
    return rows.length === 1 && rows[0]!.url === POSTS;
  });
  await context.close();
});

mustShow(19, async (language) => {
  const [foreign] = await rowsOf(kit, 'goodsOrder', 'limit=1', await kit.product.signIn('merchant2'));
  const { page, context, token } = await enter(kit, language, { account: 'merchant1' });
  const [order] = await rowsOf(kit, 'goodsOrder', 'limit=1', token);
  const [refund] = await rowsOf(kit, 'refund', 'limit=1', token);
  const palette = page.getByRole('dialog', { name: say(language, '搜索', 'Search') });
  const input = palette.getByRole('combobox');
  const ask = async (typed: string) => {
    await page.keyboard.press('Control+k');
    await input.fill(typed);
  };
  for (const typed of ['yhgl', 'yonghuguanli', 'Users', 'userManager']) {
    await ask(typed);
    await palette
      .getByRole('option')
      .filter({ hasText: say(language, '用户管理', 'Users') })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${USERS}`);
    await navigate(page, '/dashboard');
  }
  await ask(order!.code);
  await palette.getByRole('option').filter({ hasText: order!.code }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**${ORDERS}**`);
  await page.getByText(order!.code).last().waitFor();
  // The last digits of a refund, opened behind: the palette stays.
  await ask(refund!.code);
  await palette.getByRole('option').filter({ hasText: refund!.code }).waitFor();
  await page.keyboard.press('Control+Enter');
  await palette.waitFor();
  await input.fill(foreign!.code);
  await palette.getByText(say(language, '没有找到', 'Nothing found')).waitFor();
  expect(await palette.getByRole('option').count()).toBe(0);
  await page.keyboard.press('Escape');
  await palette.waitFor({ state: 'detached' });
  expect((await tabPaths(page)).some((path) => path?.includes('mm_orderRefund'))).toBe(true);
  await context.close();
});
