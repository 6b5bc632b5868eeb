import { PLACE } from '../../../domain/charging/billing.server.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Call } from '../../../kernel/server/registration.ts';
import { billPayment, PAYMENT_MENU } from '../bill-payment/bill-payment.contract.ts';
import { PAYMENT_SCOPE } from '../bill-payment/bill-payment.server.ts';
import { ALL_CHANNELS } from '../charging/charging-words.rules.ts';
import { orderDetail, type SubDetail, type TransactionLog } from './order-detail.contract.ts';

const MENUS = [orderDetail.menu, PAYMENT_MENU];
/** Sub-status of the specification: completed, cancelled. */
const SUB: Readonly<Record<string, { readonly code: number; readonly label: Label }>> = {
  valid: { code: 4, label: ['已完成', 'Completed'] },
  void: { code: 3, label: ['已取消', 'Cancelled'] },
};

interface Stored {
  readonly id: number;
  readonly receipt_no: string;
  readonly project_id: number;
  readonly project: string;
  readonly place: string;
  readonly payer_name: string;
  readonly channel: keyof typeof ALL_CHANNELS;
  readonly amount: number;
  readonly discount: number;
  readonly to_prepaid: number;
  readonly late_fee: number;
  readonly remark: string;
  readonly trade_no: string;
  readonly state: string;
  readonly cashier: string | null;
  readonly created_at: Date;
  readonly voided_at: Date | null;
  readonly voided_by: string | null;
  readonly void_reason: string;
  readonly version: number;
}

/** A payment of property fees as an order. Throws 404 outside the caller's scope. Source: group 06, cs_orderDetail, objType 2. */
export async function feeDetail({ caller, platform, facts }: Call, id: number): Promise<SubDetail> {
  const { db } = platform.database;
  const { language } = facts;
  const parameters = new Parameters();
  const place = parameters.bind(id);
  const seen = MENUS.filter((menu) => caller.menus.has(menu)).map((menu) =>
    scopeCondition(caller, menu, PAYMENT_SCOPE, parameters),
  );
  if (seen.length === 0) throw notFound();
  const row = await runOne<Stored>(
    db,
    `SELECT t.*, p.name AS project, ${PLACE} AS place, s.name AS cashier, v.name AS voided_by,
            coalesce((SELECT sum(a.amount) FROM bill_allocation a WHERE a.payment_id = t.id AND a.kind = 'late_fee' AND a.amount > 0), 0)::bigint AS late_fee
       FROM bill_payment t JOIN project p ON p.id = t.project_id JOIN house h ON h.id = t.house_id JOIN building_unit u ON u.id = h.unit_id
       JOIN building b ON b.id = u.building_id LEFT JOIN staff s ON s.id = t.cashier_id LEFT JOIN staff v ON v.id = t.voided_by
      WHERE t.id = ${place} AND (${seen.join(' OR ')})`,
    parameters.values,
  );
  if (!row) throw notFound();
  const items = await run<{ name: string; first: string; last: string; amount: number; paid: number }>(
    db,
    `SELECT i.name, x.period_from::text AS first, x.period_to::text AS last, (x.principal - x.discount + x.adjustment)::bigint AS amount,
            coalesce(sum(a.amount) FILTER (WHERE a.amount > 0 OR a.refund_payment_id IS NOT NULL), 0)::bigint AS paid
       FROM bill_allocation a JOIN bill x ON x.id = a.bill_id JOIN fee_item i ON i.id = x.fee_item_id WHERE (a.payment_id = $1 AND a.refund_payment_id IS NULL OR a.refund_payment_id = $1)
      GROUP BY x.id, i.id ORDER BY x.period_from, i.position, x.id`,
    [id],
  );
  const refunds = await run<{ receipt_no: string; amount: number; created_at: Date; cashier: string | null }>(
    db,
    `SELECT r.receipt_no, r.amount, r.created_at, s.name AS cashier FROM bill_payment r LEFT JOIN staff s ON s.id = r.cashier_id WHERE r.refund_of = $1 ORDER BY r.id`,
    [id],
  );
  const channel = textOf(ALL_CHANNELS[row.channel], language);
  const log = (
    at: Date,
    operator: string | null,
    type: string,
    title: Label,
    content: string,
  ): TransactionLog => ({
    time: isoInstant(at),
    operator: operator ?? textOf(['系统', 'System'], language),
    operateType: type,
    title: textOf(title, language),
    content,
    imgList: [],
  });
  const sub = SUB[row.state]!;
  return {
    detail: {
      id: String(row.id),
      code: row.receipt_no,
      crmCode: '',
      woType: 0,
      woTypeStr: textOf(['物业缴费', 'Property fee'], language),
      title:
        items.length === 0 ? textOf(['预存', 'Paid ahead'], language) : textOf(billPayment.noun!, language),
      projectId: String(row.project_id),
      projectName: row.project,
      classifyName: [...new Set(items.map((one) => one.name))].join('、'),
      deliveryAddr: row.place,
      contactName: maskValue('name', row.payer_name) ?? '',
      contactTel: '',
      userName: '',
      behalfName: '',
      behalfTel: '',
      isBehalf: 0,
      source: 0,
      sourceStr: channel,
      remark: row.remark,
      description: '',
      imgList: [],
      videoUrl: null,
      beforeImgList: [],
      afterImgList: [],
      result: '',
      firstResult: '',
      cancelReason: row.void_reason,
      urgency: '',
      woStatus: '',
      woStatusStr: '',
      subStatus: sub.code,
      subStatusStr: textOf(sub.label, language),
      crmSync: 0,
      handleName: row.cashier ?? '',
      handleTel: '',
      expectTime: null,
      createTime: isoInstant(row.created_at),
      receiveTime: null,
      startTime: null,
      finishTime: isoInstant(row.created_at),
      slaResponse: null,
      slaResolve: null,
      totalPrice: yuanFromFen(row.amount + row.discount),
      discountPrice: yuanFromFen(row.discount),
      lateFeePrice: yuanFromFen(row.late_fee),
      actualPrice: yuanFromFen(row.amount),
      refundPrice: yuanFromFen(
        row.state === 'void' ? row.amount : refunds.reduce((sum, one) => sum - one.amount, 0),
      ),
      invoiceType: 0,
      invoiceName: '',
      dutyCode: '',
      itemList: items.map((one) => ({
        name: one.name,
        period: `${one.first} ~ ${one.last}`,
        amount: yuanFromFen(one.amount),
        paid: yuanFromFen(one.paid),
      })),
      materialList: [],
      evaluate: null,
      callback: null,
      isTurn: 0,
      encryptionField: '',
      version: row.version,
    },
    operateButtonList: [],
    transactionLogList: [
      log(
        row.created_at,
        row.cashier,
        'pay',
        ['收款', 'Collected'],
        [channel, yuanFromFen(row.amount), row.trade_no].filter(Boolean).join(' · '),
      ),
      ...refunds.map((one) =>
        log(
          one.created_at,
          one.cashier,
          'refund',
          ['退款', 'Refunded'],
          `${yuanFromFen(one.amount)} · ${one.receipt_no}`,
        ),
      ),
      ...(row.voided_at
        ? [log(row.voided_at, row.voided_by, 'void', ['作废', 'Void'], row.void_reason)]
        : []),
    ],
  };
}
