import { approvable } from '../../../domain/approval/approvable.server.ts';
import { BUDGET_NOTICE_PERCENT } from '../../../domain/coupon/budget.server.ts';
import { valueText, type CouponTerms } from '../../../domain/coupon/coupon.rules.ts';
import { partsOfSaid, saidTwice } from '../../../domain/coupon/said-twice.rules.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { filteredProjects, projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, transaction, type Executor } from '../../../kernel/server/database.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Invariant, Job } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { COUPON_APPROVAL, couponApproval } from './coupon-approval.server.ts';
import { checkCoupon, copyCoupon, publish, takeDown } from './coupon-commands.server.ts';
import { COUPON_SCOPE, couponSight } from './coupon-scope.server.ts';
import { coupon, COUPON_MENU } from './coupon.contract.ts';

const approval = approvable(COUPON_APPROVAL, { waiting: 'draft', passed: 'published', refused: 'draft' });

const OUT_OF_REACH: Label = [
  '该券含您范围外的小区，不能操作',
  'It is for projects outside your scope, too, and cannot be changed',
];
const IN_REVIEW: Label = ['审批中，不能操作', 'It is in review'];
const NOT_IN_REVIEW: Label = ['不在审批中', 'It is not in review'];

/** Who works in some projects only changes nothing that reaches beyond them; a merchant's coupons are its own. */
function inReach(row: DbRow, caller: Caller): Label | undefined {
  if (caller.projectIds === null) return undefined;
  const ids = (row.projectIds as readonly number[]).map(Number);
  if (ids.length === 0) return caller.tenantKind === 2 ? undefined : OUT_OF_REACH;
  return ids.every((id) => caller.projectIds!.includes(id)) ? undefined : OUT_OF_REACH;
}

const free = (row: DbRow, caller: Caller) =>
  row.reviewState === 'waiting' ? IN_REVIEW : inReach(row, caller);

const refsOf = (kind: string, table: string, titleEn = 'x.name') =>
  `(SELECT coalesce(json_agg(json_build_object('id', x.id::text, 'title', x.name, 'titleEn', ${titleEn}) ORDER BY x.id), '[]') FROM ${table} x WHERE t.scope = '${kind}' AND x.id = ANY(t.scope_ids))`;

/** How coupons are read and changed under each of their menus. */
export const couponBinding = {
  table: 'coupon',
  from: 'coupon t LEFT JOIN tenant m ON m.id = t.tenant_id',
  stateColumn: 'status',
  scope: COUPON_SCOPE,
  search: `lower(t.code || ' ' || t.name)`,
  codePrefix: 'CP',
  columns: {
    merchant: {
      id: `CASE t.issuer WHEN 'merchant' THEN t.tenant_id END`,
      title: `CASE t.issuer WHEN 'merchant' THEN m.name END`,
    },
    value: `json_build_object('type', t.type, 'face', t.face, 'rate', t.rate, 'maxDiscount', t.max_discount, 'threshold', t.threshold)`,
    useRate: `(CASE WHEN t.claimed > 0 THEN round(100.0 * t.used / t.claimed, 2)::text END)`,
    projects: `(SELECT coalesce(json_agg(json_build_object('id', p.id::text, 'title', p.name) ORDER BY p.id), '[]') FROM project p WHERE p.id = ANY(t.project_ids))`,
    classes: refsOf('classes', 'product_class', `coalesce(nullif(x.name_en, ''), x.name)`),
    products: refsOf('products', 'product'),
    cover: 't.cover_id',
    budget: 't.budget_fen',
    budgetUsed: `(CASE WHEN t.budget_fen IS NOT NULL THEN t.budget_booked END)`,
    noThreshold: `(t.type = 'cash' AND t.threshold = 0)`,
  },
  writes: {
    merchant: false,
    projects: 'project_ids',
    classes: false,
    products: false,
    cover: 'cover_id',
    budget: 'budget_fen',
    noThreshold: false,
  },
  filters: {
    // Another tenant's id from a merchant is ignored: its own rows are all it has.
    merchant: (value, parameters, caller) =>
      caller.tenantKind === 2
        ? 'TRUE'
        : `(t.issuer = 'merchant' AND t.tenant_id = ANY(${parameters.bind(idsOf(value))}::bigint[]))`,
    // A coupon of all projects is one of each.
    projects: (value, parameters, caller) => {
      const ids = filteredProjects(caller, 'projects', value);
      return ids.length === 0
        ? 'FALSE'
        : `(t.project_ids && ${parameters.bind(ids)}::bigint[] OR t.project_ids = '{}')`;
    },
  },
  tabs: {
    all: () => 'TRUE',
    draft: () => `t.status = 'draft'`,
    published: () => `t.status = 'published'`,
    in_use: () => `t.status = 'in_use'`,
    off_shelf: () => `t.status = 'off_shelf'`,
    expired: () => `t.status = 'expired'`,
    review: (caller, parameters) => approval.waitsFor(parameters.bind(caller.staffId)),
  },
  abilities: [approval.ability],
  extra: {
    // Who handed it in is asked nothing while it waits.
    recorderId: 't.review_by',
    projectIds: 't.project_ids',
  },
  ruleReads: ['recorderId', 'projectIds', 'reviewState'],
  rowRules: {
    update: free,
    publish: free,
    remove: free,
    copy: inReach,
    takeDown: inReach,
    approve: (row) => (row.reviewState === 'waiting' ? undefined : NOT_IN_REVIEW),
    reject: (row) => (row.reviewState === 'waiting' ? undefined : NOT_IN_REVIEW),
    withdraw: (row, caller) =>
      row.reviewState !== 'waiting'
        ? NOT_IN_REVIEW
        : Number(row.recorderId) === caller.staffId
          ? undefined
          : ['只有提交人可以撤回', 'Only who submitted it may withdraw it'],
  },
  words: { value: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0] },
  before: [checkCoupon],
  handlers: { publish, takeDown, copy: copyCoupon },
  present,
} satisfies Binding;

const bound: BoundResource = bindResource(coupon, {
  ...couponBinding,
  also: {
    approvals: [couponApproval],
    sights: [couponSight],
    jobs: [
      dueJob(() => bound, {
        name: 'coupon.expire',
        title: ['优惠券到期', 'Coupons whose time is over'],
        cron: '* * * * *',
        action: 'expire',
        when: 't.ends_at <= now()',
      }),
      sweepJob(),
      budgetJob(),
    ],
    invariants: couponInvariants(),
  },
});

/** Coupons. */
export const registration = bound.registration;

async function present(rows: DbRow[], db: Executor, caller: Caller, _platform: Platform): Promise<void> {
  await showFiles(rows, db, 'cover');
  for (const row of rows) {
    row.projects = projectsInReach(caller, (row.projects ?? []) as { id: string }[]);
    if (row.value) row.value = saidTwice(valueText(row.value as Omit<CouponTerms, 'total' | 'budget'>));
  }
}

/** Coupons of members whose day is over, and what was recalled while an order held it. */
function sweepJob(): Job {
  return {
    name: 'coupon.sweep',
    title: ['会员优惠券到期', 'Coupons of members that ended'],
    cron: '* * * * *',
    run: async (_payload, platform) => {
      for (;;) {
        const rows = await run(
          platform.database.db,
          `UPDATE member_coupon SET status = 'expired' WHERE id IN (
             SELECT mc.id FROM member_coupon mc JOIN coupon c ON c.id = mc.coupon_id
              WHERE mc.status = 'claimed' AND mc.locked_payment IS NULL AND (mc.ends_at < now() OR c.recalled_at IS NOT NULL)
              ORDER BY mc.id LIMIT 1000 FOR UPDATE OF mc SKIP LOCKED) RETURNING id`,
        );
        if (rows.length < 1000) return;
      }
    },
  };
}

/** Tells once when a budget is nearly used: who made it, and those who decide about coupons. */
function budgetJob(): Job {
  return {
    name: 'coupon.budget',
    title: ['优惠券预算提醒', 'Budgets of coupons nearly used'],
    cron: '* * * * *',
    run: async (_payload, platform) => {
      await transaction(platform.database.db, async (tx) => {
        const rows = await run<{ id: number; name: string; created_by: number | null; percent: number }>(
          tx,
          `UPDATE coupon SET budget_told_at = now() WHERE budget_told_at IS NULL AND budget_fen IS NOT NULL
              AND budget_booked * 100 >= budget_fen * ${BUDGET_NOTICE_PERCENT} AND status IN ('published', 'in_use', 'off_shelf')
            RETURNING id, name, created_by, floor(budget_booked * 100.0 / budget_fen)::int AS percent`,
        );
        for (const row of rows)
          await notify(tx, {
            kind: 'couponBudget',
            level: 'important',
            staffIds: row.created_by ? [row.created_by] : [],
            rows: { sight: couponSight, ids: [row.id] },
            title: [
              `优惠券「${row.name}」预算已用 ${row.percent}%`,
              `Coupon “${row.name}” used ${row.percent}% of its budget`,
            ],
            body: ['预算用完后停止领取', 'When it is used up the coupon can no longer be claimed'],
            route: `/merchantManager/${COUPON_MENU}?detail=${row.id}`,
          });
      });
    },
  };
}

/** What must hold of coupons whatever happened. Source: group 08, Must show 4. */
function couponInvariants(): Invariant[] {
  const check = (name: string, broken: string): Invariant => ({
    name,
    check: async ({ database: { db } }) => {
      const looked = await run<{ n: number }>(db, 'SELECT count(*)::int AS n FROM coupon');
      const rows = await run<{ what: string }>(db, `${broken} LIMIT 200`);
      return { looked: looked[0]!.n, problems: rows.map((row) => row.what) };
    },
  });
  return [
    check(
      'coupon.per_limit',
      `SELECT c.code || ': member ' || mc.member_id || ' claimed ' || count(*) AS what FROM member_coupon mc JOIN coupon c ON c.id = mc.coupon_id
        WHERE mc.returned_from IS NULL GROUP BY c.id, mc.member_id HAVING count(*) > c.per_limit`,
    ),
    check(
      'coupon.claimed',
      `SELECT c.code || ': claimed ' || c.claimed || ', members hold ' || x.n AS what FROM coupon c
         JOIN (SELECT coupon_id, count(*) FILTER (WHERE returned_from IS NULL) AS n FROM member_coupon GROUP BY 1) x ON x.coupon_id = c.id
        WHERE c.claimed <> x.n`,
    ),
    check(
      'coupon.budget',
      `SELECT c.code || ': booked ' || c.budget_booked || ', orders took ' || coalesce(x.sum, 0) AS what FROM coupon c LEFT JOIN (
         SELECT mc.coupon_id, sum(s.amount - s.refunded_amount) AS sum FROM order_share s JOIN order_line l ON l.id = s.line_id
           JOIN sales_order o ON o.id = l.order_id JOIN member_coupon mc ON mc.id = s.source_id::bigint
          WHERE s.source_type = 'member_coupon' AND (o.paid_at IS NOT NULL OR o.state = 'pending_payment') GROUP BY 1) x ON x.coupon_id = c.id
        WHERE c.budget_fen IS NOT NULL AND c.budget_booked <> coalesce(x.sum, 0)`,
    ),
  ];
}

function idsOf(value: string): number[] {
  const entries = value.split(',').filter((entry) => entry !== '');
  if (entries.length > 500 || entries.some((entry) => !/^\d{1,15}$/.test(entry)))
    throw invalid({ merchant: ['没有此选项', 'There is no such choice'] });
  return entries.map(Number);
}
