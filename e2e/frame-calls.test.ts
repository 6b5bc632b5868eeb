import type { Page, Request } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  enter,
  frameKit,
  holdClock,
  navigate,
  ORDERS,
  REFUNDS,
  settled,
  tab,
  USERS,
  view,
} from './frame-kit.ts';
import { mustShow, say, type Language } from './frame-lines.ts';
import { newStaff, openPage, enterPage, query, until } from './product.ts';

/** Lines of the frame about what the page asks the server: badge, exports, to-dos, figures, views, reveals. */
const kit = frameKit();

type Rows = { total: number; rows: Record<string, never>[] };
const asked = (page: Page, part: string): Request[] => {
  const seen: Request[] = [];
  page.on('request', (request) => {
    if (request.url().includes(part)) seen.push(request);
  });
  return seen;
};
const totalText = (language: Language, total: number) => say(language, `共${total}条`, `${total}intotal`);
const totalShown = async (page: Page, path: string): Promise<string> =>
  (await view(page, path).locator('.k-pager').first().innerText()).replace(/[,\s]/g, '');
/** Waits until the pager of a view says the total. */
const showsTotal = (page: Page, path: string, language: Language, total: number) =>
  until(async () => (await totalShown(page, path)).includes(totalText(language, total)));

mustShow(
  7,
  async (language) => {
    const waiting = async (token: string) =>
      (
        (
          await kit.product.call('POST', '/api/jinmao/web/refundAudit/getRefundAuditCount', token, {
            auditStat: 0,
          })
        ).body.data as { total: number }
      ).total;
    // Somebody who works in no project has nothing to audit.
    await query(
      kit.product,
      `WITH s AS (UPDATE staff SET all_projects = false WHERE account = 'merchant8' RETURNING id) DELETE FROM staff_project p USING s WHERE p.staff_id = s.id`,
    );
    const tokens = new Map<number, string>([[await waiting(kit.admin), kit.admin]]);
    for (let n = 1; n <= 8; n += 1) {
      const token = await kit.product.signIn(`merchant${n}`);
      tokens.set(await waiting(token), token);
    }
    const many = Math.max(...tokens.keys());
    const few = [...tokens.keys()].find((n) => n > 0 && n <= 99)!;
    expect([many > 99, few > 0, tokens.has(0)]).toEqual([true, true, true]);
    for (const [count, text] of [
      [many, '99+'],
      [few, String(few)],
      [0, ''],
    ] as const) {
      const watched = await openPage(kit.browser, { english: language === 'en' }, kit.product.url);
      const calls = asked(watched.page, 'getRefundAuditCount');
      const answered = watched.page.waitForResponse('**/getRefundAuditCount');
      await enterPage(watched.page, kit.product.url, tokens.get(count)!, REFUNDS);
      const link = watched.page.locator(`nav.side-menu a[href="${REFUNDS}"]`);
      await answered;
      await link.waitFor();
      if (text) {
        await link.locator('.side-badge > [aria-hidden]').waitFor();
        expect(await link.locator('.side-badge > [aria-hidden]').innerText()).toBe(text);
        expect(await link.innerText()).toContain(say(language, '笔待审核', 'to audit'));
      }
      await navigate(watched.page, '/dashboard');
      await settled(watched.page, '/dashboard');
      if (!text) expect(await watched.page.locator('.side-badge').count()).toBe(0);
      expect(calls.length).toBe(1);
      await watched.context.close();
    }
  },
  { timeout: 120_000 },
);

mustShow(14, async (language) => {
  const { page, context } = await enter(kit, language, { path: ORDERS });
  await settled(page, ORDERS);
  const calls = asked(page, 'exportTask/list');
  await page.route('**/api/jinmao/web/exportTask/list', (route) =>
    route.fulfill({ json: { status: 500, message: '导出服务暂不可用', data: null } }),
  );
  await page
    .getByRole('button', { name: say(language, '导出', 'Export') })
    .first()
    .click();
  const alert = page.getByRole('alertdialog');
  await alert.waitFor();
  await holdClock(page);
  expect(await alert.getByRole('heading').innerText()).toBe(say(language, '提示', 'Notice'));
  expect(await alert.innerText()).toContain('导出服务暂不可用');
  // Longer than one pause of the polling.
  await page.clock.runFor(6_000);
  await page.clock.resume();
  expect(calls.length).toBe(1);
  expect(await alert.count()).toBe(1);
  await alert.getByRole('button', { name: say(language, '确定', 'OK') }).click();
  await alert.waitFor({ state: 'detached' });
  await context.close();
});

mustShow(
  26,
  async (language) => {
    type Todo = { kind: string; label: string; count: number; route: string };
    for (const account of say(language, 'admin merchant1', 'admin audit1 centre1').split(' ')) {
      const { page, context, token } = await enter(kit, language, { account });
      const waiting = async () =>
        (await kit.data<Todo[]>('/api/admin/home/todo', token)).filter((todo) => todo.count > 0);
      const todos = await waiting();
      expect(todos.length).toBeGreaterThan(0);
      for (const todo of todos) {
        // Orders wait, are given back and overdue while this runs: each is compared with what waits at that moment.
        const now = async () => (await waiting()).find((one) => one.kind === todo.kind)?.count ?? 0;
        await navigate(page, '/dashboard');
        const row = page.locator('.todo-list button').filter({ hasText: todo.label });
        await row.first().waitFor();
        await until(async () => (await row.first().locator('strong').innerText()) === String(await now()));
        await row.first().click();
        const path = todo.route.split('?')[0]!;
        // A list drops what is its default anyway, such as its first tab.
        await page.waitForURL((url) => url.pathname === path);
        await until(async () => (await totalShown(page, path)).includes(totalText(language, await now())));
      }
      await context.close();
    }
  },
  { part: 'to-dos', timeout: 120_000 },
);

mustShow(
  26,
  async (language) => {
    const { page, context, token } = await enter(kit, language, { path: '/dashboard?period=30days' });
    const figure = page.locator('[data-figure=gmv]');
    await figure.waitFor();
    const shown = (await figure.locator('.home-figure-value').innerText()).replace(/[^\d.]/g, '');
    await figure.click();
    await page.waitForURL(`**${ORDERS}?**`);
    await view(page, ORDERS).locator('tr[data-row-key]').first().waitFor();
    const filters = new URL(page.url()).search.slice(1);
    let fen = 0;
    let rows = 0;
    for (let at = 1; ; at += 1) {
      const list = await kit.data<Rows>(
        `/api/jinmao/web/goodsOrder/page?${filters}&limit=200&page=${at}`,
        token,
      );
      for (const row of list.rows as unknown as { payable: string }[])
        fen += Math.round(Number(row.payable) * 100);
      rows += list.rows.length;
      if (list.rows.length < 200) break;
    }
    expect(rows).toBeGreaterThan(10);
    expect((fen / 100).toFixed(2)).toBe(shown);
    await showsTotal(page, ORDERS, language, rows);
    await context.close();
  },
  { part: 'figures to the fen' },
);

mustShow(27, async (language) => {
  const { page, context, token } = await enter(kit, language, { account: 'butler1' });
  type Figures = { figures: { code: string; value: string }[] };
  const own = await kit.data<{ id: string; title: string }[]>('/api/jinmao/web/options/project', token);
  expect(own.length).toBe(1);
  const foreign = (await kit.data<{ id: string }[]>('/api/jinmao/web/options/project')).find(
    (project) => project.id !== own[0]!.id,
  )!;
  const value = async (query: string, as: string) =>
    (await kit.data<Figures>(`/api/admin/home/figures?period=30days${query}`, as)).figures.find(
      (figure) => figure.code === 'gmv',
    )!.value;
  const expected = await value(`&projectId=${own[0]!.id}`, kit.admin);
  expect(await value('', kit.admin)).not.toBe(expected);
  await page.goto(`${kit.product.url}/dashboard?period=30days`);
  const figure = page.locator('[data-figure=gmv] .home-figure-value');
  await figure.waitFor();
  expect((await figure.innerText()).replace(/[^\d.]/g, '')).toBe(expected);
  // Another project, put into the request by hand: the figures are refused, and say so.
  const refused = page.waitForResponse(
    (response) => response.url().includes('/home/figures') && response.url().includes(foreign.id),
  );
  await page.goto(`${kit.product.url}/dashboard?period=30days&projectId=${foreign.id}`);
  expect((await refused).status()).toBe(404);
  for (const path of ['figures', 'charts/paid_by_day'])
    expect(
      (await kit.product.call('GET', `/api/admin/home/${path}?projectId=${foreign.id}`, token)).http,
    ).toBe(404);
  await page
    .getByRole('button', { name: say(language, '重试', 'Retry') })
    .first()
    .waitFor();
  expect(await page.locator('[data-figure=gmv]').count()).toBe(0);
  await context.close();
});

mustShow(28, async (language) => {
  const name = say(language, '给商户看', 'For merchants');
  const created = await kit.product.call('POST', '/api/admin/savedView', kit.admin, {
    menu: 'mm_businessOrder_wx',
    name,
    filters: { state: 'completed' },
    // The last one is of a release that is gone, as a column taken away from the staff is.
    columns: [{ name: 'code' }, { name: 'payable' }, { name: 'secretColumn' }],
  });
  expect(created.http).toBe(200);
  const { id } = created.body.data as { id: string };
  // The administrator shares it with the merchants' group on the screen.
  const owner = await enter(kit, language, { path: `${ORDERS}?view=${id}` });
  await owner.page.getByRole('tab', { name: new RegExp(name) }).waitFor();
  await owner.page.getByRole('button', { name: say(language, '管理当前视图', 'Manage this view') }).click();
  await owner.page.getByRole('menuitem', { name: say(language, '分享给角色', 'Share with a group') }).click();
  const dialog = owner.page.getByRole('dialog');
  await dialog.getByRole('combobox').click();
  await owner.page.locator('.ant-select-item-option').filter({ hasText: '商户管理员' }).first().click();
  await dialog.getByRole('button', { name: say(language, '分享', 'Share'), exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await owner.context.close();
  // A member finds it in the bar, with the own rows and without the column.
  const { page, context, token } = await enter(kit, language, { account: 'merchant1', path: ORDERS });
  await page.getByRole('tab', { name: new RegExp(name) }).click();
  await page
    .getByText(
      say(
        language,
        '视图中有 1 列不可见，已略过',
        '1 column of this view is not visible to you and was left out',
      ),
    )
    .waitFor();
  const own = await kit.data<Rows>('/api/jinmao/web/goodsOrder/page?state=completed', token);
  await showsTotal(page, ORDERS, language, own.total);
  expect(own.total).toBeLessThan(
    (await kit.data<Rows>('/api/jinmao/web/goodsOrder/page?state=completed')).total,
  );
  const headers = (await view(page, ORDERS).locator('th:not(:empty)').allInnerTexts())
    .map((header) => header.trim())
    .filter(Boolean);
  expect(headers).toContain(say(language, '订单号', 'Order no.'));
  expect(headers.join()).not.toContain('secretColumn');
  expect((await kit.product.call('DELETE', `/api/admin/savedView/${id}`, kit.admin)).http).toBe(200);
  await context.close();
});

let revealed = false;

mustShow(
  29,
  async (language) => {
    // Sixty an hour are counted per staff: each language reveals as a staff of its own.
    const { page, context, token } = await enter(kit, language, {
      account: say(language, 'company1', 'hr1'),
    });
    if (!revealed) {
      revealed = true;
      await newStaff(kit.product, await kit.product.signIn('company1'), 'revealed', [], '13812345678');
    }
    await navigate(page, `${USERS}?searchVal=revealed`);
    await settled(page, USERS);
    const cell = view(page, USERS)
      .locator('.k-masked')
      .filter({ has: page.locator('.k-eye') });
    const phone = cell.filter({ hasText: /^138/ }).first();
    await phone.waitFor();
    expect((await phone.innerText()).trim()).toBe('138****5678');
    await phone.getByRole('button', { name: say(language, '查看明文', 'Show in clear') }).click();
    await until(async () => (await phone.innerText()).trim() === '13812345678');
    await phone.getByRole('button', { name: say(language, '隐藏', 'Hide') }).click();
    await until(async () => (await phone.innerText()).trim() === '138****5678');
    const { rows } = await kit.data<Rows>('/api/admin/staff/page?limit=1&searchVal=revealed', token);
    const field = encodeURIComponent((rows[0] as unknown as { encryptionField: string }).encryptionField);
    // One was made by hand, so 59 more are allowed.
    for (let n = 2; n <= 60; n += 1)
      expect(
        (await kit.product.call('GET', `/api/jinmao/dataDecryption?encryptionField=${field}`, token)).http,
      ).toBe(200);
    const answer = page.waitForResponse('**/dataDecryption*');
    await page.reload();
    await phone.getByRole('button', { name: say(language, '查看明文', 'Show in clear') }).click();
    expect((await answer).status()).toBe(429);
    await page.locator('.notice').first().waitFor();
    expect(/[\u4e00-\u9fff]/.test(await page.locator('.notice').first().innerText())).toBe(language === 'zh');
    expect((await phone.innerText()).trim()).toBe('138****5678');
    await tab(page, USERS).waitFor();
    await context.close();
  },
  { timeout: 120_000 },
);

test('a route marked noCache asks the server each time it is shown, a cached one does not', async () => {
  const watched = await openPage(kit.browser, {}, kit.product.url);
  await watched.page.route('**/api/admin/user/front/info', async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { data: { menus: { uri: string; noCache: boolean }[] } };
    for (const menu of body.data.menus) if (menu.uri === USERS) menu.noCache = true;
    await route.fulfill({ response: answer, json: body });
  });
  const { page } = watched;
  await enterPage(page, kit.product.url, kit.admin, USERS);
  await settled(page, USERS);
  await navigate(page, ORDERS);
  await settled(page, ORDERS);
  const [users, orders] = [asked(page, '/staff/page'), asked(page, '/goodsOrder/page')];
  for (const path of [USERS, ORDERS, USERS, ORDERS]) {
    await navigate(page, path);
    await settled(page, path);
  }
  expect([users.length, orders.length]).toEqual([2, 0]);
  await watched.context.close();
});

test('dataDecryption names the fields as the calling path does, and takes no token that was made up', async () => {
  type Row = Record<string, string> & { encryptionField: string };
  const first = async (method: string, path: string, body?: object) => {
    const { data } = (await kit.product.call(method, path, kit.admin, body)).body as unknown as {
      data: { rows: Row[] };
    };
    return data.rows[0]!;
  };
  const reveal = async (row: Row) =>
    (
      await kit.product.call(
        'GET',
        `/api/jinmao/dataDecryption?encryptionField=${row.encryptionField}`,
        kit.admin,
      )
    ).body.data as Record<string, string>;
  for (const [row, names] of [
    [await first('POST', '/api/jinmao/bizProductOrder/search?page=1&limit=1'), ['contactName']],
    [
      await first('POST', '/api/jinmao/web/refundAudit/getRefundAuditList', { page: 1, limit: 1 }),
      ['mobilePhone', 'userName'],
    ],
    [await first('GET', '/api/admin/user/page?limit=1&searchVal=audit1'), ['mobilePhone']],
  ] as const) {
    const clear = await reveal(row);
    expect(Object.keys(clear).sort()).toEqual(expect.arrayContaining([...names]));
    for (const name of names) {
      expect(row[name]).toContain('*');
      expect([clear[name]!.includes('*'), clear[name]![0]]).toEqual([false, row[name]![0]]);
    }
  }
  const madeUp = Buffer.from('goodsOrder:1').toString('base64url');
  const refused = await kit.product.call(
    'GET',
    `/api/jinmao/dataDecryption?encryptionField=${madeUp}`,
    kit.admin,
  );
  expect(refused.http).toBe(404);
});
