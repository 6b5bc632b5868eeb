import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { feeItemOptions } from '../../../domain/charging/fee-item-options.server.ts';
import { valueText, type CouponTerms } from '../../../domain/coupon/coupon.rules.ts';
import { partsOfSaid, saidTwice } from '../../../domain/coupon/said-twice.rules.ts';
import { giftEffect, giftInvariants } from '../../../domain/payment-gift/payment-gift.server.ts';
import type { GiftTier } from '../../../domain/payment-gift/payment-gift.rules.ts';
import {
  filteredProjects,
  inReach,
  projectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import { COURTESY_MENU, payCourtesy } from './pay-courtesy.contract.ts';
import { rewardText, type RewardFacts } from './reward.rules.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const FIXED: Label = [
  '活动进行中，仅可修改总份数、结束日期和说明',
  'It runs: only total, end and text may change',
];
/** What may change while it runs. */
const OPEN_FIELDS = new Set(['total', 'endsOn', 'text']);
const MOST_COUPONS = 10;
const projectIds = 'ARRAY(SELECT p.project_id FROM payment_gift_project p WHERE p.gift_id = t.id)';

/** Activities lie in all their projects. */
const SCOPE: ScopeColumns = {
  tenant: 'NULL::bigint',
  project: (ids) =>
    `EXISTS (SELECT FROM payment_gift_project p WHERE p.gift_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`,
  owner: 't.created_by',
};

/** What the rule is told by, as JSON text. */
const REWARD = `jsonb_build_object('condition', t.condition, 'gift', t.gift, 'tiers',
    coalesce((SELECT jsonb_agg(jsonb_build_object('threshold', s.threshold, 'quantity', s.quantity)) FROM payment_gift_tier s WHERE s.gift_id = t.id), '[]'))::text`;

const bound: BoundResource = bindResource(payCourtesy, {
  table: 'payment_gift',
  joins: { coupon: 'coupon' },
  links: {
    projects: { table: 'payment_gift_project', own: 'gift_id', other: 'project_id', to: 'project' },
    items: { table: 'payment_gift_item', own: 'gift_id', other: 'fee_item_id', to: 'fee_item' },
  },
  lines: { tiers: { table: 'payment_gift_tier', own: 'gift_id' } },
  columns: {
    reward: REWARD,
    cost: `(SELECT coalesce(sum((g.quantity - g.taken_back + g.to_recover) * g.unit_fen), 0)::bigint FROM payment_gift_grant g WHERE g.gift_id = t.id AND g.state <> 'failed')`,
  },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM payment_gift_project p WHERE p.gift_id = t.id AND p.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  scope: SCOPE,
  search: `lower(t.code || ' ' || t.name)`,
  unique: { payment_gift_tier_threshold: ['两档的起点相同', 'Two steps begin at the same value'] },
  extra: { projectIds },
  ruleReads: ['projectIds'],
  rowRules: { update: inReach, publish: inReach, stop: inReach, copy: inReach },
  words: { reward: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0] },
  before: [check],
  sets: { stop: { stop_reason: fromInput('reason') } },
  handlers: {
    publish,
    copy,
  },
  present: (rows, _db, caller) => {
    for (const row of rows) {
      row.reward = saidTwice(rewardText(JSON.parse(String(row.reward)) as RewardFacts));
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
    }
    return Promise.resolve();
  },
  also: {
    options: [feeItemOptions('courtesyFeeItem', [COURTESY_MENU]), coupons()],
    effects: [giftEffect],
    invariants: giftInvariants,
    jobs: [
      dueJob(() => bound, {
        name: 'courtesy.state',
        title: ['缴费活动开始', 'Payment courtesy begins'],
        cron: '* * * * *',
        action: 'start',
        when: `t.starts_on <= ${TODAY}`,
      }),
      dueJob(() => bound, {
        name: 'courtesy.end',
        title: ['缴费活动结束', 'Payment courtesy ends'],
        cron: '* * * * *',
        action: 'end',
        when: `t.ends_on < ${TODAY}`,
      }),
    ],
  },
});

/** Activities that give something for payments. */
export const registration = bound.registration;

/** The steps rise, the gift is whole, and what runs keeps its terms. */
async function check(context: ActionContext): Promise<void> {
  const { action, input, row, tx, columns, id } = context;
  if (action !== 'create' && action !== 'update') return;
  if (action === 'update' && row.state === 'running') await refuseFixed(tx, id, row, input);
  const value = (field: string, column: string) => (field in input ? input[field] : row[column]);
  const [from, to] = [String(value('startsOn', 'starts_on')), String(value('endsOn', 'ends_on'))];
  if (to < from) throw invalid({ endsOn: ['结束日期不能早于开始日期', 'The end lies before the start'] });
  if (to < businessDayOf(new Date())) throw invalid({ endsOn: ['结束日期已过', 'The end has passed'] });
  const gift = value('gift', 'gift');
  const coupon = value('coupon', 'coupon_id');
  if (gift === 'coupon' && !coupon) throw invalid({ coupon: ['请选择优惠券', 'Choose the coupon'] });
  if (gift !== 'coupon' && coupon) columns.coupon_id = null;
  const condition = value('condition', 'condition');
  const tiers = (input.tiers ?? []) as readonly GiftTier[];
  if (tiers.some((one, at) => at > 0 && one.threshold <= tiers[at - 1]!.threshold))
    throw invalid({ tiers: ['阶梯须逐档递增', 'Steps rise from one to the next'] });
  if (tiers.some((one, at) => at > 0 && one.quantity <= tiers[at - 1]!.quantity))
    throw invalid({ tiers: ['高一档的礼品须更多', 'A higher step gives more'] });
  if (condition !== 'early' && tiers.some((one) => one.threshold === 0))
    throw invalid({ tiers: ['起点须大于 0', 'A step begins above 0'] });
  if (gift === 'coupon' && tiers.some((one) => one.quantity > MOST_COUPONS))
    throw invalid({ tiers: [`每份最多 ${MOST_COUPONS} 张`, `At most ${MOST_COUPONS} coupons a gift`] });
  const total = Number(value('total', 'total'));
  if (action === 'update' && total < Number(row.given)) {
    const text: Label = [
      `已发放 ${Number(row.given)} 份，不能更少`,
      `${Number(row.given)} are given, it cannot be fewer`,
    ];
    throw invalid({ total: text });
  }
}

/** Refuses whatever else than total, end and text differs from what stands. */
async function refuseFixed(tx: Tx, id: number, row: DbRow, input: ActionContext['input']): Promise<void> {
  const stands = (await runOne<{ projects: number[]; items: number[]; tiers: GiftTier[] }>(
    tx,
    `SELECT ARRAY(SELECT project_id FROM payment_gift_project WHERE gift_id = $1 ORDER BY 1) AS projects,
            ARRAY(SELECT fee_item_id FROM payment_gift_item WHERE gift_id = $1 ORDER BY 1) AS items,
            coalesce((SELECT jsonb_agg(jsonb_build_object('threshold', threshold, 'quantity', quantity) ORDER BY threshold) FROM payment_gift_tier WHERE gift_id = $1), '[]') AS tiers`,
    [id],
  ))!;
  const sorted = (value: unknown) =>
    JSON.stringify([...(value as number[])].map(Number).sort((a, b) => a - b));
  const steps = (value: unknown) =>
    JSON.stringify(
      (value as GiftTier[])
        .map(({ threshold, quantity }) => [threshold, quantity])
        .sort((a, b) => a[0]! - b[0]!),
    );
  const same: Readonly<Record<string, (value: unknown) => boolean>> = {
    name: (value) => value === row.name,
    projects: (value) => sorted(value) === sorted(stands.projects),
    items: (value) => sorted(value) === sorted(stands.items),
    condition: (value) => value === row.condition,
    gift: (value) => value === row.gift,
    coupon: (value) => Number(value ?? 0) === Number(row.coupon_id ?? 0),
    tiers: (value) => steps(value) === steps(stands.tiers),
    houseLimit: (value) => Number(value) === Number(row.house_limit),
    startsOn: (value) => String(value) === String(row.starts_on),
  };
  for (const [name, value] of Object.entries(input))
    if (!OPEN_FIELDS.has(name) && same[name] && !same[name](value)) throw ruleBroken(FIXED);
}

async function publish({ tx, row }: ActionContext): Promise<ActionResult> {
  const today = businessDayOf(new Date());
  if (String(row.ends_on) < today)
    throw ruleBroken(['结束日期已过，请先修改', 'The end has passed: change it first']);
  if (row.coupon_id !== null) {
    const coupon = await runOne(
      tx,
      `SELECT 1 FROM coupon WHERE id = $1 AND status IN ('published', 'in_use') AND ends_at > now()`,
      [row.coupon_id],
    );
    if (!coupon) throw ruleBroken(['优惠券未发布或已过期', 'The coupon is not published or is over']);
  }
  return { to: String(row.starts_on) <= today ? 'running' : 'scheduled' };
}

/** A draft like this one, with nothing given. */
async function copy({ tx, id, row, caller }: ActionContext): Promise<ActionResult> {
  const name = `${String(row.name).slice(0, 37)} 副本`;
  const made = await runOne<{ id: number }>(
    tx,
    `INSERT INTO payment_gift (name, condition, gift, coupon_id, house_limit, total, starts_on, ends_on, text, created_by, updated_by)
     SELECT $2, g.condition, g.gift, g.coupon_id, g.house_limit, g.total, g.starts_on, g.ends_on, g.text, $3, $3 FROM payment_gift g WHERE g.id = $1 RETURNING id`,
    [id, name, staffIdOf(caller)],
  );
  if (!made) throw notFound();
  await run(
    tx,
    'INSERT INTO payment_gift_project SELECT $2, project_id FROM payment_gift_project WHERE gift_id = $1',
    [id, made.id],
  );
  await run(
    tx,
    'INSERT INTO payment_gift_item SELECT $2, fee_item_id FROM payment_gift_item WHERE gift_id = $1',
    [id, made.id],
  );
  await run(
    tx,
    'INSERT INTO payment_gift_tier (gift_id, position, threshold, quantity) SELECT $2, position, threshold, quantity FROM payment_gift_tier WHERE gift_id = $1',
    [id, made.id],
  );
  await writeTimeline(tx, {
    entity: payCourtesy.name,
    entityId: made.id,
    caller,
    action: 'create',
    label: payCourtesy.actions!.create.label,
    to: 'draft',
    remark: String(row.code),
  });
  return { result: { name, id: String(made.id) }, remark: name };
}

/** Coupons in force the caller may hand out, with what they are worth. */
function coupons(): OptionSource {
  return {
    target: 'courtesyCoupon',
    anyOf: [COURTESY_MENU],
    find: async ({ caller, platform, facts }, query) => {
      const parameters = new Parameters();
      const parts = [
        placeCondition(
          caller,
          {
            tenant: 't.tenant_id',
            project: (ids) =>
              `(t.project_ids && ${ids}::bigint[] OR (t.project_ids = '{}' AND cardinality(${ids}::bigint[]) > 0))`,
          },
          parameters,
        ),
        query.ids.length > 0
          ? `t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`
          : `t.status IN ('published', 'in_use') AND t.ends_at > now() AND t.issuer = 'platform'`,
      ];
      if (query.searchVal)
        parts.push(
          `lower(t.code || ' ' || t.name) LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`,
        );
      const rows = await run<
        Omit<CouponTerms, 'total' | 'budget'> & { id: number; name: string; left: number }
      >(
        platform.database.db,
        `SELECT t.id, t.name, t.total - t.claimed AS left, t.type, t.face, t.rate, t.max_discount AS "maxDiscount", t.threshold
           FROM coupon t WHERE ${parts.join(' AND ')} ORDER BY t.created_at DESC, t.id DESC
          LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      const english = facts.language === 'en';
      return rows.map((row) => ({
        id: String(row.id),
        title: row.name,
        note: `${valueText(row)[english ? 1 : 0]} · ${english ? `${row.left} left` : `余${row.left}张`}`,
      }));
    },
  };
}
