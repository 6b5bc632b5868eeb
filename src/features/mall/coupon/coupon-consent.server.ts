import type { Label } from '../../../kernel/contract/label.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { CONSENT_SCOPE, consentSight } from './coupon-scope.server.ts';
import { couponConsent } from './issued-coupon.contract.ts';
import { partsOfSaid, saidTwice } from '../../../domain/coupon/said-twice.rules.ts';
import { valueText, type CouponTerms } from '../../../domain/coupon/coupon.rules.ts';

const OTHERS: Label = ['只有该商户可以答复', 'Only the merchant itself answers'];
const OVER: Label = ['券已结束', 'The coupon is over'];

const mayAnswer = (row: DbRow, caller: Caller): Label | undefined =>
  Number(row.tenantId) !== caller.tenantId ? OTHERS : row.over ? OVER : undefined;

const answered = (caller: Caller, reason: string): ActionResult => ({
  set: { reason, answered_at: new Date(), answered_by: caller.staffId },
  ...(reason === '' ? {} : { remark: reason }),
});

/** What merchants were asked to bear, and what they said. */
export const registration = bindResource(couponConsent, {
  table: 'coupon_consent',
  from: `coupon_consent t JOIN coupon c ON c.id = t.coupon_id LEFT JOIN tenant m ON m.id = t.tenant_id LEFT JOIN staff a ON a.id = t.answered_by`,
  scope: CONSENT_SCOPE,
  columns: {
    coupon: { id: 't.coupon_id', title: 'c.name' },
    value: `json_build_object('type', c.type, 'face', c.face, 'rate', c.rate, 'maxDiscount', c.max_discount, 'threshold', c.threshold)`,
    merchant: { id: 't.tenant_id', title: 'm.name' },
    bears: `(100 - c.bearer_platform_percent)::text`,
    endsAt: 'c.ends_at',
    answerer: 'a.name',
    askedAt: 't.created_at',
  },
  extra: { tenantId: 't.tenant_id', over: '(c.ends_at <= now())' },
  ruleReads: ['tenantId', 'over'],
  rowRules: { agree: mayAnswer, decline: mayAnswer },
  handlers: {
    agree: ({ caller }: ActionContext) => Promise.resolve(answered(caller, '')),
    decline: ({ caller, input }: ActionContext) => Promise.resolve(answered(caller, String(input.reason))),
  },
  words: { value: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0] },
  present: (rows) => {
    for (const row of rows)
      if (row.value) row.value = saidTwice(valueText(row.value as Omit<CouponTerms, 'total' | 'budget'>));
    return Promise.resolve();
  },
  also: { sights: [consentSight] },
}).registration;
