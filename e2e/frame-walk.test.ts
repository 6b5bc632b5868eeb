import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addButton,
  ANALYSIS,
  builtPaths,
  DEPARTMENTS,
  enter,
  frameKit,
  navigate,
  ORDERS,
  REFUNDS,
  rowsOf,
  settled,
  tab,
  tabs,
  USERS,
  view,
} from './frame-kit.ts';
import { LANGUAGES, shareOf, WALKED, type Language } from './frame-lines.ts';
import { overflow, whitePanels } from './looks.ts';
import { accessibilityProblems, openPage, until, type WatchedPage } from './product.ts';

/*
 * One walk over all routes in a live frame: list, form and detail of each, in one language and one appearance chosen by the
 * route's name; one example of each kind of screen in all four. What is looked at costs a second or two per route, so that
 * growth is seen: the seconds of each route are printed.
 */
const kit = frameKit();

/** Part of the routes to be walked: `ROUTE=/sysManager npx vitest run e2e/frame-walk.test.ts`. */
const ROUTE = process.env.ROUTE ?? '';
const APPEARANCES = ['light', 'dark'] as const;
type Appearance = (typeof APPEARANCES)[number];
const WIDE = { width: 1440, height: 900 };
/** 320 × 256 is a window of 1280 × 1024 at 400 %. */
const NARROW = [
  { width: 768, height: 1024 },
  { width: 320, height: 256 },
] as const;
/** More tabs than these are closed on the way, as a strip of hundreds is not what is looked at. */
const TABS = 12;

/** What is wrong on a route: which look, and what it found. */
type Problem = readonly [path: string, look: string, found: unknown];

interface Walk {
  readonly language: Language;
  readonly watched: WatchedPage;
  appearance: Appearance;
  /** Calls that are not answered yet. */
  readonly asked: Set<unknown>;
  readonly problems: Problem[];
  /** Seconds and what was opened, by route. */
  readonly seen: Map<string, { seconds: number; appearance: Appearance; parts: string[] }>;
}

const walks = {} as Record<Language, Walk>;
let paths: readonly string[];

beforeAll(async () => {
  paths = ['/dashboard', ...(await builtPaths(kit))].filter((path) => path.includes(ROUTE));
  for (const language of LANGUAGES) {
    const watched = await enter(kit, language);
    await settled(watched.page, '/dashboard');
    watched.page.setDefaultTimeout(15_000);
    const asked = new Set<unknown>();
    watched.page.on('request', (one) => /\/api\/(?!.*\/stream)/.test(one.url()) && asked.add(one));
    for (const end of ['requestfinished', 'requestfailed'] as const)
      watched.page.on(end as 'requestfinished', (one) => asked.delete(one));
    walks[language] = { language, watched, appearance: 'light', asked, problems: [], seen: new Map() };
  }
}, 240_000);
afterAll(async () => {
  for (const { watched } of Object.values(walks)) await watched.context.close();
});

async function appear(walk: Walk, appearance: Appearance): Promise<void> {
  if (walk.appearance === appearance) return;
  const { page } = walk.watched;
  await page.emulateMedia({ colorScheme: appearance });
  await page.waitForFunction((wanted) => document.documentElement.dataset.appearance === wanted, appearance);
  walk.appearance = appearance;
  await still(page);
}

/** Waits until nothing moves any more; what turns for ever does not count. */
async function still(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      new Promise<boolean>((resolve) =>
        requestAnimationFrame(() =>
          resolve(
            document
              .getAnimations()
              .every((one) => one.playState !== 'running' || one.effect?.getTiming().iterations === Infinity),
          ),
        ),
      ),
  );
}

/** What is shown in place of words: unset values, and words of the other language in what the product itself says. */
const wrongWords = (page: Page, language: Language) =>
  page.evaluate((wanted) => {
    const shown = (element: Element) => element.checkVisibility() && element.closest('[inert]') === null;
    const found: string[] = [];
    for (const root of document.querySelectorAll('[data-view], [role=dialog]')) {
      if (!shown(root)) continue;
      const text = (root as HTMLElement).innerText;
      found.push(...(text.match(/\bundefined\b|\[object \w+\]|\bNaN\b|Invalid Date/g) ?? []));
      for (const element of root.querySelectorAll<HTMLElement>(
        'h1, th, label, .k-title-actions button, .k-toolbar button',
      )) {
        if (!shown(element)) continue;
        const word = element.innerText.trim();
        if (wanted === 'en' && /[\u4e00-\u9fff]/.test(word)) found.push(`${element.tagName} ${word}`);
      }
    }
    return found;
  }, language);

/** Everything that is looked at in a state of a screen; `scope` is what axe reads. */
async function look(walk: Walk, path: string, what: string, scope: string): Promise<void> {
  const { page } = walk.watched;
  await still(page);
  const add = (kind: string, found: readonly unknown[]) => {
    if (found.length > 0) walk.problems.push([path, `${what}, ${walk.appearance}: ${kind}`, found]);
  };
  add('accessibility', await accessibilityProblems(page, scope));
  add('words', await wrongWords(page, walk.language));
  if (walk.appearance === 'dark') add('white panels', await whitePanels(page));
  add('troubles', walk.watched.troubles());
}

const created = '.k-title-actions button[title$="(n)"]';
const layer = '.k-form-drawer:visible, .ant-modal:visible, .k-drawer:visible, .ant-drawer:visible';

/** Closes what stands above the list, or comes back from a page of its own. */
async function leave(page: Page, path: string): Promise<void> {
  if (new URL(page.url()).pathname !== path) {
    await navigate(page, path);
    await settled(page, path);
    return;
  }
  await page.keyboard.press('Escape');
  await page.locator(layer).first().waitFor({ state: 'hidden' });
}

/** Waits for what a click or key opened: a layer above the list, or a page of its own. */
async function opened(page: Page, path: string): Promise<string> {
  const above = page.locator(layer).first();
  await Promise.race([above.waitFor(), page.waitForURL((url) => decodeURIComponent(url.pathname) !== path)]);
  const at = new URL(page.url()).pathname;
  if (at === path) {
    await above.locator('h1, h2, h3, [role=tab], input, dt, dd').first().waitFor();
    return '[role=dialog]';
  }
  await settled(page, at);
  return `[data-view="${at}"]`;
}

async function walkRoute(walk: Walk, path: string, appearance: Appearance): Promise<void> {
  const began = performance.now();
  const { page } = walk.watched;
  const parts = ['list'];
  await appear(walk, appearance);
  await navigate(page, path);
  await settled(page, path);
  const shown = view(page, path);
  // What was asked for has been answered before anything is judged.
  await until(async () => walk.asked.size === 0);
  const headings = await shown.locator('h1, h2').allInnerTexts();
  if (!headings.some((text) => text.trim() !== '')) walk.problems.push([path, 'heading', headings]);
  await look(walk, path, 'list', `[data-view="${path}"]`);
  if ((await shown.locator(created).count()) > 0) {
    await shown.locator(created).first().click();
    await look(walk, path, 'form', await opened(page, path));
    parts.push('form');
    await leave(page, path);
  }
  if ((await shown.locator('tr[data-row-key]').count()) > 0) {
    await page.keyboard.press('j');
    const isFocused = await page.evaluate(() => document.activeElement?.matches('tr[data-row-key]') === true);
    if (isFocused) {
      await page.keyboard.press('Enter');
      await look(walk, path, 'detail', await opened(page, path));
      parts.push('detail');
      await leave(page, path);
    }
  }
  // However the route is looked at otherwise, nothing of it may be white in the dark.
  if (appearance === 'light') {
    await appear(walk, 'dark');
    const white = await whitePanels(page);
    if (white.length > 0) walk.problems.push([path, 'white panels', white]);
  }
  for (const size of NARROW) {
    await page.setViewportSize(size);
    await still(page);
    const wide = await overflow(page);
    if (wide > 0) walk.problems.push([path, `${size.width} px`, wide]);
  }
  await page.setViewportSize(WIDE);
  const troubles = walk.watched.troubles();
  if (troubles.length > 0) walk.problems.push([path, 'troubles', troubles]);
  if ((await tabs(page).count()) > TABS) await closeOthers(page, path);
  walk.seen.set(path, { seconds: (performance.now() - began) / 1_000, appearance, parts });
}

async function closeOthers(page: Page, path: string): Promise<void> {
  await tab(page, path).click({ button: 'right' });
  await page.getByRole('menuitem', { name: /^(关闭其他|Close others)$/ }).click();
  await expect.poll(() => tabs(page).count()).toBeLessThan(TABS);
}

describe.each(LANGUAGES)('the walk over all routes (%s)', (language) => {
  test(`17 and 30: ${WALKED[17]}; ${WALKED[30]}`, async () => {
    const walk = walks[language];
    for (const path of paths)
      if (shareOf(path, LANGUAGES) === language)
        await walkRoute(walk, path, shareOf(`${path} appearance`, APPEARANCES));
    console.log(
      [...walk.seen]
        .map(
          ([path, { seconds, appearance, parts }]) =>
            `${seconds.toFixed(1).padStart(6)} s  ${path} (${language}, ${appearance}: ${parts.join(', ')})`,
        )
        .join('\n'),
    );
    expect(walk.problems).toEqual([]);
    const all = [...walk.seen.values()];
    expect(all.length).toBeGreaterThan(paths.length * 0.3);
    for (const part of ['form', 'detail'])
      expect([part, all.filter((one) => one.parts.includes(part)).length >= all.length * 0.3]).toEqual([
        part,
        true,
      ]);
  }, 900_000);

  test('one example of each kind of screen, form and page of its own has no accessibility problems, light and dark', async () => {
    const walk = walks[language];
    const { page } = walk.watched;
    const found: [string, string[]][] = [];
    const [order] = await rowsOf(kit, 'goodsOrder', 'limit=1');
    for (const appearance of APPEARANCES) {
      await appear(walk, appearance);
      const check = async (name: string) => {
        await still(page);
        found.push([`${name} ${appearance}`, await accessibilityProblems(page)]);
      };
      for (const path of [
        '/dashboard',
        USERS,
        REFUNDS,
        ORDERS,
        '/merchantManager/mm_commodityMana',
        ANALYSIS,
        '/merchantManager/mm_integral',
        DEPARTMENTS,
        `${ORDERS}/${order!.id}`,
      ]) {
        await navigate(page, path);
        await settled(page, path);
        await check(path);
      }
      await navigate(page, USERS);
      await addButton(page, language).click();
      await page.getByRole('dialog').locator('input').first().waitFor();
      await check('form');
      await page.keyboard.press('Escape');
      await page.locator(layer).first().waitFor({ state: 'hidden' });
    }
    for (const dark of [false, true]) {
      const outside = await openPage(kit.browser, { english: language === 'en', dark }, kit.product.url);
      await outside.page.goto(`${kit.product.url}/login`);
      await outside.page.locator('#username').waitFor();
      found.push(['/login', await accessibilityProblems(outside.page)]);
      await outside.context.close();
    }
    expect(found.filter(([, problems]) => problems.length > 0)).toEqual([]);
    expect(found.length).toBe(22);
  }, 240_000);
});

test('every route was walked once', () => {
  expect(LANGUAGES.flatMap((language) => [...walks[language].seen.keys()]).sort()).toEqual([...paths].sort());
  if (!ROUTE) expect(paths.length).toBeGreaterThan(15);
});
