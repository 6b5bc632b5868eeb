import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { say, type Language } from './frame-lines.ts';
import {
  enterPage,
  openPage,
  startBrowser,
  startProduct,
  until,
  type RunningProduct,
  type WatchedPage,
} from './product.ts';

/** Screens the journeys of the frame live on. */
export const USERS = '/adminSys/userManager';
export const DEPARTMENTS = '/adminSys/departManager';
export const POSTS = '/adminSys/stationManage';
export const TYPES = '/adminSys/groupTypeManager';
export const ORDERS = '/merchantManager/mm_businessOrder_wx';
export const REFUNDS = '/service/mm_orderRefund';
export const ANALYSIS = '/merchantManager/mm_businessAna';

/** What the journeys of one file share. */
export interface Kit {
  product: RunningProduct;
  browser: Browser;
  /** A token of the administrator. */
  admin: string;
  /** Data of a GET call; throws for everything but success. */
  data<T>(path: string, token?: string): Promise<T>;
}

/** One product and one browser for all journeys of a file. */
export function frameKit(env: Readonly<Record<string, string>> = {}): Kit {
  const kit = {} as Kit;
  kit.data = async <T>(path: string, token = kit.admin) => {
    const answer = await kit.product.call('GET', path, token);
    if (answer.http !== 200) throw new Error(`${path}: ${answer.http} ${answer.body.message}`);
    return answer.body.data as T;
  };
  beforeAll(async () => {
    [kit.product, kit.browser] = await Promise.all([startProduct(env), startBrowser()]);
    kit.admin = await kit.product.signIn('admin');
  }, 300_000);
  afterAll(async () => {
    await Promise.all([kit.browser?.close(), kit.product?.stop()]);
  });
  return kit;
}

/** Where and as whom a page is opened. */
export interface EnterOptions {
  readonly account?: string;
  /** Instead of a session of its own. */
  readonly token?: string;
  readonly path?: string;
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** In a profile that has nothing of the page yet. */
  readonly fresh?: boolean;
}

/** A page of its own browser profile, signed in with a session of its own, in a language. */
export async function enter(
  kit: Kit,
  language: Language,
  options: EnterOptions = {},
): Promise<WatchedPage & { readonly token: string }> {
  const [watched, token] = await Promise.all([
    openPage(kit.browser, { ...options, english: language === 'en' }, kit.product.url),
    options.token ?? kit.product.signIn(options.account ?? 'admin'),
  ]);
  await enterPage(watched.page, kit.product.url, token, options.path);
  return { ...watched, token };
}

/** The tabs of the strip, in their order. */
export const tabs = (page: Page): Locator => page.locator('.tab-list [role=tab]');
/** The tab of a path. */
export const tab = (page: Page, path: string): Locator => page.locator(`[data-tab="${path}"]`);
/** The live view of a path. */
export const view = (page: Page, path: string): Locator => page.locator(`[data-view="${path}"]`);
/** The button of a list that adds a row. */
export const addButton = (page: Page, language: Language): Locator =>
  page.getByRole('button', { name: language === 'zh' ? /^新增(用户)?$/ : /^Add( user)?$/ }).first();

/**
 * The dialog for the remark of an order, opened from the order's page; returns its text field. Whether the action stands
 * as a button or under 更多 is up to the state of the order, and which order is the newest to the hour of the run.
 */
export async function openRemark(page: Page, language: Language, path: string): Promise<Locator> {
  const shown = view(page, path);
  await shown.locator('.go-page').waitFor();
  const actions = shown.locator('.k-title-actions');
  const button = actions.getByRole('button', { name: say(language, '备注', 'Remark'), exact: true });
  if ((await button.count()) > 0) await button.click();
  else {
    await actions.getByRole('button', { name: say(language, '更多', 'More') }).click();
    await page.getByRole('menuitem', { name: say(language, '备注', 'Remark'), exact: true }).click();
  }
  const note = page.locator('.ant-modal:visible textarea');
  await note.waitFor();
  return note;
}

/** Paths of the tabs, in their order. */
export const tabPaths = (page: Page): Promise<(string | null)[]> =>
  tabs(page).evaluateAll((all) => all.map((one) => one.getAttribute('data-tab')));

/** Opens a path inside the running page, as the back button would, and waits for its view. */
export async function navigate(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);
  await view(page, path.split('?')[0]!).waitFor();
}

/** Chooses an entry of the right-click menu of a tab. */
export async function tabMenu(page: Page, path: string, entry: string): Promise<void> {
  await tab(page, path).click({ button: 'right' });
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

/**
 * Waits until a view shows what it is for: its skeletons are gone and it says something. Asked in the page, frame by frame, as
 * waiting for an element from outside looks twice a second only once it has lasted a while.
 */
export async function settled(page: Page, path: string): Promise<void> {
  await page.waitForFunction((at) => {
    const shown = document.querySelector(`[data-view="${at}"]`);
    const first = shown?.querySelector('h1, h2, table, .k-state, .k-empty');
    return (
      first?.checkVisibility({ visibilityProperty: true }) === true &&
      first.getBoundingClientRect().height > 0 &&
      shown!.querySelector('.screen-skeleton, .k-skeleton, .bone, .ant-skeleton') === null
    );
  }, path);
}

/**
 * Holds the clock of a page: its timers run as far as `page.clock.runFor` lets them until `page.clock.resume`. What takes some
 * seconds on the screen takes none here, and is exact on a machine of any speed.
 */
export const holdClock = async (page: Page): Promise<void> =>
  page.clock.pauseAt(await page.evaluate(() => Date.now() + 10_000));

/** Waits under a held clock, which moves by a little while waiting: some of what is waited for may come by a timer. */
export const untilTicked = (page: Page, condition: () => Promise<boolean>): Promise<void> =>
  until(async () => {
    await page.clock.runFor(20);
    return condition();
  });

/** The routes of the product a list can be opened under: every built menu of the signed-in staff without parameters. */
export async function builtPaths(kit: Kit, token = kit.admin): Promise<string[]> {
  const { menus } = await kit.data<{ menus: { uri: string }[] }>('/api/admin/user/front/info', token);
  return [...new Set(menus.map((menu) => menu.uri).filter((uri) => /^\/\w+\/\w+$/.test(uri)))];
}

/** Ids of records the administrator sees on a list. */
export async function rowsOf<T = { id: string; code: string }>(
  kit: Kit,
  resource: string,
  query: string,
  token = kit.admin,
): Promise<T[]> {
  return (await kit.data<{ rows: T[] }>(`/api/jinmao/web/${resource}/page?${query}`, token)).rows;
}
