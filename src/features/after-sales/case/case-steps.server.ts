import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { businessMinutesBetween } from '../../../domain/business-calendar/business-hours.server.ts';
import { CASE_WORDS } from '../../../domain/after-sale/case.rules.ts';
import { requireUnclaimed } from '../../../domain/after-sale/claims.server.ts';
import {
  caseLines,
  noteCase,
  type CaseLine,
  type CaseRecord,
  type ReturnAddressCopy,
} from '../../../domain/after-sale/move-case.server.ts';
import {
  lockSpecs,
  partsOf,
  releaseStock,
  reserveStock,
  sellStock,
  takeBackStock,
} from '../../../domain/checkout/stock.server.ts';
import { lockTrade } from '../refund/refund-order.server.ts';
import {
  agreedAmount,
  agreedShare,
  caseSplit,
  hasOpenRefund,
  startRefund,
  type CaseOutcome,
  type CaseStep,
} from './case-money.server.ts';

/** Days after which an exchange on its way counts as received. Source: group 21, states of a case. */
const SIGN_DAYS = 7;
const DAY = 86_400_000;

const NO_ADDRESS: Label = ['请先设置默认退货地址', 'Please set a default return address first'];
const OVER: Label = ['已超过申请平台介入的期限', 'The time to go to the platform is over'];
const NO_PHOTOS: Label = ['请上传验收照片', 'Please add photos of the inspection'];
const NOTHING_ACCEPTED: Label = [
  '合格数量不能全为0，请使用拒收',
  'Nothing accepted: reject the parcel instead',
];
const TOO_MANY: Label = ['合格数量超过退回数量', 'More than was sent back'];
const REFUND_OPEN: Label = ['该订单有未完成的退款', 'The order has an unfinished refund'];

/** What staff say when they agree. Money in fen. */
export interface Agreement {
  readonly amount?: number | null | undefined;
  readonly amountReason?: string | null | undefined;
  /** Id of a return address of the merchant; absent: its default. */
  readonly address?: number | null | undefined;
  /** Refund at once, whatever the kind: the platform's verdict. */
  readonly direct?: boolean;
}

/** Columns of the first decision: when, by whom, and the business time it took. */
export async function decided(step: CaseStep): Promise<Record<string, unknown>> {
  const { tx, row, caller } = step;
  const now = new Date();
  return {
    decided_at: now,
    decided_by: caller?.staffId || null,
    audit_minutes: row.audit_minutes ?? Math.floor(await businessMinutesBetween(tx, row.applied_at, now)),
  };
}

/**
 * 同意: a refund for what only wants money (or whose goods are back already), else the address to send the goods to; an exchange
 * also keeps stock of the spec wanted instead. Throws 422 and 30101 (limit of the amount, 库存不足, unfinished refund).
 */
export async function agreeCase(
  step: CaseStep,
  agreement: Agreement,
  set: Readonly<Record<string, unknown>> = {},
): Promise<CaseOutcome> {
  const { tx, platform, row } = step;
  const lines = await caseLines(tx, row.id);
  const columns = { ...set, ...(await decided(step)), agreed_at: new Date() };
  const goodsBack = row.inspected_at !== null && row.inspection !== 'reject';
  if (row.type === 'exchange' && !agreement.direct) {
    await holdNewSpecs(tx, row, lines);
    if (goodsBack) return { to: 'received', set: { ...columns, deadline: null, reminded: 0 } };
    return sendBack(step, agreement, columns);
  }
  const split = await caseSplit(tx, row.order_id, row.type, lines);
  // What an exchange is worth nobody asked for: the platform gives the suggested amount unless it says less.
  const usual = row.type === 'exchange' ? split.cash : row.applied_cash;
  const { cash, reason } = await agreedAmount(
    step,
    split.cash,
    { amount: agreement.amount, reason: agreement.amountReason },
    usual,
  );
  if (row.type === 'refund_only' || agreement.direct || goodsBack) {
    if (await hasOpenRefund(tx, row.order_id)) throw ruleBroken(REFUND_OPEN);
    await releaseHolds(tx, row);
    return startRefund(step, lines, { cash, of: split.cash, reason }, columns);
  }
  const outcome = await sendBack(step, agreement, columns);
  return {
    ...outcome,
    set: { ...outcome.set, agreed_cash: cash, agreed_of: split.cash, agreed_reason: reason },
    remark: [outcome.remark, `¥${(cash / 100).toFixed(2)}`].filter(Boolean).join(' · '),
  };

  async function sendBack(
    _step: CaseStep,
    { address }: Agreement,
    base: Readonly<Record<string, unknown>>,
  ): Promise<CaseOutcome> {
    const found = await returnAddress(tx, row.tenant_id, address ?? undefined);
    const days = await platform.settings.numberIn(tx, 'after_sale.return_days', { tenantId: row.tenant_id });
    return {
      to: 'agreed',
      set: {
        ...base,
        return_address_id: found.id,
        return_address: JSON.stringify(found.copy),
        deadline: new Date(Date.now() + days * DAY),
        reminded: 0,
        inspection: null,
        inspected_at: null,
        back_company: '',
        back_tracking: '',
        back_at: null,
        // A parcel that was rejected went back to the buyer: it is no exchange that was sent.
        send_company: '',
        send_tracking: '',
        send_at: null,
      },
    };
  }
}

/** 拒绝: the merchant's own, or the platform's last word. Writes 55 on the order's timeline. */
export async function refuseCase(
  step: CaseStep,
  answer: {
    readonly reason: string;
    readonly evidence?: readonly string[];
    readonly set?: Record<string, unknown>;
  },
): Promise<CaseOutcome> {
  await releaseHolds(step.tx, step.row);
  return {
    to: 'refused',
    set: {
      ...(await decided(step)),
      ...answer.set,
      agreed_at: null,
      refuse_reason: answer.reason,
      refuse_evidence: answer.evidence ?? [],
      refused_at: new Date(),
      deadline: null,
      reminded: 0,
    },
    remark: answer.reason,
  };
}

/** The buyer's parcel is on its way: 待收货 with the time to receive it. */
export async function trackCase(
  { tx, platform, row }: CaseStep,
  parcel: { readonly company: string; readonly trackingNo: string },
): Promise<CaseOutcome> {
  const days = await platform.settings.numberIn(tx, 'after_sale.receive_days', { tenantId: row.tenant_id });
  return {
    to: 'returned',
    set: {
      back_company: parcel.company,
      back_tracking: parcel.trackingNo,
      back_at: new Date(),
      deadline: new Date(Date.now() + days * DAY),
      reminded: 0,
    },
    remark: `${parcel.company} ${parcel.trackingNo}`,
  };
}

/** What was found in a returned parcel. Without `lines` everything is accepted. */
export interface Inspection {
  readonly result: 'pass' | 'partial';
  readonly lines?: readonly { readonly lineId: number; readonly qty: number }[] | undefined;
  readonly amount?: number | null | undefined;
  readonly photos?: readonly string[] | undefined;
  readonly resellable?: boolean | undefined;
  readonly note?: string | undefined;
}

/**
 * 收货验收: only accepted units are refunded or exchanged, the others are free again at once. A refund starts here unless
 * another one of the order is unfinished: then the case waits in 已收货. Throws 422 and 30101.
 */
export async function receiveCase(step: CaseStep, inspection: Inspection): Promise<CaseOutcome> {
  const { tx, row, caller } = step;
  const all = await caseLines(tx, row.id);
  const lines = inspection.result === 'partial' ? await accept(step, all, inspection) : all;
  const set = {
    inspection: inspection.result,
    inspection_note: inspection.note ?? '',
    inspection_photos: inspection.photos ?? [],
    inspected_at: new Date(),
    resellable: inspection.resellable ?? false,
    deadline: null,
    reminded: 0,
  };
  if (inspection.resellable)
    await takeBackStock(
      tx,
      partsOf(lines.map((line) => ({ specId: line.spec_id, qty: line.accepted_qty ?? line.qty }))),
      { type: 'after_sale', id: row.id, reason: row.code, staffId: caller?.staffId || null },
    );
  if (row.type === 'exchange') {
    if (inspection.result === 'partial') {
      await releaseHolds(tx, row);
      await holdNewSpecs(tx, row, lines);
    }
    return { to: 'received', set, remark: inspection.note ?? '' };
  }
  const split = await caseSplit(tx, row.order_id, row.type, lines);
  const { cash, reason } = await agreedAmount(
    step,
    split.cash,
    { amount: inspection.amount, reason: inspection.note },
    agreedShare(row, split.cash),
  );
  // Why less was agreed to stays, unless the inspection says more.
  const why = inspection.note?.trim() || row.agreed_reason || reason;
  const agreed = { cash, of: split.cash, reason: why };
  if (!(await hasOpenRefund(tx, row.order_id))) return startRefund(step, lines, agreed, set);
  return {
    to: 'received',
    set: { ...set, agreed_cash: agreed.cash, agreed_of: agreed.of, agreed_reason: agreed.reason },
    remark: CASE_WORDS.waits[0],
  };
}

/** 拒收: the parcel goes back to the buyer, who may bring the case before the platform. Writes 55 on the order's timeline. */
export async function rejectParcel(
  step: CaseStep,
  parcel: {
    readonly reason: string;
    readonly photos: readonly string[];
    readonly company: string;
    readonly trackingNo: string;
  },
): Promise<CaseOutcome> {
  await releaseHolds(step.tx, step.row);
  return {
    to: 'refused',
    set: {
      inspection: 'reject',
      inspection_note: parcel.reason,
      inspection_photos: parcel.photos,
      inspected_at: new Date(),
      send_company: parcel.company,
      send_tracking: parcel.trackingNo,
      send_at: new Date(),
      refuse_reason: parcel.reason,
      refused_at: new Date(),
      deadline: null,
      reminded: 0,
    },
    remark: `${parcel.reason} · ${parcel.company} ${parcel.trackingNo}`,
  };
}

/** A case that waited in 已收货 for another refund of its order. Throws 30101 while that one is unfinished. */
export async function startWaitingRefund(step: CaseStep): Promise<CaseOutcome> {
  const { tx, row } = step;
  if (await hasOpenRefund(tx, row.order_id)) throw ruleBroken(REFUND_OPEN);
  const lines = await caseLines(tx, row.id);
  const split = await caseSplit(tx, row.order_id, row.type, lines);
  const cash = Math.min(row.agreed_cash ?? split.cash, split.cash);
  return startRefund(step, lines, {
    cash,
    of: split.cash,
    reason: cash < split.cash ? row.agreed_reason || CASE_WORDS.waits[0] : row.agreed_reason,
  });
}

/** Columns of the parcel with the new spec; the case ends when it is signed for, or by itself after seven days. */
export function sendExchange(parcel: {
  readonly company: string;
  readonly trackingNo: string;
}): Record<string, unknown> {
  return {
    send_company: parcel.company,
    send_tracking: parcel.trackingNo,
    send_at: new Date(),
    deadline: new Date(Date.now() + SIGN_DAYS * DAY),
    reminded: 0,
  };
}

/** The exchange has arrived: the stock kept for it is sold. */
export async function finishExchange({ tx, row }: CaseStep): Promise<CaseOutcome> {
  for (const hold of await holdsOf(tx, row.id)) {
    await sellStock(tx, [{ specId: hold.spec_id, qty: hold.qty }], {
      type: 'after_sale_hold',
      id: hold.id,
      reason: row.code,
    });
    await run(tx, `UPDATE after_sale_hold SET state = 'sent' WHERE id = $1`, [hold.id]);
  }
  return { to: 'done', set: { ended_at: new Date(), deadline: null, reminded: 0 } };
}

/** 撤销: the goods are free again. */
export async function withdraw(step: CaseStep): Promise<CaseOutcome> {
  await releaseHolds(step.tx, step.row);
  return { to: 'withdrawn', set: { ended_at: new Date(), deadline: null, reminded: 0 } };
}

/**
 * 平台介入: from now on the platform alone decides. A refused case comes alive again when its time is not over, the platform
 * has not spoken and nobody else took its units meanwhile (30101).
 */
export async function escalateCase(step: CaseStep): Promise<CaseOutcome> {
  const { tx, platform, row } = step;
  if (row.state === 'refused') {
    const days = await platform.settings.numberIn(tx, 'after_sale.escalate_days', {
      tenantId: row.tenant_id,
    });
    if (row.final || row.refused_at === null || row.refused_at.getTime() + days * DAY < Date.now())
      throw ruleBroken(OVER);
    await lockTrade(tx, row.order_id);
    const lines = await caseLines(tx, row.id);
    await requireUnclaimed(
      tx,
      row.order_id,
      lines.map((line) => ({ lineId: line.line_id, qty: line.accepted_qty ?? line.qty })),
    );
    if (row.type !== 'exchange') await caseSplit(tx, row.order_id, row.type, lines);
  }
  return {
    to: 'applied',
    set: { escalated: true, escalated_at: new Date(), deadline: null, reminded: 0 },
  };
}

/**
 * Nobody answered in time. Refund-only cases are agreed to as they were asked for; everything else, and what cannot be
 * refunded as asked, goes before the platform.
 */
export async function auditOverdue(step: CaseStep): Promise<CaseOutcome> {
  const { tx, row } = step;
  if (row.type === 'refund_only') {
    // Waits for the other refund: the next run looks again.
    if (await hasOpenRefund(tx, row.order_id)) throw ruleBroken(REFUND_OPEN);
    const possible = await isPossible(step);
    if (possible) return agreeCase(step, {});
  }
  return escalateCase(step);
}

/** Notes a step of a staff action on the case's own timeline, with a code also on the order's. */
export async function noteStep(
  step: CaseStep,
  to: CaseRecord['state'],
  label: Label,
  remark: string,
  code?: number,
): Promise<void> {
  await noteCase(step.tx, step.row, {
    label,
    to,
    remark,
    ...(code === undefined ? {} : { code }),
    ...(step.caller && step.caller.staffId ? { caller: step.caller } : {}),
  });
}

async function isPossible(step: CaseStep): Promise<boolean> {
  const { tx, row } = step;
  try {
    await caseSplit(tx, row.order_id, row.type, await caseLines(tx, row.id));
    return true;
  } catch {
    return false;
  }
}

async function accept(
  { tx, row, caller }: CaseStep,
  lines: readonly CaseLine[],
  { lines: accepted = [], photos = [], amount }: Inspection,
): Promise<CaseLine[]> {
  if (caller && photos.length === 0) throw invalid({ photos: NO_PHOTOS });
  const kept: CaseLine[] = [];
  for (const line of lines) {
    const qty = accepted.find((one) => one.lineId === line.line_id)?.qty ?? line.qty;
    if (!Number.isSafeInteger(qty) || qty < 0 || qty > line.qty) throw invalid({ lines: TOO_MANY });
    kept.push({ ...line, accepted_qty: qty });
  }
  if (kept.every((line) => line.accepted_qty === 0)) throw invalid({ lines: NOTHING_ACCEPTED });
  if (kept.every((line) => line.accepted_qty === line.qty) && (amount === undefined || amount === null))
    throw invalid({ lines: ['全部合格请选择验收合格', 'Everything accepted: choose "All accepted"'] });
  for (const line of kept)
    await run(tx, 'UPDATE after_sale_line SET accepted_qty = $2 WHERE id = $1', [line.id, line.accepted_qty]);
  await run(tx, 'UPDATE after_sale SET item_count = $2 WHERE id = $1', [
    row.id,
    kept.reduce((sum, line) => sum + (line.accepted_qty ?? 0), 0),
  ]);
  return kept;
}

/** Keeps stock of the specs wanted instead (op 3), all or none: 库存不足，仅剩N件. */
async function holdNewSpecs(tx: Tx, row: CaseRecord, lines: readonly CaseLine[]): Promise<void> {
  const parts = partsOf(
    lines.map((line) => ({ specId: line.new_spec_id!, qty: line.accepted_qty ?? line.qty })),
  ).filter((part) => part.qty > 0);
  await lockSpecs(
    tx,
    parts.map((part) => part.specId),
  );
  for (const part of parts) {
    const hold = await runOne<{ id: number }>(
      tx,
      'INSERT INTO after_sale_hold (after_sale_id, spec_id, qty) VALUES ($1, $2, $3) RETURNING id',
      [row.id, part.specId, part.qty],
    );
    await reserveStock(tx, [part], { type: 'after_sale_hold', id: hold!.id, reason: row.code });
  }
}

/** Gives stock kept for an exchange back (op 4). */
async function releaseHolds(tx: Tx, row: CaseRecord): Promise<void> {
  for (const hold of await holdsOf(tx, row.id)) {
    await releaseStock(tx, [{ specId: hold.spec_id, qty: hold.qty }], {
      type: 'after_sale_hold',
      id: hold.id,
      reason: row.code,
    });
    await run(tx, `UPDATE after_sale_hold SET state = 'released' WHERE id = $1`, [hold.id]);
  }
}

function holdsOf(tx: Tx, caseId: number): Promise<{ id: number; spec_id: number; qty: number }[]> {
  return run(
    tx,
    `SELECT id, spec_id, qty FROM after_sale_hold WHERE after_sale_id = $1 AND state = 'held' ORDER BY spec_id FOR UPDATE`,
    [caseId],
  );
}

async function returnAddress(
  tx: Tx,
  tenantId: number,
  id: number | undefined,
): Promise<{ id: number; copy: ReturnAddressCopy }> {
  const row = await runOne<{ id: number; receiver: string; phone: string; region: string; address: string }>(
    tx,
    `SELECT a.id, a.receiver, a.phone, a.address,
            concat_ws(' ', CASE WHEN p2.name IS DISTINCT FROM p1.name THEN p2.name END, p1.name, r.name) AS region
       FROM return_address a JOIN region r ON r.id = a.region_id LEFT JOIN region p1 ON p1.id = r.parent_id
       LEFT JOIN region p2 ON p2.id = p1.parent_id
      WHERE a.tenant_id = $1 AND a.use = 'return' AND a.enabled AND CASE WHEN $2::bigint IS NULL THEN a.is_default ELSE a.id = $2 END
      LIMIT 1 FOR SHARE OF a`,
    [tenantId, id ?? null],
  );
  if (!row) throw invalid({ address: id === undefined ? NO_ADDRESS : UNKNOWN_ADDRESS }, NO_ADDRESS);
  const { receiver, phone, region, address } = row;
  return { id: row.id, copy: { receiver, phone, region, address } };
}

const UNKNOWN_ADDRESS: Label = ['退货地址不存在或已停用', 'The return address does not exist or is disabled'];
