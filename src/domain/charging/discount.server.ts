import type { Label } from '../../kernel/contract/label.ts';
import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { stateSql, type BillRecord } from './bill-record.server.ts';
import { monthsOf, planAhead, postBills, type PlannedBill } from './billing.server.ts';
import { daysBetween, type Day } from './calendar.rules.ts';
import { divideHalfEven, largestRemainder } from './exact.rules.ts';

/** How a rule lowers a payment; what it does for vacant houses is applied when billing. Source: group 06, Rules of charging 7. */
export const DISCOUNT_KINDS = {
  prepay_percent: { label: ['预缴折扣', 'Percent off months ahead'] },
  amount_off: { label: ['满减', 'Amount off'] },
  gift_months: { label: ['缴N赠M', 'Months given'] },
  no_arrears_percent: { label: ['无欠费折扣', 'Percent off without arrears'] },
} as const;
export type DiscountKind = keyof typeof DISCOUNT_KINDS;

interface Rule {
  readonly id: number;
  readonly name: string;
  readonly kind: DiscountKind;
  readonly threshold: number;
  readonly threshold_amount: number;
  /** Hundredths of a percent. */
  readonly percent: number;
  readonly amount_off: number;
  readonly months_given: number;
  /** Empty: all. */
  readonly items: readonly number[];
}

/** What a rule would do for a payment: worth and shares of bills in fen, or why it does nothing. */
export interface DiscountOffer {
  readonly ruleId: number;
  readonly name: string;
  readonly kind: DiscountKind;
  readonly amount: number;
  readonly parts: readonly { readonly billId: number; readonly amount: number }[];
  /** Bills of months that are given. */
  readonly gifts: readonly PlannedBill[];
  readonly used: boolean;
  readonly reason?: Label;
}

/** What a payment asks the rules. */
export interface DiscountQuestion {
  readonly houseId: number;
  readonly projectId: number;
  readonly on: Day;
  readonly bills: readonly BillRecord[];
  readonly dueDays: number;
  /** Only this rule. */
  readonly ruleId?: number | undefined;
}

const LESS: Label = ['优惠金额较少，未使用', 'Worth less than another, not used'];
export const NOT_IN_FULL: Label = ['未缴清所选账单，不享受优惠', 'The chosen bills are not paid in full'];
const OTHER_CHOSEN: Label = ['已选择其他优惠', 'Another discount was chosen'];

/**
 * What every rule that is in force in a project would do for a payment of whole bills; at most one is used, the one worth most to
 * the payer, the others say why they lost or failed. Source: group 06, Rules of charging 7.
 */
export async function discountOffers(db: Executor, asked: DiscountQuestion): Promise<DiscountOffer[]> {
  const tenantId = asked.bills[0]?.tenant_id;
  if (tenantId === undefined) return [];
  const rules = await run<Rule>(
    db,
    `SELECT r.id, r.name, r.kind, r.threshold, r.threshold_amount, (r.percent * 100)::integer AS percent, r.amount_off, r.months_given,
            ARRAY(SELECT i.fee_item_id FROM discount_rule_item i WHERE i.rule_id = r.id) AS items
       FROM discount_rule r WHERE r.enabled AND r.kind <> 'vacant_percent' AND r.tenant_id = $1 AND $2::date BETWEEN r.valid_from AND r.valid_to
        AND (NOT EXISTS (SELECT FROM discount_rule_project p WHERE p.rule_id = r.id) OR EXISTS (SELECT FROM discount_rule_project p WHERE p.rule_id = r.id AND p.project_id = $3))
      ORDER BY r.id`,
    [tenantId, asked.on, asked.projectId],
  );
  const found: DiscountOffer[] = [];
  for (const rule of rules) found.push(await offerOf(db, rule, asked));
  const choosable = found.filter(
    (one) => one.reason === undefined && (asked.ruleId === undefined || one.ruleId === asked.ruleId),
  );
  const best = choosable.reduce<DiscountOffer | undefined>(
    (most, one) => (!most || one.amount > most.amount ? one : most),
    undefined,
  );
  return found.map((one) =>
    one === best
      ? { ...one, used: true }
      : one.reason
        ? one
        : { ...one, reason: asked.ruleId !== undefined && one.ruleId !== asked.ruleId ? OTHER_CHOSEN : LESS },
  );
}

async function offerOf(db: Executor, rule: Rule, asked: DiscountQuestion): Promise<DiscountOffer> {
  const none = (reason: Label): DiscountOffer => ({
    ruleId: rule.id,
    name: rule.name,
    kind: rule.kind,
    amount: 0,
    parts: [],
    gifts: [],
    used: false,
    reason,
  });
  const inRule = asked.bills.filter(
    (one) => (rule.items.length === 0 || rule.items.includes(one.fee_item_id)) && one.owed_principal > 0,
  );
  if (inRule.length === 0) return none(['不含适用的收费项目', 'No bill of its fee items']);
  const offer = (amount: number, bills: readonly BillRecord[], gifts: readonly PlannedBill[] = []) => {
    const shares = largestRemainder(
      amount,
      bills.map((one) => one.owed_principal),
    );
    const parts = bills
      .map((one, index) => ({ billId: one.id, amount: shares[index]! }))
      .filter((one) => one.amount > 0);
    const worth = amount + gifts.reduce((sum, one) => sum + one.amount, 0);
    return worth === 0
      ? none(['优惠金额为0', 'It is worth nothing here'])
      : {
          ruleId: rule.id,
          name: rule.name,
          kind: rule.kind,
          amount: worth,
          parts,
          gifts,
          used: false,
        };
  };
  const sumOf = (bills: readonly BillRecord[]) => bills.reduce((sum, one) => sum + one.owed_principal, 0);
  const percentOf = (bills: readonly BillRecord[]) =>
    Number(divideHalfEven(BigInt(sumOf(bills)) * BigInt(rule.percent), 10_000n));
  switch (rule.kind) {
    case 'amount_off':
      return sumOf(inRule) < rule.threshold_amount
        ? none([
            `满${yuanFromFen(rule.threshold_amount)}元可用`,
            `Needs ${yuanFromFen(rule.threshold_amount)} or more`,
          ])
        : offer(Math.min(rule.amount_off, sumOf(inRule)), inRule);
    case 'no_arrears_percent': {
      const late = await runOne<{ days: number }>(
        db,
        `SELECT max($2::date - due_date) AS days FROM bill WHERE house_id = $1 AND state IN ('unpaid', 'part') AND NOT disputed AND due_date < $2`,
        [asked.houseId, asked.on],
      );
      return (late?.days ?? 0) > rule.threshold
        ? none([
            `有账单逾期超过${rule.threshold}天`,
            `A bill is overdue for more than ${rule.threshold} days`,
          ])
        : offer(percentOf(inRule), inRule);
    }
    case 'prepay_percent':
    case 'gift_months': {
      const ahead = inRule.filter(
        (one) => one.period_to >= asked.on && daysBetween(asked.on, one.due_date) >= 0,
      );
      const items = new Map<number, BillRecord[]>();
      for (const one of ahead) items.set(one.fee_item_id, [...(items.get(one.fee_item_id) ?? []), one]);
      const months = (bills: readonly BillRecord[]) =>
        bills.reduce((sum, one) => sum + monthsOf(one.period_from, one.period_to), 0);
      const reached = [...items.values()].filter((bills) => months(bills) >= rule.threshold);
      if (reached.length === 0) {
        const most = Math.max(0, ...[...items.values()].map(months));
        return none([
          `需预缴${rule.threshold}个月，现为${most}个月`,
          `Needs ${rule.threshold} months ahead, there are ${most}`,
        ]);
      }
      if (rule.kind === 'prepay_percent') return offer(percentOf(reached.flat()), reached.flat());
      const gifts: PlannedBill[] = [];
      for (const [first] of reached)
        gifts.push(
          ...(
            await planAhead(
              db,
              {
                projectId: asked.projectId,
                houseId: asked.houseId,
                itemId: first!.fee_item_id,
                months: rule.months_given,
                from: first!.period_from,
              },
              asked.dueDays,
            )
          ).map((one) => ({ ...one, discount: undefined })),
        );
      return gifts.length === 0
        ? none(['没有可赠送的账期', 'There are no months to give'])
        : offer(0, [], gifts);
    }
  }
}

/** Writes the discount of a payment onto its bills, and the bills of the months that are given. */
export async function postDiscount(
  tx: Tx,
  offer: DiscountOffer,
  payment: {
    readonly id: number;
    readonly projectId: number;
    readonly on: Day;
    readonly staffId: number | null;
  },
): Promise<void> {
  await postBills(tx, payment.projectId, offer.gifts, { staffId: payment.staffId, on: payment.on });
  const given = await run<{ id: number; amount: number }>(
    tx,
    `SELECT b.id, b.principal AS amount FROM bill b JOIN unnest($1::bigint[], $2::date[]) AS w (assignment, first) ON b.assignment_id = w.assignment AND b.period_from = w.first
      WHERE b.state = 'unpaid' AND b.discount = 0`,
    [offer.gifts.map((one) => one.assignmentId), offer.gifts.map((one) => one.from)],
  );
  const parts = [...offer.parts, ...given.map((one) => ({ billId: one.id, amount: one.amount }))];
  await writeDiscounts(tx, payment.id, parts, payment.on, offer.name, payment.staffId);
}

/** Takes the discount of a payment back; months that were given with it are void. The lines stay. */
export async function reverseDiscount(tx: Tx, paymentId: number, on: Day, staffId: number): Promise<void> {
  const lines = await run<{ bill_id: number; amount: number; note: string; gift: boolean }>(
    tx,
    `SELECT l.bill_id, sum(l.amount)::bigint AS amount, max(l.note) AS note,
            (SELECT r.kind = 'gift_months' FROM bill_payment p JOIN discount_rule r ON r.id = p.discount_rule_id WHERE p.id = $1) AS gift
       FROM bill_line l WHERE l.payment_id = $1 AND l.kind = 'discount' GROUP BY 1 HAVING sum(l.amount) <> 0 ORDER BY 1`,
    [paymentId],
  );
  if (lines.length === 0) return;
  const back = lines.map((one) => ({ billId: one.bill_id, amount: -one.amount }));
  await writeDiscounts(tx, paymentId, back, on, lines[0]!.note, staffId);
  if (lines[0]!.gift)
    await run(
      tx,
      `UPDATE bill SET state = 'void', void_reason = '赠送已收回', updated_at = now()
        WHERE id = ANY($1::bigint[]) AND state = 'unpaid' AND paid_principal + paid_late_fee = 0 AND discount = 0`,
      [lines.map((one) => one.bill_id)],
    );
}

async function writeDiscounts(
  tx: Tx,
  paymentId: number,
  parts: readonly { readonly billId: number; readonly amount: number }[],
  on: Day,
  note: string,
  staffId: number | null,
): Promise<void> {
  if (parts.length === 0) return;
  await run(
    tx,
    `WITH w AS (SELECT * FROM unnest($2::bigint[], $3::bigint[]) AS w (bill, amount)),
     noted AS (INSERT INTO bill_line (bill_id, kind, amount, on_day, note, staff_id, payment_id) SELECT bill, 'discount', amount, $4, $5, $6, $1 FROM w)
     UPDATE bill b SET discount = b.discount + w.amount, version = b.version + 1, updated_at = now(),
       state = CASE WHEN b.state = 'void' THEN 'void' ELSE ${stateSql('b.owed_principal + b.owed_late_fee - w.amount', 'b.paid_principal + b.paid_late_fee')} END
       FROM w WHERE b.id = w.bill`,
    [paymentId, parts.map((one) => one.billId), parts.map((one) => one.amount), on, note, staffId],
  );
}
