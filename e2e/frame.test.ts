import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  enterPage,
  newStaff,
  openPage,
  PASSWORD,
  signInPage,
  startBrowser,
  startProduct,
  until,
  type RunningProduct,
  type WatchedPage,
} from './product.ts';

/** Must show lines of the page frame, as a user sees them. Numbers are those of the specification of the frame. */
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

async function signedIn(
  options: Parameters<typeof openPage>[1] = {},
  account = 'admin',
): Promise<WatchedPage> {
  const watched = await openPage(browser, options, product.url);
  // A session of its own: some journeys end theirs.
  await enterPage(watched.page, product.url, await product.signIn(account));
  return watched;
}

const tabs = (page: Page) => page.getByRole('tablist', { name: /标签页|Tabs/ }).getByRole('tab');
const goTo = async (page: Page, path: string) => {
  await page.goto(`${product.url}${path}`);
  await page.locator('h1, h2, table').first().waitFor();
};

const addStaff = (account: string) => newStaff(product, admin, account);

describe('signing in', () => {
  test('1: wrong password shows the warning, wrong code its own; the image changes, the code is empty and focused', async () => {
    const { page, context } = await openPage(browser);
    await page.goto(`${product.url}/login`);
    const image = page.locator('img[alt]').last();
    await image.waitFor();
    const before = await image.getAttribute('src');
    await page.locator('#username').fill('admin');
    await page.locator('#password').fill('Wrong-Password-1');
    await page.locator('#code').fill('1234');
    await page.keyboard.press('Enter');
    await page.getByText('账户或密码错误！').waitFor();
    await until(async () => (await page.locator('#code').inputValue()) === '');
    await until(async () => (await page.evaluate(() => document.activeElement?.id)) === 'code');
    await until(async () => (await image.getAttribute('src')) !== before);
    await page.waitForTimeout(3_100);
    await page.locator('#password').fill(PASSWORD);
    await page.locator('#code').fill('9999');
    await page.keyboard.press('Enter');
    // The field says it as well, when its early check answers first.
    await page.getByText('验证码错误').first().waitFor();
    await context.close();
  });

  test('2: right password: cookie, local storage, home; /login then leads home', async () => {
    const { page, context, troubles } = await openPage(browser);
    await signInPage(page, product.url, 'admin');
    const cookies = await context.cookies();
    expect(decodeURIComponent(cookies.find((cookie) => cookie.name === 'Authorization')!.value)).toMatch(
      /^Bearer /,
    );
    expect(JSON.parse((await page.evaluate(() => localStorage.getItem('userInfo')))!)).toMatchObject({
      username: 'admin',
    });
    expect(new URL(page.url()).pathname).toBe('/dashboard');
    await page.goto(`${product.url}/login`);
    await page.waitForURL(/\/dashboard$/);
    expect(troubles()).toEqual([]);
    await context.close();
  });

  test('3: a first sign-in sees only the change-password dialog on every route; afterwards the typed route opens', async () => {
    const first = await addStaff('first_time');
    const { page, context } = await openPage(browser);
    await signInPage(page, product.url, 'first_time', first);
    for (const path of ['/dashboard', '/adminSys/userManager', '/nope']) {
      await page.goto(`${product.url}${path}`);
      await page.locator('#password-old').waitFor();
      expect(await page.getByRole('button', { name: '退出登录' }).count()).toBe(1);
    }
    await page.goto(`${product.url}/dashboard`);
    await page.locator('#password-old').fill(first);
    // 4: rules of the new password
    await page.locator('#password-next').fill('Abcdef123456!');
    await page.locator('#password-next').blur();
    await page
      .getByText('密码至少12位，包括数字、大小写字母、特殊字符，且不能包含用户名、sino等')
      .first()
      .waitFor();
    await page.locator('#password-next').fill(first);
    await page.locator('#password-next').blur();
    await page.getByText('新密码不能与旧密码相同').first().waitFor();
    await page.locator('#password-next').fill('Zk8#nQ3wLp7!');
    await page.locator('#password-confirm').fill('Zk8#nQ3wLp7!');
    await page.getByRole('button', { name: '提交' }).click();
    await page.getByText('修改成功').waitFor();
    await page.waitForTimeout(2_600);
    expect(await page.getByText('修改成功').count()).toBe(0);
    expect(await page.evaluate(() => localStorage.getItem('mustChangePassword'))).toBe('false');
    await page.locator('h1').first().waitFor();
    await context.close();
  });

  test('6: no right leads to the 401 page naming the menu, nothing there to 404, signed out both to /login', async () => {
    const first = await addStaff('no_rights');
    const token = await product.signIn('no_rights', first);
    void token;
    const { page, context } = await openPage(browser);
    await signInPage(page, product.url, 'no_rights', first);
    await page.locator('#password-old').fill(first);
    await page.locator('#password-next').fill(PASSWORD);
    await page.locator('#password-confirm').fill(PASSWORD);
    await page.getByRole('button', { name: '提交' }).click();
    await page.locator('#password-old').waitFor({ state: 'detached' });
    await page.goto(`${product.url}/adminSys/userManager`);
    await page.getByText('您没有权限访问“用户管理”').waitFor();
    await page.goto(`${product.url}/nope`);
    await page.getByText('您访问的页面不存在').waitFor();
    await context.clearCookies();
    for (const path of ['/adminSys/userManager', '/nope']) {
      await page.goto(`${product.url}${path}`);
      await page.waitForURL(/\/login\?redirect=/);
    }
    await context.close();
  });
});

describe('tabs', () => {
  const paths = [
    '/adminSys/userManager',
    '/adminSys/departManager',
    '/adminSys/stationManage',
    '/adminSys/groupTypeManager',
  ];
  const openAll = async (page: Page) => {
    for (const path of paths) {
      const group = page.getByRole('button', { name: '权限管理' }).or(page.getByText('权限管理')).first();
      const link = page.locator(`nav a[href="${path}"]`);
      if (!(await link.isVisible())) await group.click();
      await link.click();
      await page.waitForURL(`**${path}`);
    }
  };

  test('9: closing the active tab goes to the last one, close others keeps one, close all goes home', async () => {
    const { page, context } = await signedIn();
    await openAll(page);
    await tabs(page).filter({ hasText: '部门管理' }).click();
    await tabs(page).filter({ hasText: '部门管理' }).locator('.tab-close').click();
    await page.waitForURL(`**${paths[3]}`);
    await tabs(page).filter({ hasText: '岗位管理' }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: '关闭其他' }).click();
    await until(async () => (await tabs(page).count()) === 1);
    await tabs(page).first().click({ button: 'right' });
    await page.getByRole('menuitem', { name: '关闭全部' }).click();
    await page.waitForURL(/\/dashboard$/);
    await context.close();
  });

  test('12: a pinned tab survives close all and a reload', async () => {
    const { page, context } = await signedIn();
    await openAll(page);
    await tabs(page).filter({ hasText: '岗位管理' }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: '固定' }).click();
    await tabs(page).filter({ hasText: '角色类型' }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: '关闭全部' }).click();
    await page.waitForURL(/\/dashboard$/);
    expect(await tabs(page).filter({ hasText: '岗位管理' }).count()).toBe(1);
    const before = await tabs(page).allInnerTexts();
    await page.reload();
    await tabs(page).first().waitFor();
    expect(await tabs(page).allInnerTexts()).toEqual(before);
    await context.close();
  });

  test('8, 11: a cached view keeps what was typed; closing an unsaved form asks; leaving keeps a draft that is offered', async () => {
    const { page, context, troubles } = await signedIn();
    await openAll(page);
    await page.getByRole('button', { name: '新增' }).first().click();
    const code = page.getByRole('dialog').getByLabel('编码');
    await code.fill('typed_text');
    // The drawer covers the strip, so the keyboard switches: Alt+number works while typing.
    const numberOf = async (title: string) =>
      (await tabs(page).allInnerTexts()).findIndex((one) => one.includes(title)) + 1;
    await page.keyboard.press(`Alt+${await numberOf('用户管理')}`);
    await page.waitForURL('**/adminSys/userManager');
    await page.keyboard.press(`Alt+${await numberOf('角色类型')}`);
    await page.waitForURL(`**${paths[3]}`);
    expect(await code.inputValue()).toBe('typed_text');
    const question = page.getByText('有未保存的修改，确定离开吗？').first();
    await page.keyboard.press('Alt+w');
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await code.inputValue()).toBe('typed_text');
    await page.keyboard.press('Alt+w');
    await page.getByRole('button', { name: '离开' }).click();
    await until(async () => (await tabs(page).filter({ hasText: '角色类型' }).count()) === 0);
    await page.keyboard.press('Alt+Shift+T');
    await page.waitForURL(`**${paths[3]}`);
    await page.getByRole('button', { name: '新增' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: /恢复/ }).click();
    await until(
      async () => (await page.getByRole('dialog').getByLabel('编码').inputValue()) === 'typed_text',
    );
    expect(troubles()).toEqual([]);
    await context.close();
  });

  test('10: with the 13th tab the oldest clean view is rebuilt on return, with its filters; an unsaved one is never dropped', async () => {
    const { page, context } = await signedIn();
    const open = async (path: string) => {
      await page.evaluate((to) => {
        history.pushState(null, '', to);
        dispatchEvent(new PopStateEvent('popstate'));
      }, path);
      await page.locator(`[data-view="${path.split('?')[0]}"]`).waitFor();
    };
    await open('/adminSys/groupTypeManager');
    await page.getByRole('button', { name: '新增' }).first().click();
    await page.getByRole('dialog').getByLabel('编码').fill('kept_alive');
    const filtered = '/adminSys/userManager?searchVal=admin';
    await open(filtered);
    const { menus } = (await product.call('GET', '/api/admin/user/front/info', admin)).body.data as {
      menus: { uri: string }[];
    };
    const taken = ['/dashboard', '/adminSys/groupTypeManager', '/adminSys/userManager'];
    const others = menus
      .map((menu) => menu.uri)
      .filter((uri) => /^\/\w+\/\w+$/.test(uri) && !taken.includes(uri));
    for (const path of others.slice(0, 10)) await open(path);
    // Home, the form, the filtered list and ten more: thirteen tabs.
    expect(await tabs(page).count()).toBe(13);
    expect(await page.locator('[data-view]').count()).toBe(12);
    expect(await page.locator('[data-view="/dashboard"]').count()).toBe(0);
    await open('/dashboard');
    expect(await page.locator('[data-view="/adminSys/userManager"]').count()).toBe(0);
    expect(await page.locator('[data-view="/adminSys/groupTypeManager"]').count()).toBe(1);
    await tabs(page).filter({ hasText: '用户管理' }).click();
    await page.waitForURL('**/adminSys/userManager?searchVal=admin');
    await page.locator('[data-view="/adminSys/userManager"] .k-chip').filter({ hasText: 'admin' }).waitFor();
    await tabs(page).filter({ hasText: '角色类型' }).click();
    expect(await page.getByRole('dialog').getByLabel('编码').inputValue()).toBe('kept_alive');
    await context.close();
  });
});

describe('languages and themes', () => {
  test('16: English without reload keeps typed values; both languages in the message; reload stays English', async () => {
    const { page, context, troubles } = await signedIn();
    await goTo(page, '/adminSys/groupTypeManager');
    await page.getByRole('button', { name: '新增' }).first().click();
    await page.getByRole('dialog').getByLabel('编码').fill('kept_value');
    // The drawer's mask lies over the top bar; the switch itself is what is shown here.
    await page.getByRole('button', { name: '语言', includeHidden: true }).first().dispatchEvent('click');
    await page.getByRole('menuitem', { name: 'English', includeHidden: true }).dispatchEvent('click');
    await page.getByText('switch language success').waitFor();
    await page.getByRole('dialog').getByLabel('Code').waitFor();
    expect(await page.getByRole('dialog').getByLabel('Code').inputValue()).toBe('kept_value');
    expect(await tabs(page).filter({ hasText: 'Group types' }).count()).toBe(1);
    await page.reload();
    await tabs(page).filter({ hasText: 'Group types' }).waitFor();
    expect(troubles()).toEqual([]);
    // The language is kept per staff: back to Chinese, other journeys share the account.
    await product.call('PUT', '/api/admin/preference/language', admin, { value: 'zh' });
    await context.close();
  });
});

test('18: a script error is listed, counted and reported to the server once', async () => {
  const { page, context } = await signedIn();
  await page.evaluate(() => {
    setTimeout(() => {
      throw new Error('planted for the error log');
    }, 0);
  });
  const bug = page.getByRole('button', { name: /错误日志/ });
  await bug.waitFor();
  await bug.click();
  await page.getByText('planted for the error log').first().waitFor();
  await context.close();
});

test('19: Ctrl+K finds a menu by pinyin initials and opens it', async () => {
  const { page, context } = await signedIn();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: '搜索' });
  await palette.getByRole('combobox').fill('新增角色类型');
  await palette.getByRole('option', { name: '新增：角色类型' }).waitFor();
  await palette.getByRole('combobox').fill('bmgl');
  await palette.getByText('部门管理').first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/adminSys/departManager');
  await context.close();
});

test('17: a theme colour and the dark appearance are kept and applied before the first paint', async () => {
  const { page, context } = await signedIn();
  const token = decodeURIComponent(
    (await context.cookies()).find((cookie) => cookie.name === 'Authorization')!.value,
  );
  await page
    .getByRole('button', { name: /主题|换肤/ })
    .first()
    .click();
  await page
    .getByRole('radio', { name: /11A983|绿/i })
    .or(page.locator('[data-colour="#11A983"], [title="#11A983"]'))
    .first()
    .click({ force: true });
  await page.getByText('换肤成功').waitFor();
  await until(async () =>
    JSON.stringify((await product.call('GET', '/api/admin/preference', token)).body.data)
      .toUpperCase()
      .includes('11A983'),
  );
  await page.reload();
  const colour = await page.evaluate(
    () =>
      getComputedStyle(document.documentElement).getPropertyValue('--theme') ||
      document.documentElement.getAttribute('style') ||
      '',
  );
  expect(colour.toUpperCase()).toContain('11A983');
  // Back to the default, other journeys share the account.
  await product.call('PUT', '/api/admin/preference/theme', token, { value: '#409EFF' });
  await context.close();
});
