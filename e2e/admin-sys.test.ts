import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { enter, frameKit, settled, view } from './frame-kit.ts';
import { openPage, signInPage } from './product.ts';

const kit = frameKit();
const USERS = '/adminSys/userManager';

/** An answer of any call says that the menus changed; here the list is asked for again until the entry is there. */
const appears = (page: Page, entry: Locator) =>
  expect
    .poll(
      async () => {
        await page.keyboard.press('r');
        return entry.count();
      },
      { timeout: 5_000, interval: 500 },
    )
    .toBe(1);

const policyOf = async (): Promise<string> =>
  (await fetch(`${kit.product.url}/`)).headers.get('content-security-policy') ?? '';
const frames = (policy: string) => /frame-src ([^;]*)/.exec(policy)?.[1];

test('Must show 10: a menu title changed to 工单中心 / Work order centre stands in the open sidebar of both languages without a reload; the form refuses a language without title', async () => {
  // Roles stand for work orders, which are not built yet. Two accounts: the language goes with the staff.
  const code = 'roleManager';
  const pages = await Promise.all([
    enter(kit, 'zh', { path: USERS, account: 'admin' }),
    enter(kit, 'en', { path: USERS, account: 'hr1' }),
  ]);
  for (const { page } of pages) {
    await settled(page, USERS);
    await page.evaluate(() => Object.assign(window, { notReloaded: true }));
  }
  const menus = await kit.data<{ code: string; version: number }[]>('/api/admin/menu/tree');
  const menu = menus.find((one) => one.code === code)!;
  const put = (titles: object) =>
    kit.product.call('PUT', `/api/admin/menu/item/${code}`, kit.admin, { version: menu.version, ...titles });
  expect((await put({ titleZh: '工单中心', titleEn: '' })).http).toBe(422);
  expect((await put({ titleZh: '', titleEn: 'Work order centre' })).http).toBe(422);
  expect((await put({ titleZh: '工单中心', titleEn: 'Work order centre' })).http).toBe(200);
  for (const [index, title] of ['工单中心', 'Work order centre'].entries()) {
    const { page } = pages[index]!;
    const shown = page.locator('nav.side-menu').getByText(title, { exact: true });
    await appears(page, shown);
    expect(await page.evaluate(() => 'notReloaded' in window)).toBe(true);
    await page.context().close();
  }
});

test('the page may embed the sites of link menus that open in a frame, and no other; a new one says that the page must be reloaded', async () => {
  expect(frames(await policyOf())).toBe("'none'");
  const { page } = await enter(kit, 'zh', { path: USERS });
  await settled(page, USERS);
  const made = await kit.product.call('POST', '/api/admin/menu/item', kit.admin, {
    code: 'reportSite',
    titleZh: '报表站点',
    titleEn: 'Report site',
    type: 'link',
    parent: 'adminSys',
    url: 'https://reports.invalid:8443/day?x=1',
    openIn: 'frame',
  });
  expect([made.http, made.body.message]).toEqual([200, '']);
  await expect.poll(policyOf, { timeout: 3_000 }).toContain('frame-src https://reports.invalid:8443;');
  // The page was delivered before: the browser refuses the frame, and the screen says why and what to do.
  const link = page.locator('nav.side-menu').getByText('报表站点');
  await appears(page, link);
  await link.click();
  const shown = view(page, '/link/reportSite');
  await shown.getByRole('button', { name: '刷新页面' }).click();
  await page.waitForLoadState();
  await shown.locator('iframe').waitFor();
  await page.waitForTimeout(500);
  expect(await shown.getByRole('button', { name: '刷新页面' }).count()).toBe(0);
  await page.context().close();
  expect((await kit.product.call('DELETE', '/api/admin/menu/item/reportSite', kit.admin)).http).toBe(200);
  await expect.poll(async () => frames(await policyOf()), { timeout: 3_000 }).toBe("'none'");
});

test('a new form complains about nothing before anybody typed, and takes the department one is looking at', async () => {
  const { page } = await enter(kit, 'zh', { path: USERS });
  await settled(page, USERS);
  const shown = view(page, USERS);
  await shown.locator('.split-screen nav').getByText('商城运营部').click();
  await shown.getByRole('button', { name: '新增用户' }).click();
  const form = page.locator('.k-form-drawer');
  await expect
    .poll(() => form.getByLabel('姓名').evaluate((one) => one === document.activeElement))
    .toBe(true);
  await page.waitForTimeout(300);
  expect(await form.locator('.ant-form-item-explain-error').allInnerTexts()).toEqual([]);
  expect(await form.getByText('商城运营部').count()).toBeGreaterThan(0);
  // An account that is taken is said at the field, and stays there.
  await form.getByLabel('姓名').fill('占用测试');
  await form.getByLabel('账号', { exact: true }).fill('admin');
  await form.getByLabel('手机').first().fill('13612340077');
  await form.getByRole('button', { name: '保存', exact: true }).click();
  await expect
    .poll(() => form.locator('.ant-form-item-explain-error').allInnerTexts())
    .toEqual(['账号已存在']);
  expect(
    await form.getByLabel('账号', { exact: true }).evaluate((one) => one === document.activeElement),
  ).toBe(true);
  await page.context().close();
});

test.each([
  [1440, 900],
  [1024, 768],
])('the dialog of grants stands inside a window of %i × %i', async (width, height) => {
  const path = '/adminSys/roleManager';
  const { page } = await enter(kit, 'zh', { path, width, height });
  await settled(page, path);
  await view(page, path)
    .locator('tr[data-row-key]', { hasText: 'mall_operator' })
    .getByText('权限分配')
    .click();
  const dialog = page.locator('.ant-modal.pg-dialog');
  await dialog.getByText('预览变更').waitFor();
  const box = (await dialog.boundingBox())!;
  expect([box.x >= 0, box.y >= 0, box.x + box.width <= width, box.y + box.height <= height]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  await page.context().close();
});

test('a leaver is handed over and archived in one dialog; who may do something is asked without opening a person', async () => {
  const { page } = await enter(kit, 'zh', { path: USERS });
  await settled(page, USERS);
  const call = async (method: string, path: string, body?: object) => {
    const answer = await kit.product.call(method, path, kit.admin, body);
    expect([path, answer.http, answer.body.message]).toEqual([path, 200, '']);
    return answer.body.data as unknown as { id: string; version: number };
  };
  const department = (await kit.data<{ id: string }[]>('/api/admin/department/tree'))[0]!.id;
  const add = (name: string, account: string, mobilePhone: string) =>
    call('POST', '/api/admin/staff', { name, account, mobilePhone, department });
  const leaver = await add('离任者', 'goes_away', '13612340001');
  await add('接任者', 'takes_over', '13612340002');
  const report = await add('下属甲', 'reports_to', '13612340003');
  await call('PUT', `/api/admin/staff/${report.id}`, { version: report.version, leader: leaver.id });
  const shown = view(page, USERS);
  await shown.locator('[data-keyword]').fill('goes_away');
  await page.keyboard.press('Enter');
  const row = shown.locator('tr[data-row-key]', { hasText: 'goes_away' });
  await row.getByText('更多').click();
  await page.getByRole('menuitem', { name: '离职归档' }).click();
  const dialog = page.locator('.ant-modal', { hasText: '离职归档：离任者' });
  const archive = dialog.getByRole('button', { name: '离职归档' });
  await dialog.getByLabel('原因').fill('本人辞职');
  await dialog.getByText('直属下级').waitFor();
  expect(await archive.isDisabled()).toBe(true);
  await dialog.getByLabel('直属下级').click();
  await page.keyboard.type('takes_over');
  await page.locator('.ant-select-dropdown:visible').getByText('接任者').click();
  await dialog.getByRole('button', { name: '交接', exact: true }).click();
  // The handover, and what is left open after it, are two calls; polls give up after a second unless told otherwise.
  await expect.poll(() => archive.isDisabled(), { timeout: 15_000 }).toBe(false);
  await archive.click();
  await dialog.waitFor({ state: 'detached' });
  const heir = await kit.data<{ leader: { title: string } }>(`/api/admin/staff/${report.id}`);
  expect(heir.leader.title).toBe('接任者');
  expect((await kit.data<{ state: string }>(`/api/admin/staff/${leaver.id}`)).state).toBe('left');

  await shown.getByRole('button', { name: '谁能做什么' }).click();
  const who = page.locator('.ant-modal', { hasText: '谁能做什么' });
  await who.getByLabel('谁拥有此权限').click();
  await page.keyboard.type('退款审核 · 审核');
  await page.locator('.ant-select-dropdown:visible').getByText('订单退款审核 · 审核（通过、驳回）').click();
  await who.getByRole('button', { name: '严谨行' }).click();
  await page.locator('.ant-drawer', { hasText: '严谨行' }).waitFor();
  await page.context().close();
});

test('a department is moved and merged from its page: the whole tree to choose from, and the department that has it all is looked at afterwards', async () => {
  const path = '/adminSys/departManager';
  const add = async (name: string, code: string) => {
    const top = (await kit.data<{ id: string }[]>('/api/admin/department/tree'))[0]!.id;
    const made = await kit.product.call('POST', '/api/admin/department', kit.admin, {
      name,
      code,
      parent: top,
      type: 'function',
    });
    expect([made.http, made.body.message]).toEqual([200, '']);
    return (made.body.data as { id: string }).id;
  };
  const emptied = await add('并入部', 'MERGE_FROM');
  await add('保留部', 'MERGE_INTO');
  const { page } = await enter(kit, 'zh', { path: `${path}?detail=${emptied}` });
  await settled(page, path);
  const shown = view(page, path);
  const open = async (entry: string) => {
    await shown.getByRole('button', { name: '更多' }).click();
    await page.getByRole('menuitem', { name: entry, exact: true }).click();
  };
  // A column under another name than the template's would be left out: that is a warning, not a success.
  await shown.getByRole('button', { name: '导入' }).click();
  const importing = page.locator('.ant-modal', { hasText: '导入部门' });
  await importing.locator('input[type=file]').setInputFiles({
    name: 'departments.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('\ufeff编码,名称,上级部门\r\nIMPORT_A,导入部,PT'),
  });
  await importing.locator('.ant-alert-warning', { hasText: '不会导入：上级部门' }).waitFor();
  await importing.getByRole('button', { name: '取消' }).click();
  const option = () => page.locator('.ant-select-dropdown:visible').getByText('保留部', { exact: true });
  // The parent that stands already must not leave the rest of the tree closed.
  await open('移动');
  const moving = page.locator('.ant-modal', { hasText: '移动「并入部」' });
  await moving.getByLabel('上级部门').click();
  await option().waitFor();
  await page.keyboard.press('Escape');
  await moving.getByRole('button', { name: '取消' }).click();
  await moving.waitFor({ state: 'detached' });

  await open('合并到其他部门');
  const merging = page.locator('.ant-modal', { hasText: '将「并入部」合并到' });
  await merging.getByLabel('目标部门').click();
  await option().click();
  await merging.getByLabel('原因').fill('部门调整');
  await merging.getByText('转到「保留部」').waitFor();
  await merging.getByRole('button', { name: '合并', exact: true }).click();
  await merging.waitFor({ state: 'detached' });
  await shown.locator('.k-title', { hasText: '保留部' }).waitFor();
  expect(await shown.locator('.ant-tree-node-selected').innerText()).toContain('保留部');
  await page.context().close();
});

test('before a merge or a transfer the dialog names the groups that are gained and lost, as they then are', async () => {
  const path = '/adminSys/departManager';
  const call = async <T>(method: string, url: string, body?: object) => {
    const answer = await kit.product.call(method, url, kit.admin, body);
    expect([url, answer.http, answer.body.message]).toEqual([url, 200, '']);
    return answer.body.data as T;
  };
  const top = (await kit.data<{ id: string }[]>('/api/admin/department/tree'))[0]!.id;
  const made: Record<string, { department: string; staff: string }> = {};
  for (const [index, name] of ['甲部', '乙部'].entries()) {
    const { id: department } = await call<{ id: string }>('POST', '/api/admin/department', {
      name: `合并${name}`,
      code: `RIGHTS_${index}`,
      parent: top,
      type: 'function',
    });
    const { id: staff } = await call<{ id: string }>('POST', '/api/admin/staff', {
      name: `${name}员工`,
      account: `rights_${index}`,
      mobilePhone: `1361234002${index}`,
      department,
    });
    const { id: group } = await call<{ id: string }>('POST', '/api/admin/permissionGroup', {
      type: 'depart',
      name: `${name}角色`,
      code: `rights_group_${index}`,
      departmentId: department,
      enabled: true,
    });
    const { version } = (
      await kit.data<{ group: { version: number } }>(`/api/admin/permissionGroup/${group}/authority`)
    ).group;
    await call('PUT', `/api/admin/permissionGroup/${group}/authority`, {
      version,
      reason: '部门需要',
      menus: [
        { code: index === 0 ? 'stationManage' : 'groupTypeManager', dataScope: 'dept', departmentIds: [] },
      ],
      elements: [],
    });
    made[name] = { department, staff };
  }
  const mayOpen = async (name: string) =>
    (
      await kit.data<{ menus: { code: string }[] }>(`/api/admin/effectivePermission/${made[name]!.staff}`)
    ).menus.map((menu) => menu.code);
  expect(await mayOpen('甲部')).toContain('stationManage');
  const { page } = await enter(kit, 'zh', { path: `${path}?detail=${made['甲部']!.department}` });
  await settled(page, path);
  const shown = view(page, path);
  const target = () => page.locator('.ant-select-dropdown:visible').getByText('合并乙部', { exact: true });

  // Some of the staff: what they gain and lose, before it is done.
  await shown.locator('tr[data-row-key] input[type=checkbox]').first().click();
  await shown.getByRole('button', { name: /调出成员/ }).click();
  const moving = page.locator('.ant-modal', { hasText: '调出成员' });
  await moving.getByLabel('调入部门').click();
  await target().click();
  await moving.getByText('角色「甲部角色」：1 人失去').waitFor();
  await moving.getByText('角色「乙部角色」：1 人得到').waitFor();
  // The picker was open a moment ago; a department made since is in it all the same.
  await call('POST', '/api/admin/department', {
    name: '刚建部',
    code: 'JUST_MADE',
    parent: top,
    type: 'function',
  });
  await moving.getByLabel('调入部门').click();
  await page.keyboard.type('刚建');
  await page.locator('.ant-select-dropdown:visible').getByText('刚建部', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await moving.getByRole('button', { name: '取消' }).click();

  await shown.getByRole('button', { name: '更多' }).click();
  await page.getByRole('menuitem', { name: '合并到其他部门', exact: true }).click();
  const merging = page.locator('.ant-modal', { hasText: '将「合并甲部」合并到' });
  await merging.getByLabel('目标部门').click();
  await target().click();
  await merging.getByText('角色「甲部角色」：1 人失去').waitFor();
  await merging.getByText('角色「乙部角色」：1 人得到').waitFor();
  await merging.getByText('「甲部角色」留在原部门').waitFor();
  // All of it stands in a small window, the buttons with it.
  await page.setViewportSize({ width: 1024, height: 768 });
  const box = (await merging.boundingBox())!;
  expect([box.y >= 0, box.y + box.height <= 768]).toEqual([true, true]);
  await merging.getByLabel('原因').fill('部门调整');
  // What was entered is not thrown away by one key.
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: '继续编辑' }).click();
  expect(await merging.getByLabel('原因').inputValue()).toBe('部门调整');
  await merging.getByRole('button', { name: '合并', exact: true }).click();
  await merging.waitFor({ state: 'detached' });
  for (const name of ['甲部', '乙部']) {
    expect(await mayOpen(name)).toContain('groupTypeManager');
    expect(await mayOpen(name)).not.toContain('stationManage');
  }
  await page.context().close();
});

test('the copy of a group and an element of a menu ask before they throw away what was typed, and bring it back', async () => {
  const groups = '/adminSys/groupManager';
  const { page } = await enter(kit, 'zh', { path: groups });
  await settled(page, groups);
  const stays = page.getByRole('button', { name: '继续编辑' });
  const leaves = page.getByRole('button', { name: '离开', exact: true });
  await view(page, groups).getByText('商城运营', { exact: true }).first().click();
  const openCopy = () => view(page, groups).getByRole('button', { name: '复制', exact: true }).click();
  await openCopy();
  const copy = page.locator('.ant-modal', { hasText: '复制角色' });
  // Nothing was typed: nothing is asked.
  await copy.getByRole('button', { name: '取消' }).click();
  await copy.waitFor({ state: 'detached' });
  await openCopy();
  await copy.getByLabel('名称').fill('运营副本');
  await page.keyboard.press('Escape');
  await stays.click();
  expect(await copy.getByLabel('名称').inputValue()).toBe('运营副本');
  await copy.getByRole('button', { name: '取消' }).click();
  await leaves.click();
  await copy.waitFor({ state: 'detached' });
  await openCopy();
  await copy.getByText('未提交草稿').waitFor();
  await page.keyboard.press('Escape');
  await copy.waitFor({ state: 'detached' });

  const menus = '/adminSys/menuManager';
  await page.goto(`${kit.product.url}${menus}?code=userManager`);
  await settled(page, menus);
  const openNew = () => view(page, menus).getByRole('button', { name: '新增按钮' }).click();
  await openNew();
  const element = page.locator('.ant-modal', { hasText: '新增按钮' });
  await element.getByRole('button', { name: '取消' }).click();
  await element.waitFor({ state: 'detached' });
  await openNew();
  await element.getByLabel('编码').fill('userManager:btn_wave');
  await element.getByRole('button', { name: '取消' }).click();
  await stays.click();
  expect(await element.getByLabel('编码').inputValue()).toBe('userManager:btn_wave');
  // Back where it began: nothing is lost by closing.
  await element.getByLabel('编码').fill('userManager:btn_');
  await element.getByRole('button', { name: '取消' }).click();
  await element.waitFor({ state: 'detached' });
  await page.context().close();
});

test('a newcomer: the panel names account and password, and a home without rights says whom to ask', async () => {
  const { page } = await enter(kit, 'zh', { path: USERS });
  await settled(page, USERS);
  const made = await kit.product.call('POST', '/api/admin/staff', kit.admin, {
    name: '新人甲',
    account: 'newcomer1',
    mobilePhone: '13612340011',
    ssoAccount: 'newcomer@corp',
    department: (await kit.data<{ id: string }[]>('/api/admin/department/tree'))[0]!.id,
  });
  expect([made.http, made.body.message]).toEqual([200, '']);
  const shown = view(page, USERS);
  await shown.locator('[data-keyword]').fill('newcomer1');
  await page.keyboard.press('Enter');
  const row = shown.locator('tr[data-row-key]', { hasText: 'newcomer1' });
  await row.getByText('更多').click();
  await page.getByRole('menuitem', { name: '重置密码' }).click();
  await page.locator('.ant-modal:visible .ant-modal-footer button').last().click();
  const panel = page.locator('.ant-modal', { hasText: '新人甲 的一次性密码' });
  await panel.getByText('账号：newcomer1').waitFor();
  const password = await panel.locator('code').innerText();
  expect(password).toHaveLength(16);
  await page.context().close();

  const newcomer = await openPage(kit.browser, {}, kit.product.url);
  await signInPage(newcomer.page, kit.product.url, 'newcomer1', password);
  // Nobody who was handed a password has an old one.
  const field = newcomer.page.locator('.field', { has: newcomer.page.locator('#password-old') });
  expect(await field.locator('label').innerText()).toBe('一次性密码');
  expect(await field.locator('.field-message').innerText()).toContain('刚才登录所用');
  const ways = newcomer.page.locator('.sign-in-ways');
  expect(await ways.innerText()).toContain('如不是您本人的，请立即联系管理员');
  expect(await ways.locator('dd').allInnerTexts()).toEqual(['136****0011', 'n***@corp']);
  await newcomer.context.addCookies([{ name: 'language', value: 'en', url: kit.product.url }]);
  await newcomer.page.reload();
  expect(await ways.innerText()).toContain('if they are not yours, tell an administrator at once');
  expect(await field.locator('label').innerText()).toBe('One-time password');
  expect(await field.locator('.field-message').innerText()).toContain('just signed in with');
  await newcomer.context.addCookies([{ name: 'language', value: 'zh', url: kit.product.url }]);
  await newcomer.page.reload();
  await newcomer.page.locator('#password-old').fill(password);
  for (const id of ['#password-next', '#password-confirm'])
    await newcomer.page.locator(id).fill('Zt5!later2026x');
  await newcomer.page.getByRole('button', { name: '提交' }).click();
  await newcomer.page.getByText('请联系管理员分配角色').waitFor();
  // Single sign-on that somebody else set up ends with the own password.
  await newcomer.page.locator('.bar-user').click();
  await newcomer.page.getByRole('menuitem', { name: '个人中心' }).click();
  const profile = newcomer.page.locator('.profile');
  await profile.getByText('newcomer@corp').waitFor();
  expect(await profile.innerText()).toMatch(/由 .+ 设置/);
  const unlink = profile.getByRole('button', { name: '解除绑定' });
  await unlink.click();
  await unlink.click();
  await profile.getByText('请输入当前密码').waitFor();
  await newcomer.page.locator('#unlink-password').fill('Zt5!later2026x');
  await unlink.click();
  await profile.getByText('newcomer@corp').waitFor({ state: 'detached' });
  await newcomer.context.close();
  const other = await enter(kit, 'zh');
  await other.page.locator('.home-blocks').waitFor();
  expect(await other.page.getByText('请联系管理员分配角色').count()).toBe(0);
  await other.page.context().close();
});

test('roles: a new one is enabled unless switched off, members open from the row, and the newest history row is the present version', async () => {
  const path = '/adminSys/roleManager';
  const { page } = await enter(kit, 'zh', { path });
  await settled(page, path);
  const shown = view(page, path);
  await shown.getByRole('button', { name: /^新增/ }).click();
  const form = page.locator('.k-form-drawer');
  await form.getByRole('switch', { name: '启用' }).waitFor();
  expect(await form.getByRole('switch', { name: '启用' }).getAttribute('aria-checked')).toBe('true');
  await form.getByLabel('名称').fill('试用角色');
  await form.getByLabel('编码').fill('trial_role');
  await form.getByRole('button', { name: '保存', exact: true }).click();
  await form.waitFor({ state: 'hidden' });
  const row = shown.locator('tr[data-row-key]', { hasText: 'trial_role' });
  await row.getByRole('button', { name: '关联用户' }).click();
  const members = page.locator('.ant-modal', { hasText: '试用角色' });
  await members.waitFor();
  await page.keyboard.press('Escape');
  await members.waitFor({ state: 'detached' });

  const { id } = (await kit.data<{ rows: { id: string }[] }>('/api/admin/role/page?searchVal=trial_role'))
    .rows[0]!;
  const grant = async (codes: string[]) => {
    const { version } = await kit.data<{ version: number }>(`/api/admin/role/${id}`);
    const saved = await kit.product.call('PUT', `/api/admin/permissionGroup/${id}/authority`, kit.admin, {
      version,
      reason: '试用需要',
      menus: codes.map((code) => ({ code, dataScope: 'self', departmentIds: [] })),
      elements: [],
    });
    expect([saved.http, saved.body.message]).toEqual([200, '']);
  };
  await grant(['stationManage']);
  await grant(['stationManage', 'groupTypeManager']);
  await row.getByText('更多').click();
  await page.getByRole('menuitem', { name: '历史' }).click();
  const history = page.locator('.ant-drawer', { hasText: '历史：试用角色' }).locator('.k-timeline > li');
  await history.nth(1).waitFor();
  expect(await history.first().innerText()).toContain('当前版本');
  expect(await history.first().getByRole('button', { name: '恢复到此版本' }).count()).toBe(0);
  expect(await history.nth(1).innerText()).not.toContain('当前版本');
  await history.nth(1).getByRole('button', { name: '恢复到此版本' }).waitFor();
  await page.context().close();
});

test('who may open one department only looks at that one first, and the others cannot be chosen', async () => {
  const path = '/adminSys/departManager';
  const groups = await kit.data<{ groups: { id: string; code: string }[] }>(
    '/api/admin/permissionGroup/tree',
  );
  const url = `/api/admin/permissionGroup/${groups.groups.find((one) => one.code === 'company_admin')!.id}/authority`;
  const { group, granted } = await kit.data<{
    group: { version: number };
    granted: { menus: { code: string; dataScope: string; departmentIds: string[] }[]; elements: string[] };
  }>(url);
  const saved = await kit.product.call('PUT', url, kit.admin, {
    version: group.version,
    reason: '只看自己负责的部门',
    menus: granted.menus.map((menu) => ({
      ...menu,
      dataScope: menu.code === 'departManager' ? 'self' : menu.dataScope,
    })),
    elements: granted.elements,
  });
  expect([saved.http, saved.body.message]).toEqual([200, '']);
  // Leads 人力行政部, which stands below 和邻物业.
  const { page, troubles } = await enter(kit, 'zh', { path, account: 'hr1' });
  await settled(page, path);
  const shown = view(page, path);
  await shown.locator('.k-title', { hasText: '人力行政部' }).waitFor();
  expect(await shown.locator('.ant-tree-treenode-disabled', { hasText: '和邻物业' }).count()).toBe(1);
  expect(troubles()).toEqual([]);
  await page.context().close();
});
