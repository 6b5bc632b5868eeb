// Bytes of JavaScript and CSS a browser requests, gzip: login page, frame + each of the main lists, and what every
// further screen adds. Measured in Chromium on the built page, each figure next to its goal.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import { median, table } from './load.mjs';
import { figure, startPages, waitForContent } from './page.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const GOALS = { login: 130, list: 400, chunk: 40 };
/** Lists that are opened first after signing in. */
const LISTS = {
  orders: '/merchantManager/mm_businessOrder_wx',
  refunds: '/service/mm_orderRefund',
  products: '/merchantManager/mm_commodityMana',
  users: '/adminSys/userManager',
  whitelist: '/adminSys/WhiteManage',
};

/** Measures and prints. */
export async function bench() {
  const pages = await startPages(18084);
  try {
    table('Size, gzip of all JavaScript and CSS requested', await sizes(pages));
  } finally {
    await pages.close();
  }
}

/** Rows of the table of sizes. */
export async function sizes(pages) {
  const rows = {};
  const login = await requests(pages, { signedIn: false });
  await login.page.goto(`${pages.url}/login`, { waitUntil: 'load' });
  await login.page.locator('#username').waitFor();
  rows['login page'] = figure(login.take(), GOALS.login, 'KB');
  // The frame is fetched behind the painted form; it costs nobody's waiting.
  await login.page.waitForTimeout(3_000);
  rows['login page'].note = `${login.take().toFixed(0)} KB more behind it`;
  await login.close();

  for (const [name, where] of Object.entries(LISTS)) {
    const one = await requests(pages);
    await one.page.goto(pages.url + where, { waitUntil: 'load' });
    await waitForContent(one.page);
    await one.quiet();
    rows[`frame + list of ${name}`] = figure(one.take(), GOALS.list, 'KB');
    await one.close();
  }

  const own = await ownChunks(pages);
  const worst = own.toSorted((a, b) => b.kb - a.kb)[0];
  rows[`a screen's own code, median of ${own.length}`] = figure(
    median(own.map(({ kb }) => kb)),
    GOALS.chunk,
    'KB',
    `most: ${worst.kb.toFixed(0)} KB, ${worst.where}`,
  );
  return rows;
}

/** What each screen adds once the frame, a list, a detail and a report have been open. */
async function ownChunks(pages) {
  const { data } = await (
    await fetch(`${pages.url}/api/admin/user/front/info`, { headers: { authorization: pages.token } })
  ).json();
  const screens = [...new Set(data.menus.map((menu) => menu.uri))].filter((uri) =>
    /^\/\w+\/\w+$/.test(uri ?? ''),
  );
  const one = await requests(pages);
  await one.page.goto(pages.url + LISTS.whitelist);
  await waitForContent(one.page);
  await one.quiet();
  one.take();
  const own = [];
  for (const where of screens) {
    if (where === LISTS.whitelist) continue;
    await one.page.evaluate((to) => {
      history.pushState(null, '', to);
      dispatchEvent(new PopStateEvent('popstate'));
    }, where);
    await one.page.locator(`[data-view="${where}"]`).waitFor();
    await one.quiet();
    own.push({ where, kb: one.take() });
  }
  await one.close();
  return own;
}

/** A page that adds up what it requests; `take` gives the KB since the last call. */
async function requests(pages, options) {
  const opened = await pages.open(options);
  let asked = new Set();
  const before = new Set();
  opened.page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/\.(js|css)$/.test(pathname) && !before.has(pathname)) asked.add(pathname);
  });
  return {
    ...opened,
    /** Waits until nothing has been requested for a while. */
    quiet: async () => {
      let known = -1;
      while (known !== asked.size) {
        known = asked.size;
        await opened.page.waitForTimeout(900);
      }
    },
    take: () => {
      const bytes = [...asked].reduce((sum, name) => {
        before.add(name);
        return (
          sum + zlib.gzipSync(fs.readFileSync(path.join(root, 'dist/client', name)), { level: 9 }).length
        );
      }, 0);
      asked = new Set();
      return bytes / 1024;
    },
  };
}
