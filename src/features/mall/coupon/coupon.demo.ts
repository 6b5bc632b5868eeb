import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { coupon } from './coupon.contract.ts';

const DAY = 86_400_000;

interface Row {
  readonly name: string;
  /** Number of the merchant; absent: the platform. */
  readonly merchant?: number;
  readonly face?: number;
  readonly rate?: number;
  readonly most?: number;
  readonly threshold: number;
  readonly total: number;
  readonly state: 'draft' | 'published' | 'in_use' | 'off_shelf' | 'expired';
  /** Days from now: start and end. */
  readonly days: readonly [number, number];
  readonly validDays?: number;
  readonly budget?: number;
  readonly way?: 'centre' | 'targeted';
  readonly claimed?: number;
  readonly review?: 'refused';
  readonly reason?: string;
  /** Percent the platform bears where merchants bear the rest, and what these said. */
  readonly bears?: number;
  readonly answers?: readonly ('yes' | 'no' | 'waiting')[];
}

const ROWS: readonly Row[] = [
  {
    name: '年货节满299减40',
    face: 4_000,
    threshold: 29_900,
    total: 2_000,
    state: 'draft',
    days: [20, 50],
    budget: 6_000_000,
  },
  {
    name: '生鲜九折券',
    merchant: 1,
    rate: 90,
    most: 2_000,
    threshold: 5_000,
    total: 300,
    state: 'published',
    days: [-1, 29],
    way: 'centre',
  },
  {
    name: '新邻居见面礼',
    face: 1_500,
    threshold: 6_000,
    total: 500,
    state: 'in_use',
    days: [-30, 60],
    validDays: 15,
    way: 'targeted',
    budget: 400_000,
    claimed: 12,
  },
  {
    name: '米面粮油满100减8',
    merchant: 1,
    face: 800,
    threshold: 10_000,
    total: 400,
    state: 'in_use',
    days: [-20, 40],
    claimed: 20,
  },
  {
    name: '周末六折体验券',
    merchant: 2,
    rate: 60,
    most: 3_000,
    threshold: 3_000,
    total: 100,
    state: 'draft',
    days: [3, 33],
    review: 'refused',
  },
  {
    name: '洗护满59减6',
    merchant: 3,
    face: 600,
    threshold: 5_900,
    total: 300,
    state: 'off_shelf',
    days: [-25, 15],
    reason: '商品缺货，暂停发放',
    claimed: 5,
  },
  {
    name: '邻里共享满150减30',
    face: 3_000,
    threshold: 15_000,
    total: 800,
    state: 'in_use',
    days: [-10, 45],
    budget: 2_000_000,
    claimed: 8,
    bears: 60,
    answers: ['yes', 'yes', 'no', 'waiting'],
  },
  {
    name: '中秋礼盒满199减30',
    face: 3_000,
    threshold: 19_900,
    total: 1_000,
    state: 'expired',
    days: [-80, -45],
  },
];

/** Coupons in every state, of the platform and of merchants, with what happened to them. */
export const demo = defineDemo({
  key: 'coupons',
  run: async ({ tx, insert, tell, now, as, base }) => {
    const at = (days: number) => new Date(now.getTime() + days * DAY);
    // Days begin at midnight in business time.
    const midnight = (days: number) =>
      new Date(Math.floor((at(days).getTime() + 8 * 3_600_000) / DAY) * DAY - 8 * 3_600_000);
    const members = await run<{ id: number }>(tx, 'SELECT id FROM member ORDER BY id DESC LIMIT 40');
    const platform = await run<{ id: number }>(
      tx,
      'SELECT id FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1',
    );
    for (const [index, row] of ROWS.entries()) {
      const author = as(row.merchant ? `merchant${row.merchant}` : 'mall1');
      const tenantId = row.merchant ? base.tenants.get(`M00000${row.merchant}`)! : platform[0]!.id;
      const projects = await run<{ id: number }>(
        tx,
        row.merchant
          ? 'SELECT project_id AS id FROM tenant_project WHERE tenant_id = $1 ORDER BY 1'
          : 'SELECT id FROM project WHERE $1::bigint > 0 ORDER BY id LIMIT 4',
        [tenantId],
      );
      const made = midnight(Math.min(row.days[0] - 4, -2) - index);
      const published = new Date(made.getTime() + DAY + 9 * 3_600_000);
      const holders = members.slice(index, index + (row.claimed ?? 0));
      const last =
        row.state === 'expired' ? midnight(row.days[1]) : row.state === 'off_shelf' ? at(-3) : undefined;
      const [id] = await insert('coupon', [
        {
          code: `CPD${String(index + 1).padStart(5, '0')}`,
          name: row.name,
          type: row.face ? 'cash' : 'discount',
          issuer: row.merchant ? 'merchant' : 'platform',
          tenant_id: tenantId,
          face: row.face ?? null,
          rate: row.rate ?? null,
          max_discount: row.most ?? null,
          threshold: row.threshold,
          bearer_platform_percent: row.merchant ? 0 : (row.bears ?? 100),
          consent_needed: row.bears !== undefined,
          total: row.total,
          claimed: holders.length,
          status: row.state,
          starts_at: midnight(row.days[0]),
          ends_at: midnight(row.days[1]),
          valid_kind: row.validDays ? 'days' : 'dates',
          valid_days: row.validDays ?? null,
          budget_fen: row.budget ?? null,
          claim_way: row.way ?? 'centre',
          project_ids: projects.map((one) => one.id),
          review_state: row.review ?? 'none',
          off_reason: row.reason ?? '',
          created_at: made,
          created_by: author.staffId,
          updated_at: last ?? (row.state === 'draft' ? made : published),
          updated_by: author.staffId,
        },
      ]);
      await insert(
        'member_coupon',
        holders.map((holder, n) => ({
          code: `98${String(index).padStart(2, '0')}${String(id! * 1_000 + n).padStart(8, '0')}`,
          coupon_id: id,
          member_id: holder.id,
          claim_seq: 1,
          ends_at: row.validDays ? at(row.validDays - (n % 9)) : midnight(row.days[1]),
          claimed_at: at(-(n % 9)),
        })),
      );
      if (row.state !== 'draft')
        await insert('coupon_batch', [
          { coupon_id: id, qty: row.total, created_at: published, created_by: author.staffId },
        ]);
      const asked = (row.answers ?? []).flatMap((answer, n) => {
        const tenant = base.tenants.get(`M00000${n + 1}`);
        return tenant === undefined
          ? []
          : [{ answer, tenant, staff: n < 3 ? as(`merchant${n + 1}`) : undefined }];
      });
      await insert(
        'coupon_consent',
        asked.map(({ answer, tenant, staff }) => ({
          coupon_id: id,
          tenant_id: tenant,
          state: answer,
          reason: answer === 'no' ? '本店毛利较低，暂不参加' : '',
          answered_at: answer === 'waiting' ? null : new Date(published.getTime() + DAY),
          answered_by: answer === 'waiting' ? null : (staff?.staffId ?? null),
          created_at: published,
        })),
      );
      const told = { entity: 'coupon', entityId: id! };
      const { create, publish, takeDown, expire, reject } = coupon.actions!;
      await tell({ ...told, caller: author, action: 'create', label: create.label, to: 'draft', at: made });
      if (row.review)
        await tell({
          ...told,
          caller: as('mall1'),
          action: 'reject',
          label: reject.label,
          from: 'draft',
          to: 'draft',
          remark: '优惠力度过大，请提高门槛后再提交',
          at: published,
        });
      if (row.state === 'draft') continue;
      await tell({
        ...told,
        caller: author,
        action: 'publish',
        label: publish.label,
        from: 'draft',
        to: 'published',
        at: published,
      });
      if (row.state === 'off_shelf')
        await tell({
          ...told,
          caller: author,
          action: 'takeDown',
          label: takeDown.label,
          from: 'in_use',
          to: 'off_shelf',
          remark: row.reason!,
          at: last!,
        });
      if (row.state === 'expired')
        await tell({
          ...told,
          caller: undefined,
          action: 'expire',
          label: expire.label,
          from: 'published',
          to: 'expired',
          at: last!,
        });
    }
  },
});
