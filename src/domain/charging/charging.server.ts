import { run, transaction } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { defineRegistration, type Invariant } from '../../kernel/server/registration.ts';
import { sqlInvariant } from '../../kernel/server/sql-invariant.ts';
import { lateFeesOf, overdueBills, postLateFees, readBills } from './bill-record.server.ts';
import { planRun, postBills } from './billing.server.ts';
import { firstOfMonth, type Day } from './calendar.rules.ts';
import { deductPrepaid, today } from './collect.server.ts';
import { billQueryEffect, releaseHolds } from './online-query.server.ts';

/** Bills of one transaction of the late-fee job. Source: group 06, Jobs (fee.late). */
export const LATE_BATCH = 500;

/**
 * Posts the late-fee difference of every overdue bill up to a day, batch by batch: a run that ends in the middle and starts again
 * adds nothing twice. Returns how many bills changed.
 */
export async function postAllLateFees(platform: Platform, on: Day): Promise<number> {
  const { db } = platform.database;
  let changed = 0;
  for (let after = 0; ;) {
    const ids = await overdueBills(db, on, after, LATE_BATCH);
    if (ids.length === 0) break;
    after = ids.at(-1)!;
    changed += await transaction(db, async (tx) => {
      const bills = (await readBills(tx, ids, true)).filter(
        (one) => (one.state === 'unpaid' || one.state === 'part') && !one.disputed,
      );
      return postLateFees(tx, bills, await lateFeesOf(tx, bills, on), on);
    });
  }
  if (changed > 0) platform.changed('bill');
  return changed;
}

/** Pays due bills from prepaid money, house by house in transactions of their own. Returns fen. */
export async function deductAll(platform: Platform, on: Day): Promise<number> {
  const { db } = platform.database;
  const houses = await run<{ id: number; project_id: number }>(
    db,
    `SELECT h.id, h.project_id FROM house h WHERE EXISTS (SELECT FROM ledger_account l WHERE l.owner = h.id::text AND l.unit = 'fen' AND l.kind LIKE 'prepaid\\_%' AND l.balance > 0)
        AND EXISTS (SELECT FROM bill b JOIN fee_item i ON i.id = b.fee_item_id WHERE b.house_id = h.id AND b.state IN ('unpaid', 'part') AND b.due_date <= $1 AND i.deductible) ORDER BY h.id`,
    [on],
  );
  let paid = 0;
  for (const house of houses) {
    const partial = await platform.settings.flag('fee.deduct.partial', { projectId: house.project_id });
    paid += await transaction(db, (tx) =>
      deductPrepaid(tx, { id: house.id, projectId: house.project_id }, on, partial),
    );
  }
  if (paid > 0) for (const name of ['bill', 'billPayment', 'prepaidAccount']) platform.changed(name);
  return paid;
}

/** Bills the items whose bill day has come, project by project, where `fee.auto_bill` is on. Returns how many bills. */
export async function billDue(platform: Platform, on: Day): Promise<number> {
  const { db } = platform.database;
  const due = await run<{ project_id: number; ids: number[] }>(
    db,
    `SELECT a.project_id, array_agg(DISTINCT i.id) AS ids FROM fee_item i JOIN fee_assignment a ON a.fee_item_id = i.id
      WHERE i.enabled AND i.auto_bill AND i.cycle <> 'once' AND i.bill_day = extract(day FROM $1::date) GROUP BY 1 ORDER BY 1`,
    [on],
  );
  let bills = 0;
  for (const { project_id: projectId, ids } of due) {
    if (!(await platform.settings.flag('fee.auto_bill', { projectId }))) continue;
    const days = await platform.settings.number('fee.due_days', { projectId });
    // Paid afterwards: the period that ended with the last month.
    const timings = await run<{ id: number; timing: string }>(
      db,
      'SELECT id, timing FROM fee_item WHERE id = ANY($1::bigint[])',
      [ids],
    );
    for (const timing of ['pre', 'post'] as const) {
      const itemIds = timings.filter((one) => one.timing === timing).map((one) => one.id);
      if (itemIds.length === 0) continue;
      const month = firstOfMonth(on, timing === 'pre' ? 0 : -1);
      bills += await transaction(db, async (tx) => {
        const plan = await planRun(tx, { projectId, itemIds, month }, days);
        return (await postBills(tx, projectId, plan.bills, {})).bills;
      });
    }
  }
  if (bills > 0) platform.changed('bill');
  return bills;
}

/** What must hold between bills, their lines, payments, receipts and the ledger at any time. */
const invariants: readonly Invariant[] = [
  sqlInvariant(
    'fee.bill_lines',
    `SELECT 'bill ' || b.code AS what, ARRAY[b.principal, b.discount, b.adjustment, b.late_fee, b.late_fee_waived]::bigint[] AS found,
            ARRAY[coalesce(l.principal, 0), coalesce(l.discount, 0), coalesce(l.adjustment, 0), coalesce(l.late, 0), coalesce(l.waived, 0)]::bigint[] AS wanted
       FROM bill b LEFT JOIN (SELECT bill_id, sum(amount) FILTER (WHERE kind = 'principal') AS principal, sum(amount) FILTER (WHERE kind = 'discount') AS discount,
         sum(amount) FILTER (WHERE kind = 'adjustment') AS adjustment, sum(amount) FILTER (WHERE kind = 'late_fee') AS late, sum(amount) FILTER (WHERE kind = 'late_fee_waiver') AS waived
         FROM bill_line GROUP BY 1) l ON l.bill_id = b.id`,
  ),
  sqlInvariant(
    'fee.bill_paid',
    `SELECT 'bill ' || b.code AS what, ARRAY[b.paid_principal, b.paid_late_fee]::bigint[] AS found, ARRAY[coalesce(a.principal, 0), coalesce(a.late, 0)]::bigint[] AS wanted
       FROM bill b LEFT JOIN (SELECT bill_id, sum(amount) FILTER (WHERE kind = 'principal') AS principal, sum(amount) FILTER (WHERE kind = 'late_fee') AS late FROM bill_allocation GROUP BY 1) a ON a.bill_id = b.id`,
  ),
  sqlInvariant(
    'fee.payment_spread',
    `SELECT 'receipt ' || p.receipt_no AS what, ARRAY[CASE WHEN p.state = 'void' THEN 0 ELSE p.allocated + coalesce((SELECT sum(r.allocated) FROM bill_payment r WHERE r.refund_of = p.id), 0) END]::bigint[] AS found,
            ARRAY[coalesce((SELECT sum(a.amount) FROM bill_allocation a WHERE a.payment_id = p.id), 0)]::bigint[] AS wanted FROM bill_payment p WHERE p.refund_of IS NULL
     UNION ALL
     SELECT 'receipt ' || p.receipt_no, ARRAY[p.allocated, p.amount]::bigint[], ARRAY[coalesce((SELECT sum(a.amount) FROM bill_allocation a WHERE a.refund_payment_id = p.id), 0), -f.cash]::bigint[]
       FROM bill_payment p JOIN refund f ON f.id = p.refund_id`,
  ),
  sqlInvariant(
    'fee.payment_discount',
    `SELECT 'receipt ' || p.receipt_no AS what, ARRAY[CASE WHEN p.state = 'void' OR (p.allocated > 0 AND p.allocated + coalesce((SELECT sum(r.allocated) FROM bill_payment r WHERE r.refund_of = p.id), 0) = 0) THEN 0 ELSE p.discount END]::bigint[] AS found,
            ARRAY[coalesce((SELECT sum(l.amount) FROM bill_line l WHERE l.payment_id = p.id AND l.kind = 'discount'), 0)]::bigint[] AS wanted FROM bill_payment p`,
  ),
  sqlInvariant(
    'fee.receipts',
    // Numbers of a project and year without gaps: as many as were given out.
    `SELECT 'receipts ' || p.code || s.year AS what, ARRAY[s.next - 1]::bigint[] AS found,
            ARRAY[(SELECT count(*) FROM bill_payment b WHERE b.project_id = s.project_id AND b.receipt_no LIKE p.code || s.year || '%')]::bigint[] AS wanted
       FROM receipt_series s JOIN project p ON p.id = s.project_id`,
  ),
  sqlInvariant(
    'fee.prepaid',
    `SELECT l.kind || ' of house ' || l.owner AS what, ARRAY[l.balance]::bigint[] AS found, ARRAY[coalesce((SELECT sum(e.amount) FROM ledger_entry e WHERE e.account_id = l.id), 0)]::bigint[] AS wanted
       FROM ledger_account l WHERE l.kind LIKE 'prepaid\\_%' AND l.unit = 'fen'`,
  ),
];

/** Jobs and invariants of charging. Patterns are UTC: 16:30 is 00:30 of the business day. Source: group 06, Jobs. */
export const registration = defineRegistration({
  endpoints: [],
  invariants,
  effects: [billQueryEffect],
  jobs: [
    {
      name: 'fee.bill',
      title: ['自动出账', 'Automatic billing'],
      cron: '10 16 * * *',
      timeoutSeconds: 1_800,
      run: async (_payload, platform, context) => {
        context?.print(`${await billDue(platform, today())} 张账单 / bills`);
      },
    },
    {
      name: 'fee.late',
      title: ['滞纳金计提', 'Late fees'],
      cron: '30 16 * * *',
      timeoutSeconds: 1_800,
      run: async (_payload, platform, context) => {
        context?.print(`${await postAllLateFees(platform, today())} 张账单变更 / bills changed`);
      },
    },
    {
      name: 'fee.hold_release',
      title: ['释放线上支付占用', 'Releasing bills held for online payment'],
      cron: '* * * * *',
      run: async (_payload, platform) => {
        await releaseHolds(platform);
      },
    },
    {
      name: 'fee.deduct',
      title: ['预存抵扣', 'Prepaid deductions'],
      cron: '0 18 * * *',
      timeoutSeconds: 1_800,
      run: async (_payload, platform, context) => {
        context?.print(`${(await deductAll(platform, today())) / 100} 元 / yuan`);
      },
    },
  ],
});
