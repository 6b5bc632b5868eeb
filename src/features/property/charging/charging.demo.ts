import {
  lateFeesOf,
  openBills,
  postLateFees,
  readBills,
} from '../../../domain/charging/bill-record.server.ts';
import { planRun, postBills } from '../../../domain/charging/billing.server.ts';
import { addDays, firstOfMonth } from '../../../domain/charging/calendar.rules.ts';
import { reversePayment, takingsOf, type VoidedPayment } from '../../../domain/charging/cash-close.server.ts';
import { postPayment } from '../../../domain/charging/collect.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo, type DemoContext } from '../../../kernel/server/demo.ts';

/** Projects with charging, houses of each that are charged, months that were billed. */
const PROJECTS = 3;
const HOUSES = 20;
const MONTHS = 6;
const DUE_DAYS = 15;

/** Fee items, what houses are charged, six months of bills, most of them paid, some late, some money paid ahead. */
export const demo = defineDemo({
  key: 'charging',
  after: [],
  run: async (context) => {
    const { tx } = context;
    const companies = await run<{ id: number }>(tx, 'SELECT id FROM tenant WHERE kind = 1 ORDER BY id');
    const items = new Map<number, readonly number[]>();
    for (const company of companies) items.set(company.id, await itemsOf(context, company.id));
    const projects = await run<{ id: number; tenant_id: number }>(
      tx,
      `SELECT p.id, c.tenant_id FROM project p JOIN LATERAL (SELECT tp.tenant_id FROM tenant_project tp JOIN tenant x ON x.id = tp.tenant_id AND x.kind = 1 WHERE tp.project_id = p.id ORDER BY 1 LIMIT 1) c ON TRUE ORDER BY p.id LIMIT ${PROJECTS}`,
    );
    for (const project of projects) await oneProject(context, project, items.get(project.tenant_id)!);
  },
});

async function itemsOf({ insert, now }: DemoContext, company: number): Promise<readonly number[]> {
  const at = new Date(now.getTime() - 300 * 86_400_000);
  const stamps = { created_at: at, updated_at: at };
  const [policy] = await insert('late_fee_policy', [
    {
      tenant_id: company,
      name: '物业费滞纳金',
      grace_days: 5,
      daily_percent: '0.05',
      cap_percent: 30,
      ...stamps,
    },
  ]);
  const item = {
    tenant_id: company,
    late_fee_policy_id: policy,
    cycle: 'month',
    timing: 'pre',
    bill_day: 1,
    expression: '',
    ...stamps,
  };
  const ids = await insert('fee_item', [
    {
      ...item,
      name: '物业管理费',
      kind: 'management',
      formula: 'built_area',
      prepaid_kind: 'property_fee',
      position: 1,
      auto_bill: true,
      receipt_title: '物业管理服务费',
    },
    {
      ...item,
      name: '地下车位管理费',
      kind: 'parking',
      formula: 'fixed',
      prepaid_kind: 'general',
      position: 2,
      auto_bill: true,
      receipt_title: '车位管理费',
    },
    {
      ...item,
      name: '高层电梯费',
      kind: 'other',
      formula: 'custom',
      expression: 'if(floor > 6, 15 + floor, 15)',
      prepaid_kind: 'general',
      position: 3,
      auto_bill: false,
      receipt_title: '电梯运行费',
    },
  ]);
  const prices = [
    ['2.6', '2020-01-01'],
    ['80', '2020-01-01'],
    ['0', '2020-01-01'],
  ] as const;
  await insert(
    'fee_item_price',
    prices.map(([price, from], index) => ({
      fee_item_id: ids[index]!,
      position: 0,
      price,
      extra: 0,
      effective_from: from,
    })),
  );
  await insert('fee_item_price', [
    {
      fee_item_id: ids[0]!,
      position: 1,
      price: '2.8',
      extra: 0,
      effective_from: firstOfMonth(businessDayOf(now), -4),
    },
  ]);
  return ids;
}

async function oneProject(
  context: DemoContext,
  project: { readonly id: number; readonly tenant_id: number },
  items: readonly number[],
): Promise<void> {
  const { tx, insert, tell, random, now, as } = context;
  const cashier = as('finance1');
  const today = businessDayOf(now);
  const houses = await run<{ id: number }>(
    tx,
    `SELECT h.id FROM house h WHERE h.project_id = $1 AND EXISTS (SELECT FROM household r WHERE r.house_id = h.id AND r.identity = 'owner' AND r.status = 'normal') ORDER BY h.id LIMIT $2`,
    [project.id, HOUSES],
  );
  const begun = firstOfMonth(today, -12);
  await insert(
    'fee_assignment',
    houses.flatMap((house, index) =>
      [items[0]!, ...(index % 3 === 0 ? [items[1]!] : []), ...(index % 4 === 0 ? [items[2]!] : [])].map(
        (item) => ({
          tenant_id: project.tenant_id,
          project_id: project.id,
          house_id: house.id,
          fee_item_id: item,
          valid_from: begun,
        }),
      ),
    ),
  );
  for (let back = MONTHS - 1; back >= 0; back -= 1) {
    const month = firstOfMonth(today, -back);
    const plan = await planRun(tx, { projectId: project.id, itemIds: [...items], month }, DUE_DAYS);
    const at = new Date(`${month}T01:30:00Z`);
    const when = at < now ? at : new Date(now.getTime() - 3_600_000);
    const [id] = await insert('billing_run', [
      {
        tenant_id: project.tenant_id,
        project_id: project.id,
        item_ids: items,
        month,
        state: 'posted',
        bills: plan.bills.length,
        amount: plan.amount,
        skipped: plan.skipped.length,
        posted_at: when,
        posted_by: cashier.staffId,
        created_at: when,
        created_by: cashier.staffId,
        updated_at: when,
        updated_by: cashier.staffId,
      },
    ]);
    const told = { entity: 'billingRun', entityId: id!, caller: cashier };
    await tell({ ...told, action: 'create', label: ['预览出账', 'Preview'], to: 'previewed', at: when });
    await tell({
      ...told,
      action: 'post',
      label: ['确认出账', 'Post'],
      from: 'previewed',
      to: 'posted',
      at: when,
      remark: `${plan.bills.length}`,
    });
    await postBills(tx, project.id, plan.bills, { runId: id!, staffId: cashier.staffId, on: month });
    await run(tx, 'UPDATE bill SET created_at = $2, updated_at = $2 WHERE run_id = $1', [id, when]);
    if (back > 0) await payMonth(context, houses, addDays(month, 8), 0.85);
  }
  await payMonth(context, houses.slice(0, 8), today, 0.6);
  await lateFees(context, houses, today);
  for (const house of random.shuffle(houses).slice(0, 4)) {
    const rest = random.int(2, 12) * 10_000;
    await postPayment(tx, {
      houseId: house.id,
      projectId: project.id,
      parts: [],
      rest,
      valueDate: today,
      channel: 'transfer',
      received: rest,
      prepaidKind: random.chance(0.5) ? 'property_fee' : 'general',
      payer: '',
      tradeNo: `DEMO${house.id}`,
      remark: '预存',
      staffId: cashier.staffId,
    });
  }
  await voidOne(context, project.id);
  await closeDays(context, project);
}

/** One payment was taken back: its number stays visible. */
async function voidOne({ tx, as, tell, now }: DemoContext, projectId: number): Promise<void> {
  const cashier = as('finance1');
  const [payment] = await run<VoidedPayment>(
    tx,
    `SELECT id, house_id, project_id, channel, amount, allocated, to_prepaid, prepaid_kind FROM bill_payment
      WHERE project_id = $1 AND channel = 'cash' AND to_prepaid = 0 ORDER BY value_date DESC, id DESC LIMIT 1`,
    [projectId],
  );
  if (!payment) return;
  await reversePayment(tx, payment, cashier.staffId);
  await run(
    tx,
    `UPDATE bill_payment SET state = 'void', void_reason = '收款方式录错', voided_at = $2, voided_by = $3 WHERE id = $1`,
    [payment.id, now, cashier.staffId],
  );
  await tell({
    entity: 'billPayment',
    entityId: payment.id,
    caller: cashier,
    action: 'void',
    label: ['作废', 'Void'],
    from: 'valid',
    to: 'void',
    remark: '收款方式录错',
    at: now,
  });
}

/** Payments happened on their day; the cashier closed the days behind the last one. */
async function closeDays(
  { tx, insert, now, as, tell }: DemoContext,
  project: { readonly id: number; readonly tenant_id: number },
): Promise<void> {
  const cashier = as('finance1');
  await run(
    tx,
    `UPDATE bill_payment SET created_at = least(value_date + interval '2 hours 30 minutes' + (id % 200) * interval '1 minute', $2::timestamptz) WHERE project_id = $1`,
    [project.id, new Date(now.getTime() - 60_000)],
  );
  const days = await run<{ day: string }>(
    tx,
    `SELECT DISTINCT paid_on::text AS day FROM bill_payment WHERE project_id = $1 AND paid_on < $2 ORDER BY 1`,
    [project.id, businessDayOf(now)],
  );
  for (const [index, { day }] of days.entries()) {
    const takings = await takingsOf(tx, cashier.staffId, project.id, day);
    const short = index === 1 && takings.cash > 1_000 ? 1_000 : 0;
    const at = new Date(`${day}T09:40:00Z`);
    // The first day was counted twice.
    const row = {
      tenant_id: project.tenant_id,
      project_id: project.id,
      cashier_id: cashier.staffId,
      day,
      receipts: takings.receipts,
      voids: takings.voids,
      expected_cash: takings.cash,
      expected_pos: takings.pos,
      expected_transfer: takings.transfer,
      counted_cash: takings.cash - short,
      counted_pos: takings.pos,
      counted_transfer: takings.transfer,
      remark: short > 0 ? '找零差错，已登记' : '',
      created_at: at,
      created_by: cashier.staffId,
      updated_at: at,
      updated_by: cashier.staffId,
    };
    if (index === 0) await insert('cash_close', [{ ...row, state: 'reopened' }]);
    const [id] = await insert('cash_close', [row]);
    await tell({
      entity: 'cashClose',
      entityId: id!,
      caller: cashier,
      action: 'create',
      label: ['日结', 'Close the day'],
      to: 'closed',
      at,
    });
  }
}

/** Most houses pay what they owe on a day, a few of them only a part. */
async function payMonth(
  { tx, random, as }: DemoContext,
  houses: readonly { readonly id: number }[],
  on: string,
  share: number,
): Promise<void> {
  const cashier = as('finance1');
  for (const house of houses) {
    if (!random.chance(share)) continue;
    const bills = (await openBills(tx, house.id)).slice(0, 3);
    if (bills.length === 0) continue;
    await postLateFees(tx, bills, await lateFeesOf(tx, bills, on), on);
    const owing = await readBills(
      tx,
      bills.map((one) => one.id),
    );
    const part = random.chance(0.06);
    const parts = owing
      .flatMap((one) => [
        {
          billId: one.id,
          kind: 'principal' as const,
          amount: part ? Math.ceil(one.owed_principal / 2) : one.owed_principal,
        },
        ...(one.owed_late_fee > 0 && !part
          ? [{ billId: one.id, kind: 'late_fee' as const, amount: one.owed_late_fee }]
          : []),
      ])
      .filter((one) => one.amount > 0);
    const channel = random.pick(['cash', 'pos', 'transfer'] as const);
    const amount = parts.reduce((sum, one) => sum + one.amount, 0);
    if (amount === 0) continue;
    await postPayment(tx, {
      houseId: house.id,
      projectId: bills[0]!.project_id,
      parts,
      rest: 0,
      valueDate: on,
      channel,
      received: amount,
      prepaidKind: 'general',
      payer: '',
      tradeNo: channel === 'cash' ? '' : `DEMO${house.id}${on.replaceAll('-', '')}`,
      remark: '',
      staffId: cashier.staffId,
    });
  }
}

async function lateFees(
  { tx }: DemoContext,
  houses: readonly { readonly id: number }[],
  on: string,
): Promise<void> {
  for (const house of houses) {
    const bills = await openBills(tx, house.id);
    await postLateFees(tx, bills, await lateFeesOf(tx, bills, on), on);
  }
}
