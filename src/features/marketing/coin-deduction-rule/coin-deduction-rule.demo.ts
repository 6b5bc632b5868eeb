import { closeUnpaidOrder } from '../../../domain/checkout/close-unpaid.server.ts';
import { createCheckout } from '../../../domain/checkout/create-checkout.server.ts';
import { priceCart, type CartRequest } from '../../../domain/checkout/load-cart.server.ts';
import { settleCheckout } from '../../../domain/checkout/take-payment.server.ts';
import { LINE_KINDS } from '../../../domain/points-ledger/ledger-book.server.ts';
import { grantPoints } from '../../../domain/points-ledger/points-grant.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, type Tx } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { Refusal } from '../../../kernel/server/http/errors.ts';
import { coinRule } from './coin-deduction-rule.contract.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;
/** Orders that are placed with coins. */
const ORDERS = 12;

/** Rules in every state, members with coins, and orders that use them. */
export const demo = defineDemo({
  key: 'coinDeductionRules',
  after: ['pointsReturnRules', 'merchants', 'pointsAccounts'],
  run: async ({ tx, insert, tell, now, as, platform }) => {
    const author = as('finance1');
    const projects = await run<{ id: number }>(
      tx,
      `SELECT project_id AS id FROM sales_order WHERE paid_at IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 4`,
    );
    const [merchant] = await run<{ id: number }>(
      tx,
      'SELECT tenant_id AS id FROM sales_order WHERE paid_at IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1',
    );
    if (projects.length === 0 || !merchant) return;
    const day = (offset: number) => businessDayOf(new Date(now.getTime() + offset * DAY));
    const common = { coins_per_yuan: 100, step: 100, with_coupon: true };
    const rules = [
      {
        name: '商城代币抵扣',
        max_percent: 20,
        max_per_order: 3_000,
        cap_day: 10_000,
        budget: 5_000_000,
        priority: 100,
        starts_on: day(-60),
        ends_on: day(300),
        state: 'enabled',
      },
      {
        name: '开业商户代币半价',
        max_percent: 50,
        max_per_order: 5_000,
        min_order: 5_000,
        with_group: true,
        budget: 20_000,
        priority: 200,
        starts_on: day(-20),
        ends_on: day(40),
        state: 'enabled',
        merchants: [merchant],
      },
      {
        name: '年货节代币全额抵扣',
        max_percent: 100,
        with_points: true,
        priority: 300,
        starts_on: day(25),
        ends_on: day(60),
        state: 'draft',
      },
      {
        name: '国庆代币抵扣',
        max_percent: 30,
        max_per_order: 2_000,
        priority: 150,
        starts_on: day(-70),
        ends_on: day(-50),
        stop_reason: '有效期已结束',
        state: 'stopped',
      },
    ] as const;
    for (const [index, one] of rules.entries()) {
      const { merchants, ...rule } = { merchants: [] as readonly { id: number }[], ...one };
      const made = new Date(now.getTime() - (71 - index) * DAY);
      const [id] = await insert('coin_deduction_rule', [
        {
          ...common,
          ...rule,
          created_at: made,
          created_by: author.staffId,
          updated_at: made,
          updated_by: author.staffId,
        },
      ]);
      const link = (table: string, ids: readonly { readonly id: number }[]) =>
        run(tx, `INSERT INTO coin_deduction_${table} SELECT $1, unnest($2::bigint[])`, [
          id,
          ids.map((row) => row.id),
        ]);
      await link('project', projects);
      await link('merchant', merchants);
      const told = { entity: coinRule.name, entityId: id!, caller: author };
      await tell({ ...told, action: 'create', label: coinRule.actions!.create.label, at: made });
      if (rule.state === 'draft') continue;
      const enabled = new Date(made.getTime() + 3_600_000);
      await tell({
        ...told,
        action: 'enable',
        label: coinRule.actions!.enable.label,
        from: 'draft',
        to: 'enabled',
        at: enabled,
      });
      await run(
        tx,
        `INSERT INTO coin_deduction_version (rule_id, no, terms, made_at, made_by)
         SELECT t.id, 1, coin_deduction_terms(t), $2, $3 FROM coin_deduction_rule t WHERE t.id = $1`,
        [id, enabled, author.staffId],
      );
      if (rule.state === 'stopped')
        await tell({
          ...told,
          action: 'expire',
          label: coinRule.actions!.expire.label,
          from: 'enabled',
          to: 'stopped',
          at: new Date(now.getTime() - 49 * DAY),
        });
    }
    const buyers = await run<{
      member: number;
      project: number;
      name: string;
      phone: string;
      address: string;
      spec: number;
    }>(
      tx,
      `SELECT DISTINCT ON (o.member_id) o.member_id AS member, o.project_id AS project, o.contact_name AS name, o.contact_phone AS phone, o.address, l.spec_id AS spec
         FROM sales_order o JOIN order_line l ON l.order_id = o.id JOIN product_spec s ON s.id = l.spec_id AND s.enabled AND s.stock > 20
         JOIN product p ON p.id = l.product_id AND p.kind = 'goods' AND p.status = 'published' AND p.recycled_at IS NULL AND p.account_limit = 0
        WHERE o.kind = 'goods' AND o.paid_at IS NOT NULL AND o.project_id = ANY($1::bigint[])
        ORDER BY o.member_id, s.price DESC, l.id LIMIT ${ORDERS}`,
      [projects.map((one) => one.id)],
    );
    for (const [index, buyer] of buyers.entries()) {
      await grantPoints(tx, platform.settings, {
        memberId: buyer.member,
        amount: 2_000 + index * 450,
        unit: 'coin',
        kind: LINE_KINDS.staff,
        note: '开业赠送代币',
        source: { type: 'demo', id: `coins-${buyer.member}`, purpose: 'grant' },
      });
      const cart: CartRequest = {
        memberId: buyer.member,
        projectId: buyer.project,
        lines: [{ specId: buyer.spec, qty: 1 + (index % 2) }],
        coupons: [],
        pointsWanted: 0,
        coinsWanted: 'max',
      };
      await run(tx, 'SAVEPOINT coins');
      try {
        const { quote } = await priceCart(tx, platform, cart);
        if (quote.coinsUnits === 0) continue;
        const made = await createCheckout(tx, platform, {
          ...cart,
          contactName: buyer.name,
          contactPhone: buyer.phone,
          address: buyer.address,
          remark: '',
          source: 1,
          onBehalf: false,
          who: buyer.name,
          shownTotal: quote.payable,
        });
        if (index % 5 === 3)
          for (const orderId of made.orderIds)
            await closeUnpaidOrder(tx, platform, orderId, { reason: '不想要了', who: buyer.name });
        else if (index % 5 !== 4)
          await settleCheckout(tx, platform, {
            paymentId: made.paymentId,
            channel: 2,
            tradeNo: `WX${made.checkoutCode}`,
            paidAt: undefined,
            who: buyer.name,
          });
        const unpaid = index % 5 === 4;
        await moveTo(
          tx,
          made.orderIds,
          new Date(now.getTime() - (unpaid ? 5 * MINUTE : (2 + index * 9) * 60 * MINUTE)),
        );
      } catch (error) {
        // Goods that cannot be delivered or sold there any more.
        if (!(error instanceof Refusal)) throw error;
        await run(tx, 'ROLLBACK TO SAVEPOINT coins');
      }
    }
  },
});

/** Moves orders just made to the moment they were made at; whatever followed came two minutes later. */
async function moveTo(tx: Tx, orderIds: readonly number[], at: Date): Promise<void> {
  const values = [orderIds, at, new Date(at.getTime() + 2 * MINUTE), new Date(at.getTime() + 30 * MINUTE)];
  const after = (column: string) => `${column} = CASE WHEN ${column} IS NOT NULL THEN $3::timestamptz END`;
  await run(
    tx,
    `UPDATE sales_order SET created_at = $2, pay_deadline = $4, updated_at = $3, ${after('paid_at')}, ${after('closed_at')}
      WHERE id = ANY($1::bigint[])`,
    values,
  );
  await run(
    tx,
    `UPDATE payment SET created_at = $2, deadline = $4, ${after('paid_at')}
      WHERE id IN (SELECT payment_id FROM sales_order WHERE id = ANY($1::bigint[]))`,
    values,
  );
  await run(
    tx,
    'UPDATE order_event SET at = CASE WHEN code = 5 THEN $2::timestamptz ELSE $3 END WHERE order_id = ANY($1::bigint[])',
    values.slice(0, 3),
  );
}
