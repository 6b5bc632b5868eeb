import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

/** Part of the routes to be walked: `ROUTE=/sysManager npx vitest run e2e/frame-walk`. */
const ROUTE = process.env.ROUTE ?? '';
const APPEARANCES = ['light', 'dark'] as const;
type Appearance = (typeof APPEARANCES)[number];
const WIDE = { width: 1440, height: 900 };
/** 320 × 256 is a window of 1280 × 1024 at 400 %. */
const NARROW = [
  { width: 768, height: 1024 },
  { width: 320, height: 256 },
] as const;
/** Routes whose views are live together: dark and narrow looks come back to them without asking for rows again. */
const TOGETHER = 10;

/**
 * Problems of shared parts that are known and not mended yet; whoever mends one takes its line away. Nothing else may be
 * wrong on any screen.
 */
const KNOWN: readonly (readonly [problem: RegExp, why: string])[] = [
  [
    /^label-content-name-mismatch: .*aria-(posinset|label|setsize)|^label-content.*data-row-key/,
    'nodes of trees',
  ],
  [
    /^target-size: .*(\.k-tree-below|Show stopped|\.ant-input-password-icon)/,
    'switches of trees, eye of secrets',
  ],
  [/^color-contrast: \["\.ant-btn-dangerous > span"\]/, 'dangerous buttons in the dark, 4.16 instead of 4.5'],
];
const unknown = (found: readonly string[]) =>
  found.filter((one) => !KNOWN.some(([problem]) => problem.test(one)));

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

async function appear(walk: Walk, appearance: Appearance): Promise<void> {
  if (walk.appearance === appearance) return;
  const { page } = walk.watched;
  await page.emulateMedia({ colorScheme: appearance });
  await page.waitForFunction((wanted) => document.documentElement.dataset.appearance === wanted, appearance);
  walk.appearance = appearance;
  await still(page);
}

/** Waits until nothing moves in three frames on end; what turns for ever, or fades for long around a button, does not count. */
async function still(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const moves = (one: Animation) => {
      const timing = one.effect?.getTiming();
      return (
        one.playState === 'running' && timing?.iterations !== Infinity && Number(timing?.duration) <= 1_000
      );
    };
    for (let frames = 0, calm = 0; calm < 3 && frames < 300; frames++) {
      await new Promise(requestAnimationFrame);
      calm = document.getAnimations().some(moves) ? 0 : calm + 1;
    }
  });
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
        // The name of whoever is signed in is no word of the product.
        const word = element.innerText.replace('平台管理员', '').trim();
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
  add('accessibility', unknown(await accessibilityProblems(page, scope)));
  add('words', await wrongWords(page, walk.language));
  if (walk.appearance === 'dark') add('white panels', await whitePanels(page));
  add('troubles', unknown(walk.watched.troubles()));
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

/** List, form and detail of a route in a wide window. */
async function lookAtRoute(walk: Walk, path: string): Promise<string[]> {
  const { page } = walk.watched;
  const parts = ['list'];
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
  // Rows in sight: a step of a form that is not reached yet may hold a table of its own, and the key would be typed into the form.
  if ((await shown.locator('tr[data-row-key]:visible').count()) === 0) return parts;
  await page.keyboard.press('j');
  if (await page.evaluate(() => document.activeElement?.matches('tr[data-row-key]') === true)) {
    await page.keyboard.press('Enter');
    await look(walk, path, 'detail', await opened(page, path));
    parts.push('detail');
    await leave(page, path);
  }
  return parts;
}

/** Routes of one appearance, some together: each as it is, none white in the dark, none too wide for a narrow window. */
async function walkSome(walk: Walk, paths: readonly string[], appearance: Appearance): Promise<void> {
  const { page } = walk.watched;
  const each = async (work: (path: string) => Promise<void>) => {
    for (const path of paths) {
      const began = performance.now();
      await work(path).catch((error: Error) => {
        walk.problems.push([path, 'stopped', error.message]);
        return page.keyboard.press('Escape');
      });
      const { troubles } = walk.watched;
      walk.problems.push(...unknown(troubles()).map((one) => [path, 'trouble', one] as const));
      walk.seen.get(path)!.seconds += (performance.now() - began) / 1_000;
    }
  };
  for (const path of paths) walk.seen.set(path, { seconds: 0, appearance, parts: [] });
  await appear(walk, appearance);
  await each(async (path) => {
    walk.seen.get(path)!.parts.push(...(await lookAtRoute(walk, path)));
  });
  if (appearance === 'light') {
    await appear(walk, 'dark');
    await each(async (path) => {
      await navigate(page, path);
      await still(page);
      const white = await whitePanels(page);
      if (white.length > 0) walk.problems.push([path, 'white panels', white]);
    });
  }
  for (const size of NARROW) {
    await page.setViewportSize(size);
    await each(async (path) => {
      await navigate(page, path);
      await still(page);
      const wide = await overflow(page);
      if (wide > 0) walk.problems.push([path, `${size.width} px`, wide]);
    });
  }
  await page.setViewportSize(WIDE);
  // Nothing was typed: what counts as unsaved counts wrongly.
  const unsaved = page.locator('[role="tab"]:has(.tab-dot), .tab:has(.tab-dot)');
  expect(await unsaved.allInnerTexts()).toEqual([]);
  // A strip of hundreds of tabs is not what is looked at.
  await tab(page, paths.at(-1)!).click({ button: 'right' });
  await page.getByRole('menuitem', { name: /^(关闭其他|Close others)$/ }).click();
  await expect.poll(() => tabs(page).count()).toBeLessThan(4);
}

/** Declares the walk of a language: the routes that fall to it, and the examples that are looked at in all ways. */
export function declareWalk(language: Language): void {
  const kit = frameKit();
  let walk: Walk;
  let paths: readonly string[];

  beforeAll(async () => {
    paths = ['/dashboard', ...(await builtPaths(kit))].filter(
      (path) => shareOf(path, LANGUAGES) === language && path.includes(ROUTE),
    );
    const watched = await enter(kit, language);
    const { page } = watched;
    page.setDefaultTimeout(15_000);
    // What things look like once they stand still is judged: a fade that begins after the last look at it is none of it.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await settled(page, '/dashboard');
    const asked = new Set<unknown>();
    page.on('request', (one) => /\/api\/(?!.*\/stream)/.test(one.url()) && asked.add(one));
    page.on('requestfinished', (one) => asked.delete(one));
    page.on('requestfailed', (one) => asked.delete(one));
    walk = { language, watched, appearance: 'light', asked, problems: [], seen: new Map() };
  }, 240_000);
  afterAll(() => walk?.watched.context.close());

  test(`17 and 30: ${WALKED[17]}; ${WALKED[30]}`, async () => {
    for (const appearance of APPEARANCES) {
      const mine = paths.filter((path) => shareOf(`${path} appearance`, APPEARANCES) === appearance);
      for (let at = 0; at < mine.length; at += TOGETHER)
        await walkSome(walk, mine.slice(at, at + TOGETHER), appearance);
    }
    console.log(
      [...walk.seen]
        .map(
          ([path, { seconds, appearance, parts }]) =>
            `${seconds.toFixed(1).padStart(6)} s  ${path} (${language}, ${appearance}: ${parts.join(', ')})`,
        )
        .join('\n'),
    );
    expect(walk.problems).toEqual([]);
    expect([...walk.seen.keys()].sort()).toEqual([...paths].sort());
    if (ROUTE) return;
    const all = [...walk.seen.values()];
    expect(all.length).toBeGreaterThan(10);
    for (const part of ['form', 'detail'])
      expect([part, all.filter((one) => one.parts.includes(part)).length > all.length * 0.3]).toEqual([
        part,
        true,
      ]);
  }, 2_400_000);

  test.skipIf(ROUTE)(
    'one example of each kind of screen, form and page of its own has no accessibility problems, light and dark',
    async () => {
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
    },
    480_000,
  );
}
