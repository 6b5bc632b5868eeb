import { auditDeadline, type CaseRecord } from '../../../domain/after-sale/move-case.server.ts';
import { DECOR_CASE_MENU } from '../../../domain/after-sale/case.rules.ts';
import {
  afterBusinessHours,
  businessMinutesBetween,
} from '../../../domain/business-calendar/business-hours.server.ts';
import type { DecorOrderRow } from '../../../domain/furnishing/decor-order.server.ts';
import {
  issueReceivable,
  lockReceivables,
  tellReceivables,
  voidReceivables,
} from '../../../domain/receivable/receivable.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf, businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import {
  insertRow,
  type ActionContext,
  type ActionResult,
} from '../../../kernel/server/resource/run-action.ts';
import { lockTrade } from '../../after-sales/refund/refund-order.server.ts';
import { checkPictures } from '../../property/picture-columns.server.ts';
import { askRefund, requireColleague } from '../decor-order/decor-order-actions.server.ts';
import { DECOR_SCOPE } from '../decor-order/decor-order-scope.server.ts';
import { tellCase } from './decor-case-jobs.server.ts';
import { CASE_ORDER_STATES } from './decor-case-scope.server.ts';

/** A case of a decor order as its actions read it behind its lock; amounts are fen. */
export interface DecorCaseRow extends Omit<CaseRecord, 'type'> {
  readonly type: 'refund_only' | 'exchange' | 'repair';
  readonly decor_order_id: number;
  readonly category: string;
  readonly room: string;
  readonly in_warranty: boolean;
  readonly warranty_to: string | null;
  readonly bearer: 'merchant' | 'customer' | 'platform';
  readonly repair_fee: number | null;
  readonly fee_receivable_id: number | null;
}

/** Business hours until somebody has been there. Source: group 14, rules of after-sales. */
const VISIT_HOURS = 72;
const DAY = 86_400_000;
/** States in which a visit took place. */
const VISITED = `('fixed', 'not_fixed')`;

const IN_WORKS: Label = ['施工中问题请走整改', 'Use rework during works'];
const TOO_EARLY: Label = ['订单未到竣工验收，不能申请售后', 'The order has not come to its acceptance'];
const FEE_PAID: Label = ['维修费已收款，请先冲销收款', 'The repair fee came in, reverse its receipt first'];

/** A repair fee that is not paid yet stands before the visit. */
export const unpaidFee = (fee: number): Label => [
  `维修费 ${yuanFromFen(fee)} 未付清，不能安排上门`,
  `The repair fee of ${yuanFromFen(fee)} is not paid, no visit yet`,
];

const caseOf = ({ row, id }: ActionContext): DecorCaseRow => ({ ...row, id }) as unknown as DecorCaseRow;
const staffOf = ({ caller }: ActionContext) => (caller.staffId === 0 ? null : staffIdOf(caller));

/** Fen that may still go back of an order of the trade, without what a case has put aside itself. */
export async function refundable(db: Executor, orderId: number, caseId: number | null): Promise<number> {
  const row = await runOne<{ most: number }>(db, 'SELECT decor_refundable($1, $2) AS most', [
    orderId,
    caseId,
  ]);
  return row!.most;
}

/** Locks order and payment, the order refunds take them in, and throws 30101 above what may go back. */
async function requireRefundable(
  tx: Tx,
  orderId: number,
  amount: number,
  caseId: number | null,
): Promise<number> {
  await lockTrade(tx, orderId);
  const most = await refundable(tx, orderId, caseId);
  if (amount > most) {
    const label: Label = [
      `超出可退金额 ${yuanFromFen(Math.max(0, most))}`,
      `Above the refundable amount ${yuanFromFen(Math.max(0, most))}`,
    ];
    throw ruleBroken(label, { fields: { [caseId === null ? 'amount' : 'cash']: label } });
  }
  return most;
}

/** Until when a part of an order is guaranteed: by its category, or as it was repaired before. */
async function warrantyOf(
  db: Executor,
  of: { readonly orderId: number; readonly category: string; readonly room: string; readonly day: string },
): Promise<{ readonly to: string | null; readonly covers: boolean }> {
  const row = await runOne<{ to: string | null; covers: boolean }>(
    db,
    `SELECT max(w.to_on)::text AS "to", coalesce(bool_or($4::date BETWEEN w.from_on AND w.to_on), false) AS covers
       FROM (SELECT from_on, to_on FROM decor_warranty WHERE order_id = $1 AND category = $2
             UNION ALL SELECT from_on, to_on FROM decor_repair_warranty WHERE order_id = $1 AND category = $2 AND lower(room) = lower($3)) w`,
    [of.orderId, of.category, of.room, of.day],
  );
  return row!;
}

/** Looks at an application and completes it: order, warranty as it stands today, who pays, when the answer is due. */
export async function check(context: ActionContext): Promise<void> {
  const { tx, action, input, columns, caller, platform } = context;
  if (action !== 'create') return;
  const parameters = new Parameters();
  const id = parameters.bind(input.order);
  const order = await runOne<DecorOrderRow & { title: string }>(
    tx,
    `SELECT t.*, v.name AS title FROM decor_order t JOIN decor_version v ON v.id = t.version_id
      WHERE t.id = ${id} AND ${scopeCondition(caller, DECOR_CASE_MENU, DECOR_SCOPE, parameters)}`,
    parameters.values,
  );
  if (!order) throw notFound();
  const type = input.type as DecorCaseRow['type'];
  const inWorks = ['constructing', 'accepting', 'reworking'].includes(order.state);
  if (type === 'repair' && inWorks) throw ruleBroken(IN_WORKS);
  if (!(CASE_ORDER_STATES as readonly string[]).includes(order.state)) throw ruleBroken(TOO_EARLY);
  const amount = (input.amount as number | null | undefined) ?? null;
  if (type === 'refund_only' && amount === null)
    throw invalid({ amount: ['请填写退款金额', 'Say how much is asked back'] });
  if (type !== 'refund_only' && amount !== null)
    throw invalid({ amount: ['仅退款才填写金额', 'An amount is for refunds only'] });
  await checkPictures(context, 'photos', input.photos as string[]);
  if (input.video) await checkAttachable(tx, caller, 'video', [String(input.video)]);
  const tradeId = order.sales_order_id!;
  const most =
    amount === null
      ? await refundable(tx, tradeId, null)
      : await requireRefundable(tx, tradeId, amount, null);
  const room = String(input.room).trim();
  const warranty = await warrantyOf(tx, {
    orderId: order.id,
    category: String(input.category),
    room,
    day: businessDayOf(new Date()),
  });
  const now = new Date();
  Object.assign(columns, {
    decor_order_id: order.id,
    order_id: tradeId,
    order_kind: 'home_decor',
    tenant_id: order.tenant_id,
    project_id: order.project_id,
    member_id: order.member_id,
    stage: ['warranty', 'finished'].includes(order.state) ? 'after' : 'before',
    reason_code: type === 'refund_only' ? 'other' : 'quality',
    applicant_type: 2,
    applicant_id: staffOf(context),
    applicant_name: caller.name,
    applied_at: now,
    applied_cash: amount ?? 0,
    suggested_cash: Math.max(0, most),
    deadline: await auditDeadline(
      tx,
      platform,
      { tenant_id: order.tenant_id, order_kind: 'home_decor' },
      now,
    ),
    product_name: order.title,
    item_count: 0,
    room,
    wanted: input.wanted ?? '',
    in_warranty: warranty.covers,
    warranty_to: warranty.to,
    bearer: warranty.covers || type === 'refund_only' ? 'merchant' : 'customer',
  });
}

/** The order's own timeline tells of the case, and the merchant hears of it. */
export async function tellOrder({ tx, action, columns, caller }: ActionContext, id: number) {
  if (action !== 'create') return [];
  const made = (await runOne<DecorCaseRow>(tx, 'SELECT * FROM after_sale WHERE id = $1', [id]))!;
  await tellCase(tx, made, 'merchant', ['待审核', 'waits for an answer']);
  await writeTimeline(tx, {
    entity: 'decorOrder',
    entityId: Number(columns.decor_order_id),
    caller,
    action: 'afterSale',
    label: ['申请售后', 'After-sale applied'],
    remark: made.code,
  });
  return [];
}

/** Columns of a decision. */
async function decided(context: ActionContext, row: DecorCaseRow): Promise<Record<string, unknown>> {
  const now = new Date();
  return {
    decided_at: now,
    decided_by: staffOf(context),
    audit_minutes:
      row.audit_minutes ?? Math.floor(await businessMinutesBetween(context.tx, row.applied_at, now)),
    reminded: 0,
    escalated: false,
  };
}

const decorOrderOf = async (db: Executor, row: DecorCaseRow) =>
  (await runOne<DecorOrderRow>(db, 'SELECT * FROM decor_order WHERE id = $1', [row.decor_order_id]))!;

/** A part refund starts: over the receipts of the order, the latest first, through the refund audit. */
async function refundBy(
  context: ActionContext,
  row: DecorCaseRow,
  amount: number,
  reason: string,
): Promise<ActionResult> {
  const most = await requireRefundable(context.tx, row.order_id, amount, row.id);
  const order = await decorOrderOf(context.tx, row);
  const liable = row.bearer === 'platform' ? 'platform' : 'merchant';
  const made = await askRefund(context, order, amount, `${row.code} ${reason}`.slice(0, 200), {
    afterSaleId: row.id,
    liable,
  });
  const money = yuanFromFen(amount);
  return {
    to: 'refunding',
    set: {
      agreed_cash: amount,
      agreed_of: most,
      agreed_reason: reason.slice(0, 200),
      agreed_at: new Date(),
      liable,
      refund_id: made.id,
      deadline: null,
      reminded: 0,
      escalated: false,
    },
    remark: `${made.code} · ${money}`,
    result: { said: `退款 ${money} 审核中`, saidEn: `${money} is in the refund audit` },
  };
}

/** 同意: money goes to the refund audit, goods come back, a repair gets its visit. */
export async function agree(context: ActionContext): Promise<ActionResult> {
  const { tx, input, platform } = context;
  const row = caseOf(context);
  const note = String(input.note ?? '');
  const set = { ...(await decided(context, row)), agreed_at: new Date() };
  if (row.type === 'refund_only') {
    const done = await refundBy(context, row, row.applied_cash, note || row.reason);
    return { ...done, set: { ...set, ...done.set } };
  }
  if (row.type === 'exchange') {
    const days = await platform.settings.numberIn(tx, 'after_sale.return_days', { tenantId: row.tenant_id });
    return {
      to: 'agreed',
      set: { ...set, deadline: new Date(Date.now() + days * DAY) },
      remark: note,
      result: { said: '已同意，待客户寄回', saidEn: 'Agreed, the parcel is due' },
    };
  }
  return {
    to: 'agreed',
    set: { ...set, deadline: await afterBusinessHours(tx, new Date(), VISIT_HOURS) },
    remark: note,
    result: { said: '已同意，请安排上门', saidEn: 'Agreed, plan a visit' },
  };
}

/** 同意 where the customer pays: the quote is asked for, and paid before anybody comes. */
export async function quote(context: ActionContext): Promise<ActionResult> {
  const { tx, input } = context;
  const row = caseOf(context);
  const fee = Number(input.fee);
  const money = yuanFromFen(fee);
  return {
    set: {
      ...(await decided(context, row)),
      agreed_at: new Date(),
      deadline: await afterBusinessHours(tx, new Date(), VISIT_HOURS),
      repair_fee: fee,
      fee_receivable_id: await issueFee(context, row, fee),
    },
    remark: [money, String(input.note ?? '')].filter(Boolean).join(' · '),
    result: {
      said: `已同意，维修费 ${money} 付清后安排上门`,
      saidEn: `Agreed, a visit after the fee of ${money} is paid`,
    },
  };
}

async function isFeePaid(tx: Tx, row: DecorCaseRow): Promise<boolean> {
  if (row.fee_receivable_id === null) return false;
  // Held, so that its receipt is not reversed meanwhile.
  const line = await runOne<{ state: string }>(tx, 'SELECT state FROM receivable WHERE id = $1 FOR SHARE', [
    row.fee_receivable_id,
  ]);
  return line!.state === 'paid';
}

async function issueFee(context: ActionContext, row: DecorCaseRow, fee: number): Promise<number> {
  const { tx, platform } = context;
  const order = await decorOrderOf(tx, row);
  const before = await runOne<{ n: number }>(
    tx,
    `SELECT count(*)::int AS n FROM receivable WHERE source_kind = 'decor_repair' AND source_id = $1`,
    [row.id],
  );
  const day = businessDayOf(new Date());
  const id = await issueReceivable(tx, {
    source: 'decor_repair',
    sourceId: row.id,
    sourceCode: row.code,
    payerId: order.payer_id,
    projectId: row.project_id,
    periodNo: before!.n + 1,
    postedOn: day,
    dueOn: day,
    principal: fee,
    ownerId: order.manager_id ?? order.created_by,
    staffId: staffOf(context),
    remark: `维修费 ${row.room}`,
  });
  tellReceivables(platform);
  return id;
}

/** Nothing is asked for any more. Throws 30101 while money of it is here. */
async function endFee({ tx, platform }: ActionContext, row: DecorCaseRow): Promise<void> {
  if (row.fee_receivable_id === null) return;
  const [line] = await lockReceivables(tx, [row.fee_receivable_id]);
  if (line!.received > 0) throw ruleBroken(FEE_PAID);
  if (line!.state === 'open') await voidReceivables(tx, [line!.id]);
  tellReceivables(platform);
}

export function refuse({ input }: ActionContext): Promise<ActionResult> {
  const reason = String(input.reason);
  return Promise.resolve({
    set: {
      refuse_reason: reason,
      refused_at: new Date(),
      decided_at: new Date(),
      deadline: null,
      reminded: 0,
      escalated: false,
    },
    remark: reason,
  });
}

/** Plans a visit, in place of one that is planned already. */
export async function visit(context: ActionContext): Promise<ActionResult> {
  const { tx, input } = context;
  const row = caseOf(context);
  const at = new Date(String(input.at));
  if (at.getTime() < Date.now()) throw invalid({ at: ['上门时间不能早于现在', 'Not before now'] });
  await requireColleague(context, 'person');
  if (row.bearer === 'customer' && !(await isFeePaid(tx, row)))
    throw ruleBroken(unpaidFee(row.repair_fee ?? 0));
  await cancelPlanned(tx, row.id);
  await insertRow(tx, 'after_sale_visit', {
    after_sale_id: row.id,
    staff_id: input.person,
    starts_at: at,
    ends_at: new Date(at.getTime() + Number(input.minutes) * 60_000),
    created_by: staffOf(context),
  });
  return { remark: businessTimeText(at.toISOString()) };
}

const cancelPlanned = (tx: Tx, caseId: number) =>
  run(tx, `UPDATE after_sale_visit SET state = 'cancelled' WHERE after_sale_id = $1 AND state = 'planned'`, [
    caseId,
  ]);

/** What a visit came to: fixed and guaranteed for a while, or another visit; after so many the desk looks at it. */
export async function result(context: ActionContext): Promise<ActionResult> {
  const { tx, input, platform, caller } = context;
  const row = caseOf(context);
  const fixed = input.result === 'fixed';
  const photos = (input.photos ?? []) as readonly string[];
  const signature = (input.signature as string | null | undefined) ?? null;
  const note = String(input.note ?? '');
  const missing: Record<string, Label> = {};
  if (fixed && photos.length === 0) missing.photos = ['请上传照片', 'Photos are needed'];
  if (fixed && !signature) missing.signature = ['请上传客户签字', 'The signature is needed'];
  if (!fixed && !note) missing.note = ['请说明未修好的原因', 'Say why it is not fixed'];
  if (Object.keys(missing).length > 0) throw invalid(missing);
  await checkPictures(context, 'photos', photos);
  if (signature) await checkAttachable(tx, caller, 'signature', [signature]);
  const done = await runOne(
    tx,
    `UPDATE after_sale_visit SET state = $2, photo_ids = $3, signature_id = $4, note = $5, result_at = now(), result_by = $6
      WHERE after_sale_id = $1 AND state = 'planned' RETURNING id`,
    [row.id, fixed ? 'fixed' : 'not_fixed', photos, signature, note, staffOf(context)],
  );
  if (!done) throw ruleBroken(NO_VISIT);
  if (fixed) {
    await guarantee(context, row);
    return {
      to: 'done',
      set: { ended_at: new Date(), deadline: null, reminded: 0, escalated: false },
      remark: note,
    };
  }
  const visited = await runOne<{ n: number }>(
    tx,
    `SELECT count(*)::int AS n FROM after_sale_visit WHERE after_sale_id = $1 AND state IN ${VISITED}`,
    [row.id],
  );
  const most = await platform.settings.numberIn(tx, 'decor.repair_visits', { tenantId: row.tenant_id });
  const tooOften = visited!.n >= most;
  if (tooOften)
    await tellCase(tx, row, 'desk', [
      `已上门 ${visited!.n} 次未修好`,
      `is not fixed after ${visited!.n} visits`,
    ]);
  return {
    to: 'agreed',
    set: {
      deadline: await afterBusinessHours(tx, new Date(), VISIT_HOURS),
      reminded: 0,
      ...(tooOften ? { escalated: true, escalated_at: new Date() } : {}),
    },
    remark: note,
  };
}

/** Refusal without a planned visit. */
export const NO_VISIT: Label = ['没有已安排的上门', 'No visit is planned'];

/** A fixed part is guaranteed some months at least, or as long as its warranty runs. */
async function guarantee({ tx, platform }: ActionContext, row: DecorCaseRow): Promise<void> {
  const months = await platform.settings.numberIn(tx, 'decor.repair_extend_months', {
    tenantId: row.tenant_id,
  });
  await run(
    tx,
    `INSERT INTO decor_repair_warranty (after_sale_id, order_id, category, room, from_on, to_on)
     VALUES ($1, $2, $3, $4, $5::date, greatest(($5::date + make_interval(months => $6::int))::date, CASE WHEN $7 THEN $8::date END))`,
    [
      row.id,
      row.decor_order_id,
      row.category,
      row.room,
      businessDayOf(new Date()),
      Math.trunc(months),
      row.in_warranty,
      row.warranty_to,
    ],
  );
}

export async function returned(context: ActionContext): Promise<ActionResult> {
  return {
    set: {
      back_at: new Date(),
      deadline: await afterBusinessHours(context.tx, new Date(), VISIT_HOURS),
      reminded: 0,
      escalated: false,
    },
    remark: String(context.input.note),
  };
}

export async function received(context: ActionContext): Promise<ActionResult> {
  const { tx, input } = context;
  const photos = (input.photos ?? []) as readonly string[];
  await checkPictures(context, 'photos', photos);
  return {
    set: {
      inspection: 'pass',
      inspection_photos: photos,
      inspected_at: new Date(),
      deadline: await afterBusinessHours(tx, new Date(), VISIT_HOURS),
      reminded: 0,
    },
    remark: String(input.note ?? ''),
  };
}

export function sent({ input }: ActionContext): Promise<ActionResult> {
  const now = new Date();
  return Promise.resolve({
    set: { send_at: now, ended_at: now, deadline: null, reminded: 0, escalated: false },
    remark: String(input.note),
  });
}

/** The desk lets the platform pay: nothing is asked of the customer. */
export async function bearer(context: ActionContext): Promise<ActionResult> {
  await endFee(context, caseOf(context));
  const reason = String(context.input.reason);
  return { set: { bearer: 'platform', bearer_reason: reason }, remark: reason };
}

/** A part refund instead of the repair or the exchange. */
export async function refund(context: ActionContext): Promise<ActionResult> {
  const row = caseOf(context);
  await cancelPlanned(context.tx, row.id);
  if (row.fee_receivable_id !== null && !(await isFeePaid(context.tx, row))) await endFee(context, row);
  return refundBy(context, row, Number(context.input.cash), String(context.input.reason));
}

/** The customer asks for nothing any more, before anybody came. */
export async function withdraw(context: ActionContext): Promise<ActionResult> {
  const row = caseOf(context);
  await endFee(context, row);
  await cancelPlanned(context.tx, row.id);
  return {
    set: { ended_at: new Date(), deadline: null, reminded: 0, escalated: false },
    remark: String(context.input.reason),
  };
}

/** Nobody answered, came or received in time: the desk looks at it. */
export async function overdue(context: ActionContext): Promise<ActionResult> {
  await tellCase(context.tx, caseOf(context), 'desk', ['已超时，请跟进', 'is late, please look after it']);
  return { set: { escalated: true, escalated_at: new Date() } };
}
