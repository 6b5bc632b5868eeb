import { z } from 'zod';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Job, type OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { partsOfSaid, saidTwice } from '../../../domain/coupon/said-twice.rules.ts';
import { feeItemOptions } from '../../../domain/charging/fee-item-options.server.ts';
import {
  filteredProjects,
  inReach,
  projectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import { BUDGET_SCOPE } from '../../../domain/points-ledger/points-budget.server.ts';
import {
  rebateEffect,
  rebateInvariants,
  releaseCoupons,
  tryRebate,
} from '../../../domain/rebate/rebate.server.ts';
import type { RebateTerms } from '../../../domain/rebate/rebate.rules.ts';
import { REBATE_MENU, rebateRule, type RebateTrial } from './rebate.contract.ts';
import { findCoupons } from '../../mall/coupon-push/coupon-push.server.ts';
import { rewardText, type RewardFacts } from './reward.rules.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const projectIds = 'ARRAY(SELECT p.project_id FROM payment_rebate_project p WHERE p.rule_id = t.id)';

/** Rules lie in all their projects. */
export const RULE_SCOPE: ScopeColumns = {
  tenant: 'NULL::bigint',
  project: (ids) =>
    `EXISTS (SELECT FROM payment_rebate_project p WHERE p.rule_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`,
  owner: 't.created_by',
};

/** SQL of a rule's terms as versions keep them; `t` is the rule. */
const TERMS = 'payment_rebate_terms(t)';

const grants = (what: string) =>
  `(SELECT coalesce(sum(g.${what}), 0)::int FROM payment_rebate_grant g WHERE g.rule_id = t.id)`;

const bound: BoundResource = bindResource(rebateRule, {
  table: 'payment_rebate_rule',
  joins: { budget: 'points_budget', coupon: 'coupon' },
  links: {
    projects: { table: 'payment_rebate_project', own: 'rule_id', other: 'project_id', to: 'project' },
    items: { table: 'payment_rebate_item', own: 'rule_id', other: 'fee_item_id', to: 'fee_item' },
  },
  lines: { tiers: { table: 'payment_rebate_tier', own: 'rule_id' } },
  columns: {
    reward: `(${TERMS})::text`,
    period: 't.starts_on',
    phase: `CASE WHEN t.ends_on < ${TODAY} THEN 'ended' WHEN t.starts_on > ${TODAY} THEN 'before' ELSE 'running' END`,
    versionNo: '(SELECT max(v.no) FROM payment_rebate_version v WHERE v.rule_id = t.id)',
    granted: grants('granted'),
    takenBack: grants('taken_back'),
  },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM payment_rebate_project p WHERE p.rule_id = t.id AND p.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
    // Rules that hold on one of the days, both included.
    period: (value, parameters) => {
      const [from = '', to = '', more] = value.split('~');
      if (more !== undefined || [from, to].some((one) => one !== '' && !isBusinessDay(one)))
        return ['范围不正确', 'The range is not valid'];
      const day = (one: string) => `nullif(${parameters.bind(one)}, '')::date`;
      return `(coalesce(t.ends_on >= ${day(from)}, true) AND coalesce(t.starts_on <= ${day(to)}, true))`;
    },
  },
  scope: RULE_SCOPE,
  search: `lower(t.code || ' ' || t.name)`,
  unique: {
    payment_rebate_tier_from: ['两个阶梯的起点相同', 'Two steps begin at the same amount'],
    payment_rebate_place_alone: [
      '与另一条启用的规则优先级相同且范围重叠',
      'Same priority and scope as another enabled rule',
    ],
  },
  extra: { projectIds },
  ruleReads: ['projectIds'],
  rowRules: { update: inReach, enable: inReach, stop: inReach, remove: inReach },
  words: { reward: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0] },
  before: [checkRule],
  after: [keepVersion],
  // A rule that was enabled once has versions and stays.
  present: (rows, _db, caller) => {
    for (const row of rows) {
      row.reward = saidTwice(rewardText(JSON.parse(String(row.reward)) as RewardFacts));
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
    }
    return Promise.resolve();
  },
  also: {
    options: [feeItemOptions('rebateFeeItem', [REBATE_MENU]), budgets(), coupons()],
    jobs: [couponJob()],
    effects: [rebateEffect],
    invariants: rebateInvariants,
  },
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/paymentRebateRule/:id/simulate',
      title: ['返利试算', 'Try a rebate rule'],
      access: { code: `${REBATE_MENU}:btn_simulate` },
      body: z.strictObject({ month: z.string().regex(/^20\d{2}-(0[1-9]|1[0-2])$/) }),
      handle: async (call): Promise<RebateTrial> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const { db } = call.platform.database;
        const rule = await termsOf(db, id);
        const reach = call.caller.projectIds;
        const found = await tryRebate(db, {
          terms: rule.terms,
          itemIds: rule.items,
          projectIds: reach === null ? rule.projects : rule.projects.filter((one) => reach.includes(one)),
          month: call.body.month,
        });
        const points = found.reduce((sum, one) => sum + one.points, 0);
        const byProject = new Map<string, { name: string; payments: number; points: number }>();
        for (const one of found) {
          const sum = byProject.get(one.project) ?? { name: one.project, payments: 0, points: 0 };
          byProject.set(one.project, {
            ...sum,
            payments: sum.payments + 1,
            points: sum.points + one.points,
          });
        }
        return {
          month: call.body.month,
          payments: found.length,
          points,
          cost: yuanFromFen(points * (await fenEach(call.platform, rule.terms))),
          projects: [...byProject.values()].sort((a, b) => b.points - a.points),
          top: [...found]
            .sort((a, b) => b.points - a.points || a.paymentId - b.paymentId)
            .slice(0, 20)
            .map((one) => ({
              receiptNo: one.receiptNo,
              house: `${one.project} ${one.house}`,
              day: one.day,
              eligible: yuanFromFen(one.eligible),
              months: one.months,
              points: one.points,
            })),
          collisions: await collisionsOf(db, id, call.caller),
        };
      },
    }),
  ],
});

/** Rules of rebates. */
export const registration = bound.registration;

/** Coupons of payments that are final are given as announced points are released. */
function couponJob(): Job {
  return {
    name: 'rebate.release',
    title: ['缴费返券发放', 'Coupons of rebates are given'],
    cron: '*/5 * * * *',
    run: async (_payload, platform, context) => {
      context?.print(`released ${await releaseCoupons(platform)}`);
    },
  };
}

/** What a point, or a coupon of a rule, costs at most in fen. */
async function fenEach(platform: Platform, terms: RebateTerms): Promise<number> {
  if (!terms.couponId) return platform.settings.number('points.fen_per_point');
  return (await runOne<{ fen: number }>(
    platform.database.db,
    'SELECT coalesce(face, max_discount, 0)::int AS fen FROM coupon WHERE id = $1',
    [terms.couponId],
  ))!.fen;
}

/** A coupon that is given, by somebody who may give it, as long as the rule holds. */
async function checkCoupon({ tx, caller }: ActionContext, couponId: number, endsOn: unknown): Promise<void> {
  const seen = await findCoupons(tx, caller, { ids: [couponId], searchVal: '', offset: 0, limit: 1 });
  if (seen.length === 0) throw invalid({ coupon: ['没有此选项', 'There is no such choice'] });
  const fits = await runOne(
    tx,
    `SELECT FROM coupon WHERE id = $1 AND status IN ('published', 'in_use') AND (ends_at AT TIME ZONE 'Asia/Shanghai')::date >= $2::date`,
    [couponId, endsOn],
  );
  if (!fits)
    throw invalid({
      coupon: [
        '优惠券须已发布，且有效期覆盖规则',
        'The coupon has to be published, and valid to the end of the rule',
      ],
    });
}

/** Coupons a rule may give, with how many are left. */
function coupons(): OptionSource {
  return {
    target: 'rebateCoupon',
    anyOf: [REBATE_MENU],
    find: async ({ caller, platform }, query) =>
      (await findCoupons(platform.database.db, caller, { ...query, ids: query.ids.map(Number) })).map(
        (one) => ({
          id: String(one.id),
          title: one.name,
          note: String(one.left),
        }),
      ),
  };
}

async function termsOf(db: Executor, id: number) {
  return (await runOne<{ terms: RebateTerms; projects: number[]; items: number[] }>(
    db,
    `SELECT ${TERMS} AS terms, ${projectIds} AS projects,
            ARRAY(SELECT i.fee_item_id FROM payment_rebate_item i WHERE i.rule_id = t.id) AS items FROM payment_rebate_rule t WHERE t.id = $1`,
    [id],
  ))!;
}

/** Enabled rules that meet this one in a project, item and time; those of its priority come first. */
async function collisionsOf(db: Executor, id: number, caller: Caller) {
  const parameters = new Parameters();
  const rule = parameters.bind(id);
  const seen = placeCondition(caller, RULE_SCOPE, parameters);
  return run<{ code: string; name: string; priority: number }>(
    db,
    `SELECT t.code, t.name, t.priority FROM payment_rebate_rule t, payment_rebate_rule me
      WHERE me.id = ${rule} AND t.id <> me.id AND t.state = 'enabled' AND ${seen} AND ${meets('t', 'me')}
      ORDER BY t.priority <> me.priority, t.priority, t.id LIMIT 50`,
    parameters.values,
  );
}

/** SQL: two rules share a project, a fee item and a day. */
const meets = (a: string, b: string): string =>
  `daterange(${a}.starts_on, ${a}.ends_on, '[]') && daterange(${b}.starts_on, ${b}.ends_on, '[]')
   AND EXISTS (SELECT FROM payment_rebate_project x JOIN payment_rebate_project y ON y.project_id = x.project_id WHERE x.rule_id = ${a}.id AND y.rule_id = ${b}.id)
   AND EXISTS (SELECT FROM payment_rebate_item x JOIN payment_rebate_item y ON y.fee_item_id = x.fee_item_id WHERE x.rule_id = ${a}.id AND y.rule_id = ${b}.id)`;

async function checkRule(context: ActionContext): Promise<void> {
  const { action, input, row, columns } = context;
  if (action !== 'create' && action !== 'update') return;
  const value = (field: string, column: string) => (field in input ? input[field] : row[column]);
  if (value('basis', 'basis') === 'months') {
    if (!value('monthPoints', 'month_points'))
      throw invalid({ monthPoints: ['请填写每月返积分', 'Say the points a month'] });
    if (!value('minMonths', 'min_months'))
      throw invalid({ minMonths: ['请填写最少月数', 'Say the months at least'] });
    if (action === 'create') Object.assign(columns, { per_yuan: null, give_points: null });
  } else {
    if (!value('perYuan', 'per_yuan'))
      throw invalid({ perYuan: ['请填写每满金额', 'Say for every how many yuan'] });
    const tiers = input.tiers as readonly { fromYuan: number; points: number }[] | undefined;
    if (tiers?.some((one, at) => at > 0 && one.fromYuan <= tiers[at - 1]!.fromYuan))
      throw invalid({ tiers: ['阶梯须逐行递增', 'Steps ascend from row to row'] });
    if (tiers?.some((one, at) => at > 0 && one.points < tiers[at - 1]!.points))
      throw invalid({ tiers: ['高阶梯的积分不能更少', 'A higher step gives no fewer points'] });
    if ((!tiers || tiers.length === 0) && 'tiers' in input && !value('givePoints', 'give_points'))
      throw invalid({ givePoints: ['请填写返积分或阶梯', 'Say the points, or steps'] });
  }
  const [from, to] = [value('startsOn', 'starts_on'), value('endsOn', 'ends_on')];
  if (from && to && String(to) < String(from))
    throw invalid({ endsOn: ['结束日期不能早于开始日期', 'The end lies before the start'] });
  const ways = [
    ['payCash', 'pay_cash'],
    ['payPos', 'pay_pos'],
    ['payTransfer', 'pay_transfer'],
    ['payPrepaid', 'pay_prepaid'],
  ] as const;
  if (!ways.some(([field, column]) => value(field, column) ?? true))
    throw invalid({ payCash: ['请至少选择一种缴费方式', 'Choose one way of paying at least'] });
  // Programs of before rules knew coupons do not say it.
  const kind = value('rewardKind', 'reward_kind') ?? 'points';
  columns.reward_kind = kind;
  if (kind === 'coupon') {
    const coupon = value('coupon', 'coupon_id');
    if (!coupon) throw invalid({ coupon: ['请选择优惠券', 'Choose a coupon'] });
    await checkCoupon(context, Number(coupon), to);
  } else columns.coupon_id = null;
}

/** Keeps what an enabled rule says as a version, and where it holds; a stopped one holds nowhere. */
async function keepVersion({ tx, action, caller }: ActionContext, id: number) {
  if (!['update', 'enable', 'stop'].includes(action)) return [];
  const state = (await runOne<{ state: string }>(tx, 'SELECT state FROM payment_rebate_rule WHERE id = $1', [
    id,
  ]))!;
  await run(tx, 'DELETE FROM payment_rebate_place WHERE rule_id = $1', [id]);
  if (state.state !== 'enabled') return [];
  await refuseCollision(tx, id);
  await refuseSmallCap(tx, id);
  await run(
    tx,
    `INSERT INTO payment_rebate_place (rule_id, project_id, fee_item_id, priority, period)
     SELECT t.id, p.project_id, i.fee_item_id, t.priority, daterange(t.starts_on, t.ends_on, '[]')
       FROM payment_rebate_rule t JOIN payment_rebate_project p ON p.rule_id = t.id JOIN payment_rebate_item i ON i.rule_id = t.id WHERE t.id = $1`,
    [id],
  );
  await run(
    tx,
    `INSERT INTO payment_rebate_version (rule_id, no, terms, project_ids, item_ids, made_by)
     SELECT t.id, coalesce(l.no, 0) + 1, n.terms, n.projects, n.items, $2
       FROM payment_rebate_rule t
       CROSS JOIN LATERAL (SELECT ${TERMS} AS terms, ARRAY(SELECT p.project_id FROM payment_rebate_project p WHERE p.rule_id = t.id ORDER BY 1) AS projects,
                                  ARRAY(SELECT i.fee_item_id FROM payment_rebate_item i WHERE i.rule_id = t.id ORDER BY 1) AS items) n
       LEFT JOIN LATERAL (SELECT v.* FROM payment_rebate_version v WHERE v.rule_id = t.id ORDER BY v.no DESC LIMIT 1) l ON TRUE
      WHERE t.id = $1 AND (l.terms, l.project_ids, l.item_ids) IS DISTINCT FROM (n.terms, n.projects, n.items)`,
    [id, caller.staffId],
  );
  return [];
}

async function refuseCollision(tx: Tx, id: number): Promise<void> {
  // Whoever enables rules takes turns, so that the other's code can be told; the constraint holds in any case.
  await run(tx, `SELECT pg_advisory_xact_lock(hashtext('payment_rebate_place'))`);
  const other = await runOne<{ code: string }>(
    tx,
    `SELECT t.code FROM payment_rebate_rule t, payment_rebate_rule me WHERE me.id = $1 AND t.id <> me.id AND t.state = 'enabled'
        AND t.priority = me.priority AND ${meets('t', 'me')} ORDER BY t.id LIMIT 1`,
    [id],
  );
  if (other)
    throw ruleBroken([
      `与规则 ${other.code} 优先级相同且范围重叠`,
      `Same priority and scope as rule ${other.code}`,
    ]);
}

async function refuseSmallCap(tx: Tx, id: number): Promise<void> {
  const row = await runOne<{ given: number }>(
    tx,
    `SELECT u.used AS given FROM payment_rebate_rule t JOIN payment_rebate_used u ON u.rule_id = t.id AND u.house_id = 0
      WHERE t.id = $1 AND t.cap_total >= 0 AND t.cap_total < u.used`,
    [id],
  );
  if (row) {
    const text: Label = [
      `已发放 ${row.given}，上限不能更低`,
      `${row.given} are granted, the cap cannot be lower`,
    ];
    throw invalid({ capTotal: text });
  }
}

/** Budgets rebates may be given from. */
function budgets(): OptionSource {
  return {
    target: 'rebateBudget',
    anyOf: [REBATE_MENU],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [
        placeCondition(caller, BUDGET_SCOPE, parameters),
        query.ids.length > 0
          ? `t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`
          : `t.enabled AND t.name ILIKE ${parameters.bind(containing(query.searchVal))}`,
      ];
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT t.id, t.name AS title, t.code AS note FROM points_budget t WHERE ${parts.join(' AND ')}
          ORDER BY t.year DESC, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}
