import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import type { PlanRule, Tier } from './butler.rules.ts';

/** A version of the incentive plan with its parts. */
export interface Plan {
  readonly id: number;
  readonly no: number | null;
  readonly defaultBp: number;
  readonly capFen: number;
  readonly freezeDays: number;
  readonly rules: readonly PlanRule[];
  readonly tiers: readonly Tier[];
  readonly steps: readonly { readonly fromScore: number; readonly coefficientBp: number }[];
  readonly items: readonly { readonly name: string; readonly source: string; readonly weight: number }[];
}

const rows = (table: string, columns: string, order: string) =>
  `(SELECT coalesce(jsonb_agg(to_jsonb(x) ORDER BY ${order}), '[]') FROM (SELECT ${columns} FROM ${table} y WHERE y.plan_id = t.id) x)`;

const PLAN = `SELECT t.id, t.no, t.default_bp AS "defaultBp", t.monthly_cap_fen AS "capFen", t.freeze_days AS "freezeDays",
  ${rows('incentive_plan_rule', 'y.position, y.class_id AS "classId", y.business_id AS "businessId", y.rate_bp AS "rateBp", y.fixed_fen AS "fixedFen"', 'x.position')} AS rules,
  ${rows('incentive_plan_tier', 'y.from_fen AS "fromFen", y.extra_bp AS "extraBp"', 'x."fromFen"')} AS tiers,
  ${rows('incentive_plan_step', 'y.from_score AS "fromScore", y.coefficient_bp AS "coefficientBp"', 'x."fromScore"')} AS steps,
  ${rows('incentive_plan_item', 'y.position, y.name, y.source, y.weight', 'x.position')} AS items
  FROM incentive_plan t`;

/** The version that holds at an instant, however late it is asked. */
export async function planAt(db: Executor, at: Date): Promise<Plan | undefined> {
  return runOne<Plan>(
    db,
    `${PLAN} WHERE t.state <> 'draft' AND t.effective_from <= $1 ORDER BY t.effective_from DESC LIMIT 1`,
    [at],
  );
}

/** A version by its id, drafts too. */
export async function planById(db: Executor, id: number): Promise<Plan | undefined> {
  const [plan] = await run<Plan>(db, `${PLAN} WHERE t.id = $1`, [id]);
  return plan;
}
