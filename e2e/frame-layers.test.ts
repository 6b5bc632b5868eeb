import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import {
  addButton,
  ANALYSIS,
  DEPARTMENTS,
  enter,
  frameKit,
  navigate,
  openRemark,
  ORDERS,
  rowsOf,
  settled,
  tab,
  tabPaths,
  USERS,
  view,
} from './frame-kit.ts';
import { type Language, languagesOf, say } from './frame-lines.ts';
import { until } from './product.ts';

/** What is open above a page: Esc closes the top layer and nothing else, and each layer stays with its tab. */
const kit = frameKit();

const button = (page: Page, language: Language, zh: string, en: string) =>
  page.getByRole('button', { name: say(language, zh, en), exact: true }).first();
const esc = (page: Page) => page.keyboard.press('Escape');

/** Every kind of layer the frame can open above a drawer, by what opens it and what is seen of it. */
const above: readonly (readonly [
  name: string,
  open: (page: Page, language: Language) => Promise<unknown>,
  seen: string,
])[] = [
  ['language menu', (page, language) => button(page, language, '语言', 'Language').click(), '.k-menu'],
  ['theme panel', (page, language) => button(page, language, '换肤', 'Theme').click(), '.swatches'],
  [
    'download centre',
    (page, language) => button(page, language, '下载中心', 'Download centre').click(),
    '.k-pop',
  ],
  [
    'notifications',
    (page, language) =>
      page
        .getByRole('button', { name: say(language, '通知', 'Notifications') })
        .first()
        .click(),
    '.k-pop',
  ],
  ['user menu', (page) => page.locator('.bar-user').click(), '.k-menu'],
  ['tab menu', (page) => tab(page, USERS).click({ button: 'right' }), '.tab-menu'],
  ['palette', (page) => page.keyboard.press('Control+k'), 'dialog.palette'],
  [
    'date picker',
    (page) => page.locator('.k-drawer:visible .ant-picker input').first().click(),
    '.ant-picker-dropdown',
  ],
  ['select', (page) => page.locator('.k-drawer:visible .ant-select').first().click(), '.ant-select-dropdown'],
];

describe.each(languagesOf('frame-layers'))('layers (%s)', (language) => {
  test('Esc closes what stands above a form with unsaved input, then asks for the form, one by one', async () => {
    const { page, context, troubles } = await enter(kit, language, { path: USERS });
    await settled(page, USERS);
    await addButton(page, language).click();
    const form = page.locator('.k-form-drawer:visible');
    const name = form.getByLabel(say(language, '姓名', 'Name'), { exact: true });
    await name.fill('林晚照');
    await tab(page, USERS).locator('.tab-dot').waitFor();
    const question = page.getByRole('alertdialog');
    for (const [what, open, seen] of above) {
      await open(page, language);
      const layer = page.locator(seen).filter({ visible: true }).first();
      await layer.waitFor();
      await esc(page);
      await layer.waitFor({ state: 'hidden' });
      expect([what, await question.count(), await form.count(), await name.inputValue()]).toEqual([
        what,
        0,
        1,
        '林晚照',
      ]);
    }
    // Three of them: palette above question above form.
    await name.focus();
    await esc(page);
    await question.waitFor();
    await page.keyboard.press('Control+k');
    await esc(page);
    await question.waitFor({ state: 'detached' });
    expect([await form.count(), await name.inputValue()]).toEqual([1, '林晚照']);
    await name.focus();
    await esc(page);
    await question.getByRole('button', { name: say(language, '离开', 'Leave') }).click();
    await form.waitFor({ state: 'detached' });
    expect(troubles()).toEqual([]);
    await context.close();
  });

  test('a form is ready to type and complains of nothing before anything was typed', async () => {
    const { page, context, troubles } = await enter(kit, language, { path: USERS, width: 768 });
    await settled(page, USERS);
    // What fields had to say since the form was opened, even if only for a moment.
    await page.evaluate(() => {
      new MutationObserver(() => {
        if (document.querySelector('.ant-form-item-explain-error')) document.body.dataset.complained = 'yes';
      }).observe(document.body, { childList: true, subtree: true });
    });
    for (let round = 0; round < 3; round += 1) {
      await addButton(page, language).click();
      const form = page.locator('.k-form-drawer:visible');
      const name = form.getByLabel(say(language, '姓名', 'Name'), { exact: true });
      await until(async () => name.evaluate((input) => input === document.activeElement));
      // The library moves the focus for the last time when the drawer stands.
      await page.waitForTimeout(500);
      expect(await name.evaluate((input) => input === document.activeElement)).toBe(true);
      expect(await page.evaluate(() => document.body.dataset.complained)).toBeUndefined();
      // No sliver of the list beside it.
      const box = await form.locator('.ant-drawer-content-wrapper').boundingBox();
      expect([box!.x, box!.width]).toEqual([0, 768]);
      await esc(page);
      await form.waitFor({ state: 'detached' });
    }
    expect(troubles()).toEqual([]);
    await context.close();
  });

  test('three layers of a tab close from the top, also after the tab was left and shown again', async () => {
    const { page, context, troubles } = await enter(kit, language, { path: `${DEPARTMENTS}` });
    await settled(page, DEPARTMENTS);
    await navigate(page, ORDERS);
    await settled(page, ORDERS);
    // A detail drawer, a dialog of one of its actions, a menu of the frame.
    await navigate(page, USERS);
    await settled(page, USERS);
    await view(page, USERS).locator('tr[data-row-key] .k-cell-link').first().click();
    const detail = page.locator('.k-drawer:visible');
    await detail.locator('.k-detail').waitFor();
    await detail.locator('.k-button[aria-haspopup=menu]').click();
    const menu = page.locator('.k-menu');
    await menu.waitFor();
    // The menu alone.
    await esc(page);
    await menu.waitFor({ state: 'detached' });
    expect(await detail.count()).toBe(1);
    await detail.locator('.k-button[aria-haspopup=menu]').click();
    await menu.getByRole('menuitem').last().click();
    const dialog = page.locator('.ant-modal:visible');
    await dialog.waitFor();
    // Away and back: the order of opening is kept, and neither dialog nor drawer showed above the other tab.
    await tab(page, ORDERS).click();
    await until(async () => (await dialog.count()) + (await detail.count()) === 0);
    await tab(page, USERS).click();
    await dialog.waitFor();
    expect(await detail.count()).toBe(1);
    await button(page, language, '语言', 'Language').click();
    await menu.waitFor();
    await esc(page);
    await menu.waitFor({ state: 'detached' });
    expect([await dialog.count(), await detail.count()]).toEqual([1, 1]);
    await esc(page);
    await until(async () => (await dialog.count()) === 0);
    expect(await detail.count()).toBe(1);
    await esc(page);
    await until(async () => (await detail.count()) === 0);
    // Nothing is open: the key does nothing.
    await esc(page);
    expect((await tabPaths(page)).includes(USERS)).toBe(true);
    expect(troubles()).toEqual([]);
    await context.close();
  });

  test('a layer of a hidden tab takes no key from the tab that is shown', async () => {
    const [order] = await rowsOf(kit, 'goodsOrder', 'limit=1');
    const detail = `${ORDERS}/${order!.id}`;
    const { page, context, troubles } = await enter(kit, language, { path: detail });
    const note = await openRemark(page, language, detail);
    await note.fill('门口有台阶');
    await navigate(page, ANALYSIS);
    await settled(page, ANALYSIS);
    await view(page, ANALYSIS).locator('.k-input-button').filter({ hasText: '~' }).click();
    const picker = page.locator('.ant-picker-dropdown:visible');
    await picker.waitFor();
    await esc(page);
    await until(async () => (await picker.count()) === 0);
    await esc(page);
    await tab(page, detail).click();
    expect(await note.inputValue()).toBe('门口有台阶');
    // A dialog asks like every form: what was typed is neither lost by the key nor by the cross.
    const question = page.getByRole('alertdialog');
    await note.press('Escape');
    await question.getByRole('button', { name: say(language, '继续编辑', 'Keep editing') }).click();
    await question.waitFor({ state: 'detached' });
    expect(await note.inputValue()).toBe('门口有台阶');
    await page.locator('.ant-modal:visible .ant-modal-close').click();
    await question.getByRole('button', { name: say(language, '离开', 'Leave') }).click();
    await note.waitFor({ state: 'hidden' });
    // Left on purpose, and still offered; a dialog with nothing typed closes without a question.
    await openRemark(page, language, detail);
    await page.locator('.ant-modal:visible .k-draft').waitFor();
    await esc(page);
    await note.waitFor({ state: 'hidden' });
    expect(await question.count()).toBe(0);
    expect(troubles()).toEqual([]);
    await context.close();
  });

  test('the side menu over a narrow window and the fly-outs of a collapsed one close first', async () => {
    const { page, context, troubles } = await enter(kit, language, { path: USERS, width: 800 });
    await settled(page, USERS);
    await view(page, USERS).locator('tr[data-row-key] .k-cell-link').first().click();
    const detail = page.locator('.k-drawer:visible');
    await detail.locator('.k-detail').waitFor();
    await esc(page);
    await until(async () => (await detail.count()) === 0);
    await button(page, language, '展开菜单', 'Open the menu').click();
    await page.locator('aside.side').waitFor();
    await esc(page);
    await page.locator('aside.side').waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 1440, height: 900 });
    await button(page, language, '收起菜单', 'Collapse the menu').click();
    await page.locator('.side-menu .side-group').first().hover();
    const flyout = page.locator('.side-flyout');
    await flyout.waitFor();
    await esc(page);
    await flyout.waitFor({ state: 'detached' });
    expect(troubles()).toEqual([]);
    await context.close();
  });
});
