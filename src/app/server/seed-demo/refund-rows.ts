import { sumOf } from '../../../domain/trade-money/amounts.rules.ts';
import { rowPerLine } from '../../../domain/trade-money/refund.rules.ts';
import type { CodeBook } from './code-book.ts';
import { insertRows, type Runner, type SeedRow, takeIds } from './insert-rows.ts';
import type { Market } from './market.ts';
import type { SeedRefund } from './trade.ts';
import { DAY } from './world.ts';

/** Writes refunds with rows, shares, timelines and the sandbox channel's side; orders and shares must exist. */
export async function writeRefunds(client: Runner, market: Market, codes: CodeBook): Promise<void> {
  const { refunds } = market;
  const coded = refunds.map((refund) => ({ refund, code: codes.next('RF', new Date(refund.createdAt)) }));
  await insertRows(
    client,
    'refund',
    coded.map(({ refund, code }) => refundRow(market, refund, code)),
  );
  await writeLines(client, refunds);
  await writeEvents(client, refunds);
  const sent = coded.filter(({ refund }) => refund.sentAt !== null && refund.order.checkout.tradeNo !== null);
  await insertRows(
    client,
    'sandbox_refund',
    sent.map(({ refund, code }) => ({
      refund_no: channelNo(code),
      trade_no: refund.order.checkout.tradeNo,
      amount: refund.split.cash,
      state: { succeeded: 'success', failed: 'failure' }[refund.state as string] ?? 'accepted',
      message: refund.channelMessage,
      calls: refund.attempts,
      paid_times: refund.state === 'succeeded' ? 1 : 0,
      // One that is under way stays so while someone looks at the demonstration.
      due_at: new Date(refund.succeededAt ?? refund.sentAt! + (refund.state === 'refunding' ? 30 * DAY : 0)),
      created_at: new Date(refund.sentAt!),
    })),
  );
}

function channelNo(code: string): string {
  return `CR${code.slice(2)}`;
}

function refundRow(market: Market, refund: SeedRefund, code: string): SeedRow {
  const { order, split } = refund;
  const named = split.rows.filter((row) => row.kind !== 'recheck');
  const first = order.lines.find((line) => line.lineNo === named[0]?.lineNo) ?? order.lines[0]!;
  const more = named.length > 1 ? market.texts.kindsMore.replace('{n}', String(named.length)) : '';
  return {
    id: refund.id,
    code,
    order_id: order.id,
    payment_id: order.checkout.id,
    tenant_id: order.merchant.id,
    project_id: order.checkout.member.project.id,
    member_id: order.checkout.member.id,
    business_type: 1,
    applicant_type: refund.applicantType,
    applicant_id: refund.applicant?.id ?? null,
    applicant_name: refund.applicantName,
    state: refund.state,
    level: refund.level,
    kind: split.kind,
    apply_price: split.applyPrice,
    suggested_cash: refund.suggestedCash,
    cash: split.cash,
    freight_part: split.freightPart,
    fee: split.fee,
    points: split.points,
    points_value: split.pointsValue,
    coins: split.coins,
    coins_value: split.coinsValue,
    item_count: sumOf(split.rows, (row) => row.qty),
    product_name: first.product.name + more,
    shipped: split.send,
    liable: 'merchant',
    way: 'origin',
    reason_code: refund.reason[0],
    reason: refund.reason[1],
    cash_reason: refund.cashReason,
    reject_reason: refund.rejectReason,
    auditor1: refund.auditor1?.id ?? null,
    auditor1_at: instant(refund.auditor1At),
    auditor2: refund.auditor2?.id ?? null,
    auditor2_at: instant(refund.auditor2At),
    channel_refund_no: channelNo(code),
    channel_code: refund.channelCode,
    channel_message: refund.channelMessage,
    attempts: refund.attempts,
    sent_at: instant(refund.sentAt),
    succeeded_at: instant(refund.succeededAt),
    snapshot: split,
    created_at: new Date(refund.createdAt),
    created_by: refund.applicant?.id ?? null,
    updated_at: new Date(refund.updatedAt),
  };
}

async function writeLines(client: Runner, refunds: readonly SeedRefund[]): Promise<void> {
  const rows = refunds.flatMap((refund) => rowPerLine(refund.split.rows).map((row) => ({ refund, row })));
  const first = await takeIds(client, 'refund_line', rows.length);
  const lineId = ({ refund, row }: (typeof rows)[number]) =>
    refund.order.lines.find((line) => line.lineNo === row.lineNo)!.id;
  await insertRows(
    client,
    'refund_line',
    rows.map((entry, index) => ({
      id: first + index,
      refund_id: entry.refund.id,
      line_id: lineId(entry),
      qty: entry.row.qty,
      unshipped_qty: entry.row.unshippedQty,
      fee: entry.row.fee,
      cash: entry.row.cash,
      kind: entry.row.kind === 'recheck' || entry.row.cash < 0 ? 'recheck' : 'part',
      withheld: entry.row.withheld,
      amount_part: entry.row.amountPart,
    })),
  );
  const shares = rows.flatMap((entry, index) =>
    entry.row.shares.map((share) => ({
      refund_line_id: first + index,
      line_id: lineId(entry),
      step: share.step,
      source_type: share.sourceType,
      source_id: share.sourceId ?? '',
      amount: share.amount,
      units: share.units,
      platform_amount: share.platformAmount,
    })),
  );
  await client.query(
    `INSERT INTO refund_line_share (refund_line_id, share_id, amount, units, platform_amount)
     SELECT r.refund_line_id, s.id, r.amount, r.units, r.platform_amount
       FROM jsonb_to_recordset($1::jsonb) AS r (refund_line_id bigint, line_id bigint, step smallint, source_type text,
                                                source_id text, amount bigint, units bigint, platform_amount bigint)
       JOIN order_share s USING (line_id, step, source_type, source_id)`,
    [JSON.stringify(shares)],
  );
}

async function writeEvents(client: Runner, refunds: readonly SeedRefund[]): Promise<void> {
  const events = refunds.flatMap((refund) => refund.events.map((event) => ({ refund, event })));
  events.sort((a, b) => a.event.at - b.event.at);
  await insertRows(
    client,
    'refund_event',
    events.map(({ refund, event }) => ({
      refund_id: refund.id,
      from_state: event.from,
      to_state: event.to,
      who: event.who,
      at: new Date(event.at),
      remark: event.remark,
      channel_answer: event.channelAnswer,
    })),
  );
  await insertRows(
    client,
    'entity_event',
    events.map(({ refund, event }) => ({
      entity: 'refund',
      entity_id: refund.id,
      at: new Date(event.at),
      staff_id: event.staffId,
      who: event.who,
      action: event.action,
      label_zh: event.label[0],
      label_en: event.label[1],
      from_state: event.from,
      to_state: event.to,
      remark: event.remark,
    })),
  );
}

function instant(at: number | null): Date | null {
  return at === null ? null : new Date(at);
}
