import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { findExampleCart } from '../src/app/server/seed-demo/example-cart.ts';
import { enter, frameKit, navigate, rowsOf, settled, view } from './frame-kit.ts';
import { languagesOf, say } from './frame-lines.ts';
import { query, until } from './product.ts';

const kit = frameKit();
const ORDERS = '/merchantManager/mm_businessOrder_wx';
const REFUNDS = '/merchantManager/mm_orderRefund';
const GOODS = '/merchantManager/mm_commodityMana';
const ANALYSIS = '/merchantManager/mm_businessAna';
const STAFF = '/adminSys/userManager';

interface Refund {
  readonly id: string;
  readonly code: string;
  readonly cost: string;
  readonly points: number;
  readonly state: string;
  readonly actions: readonly string[];
}

test('group 08 Must show 1 (the page): the orders of example A show 99.41, 42.99 and 142.40; the explain panel lists steps 10 to 50', async () => {
  const cart = await findExampleCart({
    query: async (text: string, values?: unknown[]) => ({ rows: await query(kit.product, text, values) }),
  } as Parameters<typeof findExampleCart>[0]);
  const [house] = await query<{ id: string }>(
    kit.product,
    `SELECT h.id FROM household x JOIN house h ON h.id = x.house_id WHERE x.member_id = $1 AND x.status = 'normal' ORDER BY h.id LIMIT 1`,
    [cart.memberId],
  );
  const made = await kit.product.call('POST', '/api/jinmao/web/goodsOrder', kit.admin, {
    member: String(cart.memberId),
    house: String(house!.id),
    lines: [cart.rice, cart.oil, cart.tissue].map((line) => ({
      specId: String(line.specId),
      qty: line.qty,
    })),
    coupons: [cart.merchantCoupon, cart.platformCoupon].map((one) => String(one.memberCouponId)),
    points: 3_300,
    shownTotal: '142.40',
  });
  expect(made.body.message).toBe('');
  const { orderIds } = (made.body.data as { result: { orderIds: string[] } }).result;
  const { page, context } = await enter(kit, 'zh', { path: `${ORDERS}/${orderIds[0]}` });
  const shown = view(page, `${ORDERS}/${orderIds[0]}`);
  await shown.getByRole('heading', { name: '计算说明' }).waitFor();
  const money = await shown.innerText();
  for (const amount of ['99.41', '142.40', '53.36', '40.05', '6.00']) expect(money).toContain(amount);
  await shown
    .locator('section', { has: page.getByRole('heading', { name: '计算说明' }) })
    .getByRole('button', { name: '展开' })
    .click();
  expect(await shown.locator('.go-steps .go-step-code').allInnerTexts()).toEqual([
    '10',
    '20',
    '30',
    '40',
    '50',
  ]);
  await navigate(page, `${ORDERS}/${orderIds[1]}`);
  await view(page, `${ORDERS}/${orderIds[1]}`).getByText('42.99').first().waitFor();
  await context.close();
});

test("group 16 Must show 10 (the page): a merchant's coupon under the address of the platform's is not found", async () => {
  const [mine] = await rowsOf(kit, 'issuedCoupon', 'issuer=merchant&limit=1');
  const path = `/marketing/mk_couponDetail/edit/${mine!.id}/1`;
  const { page, context } = await enter(kit, 'zh', { path });
  await view(page, path).getByText('404 页面不存在').waitFor();
  const own = `/marketing/mk_couponDetail/view/${mine!.id}/2`;
  await navigate(page, own);
  await view(page, own).getByRole('tab', { name: '领用明细' }).waitFor();
  await context.close();
});

test('group 01 Must show 1 (the page): a post shows two pictures and the text [未知]; with pictures blocked their characters', async () => {
  await query(
    kit.product,
    `UPDATE post SET content = '表情核对：今天[玫瑰][大笑]开心[未知]' WHERE id = (SELECT id FROM post WHERE kind = 'family' AND deleted_at IS NULL AND review_state = 'passed' ORDER BY id DESC LIMIT 1)`,
  );
  const path = '/operService/os_familyPosts';
  const look = async (blocked: boolean) => {
    const { page, context } = await enter(kit, 'zh');
    if (blocked) await context.route('**/*.svg', (route) => route.abort());
    await navigate(page, `${path}?searchVal=${encodeURIComponent('表情核对')}`);
    const cell = view(page, path).locator('.em-text').first();
    await cell.waitFor();
    return { cell, context };
  };
  const shown = await look(false);
  await until(async () => (await shown.cell.locator('img').count()) === 2);
  expect(
    await shown.cell
      .locator('img')
      .evaluateAll((pictures) => pictures.map((one) => (one as HTMLImageElement).alt)),
  ).toEqual(['[玫瑰]', '[大笑]']);
  await until(async () =>
    shown.cell
      .locator('img')
      .evaluateAll((pictures) => pictures.every((one) => (one as HTMLImageElement).naturalWidth > 0)),
  );
  expect(await shown.cell.innerText()).toBe('表情核对：今天开心[未知]');
  await shown.context.close();
  const blocked = await look(true);
  await until(async () => (await blocked.cell.innerText()) === '表情核对：今天🌹😆开心[未知]');
  await blocked.context.close();
});

describe.each(languagesOf('mall'))('mall and refunds (%s)', (language) => {
  const pass = say(language, '通过', 'Pass');
  const restart = say(language, '重新退款', 'Restart');
  const dialog = (page: Page) => page.locator('.ant-modal').last();
  const drawer = (page: Page) => page.locator('.ant-drawer');
  const openRefund = async (page: Page, refund: Refund) => {
    await navigate(page, `${REFUNDS}?tab=all&detail=${refund.id}`);
    await drawer(page).getByText(refund.code).first().waitFor();
    await drawer(page).getByRole('tab').first().waitFor();
  };

  test('a failed refund offers one way to send it again, and the dialogs show what comes back by the server', async () => {
    const rows = await rowsOf<Refund>(kit, 'refund', 'limit=200&tab=all');
    const { page, context } = await enter(kit, language, { path: REFUNDS });
    await settled(page, REFUNDS);
    const failed = rows.find((row) => row.state === 'failed')!;
    await openRefund(page, failed);
    expect(await drawer(page).getByRole('button', { name: pass, exact: true }).count()).toBe(0);
    await drawer(page).getByRole('button', { name: restart, exact: true }).click();
    await showsMoney(page, failed);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'hidden' });
    await page.keyboard.press('Escape');

    const waiting = rows.find((row) => row.actions.includes('approve') && row.points > 0)!;
    await openRefund(page, waiting);
    expect(await drawer(page).getByRole('button', { name: restart, exact: true }).count()).toBe(0);
    await drawer(page).getByRole('button', { name: pass, exact: true }).click();
    await showsMoney(page, waiting);
    await context.close();
  });

  const showsMoney = async (page: Page, refund: Refund) => {
    const facts = dialog(page).locator('.refund-pass');
    await facts.locator('dd').first().waitFor();
    const row = await kit.data<{ cost: string; points: number; parts: { lines: { currentQty: number }[] } }>(
      `/api/jinmao/web/refund/${refund.id}`,
    );
    const text = await facts.innerText();
    const yuan = Number(row.cost).toLocaleString('en-US', { minimumFractionDigits: 2 });
    expect(text).toContain(`¥${yuan}`);
    expect(text).toMatch(
      new RegExp(`${say(language, '退积分', 'Points back')}\\s+${row.points.toLocaleString('en-US')}`),
    );
    expect((text.match(/× \d+/g) ?? []).length).toBe(
      row.parts.lines.filter((line) => line.currentQty > 0).length,
    );
  };

  test.each([1440, 1024])(
    'every status tab of the orders is in view or under 更多 at %i px',
    async (width) => {
      const { page, context } = await enter(kit, language, { path: ORDERS, width, height: 768 });
      await settled(page, ORDERS);
      const shown = view(page, ORDERS);
      const tabs = shown.locator('.k-tabs-line [role=tab]');
      const closed = say(language, '已关闭', 'Closed');
      const more = shown.locator('.k-tabs-more');
      await more.waitFor();
      const inView = (name: string) =>
        tabs.filter({ hasText: name }).evaluate((tab) => {
          const [frame, place] = [tab.parentElement!.getBoundingClientRect(), tab.getBoundingClientRect()];
          return place.left >= frame.left - 1 && place.right <= frame.right + 1;
        });
      await more.click();
      const listed = await page.getByRole('menuitem').allInnerTexts();
      for (const name of await tabs.allInnerTexts()) {
        const label = name.split('\n')[0]!;
        expect([label, (await inView(label)) || listed.some((entry) => entry.startsWith(label))]).toEqual([
          label,
          true,
        ]);
      }
      expect(await inView(closed)).toBe(false);
      await page.getByRole('menuitem', { name: closed }).click();
      await until(() => inView(closed));
      expect(await tabs.filter({ hasText: closed }).getAttribute('aria-selected')).toBe('true');
      await context.close();
    },
  );

  test('a bulk dialog says what the action says about one, with the names', async () => {
    const { page, context } = await enter(kit, language, { path: `${GOODS}?tab=selling` });
    await settled(page, GOODS);
    const shown = view(page, GOODS);
    const names = await shown.locator('tbody tr[data-row-key] td:nth-child(2)').allInnerTexts();
    for (const row of [0, 1]) await shown.locator('tbody input[type=checkbox]').nth(row).check();
    await shown
      .getByRole('button', { name: say(language, '下架', 'Take down'), exact: true })
      .first()
      .click();
    await dialog(page)
      .getByText(
        say(
          language,
          `下架后 App 不再展示「${names[0]}、${names[1]}」，未支付订单不受影响`,
          `“${names[0]}, ${names[1]}” disappears from the app; unpaid orders stay`,
        ),
      )
      .waitFor();
    await context.close();
  });

  test('prices of the sales analysis have separators', async () => {
    const { page, context } = await enter(kit, language, { path: ANALYSIS });
    const shown = view(page, ANALYSIS);
    await shown.locator('table tbody tr').first().waitFor();
    const cells = await shown.locator('table').last().locator('tbody td').allInnerTexts();
    expect(cells.some((cell) => /^\d,\d{3}\.\d{2}–\d,\d{3}\.\d{2}$/.test(cell))).toBe(true);
    expect(cells.filter((cell) => /\d{4,}\.\d{2}/.test(cell))).toEqual([]);
    await context.close();
  });

  test('a masked phone in an edit form stays as it is: neither judged nor sent until it is changed', async () => {
    const { page, context } = await enter(kit, language, { path: STAFF });
    await settled(page, STAFF);
    const shown = view(page, STAFF);
    // The first administrator has no phone; the staff after it have.
    await shown
      .getByRole('button', { name: say(language, '编辑', 'Edit'), exact: true })
      .nth(1)
      .click();
    const form = page.locator('.k-form-drawer');
    const change = form.getByRole('button', { name: say(language, '修改: 手机', 'Change: Phone') });
    await change.waitFor();
    const phone = form.getByLabel(say(language, '手机', 'Phone'), { exact: true });
    expect(await phone.inputValue()).toMatch(/^\d{3}\*{4}\d{4}$/);
    expect(await phone.getAttribute('readonly')).not.toBeNull();
    const hint = form.getByText(
      say(language, '请输入11位手机号', 'Please enter a mobile number of 11 digits'),
    );
    expect(await hint.count()).toBe(0);
    // Changed and taken back is unchanged; only the description is sent.
    await change.click();
    await hint.first().waitFor();
    expect(await phone.inputValue()).toBe('');
    await form.getByRole('button', { name: say(language, '保持不变', 'Keep as it is') }).click();
    await change.waitFor();
    await form.getByLabel(say(language, '描述', 'Description'), { exact: true }).fill(`note ${language}`);
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await form.getByRole('button', { name: say(language, '保存', 'Save'), exact: true }).click();
    const body = (await sent).postDataJSON() as Record<string, unknown>;
    expect(Object.keys(body).sort()).toEqual(['description', 'version']);
    await form.waitFor({ state: 'hidden' });
    await context.close();
  });
});

test('the payment dialog says amount and time left before the link is asked for', async () => {
  const { page, context } = await enter(kit, 'zh', { path: ORDERS });
  await settled(page, ORDERS);
  const shown = view(page, ORDERS);
  await shown.getByRole('tab', { name: /^待支付/ }).click();
  await shown.getByRole('button', { name: '发起支付' }).first().click();
  const dialog = page.locator('.ant-modal', { hasText: '发起支付' });
  const sum = dialog.locator('.go-sum');
  await sum.getByText('支付金额').waitFor();
  expect(await sum.innerText()).toMatch(/\d\.\d{2}/);
  expect(await sum.getByText('支付剩余').count()).toBe(1);
  expect(await dialog.locator('.go-link').count()).toBe(0);
  await context.close();
});

test('an order being made for a member is not thrown away by Esc or 取消 without a question, nor unmarked in another tab', async () => {
  const [member] = await query<{ phone: string }>(
    kit.product,
    `SELECT m.phone FROM member m JOIN household x ON x.member_id = m.id AND x.status = 'normal' WHERE m.phone IS NOT NULL ORDER BY m.id LIMIT 1`,
  );
  const { page, context } = await enter(kit, 'zh', { path: ORDERS });
  await settled(page, ORDERS);
  await view(page, ORDERS).getByRole('button', { name: '代客下单' }).click();
  const drawer = page.locator('.ant-drawer', { hasText: '代客下单' });
  await drawer.getByLabel('会员').fill(member!.phone);
  await drawer.getByLabel('收货地址').waitFor();
  const question = page.getByRole('alertdialog');
  for (const leave of [
    () => page.keyboard.press('Escape'),
    () => drawer.getByRole('button', { name: '取消', exact: true }).click(),
  ]) {
    await leave();
    await question.getByRole('button', { name: '继续编辑' }).click();
    await question.waitFor({ state: 'detached' });
  }
  expect(await drawer.getByLabel('会员').inputValue()).toBe(member!.phone);
  await navigate(page, GOODS);
  await settled(page, GOODS);
  await page.getByRole('tab', { name: /（未保存）/ }).waitFor();
  await navigate(page, ORDERS);
  await drawer.getByRole('button', { name: '取消', exact: true }).click();
  await question.getByRole('button', { name: '离开' }).click();
  await drawer.waitFor({ state: 'hidden' });
  await context.close();
});
