import { describe, expect, test } from 'vitest';
import { addButton, enter, frameKit, ORDERS, REFUNDS, rowsOf, settled, USERS, view } from './frame-kit.ts';
import { LANGUAGES, say } from './frame-lines.ts';
import { until } from './product.ts';

/** Small things of the frame that are easily lost: veils, shapes that wait, rows drawn once, words of the server. */
const kit = frameKit();

describe.each(LANGUAGES)('details of the frame (%s)', (language) => {
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
});
