import fs from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import {
  addButton,
  ANALYSIS,
  builtPaths,
  DEPARTMENTS,
  enter,
  frameKit,
  navigate,
  openRemark,
  ORDERS,
  POSTS,
  REFUNDS,
  rowsOf,
  settled,
  tab,
  tabPaths,
  tabs,
  TYPES,
  USERS,
  view,
} from './frame-kit.ts';
import { type Language, languagesOf, say } from './frame-lines.ts';
import { makeRelease, PASSWORD, startProduct, until } from './product.ts';

/** What goes wrong on a real day, and what the staff at the screen sees of it. */
const kit = frameKit();

const restore = (page: Page, language: Language) =>
  page.getByRole('button', { name: say(language, '恢复草稿', 'Restore') });
const rows = (page: Page, path: string) => view(page, path).locator('tr[data-row-key]');
/** How much wider than its window the page is, and the views than the area they stand in. */
const beyond = (page: Page) =>
  page.evaluate(() => {
    const area = document.querySelector('.main-area')!;
    return [
      document.documentElement.scrollWidth - document.documentElement.clientWidth,
      area.scrollWidth - area.clientWidth,
    ];
  });
const end = (token: string) =>
  fetch(`${kit.product.url}/api/auth/oauth/remove/token?access_token=${token.replace('Bearer ', '')}`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('web:web').toString('base64')}` },
  });

describe.each(languagesOf('frame-bad-moments'))('bad moments (%s)', (language) => {
  test('401 while typing: nothing typed is lost, after sign-in the draft is offered', async () => {
    const { page, context, token } = await enter(kit, language, { path: TYPES });
    await settled(page, TYPES);
    await addButton(page, language).click();
    const code = page.getByRole('dialog').getByLabel(say(language, '编码', 'Code'));
    await code.fill('before_the_end');
    // The answer that ends the session is on its way while the last keys fall, whichever call it answers.
    let answer = () => {};
    const typed = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/api/**', async (route) => {
      await typed;
      await route.continue();
    });
    const asked = page.waitForRequest('**/api/**');
    await end(token);
    await page
      .getByRole('button', { name: say(language, '通知', 'Notifications') })
      .first()
      .click();
    await asked;
    await code.press('End');
    await code.pressSequentially('_x');
    answer();
    await page.waitForURL(/\/login\?redirect=/);
    await page
      .getByText(say(language, '您已被登出，请重新登录', 'You have been logged out, please log in again'))
      .waitFor();
    await page.locator('#username').fill('admin');
    await page.locator('#password').fill(PASSWORD);
    await page.locator('#code').fill('1234');
    await page.keyboard.press('Enter');
    // Back where it happened.
    await page.waitForURL(`**${TYPES}`);
    await settled(page, TYPES);
    await addButton(page, language).click();
    await restore(page, language).click();
    await until(async () => (await code.inputValue()) === 'before_the_end_x');
    await context.close();
  });

  test('401 while a reason is typed into a dialog: it is offered again too', async () => {
    const [order] = await rowsOf(kit, 'goodsOrder', 'limit=1');
    const path = `${ORDERS}/${order!.id}`;
    const { page, context, token } = await enter(kit, language, { path });
    const note = await openRemark(page, language, path);
    await note.fill('门口有台阶，请送到二楼');
    await tab(page, path).locator('.tab-dot').waitFor();
    await end(token);
    await page.locator('.ant-modal:visible .ant-btn-primary').click();
    await page.waitForURL(/\/login\?redirect=/);
    await page.locator('#username').fill('admin');
    await page.locator('#password').fill(PASSWORD);
    await page.locator('#code').fill('1234');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${path}`);
    await openRemark(page, language, path);
    await restore(page, language).click();
    await until(async () => (await note.inputValue()) === '门口有台阶，请送到二楼');
    await context.close();
  });

  test('slow answers: the shape at once, the rows of before while the next ones come, one click is one call', async () => {
    const { page, context } = await enter(kit, language);
    // Answers take as long as it takes to look at what is shown meanwhile.
    const slow = async (path: string) => {
      let open = () => {};
      let answered: Promise<void>;
      const call = {
        asked: 0,
        hold: () => void (answered = new Promise((resolve) => (open = resolve))),
        answer: () => open(),
      };
      call.hold();
      await page.route(path, async (route) => {
        call.asked += 1;
        await answered;
        await route.continue().catch(() => {});
      });
      return call;
    };
    const list = await slow('**/api/jinmao/web/refund/page*');
    await navigate(page, REFUNDS);
    await view(page, REFUNDS).locator('.k-skeleton').waitFor();
    list.answer();
    await rows(page, REFUNDS).first().waitFor();
    const first = await rows(page, REFUNDS).first().innerText();
    list.hold();
    await page.getByRole('button', { name: say(language, '下一页', 'Next page') }).click();
    expect(await rows(page, REFUNDS).first().innerText()).toBe(first);
    expect(await view(page, REFUNDS).locator('.k-skeleton').count()).toBe(0);
    list.answer();
    await until(async () => (await rows(page, REFUNDS).first().innerText()) !== first);
    // A report says that it waits, not that there is nothing.
    const report = await slow('**/api/jinmao/web/report/*');
    await navigate(page, ANALYSIS);
    const charts = view(page, ANALYSIS).locator('.k-chart');
    await charts.locator('.k-chart-wait').first().waitFor();
    expect(await charts.locator('.k-chart-empty').count()).toBe(0);
    report.answer();
    await charts.locator('canvas').first().waitFor();
    await navigate(page, REFUNDS);
    // Leaving a screen that waits leaves nothing behind: no message, no error.
    list.hold();
    await page.getByRole('button', { name: say(language, '下一页', 'Next page') }).click();
    await navigate(page, USERS);
    await rows(page, USERS).first().waitFor();
    list.answer();
    expect(await page.locator('.notice').count()).toBe(0);
    // A save that takes long: the button waits, a second click sends nothing.
    const saving = await slow('**/api/admin/groupType');
    await navigate(page, TYPES);
    await settled(page, TYPES);
    await addButton(page, language).click();
    const form = page.getByRole('dialog');
    await form.getByLabel(say(language, '编码', 'Code')).fill(`slow_${language}`);
    await form.getByLabel(say(language, '名称', 'Name'), { exact: true }).fill(`慢网络${language}`);
    await form.getByLabel(say(language, '描述', 'Description')).fill('慢网络下保存一次');
    const save = form.getByRole('button', { name: say(language, '保存', 'Save') });
    await save.click();
    await save.click({ force: true, noWaitAfter: true });
    await page.keyboard.press('Control+s');
    saving.answer();
    await form.waitFor({ state: 'detached' });
    expect(saving.asked).toBe(1);
    await rows(page, TYPES)
      .filter({ hasText: `slow_${language}` })
      .waitFor();
    await context.close();
  });

  test('two windows: a change in one is a conflict in the other, shown field by field; each keeps its own tabs', async () => {
    const created = await kit.product.call('POST', '/api/admin/groupType', kit.admin, {
      code: `two_${language}`,
      name: `两个窗口${language}`,
      description: '两个窗口同时修改',
    });
    expect(created.http).toBe(200);
    const { page, context } = await enter(kit, language, { path: TYPES });
    const other = await context.newPage();
    await other.goto(`${kit.product.url}${TYPES}`);
    for (const one of [page, other]) {
      await rows(one, TYPES)
        .filter({ hasText: `two_${language}` })
        .getByRole('button', { name: say(language, '编辑', 'Edit') })
        .click();
      await one
        .getByRole('dialog')
        .getByLabel(say(language, '描述', 'Description'))
        .waitFor();
    }
    const write = async (one: Page, words: string) => {
      await one
        .getByRole('dialog')
        .getByLabel(say(language, '描述', 'Description'))
        .fill(words);
      await one
        .getByRole('dialog')
        .getByRole('button', { name: say(language, '保存', 'Save') })
        .click();
    };
    await write(other, '另一个窗口先改了');
    await other.getByRole('dialog').waitFor({ state: 'detached' });
    await write(page, '这个窗口后改');
    await page
      .getByText(say(language, '数据已被他人修改', 'Someone else changed this meanwhile'), { exact: true })
      .waitFor();
    expect(await page.getByRole('dialog').innerText()).toContain('另一个窗口先改了');
    await page.getByRole('radio', { name: new RegExp(say(language, '保留我的', 'Keep mine')) }).check();
    // The submit is guarded for three seconds.
    const save = page.getByRole('dialog').getByRole('button', { name: say(language, '保存', 'Save') });
    await until(() => save.isEnabled());
    await save.click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await rows(page, TYPES)
      .filter({ hasText: `two_${language}` })
      .filter({ hasText: '这个窗口后改' })
      .waitFor();
    await navigate(other, USERS);
    expect(await tabPaths(page)).not.toContain(USERS);
    // Locking locks both, unlocking either opens both.
    await page.keyboard.press('Alt+l');
    await other.locator('#lock-password').waitFor();
    await other.locator('#lock-password').fill(PASSWORD);
    await other.locator('#lock-password').press('Enter');
    await page.locator('#lock-password').waitFor({ state: 'detached' });
    await other.locator('#lock-password').waitFor({ state: 'detached' });
    await context.close();
  });

  test('a screen whose calls fail stands beside working ones, says what happened and comes back', async () => {
    const { page, context } = await enter(kit, language, { path: USERS });
    await rows(page, USERS).first().waitFor();
    await page.route('**/api/admin/station/page*', (route) =>
      route.fulfill({ status: 500, json: { status: 500, message: '系统异常，请联系管理员', data: null } }),
    );
    await navigate(page, POSTS);
    await view(page, POSTS)
      .getByText(say(language, '数据没有加载出来', 'This could not be loaded'))
      .waitFor();
    await tab(page, USERS).click();
    expect(await rows(page, USERS).count()).toBeGreaterThan(0);
    await tab(page, POSTS).click();
    const retry = view(page, POSTS).getByRole('button', { name: say(language, '重试', 'Retry') });
    await retry.waitFor();
    await page.unroute('**/api/admin/station/page*');
    await retry.click();
    await rows(page, POSTS).first().waitFor();
    await context.close();
  });

  test('500 menus: the side menu opens in place and the palette finds the last one', async () => {
    const { page, context } = await enter(kit, language, { path: USERS });
    await page.route('**/api/admin/user/front/menus', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { data: { code: string; children: object[] }[] };
      const group = body.data.find((one) => one.code === 'adminSys')!;
      for (let n = 1; n <= 500; n += 1)
        group.children.push({
          ...group.children[0],
          code: `many${n}`,
          name: `many${n}`,
          title: `第${n}个菜单`,
          titleEn: `Menu number ${n}`,
          path: `many${n}`,
        });
      await route.fulfill({ response: answer, json: body });
    });
    await page.route('**/api/admin/user/front/info', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { data: { menus: { code: string }[] } };
      for (let n = 1; n <= 500; n += 1) body.data.menus.push({ ...body.data.menus[0]!, code: `many${n}` });
      await route.fulfill({ response: answer, json: body });
    });
    await page.reload();
    await rows(page, USERS).first().waitFor();
    const menu = page.locator('nav.side-menu');
    await until(async () => (await menu.locator('a').count()) > 500);
    // The menu scrolls by itself; the page does not grow.
    expect(await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight)).toBe(0);
    const last = menu.locator('a').filter({ hasText: say(language, '第500个菜单', 'Menu number 500') });
    await last.scrollIntoViewIfNeeded();
    expect(await last.isVisible()).toBe(true);
    // Opening a tab among them stays quick: nothing of the menu is drawn anew but the highlight.
    const took = await page.evaluate(async (path) => {
      const started = performance.now();
      history.pushState(null, '', path);
      dispatchEvent(new PopStateEvent('popstate'));
      while (!document.querySelector(`[data-view="${path}"]`)) await new Promise(requestAnimationFrame);
      return performance.now() - started;
    }, '/dashboard');
    expect(took).toBeLessThan(2_000);
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: say(language, '搜索', 'Search') });
    await palette.getByRole('combobox').fill('many500');
    await palette
      .getByRole('option')
      .filter({ hasText: say(language, '第500个菜单', 'Menu number 500') })
      .waitFor();
    expect(await beyond(page)).toEqual([0, 0]);
    await context.close();
  });

  test('60 tabs: the strip scrolls, the active one is in view, twelve views live, close all brings home', async () => {
    const { page, context, troubles } = await enter(kit, language);
    const paths = await builtPaths(kit);
    const orders = await rowsOf(kit, 'goodsOrder', 'limit=60');
    const all = ['/dashboard', ...paths, ...orders.map((order) => `${ORDERS}/${order.id}`)].slice(0, 60);
    for (const path of all) await navigate(page, path);
    expect(await tabs(page).count()).toBe(60);
    expect(await page.locator('[data-view]').count()).toBeLessThanOrEqual(12);
    const inView = (path: string) =>
      tab(page, path).evaluate((element) => {
        const list = element.closest('.tab-list')!.getBoundingClientRect();
        const box = element.getBoundingClientRect();
        return box.left >= list.left && box.right <= list.right;
      });
    await until(() => inView(all[59]!));
    await tab(page, all[59]!).focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/dashboard');
    await until(() => inView('/dashboard'));
    const list = page.locator('.tab-list');
    await list.hover();
    await page.mouse.wheel(0, 800);
    await until(async () => (await list.evaluate((element) => element.scrollLeft)) > 400);
    expect(await beyond(page)).toEqual([0, 0]);
    await page.reload();
    await until(async () => (await tabs(page).count()) === 60);
    await page.locator('.tab-list').evaluate((element) => (element.scrollLeft = 0));
    await tab(page, '/dashboard').click({ button: 'right' });
    await page.getByRole('menuitem', { name: say(language, '关闭全部', 'Close all') }).click();
    await until(async () => (await tabs(page).count()) === 1);
    expect(troubles()).toEqual([]);
    await context.close();
  }, 180_000);

  test('names of 200 characters break no layout: list, detail, tab, top bar', async () => {
    const long = say(language, '很长的名字', 'An exceedingly long name ').repeat(40).slice(0, 200);
    const unbroken = 'W'.repeat(200);
    const { page, context } = await enter(kit, language);
    // What no form lets in may still come from an import or another system.
    await page.route(
      /\/api\/(admin\/(staff|department|station)|jinmao\/web\/(goodsOrder|refund))\/page/,
      async (route) => {
        const answer = await route.fetch();
        const body = (await answer.json()) as { data: { rows: Record<string, unknown>[] } };
        for (const [index, row] of body.data.rows.entries())
          for (const [name, value] of Object.entries(row)) {
            const words = index % 2 ? long : unbroken;
            if (['name', 'code', 'contactName', 'title', 'account'].includes(name)) row[name] = words;
            if (typeof value === 'object' && value !== null && 'title' in value)
              row[name] = { ...value, title: words };
          }
        await route.fulfill({ response: answer, json: body });
      },
    );
    await page.route('**/api/admin/user/front/info', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { data: { name: string } };
      body.data.name = unbroken;
      await route.fulfill({ response: answer, json: body });
    });
    await page.reload();
    for (const path of ['/dashboard', USERS, POSTS, ORDERS, REFUNDS]) {
      await navigate(page, path);
      await settled(page, path);
      expect([path, ...(await beyond(page))]).toEqual([path, 0, 0]);
      const tall = await rows(page, path).evaluateAll((all) =>
        all.map((row) => row.getBoundingClientRect().height).filter((height) => height > 90),
      );
      expect([path, tall]).toEqual([path, []]);
    }
    const bar = await page.evaluate(() => {
      const tools = document.querySelector('.bar-tools')!.getBoundingClientRect();
      return [
        document.querySelector('.bar-tools')!.closest('header')!.getBoundingClientRect().height,
        tools.right <= window.innerWidth,
      ];
    });
    expect(bar).toEqual([65, true]);
    await context.close();
  });

  test('an open dialog, drawer and date picker in tabs that are left and returned to', async () => {
    const { page, context, troubles } = await enter(kit, language, { path: ORDERS });
    await settled(page, ORDERS);
    // A dialog.
    const [order] = await rowsOf(kit, 'goodsOrder', 'limit=1');
    const detail = `${ORDERS}/${order!.id}`;
    await navigate(page, detail);
    const note = await openRemark(page, language, detail);
    await note.fill('对话框里的文字');
    await tab(page, ORDERS).click();
    await rows(page, ORDERS).first().waitFor();
    expect(await page.locator('.ant-modal:visible').count()).toBe(0);
    // A range picker, open while the tab is left by the keyboard.
    await navigate(page, ANALYSIS);
    await settled(page, ANALYSIS);
    await view(page, ANALYSIS).locator('.k-input-button').filter({ hasText: '~' }).click();
    const picker = page.locator('.ant-picker-dropdown:visible');
    await picker.waitFor();
    await page.keyboard.press(`Alt+${(await tabPaths(page)).indexOf(detail) + 1}`);
    await until(async () => (await note.inputValue()) === '对话框里的文字');
    await until(async () => (await picker.count()) === 0);
    // A drawer with a form, and a date picker open in it.
    await navigate(page, USERS);
    await settled(page, USERS);
    await addButton(page, language).click();
    const name = page.getByRole('dialog').getByLabel(say(language, '姓名', 'Name'), { exact: true });
    await name.fill('抽屉里的人');
    await page.locator('.k-drawer:visible .ant-picker input').first().click();
    await picker.waitFor();
    await page.keyboard.press(`Alt+${(await tabPaths(page)).indexOf(ORDERS) + 1}`);
    await rows(page, ORDERS).first().waitFor();
    expect(await page.locator('.k-drawer:visible').count()).toBe(0);
    await until(async () => (await picker.count()) === 0);
    await tab(page, USERS).click();
    expect(await name.inputValue()).toBe('抽屉里的人');
    await tab(page, detail).click();
    expect(await note.inputValue()).toBe('对话框里的文字');
    // The picker opens again where it was left.
    await tab(page, USERS).click();
    await page.locator('.k-drawer:visible .ant-picker input').first().click();
    await picker.waitFor();
    await page.keyboard.press('Escape');
    expect(troubles()).toEqual([]);
    await context.close();
  });
});

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
});

describe.each(languagesOf('frame-bad-moments'))('the server (%s)', (language) => {
  test('gone and back: a bar while it is gone, typed text stays, work goes on by itself', async () => {
    const { page, context } = await enter(kit, language, { path: TYPES });
    await settled(page, TYPES);
    await navigate(page, USERS);
    await rows(page, USERS).first().waitFor();
    await navigate(page, TYPES);
    await addButton(page, language).click();
    const code = page.getByRole('dialog').getByLabel(say(language, '编码', 'Code'));
    await code.fill('kept_meanwhile');
    const { port } = new URL(kit.product.url);
    await kit.product.kill('SIGKILL');
    // The stream of notices breaks at once: nobody has to click first.
    const bar = page.getByText(say(language, '网络已断开，正在重试', 'Connection lost, retrying'));
    await bar.waitFor();
    await tab(page, USERS).click();
    // Nothing that was there goes away.
    await page.keyboard.press('r');
    expect(await rows(page, USERS).count()).toBeGreaterThan(0);
    kit.product = await startProduct({ PORT: port }, kit.product.dataDir);
    await bar.waitFor({ state: 'detached' });
    await view(page, USERS).locator('tr[data-row-key]').first().waitFor();
    await navigate(page, DEPARTMENTS);
    await settled(page, DEPARTMENTS);
    await tab(page, TYPES).click();
    await until(async () => (await code.inputValue()) === 'kept_meanwhile');
    expect(new URL(page.url()).pathname).toBe(TYPES);
    await context.close();
  }, 180_000);

  test('released anew: a missing chunk raises the banner, not a white page; what is open works on', async () => {
    const { page, context } = await enter(kit, language, { path: USERS, fresh: true });
    await rows(page, USERS).first().waitFor();
    const { port } = new URL(kit.product.url);
    const release = makeRelease(`later-${language}`);
    folders.push(release);
    await kit.product.kill('SIGTERM');
    kit.product = await startProduct({ PORT: port }, kit.product.dataDir, release);
    const banner = page
      .locator('.frame-banner')
      .filter({ hasText: say(language, '新版本已发布，刷新后生效', 'A new version is available') });
    await navigate(page, '/adminSys/WhiteManage');
    await view(page, '/adminSys/WhiteManage')
      .getByRole('heading', { name: say(language, '页面出错了', 'This page failed') })
      .waitFor();
    await banner.waitFor();
    await tab(page, USERS).click();
    await page.keyboard.press('r');
    await rows(page, USERS).first().waitFor();
    await page.locator('nav.side-menu').waitFor();
    await banner.getByRole('button', { name: say(language, '刷新', 'Reload') }).click();
    await page.waitForEvent('domcontentloaded');
    await tab(page, '/adminSys/WhiteManage').click();
    await settled(page, '/adminSys/WhiteManage');
    expect(await banner.count()).toBe(0);
    await context.close();
    if (language === languagesOf('frame-bad-moments').at(-1)) return;
    // Back to the release under test for the other language.
    await kit.product.kill('SIGTERM');
    kit.product = await startProduct({ PORT: port }, kit.product.dataDir);
  }, 180_000);
});
