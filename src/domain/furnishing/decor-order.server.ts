import type { Label } from '../../kernel/contract/label.ts';
import { addDays } from '../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { insertRow } from '../../kernel/server/resource/run-action.ts';
import { endReceivables, issueReceivable, repriceReceivable } from '../receivable/receivable.server.ts';
import {
  blockedText,
  CANCEL_STAGE,
  nodeDates,
  replanned,
  SETTLEMENT_DAYS,
  SETTLEMENT_PERIOD,
} from './decor-order.rules.ts';
import { readVersion, type StoredVersion } from './decor-version.server.ts';
import type { DueEvent } from './decor-version.rules.ts';
import {
  cancellation,
  choiceProblem,
  instalments,
  quoteOf,
  refundParts,
  type CancelStage,
  type ChosenOption,
  type PriceLine,
} from './price.rules.ts';
import type { Room } from './rooms.rules.ts';

/** An order as the commands read it behind its lock; money is fen, days are business days. */
export interface DecorOrderRow {
  readonly id: number;
  readonly code: string;
  readonly tenant_id: number;
  readonly project_id: number;
  readonly member_id: number;
  readonly payer_id: number;
  readonly house_id: number;
  readonly house_type_id: number;
  readonly product_id: number;
  readonly version_id: number;
  readonly sales_order_id: number | null;
  readonly built_area: string;
  readonly inner_area: string;
  readonly rooms: readonly Room[];
  readonly options: readonly ChosenOption[];
  readonly gross: number;
  readonly discount: number;
  readonly changes: number;
  readonly price: number;
  readonly overpaid: number;
  readonly unblocked: readonly number[];
  readonly planned_start: string | null;
  readonly planned_end: string | null;
  readonly manager_id: number | null;
  readonly supervisor_id: number | null;
  readonly created_by: number | null;
  readonly state: string;
}

/** What a package costs under a version for some areas. */
export interface DecorQuote {
  readonly lines: readonly PriceLine[];
  readonly gross: number;
  readonly problem: Label | undefined;
}

/** The price of a version for a house; undefined where it has none for the house type. Options it does not sell are a problem. */
export function quoteUnder(
  version: StoredVersion,
  spec: {
    readonly houseTypeId: number;
    readonly built: string;
    readonly inner: string;
    readonly rooms: readonly Room[];
    readonly chosen: readonly ChosenOption[];
  },
): DecorQuote | undefined {
  const price = version.prices.find((one) => one.houseTypeId === spec.houseTypeId);
  if (!price) return undefined;
  const { lines, total } = quoteOf({
    basis: version.basis,
    price: price.amount,
    minCharge: version.minCharge,
    areas: { built: spec.built, inner: spec.inner, rooms: spec.rooms },
    options: version.options,
    chosen: spec.chosen,
  });
  const codes = spec.chosen.map((one) => one.code);
  const unknown = codes.find((code) => !version.options.some((one) => one.code === code));
  const problem: Label | undefined = unknown
    ? [`套餐没有选项 ${unknown}`, `The package has no option ${unknown}`]
    : new Set(codes).size < codes.length
      ? ['同一选项只能选一次', 'Each option once']
      : choiceProblem(version.options, codes);
  return { lines, gross: total, problem };
}

/** Writes the lines of a price in place of those before; lines of changes stay behind them. */
export async function writeLines(
  tx: Tx,
  orderId: number,
  title: string,
  lines: readonly PriceLine[],
  discount: number,
): Promise<void> {
  await run(tx, 'DELETE FROM decor_line WHERE order_id = $1', [orderId]);
  const all: readonly PriceLine[] = [
    ...lines,
    ...(discount > 0
      ? [
          {
            kind: 'discount',
            code: '',
            name: '优惠',
            quantity: 100,
            unitPrice: -discount,
            amount: -discount,
          } as const,
        ]
      : []),
  ];
  for (const [position, line] of all.entries())
    await insertRow(tx, 'decor_line', {
      order_id: orderId,
      position,
      kind: line.kind,
      source: line.code,
      name: line.kind === 'base' ? title : line.name,
      quantity: line.quantity,
      unit_price: line.unitPrice,
      amount: line.amount,
    });
}

/** Writes the plan of an order nothing was issued of yet. */
export async function writePlan(
  tx: Tx,
  orderId: number,
  version: StoredVersion,
  price: number,
): Promise<void> {
  await run(tx, 'DELETE FROM decor_instalment WHERE order_id = $1', [orderId]);
  const amounts = instalments(
    version.plan.map((row) => row.share),
    price,
  );
  for (const [index, row] of version.plan.entries())
    await run(
      tx,
      'INSERT INTO decor_instalment (order_id, seq, name, share, due_event, due_days, amount) VALUES ($1, $2, $3, $4, $5, $6, $7)',
      [orderId, index + 1, row.name, row.share, row.due, row.dueDays, amounts[index]],
    );
}

/** Issues the receivables whose event has happened, once each. */
export async function issueDue(
  tx: Tx,
  order: DecorOrderRow,
  event: DueEvent,
  today: string,
  staffId: number | null,
): Promise<void> {
  const parts = await run<{ seq: number; name: string; due_days: number; amount: number; n: number }>(
    tx,
    `SELECT seq, name, due_days, amount, (SELECT count(*)::int FROM decor_instalment x WHERE x.order_id = $1) AS n FROM decor_instalment
      WHERE order_id = $1 AND due_event = $2 AND receivable_id IS NULL AND amount > 0 ORDER BY seq FOR UPDATE`,
    [order.id, event],
  );
  for (const part of parts) {
    const receivable = await issueReceivable(tx, {
      source: 'decor',
      sourceId: order.id,
      sourceCode: order.code,
      payerId: order.payer_id,
      projectId: order.project_id,
      periodNo: part.seq,
      postedOn: today,
      dueOn: addDays(today, part.due_days),
      principal: part.amount,
      ownerId: order.manager_id ?? order.created_by,
      staffId,
      remark: `${part.name} ${part.seq}/${part.n}`,
    });
    await run(tx, 'UPDATE decor_instalment SET receivable_id = $3 WHERE order_id = $1 AND seq = $2', [
      order.id,
      part.seq,
      receivable,
    ]);
  }
}

interface PlanRow {
  readonly seq: number;
  readonly share: number;
  readonly amount: number;
  readonly receivable_id: number | null;
  readonly state: string | null;
  readonly received: number;
  readonly overdue: boolean;
}

/**
 * Brings the plan to a new price: paid and overdue parts stay, later ones follow, receivables that stand with them. Returns what
 * was paid above the new price and is to go back.
 */
export async function reprice(
  tx: Tx,
  order: DecorOrderRow,
  price: number,
  today: string,
): Promise<{ readonly refund: number }> {
  await lockLines(tx, order.id);
  const parts = await run<PlanRow>(
    tx,
    `SELECT i.seq, i.share, i.amount, i.receivable_id, r.state, coalesce(r.received, 0)::bigint AS received, coalesce(r.due_on < $2::date, false) AS overdue
       FROM decor_instalment i LEFT JOIN receivable r ON r.id = i.receivable_id WHERE i.order_id = $1 ORDER BY i.seq FOR UPDATE OF i`,
    [order.id, today],
  );
  const open = (part: PlanRow) => part.state === 'open' || part.state === 'part';
  const { amounts, refund } = replanned(
    parts.map((part) => ({
      share: part.share,
      amount: part.amount,
      received: part.received,
      kept: part.state === 'paid' || part.state === 'written_off' || (open(part) && part.overdue),
    })),
    price,
    order.overpaid,
  );
  for (const [index, part] of parts.entries()) {
    const amount = amounts[index]!;
    if (amount === part.amount) continue;
    await run(tx, 'UPDATE decor_instalment SET amount = $3 WHERE order_id = $1 AND seq = $2', [
      order.id,
      part.seq,
      amount,
    ]);
    if (part.receivable_id !== null) await repriceReceivable(tx, part.receivable_id, amount);
  }
  return { refund };
}

/** Locks the receivables of an order in the order receipts take them. */
async function lockLines(tx: Tx, orderId: number): Promise<void> {
  await run(
    tx,
    `SELECT FROM receivable WHERE source_kind = 'decor' AND source_id = $1 ORDER BY id FOR UPDATE`,
    [orderId],
  );
}

/** Money of an order in fen: what receipts brought (proposals have no principal yet), what went back or is on its way. */
export async function moneyOf(
  db: Executor,
  orderId: number,
): Promise<{ readonly received: number; readonly refunded: number; readonly refunding: number }> {
  const row = await runOne<{ received: number; refunded: number; refunding: number }>(
    db,
    `SELECT coalesce((SELECT sum(a.principal) FROM receipt_allocation a JOIN receivable r ON r.id = a.receivable_id
              WHERE r.source_kind = 'decor' AND r.source_id = o.id), 0)::bigint AS received,
            coalesce((SELECT sum(f.cash) FROM refund f WHERE f.order_id = o.sales_order_id AND f.state = 'succeeded'), 0)::bigint AS refunded,
            coalesce((SELECT sum(f.cash) FROM refund f WHERE f.order_id = o.sales_order_id AND f.state IN ('reviewing', 'refunding', 'failed')), 0)::bigint AS refunding
       FROM decor_order o WHERE o.id = $1`,
    [orderId],
  );
  return row!;
}

/** Throws 30101 while an instalment stands in the way: an overdue one, or with `all` any that is asked for already. */
export async function requireUnblocked(
  db: Executor,
  order: Pick<DecorOrderRow, 'id' | 'unblocked'>,
  today: string,
  all = false,
): Promise<void> {
  const part = await blockingPart(db, order, today, all);
  if (part !== undefined) throw ruleBroken(blockedText(part));
}

/** The first instalment in the way, if any. */
export async function blockingPart(
  db: Executor,
  order: Pick<DecorOrderRow, 'id' | 'unblocked'>,
  today: string,
  all = false,
): Promise<number | undefined> {
  const row = await runOne<{ seq: number }>(
    db,
    `SELECT i.seq FROM decor_instalment i JOIN receivable r ON r.id = i.receivable_id
      WHERE i.order_id = $1 AND r.state IN ('open', 'part') AND ($4 OR r.due_on < $2::date) AND i.seq <> ALL($3::int[]) ORDER BY i.seq LIMIT 1`,
    [order.id, today, order.unblocked, all],
  );
  return row?.seq;
}

/**
 * The order of the trade says what came in: made with the first money, kept with what receipts brought. Refunds go through it.
 * The order must be locked.
 */
export async function keepTrade(tx: Tx, order: DecorOrderRow): Promise<number | null> {
  const { received } = await moneyOf(tx, order.id);
  if (order.sales_order_id !== null) {
    await run(tx, 'SELECT FROM sales_order WHERE id = $1 FOR UPDATE', [order.sales_order_id]);
    const kept = await runOne(
      tx,
      `UPDATE payment p SET amount = $2 FROM sales_order o WHERE o.id = $1 AND p.id = o.payment_id AND p.refunding + p.refunded <= $2 RETURNING p.id`,
      [order.sales_order_id, received],
    );
    if (!kept) throw ruleBroken(['该收款已有退款，不能冲销', 'Part of it was paid back, it is not reversed']);
    await run(
      tx,
      'UPDATE sales_order SET goods = $2, payable = $2, version = version + 1, updated_at = now() WHERE id = $1',
      [order.sales_order_id, received],
    );
    await run(
      tx,
      'UPDATE order_line SET unit_price = $2, list_price = $2, goods = $2, cash = $2 WHERE order_id = $1',
      [order.sales_order_id, received],
    );
    return order.sales_order_id;
  }
  if (received <= 0) return null;
  const facts = (await runOne<{
    name: string;
    phone: string;
    address: string;
    title: string;
    cover: string | null;
  }>(
    tx,
    `SELECT coalesce(nullif(m.name, ''), m.nickname) AS name, m.phone, p.name || b.name || u.name || h.number AS address, v.name AS title, v.image_ids[1] AS cover
       FROM member m, project p, house h JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id, decor_version v
      WHERE m.id = $1 AND p.id = $2 AND h.id = $3 AND v.id = $4`,
    [order.member_id, order.project_id, order.house_id, order.version_id],
  ))!;
  const payment = await insertRow(tx, 'payment', {
    checkout_code: await nextCode(tx, 'CK'),
    channel: 0,
    state: 2,
    amount: received,
    by_receipts: true,
    paid_at: new Date(),
    deadline: new Date(),
  });
  const id = await insertRow(tx, 'sales_order', {
    code: order.code,
    kind: 'home_decor',
    source: 5,
    tenant_id: order.tenant_id,
    project_id: order.project_id,
    member_id: order.member_id,
    payment_id: payment,
    title: facts.title,
    contact_name: facts.name,
    contact_phone: facts.phone,
    address: facts.address,
    on_behalf: true,
    state: 'to_accept',
    goods: received,
    payable: received,
    paid_at: new Date(),
  });
  await insertRow(tx, 'order_line', {
    order_id: id,
    line_no: 1,
    product_name: facts.title,
    spec_name: '',
    image_id: facts.cover,
    list_price: received,
    unit_price: received,
    qty: 1,
    goods: received,
    cash: received,
  });
  await run(tx, 'UPDATE decor_order SET sales_order_id = $2 WHERE id = $1', [order.id, id]);
  return id;
}

/** Receipts of an order with what none of its refunds gave back yet, the oldest first. */
export function receiptRests(
  db: Executor,
  source: { readonly kind: 'decor'; readonly id: number },
): Promise<{ id: number; code: string; rest: number }[]> {
  return run(
    db,
    `SELECT c.id, c.code, (sum(a.principal) - coalesce((SELECT sum(p.amount) FROM refund_part p JOIN refund f ON f.id = p.refund_id
              WHERE p.receipt_id = c.id AND f.state <> 'cancelled'), 0))::bigint AS rest
       FROM receipt c JOIN receipt_allocation a ON a.receipt_id = c.id JOIN receivable r ON r.id = a.receivable_id
      WHERE c.state = 'confirmed' AND c.reversal_of IS NULL AND NOT EXISTS (SELECT FROM receipt v WHERE v.reversal_of = c.id)
        AND r.source_kind = $1 AND r.source_id = $2
      GROUP BY c.id ORDER BY c.received_on, c.confirmed_at, c.id`,
    [source.kind, source.id],
  );
}

/** Notes which receipts a refund gives back: the latest first, each up to its own rest. */
export async function writeRefundParts(
  tx: Tx,
  source: { readonly kind: 'decor'; readonly id: number },
  refundId: number,
  amount: number,
): Promise<void> {
  for (const part of refundParts(await receiptRests(tx, source), amount))
    await run(tx, 'INSERT INTO refund_part (refund_id, receipt_id, amount) VALUES ($1, $2, $3)', [
      refundId,
      part.id,
      part.amount,
    ]);
}

/** What cancelling an order means now; amounts in fen. */
export interface DecorCancellation {
  readonly stage: CancelStage;
  /** Hundredths of a percent. */
  readonly passed: number;
  readonly paid: number;
  readonly works: number;
  readonly fee: number;
  readonly kept: number;
  readonly refund: number;
  readonly rest: number;
}

/** Reckons what cancelling means by the policy of the version an order was sold under. */
export async function cancellationOf(
  db: Executor,
  order: DecorOrderRow,
): Promise<DecorCancellation | undefined> {
  const stage = CANCEL_STAGE[order.state];
  if (!stage) return undefined;
  const version = (await readVersion(db, order.version_id))!;
  const rule = version.cancel.find((one) => one.stage === stage)!;
  const { received, refunded, refunding } = await moneyOf(db, order.id);
  const row = await runOne<{ passed: number }>(
    db,
    `SELECT coalesce(sum(weight), 0)::int AS passed FROM decor_node WHERE order_id = $1 AND state = 'passed'`,
    [order.id],
  );
  const paid = received - refunded - refunding;
  const { passed } = row!;
  return { stage, passed, paid, ...cancellation(rule, { price: order.price, paid, passed }) };
}

/** Ends the receivables of an order; what the policy keeps above what was paid is one of its own, unless it is waived. */
export async function endMoney(
  tx: Tx,
  order: DecorOrderRow,
  rest: number,
  by: { readonly today: string; readonly staffId: number | null },
): Promise<void> {
  await endReceivables(
    tx,
    { source: 'decor', sourceId: order.id },
    { note: '订单取消结清', staffId: by.staffId },
  );
  if (rest > 0)
    await issueReceivable(tx, {
      source: 'decor',
      sourceId: order.id,
      sourceCode: order.code,
      payerId: order.payer_id,
      projectId: order.project_id,
      periodNo: SETTLEMENT_PERIOD,
      postedOn: by.today,
      dueOn: addDays(by.today, SETTLEMENT_DAYS),
      principal: rest,
      ownerId: order.manager_id ?? order.created_by,
      staffId: by.staffId,
      remark: '结算补收',
    });
}

/** Begins the works: each node gets its days by weight, the first one is under way. */
export async function startNodes(tx: Tx, order: DecorOrderRow, startOn: string, endOn: string) {
  const { nodes } = (await readVersion(tx, order.version_id))!;
  const dates = nodeDates(
    nodes.map((node) => node.weight),
    startOn,
    endOn,
  );
  for (const [index, node] of nodes.entries())
    await insertRow(tx, 'decor_node', {
      order_id: order.id,
      seq: index + 1,
      name: node.name,
      weight: node.weight,
      planned_from: dates[index]!.from,
      planned_to: dates[index]!.to,
      state: index === 0 ? 'doing' : 'not_started',
    });
}

/** Moves the planned days of nodes that have not passed by the end of the works. */
export async function redateNodes(tx: Tx, order: DecorOrderRow, endOn: string, today: string): Promise<void> {
  const nodes = await run<{ id: number; weight: number; planned_from: string }>(
    tx,
    `SELECT id, weight, planned_from::text AS planned_from FROM decor_node WHERE order_id = $1 AND state <> 'passed' ORDER BY seq`,
    [order.id],
  );
  if (nodes.length === 0) return;
  const from = nodes[0]!.planned_from > endOn ? today : nodes[0]!.planned_from;
  const dates = nodeDates(
    nodes.map((node) => node.weight),
    from,
    endOn < from ? from : endOn,
  );
  for (const [index, node] of nodes.entries())
    await run(tx, 'UPDATE decor_node SET planned_from = $2, planned_to = $3 WHERE id = $1', [
      node.id,
      dates[index]!.from,
      dates[index]!.to,
    ]);
}

/** Keeps what was handed in or found. */
export async function writeCheck(
  tx: Tx,
  what: {
    readonly orderId: number;
    readonly kind: 'measure' | 'design' | 'contract' | 'done' | 'node' | 'final' | 'refix' | 'delay';
    readonly nodeId?: number;
    readonly round?: number;
    readonly result?: 'passed' | 'failed';
    readonly defects?: readonly unknown[];
    readonly files?: readonly string[];
    readonly signature?: string | null;
    readonly note?: string;
    readonly staffId: number | null;
    readonly at?: Date;
  },
): Promise<void> {
  await insertRow(tx, 'decor_check', {
    order_id: what.orderId,
    kind: what.kind,
    node_id: what.nodeId ?? null,
    round: what.round ?? 1,
    result: what.result ?? null,
    defects: JSON.stringify(what.defects ?? []),
    file_ids: what.files ?? [],
    signature_id: what.signature ?? null,
    note: what.note ?? '',
    created_by: what.staffId,
    ...(what.at ? { created_at: what.at } : {}),
  });
}

/** The warranty begins on the day of acceptance and ends so many months later. */
export async function startWarranty(tx: Tx, order: DecorOrderRow, acceptedOn: string): Promise<void> {
  const { warranty } = (await readVersion(tx, order.version_id))!;
  for (const { category, months } of warranty)
    await run(
      tx,
      `INSERT INTO decor_warranty (order_id, category, months, from_on, to_on) VALUES ($1, $2, $3::int, $4::date, ($4::date + make_interval(months => $3::int))::date)`,
      [order.id, category, months, acceptedOn],
    );
}

/** True when everything asked for is paid: what is left is nothing. */
export async function isSettled(db: Executor, orderId: number): Promise<boolean> {
  const row = await runOne<{ open: boolean }>(
    db,
    `SELECT EXISTS (SELECT FROM decor_instalment i LEFT JOIN receivable r ON r.id = i.receivable_id
       WHERE i.order_id = $1 AND i.amount > 0 AND (r.id IS NULL OR r.state IN ('open', 'part'))) AS open`,
    [orderId],
  );
  return !row!.open;
}
