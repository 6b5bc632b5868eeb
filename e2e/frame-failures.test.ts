import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { enter, frameKit, ORDERS, settled, USERS, addButton } from './frame-kit.ts';
import { type Language, languagesOf, say } from './frame-lines.ts';
import { openPage, until } from './product.ts';

/** The error catalogue wherever a call fails, and the click guard. */
const kit = frameKit();

/** What the catalogue shows: title or none, text, and how long in milliseconds. */
type Shown = readonly [title: string | undefined, text: string, milliseconds: number];
const catalogue = (language: Language): Record<string, readonly [answer: object | undefined, Shown]> => ({
  'no response': [
    undefined,
    [undefined, say(language, '服务请求超时！', 'The service request timed out!'), 5000],
  ],
  '504': [
    { status: 504, json: { status: 504, message: 'x', data: null } },
    [
      undefined,
      say(
        language,
        '后端服务异常，请联系管理员！',
        'Backend service abnormal, please contact the administrator!',
      ),
      5000,
    ],
  ],
  '403': [
    { status: 403, json: { status: 403, message: '没有权限', data: null } },
    [say(language, '禁止', 'Forbidden'), '没有权限', 2000],
  ],
  '30101': [
    { status: 409, json: { status: 30101, message: '数据已变化', data: null } },
    [say(language, '失败', 'Failure'), '数据已变化', 2000],
  ],
});

/** Waits for a message, reads it and measures how long it stays. */
async function expectShown(page: Page, [title, text, milliseconds]: Shown): Promise<void> {
  const notice = page.locator('.notice', { hasText: text });
  await notice.waitFor();
  const since = Date.now();
  expect(await notice.locator('strong').allInnerTexts()).toEqual(title === undefined ? [] : [title]);
  await notice.waitFor({ state: 'detached', timeout: 15_000 });
  const stayed = Date.now() - since;
  expect(stayed).toBeGreaterThan(milliseconds - 600);
  expect(stayed).toBeLessThan(milliseconds + 1_500);
}

const answerWith = (page: Page, path: string, answer: object | undefined) =>
  page.route(path, (route) => (answer ? route.fulfill(answer) : route.abort()));

test.each(languagesOf('frame-failures'))(
  'the password dialog and the download centre show the catalogue (%s)',
  async (language) => {
    const { page, context } = await enter(kit, language, { path: USERS });
    await settled(page, USERS);
    for (const [answer, shown] of Object.values(catalogue(language))) {
      await answerWith(page, '**/exportTask/list', answer);
      await page.getByRole('button', { name: say(language, '下载中心', 'Download centre') }).click();
      await expectShown(page, shown);
      expect(await page.getByRole('alertdialog').count()).toBe(0);
      await page.keyboard.press('Escape');
      await page.unroute('**/exportTask/list');
    }
    await page.locator('.top-bar [aria-haspopup=menu]').last().click();
    await page.getByRole('menuitem', { name: say(language, '修改密码', 'Change password') }).click();
    const dialog = page.getByRole('dialog');
    for (const [answer, shown] of Object.values(catalogue(language))) {
      await answerWith(page, '**/admin/user/changePassword', answer);
      await dialog.locator('#password-old').fill('Xk7#mQ2vLp9!');
      await dialog.locator('#password-next').fill('Yk7#mQ2vLp9!');
      await dialog.locator('#password-confirm').fill('Yk7#mQ2vLp9!');
      await dialog.getByRole('button', { name: say(language, '提交', 'Submit') }).click();
      await expectShown(page, shown);
      await page.unroute('**/admin/user/changePassword');
    }
    await dialog.locator('#password-next').fill('Yk7#mQ2vLp9!'.padEnd(65, 'y'));
    await dialog.locator('#password-confirm').focus();
    await dialog
      .getByText(say(language, '密码最多64位', 'password at most 64 characters'), { exact: true })
      .waitFor();
    await context.close();
  },
  120_000,
);

test.each(languagesOf('frame-failures'))(
  'a call that succeeded with another status shows the box (%s)',
  async (language) => {
    const { page, context } = await enter(kit, language, { path: USERS });
    await settled(page, USERS);
    await answerWith(page, '**/api/admin/staff/page**', {
      json: { status: 500, message: '暂不可用', data: null },
    });
    await page
      .getByRole('button', { name: say(language, '刷新', 'Refresh'), exact: true })
      .first()
      .click();
    const box = page.getByRole('alertdialog');
    await box.waitFor();
    expect(await box.getByRole('heading').innerText()).toBe(say(language, '提示', 'notice'));
    expect(await box.innerText()).toContain('暂不可用');
    await box.getByRole('button', { name: say(language, '确定', 'OK'), exact: true }).click();
    await box.waitFor({ state: 'detached' });
    await context.close();
  },
);

test('401 with 40001 signs out at the server, then at the sign-in page', async () => {
  const { page, context, token } = await enter(kit, 'zh', { path: USERS });
  await settled(page, USERS);
  await answerWith(page, '**/api/admin/staff/page**', {
    status: 401,
    json: { status: 40001, message: '账户已停用', data: null },
  });
  await page.getByRole('button', { name: '刷新', exact: true }).first().click();
  await page.waitForURL('**/login**');
  await page.locator('.notice', { hasText: '账户已停用' }).waitFor();
  expect(await page.locator('.notice strong').innerText()).toBe('禁止');
  await until(async () => (await kit.product.call('GET', '/api/admin/user/front/info', token)).http === 401);
  await context.close();
});

test('导出 and a form that is not valid stay locked for 3 s after the click', async () => {
  const { page, context } = await enter(kit, 'zh', { path: ORDERS });
  await settled(page, ORDERS);
  const exporting = page.getByRole('button', { name: '导出', exact: true }).first();
  await exporting.click();
  await expectLocked(page, exporting);
  await page.keyboard.press('Escape');
  await page.goto(`${kit.product.url}${USERS}`);
  await settled(page, USERS);
  await addButton(page, 'zh').click();
  const save = page.locator('.ant-drawer').getByRole('button', { name: '保存', exact: true });
  await save.click();
  await expectLocked(page, save);
  await context.close();
});

test('a password longer than any is refused at the field before it is sent', async () => {
  const { page, context } = await openPage(kit.browser, {}, kit.product.url);
  await page.goto(`${kit.product.url}/login`);
  await page.locator('#username').fill('admin');
  await page.locator('#password').fill('密'.repeat(70));
  await page.locator('#code').fill('1234');
  const submit = page.locator('form button[type=submit]').first();
  await submit.click();
  await page.getByText('密码最多64位', { exact: true }).waitFor();
  await expectLocked(page, submit);
  await context.close();
});

/** The button is disabled until about 3 s after the click that was just made. */
async function expectLocked(page: Page, button: ReturnType<Page['locator']>): Promise<void> {
  const since = Date.now();
  await expect.poll(() => button.isDisabled()).toBe(true);
  await page.waitForTimeout(2_000);
  expect(await button.isDisabled()).toBe(true);
  await expect.poll(() => button.isDisabled(), { timeout: 5_000 }).toBe(false);
  expect(Date.now() - since).toBeGreaterThan(2_600);
}

test('addresses nobody can read are answered by the product: the page, or the envelope', async () => {
  for (const path of ['/%', '/%E0%A4%A', '/adminSys/%ZZ']) {
    const { page, context, troubles } = await enter(kit, 'zh', { path });
    await page.getByText('您访问的页面不存在').waitFor();
    expect(troubles().filter((one) => !one.includes('404'))).toEqual([]);
    await context.close();
  }
  for (const path of ['/api/%', '/api/admin/user/%E0%A4%A', '//api/%']) {
    const answer = await fetch(`${kit.product.url}${path}`);
    expect([path, answer.status, await answer.json()]).toMatchObject([path, 404, { status: 404 }]);
    expect(answer.headers.get('x-trace-id')).toMatch(/^[0-9a-f]{32}$/);
  }
  const wrong = await kit.product.call('GET', '/api/admin/user/page?page=abc', kit.admin);
  expect(wrong.body.data).toEqual({ fields: { page: '应为数字' } });
});
