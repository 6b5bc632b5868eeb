import { incentiveOf, ruleOf } from '../../../domain/butler/butler.rules.ts';
import { planById } from '../../../domain/butler/plan.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf, startOfBusinessDay, monthBefore } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { incentivePlan, type PlanTrial } from './configuration.contract.ts';

const WEIGHTS: Label = ['权重合计须为 100', 'Weights must total 100'];

const bound: BoundResource = bindResource(incentivePlan, {
  table: 'incentive_plan',
  lines: {
    rules: {
      table: 'incentive_plan_rule',
      own: 'plan_id',
      joins: { class: 'product_class', business: 'business' },
    },
    tiers: { table: 'incentive_plan_tier', own: 'plan_id' },
    items: { table: 'incentive_plan_item', own: 'plan_id' },
    steps: { table: 'incentive_plan_step', own: 'plan_id' },
  },
  scope: { tenant: 'none', project: 'none', owner: 't.created_by' },
  search: 'lower(t.name)',
  unique: {
    incentive_plan_from: ['该时间已有生效版本', 'A version takes effect at that time already'],
  },
  before: [check],
  handlers: { activate },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/incentivePlan/:id/trial',
      title: ['方案试算', 'Trial of a plan'],
      access: { code: incentivePlan.menu },
      handle: async (call): Promise<PlanTrial> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return trialOf(call.platform.replica.db, call.caller, id);
      },
    }),
  ],
  also: {
    jobs: [
      dueJob(() => bound, {
        name: 'butler.plan_supersede',
        title: ['激励方案替代', 'Plans that a newer one replaced'],
        cron: '*/10 * * * *',
        action: 'supersede',
        when: `EXISTS (SELECT FROM incentive_plan n WHERE n.state = 'active' AND n.effective_from > t.effective_from AND n.effective_from <= now())`,
      }),
    ],
  },
});

/** Versions of what butlers earn. */
export const registration = bound.registration;

type LineValue = Readonly<Record<string, unknown>>;
const linesOf = (input: ActionContext['input'], name: string) =>
  (input[name] ?? undefined) as readonly LineValue[] | undefined;

/** Each rule is of one thing with one value, steps go up, weights add up. */
function check({ action, input }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return Promise.resolve();
  const given = (value: unknown) => value !== null && value !== undefined && value !== '';
  for (const rule of linesOf(input, 'rules') ?? []) {
    if (given(rule.class) === given(rule.business))
      throw invalid({ rules: ['每条规则选一个分类或一个业务', 'Each rule is of a class or of a business'] });
    if (given(rule.rateBp) === given(rule.fixedFen))
      throw invalid({ rules: ['每条规则填比例或每件定额', 'Each rule has a rate or an amount a piece'] });
  }
  const tiers = (linesOf(input, 'tiers') ?? []).map((one) => Number(one.fromFen));
  if (tiers.some((from, index) => index > 0 && from <= tiers[index - 1]!))
    throw invalid({ tiers: ['阶梯须由低到高', 'Steps must go up'] });
  const items = linesOf(input, 'items');
  if (items && items.length > 0 && items.reduce((sum, one) => sum + Number(one.weight), 0) !== 100)
    throw invalid({ items: WEIGHTS });
  if (items && new Set(items.map((one) => one.name)).size < items.length)
    throw invalid({ items: ['考核项重名', 'Two items have one name'] });
  const steps = (linesOf(input, 'steps') ?? []).map((one) => Number(one.fromScore));
  if (new Set(steps).size < steps.length) throw invalid({ steps: ['得分重复', 'A score stands twice'] });
  return Promise.resolve();
}

async function activate({ tx, id, input, caller }: ActionContext): Promise<ActionResult> {
  const from = new Date(String(input.effectiveFrom));
  if (from.getTime() <= Date.now())
    throw invalid({ effectiveFrom: ['须晚于当前时间', 'It lies in the past'] });
  const plan = (await planById(tx, id))!;
  if (plan.items.length > 0 && plan.items.reduce((sum, one) => sum + one.weight, 0) !== 100)
    throw ruleBroken(WEIGHTS);
  // Versions are numbered in the order they are activated.
  await run(tx, `SELECT pg_advisory_xact_lock(hashtext('incentive_plan'))`);
  const last = await runOne<{ no: number; from: Date | null }>(
    tx,
    `SELECT coalesce(max(no), 0) AS no, max(effective_from) AS from FROM incentive_plan WHERE state <> 'draft'`,
  );
  if (last?.from && from <= last.from)
    throw invalid({
      effectiveFrom: ['须晚于已有版本的生效时间', 'Later than the versions there are'],
    });
  return {
    set: { no: last!.no + 1, effective_from: from, activated_at: new Date(), activated_by: caller.staffId },
    remark: `V${last!.no + 1}`,
  };
}

/** Last month's lines by this version's rules, in the caller's places; goods' own values stay what they were. */
async function trialOf(db: Executor, caller: Caller, id: number): Promise<PlanTrial> {
  const plan = (await planById(db, id))!;
  const month = monthBefore(businessDayOf(new Date()));
  const parameters = new Parameters();
  const from = parameters.bind(startOfBusinessDay(`${month}-01`));
  const to = parameters.bind(startOfBusinessDay(`${businessDayOf(new Date()).slice(0, 7)}-01`));
  const rows = await run<{
    id: number;
    name: string;
    rule: string;
    fixedFen: number | null;
    rateBp: number | null;
    valid: number;
    qty: number;
    times: number;
    qtyRefunded: number;
    way: number;
    servedBp: number;
    businessId: number | null;
    classIds: number[];
  }>(
    db,
    `SELECT p.housekeeper_id AS id, s.name, p.rule, p.fixed_fen AS "fixedFen", p.rate_bp AS "rateBp", p.valid, p.qty, p.times, p.qty_refunded AS "qtyRefunded",
            p.way, p.served_bp AS "servedBp", p.business_id AS "businessId",
            ARRAY(WITH RECURSIVE up AS (SELECT c.id, c.parent_id, 0 AS far FROM product_class_member m JOIN product_class c ON c.id = m.class_id WHERE m.product_id = p.product_id
              UNION ALL SELECT c.id, c.parent_id, up.far + 1 FROM up JOIN product_class c ON c.id = up.parent_id WHERE up.far < 9) SELECT id FROM up GROUP BY id ORDER BY min(far), id) AS "classIds"
       FROM butler_performance p JOIN housekeeper k ON k.id = p.housekeeper_id JOIN staff s ON s.id = k.staff_id
      WHERE p.rule <> 'none' AND p.paid_at >= ${from} AND p.paid_at < ${to}
        AND ${scopeCondition(caller, incentivePlan.menu, { tenant: 'NULL::bigint', project: 'p.project_id', owner: 'k.staff_id' }, parameters)} ORDER BY p.housekeeper_id`,
    parameters.values,
  );
  const butlers = new Map<number, { name: string; before: number; after: number }>();
  for (const row of rows) {
    const rate = row.fixedFen !== null ? { fixedFen: row.fixedFen } : { rateBp: row.rateBp! };
    const own = row.rule === 'goods_fixed' || row.rule === 'goods_rate';
    const next = own ? rate : ruleOf({ incentive: 'plan', fixedFen: null, rateBp: null }, plan, row)!;
    const one = butlers.get(row.id) ?? { name: row.name, before: 0, after: 0 };
    one.before += incentiveOf(rate, row);
    one.after += incentiveOf(next, row);
    butlers.set(row.id, one);
  }
  const all = [...butlers].map(([butler, one]) => ({ id: String(butler), ...one }));
  const sum = (name: 'before' | 'after') => all.reduce((total, one) => total + one[name], 0);
  const told = (one: { before: number; after: number }) => ({
    before: yuanFromFen(one.before),
    after: yuanFromFen(one.after),
    difference: yuanFromFen(one.after - one.before),
  });
  return {
    month,
    ...told({ before: sum('before'), after: sum('after') }),
    butlers: all.map((one) => ({ id: one.id, name: one.name, ...told(one) })),
  };
}
