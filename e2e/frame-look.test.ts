import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import {
  addButton,
  ANALYSIS,
  DEPARTMENTS,
  enter,
  frameKit,
  navigate,
  ORDERS,
  POSTS,
  rowsOf,
  settled,
  tab,
  tabs,
  TYPES,
  USERS,
  view,
} from './frame-kit.ts';
import { mustShow, say } from './frame-lines.ts';
import { overflow, whitePanels } from './looks.ts';
import { until } from './product.ts';

/** Lines of the frame about how it looks and who can use it: theme, dark appearance, keyboard, narrow windows, axe. */
const kit = frameKit();

/** Colours the theme decides, as the browser computes them. */
const themed = (page: Page) =>
  page.evaluate(() => {
    const colour = (selector: string, name: 'backgroundColor' | 'color' | 'borderLeftColor') => {
      const element = [...document.querySelectorAll(selector)].find((one) => one.getClientRects().length > 0);
      return element ? getComputedStyle(element)[name] : undefined;
    };
    return {
      button: colour('[data-view] .ant-btn-primary:not(:disabled)', 'backgroundColor'),
      link: colour('[data-view] .k-link, [data-view] td a', 'color'),
      highlight: colour('.side-link[aria-current=page]', 'color'),
    };
  });
/** Points of the shown charts that have a colour, at most two steps of it away. */
const chartPoints = (page: Page, rgb: readonly [number, number, number]) =>
  page.evaluate(
    ([red, green, blue]) =>
      [...document.querySelectorAll<HTMLCanvasElement>('[data-view] canvas')]
        .filter((canvas) => canvas.getClientRects().length > 0 && canvas.width > 0)
        .reduce((sum, canvas) => {
          const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
          for (let at = 0; at < data.length; at += 4)
            if (
              Math.abs(data[at]! - red) <= 2 &&
              Math.abs(data[at + 1]! - green) <= 2 &&
              Math.abs(data[at + 2]! - blue) <= 2 &&
              data[at + 3]! > 250
            )
              sum += 1;
          return sum;
        }, 0),
    rgb,
  );

mustShow(
  17,
  async (language) => {
    const { page, context } = await enter(kit, language, {
      account: say(language, 'merchant1', 'merchant2'),
    });
    const look = async () => {
      await navigate(page, ORDERS);
      await settled(page, ORDERS);
      await page.locator('.side-link[aria-current=page]').waitFor();
      return themed(page);
    };
    const before = await look();
    expect(Object.values(before)).not.toContain(undefined);
    await navigate(page, ANALYSIS);
    // What stands on the theme colour has its readable shade, charts included.
    const points = (look: { button?: string | undefined }) =>
      chartPoints(page, look.button!.match(/\d+/g)!.map(Number) as [number, number, number]);
    await until(async () => (await points(before)) > 50);
    await page.getByRole('button', { name: say(language, '换肤', 'Theme'), exact: true }).click();
    await page.getByRole('button', { name: '#11A983' }).click();
    await page
      .locator('.notice')
      .filter({ hasText: say(language, '换肤成功', 'Theme changed') })
      .waitFor();
    await page.keyboard.press('Escape');
    const after = await look();
    await navigate(page, ANALYSIS);
    await until(async () => (await points(after)) > 50);
    await until(async () => (await points(before)) === 0);
    await navigate(page, ORDERS);
    for (const [name, colour] of Object.entries(after)) {
      const [red, green, blue] = colour!.match(/\d+/g)!.map(Number) as [number, number, number];
      expect([name, colour === before[name as keyof typeof before]]).toEqual([name, false]);
      expect([name, green > red && green > blue]).toEqual([name, true]);
    }
    // From the first frame of a reload on nothing is drawn in the default colour.
    await page.addInitScript(() => {
      const seen = new Set<string>();
      (window as unknown as { seen: Set<string> }).seen = seen;
      const look = () => {
        if (document.body) {
          seen.add(getComputedStyle(document.documentElement).getPropertyValue('--theme').trim());
          for (const element of document.querySelectorAll(
            'button, a, .tab, .side-link, .home-figure path, .swatch, li',
          )) {
            const style = getComputedStyle(element);
            seen.add(style.backgroundColor).add(style.color).add(style.stroke);
          }
        }
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    await page.reload();
    await settled(page, ORDERS);
    const seen = await page.evaluate(() => [...(window as unknown as { seen: Set<string> }).seen]);
    expect(seen).toContain('#11A983');
    expect(seen.length).toBeGreaterThan(5);
    const default_ = ['#409EFF', 'rgb(64, 158, 255)', before.button, before.link, before.highlight];
    expect(seen.filter((colour) => default_.includes(colour))).toEqual([]);
    await context.close();
  },
  { part: 'colour', timeout: 120_000 },
);

mustShow(
  17,
  async (language) => {
    const { page, context } = await enter(kit, language, { dark: true });
    const [order] = await rowsOf(kit, 'goodsOrder', 'limit=1');
    const white: [string, string[]][] = [];
    const look = async (name: string) => {
      const found = await whitePanels(page);
      if (found.length > 0) white.push([name, found]);
    };
    for (const path of ['/dashboard', `${ORDERS}/${order!.id}`, '/nope', '/401?from=/nope']) {
      if (/^\/(nope|401)/.test(path)) {
        await page.goto(`${kit.product.url}${path}`);
        await page.locator('.page-note').waitFor();
      } else {
        await navigate(page, path);
        await settled(page, path);
      }
      await look(path);
    }
    // What opens above a screen: form, detail, palette, popovers, error of the sign-in page.
    await navigate(page, TYPES);
    await addButton(page, language).click();
    await page.getByRole('dialog').locator('input').first().waitFor();
    await look('form');
    await page.keyboard.press('Escape');
    await navigate(page, `${TYPES}`);
    await page.keyboard.press('Control+k');
    await page.locator('dialog.palette').waitFor();
    await look('palette');
    await page.keyboard.press('Escape');
    for (const name of [say(language, '换肤', 'Theme'), say(language, '通知', 'Notifications')]) {
      await page.getByRole('button', { name }).first().click();
      await page.locator('.k-pop:visible, .ant-popover:visible').first().waitFor();
      await look(name);
      await page.mouse.click(700, 30);
      await page.locator('.k-pop:visible, .ant-popover:visible').first().waitFor({ state: 'hidden' });
    }
    await context.clearCookies({ name: 'Authorization' });
    await page.goto(`${kit.product.url}/login`);
    await page.locator('#username').waitFor();
    await look('/login');
    expect(white).toEqual([]);
    await context.close();
  },
  { part: 'dark catalogue', timeout: 180_000 },
);

mustShow(
  30,
  async (language) => {
    const { page, context } = await enter(kit, language);
    await settled(page, '/dashboard');
    const focused = () =>
      page.evaluate(() => {
        const element = document.activeElement as HTMLElement;
        return {
          text: (element.getAttribute('aria-label') ?? element.innerText ?? '').trim(),
          href: element.getAttribute('href') ?? '',
          tab: element.getAttribute('data-tab') ?? '',
          id: element.id,
          role: element.getAttribute('role') ?? '',
          /** A focus that cannot be seen is none. */
          seen:
            getComputedStyle(element).outlineStyle !== 'none' ||
            getComputedStyle(element).boxShadow !== 'none',
        };
      });
    type Focus = Awaited<ReturnType<typeof focused>>;
    const press = async (key: string, reached: (focus: Focus) => boolean, most = 60) => {
      for (let n = 0; n < most; n += 1) {
        await page.keyboard.press(key);
        const focus = await focused();
        if (reached(focus)) return focus;
      }
      throw new Error(`${key} never got there; the focus is on ${JSON.stringify(await focused())}`);
    };
    // The first stop jumps to the content.
    const skip = await press('Tab', () => true);
    expect(skip.text).toBe(say(language, '跳到正文', 'Skip to content'));
    await page.keyboard.press('Enter');
    expect((await focused()).id).toBe('content');
    // Menu: back into it, open the group, open an entry.
    await press('Shift+Tab', (focus) => focus.href === '/dashboard');
    const group = await press(
      'Tab',
      (focus) => focus.text === say(language, '权限管理', 'Permission management'),
    );
    expect(group.seen).toBe(true);
    await page.keyboard.press('Enter');
    const entry = await press('Tab', (focus) => focus.href === DEPARTMENTS);
    expect(entry.seen).toBe(true);
    await page.keyboard.press('Enter');
    await settled(page, DEPARTMENTS);
    await press('Tab', (focus) => focus.href === TYPES || focus.href === POSTS);
    await page.keyboard.press('Enter');
    await page.waitForURL(/(groupTypeManager|stationManage)$/);
    await navigate(page, TYPES);
    await settled(page, TYPES);
    // Tabs: one stop, arrows between them, Enter selects, Shift+F10 opens the menu and Esc gives the focus back.
    const current = await press('Tab', (focus) => focus.role === 'tab', 80);
    expect([current.tab, current.seen]).toEqual([TYPES, true]);
    await page.keyboard.press('Home');
    expect((await focused()).tab).toBe('/dashboard');
    await page.keyboard.press('ArrowRight');
    expect((await focused()).tab).toBe(DEPARTMENTS);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${DEPARTMENTS}`);
    await tab(page, DEPARTMENTS).focus();
    await page.keyboard.press('Shift+F10');
    const menu = page.getByRole('menu', { name: say(language, '标签操作', 'Tab actions') });
    await menu.waitFor();
    await page.keyboard.press('ArrowDown');
    expect((await focused()).role).toBe('menuitem');
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    expect((await focused()).tab).toBe(DEPARTMENTS);
    await page.keyboard.press('Delete');
    await tab(page, DEPARTMENTS).waitFor({ state: 'detached' });
    // Palette: arrows choose, Enter opens, Esc gives the focus back.
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: say(language, '搜索', 'Search') });
    await palette.waitFor();
    await page.keyboard.type('groupTypeManager');
    await palette.getByRole('option').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${TYPES}`);
    await settled(page, TYPES);
    // Dialog: n opens the form with the focus inside, Tab stays inside, Esc asks, then closes; the focus comes back.
    await press('Tab', (focus) => focus.text === say(language, '新增', 'Add'), 80);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').locator('input').first().waitFor();
    await until(async () =>
      page.evaluate(() => document.activeElement?.matches('[role=dialog] input') === true),
    );
    await page.keyboard.type('by_keyboard');
    for (let n = 0; n < 12; n += 1) {
      await page.keyboard.press('Tab');
      expect(
        await page.evaluate(
          () =>
            document.activeElement === document.body || document.activeElement?.closest('.k-drawer') !== null,
        ),
      ).toBe(true);
    }
    await page.keyboard.press('Escape');
    const question = page.getByText(
      say(language, '有未保存的修改，确定离开吗？', 'You have unsaved changes. Leave?'),
    );
    await question.filter({ visible: true }).first().waitFor();
    await press('Tab', (focus) => focus.text === say(language, '离开', 'Leave'));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
    await until(async () => (await focused()).text === say(language, '新增', 'Add'));
    // Single keys on a list: down, open, close; the help of all keys.
    await page.keyboard.press('j');
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // Back: the history, and the back button of a detail.
    const [order] = await rowsOf(kit, 'goodsOrder', 'limit=1');
    await navigate(page, `${ORDERS}/${order!.id}`);
    await view(page, `${ORDERS}/${order!.id}`).locator('.go-page').waitFor();
    await press('Tab', (focus) => focus.text === say(language, '返回', 'Back'), 80);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${ORDERS}`);
    await page.goBack();
    await page.waitForURL(`**${ORDERS}/${order!.id}`);
    expect(await tabs(page).count()).toBeGreaterThan(2);
    await context.close();
  },
  { part: 'keyboard', timeout: 120_000 },
);

mustShow(
  30,
  async (language) => {
    // 320 × 256 is a window of 1280 × 1024 at 400 %. Every route is walked there by walk.ts.
    const { page, context } = await enter(kit, language, { width: 768, height: 1024 });
    await page.setViewportSize({ width: 320, height: 256 });
    for (const path of ['/dashboard', ORDERS, USERS]) {
      await navigate(page, path);
      await settled(page, path);
      expect([path, await overflow(page)]).toEqual([path, 0]);
    }
    // Everything can be reached there: the menu opens over the page and closes on navigation.
    await page.getByRole('button', { name: say(language, '展开菜单', 'Open the menu') }).click();
    await page.locator('nav.side-menu a[href="/dashboard"]').click();
    await page.waitForURL('**/dashboard');
    await page.locator('nav.side-menu').waitFor({ state: 'detached' });
    await page.goto(`${kit.product.url}/nope`);
    await page.locator('.page-note').waitFor();
    await context.clearCookies({ name: 'Authorization' });
    await page.goto(`${kit.product.url}/login`);
    await page.locator('#username').waitFor();
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    ).toBe(0);
    await context.close();
  },
  { part: 'narrow windows', timeout: 180_000 },
);
