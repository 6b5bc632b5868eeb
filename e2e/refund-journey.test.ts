import fs from 'node:fs';
import zlib from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  openPage,
  PASSWORD,
  signInPage,
  startBrowser,
  startProduct,
  until,
  type RunningProduct,
} from './product.ts';

/**
 * The journey the product is built for: a group that may only audit refunds of one project, a staff in it, and that
 * staff's day: pass one, reject one, restart a failed one, export. The money must add up to the fen afterwards.
 */
let product: RunningProduct;
let browser: Browser;
let admin: string;
let projectId: string;
let auditorPassword: string;

interface RefundRow {
  readonly id: string;
  readonly code: string;
  readonly cost: string;
  readonly state: string;
  readonly orderCode: string;
  readonly businessType: string;
  readonly project: { readonly id: string };
  readonly actions: readonly string[];
}

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), startBrowser()]);
  admin = await product.signIn('admin');
  const rows = await refunds(admin, 'state=reviewing&limit=200');
  const failed = await refunds(admin, 'state=failed&limit=50');
  // The project with waiting and failed refunds, so that every step of the day can be taken.
  projectId = failed
    .map((row) => row.project.id)
    .find(
      (id) =>
        rows.filter(
          (row) => row.project.id === id && row.businessType === 'goods' && row.actions.includes('approve'),
        ).length >= 2,
    )!;
  expect(projectId).toBeTruthy();
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

async function refunds(token: string, query: string): Promise<RefundRow[]> {
  const answer = await product.call('GET', `/api/jinmao/web/refund/page?${query}`, token);
  expect(answer.http).toBe(200);
  return (answer.body.data as { rows: RefundRow[] }).rows;
}

const mine = (page: Page) => page.getByRole('tab', { name: /待我审核/ });

test('the administrator makes a group that may only audit refunds, and a staff of one project in it', async () => {
  const group = await product.call('POST', '/api/admin/permissionGroup', admin, {
    type: 'role',
    name: '单项目退款审核',
    code: 'refund_one_project',
    parentId: null,
    departmentId: null,
  });
  expect(group.http).toBe(200);
  const { id, version } = group.body.data as { id: string; version: number };
  const granted = await product.call('PUT', `/api/admin/permissionGroup/${id}/authority`, admin, {
    version,
    menus: [{ code: 'mm_orderRefund', dataScope: 'all' }],
    elements: ['btn_audit', 'btn_restart', 'btn_reason', 'btn_export'].map(
      (element) => `mm_orderRefund:${element}`,
    ),
    reason: '只审核一个项目的退款',
  });
  expect([granted.http, granted.body.message]).toEqual([200, '']);
  const departments = (await product.call('GET', '/api/jinmao/web/options/department', admin)).body
    .data as unknown as { id: string }[];
  const staff = await product.call('POST', '/api/admin/staff', admin, {
    name: '陆审核',
    account: 'auditor_one',
    mobilePhone: '13812345678',
    department: departments[0]!.id,
    groups: [id],
    projects: [projectId],
  });
  expect([staff.http, staff.body.message]).toEqual([200, '']);
  auditorPassword = (staff.body.data as { result: { initialPassword: string } }).result.initialPassword;
});

test('the staff changes the first password and sees only that menu, only those rows, the badge right', async () => {
  const { page, context, troubles } = await openPage(browser, {}, product.url);
  await signInPage(page, product.url, 'auditor_one', auditorPassword);
  await page.locator('#password-old').fill(auditorPassword);
  await page.locator('#password-next').fill(PASSWORD);
  await page.locator('#password-confirm').fill(PASSWORD);
  await page.getByRole('button', { name: '提交' }).click();
  await page.locator('#password-old').waitFor({ state: 'detached' });
  await page.goto(`${product.url}/service/mm_orderRefund`);
  await page
    .getByText(/^RF2\d+/)
    .first()
    .waitFor();
  const links = await page
    .locator('nav.side-menu a[href^="/"]')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(links.filter((link) => link !== '/dashboard' && !link!.endsWith('/mm_orderRefund'))).toEqual([]);
  const token = await product.signIn('auditor_one');
  const all = await refunds(token, 'limit=200');
  expect(all.length).toBeGreaterThan(3);
  expect(all.every((row) => row.project.id === projectId)).toBe(true);
  const admins = await refunds(admin, 'limit=200');
  expect(admins.some((row) => row.project.id !== projectId)).toBe(true);
  const count = (
    await product.call('POST', '/api/jinmao/web/refundAudit/getRefundAuditCount', token, { auditStat: 0 })
  ).body.data as { total: number };
  const waiting = (await product.call('GET', '/api/jinmao/web/refund/page?tab=mine&limit=1', token)).body
    .data as { total: number };
  expect(count.total).toBe(waiting.total);
  await until(async () =>
    (await page.locator('nav.side-menu').innerText()).includes(
      count.total > 99 ? '99+' : String(count.total),
    ),
  );
  // Foreign rows do not exist for this staff, by any verb.
  const foreign = admins.find((row) => row.project.id !== projectId)!;
  expect((await product.call('GET', `/api/jinmao/web/refund/${foreign.id}`, token)).http).toBe(404);
  expect(
    (
      await product.call('POST', '/api/jinmao/web/bizRefundAudit/audit', token, {
        auditId: foreign.id,
        isPass: 1,
      })
    ).http,
  ).toBe(404);
  expect((await product.call('GET', '/api/admin/staff/page', token)).http).toBe(403);
  expect(troubles().filter((line) => !line.includes('notification/stream'))).toEqual([]);
  await context.close();
}, 180_000);

test('passes one, rejects one, restarts a failed one; order, timeline and money follow', async () => {
  const { page, context } = await openPage(browser, {}, product.url);
  await signInPage(page, product.url, 'auditor_one');
  const token = await product.signIn('auditor_one');
  await page.goto(`${product.url}/service/mm_orderRefund`);
  await mine(page).waitFor();
  const waiting = (await refunds(token, 'tab=mine&limit=50')).filter(
    // What was paid by receipts goes back offline.
    (row) => row.businessType === 'goods' && Number(row.cost) < 2000 && row.actions.includes('approve'),
  );
  const [pass, reject] = [waiting[0]!, waiting[1]!];

  await page.getByText(pass.code, { exact: true }).first().click();
  await page.getByRole('dialog').getByText(pass.orderCode).first().waitFor();
  // Nobody confirms figures that have not arrived.
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const figures = `**/api/jinmao/web/refund/${pass.id}`;
  await page.route(figures, async (route) => {
    await arrived;
    await route.continue();
  });
  await page.getByRole('dialog').getByRole('button', { name: '通过' }).first().click();
  await until(async () => (await page.getByRole('dialog').count()) === 2);
  const confirm = page.getByRole('dialog').last().getByRole('button', { name: '通过' }).last();
  await until(() => confirm.isDisabled());
  arrive();
  await page.getByRole('dialog').last().getByLabel('本次退回').waitFor();
  await page.unroute(figures);
  await confirm.click();
  await until(
    async () =>
      ['refunding', 'succeeded'].includes(
        (await product.call('GET', `/api/jinmao/web/refund/${pass.id}`, token)).body.data['state' as never],
      ),
    20_000,
  );
  await until(
    async () =>
      (await product.call('GET', `/api/jinmao/web/refund/${pass.id}`, token)).body.data['state' as never] ===
      'succeeded',
    180_000,
  );
  const timeline = (await product.call('GET', `/api/jinmao/web/refund/${pass.id}/timeline`, token)).body
    .data as unknown as { who: string; to: string | null }[];
  expect(timeline.some((entry) => entry.who === '陆审核')).toBe(true);

  // Without a reason a rejection is refused at the field; with one the order is as before.
  await page.goto(`${product.url}/service/mm_orderRefund?detail=${reject.id}`);
  const drawer = page.getByRole('dialog').first();
  await drawer.getByRole('button', { name: /更多/ }).first().click();
  await page.getByRole('menuitem', { name: '驳回' }).click();
  await until(async () => (await page.getByRole('dialog').count()) === 2);
  const dialog = page.getByRole('dialog').last();
  await page.clock.install();
  await dialog.getByRole('button', { name: '驳回' }).click();
  await dialog.getByText('此项必填').first().waitFor();
  await dialog.locator('textarea, input[type=text]').last().fill('商品已发出，请拒收后再申请');
  // The submit is guarded for three seconds.
  await page.clock.fastForward(3_100);
  await dialog.getByRole('button', { name: '驳回' }).click();
  await until(
    async () =>
      (await product.call('GET', `/api/jinmao/web/refund/${reject.id}`, token)).body.data[
        'state' as never
      ] === 'cancelled',
    20_000,
  );

  const failed = (await refunds(token, 'state=failed&limit=10')).find((row) =>
    row.actions.includes('restart'),
  )!;
  const restarted = await product.call(
    'GET',
    `/api/jinmao/web/refundAudit/restartRefund?auditId=${failed.id}`,
    token,
  );
  expect(restarted.http).toBe(200);
  await until(
    async () =>
      (await product.call('GET', `/api/jinmao/web/refund/${failed.id}`, token)).body.data[
        'state' as never
      ] === 'succeeded',
    180_000,
  );

  // The order shows the refund, and paid = refunded + left, to the fen.
  const orders = (
    await product.call('GET', `/api/jinmao/web/goodsOrder/page?searchVal=${pass.orderCode}`, admin)
  ).body.data as { rows: { id: string }[] };
  const order = (
    await product.call(
      'GET',
      `/api/jinmao/bizProductOrder/findProductOrderInfo?orderId=${orders.rows[0]!.id}`,
      admin,
    )
  ).body.data as {
    refundPrice: string;
    actualPrice: string;
    refundList: { refundCode?: string; code?: string }[];
  };
  expect(JSON.stringify(order.refundList)).toContain(pass.code);
  expect(Math.round(Number(order.refundPrice) * 100)).toBeGreaterThanOrEqual(
    Math.round(Number(pass.cost) * 100),
  );
  expect(Math.round(Number(order.refundPrice) * 100)).toBeLessThanOrEqual(
    Math.round(Number(order.actualPrice) * 100),
  );
  await context.close();
}, 240_000);

test('the export equals the list, is reached by its owner only and opens as a workbook', async () => {
  const token = await product.signIn('auditor_one');
  const { taskId } = (
    await product.call('POST', '/api/jinmao/web/refundAudit/exportRefundOrderExcel', token, {})
  ).body.data as { taskId: string };
  let url = '';
  await until(async () => {
    const tasks = (await product.call('GET', '/api/jinmao/web/exportTask/list', token)).body
      .data as unknown as { id: string; state: string; exportUrl: string; rowCount: number }[];
    const task = tasks.find((one) => one.id === taskId);
    url = task?.exportUrl ?? '';
    return task?.state === 'ready';
  }, 180_000);
  const list = await fetch(`${product.url}/api/jinmao/web/exportTask/list`, {
    headers: { authorization: token },
  });
  const cookie = list.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const fresh = ((await list.json()) as { data: { id: string; exportUrl: string }[] }).data.find(
    (one) => one.id === taskId,
  )!;
  const file = await fetch(`${product.url}${fresh.exportUrl}`, { headers: { cookie } });
  expect(file.status).toBe(200);
  const bytes = Buffer.from(await file.arrayBuffer());
  expect(bytes.subarray(0, 2).toString()).toBe('PK');
  const total = (
    (await product.call('GET', '/api/jinmao/web/refund/page?limit=1', token)).body.data as { total: number }
  ).total;
  expect(sheetRows(bytes) - 1).toBeGreaterThanOrEqual(total);
  expect((await fetch(`${product.url}${url}`)).status).toBe(404);
  const other = await fetch(`${product.url}/api/jinmao/web/exportTask/list`, {
    headers: { authorization: admin },
  });
  const otherCookie = other.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  expect((await fetch(`${product.url}${fresh.exportUrl}`, { headers: { cookie: otherCookie } })).status).toBe(
    404,
  );
}, 180_000);

/** Rows of the first sheet of a workbook, read from the zip's central directory. */
function sheetRows(workbook: Buffer): number {
  const end = workbook.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  let at = workbook.readUInt32LE(end + 16);
  for (let entry = 0; entry < workbook.readUInt16LE(end + 10); entry++) {
    const name = workbook.subarray(at + 46, at + 46 + workbook.readUInt16LE(at + 28)).toString();
    if (/sheet1\.xml$/.test(name)) {
      const local = workbook.readUInt32LE(at + 42);
      const start = local + 30 + workbook.readUInt16LE(local + 26) + workbook.readUInt16LE(local + 28);
      const data = workbook.subarray(start, start + workbook.readUInt32LE(at + 20));
      return (zlib.inflateRawSync(data).toString().match(/<row /g) ?? []).length;
    }
    at +=
      46 + workbook.readUInt16LE(at + 28) + workbook.readUInt16LE(at + 30) + workbook.readUInt16LE(at + 32);
  }
  throw new Error('no sheet');
}

test('afterwards every ledger, order and refund still adds up', async () => {
  const { spawnSync } = await import('node:child_process');
  const done = spawnSync(process.execPath, ['dist/server/cli.js', 'doctor'], {
    env: { ...process.env, DATA_DIR: product.dataDir },
    encoding: 'utf8',
  });
  expect(done.stdout).toContain('Everything adds up.');
  expect(done.status).toBe(0);
  expect(fs.existsSync(product.dataDir)).toBe(true);
}, 180_000);
