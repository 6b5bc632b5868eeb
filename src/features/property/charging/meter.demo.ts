import { openBills } from '../../../domain/charging/bill-record.server.ts';
import { planRun, postBills } from '../../../domain/charging/billing.server.ts';
import { addDays, firstOfMonth } from '../../../domain/charging/calendar.rules.ts';
import { postPayment } from '../../../domain/charging/collect.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo, type DemoContext } from '../../../kernel/server/demo.ts';

/** Projects with meters, houses of each, months that were read and billed. */
const PROJECTS = 3;
const HOUSES = 12;
const MONTHS = 5;
const DUE_DAYS = 15;

/** Water meters with tiers and a lift whose power houses share, read and billed for five months; a meter was replaced, a house is vacant. */
export const demo = defineDemo({
  key: 'meters',
  after: ['charging', 'discountRule'],
  run: async (context) => {
    const { tx, insert, now, as } = context;
    const clerk = as('finance1');
    const at = new Date(now.getTime() - 200 * 86_400_000);
    const projects = await run<{ id: number; tenant_id: number }>(
      tx,
      `SELECT DISTINCT a.project_id AS id, a.tenant_id FROM fee_assignment a ORDER BY 1 LIMIT ${PROJECTS}`,
    );
    const items = new Map<number, readonly [water: number, lift: number]>();
    for (const company of new Set(projects.map((one) => one.tenant_id))) {
      const base = {
        tenant_id: company,
        kind: 'other',
        cycle: 'indirect',
        timing: 'post',
        bill_day: 1,
        expression: '',
        prepaid_kind: 'utilities',
        auto_bill: true,
        created_at: at,
        updated_at: at,
      };
      const [water, lift] = await insert('fee_item', [
        {
          ...base,
          name: '自来水费',
          formula: 'meter_tier',
          share_by: null,
          position: 4,
          receipt_title: '水费',
        },
        {
          ...base,
          name: '电梯公摊电费',
          formula: 'shared',
          share_by: 'area',
          position: 5,
          receipt_title: '公摊电费',
        },
      ]);
      await insert('fee_item_price', [
        { fee_item_id: water!, position: 0, price: '3.45', extra: 0, effective_from: '2020-01-01' },
        { fee_item_id: lift!, position: 0, price: '0.78', extra: 0, effective_from: '2020-01-01' },
      ]);
      await insert('fee_item_tier', [
        { fee_item_id: water!, position: 0, above: '15', more: '1.2' },
        { fee_item_id: water!, position: 1, above: '22', more: '3.5' },
      ]);
      items.set(company, [water!, lift!]);
    }
    for (const project of projects)
      await metersOf(context, project, items.get(project.tenant_id)!, clerk.staffId);
    await vacantHouse(context, projects[0]!);
  },
});

async function metersOf(
  { tx, insert, random, now, tell, as }: DemoContext,
  project: { readonly id: number; readonly tenant_id: number },
  [water, lift]: readonly [number, number],
  staff: number,
): Promise<void> {
  const today = businessDayOf(now);
  const begun = firstOfMonth(today, -MONTHS);
  const houses = await run<{ id: number; building_id: number }>(
    tx,
    `SELECT DISTINCT h.id, u.building_id FROM fee_assignment a JOIN house h ON h.id = a.house_id JOIN building_unit u ON u.id = h.unit_id WHERE a.project_id = $1 ORDER BY h.id LIMIT ${HOUSES}`,
    [project.id],
  );
  const place = { tenant_id: project.tenant_id, project_id: project.id };
  const by = { created_by: staff, updated_by: staff };
  await insert(
    'fee_assignment',
    houses.flatMap((house) =>
      [water, lift].map((item) => ({ ...place, house_id: house.id, fee_item_id: item, valid_from: begun })),
    ),
  );
  const since = new Date(`${begun}T02:00:00Z`);
  const made = await insert('meter', [
    ...houses.map((house, index) => ({
      ...place,
      house_id: house.id,
      building_id: null,
      fee_item_id: water,
      place: '厨房',
      number: `S${String(project.id).padStart(2, '0')}${String(index + 1).padStart(4, '0')}`,
      multiplier: 1,
      start_value: String(100 + index * 7),
      installed_on: begun,
      created_at: since,
      ...by,
    })),
    {
      ...place,
      house_id: null,
      building_id: houses[0]!.building_id,
      fee_item_id: lift,
      place: '电梯机房',
      number: `D${String(project.id).padStart(2, '0')}0001`,
      multiplier: 20,
      start_value: '0',
      installed_on: begun,
      created_at: since,
      ...by,
    },
  ]);
  const stands = new Map(
    made.map((id, index) => [id, index < houses.length ? (100 + index * 7) * 1_000 : 0]),
  );
  for (let back = MONTHS; back >= 1; back -= 1) {
    const month = firstOfMonth(today, -back);
    const end = addDays(firstOfMonth(month, 1), -1);
    await insert(
      'meter_reading',
      made.map((id, index) => {
        const last = stands.get(id)!;
        const used = index < houses.length ? random.int(4_000, 21_000) : random.int(38_000, 55_000);
        stands.set(id, last + used);
        return {
          meter_id: id,
          last_value: (last / 1_000).toFixed(3),
          value: ((last + used) / 1_000).toFixed(3),
          multiplier: index < houses.length ? 1 : 20,
          from_on: month,
          read_on: end,
          reader_id: staff,
          created_at: new Date(`${end}T08:00:00Z`),
          updated_at: new Date(`${end}T08:00:00Z`),
          ...by,
        };
      }),
    );
    const plan = await planRun(tx, { projectId: project.id, itemIds: [water, lift], month }, DUE_DAYS);
    const posted = new Date(Math.min(Date.parse(`${addDays(end, 1)}T01:30:00Z`), now.getTime() - 3_600_000));
    const [id] = await insert('billing_run', [
      {
        ...place,
        item_ids: [water, lift],
        month,
        state: 'posted',
        bills: plan.bills.length,
        amount: plan.amount,
        skipped: plan.skipped.length,
        posted_at: posted,
        posted_by: staff,
        created_at: posted,
        updated_at: posted,
        ...by,
      },
    ]);
    await tell({
      entity: 'billingRun',
      entityId: id!,
      caller: as('finance1'),
      action: 'post',
      label: ['确认出账', 'Post'],
      from: 'previewed',
      to: 'posted',
      at: posted,
      remark: `${plan.bills.length}`,
    });
    await postBills(tx, project.id, plan.bills, { runId: id!, staffId: staff, on: businessDayOf(posted) });
    await run(tx, 'UPDATE bill SET created_at = $2, updated_at = $2 WHERE run_id = $1', [id, posted]);
  }
  // Most of it was paid today; the newest month is still open.
  const newest = firstOfMonth(today, -1);
  for (const house of houses.slice(0, -2)) {
    const parts = (await openBills(tx, house.id))
      .filter(
        (one) =>
          [water, lift].includes(one.fee_item_id) && one.period_from < newest && one.owed_principal > 0,
      )
      .map((one) => ({ billId: one.id, kind: 'principal' as const, amount: one.owed_principal }));
    if (parts.length === 0) continue;
    await postPayment(tx, {
      houseId: house.id,
      projectId: project.id,
      parts,
      rest: 0,
      valueDate: today,
      channel: 'cash',
      received: parts.reduce((sum, one) => sum + one.amount, 0),
      prepaidKind: 'utilities',
      payer: '',
      tradeNo: '',
      remark: '水电补缴',
      staffId: staff,
    });
  }
  // The last house's meter was replaced this month.
  const old = made[houses.length - 1]!;
  const last = stands.get(old)!;
  const month = firstOfMonth(today);
  const [fresh] = await insert('meter', [
    {
      ...place,
      house_id: houses.at(-1)!.id,
      fee_item_id: water,
      place: '厨房',
      number: `S${String(project.id).padStart(2, '0')}9001`,
      start_value: '0',
      installed_on: addDays(month, 1),
      ...by,
    },
  ]);
  await insert('meter_reading', [
    {
      meter_id: old,
      kind: 'final',
      last_value: (last / 1_000).toFixed(3),
      value: ((last + 1_200) / 1_000).toFixed(3),
      multiplier: 1,
      from_on: month,
      read_on: month,
      reader_id: staff,
      ...by,
    },
  ]);
  await run(tx, `UPDATE meter SET state = 'replaced', replaced_by = $2 WHERE id = $1`, [old, fresh]);
}

/** A house nobody uses, approved by an inspection. */
async function vacantHouse(
  { tx, insert, tell, now, as }: DemoContext,
  project: { readonly id: number; readonly tenant_id: number },
): Promise<void> {
  const clerk = as('finance1');
  const today = businessDayOf(now);
  const [photo] = await run<{ id: string }>(
    tx,
    `SELECT id FROM stored_file WHERE type = 'image/png' ORDER BY created_at, id LIMIT 1`,
  );
  const [house] = await run<{ id: number }>(
    tx,
    `SELECT h.id FROM house h WHERE h.project_id = $1 AND h.state = 'vacant' AND h.merged_into_id IS NULL ORDER BY h.id LIMIT 1`,
    [project.id],
  );
  const [item] = await run<{ id: number }>(
    tx,
    `SELECT id FROM fee_item WHERE tenant_id = $1 AND kind = 'management' ORDER BY id LIMIT 1`,
    [project.tenant_id],
  );
  if (!photo || !house || !item) return;
  const at = new Date(now.getTime() - 20 * 86_400_000);
  const stamps = { created_at: at, updated_at: at, created_by: clerk.staffId, updated_by: clerk.staffId };
  const [rule] = await insert('discount_rule', [
    {
      tenant_id: project.tenant_id,
      name: '空置房七折',
      kind: 'vacant_percent',
      percent: '30',
      valid_from: addDays(today, -60),
      valid_to: addDays(today, 300),
      enabled: true,
      ...stamps,
    },
  ]);
  await insert('discount_rule_item', [{ rule_id: rule!, fee_item_id: item.id }]);
  const [id] = await insert('vacancy', [
    {
      tenant_id: project.tenant_id,
      project_id: project.id,
      house_id: house.id,
      rule_id: rule!,
      valid_from: firstOfMonth(today),
      valid_to: addDays(firstOfMonth(today), 90),
      inspected_on: addDays(today, -20),
      photos: [photo.id],
      remark: '门窗关闭，水表无用量',
      state: 'approved',
      ...stamps,
    },
  ]);
  const told = { entity: 'vacancy', entityId: id!, caller: clerk };
  await tell({ ...told, action: 'create', label: ['申请', 'Ask'], to: 'waiting', at });
  await tell({
    entity: 'vacancy',
    entityId: id!,
    action: 'approve',
    label: ['通过', 'Approved'],
    from: 'waiting',
    to: 'approved',
    at,
  });
}
