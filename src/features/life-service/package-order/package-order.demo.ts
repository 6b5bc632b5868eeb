import {
  cancellationOf,
  settleOrder,
  termAfterPayment,
  writeItems,
  type PackageOrderRow,
} from '../../../domain/life-service/package-order.server.ts';
import { planKey, schedule } from '../../../domain/life-service/package-order.rules.ts';
import type { PackageTerms } from '../../../domain/life-service/package.rules.ts';
import { payerOf } from '../../../domain/receivable/payer.server.ts';
import { confirmReceipt } from '../../../domain/receivable/receipt.server.ts';
import { issueReceivable } from '../../../domain/receivable/receivable.server.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { receipt } from '../receipt/receipt.contract.ts';
import { packageOrder } from './package-order.contract.ts';

const DAY = 86_400_000;

interface Model {
  readonly package: string;
  /** Days since it was made. */
  readonly age: number;
  /** Number of the plan among those of the package; none is at once. */
  readonly plan?: number;
  readonly discount?: number;
  /** Parts that were paid. */
  readonly paid: number;
  /** Uses of each item in days ago. */
  readonly uses?: readonly (readonly [item: number, daysAgo: number])[];
  readonly end?: 'draft' | 'paused' | 'arrears' | 'finished' | 'cancelled';
  readonly method?: 'cash' | 'wechat' | 'alipay' | 'pos';
}

const MODELS: readonly Model[] = [
  {
    package: '全年保洁无忧套餐',
    age: 50,
    plan: 0,
    paid: 2,
    uses: [
      [0, 44],
      [0, 30],
      [1, 21],
      [0, 14],
      [0, 2],
    ],
    method: 'wechat',
  },
  {
    package: '全年保洁无忧套餐',
    age: 48,
    paid: 1,
    uses: [
      [0, 40],
      [0, 26],
      [1, 12],
    ],
    method: 'pos',
  },
  {
    package: '家电清洗四件套',
    age: 40,
    paid: 1,
    uses: [
      [0, 33],
      [1, 33],
      [2, 20],
    ],
    method: 'alipay',
  },
  {
    package: '长者安心照护套餐',
    age: 45,
    plan: 0,
    paid: 2,
    uses: [
      [0, 40],
      [0, 33],
      [0, 26],
      [1, 19],
      [2, 9],
    ],
    method: 'wechat',
  },
  { package: '全年保洁无忧套餐', age: 49, plan: 0, paid: 1, uses: [[0, 41]], end: 'arrears', method: 'cash' },
  {
    package: '全年保洁无忧套餐',
    age: 36,
    paid: 1,
    discount: 8_000,
    uses: [[0, 28]],
    end: 'paused',
    method: 'wechat',
  },
  {
    package: '家电清洗四件套',
    age: 30,
    paid: 1,
    end: 'finished',
    uses: [
      [0, 25],
      [0, 20],
      [1, 20],
      [2, 12],
    ],
    method: 'wechat',
  },
  {
    package: '全年保洁无忧套餐',
    age: 34,
    paid: 1,
    end: 'cancelled',
    uses: [
      [0, 27],
      [0, 20],
    ],
    method: 'pos',
  },
  { package: '家电清洗四件套', age: 12, paid: 1, method: 'alipay' },
  { package: '全年保洁无忧套餐', age: 4, plan: 1, paid: 0 },
  { package: '长者安心照护套餐', age: 2, plan: 0, paid: 0 },
  { package: '全年保洁无忧套餐', age: 1, plan: 0, paid: 0, end: 'draft' },
  { package: '家电清洗四件套', age: 0, paid: 0, discount: 2_000, end: 'draft' },
];

/** Package orders in every state, with what was paid for them and used of them. */
export const demo = defineDemo({
  key: 'packageOrders',
  after: ['servicePackages', 'receivables'],
  run: async ({ tx, insert, tell, now, as }) => {
    const seller = as('mall1');
    const cashier = as('finance1');
    const today = businessDayOf(now);
    const packages = await run<{
      id: number;
      name: string;
      tenant_id: number;
      version_id: number;
      price: number;
      terms: PackageTerms;
    }>(
      tx,
      `SELECT p.id, p.name, p.tenant_id, v.id AS version_id, v.price, v.terms FROM service_package p
         JOIN LATERAL (SELECT id, price, terms FROM service_package_version WHERE package_id = p.id ORDER BY no DESC LIMIT 1) v ON TRUE
        WHERE p.state = 'published'`,
    );
    const homes = await run<{ member: number; house: number; project: number; name: string; phone: string }>(
      tx,
      `SELECT DISTINCT ON (h.member_id) h.member_id AS member, h.house_id AS house, o.project_id AS project, m.name, m.phone
         FROM household h JOIN house o ON o.id = h.house_id JOIN member m ON m.id = h.member_id
        WHERE h.status = 'normal' AND h.identity = 'owner' AND m.name <> '' ORDER BY h.member_id OFFSET 60 LIMIT 80`,
    );
    if (packages.length === 0 || homes.length === 0) return;
    const actions = packageOrder.actions!;
    for (const [index, model] of MODELS.entries()) {
      const sold = packages.find((one) => one.name === model.package);
      if (!sold) continue;
      const projects = await run<{ project_id: number }>(
        tx,
        'SELECT project_id FROM service_package_project WHERE package_id = $1',
        [sold.id],
      );
      const fitting = homes.filter((home) => projects.some((one) => one.project_id === home.project));
      const home = fitting[(index * 5) % Math.max(1, fitting.length)];
      if (!home) continue;
      const at = (days: number, hour = 10) =>
        new Date(Math.min(now.getTime() - 60_000, now.getTime() - days * DAY + (hour - 10) * 1_800_000));
      const madeAt = at(model.age);
      const day = addDays(today, -model.age);
      const plan = model.plan === undefined ? 'once' : planKey(sold.terms.plans[model.plan]!);
      const discount = model.discount ?? 0;
      const payer = await payerOf(tx, { memberId: home.member });
      const code = await nextCode(tx, 'SO', madeAt);
      const fixed = sold.terms.startRule === 'fixed_date' ? addDays(day, 1) : null;
      const confirmed = model.end !== 'draft';
      const base = {
        code,
        tenant_id: sold.tenant_id,
        project_id: home.project,
        package_id: sold.id,
        version_id: sold.version_id,
        payer_id: payer,
        house_id: home.house,
        contact: home.name,
        contact_phone: home.phone,
        plan,
        price: sold.price,
        discount,
        discount_reason: discount > 0 ? '老客户优惠' : '',
        total: sold.price - discount,
        seller_id: seller.staffId,
        start_on: fixed,
        confirmed_at: confirmed ? madeAt : null,
        state: confirmed ? 'pending_first' : 'draft',
        created_at: madeAt,
        created_by: seller.staffId,
        updated_at: madeAt,
        updated_by: seller.staffId,
      };
      const [id] = await insert('package_order', [base]);
      await writeItems(tx, id!, sold.terms);
      const told = { entity: packageOrder.name, entityId: id!, caller: seller };
      await tell({ ...told, action: 'create', label: actions.create.label, to: 'draft', at: madeAt });
      if (!confirmed) continue;
      await tell({
        ...told,
        action: 'confirm',
        label: actions.confirm.label,
        from: 'draft',
        to: 'pending_first',
        at: new Date(madeAt.getTime() + 600_000),
      });
      const parts = schedule(base.total, plan, day);
      const lines: number[] = [];
      for (const [number, part] of parts.entries())
        lines.push(
          await issueReceivable(tx, {
            source: 'package',
            sourceId: id!,
            sourceCode: code,
            payerId: payer,
            projectId: home.project,
            periodNo: number + 1,
            postedOn: day,
            dueOn: part.dueOn,
            principal: part.amount,
            ownerId: seller.staffId,
            staffId: seller.staffId,
            remark: `第 ${number + 1}/${parts.length} 期`,
          }),
        );
      await run(tx, 'UPDATE receivable SET created_at = $2, updated_at = $2 WHERE id = ANY($1::bigint[])', [
        lines,
        madeAt,
      ]);
      for (const [number, part] of parts.slice(0, model.paid).entries()) {
        const paidOn = number === 0 ? day : part.dueOn;
        const ago = Math.max(0, Math.round((Date.parse(today) - Date.parse(paidOn)) / DAY));
        const paidAt = new Date(Math.max(madeAt.getTime() + 1_200_000, at(ago, 12).getTime()));
        const [money] = await insert('receipt', [
          {
            code: await nextCode(tx, 'RC', paidAt),
            payer_id: payer,
            project_id: home.project,
            method: model.method ?? 'cash',
            amount: part.amount,
            received_on: paidOn > today ? today : paidOn,
            payer_name: home.name,
            recorder_id: seller.staffId,
            created_at: paidAt,
            created_by: seller.staffId,
            updated_at: paidAt,
            updated_by: seller.staffId,
          },
        ]);
        await insert('receipt_allocation', [
          { receipt_id: money!, position: 0, receivable_id: lines[number]!, amount: part.amount },
        ]);
        const done = await confirmReceipt(
          tx,
          { id: money!, payer_id: payer, method: model.method ?? 'cash', amount: part.amount },
          'principal_first',
          cashier.staffId,
        );
        await run(
          tx,
          `UPDATE receipt SET state = 'confirmed', confirmed_at = $2, confirmer_id = $3, allocated = $4, to_prepaid = $5 WHERE id = $1`,
          [money, paidAt, cashier.staffId, done.allocated, done.to_prepaid],
        );
        const { create, confirm } = receipt.actions!;
        const ofMoney = { entity: receipt.name, entityId: money! };
        await tell({
          ...ofMoney,
          caller: seller,
          action: 'create',
          label: create!.label,
          to: 'to_confirm',
          at: paidAt,
        });
        await tell({
          ...ofMoney,
          caller: cashier,
          action: 'confirm',
          label: confirm!.label,
          from: 'to_confirm',
          to: 'confirmed',
          at: paidAt,
        });
      }
      if (model.paid === 0) continue;
      const uses = model.uses ?? [];
      const firstUse = uses.length > 0 ? addDays(today, -Math.max(...uses.map(([, ago]) => ago))) : null;
      const waits = sold.terms.startRule === 'first_use' && firstUse === null;
      // A term that began is reckoned from the day it did.
      const startOn = fixed ?? (sold.terms.startRule === 'first_use' ? firstUse : day);
      const term = waits
        ? termAfterPayment(sold.terms, null, day)
        : termAfterPayment({ ...sold.terms, startRule: 'first_payment' }, null, startOn!);
      await set(id!, { ...term.set, state: term.to });
      await tell({
        ...told,
        caller: cashier,
        action: 'paid',
        label: actions.paid.label,
        from: 'pending_first',
        to: term.to,
        at: new Date(madeAt.getTime() + 1_300_000),
      });
      const items = await run<{ id: number; name: string }>(
        tx,
        'SELECT id, name FROM package_order_item WHERE order_id = $1 ORDER BY position',
        [id],
      );
      for (const [item, ago] of uses) {
        const used = items[item]!;
        const usedAt = at(ago, 14);
        await insert('package_usage', [
          {
            order_id: id!,
            item_id: used.id,
            qty: 1,
            used_on: addDays(today, -ago),
            person_id: seller.staffId,
            created_at: usedAt,
            created_by: seller.staffId,
            updated_at: usedAt,
            updated_by: seller.staffId,
          },
        ]);
        await run(tx, 'UPDATE package_order_item SET used = used + 1 WHERE id = $1', [used.id]);
        await tell({
          ...told,
          action: 'redeem',
          label: actions.redeem.label,
          from: 'in_service',
          to: 'in_service',
          remark: `${used.name} ×1`,
          at: usedAt,
        });
      }
      // One use was written down by mistake and taken back.
      if (model.end === 'finished')
        await insert('package_usage', [
          {
            order_id: id!,
            item_id: items[0]!.id,
            qty: 1,
            used_on: addDays(today, -15),
            person_id: seller.staffId,
            state: 'undone',
            undone_reason: '登记重复',
            created_at: at(15, 14),
            created_by: seller.staffId,
            updated_at: at(14, 10),
            updated_by: seller.staffId,
          },
        ]);
      if (model.end === 'paused' || model.end === 'arrears') {
        const request = model.end === 'paused';
        const from = addDays(today, request ? -6 : -1);
        await insert('package_pause', [
          {
            order_id: id!,
            kind: request ? 'request' : 'arrears',
            reason: request ? '外出度假' : '分期逾期',
            from_on: from,
            created_at: at(request ? 6 : 1),
          },
        ]);
        await set(id!, {
          state: 'paused',
          pause_kind: request ? 'request' : 'arrears',
          paused_on: from,
          pause_until: request ? addDays(from, 30) : null,
        });
        const action = request ? actions.pause : actions.suspend;
        if (!request)
          await run(
            tx,
            `UPDATE receivable SET posted_on = posted_on - 40, due_on = due_on - 40 WHERE id = $1`,
            [lines[1]],
          );
        await tell({
          entity: packageOrder.name,
          entityId: id!,
          ...(request ? { caller: seller } : {}),
          action: request ? 'pause' : 'suspend',
          label: action.label,
          from: 'in_service',
          to: 'paused',
          remark: request ? '30 天 / days · 外出度假' : '',
          at: at(request ? 6 : 1),
        });
      }
      if (model.end === 'finished') {
        await set(id!, { state: 'finished' });
        await tell({
          ...told,
          action: 'redeem',
          label: ['次数用完', 'All uses are used'],
          from: 'in_service',
          to: 'finished',
          at: at(12, 15),
        });
      }
      if (model.end === 'cancelled') {
        const row = (await runOne<PackageOrderRow>(tx, 'SELECT * FROM package_order WHERE id = $1', [id]))!;
        const cancelledOn = addDays(today, -8);
        const due = await cancellationOf(tx, row, cancelledOn);
        const refund = await settleOrder(tx, row, due, { today: cancelledOn, staffId: seller.staffId });
        await set(id!, { state: 'cancelled', cancelled_on: cancelledOn, cancel_reason: '业主搬离', refund });
        await run(
          tx,
          `UPDATE package_refund SET state = 'paid', slip_no = 'TK' || id, paid_at = $2, created_at = $3, updated_at = $2 WHERE order_id = $1`,
          [id, at(6), at(8)],
        );
        await tell({
          ...told,
          action: 'cancel',
          label: actions.cancel.label,
          from: 'in_service',
          to: 'cancelled',
          remark: '业主搬离',
          at: at(8),
        });
      }
    }

    async function set(id: number, columns: Readonly<Record<string, unknown>>): Promise<void> {
      const names = Object.keys(columns);
      await run(
        tx,
        `UPDATE package_order SET ${names.map((name, index) => `${name} = $${index + 2}`).join(', ')} WHERE id = $1`,
        [id, ...Object.values(columns)],
      );
    }
  },
});
