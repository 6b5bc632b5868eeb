import fs from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { addButton, navigate, settled, tab, tabPaths, TYPES, USERS, view } from './frame-kit.ts';
import { type Language, languagesOf, mustShow, say } from './frame-lines.ts';
import {
  enterPage,
  makeRelease,
  openPage,
  PASSWORD,
  signInPage,
  startBrowser,
  startProduct,
  until,
  type RunningProduct,
} from './product.ts';

/**
 * Lines of the frame an operator starts: the first sign-in on an empty installation, and a new release under the feet of
 * staff at work. Each language has an installation of its own, as a first sign-in happens once.
 */

const SHARE = 'first sign-in and release';
const products = {} as Record<Language, RunningProduct>;
const folders: string[] = [];
let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
  for (const language of languagesOf(SHARE))
    products[language] = await startProduct({ DEMO: 'off', ADMIN_PASSWORD: '' });
}, 240_000);
afterAll(async () => {
  await browser?.close();
  for (const language of languagesOf(SHARE)) await products[language]?.stop();
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
});

const open = (language: Language) =>
  openPage(browser, { english: language === 'en', fresh: true }, products[language].url);
const firstPassword = (language: Language) =>
  /first password \(shown once\): (\S+)/.exec(products[language].output())![1]!;
const newPassword = async (page: Page, value: string) => {
  await page.locator('#password-next').fill(value);
  await page.locator('#password-next').blur();
};
const texts = {
  rule: [
    '密码至少12位，包括数字、大小写字母、特殊字符，且不能包含用户名、sino等',
    'password at least 12 characters, including digits, upper and lower case letters, special characters, and must not contain the username, sino, etc.',
  ],
  short: ['密码至少12位', 'password at least 12 characters'],
  same: ['新密码不能与旧密码相同', 'new password cannot be the same as the old one'],
  differs: ['两次输入密码不一致', 'the two passwords entered do not match'],
} as const;
const problem = (page: Page) => page.locator('#password-next-message');

mustShow(
  3,
  async (language) => {
    const product = products[language];
    const first = firstPassword(language);
    const { page, context } = await open(language);
    await signInPage(page, product.url, 'admin', first);
    for (const path of ['/', '/dashboard', '/nope', '/adminSys/menuManager', USERS]) {
      await page.goto(`${product.url}${path}`);
      await page.locator('#password-old').waitFor();
      const dialog = page.getByRole('dialog', { name: say(language, '修改密码', 'Change password') });
      await dialog.waitFor();
      expect(await dialog.locator('.ant-modal-close').count()).toBe(0);
      await page.keyboard.press('Escape');
      expect(await dialog.count()).toBe(1);
      await page.getByRole('button', { name: say(language, '退出登录', 'Log out') }).waitFor();
      expect(await page.locator('nav.side-menu, .tab-list').count()).toBe(0);
    }
    // The server refuses everything else too.
    const token = decodeURIComponent(
      (await context.cookies()).find((cookie) => cookie.name === 'Authorization')!.value,
    );
    expect((await product.call('GET', '/api/admin/staff/page', token)).http).toBe(403);
    await page.locator('#password-old').fill(first);
    await newPassword(page, PASSWORD);
    await page.locator('#password-confirm').fill(PASSWORD);
    await page.getByRole('button', { name: say(language, '提交', 'Submit') }).click();
    const notice = page
      .locator('.notice')
      .filter({ hasText: say(language, '修改成功', 'modification succeeded') });
    await notice.waitFor();
    const shown = performance.now();
    expect(await notice.innerText()).toContain(say(language, '成功', 'success'));
    await notice.waitFor({ state: 'detached' });
    expect(performance.now() - shown).toBeLessThan(3_500);
    expect(await page.evaluate(() => localStorage.getItem('mustChangePassword'))).toBe('false');
    await settled(page, USERS);
    expect(new URL(page.url()).pathname).toBe(USERS);
    await context.close();
  },
  { share: SHARE },
);

mustShow(
  4,
  async (language) => {
    const product = products[language];
    const { page, context } = await open(language);
    await enterPage(page, product.url, await product.signIn('admin'));
    await page.getByRole('button', { name: '平台管理员' }).click();
    await page.getByRole('menuitem', { name: say(language, '修改密码', 'Change password') }).click();
    await page.locator('#password-old').fill('Something-else-9');
    const at = language === 'zh' ? 0 : 1;
    for (const [typed, text] of [
      ['Abcdef123456!', texts.rule[at]],
      ['Xk7#mQ2vLp9', texts.short[at]],
      ['Something-else-9', texts.same[at]],
      [PASSWORD, ''],
    ] as const) {
      await newPassword(page, typed);
      await until(async () => (await problem(page).innerText()).trim() === text);
    }
    await page.locator('#password-confirm').fill(`${PASSWORD}x`);
    await page.locator('#password-confirm').blur();
    await page.getByText(texts.differs[at]).first().waitFor();
    await context.close();
  },
  { share: SHARE },
);

mustShow(
  25,
  async (language) => {
    const product = products[language];
    const { page, context } = await open(language);
    await page.clock.install();
    const cover = page.waitForResponse((answer) => answer.url().includes('lock-screen'));
    await enterPage(page, product.url, await product.signIn('admin'));
    await navigate(page, USERS);
    await navigate(page, TYPES);
    await settled(page, TYPES);
    await addButton(page, language).click();
    const code = page.getByRole('dialog').getByLabel(say(language, '编码', 'Code'));
    await code.fill('typed_before');
    const before = await tabPaths(page);
    const banner = page
      .locator('.frame-banner')
      .filter({ hasText: say(language, '新版本已发布，刷新后生效', 'A new version is available') });
    expect(await banner.count()).toBe(0);
    // The cover of the lock is fetched soon after the start, while the old release is still there to give it.
    await cover;
    // The operator stops the old release and starts the next one on the same data and port.
    const release = makeRelease(`next-${language}`);
    folders.push(release);
    await product.kill('SIGTERM');
    products[language] = await startProduct(
      { PORT: new URL(product.url).port, DEMO: 'off' },
      product.dataDir,
      release,
    );
    expect(products[language].url).toBe(product.url);
    await page.clock.fastForward(5 * 60_000);
    await banner.waitFor();
    // Later: it is gone for half an hour.
    await banner.getByRole('button', { name: say(language, '稍后', 'Later') }).click();
    await banner.waitFor({ state: 'detached' });
    await page.clock.fastForward(9 * 60_000);
    expect(await banner.count()).toBe(0);
    // A screen of the old release that was never opened is gone: its view says so beside the banner, the form lives on.
    await navigate(page, '/adminSys/WhiteManage');
    await view(page, '/adminSys/WhiteManage')
      .getByRole('heading', { name: say(language, '页面出错了', 'This page failed') })
      .waitFor();
    // Away for long enough to be locked: the cover is of the old release and still comes.
    await page.clock.fastForward(25 * 60_000);
    await page.locator('#lock-password').fill(PASSWORD);
    await page.locator('#lock-password').press('Enter');
    await page.locator('#lock-password').waitFor({ state: 'detached' });
    await page.clock.fastForward(5 * 60_000);
    await banner.waitFor();
    await tab(page, TYPES).click();
    await until(async () => (await code.inputValue()) === 'typed_before');
    await banner.getByRole('button', { name: say(language, '刷新', 'Reload') }).click();
    await page.waitForEvent('domcontentloaded');
    await settled(page, TYPES);
    expect(await tabPaths(page)).toEqual([...before, '/adminSys/WhiteManage']);
    await addButton(page, language).click();
    await page.getByRole('button', { name: say(language, '恢复草稿', 'Restore') }).click();
    await until(async () => (await code.inputValue()) === 'typed_before');
    // The page is of the new release now.
    await navigate(page, '/adminSys/WhiteManage');
    await settled(page, '/adminSys/WhiteManage');
    expect(await banner.count()).toBe(0);
    await context.close();
  },
  { timeout: 120_000, share: SHARE },
);
