import { z } from 'zod';
import { CODES_SOURCE, codesMade, makeCodes } from '../../../domain/coupon/codes.server.ts';
import { projectIdsInReach } from '../../../domain/permission/project-reach.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { runOne } from '../../../kernel/server/database.ts';
import type { Parameters } from '../../../kernel/server/people/scope.ts';
import { endpoint, type ExportSource, type Registration } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { codes, raise, submit } from './coupon-commands.server.ts';
import { reachOf } from './coupon-reach.server.ts';
import { couponBinding } from './coupon.server.ts';
import { ISSUED_MENU, issuedCoupon, type CouponReach } from './issued-coupon.contract.ts';

const USED_UP: Label = ['预算已用完，不能增加', 'The budget is used up: no increase'];

const held = (status: string) =>
  `(SELECT count(*)::int FROM member_coupon mc WHERE mc.coupon_id = t.id AND mc.status = '${status}')`;

// What refunds gave back is the platform's in the same proportion.
const cost = (amount: string) =>
  `(SELECT coalesce(sum(${amount}), 0)::bigint FROM member_coupon mc
      JOIN order_share s ON s.source_type = 'member_coupon' AND s.source_id = mc.id::text
      JOIN order_line l ON l.id = s.line_id JOIN sales_order o ON o.id = l.order_id
     WHERE mc.coupon_id = t.id AND (o.paid_at IS NOT NULL OR o.state = 'pending_payment'))`;

const idText = z.string().regex(/^\d{1,15}$/);
const idList = z.array(idText).max(200).default([]);
const reachBody = z.strictObject({
  scope: z.enum(['all', 'classes', 'products']),
  classes: idList,
  products: idList,
  excluded: idList,
  projects: idList,
  merchant: idText.nullish(),
});

const binding = couponBinding;
const { rowRules } = binding;

const bound = bindResource(issuedCoupon, {
  ...binding,
  columns: {
    ...binding.columns,
    role: `(CASE t.issuer WHEN 'platform' THEN '1' ELSE '2' END)`,
    bearerPercent: 't.bearer_platform_percent',
    excluded: `(SELECT coalesce(json_agg(json_build_object('id', x.id::text, 'title', x.name) ORDER BY x.id), '[]') FROM product x WHERE x.id = ANY(t.excluded_product_ids))`,
    period: `(t.starts_at AT TIME ZONE 'Asia/Shanghai')::date`,
    codesMade: codesMade('t.id'),
    refunded: held('refunded'),
    expired: held('expired'),
    claimRate: `round(100.0 * t.claimed / t.total, 2)::text`,
    cost: cost('s.amount - s.refunded_amount'),
    platformCost: cost(
      's.platform_amount - CASE WHEN s.amount > 0 THEN s.platform_amount * s.refunded_amount / s.amount ELSE 0 END',
    ),
    worst: `least(t.budget_fen, t.total * coalesce(t.face, t.max_discount))`,
  },
  writes: {
    ...binding.writes,
    issuer: false,
    bearerPercent: 'bearer_platform_percent',
    excluded: 'excluded_product_ids',
    period: false,
  },
  filters: {
    ...binding.filters,
    // Coupons that hold at some moment of the days asked for.
    period: (value: string, parameters: Parameters): string | Label => {
      const [from = '', to = '', more] = value.split('~');
      if (more !== undefined || [from, to].some((day) => day !== '' && !isBusinessDay(day)))
        return ['范围不正确', 'The range is not valid'];
      const at = (day: string, days: number) =>
        `((${parameters.bind(day)}::date + ${days})::timestamp AT TIME ZONE 'Asia/Shanghai')`;
      const parts = [];
      if (from) parts.push(`t.ends_at >= ${at(from, 0)}`);
      if (to) parts.push(`t.starts_at < ${at(to, 1)}`);
      return parts.length === 0 ? 'TRUE' : `(${parts.join(' AND ')})`;
    },
  },
  tabs: {
    all: () => 'TRUE',
    platform: () => `t.issuer = 'platform'`,
    merchant: () => `t.issuer = 'merchant'`,
    review: () => `t.review_state = 'waiting'`,
  },
  extra: { ...binding.extra, ended: '(t.ends_at <= now())', spent: '(t.budget_booked >= t.budget_fen)' },
  ruleReads: [...binding.ruleReads, 'issuer', 'ended', 'spent', 'claimWay', 'codesMade', 'total'],
  rowRules: {
    ...rowRules,
    submit: (row: DbRow, caller: Caller): Label | undefined =>
      row.issuer === 'merchant'
        ? rowRules.update(row, caller)
        : ['平台券不需要审批，请直接发布', 'A platform coupon needs no review, please publish it'],
    codes: (row: DbRow, caller: Caller): Label | undefined =>
      rowRules.takeDown(row, caller) ??
      (row.claimWay !== 'code'
        ? ['领取方式不是兑换码', 'It is not claimed by code']
        : Number(row.codesMade) >= Number(row.total)
          ? ['每张券都已有兑换码', 'Each piece has its code']
          : undefined),
    raise: (row: DbRow, caller: Caller): Label | undefined =>
      rowRules.takeDown(row, caller) ??
      (row.ended ? ['已到结束时间', 'Its time is over'] : row.spent ? USED_UP : undefined),
  },
  handlers: { ...binding.handlers, submit, raise, codes },
  also: { exports: [codeFiles()] },
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/issuedCoupon/matching',
      title: ['优惠券适用商品数', 'Goods a coupon would cover'],
      access: { anyOf: [`${ISSUED_MENU}:btn_add`, `${ISSUED_MENU}:btn_edit`] },
      body: reachBody,
      handle: ({ body, caller, platform }): Promise<CouponReach> => {
        const projects = body.projects.map(Number);
        // Nobody counts what lies outside the own reach.
        const own = caller.projectIds === null ? projects : projectIdsInReach(caller, projects);
        return reachOf(platform.database.db, {
          scope: body.scope,
          ids: (body.scope === 'classes' ? body.classes : body.products).map(Number),
          excluded: body.excluded.map(Number),
          projects: own.length === 0 && caller.projectIds !== null ? caller.projectIds : own,
          tenantId:
            caller.tenantKind === 2 ? caller.tenantId : body.merchant ? Number(body.merchant) : undefined,
        });
      },
    }),
  ],
});

/** Coupons of both issuers. */
export const registration: Registration = bound.registration;

/** The codes of a coupon, made while they are written. */
function codeFiles(): ExportSource {
  return {
    source: CODES_SOURCE,
    columns: (language) => [{ title: language === 'en' ? 'Code' : '兑换码', kind: 'text' }],
    count: async ({ platform }, query) =>
      (await runOne<{ n: number }>(
        platform.database.db,
        `SELECT greatest(0, c.total - ${codesMade('c.id')}) AS n FROM coupon c WHERE c.id = $1`,
        [query.coupon],
      ))!.n,
    async *read({ platform }, query) {
      for await (const codes of makeCodes(platform.database.db, Number(query.coupon), query.batch!))
        yield codes.map((code) => [code]);
    },
  };
}
