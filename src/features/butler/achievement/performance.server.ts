import { containing } from '../../../kernel/server/resource/like-text.ts';
import { reassign } from '../../../domain/butler/attribution.server.ts';
import { incentiveOf, WAY } from '../../../domain/butler/butler.rules.ts';
import { butlerIn } from '../../../domain/butler/options.server.ts';
import { filteredProjects } from '../../../domain/permission/project-reach.server.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { butlerPerformance, type PerformanceWhy } from './achievement.contract.ts';

const BATCHED: Label = ['已进入发放批次，不能调整', 'It is in a batch and cannot be changed'];
const SALE = `(SELECT i.id FROM incentive i WHERE i.performance_id = t.id AND i.kind = 'sale')`;

const bound: BoundResource = bindResource(butlerPerformance, {
  table: 'butler_performance',
  from: `butler_performance t LEFT JOIN sales_order o ON o.id = t.order_id LEFT JOIN order_line l ON l.id = t.line_id LEFT JOIN member m ON m.id = t.member_id
    LEFT JOIN housekeeper k ON k.id = t.housekeeper_id LEFT JOIN staff s ON s.id = k.staff_id LEFT JOIN project j ON j.id = t.project_id LEFT JOIN organisation c1 ON c1.id = j.centre_id LEFT JOIN organisation u1 ON u1.id = j.unit_id LEFT JOIN business b ON b.id = t.business_id
    LEFT JOIN butler_share h ON h.id = t.share_id LEFT JOIN incentive_plan n ON n.id = t.plan_id LEFT JOIN incentive e ON e.id = ${SALE} LEFT JOIN incentive_batch c ON c.id = e.batch_id`,
  where: 't.housekeeper_id IS NOT NULL',
  columns: {
    order: 'o.code',
    product: 'l.product_name',
    spec: 'l.spec_name',
    buyer: 'm.name',
    house: `(SELECT d.name || u.name || x.number FROM house x JOIN building_unit u ON u.id = x.unit_id JOIN building d ON d.id = u.building_id WHERE x.id = t.house_id)`,
    project: { id: 't.project_id', title: 'j.name' },
    centre: { id: 'j.centre_id', title: 'c1.name' },
    unit: { id: 'j.unit_id', title: 'u1.name' },
    butler: { id: 't.housekeeper_id', title: 's.name' },
    business: { id: 't.business_id', title: 'b.name', titleEn: 'b.name_en' },
    way: 't.way::text',
    share: 'h.code',
    // As the report counts completion: an order that was closed afterwards is not completed.
    completedAt: `(CASE WHEN o.state = 'completed' THEN o.completed_at END)`,
    rate: `(CASE WHEN t.fixed_fen IS NOT NULL THEN '¥' || to_char(t.fixed_fen / 100.0, 'FM999999990.00') WHEN t.rate_bp IS NOT NULL THEN to_char(t.rate_bp / 100.0, 'FM990.00') || '%' ELSE '' END)`,
    plan: `(CASE WHEN n.no IS NOT NULL THEN 'V' || n.no ELSE '' END)`,
    incentive: `(SELECT coalesce(sum(i.amount) FILTER (WHERE i.state <> 'cancelled'), 0)::bigint FROM incentive i WHERE i.performance_id = t.id)`,
    incentiveState: 'e.state',
    batch: 'c.code',
    reason: 't.reassign_reason',
  },
  filters: {
    project: (value, parameters, caller) =>
      `t.project_id = ANY(${parameters.bind(filteredProjects(caller, 'project', value))}::bigint[])`,
    way: (value, parameters) => `t.way = ANY(${parameters.bind(value.split(',').map(Number))}::smallint[])`,
  },
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 'k.staff_id' },
  keyword: (value, parameters) => {
    const like = parameters.bind(containing(value));
    return `(o.code ILIKE ${like} OR l.product_name ILIKE ${like})`;
  },
  extra: {
    batched: `EXISTS (SELECT FROM incentive i WHERE i.performance_id = t.id AND i.batch_id IS NOT NULL)`,
    ownStaff: 'k.staff_id',
  },
  ruleReads: ['batched', 'ownStaff'],
  rowRules: {
    reassign: (row, caller) =>
      row.batched
        ? BATCHED
        : Number(row.ownStaff) === caller.staffId
          ? ['不能调整本人业绩', 'Nobody changes the own result']
          : undefined,
  },
  handlers: { reassign: change },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/butlerPerformance/:id/why',
      title: ['业绩归属依据', 'Why a line is whose it is'],
      access: { code: butlerPerformance.menu },
      handle: async (call): Promise<PerformanceWhy> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return whyOf(call.platform.database.db, id);
      },
    }),
  ],
});

/** Lines behind butlers' results. */
export const registration = bound.registration;

async function whyOf(db: Executor, id: number): Promise<PerformanceWhy> {
  const row = (await runOne<{
    orderId: number;
    kind: string;
    evidence: Record<string, unknown>;
    fixedFen: number | null;
    rateBp: number | null;
    valid: number;
    qty: number;
    times: number;
    qtyRefunded: number;
    way: number;
    servedBp: number;
  }>(
    db,
    `SELECT p.order_id AS "orderId", o.kind, p.evidence, p.fixed_fen AS "fixedFen", p.rate_bp AS "rateBp", p.valid, p.qty, p.times, p.qty_refunded AS "qtyRefunded", p.way,
            p.served_bp AS "servedBp" FROM butler_performance p JOIN sales_order o ON o.id = p.order_id WHERE p.id = $1`,
    [id],
  ))!;
  const rows = await run<{
    id: number;
    kind: string;
    amount: number;
    state: string;
    createdAt: Date;
    payableAt: Date | null;
    paidOn: string | null;
    batch: string | null;
  }>(
    db,
    `SELECT i.id, i.kind, i.amount, i.state, i.created_at AS "createdAt", i.payable_at AS "payableAt",
            CASE WHEN b.state = 'paid' THEN b.paid_on::text END AS "paidOn", b.code AS batch FROM incentive i LEFT JOIN incentive_batch b ON b.id = i.batch_id
      WHERE i.performance_id = $1 ORDER BY i.id`,
    [id],
  );
  return {
    order: { id: String(row.orderId), kind: row.kind },
    evidence: row.evidence,
    formula: formulaOf(row),
    rows: rows.map((one) => ({
      ...one,
      id: String(one.id),
      state: one.state as PerformanceWhy['rows'][number]['state'],
      amount: yuanFromFen(one.amount),
      createdAt: isoInstant(one.createdAt),
      payableAt: one.payableAt && isoInstant(one.payableAt),
    })),
  };
}

function formulaOf(row: {
  readonly fixedFen: number | null;
  readonly rateBp: number | null;
  readonly valid: number;
  readonly qty: number;
  readonly times: number;
  readonly qtyRefunded: number;
  readonly way: number;
  readonly servedBp: number;
}): Label {
  if (row.fixedFen === null && row.rateBp === null) return ['不计激励', 'No incentive'];
  const rate = row.fixedFen !== null ? { fixedFen: row.fixedFen } : { rateBp: row.rateBp! };
  const kept = `(${row.qty * row.times} − ${row.qtyRefunded})`;
  const left =
    row.fixedFen !== null
      ? `${yuanFromFen(row.fixedFen)} × ${kept}${row.times > 1 ? ` / ${row.times}` : ''}`
      : `${yuanFromFen(row.valid)} × ${(row.rateBp! / 100).toFixed(2)}%`;
  const part = row.way === WAY.served ? ` × ${(row.servedBp / 100).toFixed(2)}%` : '';
  const text = `${left}${part} = ${yuanFromFen(incentiveOf(rate, row))}`;
  return [text, text];
}

/** Another butler of the project, or nobody; both are told. */
async function change({ tx, platform, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const to = input.to === null || input.to === undefined ? null : Number(input.to);
  if (to === Number(row.housekeeper_id))
    throw invalid({ to: ['已是该管家的业绩', 'It is this butler’s already'] });
  let next: { staffId: number; name: string } | undefined;
  if (to !== null) {
    const parameters = new Parameters();
    next = await runOne<{ staffId: number; name: string }>(
      tx,
      `SELECT k.staff_id AS "staffId", s.name FROM housekeeper k JOIN staff s ON s.id = k.staff_id WHERE k.id = ${parameters.bind(to)} AND k.left_at IS NULL
          AND ${butlerIn(`ARRAY[${parameters.bind(row.project_id)}::bigint]`)} AND ${placeCondition(caller, { tenant: 's.tenant_id', project: (ids) => butlerIn(ids) }, parameters)}`,
      parameters.values,
    );
    if (!next) throw notFound();
    if (next.staffId === caller.staffId)
      throw ruleBroken(['不能调整为本人业绩', 'Nobody takes a result for themselves']);
  }
  const done = await reassign(tx, { id, to, reason: String(input.reason), by: caller.staffId });
  if (done === 'batched') throw ruleBroken(BATCHED);
  const told = await run<{ staffId: number }>(
    tx,
    'SELECT staff_id AS "staffId" FROM housekeeper WHERE id = ANY($1::bigint[])',
    [[done.from, to].filter((one) => one !== null)],
  );
  const order = (await runOne<{ code: string }>(tx, 'SELECT code FROM sales_order WHERE id = $1', [
    row.order_id,
  ]))!;
  await notify(tx, {
    kind: 'butler',
    staffIds: told.map((one) => one.staffId),
    title: ['业绩归属已调整', 'A result was reassigned'],
    body: [
      `订单 ${order.code} 的业绩${next ? `调整给 ${next.name}` : '已取消归属'}：${String(input.reason)}`,
      `The result of order ${order.code} ${next ? `is now ${next.name}’s` : 'is nobody’s'}: ${String(input.reason)}`,
    ],
    aboutReceiver: true,
  });
  platform.changed('butlerIncentive');
  return { remark: `${next?.name ?? '—'}：${String(input.reason)}` };
}
