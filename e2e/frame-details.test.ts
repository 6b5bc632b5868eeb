import { describe, expect, test } from 'vitest';
import {
  addButton,
  enter,
  frameKit,
  navigate,
  ORDERS,
  REFUNDS,
  rowsOf,
  settled,
  TYPES,
  USERS,
  view,
} from './frame-kit.ts';
import { languagesOf, say } from './frame-lines.ts';
import { openPage, PASSWORD, query, until } from './product.ts';

/** Small things of the frame that are easily lost: veils, shapes that wait, rows drawn once, words of the server. */
const kit = frameKit();
/** A table with one rule of the login whitelist. */
const IMPORTED = (address: string) =>
  `账号,地址/网段,用途,到期,原因\n,${address}/32,免验证码,,出差期间使用\n`;
/** A window of 1280 × 2560 at 400 %. */
const MAGNIFIED = { width: 320, height: 640 };

describe.each(languagesOf('frame-details'))('details of the frame (%s)', (language) => {
  test('a dialog of a tab puts a light veil on this tab only, one of the frame a darker one', async () => {
    const { page, context } = await enter(kit, language, { path: USERS });
    await settled(page, USERS);
    const veil = () =>
      page.evaluate(() => {
        const mask = [...document.querySelectorAll('.ant-drawer-mask, .ant-modal-mask')].find(
          (one) => one.getClientRects().length > 0,
        )!;
        const { top } = mask.getBoundingClientRect();
        return [Number(/[\d.]+\)$/.exec(getComputedStyle(mask).backgroundColor)![0].slice(0, -1)), top];
      });
    await addButton(page, language).click();
    await page.locator('.k-form-drawer:visible').waitFor();
    const [light, below] = await veil();
    const strip = (await page.locator('.tab-strip').boundingBox())!;
    expect(below).toBe(strip.y + strip.height);
    await page.keyboard.press('Escape');
    await page.locator('.k-form-drawer').waitFor({ state: 'detached' });
    await page.locator('.bar-user').click();
    await page.getByRole('menuitem', { name: say(language, '个人中心', 'Profile') }).click();
    await page.locator('.profile').waitFor();
    const [dark, top] = await veil();
    expect(top).toBe(0);
    expect(light).toBeLessThan(dark!);
    await context.close();
  });

  test('a detail on its way has the shape of its facts', async () => {
    const { page, context } = await enter(kit, language, { path: `${REFUNDS}?tab=all` });
    await settled(page, REFUNDS);
    const [refund] = await rowsOf(kit, 'refund', 'limit=1&tab=all');
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route(`**/refund/${refund!.id}`, async (route) => {
      await held;
      await route.continue();
    });
    await view(page, REFUNDS).locator(`tr[data-row-key="${refund!.id}"] .k-cell-link`).click();
    const detail = page.locator('.k-drawer:visible');
    await detail.locator('.k-facts .k-bone').first().waitFor();
    const shape = () => detail.locator('.k-facts dt').allInnerTexts();
    const waiting = await shape();
    expect(waiting.length).toBeGreaterThan(5);
    answer();
    await detail.locator('.k-bone').first().waitFor({ state: 'detached' });
    expect(await shape()).toEqual(waiting);
    await context.close();
  });

  test('a record that is not there is said so, in a drawer and on a page, without a retry that brings the same', async () => {
    const gone = '999999999';
    const { page, context } = await enter(kit, language, { path: `${REFUNDS}?tab=all&detail=${gone}` });
    await settled(page, REFUNDS);
    const says = say(language, '数据不存在或无权查看', 'The record does not exist or is not visible to you');
    const retry = page.getByRole('button', { name: say(language, '重试', 'Retry') });
    await page.locator('.k-drawer:visible').getByText(says).waitFor();
    expect(await retry.count()).toBe(0);
    await page.keyboard.press('Escape');
    await navigate(page, `${ORDERS}/${gone}`);
    await view(page, `${ORDERS}/${gone}`).getByText(says).waitFor();
    expect(await retry.count()).toBe(0);
    await context.close();
  });

  test('a new order of a list draws the rows once: with their data, not with the click', async () => {
    const { page, context } = await enter(kit, language, { path: ORDERS });
    await settled(page, ORDERS);
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/goodsOrder/page*', async (route) => {
      await held;
      await route.continue();
    });
    const body = view(page, ORDERS).locator('.k-grid-body tbody');
    await body.evaluate((rows) => {
      new MutationObserver((changes) => {
        rows.dataset.changes = String(Number(rows.dataset.changes ?? 0) + changes.length);
      }).observe(rows, {
        childList: true,
        subtree: true,
        attributes: true,
        attributeFilter: ['class', 'style', 'title'],
      });
    });
    const sort = view(page, ORDERS).locator('th .k-sort').first();
    await sort.click();
    await view(page, ORDERS).locator('th[aria-sort=descending] .k-sort').first().waitFor();
    await view(page, ORDERS).locator('.k-grid.k-stale').waitFor();
    expect(await body.getAttribute('data-changes')).toBeNull();
    const first = await body.locator('tr').first().getAttribute('data-row-key');
    await sort.click();
    answer();
    await view(page, ORDERS).locator('.k-grid:not(.k-stale)').waitFor();
    await until(async () => (await body.locator('tr').first().getAttribute('data-row-key')) !== first);
    await context.close();
  });

  test('words of the server follow the language', async () => {
    const { page, context } = await enter(kit, language, { account: 'merchant3' });
    const todo = page.locator('.todo-list li button > span').first();
    await todo.waitFor();
    const before = await todo.innerText();
    await page.getByRole('button', { name: say(language, '语言', 'Language'), exact: true }).click();
    await page.getByRole('menuitem', { name: say(language, 'English', '中文') }).click();
    await until(async () => /[\u4e00-\u9fff]/.test(await todo.innerText()) === (language === 'en'));
    expect(await todo.innerText()).not.toBe(before);
    await context.close();
  });

  test('words of the server in a hidden tab follow when the tab is shown, not before', async () => {
    const { page, context } = await enter(kit, language, {
      account: say(language, 'merchant1', 'merchant2'),
    });
    const todo = page.locator('.todo-list li button > span').first();
    await todo.waitFor();
    await navigate(page, ORDERS);
    await settled(page, ORDERS);
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('/home/todo') && asked.push(request.url()));
    await page.getByRole('button', { name: say(language, '语言', 'Language'), exact: true }).click();
    await page.getByRole('menuitem', { name: say(language, 'English', '中文') }).click();
    await page.locator('.notice').filter({ hasText: 'switch language success' }).waitFor();
    // The shown list has its own words anew; the home page behind it waits.
    await settled(page, ORDERS);
    await page.waitForTimeout(500);
    expect(asked).toEqual([]);
    await navigate(page, '/dashboard');
    await until(async () => /[\u4e00-\u9fff]/.test(await todo.innerText()) === (language === 'en'));
    expect(asked.length).toBe(1);
    await context.close();
  });

  test('a language chosen while signing in is kept, on the server too, however late its answers are', async () => {
    const account = say(language, 'merchant5', 'merchant6');
    const other = say(language, 'en', 'zh');
    const token = await kit.product.signIn(account);
    await kit.product.call('PUT', '/api/admin/preference/language', token, { value: other });
    const { page, context } = await openPage(kit.browser, { english: language === 'zh' }, kit.product.url);
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/api/admin/preference', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${kit.product.url}/login`);
    await page.getByRole('button', { name: say(language, '中文', 'English') }).click();
    await page.locator('#username').fill(account);
    await page.locator('#password').fill(PASSWORD);
    await page.locator('#code').fill('1234');
    await page.getByRole('button', { name: say(language, '登录', 'Sign in'), exact: true }).click();
    const home = page.getByRole('link', { name: say(language, '首页', 'Home'), exact: true }).first();
    await home.waitFor();
    answer();
    await until(async () => {
      const kept = await kit.data<Record<string, unknown>>('/api/admin/preference', token);
      return kept.language === language;
    });
    await home.waitFor();
    await page.reload();
    await home.waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe(say(language, 'zh-CN', 'en'));
    await context.close();
  });

  test('home names the sign-in before this one, red when nobody came from its address before', async () => {
    const account = say(language, 'merchant7', 'merchant8');
    const line = async (expected: RegExp, isNew: boolean) => {
      const { page, context } = await enter(kit, language, { account });
      const shown = page.locator('.home-last-sign-in');
      await shown.filter({ hasText: expected }).waitFor();
      expect(await shown.locator('.home-new-address').count()).toBe(isNew ? 1 : 0);
      await context.close();
    };
    // Sign-ins of one second are one.
    const later = () => new Promise((resolve) => setTimeout(resolve, 1_200));
    await query(
      kit.product,
      `DELETE FROM sign_in_attempt WHERE staff_id = (SELECT id FROM staff WHERE account = $1)`,
      [account],
    );
    await line(language === 'zh' ? /没有更早的登录记录/ : /No earlier sign-in on record/, false);
    await later();
    const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`;
    const at = (address: string, note = '') =>
      new RegExp(
        say(language, `上次登录 ${time}，${address}${note}`, `Last sign-in ${time} from ${address}${note}`),
      );
    await line(at('127\\.0\\.0\\.1'), false);
    await query(
      kit.product,
      `UPDATE sign_in_attempt SET address = '203.0.113.9' WHERE id = (
         SELECT a.id FROM sign_in_attempt a JOIN staff s ON s.id = a.staff_id WHERE s.account = $1 ORDER BY a.id DESC LIMIT 1)`,
      [account],
    );
    await later();
    await line(at('203\\.0\\.113\\.9', say(language, '（新地址）', ' \\(new address\\)')), true);
  });

  test('tabs of a list that do not fit fade away where there are more, and stand in a menu', async () => {
    const { page, context } = await enter(kit, language, { path: ORDERS, width: 800 });
    await settled(page, ORDERS);
    const line = view(page, ORDERS).locator('.k-tabs-line');
    const fades = () =>
      line.locator('.k-tabs').evaluate((list) => {
        const style = getComputedStyle(list);
        return [
          style.getPropertyValue('--before'),
          style.getPropertyValue('--behind'),
          style.maskImage !== 'none',
        ];
      });
    await line.and(page.locator('.k-more-behind')).waitFor();
    expect(await fades()).toEqual(['0px', '32px', true]);
    await line.locator('.k-tabs-more').click();
    await page.getByRole('menuitem').last().click();
    await line.and(page.locator('.k-more-before:not(.k-more-behind)')).waitFor();
    expect(await fades()).toEqual(['32px', '0px', true]);
    await context.close();
  });

  test('magnified to 400 % a list keeps its words apart: title, buttons, tabs and tools wrap, actions scroll with their row', async () => {
    const { page, context } = await enter(kit, language);
    await page.setViewportSize(MAGNIFIED);
    for (const path of [ORDERS, USERS, REFUNDS]) {
      await navigate(page, path);
      await settled(page, path);
      const shown = view(page, path);
      await shown.locator('.k-grid-body tbody tr').first().waitFor();
      const found = await shown.evaluate((root) => {
        const parts = [
          ...root.querySelectorAll<HTMLElement>(
            '.k-title h1, .k-title-actions > *, .k-tabs-line, .k-tools > *',
          ),
        ]
          .filter((one) => one.getClientRects().length > 0)
          .map((one) => ({ name: one.className || one.tagName, box: one.getBoundingClientRect() }));
        const over = parts.flatMap((one, index) =>
          parts
            .slice(index + 1)
            .filter(
              ({ box }) =>
                Math.min(box.right, one.box.right) - Math.max(box.left, one.box.left) > 1 &&
                Math.min(box.bottom, one.box.bottom) - Math.max(box.top, one.box.top) > 1,
            )
            .map((other) => `${one.name} lies on ${other.name}`),
        );
        const beyond = parts
          .filter(({ box }) => box.left < 0 || box.right > innerWidth)
          .map(({ name }) => name);
        const actions = root.querySelector('td.k-actions-cell');
        return {
          over,
          beyond,
          pinned: actions !== null && getComputedStyle(actions).position,
          parts: parts.length,
          // The table scrolls inside itself, the page does not.
          page: document.documentElement.scrollWidth - innerWidth,
        };
      });
      expect([path, found]).toEqual([
        path,
        { over: [], beyond: [], pinned: 'static', parts: found.parts, page: 0 },
      ]);
      expect(found.parts).toBeGreaterThan(3);
    }
    await context.close();
  });

  test('magnified to 400 % the profile is one column: every part is reached, every field lies in the window', async () => {
    const { page, context } = await enter(kit, language);
    await page.setViewportSize(MAGNIFIED);
    await page.locator('.bar-user').click();
    await page.getByRole('menuitem', { name: say(language, '个人中心', 'Profile') }).click();
    const profile = page.locator('.profile');
    await profile.waitFor();
    const tablist = profile.getByRole('tab');
    expect(await tablist.count()).toBe(8);
    let fields = 0;
    for (const part of await tablist.all()) {
      await part.click();
      await page.locator('.profile-wait').waitFor({ state: 'detached' });
      const found = await page.evaluate(() => {
        const body = document.querySelector('.profile')!.closest('.ant-drawer-body')!;
        const controls = [
          ...document.querySelectorAll<HTMLElement>(
            '.profile-part :is(input:not([hidden]), select, textarea, button, [role=switch])',
          ),
        ].filter((one) => one.checkVisibility() && !one.closest('.visually-hidden'));
        return {
          page: document.documentElement.scrollWidth - innerWidth,
          drawer: body.scrollWidth - body.clientWidth,
          out: controls
            .filter((one) => {
              const box = one.getBoundingClientRect();
              return box.width > 1 && (box.left < -1 || box.right > innerWidth + 1);
            })
            .map((one) => one.id || one.innerText || one.className),
          controls: controls.length,
        };
      });
      expect([await part.innerText(), { ...found, controls: 0 }]).toEqual([
        await part.innerText(),
        { page: 0, drawer: 0, out: [], controls: 0 },
      ]);
      fields += found.controls;
    }
    expect(fields).toBeGreaterThan(20);
    await context.close();
  });

  test('an order on its way has the grey shape every other detail has', async () => {
    const [order] = await rowsOf(kit, 'goodsOrder', 'limit=1');
    const { page, context } = await enter(kit, language);
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route(`**/goodsOrder/${order!.id}`, async (route) => {
      await held;
      await route.continue();
    });
    const path = `${ORDERS}/${order!.id}`;
    await navigate(page, path);
    await view(page, path).locator('.k-facts .k-bone').first().waitFor();
    expect(await view(page, path).locator('.k-detail[aria-busy=true]').count()).toBe(1);
    answer();
    await view(page, path).locator('.go-page').waitFor();
    expect(await view(page, path).locator('.k-bone').count()).toBe(0);
    await context.close();
  });

  test('the first tick moves no row, however many actions a selection has; those that do not fit stand in a menu', async () => {
    const { page, context } = await enter(kit, language, { path: USERS, width: 1024, height: 768 });
    await settled(page, USERS);
    const list = view(page, USERS);
    const row = list.locator('.k-grid-body tbody tr').first();
    await row.waitFor();
    const top = async () => (await row.boundingBox())!.y;
    const before = await top();
    await row.locator('.k-check').click();
    const bar = list.locator('.k-selection');
    await bar.waitFor();
    expect(Math.abs((await top()) - before)).toBeLessThan(1);
    const shown = await bar.locator('> button').count();
    await bar.locator('[aria-haspopup=menu]').click();
    const hidden = await page.getByRole('menuitem').allInnerTexts();
    expect(hidden.length).toBeGreaterThan(0);
    await page.getByRole('menuitem').last().click();
    await page
      .locator('.ant-modal:visible')
      .filter({ hasText: hidden.at(-1)! })
      .waitFor();
    expect(shown + hidden.length).toBeGreaterThan(5);
    await context.close();
  });

  test('the list behind the result of an import already has its rows', async () => {
    const path = '/adminSys/WhiteManage';
    const { page, context } = await enter(kit, language, { path });
    await settled(page, path);
    const address = say(language, '203.0.113.41', '203.0.113.42');
    await view(page, path)
      .getByRole('button', { name: language === 'zh' ? /导入$/ : /Import$/ })
      .click();
    const dialog = page.locator('.ant-modal:visible');
    await dialog.locator('input[type=file]').setInputFiles({
      name: 'rows.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(IMPORTED(address), 'utf8'),
    });
    await dialog.getByRole('button', { name: say(language, '导入 1 条', 'Import 1'), exact: true }).click();
    await dialog.getByText(say(language, '已导入 1 条', '1 row imported')).waitFor();
    await view(page, path).locator('.k-grid-body tbody tr').filter({ hasText: address }).waitFor();
    expect(await dialog.count()).toBe(1);
    await context.close();
  });

  test('a whole round without a mouse: sign in, find, sort, choose, decide, add, switch, export, sign out', async () => {
    const { page, context } = await openPage(kit.browser, { english: language === 'en' }, kit.product.url);
    const focused = () => page.evaluate(focusOf);
    type Focus = Awaited<ReturnType<typeof focused>>;
    // What the administrator chose would hold for the journeys of the other language too.
    const forgetLanguage = () =>
      query(
        kit.product,
        `DELETE FROM staff_preference WHERE key = 'language' AND staff_id = (SELECT id FROM staff WHERE account = 'admin')`,
      );
    /** Presses a key until the focus is where it should be; every stop on the way must be seen. */
    const press = async (key: string, reached: (focus: Focus) => boolean, most = 90) => {
      for (let n = 0; n < most; n += 1) {
        await page.keyboard.press(key);
        const focus = await focused();
        expect([focus.name, focus.seen]).toEqual([focus.name, true]);
        if (reached(focus)) return focus;
      }
      throw new Error(`${key} never got there; the focus is on ${JSON.stringify(await focused())}`);
    };
    const back = (name: RegExp) => until(async () => name.test((await focused()).name));

    // Sign in.
    await forgetLanguage();
    await page.goto(`${kit.product.url}/login`);
    await page.locator('#username').waitFor();
    if ((await focused()).id !== 'username') await press('Tab', (focus) => focus.id === 'username');
    await page.keyboard.type('admin');
    await press('Tab', (focus) => focus.id === 'password');
    await page.keyboard.type(PASSWORD);
    await press('Tab', (focus) => focus.id === 'code');
    await page.keyboard.type('1234');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/dashboard');

    // Menu and list.
    await page.locator('.todo-list li').first().waitFor();
    await press('Tab', (focus) => focus.name === say(language, '权限管理', 'Permission management'));
    await page.keyboard.press('Enter');
    await press('Tab', (focus) => focus.href === USERS);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${USERS}`);
    await settled(page, USERS);
    const list = view(page, USERS);
    const rows = list.locator('.k-grid-body tbody tr');
    await rows.first().waitFor();
    const all = await rows.count();
    expect(all).toBeGreaterThan(3);

    // Filter by keyword, and back.
    await page.keyboard.press('/');
    await page.keyboard.type('finance');
    await page.keyboard.press('Enter');
    await until(async () => (await rows.count()) === 2);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
    await page.keyboard.press('Enter');
    await until(async () => (await rows.count()) === all);

    // Sort; the focus stays on the header.
    const header = await press('Tab', (focus) => focus.sort);
    await page.keyboard.press('Enter');
    await list.locator('th[aria-sort=descending], th[aria-sort=ascending]').first().waitFor();
    await until(async () => (await list.locator('.k-grid.k-stale').count()) === 0);
    expect((await focused()).name).toBe(header.name);

    // Choose two rows, do something with them; a name is said for each box.
    const box = await press('Tab', (focus) => focus.type === 'checkbox' && focus.inRow);
    expect(box.name.length).toBeGreaterThan(2);
    await page.keyboard.press('Space');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await list.locator('.k-selection strong').filter({ hasText: '2' }).waitFor();
    await press('Shift+Tab', (focus) => focus.name === say(language, '停用', 'Disable'));
    await page.keyboard.press('Enter');
    const dialog = page.locator('.ant-modal:visible');
    await dialog.waitFor();
    await until(() => page.evaluate(() => document.activeElement?.closest('.ant-modal') !== null));
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await back(/^(停用|Disable)$/);

    // The menu of a row: opened, walked through, closed, the focus on its button again.
    const more = await press('Tab', (focus) => focus.popup === 'menu' && focus.inRow);
    await page.keyboard.press('Enter');
    await until(async () => (await focused()).role === 'menuitem');
    await page.keyboard.press('ArrowDown');
    expect((await focused()).role).toBe('menuitem');
    await page.keyboard.press('Escape');
    await until(async () => (await focused()).popup === 'menu');
    expect((await focused()).name).toBe(more.name);

    // A form: filled, saved, the row is there and the focus back on the list.
    await page.keyboard.press('Control+k');
    await page.locator('dialog.palette').waitFor();
    await page.keyboard.type('groupTypeManager');
    await page.locator('dialog.palette [role=option]').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${TYPES}`);
    await settled(page, TYPES);
    const code = `keys_${language}`;
    await page.keyboard.press('n');
    await until(() => page.evaluate(() => document.activeElement?.matches('.k-form-drawer input') === true));
    await page.keyboard.type(code);
    await page.keyboard.press('Tab');
    await page.keyboard.type(`${code} name`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('by keys alone');
    await page.keyboard.press('ControlOrMeta+s');
    await page.locator('.k-form-drawer').waitFor({ state: 'detached' });
    await view(page, TYPES).locator('.k-cell-link').filter({ hasText: code }).waitFor();
    expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true);

    // Tabs: to the first one and back, close this one.
    await page.keyboard.press('Alt+1');
    await page.waitForURL('**/dashboard');
    // The home page of somebody who may everything has many stops.
    await press('Tab', (focus) => focus.role === 'tab', 200);
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${TYPES}`);
    await page.keyboard.press('Alt+w');
    await page.locator(`[data-tab="${TYPES}"]`).waitFor({ state: 'detached' });

    // Language, there and back.
    for (const [name, entry] of [
      [say(language, '语言', 'Language'), say(language, 'English', '中文')],
      [say(language, 'Language', '语言'), say(language, '中文', 'English')],
    ] as const) {
      if ((await focused()).name !== name) await press('Shift+Tab', (focus) => focus.name === name);
      await page.keyboard.press('Enter');
      await until(async () => (await focused()).name === entry);
      await page.keyboard.press('Enter');
      await until(async () => (await focused()).popup === 'menu' && (await focused()).name !== name);
    }

    // Download centre by its keys; Esc gives the focus back.
    await press('Shift+Tab', (focus) => focus.href === '/dashboard');
    await page.keyboard.press('g');
    await page.keyboard.press('x');
    const downloads = page.locator('.k-pop:visible').first();
    await downloads.waitFor();
    await page.keyboard.press('Escape');
    await downloads.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true);

    await forgetLanguage();

    // Sign out.
    await press('Tab', (focus) => focus.user);
    await page.keyboard.press('Enter');
    await until(async () => (await focused()).role === 'menuitem');
    await page.keyboard.press('End');
    expect((await focused()).name).toBe(say(language, '退出登录', 'Log out'));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/login**');
    await page.locator('#username').waitFor();
    await context.close();
  }, 180_000);
});

/** What has the focus, and whether one sees it: at the control itself or at the field around it. */
function focusOf() {
  const element = document.activeElement as HTMLElement;
  const entry = document.getElementById(element.getAttribute('aria-activedescendant') ?? '');
  const around = [
    element,
    element.parentElement,
    element.parentElement?.parentElement,
    ...(entry?.children ?? []),
  ].filter((one) => one instanceof HTMLElement);
  const marked = (one: HTMLElement) => {
    const style = getComputedStyle(one);
    return (
      (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none'
    );
  };
  return {
    id: element.id,
    name: (element.getAttribute('aria-label') ?? element.innerText ?? '').trim(),
    href: element.getAttribute('href') ?? '',
    role: element.getAttribute('role') ?? '',
    type: element.getAttribute('type') ?? '',
    popup: element.getAttribute('aria-haspopup') ?? '',
    sort: element.classList.contains('k-sort'),
    user: element.classList.contains('bar-user'),
    inRow: element.closest('tbody tr') !== null,
    // The page itself between two stops, and the layer that holds the focus inside, show nothing of their own.
    seen: element === document.body || element.tabIndex < 0 || around.some(marked),
  };
}
