import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import {
  CASE_ENTITY,
  CASE_STATES,
  type CaseReason,
  type CaseState,
  type CaseType,
} from '../../../domain/after-sale/case.rules.ts';
import { reserveStock } from '../../../domain/checkout/stock.server.ts';
import { caseSplit } from './case-money.server.ts';

const HOUR = 3_600_000;
const TEXTS: Readonly<Record<CaseReason, readonly string[]>> = {
  quality: ['打开后发现有异味', '用了一次就坏了', '瓶盖密封不严，漏了一半'],
  wrong: ['颜色与页面图片不一致', '规格与描述不符'],
  missing: ['少了一件，请核实', '赠品没有收到'],
  damaged: ['外箱压坏，里面破损', '运输途中摔裂了'],
  late: ['等了一周还没发货，不要了'],
  no_want: ['不合适，没有拆封', '家里已经有了，想退'],
  price: ['刚买就降价，申请退差价'],
  other: ['与客服沟通过，请处理'],
};
const EXPRESS = ['顺丰速运', '中通快递', '圆通速递', '京东物流'];

interface Plan {
  readonly state: CaseState;
  readonly type: CaseType;
  readonly reason: CaseReason;
  /** Hours since the application. */
  readonly age: number;
  /** Hours left of the deadline; below 4 it is red. */
  readonly left?: number;
  readonly escalated?: true;
  readonly sent?: true;
  readonly talk?: true;
}

const PLANS: readonly Plan[] = [
  { state: 'applied', type: 'refund_only', reason: 'late', age: 40, left: 2.5, talk: true },
  { state: 'applied', type: 'return_refund', reason: 'quality', age: 36, left: 3.6, talk: true },
  { state: 'applied', type: 'return_refund', reason: 'no_want', age: 20, left: 21 },
  { state: 'applied', type: 'refund_only', reason: 'price', age: 9, left: 70 },
  { state: 'applied', type: 'exchange', reason: 'damaged', age: 5, left: 92 },
  { state: 'applied', type: 'return_refund', reason: 'wrong', age: 3, left: 96 },
  { state: 'applied', type: 'refund_only', reason: 'missing', age: 1, left: 100 },
  { state: 'applied', type: 'return_refund', reason: 'quality', age: 90, escalated: true, talk: true },
  { state: 'applied', type: 'refund_only', reason: 'damaged', age: 70, escalated: true, talk: true },
  { state: 'agreed', type: 'return_refund', reason: 'quality', age: 60, left: 110 },
  { state: 'agreed', type: 'return_refund', reason: 'no_want', age: 130, left: 22 },
  { state: 'agreed', type: 'exchange', reason: 'wrong', age: 30, left: 150 },
  { state: 'returned', type: 'return_refund', reason: 'quality', age: 120, left: 160, talk: true },
  { state: 'returned', type: 'return_refund', reason: 'damaged', age: 140, left: 3.2 },
  { state: 'returned', type: 'return_refund', reason: 'no_want', age: 80, left: 190 },
  { state: 'returned', type: 'exchange', reason: 'damaged', age: 90, left: 40 },
  { state: 'received', type: 'exchange', reason: 'quality', age: 130 },
  { state: 'received', type: 'exchange', reason: 'wrong', age: 140, left: 100, sent: true },
  { state: 'refused', type: 'return_refund', reason: 'other', age: 60, talk: true },
  { state: 'refused', type: 'refund_only', reason: 'price', age: 130 },
  { state: 'withdrawn', type: 'return_refund', reason: 'no_want', age: 110 },
  { state: 'withdrawn', type: 'refund_only', reason: 'other', age: 50 },
];

/** Cases in every state: fresh ones on orders of these days, and those behind refunds of the last weeks. */
export const demo = defineDemo({
  key: 'afterSales',
  after: ['returnAddresses'],
  run: async ({ tx, insert, tell, random, now }) => {
    const clerks = await run<{ id: number; tenant_id: number; name: string }>(
      tx,
      `SELECT DISTINCT ON (s.tenant_id) s.id, s.tenant_id, s.name FROM staff s JOIN tenant t ON t.id = s.tenant_id
        WHERE t.kind = 2 AND s.state = 'normal' ORDER BY s.tenant_id, s.id DESC`,
    );
    const pictures = await run<{ id: string }>(
      tx,
      `SELECT id FROM stored_file WHERE access = 'picture' AND type IN ('image/png', 'image/jpeg') ORDER BY id LIMIT 12`,
    );
    const at = (hours: number) => new Date(now.getTime() - hours * HOUR);

    const write = async (
      order: OrderOf,
      line: LineOf,
      story: {
        readonly state: CaseState;
        readonly type: CaseType;
        readonly reason: CaseReason;
        readonly applied: Date;
        readonly decided?: Date | undefined;
        readonly columns: Readonly<Record<string, unknown>>;
        readonly qty: number;
        readonly cash: number;
        readonly snapshot?: unknown;
        readonly newSpec?: number | null;
        readonly steps: readonly {
          readonly at: Date;
          readonly to: CaseState;
          readonly zh: string;
          readonly en: string;
          readonly code?: number;
          readonly by?: 'buyer' | 'clerk' | 'platform';
          readonly remark?: string;
        }[];
      },
    ): Promise<number> => {
      const text = random.pick(TEXTS[story.reason]);
      const [id] = await insert('after_sale', [
        {
          code: await nextCode(tx, 'AS', story.applied),
          order_id: order.id,
          order_kind: 'goods',
          tenant_id: order.tenant_id,
          project_id: order.project_id,
          member_id: order.member_id,
          type: story.type,
          stage: order.completed_at !== null && order.completed_at < story.applied ? 'after' : 'before',
          state: story.state,
          reason_code: story.reason,
          reason: text,
          evidence: ['quality', 'wrong', 'damaged', 'missing'].includes(story.reason)
            ? random
                .shuffle(pictures)
                .slice(0, random.int(1, 3))
                .map((one) => one.id)
            : [],
          applicant_type: 1,
          applied_at: story.applied,
          applied_cash: story.cash,
          suggested_cash: story.cash,
          snapshot: story.snapshot ?? {},
          product_name: line.product_name,
          item_count: story.qty,
          decided_at: story.decided ?? null,
          audit_minutes: story.decided ? random.int(25, 520) : null,
          created_at: story.applied,
          updated_at: story.steps.at(-1)!.at,
          ...story.columns,
        },
      ]);
      await insert('after_sale_line', [
        { after_sale_id: id, line_id: line.id, qty: story.qty, new_spec_id: story.newSpec ?? null },
      ]);
      const clerk = clerks.find((one) => one.tenant_id === order.tenant_id);
      let from: CaseState | null = null;
      for (const step of story.steps) {
        const who =
          step.by === 'buyer'
            ? '买家'
            : step.by === 'clerk'
              ? (clerk?.name ?? '系统')
              : step.by === 'platform'
                ? '平台客服'
                : '系统';
        await insert('after_sale_event', [
          {
            after_sale_id: id,
            from_state: from,
            to_state: step.to,
            code: step.code ?? null,
            label_zh: step.zh,
            label_en: step.en,
            who,
            remark: step.remark ?? '',
            at: step.at,
          },
        ]);
        if (step.code !== undefined)
          await insert('order_event', [
            { order_id: order.id, code: step.code, at: step.at, who, remark: step.remark ?? '' },
          ]);
        await tell({
          entity: CASE_ENTITY,
          entityId: id!,
          caller:
            step.by === 'clerk' && clerk
              ? { staffId: clerk.id, name: clerk.name }
              : { staffId: null as unknown as number, name: who },
          action: step.to,
          label: [step.zh, step.en],
          ...(from ? { from } : {}),
          to: step.to,
          remark: step.remark ?? '',
          at: step.at,
        });
        from = step.to;
      }
      return id!;
    };

    // Cases behind refunds that exist: what was refunded is what was asked for.
    const refunds = await run<
      OrderOf &
        LineOf & {
          refund_id: number;
          r_state: string;
          created: Date;
          updated: Date;
          cash: number;
          shipped: boolean;
          line_id: number;
          r_qty: number;
          reject: string;
          snapshot: unknown;
        }
    >(
      tx,
      `SELECT * FROM (SELECT DISTINCT ON (r.id) r.id AS refund_id, r.state AS r_state, r.created_at AS created, r.updated_at AS updated, r.cash, r.shipped, r.reject_reason AS reject,
              r.snapshot, o.id, o.tenant_id, o.project_id, o.member_id, o.completed_at, l.id AS line_id, l.product_name, rl.qty AS r_qty,
              row_number() OVER (PARTITION BY r.state ORDER BY r.created_at DESC) AS n
         FROM refund r JOIN sales_order o ON o.id = r.order_id JOIN refund_line rl ON rl.refund_id = r.id AND rl.kind = 'part' AND rl.qty > 0
         JOIN order_line l ON l.id = rl.line_id
        WHERE o.kind = 'goods' AND r.applicant_type = 1 AND r.state IN ('reviewing', 'refunding', 'failed', 'succeeded') AND r.created_at > $1
          AND (SELECT count(*) FROM refund_line x WHERE x.refund_id = r.id) = 1
        ORDER BY r.id, l.line_no) f WHERE f.n <= CASE f.r_state WHEN 'succeeded' THEN 48 WHEN 'reviewing' THEN 9 ELSE 4 END ORDER BY f.refund_id`,
      [at(24 * 90)],
    );
    for (const one of refunds) {
      const done = one.r_state === 'succeeded';
      const reason = random.weighted(
        ['quality', 'no_want', 'damaged', 'wrong', 'missing', 'late', 'other'] as const,
        (word) =>
          ({ quality: 8, no_want: 6, damaged: 4, wrong: 3, missing: 2, late: one.shipped ? 0 : 4, other: 1 })[
            word
          ],
      );
      const applied = new Date(one.created.getTime() - random.int(20, 400) * 60_000);
      const id = await write(
        one,
        { ...one, id: one.line_id },
        {
          state: done ? 'done' : 'refunding',
          type: 'refund_only',
          reason,
          applied,
          decided: one.created,
          qty: one.r_qty,
          cash: one.cash,
          snapshot: one.snapshot,
          columns: {
            agreed_cash: one.cash,
            agreed_of: one.cash,
            agreed_at: one.created,
            refund_id: one.refund_id,
            ...(done ? { ended_at: one.updated } : {}),
          },
          steps: [
            { at: applied, to: 'applied', zh: '申请售后', en: 'After-sale applied', code: 50, by: 'buyer' },
            { at: one.created, to: 'refunding', zh: '同意', en: 'Agree', by: 'clerk' },
            ...(done
              ? [
                  {
                    at: one.updated,
                    to: 'done' as const,
                    zh: '退款成功，售后完成',
                    en: 'Refunded, the case is done',
                  },
                ]
              : []),
          ],
        },
      );
      await run(tx, 'UPDATE refund SET after_sale_id = $2 WHERE id = $1', [one.refund_id, id]);
    }

    const orders = await run<
      OrderOf &
        LineOf & {
          order_id: number;
          spec_id: number;
          product_id: number;
          unit_price: number;
          qty_shipped: number;
          exchangeable: boolean;
          state: string;
          since: Date;
        }
    >(
      tx,
      `SELECT DISTINCT ON (o.id) o.id AS order_id, o.id, o.tenant_id, o.project_id, o.member_id, o.completed_at, o.state, coalesce(o.completed_at, o.shipped_at, o.paid_at) AS since,
              l.id AS line_id, l.product_name, l.spec_id, l.product_id, l.unit_price, l.qty_shipped,
              EXISTS (SELECT FROM product_spec x WHERE x.product_id = l.product_id AND x.enabled AND x.stock >= $2 AND (x.price = l.unit_price OR x.id = l.spec_id)) AS exchangeable
         FROM sales_order o JOIN order_line l ON l.order_id = o.id
        WHERE o.kind = 'goods' AND o.paid_at IS NOT NULL AND l.qty_refunded = 0 AND l.cash > 0 AND o.refund_status = 'none'
          AND (o.state IN ('to_ship', 'to_receive') OR (o.state = 'completed' AND o.completed_at > $1))
          AND NOT EXISTS (SELECT FROM refund r WHERE r.order_id = o.id)
        ORDER BY o.id DESC, l.line_no`,
      // Each exchange of the plans may take a piece of the same spec.
      [at(24 * 7), PLANS.length],
    );
    const used = new Set<number>();
    for (const plan of PLANS) {
      const wantsShipped = plan.type !== 'refund_only';
      const fits = (one: (typeof orders)[number]) =>
        !used.has(one.order_id) &&
        (plan.type !== 'exchange' || one.exchangeable) &&
        (wantsShipped
          ? one.qty_shipped > 0 && one.state !== 'to_ship'
          : plan.reason === 'late'
            ? one.state === 'to_ship'
            : true) &&
        one.since.getTime() < now.getTime() - HOUR;
      // Of parcels with several pieces a part can be accepted.
      const isParcel = plan.state === 'returned' && plan.type === 'return_refund';
      const order = (isParcel && orders.find((one) => one.qty_shipped > 1 && fits(one))) || orders.find(fits);
      if (!order) continue;
      used.add(order.order_id);
      const line = { ...order, id: order.line_id };
      const qty = isParcel ? Math.min(3, order.qty_shipped) : 1;
      // Never before the goods were there.
      const age = Math.min(plan.age, Math.max(0.6, (now.getTime() - order.since.getTime()) / HOUR - 0.3));
      const split =
        plan.type === 'exchange'
          ? undefined
          : await caseSplit(tx, order.order_id, plan.type, [
              { line_id: order.line_id, qty, amount: null, accepted_qty: null },
            ]);
      const cash = split?.cash ?? 0;
      const applied = at(age);
      const decidedAt = at(age * 0.7);
      const returnedAt = at(age * 0.4);
      const decided = !['applied', 'withdrawn'].includes(plan.state);
      const tracked = ['returned', 'received'].includes(plan.state);
      const address = await addressOf(tx, order.tenant_id);
      const agreed = ['agreed', 'returned', 'received'].includes(plan.state);
      const company = random.pick(EXPRESS);
      const number = `SF${random.digits(12)}`;
      const steps: Parameters<typeof write>[2]['steps'] = [
        { at: applied, to: 'applied', zh: '申请售后', en: 'After-sale applied', code: 50, by: 'buyer' },
        ...(agreed
          ? [{ at: decidedAt, to: 'agreed' as const, zh: '同意', en: 'Agree', by: 'clerk' as const }]
          : []),
        ...(tracked
          ? [
              {
                at: returnedAt,
                to: 'returned' as const,
                zh: '买家已寄回',
                en: 'Sent back',
                by: 'buyer' as const,
                remark: `${company} ${number}`,
              },
            ]
          : []),
        ...(plan.state === 'received'
          ? [
              {
                at: at(age * 0.2),
                to: 'received' as const,
                zh: '收货验收',
                en: 'Receive',
                by: 'clerk' as const,
              },
            ]
          : []),
        ...(plan.sent
          ? [
              {
                at: at(age * 0.1),
                to: 'received' as const,
                zh: '换货已寄出',
                en: 'Exchange sent',
                by: 'clerk' as const,
              },
            ]
          : []),
        ...(plan.state === 'refused'
          ? [
              {
                at: decidedAt,
                to: 'refused' as const,
                zh: '拒绝',
                en: 'Refuse',
                by: 'clerk' as const,
                code: 55,
                remark: '商品完好，不符合退货条件',
              },
            ]
          : []),
        ...(plan.state === 'withdrawn'
          ? [{ at: decidedAt, to: 'withdrawn' as const, zh: '撤销', en: 'Withdrawn', by: 'buyer' as const }]
          : []),
        ...(plan.escalated
          ? [
              {
                at: decidedAt,
                to: 'applied' as const,
                zh: '申请平台介入',
                en: 'Brought before the platform',
                by: 'clerk' as const,
                remark: '双方说法不一，请平台判断',
              },
            ]
          : []),
      ];
      const spec =
        plan.type === 'exchange'
          ? await exchangeSpec(tx, order.product_id, order.spec_id, order.unit_price)
          : null;
      const id = await write({ ...order, id: order.order_id }, line, {
        state: plan.state,
        type: plan.type,
        reason: plan.reason,
        applied,
        decided: decided && !plan.escalated ? decidedAt : undefined,
        qty,
        cash,
        snapshot: split,
        newSpec: spec,
        columns: {
          deadline: plan.left === undefined ? null : new Date(now.getTime() + plan.left * HOUR),
          reminded:
            plan.left !== undefined && plan.left < 4 ? 4 : plan.left !== undefined && plan.left < 24 ? 24 : 0,
          escalated: plan.escalated === true,
          escalated_at: plan.escalated ? decidedAt : null,
          ...(agreed
            ? {
                agreed_at: decidedAt,
                return_address_id: address?.id ?? null,
                return_address: address?.copy ?? { receiver: '仓库', phone: '', region: '', address: '' },
                ...(split ? { agreed_cash: cash, agreed_of: cash } : {}),
              }
            : {}),
          ...(tracked ? { back_company: company, back_tracking: number, back_at: returnedAt } : {}),
          ...(plan.state === 'received' ? { inspection: 'pass', inspected_at: at(age * 0.2) } : {}),
          ...(plan.sent
            ? { send_company: company, send_tracking: `ZT${random.digits(12)}`, send_at: at(age * 0.1) }
            : {}),
          ...(plan.state === 'refused'
            ? { refuse_reason: '商品完好，不符合退货条件', refused_at: decidedAt }
            : {}),
          ...(plan.state === 'withdrawn' ? { ended_at: decidedAt } : {}),
        },
        steps,
      });
      if (spec !== null && agreed) {
        const [hold] = await insert('after_sale_hold', [
          { after_sale_id: id, spec_id: spec, qty: 1, state: 'held' },
        ]);
        await reserveStock(tx, [{ specId: spec, qty: 1 }], {
          type: 'after_sale_hold',
          id: hold!,
          reason: CASE_STATES[plan.state].label[0],
        });
      }
      if (plan.talk) {
        const clerk = clerks.find((one) => one.tenant_id === order.tenant_id);
        await insert('after_sale_message', [
          {
            after_sale_id: id,
            side: 'buyer',
            staff_id: null,
            who: '买家',
            body: '照片已上传，麻烦尽快处理，谢谢',
            at: at(age * 0.9),
          },
          {
            after_sale_id: id,
            side: 'merchant',
            staff_id: clerk?.id ?? null,
            who: clerk?.name ?? '客服',
            body: '您好，已收到，正在向仓库核实，今天内答复您',
            at: at(age * 0.8),
          },
          ...(plan.escalated
            ? [
                {
                  after_sale_id: id,
                  side: 'platform',
                  staff_id: null,
                  who: '平台客服',
                  body: '平台已介入，请双方补充凭证',
                  at: at(age * 0.5),
                },
              ]
            : []),
        ]);
      }
    }
  },
});

interface OrderOf {
  readonly id: number;
  readonly tenant_id: number;
  readonly project_id: number;
  readonly member_id: number;
  readonly completed_at: Date | null;
}

interface LineOf {
  readonly id: number;
  readonly product_name: string;
  readonly line_id: number;
}

async function addressOf(tx: Tx, tenantId: number) {
  const row = await runOne<{ id: number; receiver: string; phone: string; region: string; address: string }>(
    tx,
    `SELECT a.id, a.receiver, a.phone, a.address, concat_ws(' ', p.name, r.name) AS region FROM return_address a
       JOIN region r ON r.id = a.region_id LEFT JOIN region p ON p.id = r.parent_id
      WHERE a.tenant_id = $1 AND a.use = 'return' AND a.is_default`,
    [tenantId],
  );
  if (!row) return undefined;
  const { id, ...copy } = row;
  return { id, copy };
}

/** Another spec of the product at the same price where there is one in stock, else the same spec. */
async function exchangeSpec(tx: Tx, productId: number, specId: number, price: number): Promise<number> {
  const row = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM product_spec WHERE product_id = $1 AND enabled AND stock > 0 AND (price = $3 OR id = $2) ORDER BY (id = $2), id LIMIT 1`,
    [productId, specId, price],
  );
  return row?.id ?? specId;
}
