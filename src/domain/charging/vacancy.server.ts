import { run, type Executor } from '../../kernel/server/database.ts';
import { daysOf, overlap, type Day, type Period } from './calendar.rules.ts';
import { divideHalfEven } from './exact.rules.ts';

/** Days a house is vacant by approval, and what its rule takes off, in hundredths of a percent. */
export interface Vacancy {
  readonly house_id: number;
  readonly rule_id: number;
  readonly from: Day;
  readonly to: Day;
  readonly percent: number;
  readonly name: string;
}

/** What is taken off a bill for vacant days, in fen, and the words of its line. */
export interface VacantDiscount {
  readonly amount: number;
  /** The rule, the first where a bill has vacancies of several. */
  readonly ruleId: number;
  readonly note: string;
}

/** Approved vacancies of a project's houses in a period, of rules that hold for an item, by house. Source: group 06, Rules of charging 7. */
export async function vacanciesOf(
  db: Executor,
  projectId: number,
  itemId: number,
  period: Period,
): Promise<ReadonlyMap<number, readonly Vacancy[]>> {
  const rows = await run<Vacancy>(
    db,
    `SELECT v.house_id, v.rule_id, v.valid_from::text AS from, v.valid_to::text AS to, (r.percent * 100)::integer AS percent, r.name
       FROM vacancy v JOIN discount_rule r ON r.id = v.rule_id AND r.enabled
      WHERE v.project_id = $1 AND v.state = 'approved' AND v.valid_from <= $4 AND v.valid_to >= $3
        AND (NOT EXISTS (SELECT FROM discount_rule_item i WHERE i.rule_id = r.id) OR EXISTS (SELECT FROM discount_rule_item i WHERE i.rule_id = r.id AND i.fee_item_id = $2))
      ORDER BY v.house_id, v.valid_from`,
    [projectId, itemId, period.from, period.to],
  );
  const found = new Map<number, Vacancy[]>();
  for (const row of rows) found.set(row.house_id, [...(found.get(row.house_id) ?? []), row]);
  return found;
}

/** The percent of the principal for the days of a bill that are vacant, rounded half-even once. */
export function vacantDiscount(
  vacancies: readonly Vacancy[],
  bill: Period & { readonly amount: number },
): VacantDiscount | undefined {
  const days = daysOf(bill);
  const parts = vacancies.flatMap((one) => {
    const shared = overlap(bill, one);
    return shared ? [{ ...one, days: daysOf(shared) }] : [];
  });
  const weight = parts.reduce((sum, one) => sum + BigInt(one.days) * BigInt(one.percent), 0n);
  const amount = Number(divideHalfEven(BigInt(bill.amount) * weight, BigInt(days) * 10_000n));
  if (amount <= 0) return undefined;
  return {
    amount,
    ruleId: parts[0]!.rule_id,
    note: parts
      .map((one) => `${one.name} ${one.days}/${days}天 ${one.percent / 100}%`)
      .join('、')
      .slice(0, 200),
  };
}
