import { chromium } from 'playwright-core';
const url = 'http://localhost:4186';
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const [mode, ...only] = process.argv.slice(2);
const en = mode === 'en';
const context = await browser.newContext({ viewport: { width: en ? 1024 : 1440, height: 900 }, colorScheme: en ? 'dark' : 'light', locale: en ? 'en-US' : 'zh-CN' });
const page = await context.newPage();
page.on('console', (m) => { if (['error', 'warning'].includes(m.type())) console.log('CONSOLE', m.type(), m.text().slice(0, 300)); });
page.on('pageerror', (e) => console.log('PAGEERROR', String(e).slice(0, 300)));
page.on('response', (r) => { if (r.status() >= 400) console.log('HTTP', r.status(), r.url().slice(0, 200)); });
await page.goto(`${url}/login`);
if (en) await page.evaluate(() => { localStorage.setItem('language', 'en'); localStorage.setItem('appearance', 'dark'); });
await page.locator('#username').fill('admin');
await page.locator('#password').fill('Xk7#mQ2vLp9!');
await page.locator('#code').fill('1234');
await page.locator('form button[type=submit]').first().click();
await page.waitForURL((a) => !a.pathname.startsWith('/login'), { timeout: 60000 });
await page.locator('nav').first().waitFor();
const token = (await context.cookies()).find((c) => c.name === 'Authorization').value;
const api = async (path) => (await (await fetch(`${url}/api${path}`, { headers: { authorization: decodeURIComponent(token), 'accept-language': en ? 'en' : 'zh' } })).json()).data;
const first = async (name, q = '') => (await api(`/jinmao/web/${name}/page?limit=1${q}`)).rows[0]?.id;
const month = new Date(Date.now() - 29 * 864e5).toISOString().slice(0, 10) + '~' + new Date().toISOString().slice(0, 10);
const paths = {
  decorOrders: '/mercureManager/mj_mercureCommodityOrder',
  decorData: `/mercureManager/mj_mercureCommodityOrder?part=data&range=${new Date(Date.now() - 300 * 864e5).toISOString().slice(0, 10)}~${new Date().toISOString().slice(0, 10)}`,
  decorOrder: `/mercureManager/mj_mercureCommodityOrder?detail=${await first('decorOrder', '&state=warranty')}`,
  houseTypes: '/mercureManager/mj_houseTypeMana',
  houseType: `/mercureManager/mj_houseTypeMana?detail=${await first('houseType')}`,
  packOrders: '/lifeService/order',
  pack: `/lifeService/pack?detail=${await first('package', '&state=published')}`,
  receipts: '/lifeService/accountsConfirm?tab=confirmed',
  receivables: '/lifeService/accountsReceivable',
  sales: `/statisticalAnalysis/sa_goodsSale?range=${month}`,
  visits: `/statisticalAnalysis/sa_goodsSale?as=visits&at=${month}`,
  lot: `/marketing/mk_parkingPlaceDetails/view/${await first('parkingLot')}`,
  parkOrders: '/marketing/mk_parkOrder',
  batches: '/butlermanager/butler_incentiveDistribution',
};
for (const [name, path] of Object.entries(paths)) {
  if (only.length && !only.includes(name)) continue;
  await page.goto(url + path);
  await page.waitForLoadState('networkidle').catch(() => {});
  await page.waitForTimeout(1500);
  await page.screenshot({ path: `/tmp/rest-${mode}-${name}.png`, fullPage: name === 'lot' || name === 'sales' || name === 'decorData' });
  console.log('SHOT', name);
}
await browser.close();
