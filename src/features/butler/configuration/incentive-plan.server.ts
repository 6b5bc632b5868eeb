import { z } from 'zod';
import { endOfMonth } from '../../../domain/butler/batch-month.rules.ts';
import {
  capCut,
  coefficientOf,
  incentiveOf,
  ruleOf,
  tierBonus,
  WAY,
  WHOLE_BP,
  type GoodsTerm,
} from '../../../domain/butler/butler.rules.ts';
import { butlerProductOptions } from '../../../domain/butler/options.server.ts';
import { planAt, planById } from '../../../domain/butler/plan.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf, startOfBusinessDay, monthBefore } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { TODAY } from '../../../kernel/server/today.ts';
import { incentivePlan, type PlanQuote, type PlanTrial, type TrialTerms } from './configuration.contract.ts';

const WEIGHTS: Label = ['权重合计须为 100', 'Weights must total 100'];

const bound: BoundResource = bindResource(incentivePlan, {
  table: 'incentive_plan',
  lines: {
    rules: {
      table: 'incentive_plan_rule',
      own: 'plan_id',
      joins: {
        class: { table: 'product_class', titleEn: 'name_en' },
        business: { table: 'business', titleEn: 'name_en' },
      },
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
    endpoint({
      method: 'GET',
      path: '/jinmao/web/incentivePlan/:id/quote',
      title: ['激励试算', 'What goods would earn by a plan'],
      access: { code: incentivePlan.menu },
      query: z.strictObject({
        product: z.string().regex(/^\d{1,15}$/),
        qty: z.coerce.number().int().min(1).max(9999),
        cash: z.string().regex(/^\d{1,8}(\.\d{1,2})?$/),
        way: z.enum(['1', '2']),
      }),
      handle: async (call): Promise<PlanQuote> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const { product, qty, cash, way } = call.query;
        const [seen] = await butlerProductOptions.find(call, {
          ids: [product],
          searchVal: '',
          limit: 1,
          offset: 0,
        });
        if (!seen) throw notFound();
        return quoteOf(call.platform.database.db, id, {
          product: Number(product),
          qty,
          cash: fenFromYuan(cash)!,
          way: Number(way),
          servedBp: await call.platform.settings.number('butler.served_share_bp'),
        });
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

/** The classes of a product from the nearest upwards. */
const classesOf = (product: string) =>
  `ARRAY(WITH RECURSIVE up AS (SELECT c.id, c.parent_id, 0 AS far FROM product_class_member m JOIN product_class c ON c.id = m.class_id WHERE m.product_id = ${product}
     UNION ALL SELECT c.id, c.parent_id, up.far + 1 FROM up JOIN product_class c ON c.id = up.parent_id WHERE up.far < 9) SELECT id FROM up GROUP BY id ORDER BY min(far), id)`;

/** What goods earn that are shared today, by their own value or by the rules of the version. */
async function quoteOf(
  db: Executor,
  id: number,
  asked: {
    readonly product: number;
    readonly qty: number;
    readonly cash: number;
    readonly way: number;
    readonly servedBp: number;
  },
): Promise<PlanQuote> {
  const plan = (await planById(db, id))!;
  const goods = (await runOne<{
    incentive: GoodsTerm['incentive'] | null;
    fixedFen: number | null;
    rateBp: number | null;
    businessId: number | null;
    classIds: number[];
  }>(
    db,
    `SELECT g.incentive, g.fixed_fen AS "fixedFen", g.rate_bp AS "rateBp", p.business_id AS "businessId", ${classesOf('p.id')} AS "classIds"
       FROM product p LEFT JOIN LATERAL (SELECT x.* FROM butler_goods x WHERE x.product_id = p.id AND x.enabled AND x.valid_from <= ${TODAY}
              AND (x.valid_to IS NULL OR x.valid_to >= ${TODAY}) ORDER BY x.id LIMIT 1) g ON true
      WHERE p.id = $1`,
    [asked.product],
  ))!;
  const { incentive } = goods;
  const used = incentive === null ? undefined : ruleOf({ ...goods, incentive }, plan, goods);
  if (!used) return { rule: 'none', value: '', formula: '', incentive: '0.00' };
  const line = { ...asked, qtyRefunded: 0, valid: asked.cash };
  const [value, times] =
    used.fixedFen === undefined
      ? [`${(used.rateBp / 100).toFixed(2)}%`, yuanFromFen(asked.cash)]
      : [`¥${yuanFromFen(used.fixedFen)}`, String(asked.qty)];
  const part = asked.way === WAY.served ? ` × ${(asked.servedBp / 100).toFixed(2)}%` : '';
  const amount = yuanFromFen(incentiveOf(used, line));
  return {
    rule: used.rule,
    value,
    formula: `${used.fixedFen === undefined ? times : yuanFromFen(used.fixedFen)} × ${used.fixedFen === undefined ? value : times}${part} = ${amount}`,
    incentive: amount,
  };
}

interface Terms {
  sale: number;
  bonus: number;
  capCut: number;
}

/**
 * The lines paid last month by this version against what held: what they earn, the bonus on what of them is valid, the cap.
 * In the caller's places; goods' own values stay what they were, a score brings the coefficient of each version's table.
 */
async function trialOf(db: Executor, caller: Caller, id: number): Promise<PlanTrial> {
  const plan = (await planById(db, id))!;
  const month = monthBefore(businessDayOf(new Date()));
  const held = await planAt(db, new Date(endOfMonth(month).getTime() - 1));
  const parameters = new Parameters();
  const from = parameters.bind(startOfBusinessDay(`${month}-01`));
  const to = parameters.bind(startOfBusinessDay(`${businessDayOf(new Date()).slice(0, 7)}-01`));
  const rows = await run<{
    id: number;
    name: string;
    score: string | null;
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
    `SELECT p.housekeeper_id AS id, s.name, a.total::text AS score, p.rule, p.fixed_fen AS "fixedFen", p.rate_bp AS "rateBp", p.valid, p.qty, p.times,
            p.qty_refunded AS "qtyRefunded", p.way, p.served_bp AS "servedBp", p.business_id AS "businessId", ${classesOf('p.product_id')} AS "classIds"
       FROM butler_performance p JOIN housekeeper k ON k.id = p.housekeeper_id JOIN staff s ON s.id = k.staff_id
       LEFT JOIN butler_appraisal a ON a.housekeeper_id = k.id AND a.month = ${parameters.bind(month)} AND a.state = 'confirmed'
      WHERE p.rule <> 'none' AND p.paid_at >= ${from} AND p.paid_at < ${to}
        AND ${scopeCondition(caller, incentivePlan.menu, { tenant: 'NULL::bigint', project: 'p.project_id', owner: 'k.staff_id' }, parameters)} ORDER BY p.housekeeper_id`,
    parameters.values,
  );
  const butlers = new Map<
    number,
    { name: string; score: number | null; valid: number; before: Terms; after: Terms }
  >();
  const none = (): Terms => ({ sale: 0, bonus: 0, capCut: 0 });
  for (const row of rows) {
    const rate = row.fixedFen !== null ? { fixedFen: row.fixedFen } : { rateBp: row.rateBp! };
    const own = row.rule === 'goods_fixed' || row.rule === 'goods_rate';
    const next = own ? rate : ruleOf({ incentive: 'plan', fixedFen: null, rateBp: null }, plan, row)!;
    const score = row.score === null ? null : Number(row.score);
    const one = butlers.get(row.id) ?? { name: row.name, score, valid: 0, before: none(), after: none() };
    one.valid += row.valid;
    one.before.sale += incentiveOf(rate, row);
    one.after.sale += incentiveOf(next, row);
    butlers.set(row.id, one);
  }
  for (const one of butlers.values())
    for (const [version, terms] of [
      [held, one.before],
      [plan, one.after],
    ] as const) {
      if (!version) continue;
      const coefficient = one.score === null ? WHOLE_BP : coefficientOf(one.score, version.steps);
      terms.bonus = tierBonus(one.valid, version.tiers, coefficient);
      terms.capCut = capCut(terms.sale, version.capFen);
    }
  const all = [...butlers].map(([butler, one]) => ({ id: String(butler), ...one }));
  const net = (terms: Terms) => terms.sale + terms.bonus + terms.capCut;
  const told = (before: number, after: number): TrialTerms => ({
    before: yuanFromFen(before),
    after: yuanFromFen(after),
    difference: yuanFromFen(after - before),
  });
  const sum = (of: (terms: Terms) => number) =>
    told(
      all.reduce((total, one) => total + of(one.before), 0),
      all.reduce((total, one) => total + of(one.after), 0),
    );
  return {
    month,
    ...sum(net),
    sale: sum((terms) => terms.sale),
    bonus: sum((terms) => terms.bonus),
    capCut: sum((terms) => terms.capCut),
    butlers: all.map((one) => ({ id: one.id, name: one.name, ...told(net(one.before), net(one.after)) })),
  };
}
