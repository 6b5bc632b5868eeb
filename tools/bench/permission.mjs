// What rights cost: CPU of session and permission in a call, lists of a staff with a great many rights against those of an
// administrator, and the grants dialog with 400 menus and 2,000 elements in the browser. Compared in one run, interleaved.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { findBrowser } from '../browser.mjs';
import { load, median, table } from './load.mjs';
import { startProduct } from './product.mjs';

const ROUNDS = 5;
const HEAVY = { groups: 50, menus: 500, projects: 300 };
const DIALOG = { menus: 400, elements: 2_000 };

/** Measures and prints. */
export async function bench() {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-permission-'));
  const product = await startProduct(dataDir, 18086);
  const { app } = JSON.parse(fs.readFileSync(path.join(dataDir, 'addresses.json'), 'utf8'));
  const client = new pg.Client(app);
  try {
    await client.connect();
    const admin = await product.signIn('admin');
    await cpu(product, admin);
    await addRights(client);
    await heavyLists(product, client, admin);
    await dialog(product, admin);
  } finally {
    await client.end();
    await product.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
}

/** CPU of the server process per call: a route with a token against one without, both without a query. */
async function cpu(product, authorization) {
  const routes = {
    'without token': { path: '/api/auth/authLogin/options', headers: {} },
    'with token and permission': { path: '/api/jinmao/shoppingMall/getPayType', headers: { authorization } },
  };
  const results = Object.fromEntries(Object.keys(routes).map((name) => [name, []]));
  for (const route of Object.values(routes))
    await load({ port: product.port, ...route, connections: 8, seconds: 2 });
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, route] of Object.entries(routes)) {
      const before = cpuSeconds(product.pid);
      const { count } = await load({ port: product.port, ...route, connections: 8, seconds: 3 });
      results[name].push(((cpuSeconds(product.pid) - before) * 1000) / count);
    }
  const bare = median(results['without token']);
  table(
    `CPU of the server per call, median of ${ROUNDS} rounds (reach: at most 0.15 ms more)`,
    Object.fromEntries(
      Object.entries(results).map(([name, values]) => [
        name,
        {
          'ms CPU': median(values).toFixed(3),
          spread: `${Math.min(...values).toFixed(3)}–${Math.max(...values).toFixed(3)}`,
          'ms more': (median(values) - bare).toFixed(3),
        },
      ]),
    ),
  );
}

/** Seconds of CPU a process has used so far. */
function cpuSeconds(pid) {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Menus, elements, projects and groups of a great company, and one staff who holds them all. */
async function addRights(client) {
  await client.query(
    `INSERT INTO menu (code, title_zh, title_en, type, built_in, built)
     SELECT 'bench_' || n, '菜单' || n, 'Menu ' || n, 'menu', false, true FROM generate_series(1, $1::int) AS n`,
    [Math.max(HEAVY.menus, DIALOG.menus)],
  );
  await client.query(
    `INSERT INTO menu_place (menu_code, parent_code, route, sort)
     SELECT 'bench_' || n, (ARRAY['merchantManager', 'adminSys', 'service'])[1 + n % 3], '/bench/' || n, 10000 + n FROM generate_series(1, $1::int) AS n`,
    [DIALOG.menus],
  );
  await client.query(
    `INSERT INTO element (code, menu_code, name_zh, name_en)
     SELECT 'bench_' || (1 + n % $2::int) || ':btn_' || translate(n::text, '0123456789', 'abcdefghij'), 'bench_' || (1 + n % $2::int), '按钮' || n, 'Button ' || n
       FROM generate_series(1, $1::int) AS n`,
    [DIALOG.elements, DIALOG.menus],
  );
  await client.query(
    `INSERT INTO project (code, name, unit_id, centre_id) SELECT 'BENCH' || n, '项目' || n, p.unit_id, p.centre_id
       FROM generate_series(1, $1::int) AS n, (SELECT unit_id, centre_id FROM project ORDER BY id LIMIT 1) p`,
    [HEAVY.projects],
  );
  const { rows } = await client.query(
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password, password_hash)
     SELECT tenant_id, 'heavy', '重权限', false, false, password_hash FROM staff WHERE account = 'admin' RETURNING id, tenant_id`,
  );
  const [staff] = rows;
  await client.query('INSERT INTO staff_project (staff_id, project_id) SELECT $1, id FROM project', [
    staff.id,
  ]);
  await client.query(
    `INSERT INTO permission_group (type_id, tenant_id, code, name)
     SELECT (SELECT id FROM group_type WHERE code = 'role'), $1, 'bench_' || n, '性能角色' || n FROM generate_series(1, $2::int) AS n`,
    [staff.tenant_id, HEAVY.groups],
  );
  await client.query(
    `INSERT INTO menu_grant (group_id, menu_code) SELECT g.id, m.code FROM permission_group g, menu m
      WHERE g.code LIKE 'bench\\_%' AND m.built AND NOT m.retired`,
  );
  await client.query(
    `INSERT INTO element_grant (group_id, element_code) SELECT g.id, e.code FROM permission_group g, element e
      WHERE g.code IN ('bench_1', 'bench_2') AND NOT e.retired`,
  );
  await client.query(
    `INSERT INTO group_member (group_id, staff_id) SELECT id, $1 FROM permission_group WHERE code LIKE 'bench\\_%'`,
    [staff.id],
  );
  await client.query('ANALYZE');
}

/** The same list for an administrator and for a staff of 50 groups, 500 menus and 300 projects; and its first call. */
async function heavyLists(product, client, admin) {
  const heavy = await product.signIn('heavy');
  const began = performance.now();
  await fetch(`${product.url}/api/jinmao/web/goodsOrder/page?limit=20`, {
    headers: { authorization: heavy },
  });
  const first = performance.now() - began;
  const candidates = {
    administrator: admin,
    [`${HEAVY.groups} groups, ${HEAVY.menus} menus, ${HEAVY.projects} projects`]: heavy,
  };
  const results = Object.fromEntries(Object.keys(candidates).map((name) => [name, []]));
  const one = (authorization, seconds) =>
    load({
      port: product.port,
      path: '/api/jinmao/web/goodsOrder/page?limit=20',
      headers: { authorization },
      connections: 4,
      seconds,
    });
  for (const authorization of Object.values(candidates)) await one(authorization, 2);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, authorization] of Object.entries(candidates))
      results[name].push(await one(authorization, 3));
  const base = median(results.administrator.map((run) => run.p50));
  table(
    `List of 20 orders, median of ${ROUNDS} rounds (reach: at most 1.3 times)`,
    Object.fromEntries(
      Object.entries(results).map(([name, runs]) => [
        name,
        {
          'p50 ms': median(runs.map((run) => run.p50)).toFixed(2),
          'p99 ms': median(runs.map((run) => run.p99)).toFixed(2),
          times: (median(runs.map((run) => run.p50)) / base).toFixed(2),
        },
      ]),
    ),
  );
  console.log(`first call of the session, rights loaded: ${first.toFixed(0)} ms`);
  // A change of rights makes every session load them again: this is what one load costs.
  const loads = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await client.query(`UPDATE staff SET permission_epoch = permission_epoch + 1 WHERE account = 'heavy'`);
    await client.query(`SELECT pg_notify('session_changed', 'all')`);
    await new Promise((resolve) => setTimeout(resolve, 150));
    const started = performance.now();
    await fetch(`${product.url}/api/jinmao/shoppingMall/getPayType`, { headers: { authorization: heavy } });
    loads.push(performance.now() - started);
  }
  console.log(`a call that loads the rights again: median ${median(loads).toFixed(0)} ms`);
}

/** From the click to the drawn tree of the grants dialog; the first time brings its chunk along. */
async function dialog(product, token) {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath: await findBrowser({ install: false }),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    await context.addCookies([{ name: 'Authorization', value: token, url: product.url }]);
    const page = await context.newPage();
    await page.goto(`${product.url}/adminSys/groupManager`);
    const group = page.getByText('性能角色1', { exact: true }).first();
    await group.waitFor();
    await group.click();
    const button = page.getByRole('button', { name: '权限分配' }).first();
    await button.waitFor();
    const call = [];
    page.on('response', (answer) => {
      if (/\/authority$/.test(answer.url())) call.push(answer.request());
    });
    const times = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      await page.waitForTimeout(400);
      // Inside the page: the driver's own polling would be counted otherwise.
      times.push(
        await button.evaluate(
          (element) =>
            new Promise((resolve) => {
              const started = performance.now();
              const look = () => {
                if (document.querySelectorAll('.pg-tree .ant-tree-treenode').length > 10)
                  requestAnimationFrame(() =>
                    requestAnimationFrame(() => resolve(performance.now() - started)),
                  );
                else requestAnimationFrame(look);
              };
              element.click();
              look();
            }),
        ),
      );
      await page.keyboard.press('Escape');
      await page.locator('.pg-tree').waitFor({ state: 'detached' });
    }
    const answers = await Promise.all(call.map(async (request) => request.timing().responseEnd));
    table(`Grants dialog with ${DIALOG.menus} menus and ${DIALOG.elements} elements (reach: 500 ms)`, {
      'first open': { ms: Math.round(times[0]), 'of it the call': Math.round(answers[0]) },
      [`median of ${ROUNDS} further ones`]: {
        ms: Math.round(median(times.slice(1))),
        'of it the call': Math.round(median(answers.slice(1))),
      },
    });
  } finally {
    await browser.close();
  }
}
