import { businessDayOf } from '../../kernel/contract/time.rules.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { insertRow } from '../../kernel/server/resource/run-action.ts';
import { notePrincipal } from './bill-record.server.ts';
import { debtorOf, termsOf } from './billing.server.ts';
import { addDays } from './calendar.rules.ts';

/** Days until a repair is to be paid. Source: group 06, cs_workOrder, Rules. */
const DUE_DAYS = 7;

/** What the handler of an order asks for, in fen. */
export interface FeeLine {
  readonly name: string;
  readonly amount: number;
}

/**
 * Writes the fee lines of an order that is being finished and makes the one bill of them. Public areas and categories without fees
 * are let off: the lines stay, there is no bill. Returns where the fee stands.
 */
export async function chargeRepair(
  tx: Tx,
  order: {
    readonly id: number;
    readonly code: string;
    readonly tenantId: number;
    readonly projectId: number;
    /** The house that pays; null lets it off. */
    readonly houseId: number | null;
    readonly round: number;
  },
  lines: readonly FeeLine[],
  staffId: number | null,
): Promise<'none' | 'waived' | 'to_pay'> {
  if (lines.length === 0) return 'none';
  await run(
    tx,
    'INSERT INTO work_order_fee (order_id, round, name, amount) SELECT $1, $2, n, a FROM unnest($3::text[], $4::bigint[]) AS w (n, a)',
    [order.id, order.round, lines.map((one) => one.name), lines.map((one) => one.amount)],
  );
  if (order.houseId === null) return 'waived';
  const today = businessDayOf(new Date());
  const item = await repairItem(tx, order.tenantId);
  const house = await debtorOf(tx, order.houseId);
  const amount = lines.reduce((sum, one) => sum + one.amount, 0);
  const bill = await insertRow(tx, 'bill', {
    code: await nextCode(tx, 'BL'),
    tenant_id: order.tenantId,
    project_id: order.projectId,
    house_id: order.houseId,
    fee_item_id: item,
    work_order_id: order.id,
    work_round: order.round,
    debtor_id: house!.debtorId,
    debtor_name: house!.debtor,
    period_from: today,
    period_to: today,
    due_date: addDays(today, DUE_DAYS),
    principal: amount,
    terms: JSON.stringify(await termsOf(tx, item, order.projectId)),
    working: JSON.stringify({ order: order.code, lines }),
    created_by: staffId,
    updated_by: staffId,
  });
  await notePrincipal(tx, { id: bill, amount, on: today, note: order.code, staffId });
  return 'to_pay';
}

/** The company's item 维修费, made with its first repair; by its mark, so that it may be renamed. */
async function repairItem(tx: Tx, tenantId: number): Promise<number> {
  const find = () =>
    runOne<{ id: number }>(tx, 'SELECT id FROM fee_item WHERE tenant_id = $1 AND repair', [tenantId]);
  const found = await find();
  if (found) return found.id;
  // Two first repairs of a company take turns.
  await run(tx, 'SELECT FROM tenant WHERE id = $1 FOR NO KEY UPDATE', [tenantId]);
  const meanwhile = await find();
  if (meanwhile) return meanwhile.id;
  const made = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO fee_item (tenant_id, name, kind, formula, cycle, timing, deductible, auto_bill, repair)
     VALUES ($1, '维修费', 'other', 'fixed', 'once', 'post', false, false, true)
     ON CONFLICT (tenant_id, name) DO UPDATE SET repair = true RETURNING id`,
    [tenantId],
  ))!;
  await run(
    tx,
    `INSERT INTO fee_item_price (fee_item_id, price, effective_from) SELECT $1, 0, '2000-01-01' WHERE NOT EXISTS (SELECT FROM fee_item_price WHERE fee_item_id = $1)`,
    [made.id],
  );
  return made.id;
}
