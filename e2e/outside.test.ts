import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  accessibilityProblems,
  enterPage,
  openPage,
  PASSWORD,
  startBrowser,
  startProduct,
  until,
  type RunningProduct,
} from './product.ts';

/** What reaches beyond one's own window: outside programs, pop-ups, views by link, notifications by kind. */
let product: RunningProduct;
let browser: Browser;
let admin: string;
let program: http.Server;
let callback: string;
let secret: string;

beforeAll(async () => {
  program = http.createServer((_request, response) => response.end('the program'));
  await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
  callback = `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`;
  [product, browser] = await Promise.all([startProduct(), startBrowser()]);
  admin = await product.signIn('admin');
  secret = /Secret \(shown once\): (\S+)/.exec(
    cli(
      `client add meter-app --name 抄表助手 --redirect ${callback} --auto openid --scope`.split(' '),
      'openid profile menu:merchantManager',
    ),
  )![1]!;
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await product?.stop();
  program?.close();
});

/** The operator's terminal beside the running product. */
function cli(words: readonly string[], scopes?: string): string {
  return execFileSync(
    process.execPath,
    [path.join(import.meta.dirname, '..', 'dist', 'server', 'cli.js'), ...words, ...(scopes ? [scopes] : [])],
    { env: { ...process.env, DATA_DIR: product.dataDir }, encoding: 'utf8' },
  );
}

describe('an outside program', () => {
  const verifier = randomBytes(32).toString('base64url');
  const request = (change: Record<string, string> = {}) =>
    `/authredirect?${new URLSearchParams({
      client_id: 'meter-app',
      redirect_uri: callback,
      response_type: 'code',
      scope: 'openid profile menu:merchantManager',
      state: 's-1',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      ...change,
    }).toString()}`;
  const arrived = async (page: Page) => {
    await page.waitForURL((url) => url.href.startsWith(callback));
    return new URL(page.url()).searchParams;
  };

  test('sends somebody signed out to sign in and back, asks, and gets a token for what was allowed', async () => {
    const { page, context } = await openPage(browser, {}, product.url);
    await page.goto(`${product.url}${request()}`);
    await page.locator('#username').fill('mall1');
    await page.locator('#password').fill(PASSWORD);
    await page.locator('#code').fill('1234');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '“抄表助手”申请使用您的账号' }).waitFor();
    expect(await page.locator('.consent li').allTextContents()).toEqual([
      '确认您的身份（员工编号）',
      '读取您的姓名、账号和所属公司',
      '以您的权限查看和操作“商城”',
    ]);
    await page.getByRole('button', { name: '同意' }).click();
    const given = await arrived(page);
    expect(given.get('state')).toBe('s-1');
    const answer = await fetch(`${product.url}/api/auth/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`meter-app:${secret}`).toString('base64')}` },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: given.get('code')!,
        redirect_uri: callback,
        code_verifier: verifier,
      }),
    });
    const token = `Bearer ${((await answer.json()) as { access_token: string }).access_token}`;
    const reach = async (where: string) => (await product.call('GET', where, token)).http;
    expect([
      await reach('/api/jinmao/web/goodsOrder/page'),
      await reach('/api/auth/oauth/userinfo'),
      await reach('/api/admin/staff/page'),
      await reach('/api/admin/preference'),
    ]).toEqual([200, 200, 403, 403]);

    await page.goto(`${product.url}${request()}`);
    await page.getByRole('button', { name: '拒绝' }).click();
    expect((await arrived(page)).get('error')).toBe('access_denied');
    // Approved beforehand: nobody is asked.
    await page.goto(`${product.url}${request({ scope: 'openid' })}`);
    expect((await arrived(page)).get('code')).toMatch(/^[\w-]{43}$/);

    cli(['client', 'off', 'meter-app']);
    await until(async () => (await reach('/api/auth/oauth/userinfo')) === 401, 3_000);
    cli(['client', 'on', 'meter-app']);
    await context.close();
  });

  test('is told nothing at an address it did not register', async () => {
    const { page, context } = await openPage(browser, { english: true }, product.url);
    await enterPage(page, product.url, admin);
    for (const [change, text] of [
      [{ redirect_uri: `${callback}/` }, 'The redirect address is not the registered one'],
      [{ client_id: 'nobody' }, 'The application is unknown or switched off'],
    ] as const) {
      await page.goto(`${product.url}${request(change)}`);
      await page.getByRole('alert').filter({ hasText: text }).waitFor();
      await page.waitForTimeout(500);
      expect(page.url()).toContain(`${product.url}/authredirect`);
    }
    await context.close();
  });

  test.each([
    ['zh light', {}],
    ['en dark', { english: true, dark: true }],
  ] as const)('asks in a way everybody can use (%s)', async (_name, options) => {
    const { page, context } = await openPage(browser, options, product.url);
    await enterPage(page, product.url, admin);
    await page.goto(`${product.url}${request()}`);
    await page.locator('.consent').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.goto(`${product.url}${request({ client_id: 'nobody' })}`);
    await page.getByRole('alert').first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await context.close();
  });

  test('hands a code over to the window that opened the pop-up, once and with its state only', async () => {
    const { page, context } = await openPage(browser, {}, product.url);
    await enterPage(page, product.url, admin);
    const handedOver = (state: string) =>
      page.evaluate(
        (given) =>
          new Promise<string>((resolve) => {
            sessionStorage.setItem('authState', 'right');
            addEventListener('message', ({ data }: MessageEvent<{ type?: string; code?: string }>) => {
              if (data.type === 'authredirect') resolve(`code ${data.code}`);
            });
            const opened = window.open(
              `/authredirect?code=C-1&state=${given}`,
              '_blank',
              'width=500,height=400',
            );
            const look = setInterval(() => {
              if (!opened?.document.body?.textContent?.includes('登录状态不匹配')) return;
              clearInterval(look);
              resolve('refused');
            }, 100);
          }),
        state,
      );
    expect(await handedOver('right')).toBe('code C-1');
    expect(await page.evaluate(() => sessionStorage.getItem('authState'))).toBeNull();
    expect(await handedOver('wrong')).toBe('refused');
    await context.close();
  });
});

test('a view opens by its link for who is no member of the group, and as the default of the members', async () => {
  const groups = (await product.call('GET', '/api/jinmao/web/options/group', admin)).body.data as {
    id: string;
    title: string;
  }[];
  const made = await product.call('POST', '/api/admin/savedView', admin, {
    menu: 'mm_businessOrder_wx',
    name: '待发货关注',
    shared: true,
    groupId: groups.find((group) => group.title === '商户管理员')!.id,
    isGroupDefault: true,
    filters: { tab: 'to_ship' },
    columns: [{ name: 'code' }, { name: 'payable' }],
  });
  const { shareKey } = made.body.data as { shareKey: string };
  const seen = async (account: string, query: string) => {
    const { page, context } = await openPage(browser, {}, product.url);
    await enterPage(page, product.url, await product.signIn(account));
    for (let time = 0; time < 2; time++) {
      // The second time the address the page made of it.
      await page.goto(time === 0 ? `${product.url}/merchantManager/mm_businessOrder_wx${query}` : page.url());
      await page.getByRole('tab', { name: /^待发货关注/, selected: true }).waitFor();
      await page.getByRole('tab', { name: /^待发货\s*\d/, selected: true }).waitFor();
    }
    await context.close();
  };
  await seen('mall1', `?view=${shareKey}`);
  await seen('merchant1', '');
});

test('a kind of notification is switched off in the profile, a mandatory one is not', async () => {
  const { page, context } = await openPage(browser, {}, product.url);
  const token = await product.signIn('mall1');
  await enterPage(page, product.url, token);
  await page.keyboard.press('Control+k');
  await page.locator('.palette-input').fill('通知设置');
  await page.getByRole('option', { name: /通知设置/ }).waitFor();
  await page.keyboard.press('Enter');
  const approvals = page.getByRole('switch', { name: '审批: 站内' });
  await approvals.click();
  const kept = async () =>
    (
      (await product.call('GET', '/api/admin/notification/kinds', token)).body.data as {
        kinds: { code: string; inApp: boolean }[];
      }
    ).kinds.find((kind) => kind.code === 'approval')!.inApp;
  await until(async () => !(await kept()));
  expect(await page.getByRole('switch', { name: '角色到期: 站内' }).isDisabled()).toBe(true);
  for (const part of [
    '通知设置',
    '登录设备',
    '登录记录',
    '我的权限',
    '我的视图',
    '草稿',
    '偏好',
    '基本资料',
  ]) {
    await page.getByRole('tab', { name: part }).click();
    await page.locator('.profile-wait').waitFor({ state: 'detached' });
    expect([part, await accessibilityProblems(page)]).toEqual([part, []]);
  }
  await context.close();
});

test("a new phone of one's own asks for the current password beside the code", async () => {
  const { page, context } = await openPage(browser, {}, product.url);
  await enterPage(page, product.url, await product.signIn('mall1'));
  await page.keyboard.press('Control+k');
  await page.locator('.palette-input').fill('通知设置');
  await page.getByRole('option', { name: /通知设置/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: '基本资料' }).click();
  const phone = page.locator('#profile-phone');
  await phone.waitFor();
  expect(await page.locator('#profile-password').count()).toBe(0);
  await phone.fill('13900005678');
  await page.locator('#profile-code').fill('123456');
  const save = page.locator('.profile-form').getByRole('button', { name: '保存' });
  await save.click();
  await page.locator('#profile-password-message').filter({ hasText: '请输入当前密码' }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.locator('#profile-password').fill('Wrong#12wrong');
  await save.click();
  await page.locator('#profile-password-message').filter({ hasText: '当前密码错误' }).waitFor();
  await context.close();
});

test('an address no route has is answered 404, however it is written', async () => {
  // Browsers tidy addresses up before they send them; a program need not.
  const statusOf = (target: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { hostname, port } = new URL(product.url);
      http
        .request({ hostname, port, path: target, headers: { authorization: admin } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
        .on('error', reject)
        .end();
    });
  for (const target of ['/api//admin/staff/page', '/api/admin/./staff/page', '/api/admin/x/../staff/page'])
    expect([target, await statusOf(target)]).toEqual([target, 404]);
  expect(product.output()).not.toContain('request failed');
});
