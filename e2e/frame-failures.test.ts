import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  addButton,
  enter,
  frameKit,
  holdClock,
  ORDERS,
  REFUNDS,
  settled,
  untilTicked,
  USERS,
} from './frame-kit.ts';
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

/** Waits for the message of what is done, reads it and sees how long it stays. */
async function expectShown(
  page: Page,
  [title, text, milliseconds]: Shown,
  act: () => Promise<void>,
): Promise<void> {
  const notice = page.locator('.notice', { hasText: text });
  await holdClock(page);
  await act();
  await untilTicked(page, async () => (await notice.count()) > 0);
  expect(await notice.locator('strong').allInnerTexts()).toEqual(title === undefined ? [] : [title]);
  await page.clock.runFor(milliseconds - 100);
  expect(await notice.count()).toBe(1);
  await page.clock.runFor(200);
  await notice.waitFor({ state: 'detached' });
  await page.clock.resume();
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
      await expectShown(page, shown, () =>
        page.getByRole('button', { name: say(language, '下载中心', 'Download centre') }).click(),
      );
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
      await expectShown(page, shown, () =>
        dialog.getByRole('button', { name: say(language, '提交', 'Submit') }).click(),
      );
      await page.unroute('**/admin/user/changePassword');
    }
    await dialog.locator('#password-next').fill('Yk7#mQ2vLp9!'.padEnd(65, 'y'));
    await dialog.locator('#password-confirm').focus();
    await dialog
      .getByText(say(language, '密码最多64位', 'password at most 64 characters'), { exact: true })
      .waitFor();
    await context.close();
  },
  180_000,
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
  await expectLocked(page, exporting);
  await page.keyboard.press('Escape');
  await page.goto(`${kit.product.url}${USERS}`);
  await settled(page, USERS);
  await addButton(page, 'zh').click();
  const save = page.locator('.ant-drawer').getByRole('button', { name: '保存', exact: true });
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
  await expectLocked(page, submit);
  await page.getByText('密码最多64位', { exact: true }).waitFor();
  await context.close();
});

/** The button that is clicked is disabled for 3 s. */
async function expectLocked(page: Page, button: ReturnType<Page['locator']>): Promise<void> {
  await holdClock(page);
  await button.click();
  await untilTicked(page, () => button.isDisabled());
  await page.clock.runFor(2_700);
  expect(await button.isDisabled()).toBe(true);
  await page.clock.resume();
  await until(() => button.isEnabled(), 5_000);
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

/** A line that lets everything through, but holds back the rest of every answer of a path while it is told to. */
async function slowLine(path: string) {
  let holding = false;
  let held = 0;
  const server = http.createServer((request, reply) => {
    const onward = http.request(
      kit.product.url + request.url,
      { method: request.method, headers: request.headers },
      (answer) => {
        reply.writeHead(answer.statusCode!, answer.headers);
        if (!holding || !request.url!.startsWith(path)) return void answer.pipe(reply);
        held++;
        answer.once('data', (bytes: Buffer) => reply.write(bytes.subarray(0, 10)));
        answer.resume();
      },
    );
    onward.on('error', () => reply.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: (now: boolean) => (holding = now),
    held: () => held,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test('a page that is left while its session loads ends no session', async () => {
  const line = await slowLine('/api/admin/user/front/menus');
  const { page, context } = await openPage(kit.browser, {}, line.url);
  try {
    await context.addCookies([{ name: 'Authorization', value: kit.admin, url: line.url }]);
    await page.addInitScript(() => localStorage.setItem('mustChangePassword', 'false'));
    for (let time = 0; time < 3; time++) {
      line.hold(true);
      const before = line.held();
      await page.goto(`${line.url}/dashboard`, { waitUntil: 'commit' });
      await expect.poll(line.held, { timeout: 20_000 }).toBe(before + 1);
      // The head is there, the rest is not.
      await page.waitForTimeout(200);
      line.hold(false);
      await page.goto(`${line.url}${REFUNDS}`);
      await page
        .getByText(/^RF2\d+/)
        .first()
        .waitFor();
    }
    expect((await context.cookies()).find((cookie) => cookie.name === 'Authorization')?.value).toBe(
      kit.admin,
    );
  } finally {
    await context.close();
    line.close();
  }
});
