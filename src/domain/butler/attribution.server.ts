import { run, runOne, transaction, type Executor, type Tx } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { Effect, Invariant, Job } from '../../kernel/server/registration.ts';
import type { SettingsReader } from '../../kernel/server/settings/settings-store.ts';
import { sqlInvariant } from '../../kernel/server/sql-invariant.ts';
import { addEffect, finishEffect } from '../../kernel/server/tasks/outbox.ts';
import type { OrderAttachment } from '../checkout/order-attachments.server.ts';
import { housekeeperOn } from '../property-staff/housekeeper.server.ts';
import { clawbackOf, incentiveOf, ruleOf, WAY, type EarningLine, type Rate } from './butler.rules.ts';
import { BUTLER_EFFECT } from './effect.rules.ts';
import { planAt, type Plan } from './plan.server.ts';

/**
 * Butlers' results hang on orders: payment and refunds leave an effect, the work is done after them, so that no rule of
 * incentives can stop either. Orders of a team come when it is complete. Source: group 12, Jobs (butler.attribution).
 */
export const butlerResult: OrderAttachment = {
  matches: (order) => order.kind === 'goods' || order.kind === 'service',
  hold: async () => {},
  paid: async (tx, _platform, order) => {
    if (order.type !== 'group') await addEffect(tx, BUTLER_EFFECT, { orderId: order.id });
  },
  released: async () => {},
  refunded: async (tx, _platform, order) => {
    await addEffect(tx, BUTLER_EFFECT, { orderId: order.id });
  },
};

interface PaidOrder {
  readonly id: number;
  readonly type: string;
  readonly projectId: number;
  readonly centreId: number;
  readonly memberId: number;
  readonly paidAt: Date;
  readonly day: string;
  readonly formedAt: Date | null;
  readonly houseId: number | null;
  readonly ownButler: boolean;
}

/** What goods were worth to butlers at an instant (`$2`), in a project (`$3`). */
const TERM = `SELECT h.goods_id AS "goodsId", h.incentive, h.fixed_fen AS "fixedFen", h.rate_bp AS "rateBp"
  FROM butler_goods g CROSS JOIN LATERAL (SELECT x.* FROM butler_goods_term x WHERE x.goods_id = g.id AND x.held_from <= $2 ORDER BY x.held_from DESC, x.id DESC LIMIT 1) h
 WHERE g.product_id = $1 AND h.enabled AND h.valid_from <= ($2::timestamptz AT TIME ZONE 'Asia/Shanghai')::date
   AND (h.valid_to IS NULL OR h.valid_to >= ($2::timestamptz AT TIME ZONE 'Asia/Shanghai')::date)
   AND EXISTS (SELECT FROM butler_goods_project p WHERE p.goods_id = g.id AND p.project_id = $3)
 ORDER BY g.id LIMIT 1`;

/** The classes of a product from the nearest upwards. */
const CLASSES = `ARRAY(WITH RECURSIVE up AS (
    SELECT c.id, c.parent_id, 0 AS far FROM product_class_member m JOIN product_class c ON c.id = m.class_id WHERE m.product_id = l.product_id
    UNION ALL SELECT c.id, c.parent_id, up.far + 1 FROM up JOIN product_class c ON c.id = up.parent_id WHERE up.far < 9)
  SELECT id FROM up GROUP BY id ORDER BY min(far), id)`;

interface Line {
  readonly id: number;
  readonly productId: number;
  readonly businessId: number | null;
  readonly classIds: readonly number[];
  readonly cash: number;
  readonly refunded: number;
  readonly qty: number;
  readonly times: number;
  readonly qtyRefunded: number;
}

/** Works out the results of an order as it stands; a repeat changes nothing. Source: group 12, arithmetic 1 to 4. */
export async function settleButler(tx: Tx, settings: SettingsReader, orderId: number): Promise<void> {
  if (!(await runOne(tx, 'SELECT id FROM sales_order WHERE id = $1 FOR NO KEY UPDATE', [orderId]))) return;
  const order = await runOne<PaidOrder>(
    tx,
    `SELECT o.id, o.type, o.project_id AS "projectId", p.centre_id AS "centreId", o.member_id AS "memberId", o.paid_at AS "paidAt",
            (o.paid_at AT TIME ZONE 'Asia/Shanghai')::date::text AS day,
            (SELECT e.at FROM order_event e WHERE e.order_id = o.id AND e.code = 16 ORDER BY e.id LIMIT 1) AS "formedAt",
            (SELECT h.house_id FROM household h JOIN house x ON x.id = h.house_id JOIN building_unit u ON u.id = x.unit_id JOIN building b ON b.id = u.building_id
              WHERE h.member_id = o.member_id AND h.status = 'normal' AND x.project_id = o.project_id
              ORDER BY position(b.name || u.name || x.number IN o.address) > 0 DESC, h.identity = 'owner' DESC, h.id LIMIT 1) AS "houseId",
            EXISTS (SELECT FROM housekeeper k JOIN staff s ON s.id = k.staff_id JOIN member m ON m.phone = s.phone
                     WHERE m.id = o.member_id AND (k.left_at IS NULL OR k.left_at > o.paid_at)) AS "ownButler"
       FROM sales_order o JOIN project p ON p.id = o.project_id WHERE o.id = $1 AND o.paid_at IS NOT NULL`,
    [orderId],
  );
  if (!order || (order.type === 'group' && !order.formedAt)) return;
  const lines = await run<Line>(
    tx,
    `SELECT l.id, l.product_id AS "productId", p.business_id AS "businessId", ${CLASSES} AS "classIds", l.cash,
            greatest(least(l.cash_refunded, l.cash), 0) AS refunded, l.qty, l.times, l.qty_refunded AS "qtyRefunded"
       FROM order_line l JOIN product p ON p.id = l.product_id WHERE l.order_id = $1 ORDER BY l.line_no`,
    [orderId],
  );
  const known = await run<PerformanceRow>(tx, `${PERFORMANCE} WHERE order_id = $1 ORDER BY id FOR UPDATE`, [
    orderId,
  ]);
  for (const line of lines) {
    const row = known.find((one) => one.lineId === line.id);
    if (row) await settleAgain(tx, row, line);
    else await attribute(tx, settings, order, line);
  }
}

interface PerformanceRow extends EarningLine {
  readonly id: number;
  readonly lineId: number;
  readonly housekeeperId: number | null;
  readonly projectId: number;
  readonly refunded: number;
  readonly rule: string;
  readonly fixedFen: number | null;
  readonly rateBp: number | null;
}

const PERFORMANCE = `SELECT id, line_id AS "lineId", housekeeper_id AS "housekeeperId", project_id AS "projectId", refunded, qty, times,
       qty_refunded AS "qtyRefunded", valid, way, served_bp AS "servedBp", rule, fixed_fen AS "fixedFen", rate_bp AS "rateBp" FROM butler_performance`;

const rateOf = (row: Pick<PerformanceRow, 'fixedFen' | 'rateBp'>): Rate =>
  row.fixedFen !== null ? { fixedFen: row.fixedFen } : { rateBp: row.rateBp! };

interface Whose {
  readonly way: number;
  readonly housekeeperId: number;
  readonly shareId: number | null;
  readonly visitId: number | null;
  readonly evidence: object;
}

/** The last counted visit to a link of the goods, else who looks after the house on the day of the payment, else nobody. */
async function whose(
  tx: Tx,
  settings: SettingsReader,
  order: PaidOrder,
  productId: number,
): Promise<Whose | undefined> {
  if (order.ownButler && !(await settings.flagIn(tx, 'butler.self_purchase'))) return undefined;
  const hours = await settings.numberIn(tx, 'butler.attribution_hours');
  const visit = await runOne<{
    id: number;
    shareId: number;
    code: string;
    housekeeperId: number;
    at: Date;
    hours: string;
  }>(
    tx,
    `SELECT v.id, s.id AS "shareId", s.code, s.housekeeper_id AS "housekeeperId", v.at, round(extract(epoch FROM $3::timestamptz - v.at) / 3600, 2)::text AS hours
       FROM butler_share_visit v JOIN butler_share s ON s.id = v.share_id JOIN housekeeper k ON k.id = s.housekeeper_id
      WHERE v.member_id = $1 AND v.counted AND s.product_id = $2 AND v.at <= $3 AND v.at >= $3::timestamptz - make_interval(hours => $4::integer)
        AND (k.left_at IS NULL OR k.left_at > $3) ORDER BY v.at DESC, v.id DESC LIMIT 1`,
    [order.memberId, productId, order.paidAt, hours],
  );
  if (visit)
    return {
      way: WAY.share,
      housekeeperId: visit.housekeeperId,
      shareId: visit.shareId,
      visitId: visit.id,
      evidence: { visitAt: visit.at, code: visit.code, hoursBefore: visit.hours, windowHours: hours },
    };
  if (order.houseId === null) return undefined;
  const held = await runOne<{ id: number | null }>(
    tx,
    `SELECT ${housekeeperOn('$1::bigint', '$2', true)} AS id`,
    [order.houseId, order.day],
  );
  if (!held?.id) return undefined;
  const range = await runOne<{ kind: string; place: string; from: string; to: string | null }>(
    tx,
    `SELECT x.kind, concat_ws(' ', b.name, u.name, CASE WHEN a.house_from IS NOT NULL THEN a.house_from || '–' || a.house_to END) AS place,
            lower(x.days)::text AS from, (upper(x.days) - 1)::text AS to
       FROM housekeeper_house x JOIN housekeeper_building a ON a.id = x.assignment_id JOIN building b ON b.id = a.building_id LEFT JOIN building_unit u ON u.id = a.unit_id
      WHERE x.house_id = $1 AND x.housekeeper_id = $2 AND x.days @> $3::date ORDER BY x.kind = 'main', x.assignment_id DESC LIMIT 1`,
    [order.houseId, held.id, order.day],
  );
  return {
    way: WAY.served,
    housekeeperId: held.id,
    shareId: null,
    visitId: null,
    evidence: { kind: range?.kind, place: range?.place, from: range?.from, to: range?.to ?? null },
  };
}

async function attribute(tx: Tx, settings: SettingsReader, order: PaidOrder, line: Line): Promise<void> {
  const found = await whose(tx, settings, order, line.productId);
  if (!found) return;
  const plan: Plan | undefined = await planAt(tx, order.paidAt);
  const goods = await runOne<{
    goodsId: number;
    incentive: 'plan' | 'fixed' | 'rate';
    fixedFen: number | null;
    rateBp: number | null;
  }>(tx, TERM, [line.productId, order.paidAt, order.projectId]);
  const used = goods && ruleOf(goods, plan, line);
  const servedBp = await settings.numberIn(tx, 'butler.served_share_bp');
  const row = await runOne<PerformanceRow>(
    tx,
    `INSERT INTO butler_performance (line_id, order_id, housekeeper_id, way, share_id, visit_id, house_id, project_id, business_id, product_id, member_id,
                                     paid_at, counted_at, cash, refunded, qty, times, qty_refunded, goods_id, plan_id, rule, fixed_fen, rate_bp, served_bp, freeze_days, evidence)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26)
     ON CONFLICT ON CONSTRAINT butler_performance_line DO NOTHING
     RETURNING id, line_id AS "lineId", housekeeper_id AS "housekeeperId", project_id AS "projectId", refunded, qty, times, qty_refunded AS "qtyRefunded", valid, way,
               served_bp AS "servedBp", rule, fixed_fen AS "fixedFen", rate_bp AS "rateBp"`,
    [
      line.id,
      order.id,
      found.housekeeperId,
      found.way,
      found.shareId,
      found.visitId,
      order.houseId,
      order.projectId,
      line.businessId,
      line.productId,
      order.memberId,
      order.paidAt,
      order.formedAt ?? order.paidAt,
      line.cash,
      line.refunded,
      line.qty,
      line.times,
      line.qtyRefunded,
      goods?.goodsId ?? null,
      plan?.id ?? null,
      used?.rule ?? 'none',
      used?.fixedFen ?? null,
      used?.rateBp ?? null,
      servedBp,
      plan?.freezeDays ?? 7,
      JSON.stringify(found.evidence),
    ],
  );
  if (!row || !used) return;
  const amount = incentiveOf(used, row);
  await run(
    tx,
    `INSERT INTO incentive (performance_id, housekeeper_id, project_id, centre_id, kind, amount, state, created_at)
     VALUES ($1, $2, $3, $4, 'sale', $5, $6, $7) ON CONFLICT DO NOTHING`,
    [
      row.id,
      found.housekeeperId,
      order.projectId,
      order.centreId,
      amount,
      amount === 0 ? 'cancelled' : 'frozen',
      order.formedAt ?? order.paidAt,
    ],
  );
}

interface SaleRow {
  readonly id: number;
  readonly housekeeperId: number;
  readonly centreId: number;
  readonly amount: number;
  readonly state: string;
  readonly batchId: number | null;
  readonly back: number;
}

/** A line as refunds left it: an open row is worked out again, one in a batch gets a row that takes the difference back. */
async function settleAgain(tx: Tx, known: PerformanceRow, line: Line): Promise<void> {
  if (known.refunded === line.refunded && known.qtyRefunded === line.qtyRefunded) return;
  const row = (await runOne<PerformanceRow>(
    tx,
    `UPDATE butler_performance SET refunded = $2, qty_refunded = $3, updated_at = now() WHERE id = $1
     RETURNING id, line_id AS "lineId", housekeeper_id AS "housekeeperId", project_id AS "projectId", refunded, qty, times, qty_refunded AS "qtyRefunded", valid, way,
               served_bp AS "servedBp", rule, fixed_fen AS "fixedFen", rate_bp AS "rateBp"`,
    [known.id, line.refunded, line.qtyRefunded],
  ))!;
  if (row.rule === 'none' || row.housekeeperId === null) return;
  const sale = await runOne<SaleRow>(
    tx,
    `SELECT i.id, i.housekeeper_id AS "housekeeperId", i.centre_id AS "centreId", i.amount, i.state, i.batch_id AS "batchId",
            (SELECT coalesce(sum(c.amount), 0)::bigint FROM incentive c WHERE c.performance_id = i.performance_id AND c.kind = 'clawback' AND c.state <> 'cancelled') AS back
       FROM incentive i WHERE i.performance_id = $1 AND i.kind = 'sale' FOR UPDATE OF i`,
    [row.id],
  );
  if (!sale || sale.state === 'clawed_back') return;
  const now = incentiveOf(rateOf(row), row);
  if (sale.batchId === null) {
    // What a batch that was given up had asked back already stays asked back.
    const amount = Math.max(now - sale.back, 0);
    await run(
      tx,
      `UPDATE incentive SET amount = $2::bigint, state = CASE WHEN $2::bigint = 0 THEN 'cancelled' WHEN state = 'cancelled' THEN 'frozen' ELSE state END, updated_at = now() WHERE id = $1`,
      [sale.id, amount],
    );
    return;
  }
  const back = clawbackOf(sale.amount + sale.back, now);
  if (back < 0)
    await run(
      tx,
      `INSERT INTO incentive (performance_id, housekeeper_id, project_id, centre_id, kind, amount, state, refund_id, payable_at)
       SELECT $1, $2, $3, $4, 'clawback', $5, 'payable', (SELECT max(r.id) FROM refund r JOIN refund_line l ON l.refund_id = r.id WHERE r.state = 'succeeded' AND l.line_id = $6), now()
       ON CONFLICT DO NOTHING`,
      [row.id, sale.housekeeperId, row.projectId, sale.centreId, back, row.lineId],
    );
  if (now === 0 && sale.state === 'paid')
    await run(tx, `UPDATE incentive SET state = 'clawed_back', updated_at = now() WHERE id = $1`, [sale.id]);
}

/** Works results out after the orders they hang on. */
export const butlerEffect: Effect = {
  kind: BUTLER_EFFECT,
  deliver: async (payload: { readonly orderId: number }, platform: Platform, outboxId) => {
    await transaction(platform.database.db, async (tx) => {
      if (!(await finishEffect(tx, outboxId))) return;
      await settleButler(tx, platform.settings, payload.orderId);
    });
    platform.changed('butlerPerformance');
    platform.changed('butlerIncentive');
  },
};

/** Frozen rows whose order is completed, whose days are over and of which no refund is open. */
const DUE = `FROM butler_performance p JOIN sales_order o ON o.id = p.order_id
  WHERE i.performance_id = p.id AND i.kind = 'sale' AND i.state = 'frozen' AND o.state = 'completed' AND o.completed_at IS NOT NULL
    AND o.completed_at + make_interval(days => p.freeze_days) <= $1
    AND NOT EXISTS (SELECT FROM refund r WHERE r.order_id = o.id AND r.state IN ('reviewing', 'refunding', 'failed'))`;

/** Sets incentives free whose time has come; returns how many. */
export async function unfreeze(tx: Executor, now = new Date()): Promise<number> {
  const rows = await run(
    tx,
    `UPDATE incentive i SET state = 'payable', payable_at = $1, updated_at = now() ${DUE} RETURNING i.id`,
    [now],
  );
  return rows.length;
}

export const unfreezeJob: Job = {
  name: 'butler.unfreeze',
  title: ['解冻管家激励', 'Set incentives of butlers free'],
  // 01:00 in Shanghai.
  cron: '0 17 * * *',
  run: async (_payload, platform) => {
    const count = await transaction(platform.database.db, (tx) => unfreeze(tx));
    if (count > 0) platform.changed('butlerIncentive');
  },
};

/** What holds of results and incentives. */
export const butlerInvariants: readonly Invariant[] = [
  sqlInvariant(
    'butler.lines: results say of their lines what the lines say',
    `SELECT 'result ' || p.id AS what, ARRAY[p.cash, p.qty] AS found, ARRAY[l.cash, l.qty] AS wanted FROM butler_performance p JOIN order_line l ON l.id = p.line_id`,
  ),
  sqlInvariant(
    'butler.incentives: what a line earned and gave back is what its rule gives for what was kept',
    `SELECT 'result ' || p.id AS what,
            ARRAY[(SELECT coalesce(sum(i.amount), 0) FROM incentive i WHERE i.performance_id = p.id AND i.state <> 'cancelled')] AS found,
            ARRAY[CASE WHEN p.housekeeper_id IS NULL OR p.rule = 'none' THEN 0
              ELSE round(round(CASE WHEN p.fixed_fen IS NOT NULL THEN p.fixed_fen::numeric * greatest(p.qty * p.times - p.qty_refunded, 0) / p.times ELSE p.valid::numeric * p.rate_bp / 10000 END)
                 * CASE WHEN p.way = 2 THEN p.served_bp ELSE 10000 END / 10000) END] AS wanted
       FROM butler_performance p`,
  ),
  sqlInvariant(
    'butler.batches: the sum of a batch is the sum of its rows',
    `SELECT 'batch ' || b.code AS what, ARRAY[b.sale, b.bonus, b.clawback, b.cap_cut, b.manual] AS found,
            ARRAY[x.sale, x.bonus, x.clawback, x.cap_cut, x.manual] AS wanted
       FROM incentive_batch b CROSS JOIN LATERAL (SELECT ${[
         'sale',
         'tier_bonus',
         'clawback',
         'cap_cut',
         'manual',
       ]
         .map(
           (kind) =>
             `coalesce(sum(i.amount) FILTER (WHERE i.kind = '${kind}'), 0)::bigint AS ${kind === 'tier_bonus' ? 'bonus' : kind}`,
         )
         .join(', ')} FROM incentive i WHERE i.batch_id = b.id) x WHERE b.state <> 'void'`,
  ),
  sqlInvariant(
    'butler.nets: what is paid by a batch is what its butlers get',
    `SELECT 'batch ' || b.code AS what, ARRAY[b.net, b.carry_in, b.butlers] AS found, ARRAY[x.net, x.carry_in, x.butlers] AS wanted
       FROM incentive_batch b CROSS JOIN LATERAL (SELECT coalesce(sum(l.net), 0)::bigint AS net, coalesce(sum(l.carry_in), 0)::bigint AS carry_in, count(*)::int AS butlers
         FROM incentive_batch_line l WHERE l.batch_id = b.id) x`,
  ),
  sqlInvariant(
    'butler.rewards: a reward is what its task is worth, for somebody who reached it, in a batch',
    `SELECT 'incentive ' || i.id AS what, ARRAY[i.amount, (p.reached_at IS NOT NULL)::int, (t.state IN ('ended', 'stopped'))::int] AS found, ARRAY[t.reward_fen, 1, 1] AS wanted
       FROM incentive i JOIN butler_task t ON t.id = i.task_id LEFT JOIN butler_task_progress p ON p.task_id = t.id AND p.housekeeper_id = i.housekeeper_id WHERE i.state <> 'cancelled'`,
  ),
];

/** A result goes to another butler, or to nobody; never once its money is in a batch. Returns the two whom it concerns. */
export async function reassign(
  tx: Tx,
  change: { readonly id: number; readonly to: number | null; readonly reason: string; readonly by: number },
): Promise<{ readonly from: number | null } | 'batched'> {
  const row = (await runOne<PerformanceRow>(tx, `${PERFORMANCE} WHERE id = $1 FOR UPDATE`, [change.id]))!;
  // Locked as a batch locks what it takes: of the two that come at once the second sees what the first did.
  await run(tx, 'SELECT id FROM incentive WHERE performance_id = $1 ORDER BY id FOR UPDATE', [change.id]);
  const batched = await runOne(
    tx,
    'SELECT 1 FROM incentive WHERE performance_id = $1 AND batch_id IS NOT NULL LIMIT 1',
    [change.id],
  );
  if (batched) return 'batched';
  await run(
    tx,
    `UPDATE butler_performance SET housekeeper_id = $2, reassigned_from_id = coalesce(housekeeper_id, reassigned_from_id), reassign_reason = $3, updated_by = $4, updated_at = now() WHERE id = $1`,
    [change.id, change.to, change.reason, change.by],
  );
  if (row.rule !== 'none') {
    const amount = change.to === null ? 0 : incentiveOf(rateOf(row), row);
    await run(
      tx,
      `UPDATE incentive SET state = 'cancelled', updated_at = now() WHERE performance_id = $1 AND kind = 'clawback'`,
      [change.id],
    );
    await run(
      tx,
      `UPDATE incentive SET housekeeper_id = coalesce($2::bigint, housekeeper_id), amount = CASE WHEN $2::bigint IS NULL THEN amount ELSE $3::bigint END,
              state = CASE WHEN $3::bigint = 0 THEN 'cancelled' WHEN state = 'cancelled' THEN 'frozen' ELSE state END, updated_at = now()
        WHERE performance_id = $1 AND kind = 'sale'`,
      [change.id, change.to, amount],
    );
  }
  return { from: row.housekeeperId };
}
