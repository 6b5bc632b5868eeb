import { moneyText, instantFull, NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { VISIT_STATES, type VisitState } from '../../../domain/home-service/appointment/visit-words.rules.ts';
import { REFUND_STATES } from '../../../domain/trade-money/states.rules.ts';
import type { OrderParts } from '../../mall/goods-order/order-parts.rules.ts';
import { INVOICE_TYPES, PAY_CHANNELS } from '../../mall/goods-order/order-words.rules.ts';
import type { VisitPart } from './service-order.contract.ts';
import { dayAndTime } from './visit-calls.ts';
import './visits.css';

type Detail = RowData & Partial<OrderParts> & { readonly visits?: readonly VisitPart[] };

const CODES: Readonly<Record<VisitPart['codeState'], Label>> = {
  none: ['无需核销', 'No code'],
  open: ['未核销', 'Not shown yet'],
  locked: ['已锁定', 'Locked'],
  verified: ['已核销', 'Verified'],
};

/** Every visit of an order with its person and the state of its code. */
export function VisitsPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const { visits = [] } = row as Detail;
  return (
    <table className="hs-table">
      <thead>
        <tr>
          {[
            ['次', 'No.'],
            ['时间', 'Time'],
            ['人员', 'Person'],
            ['状态', 'Status'],
            ['核销', 'Code'],
            ['说明', 'Note'],
          ].map((label) => (
            <th key={label[0]} scope="col">
              {text(label as unknown as Label)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {visits.map((visit) => (
          <tr key={visit.id}>
            <td title={visit.code}>{visit.visitNo}</td>
            <td className="k-number">
              {dayAndTime(visit.startsAt).day} {dayAndTime(visit.startsAt).time}–
              {dayAndTime(visit.endsAt).time}
            </td>
            <td>{visit.person ? `${visit.person.title} ${visit.person.phone}` : NOTHING}</td>
            <td>
              <StatusTag choice={VISIT_STATES[visit.state as VisitState]} />
              {visit.overbooked && <span className="k-bad"> {text(['超额', 'Overbooked'])}</span>}
            </td>
            <td>{text(CODES[visit.codeState])}</td>
            <td>
              {visit.fee !== '0.00' &&
                (visit.feeWaived
                  ? text(['违约金已免收', 'Fee waived'])
                  : text([`违约金 ${moneyText(visit.fee)}`, `Fee ${moneyText(visit.fee)}`]))}{' '}
              {visit.reason}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Items with their shares, sums, invoice and payment. */
export function MoneyPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const { lines = [], money, payment, invoice } = row as Detail;
  if (!money || !payment || !invoice) return null;
  const sums: readonly (readonly [Label, string])[] = [
    [['金额', 'Amount'], money.goods],
    [['商户券', 'Merchant coupon'], money.merchantCoupon],
    [['平台券', 'Platform coupon'], money.platformCoupon],
    [['积分抵扣', 'Points'], money.pointsValue],
    [['代币抵扣', 'Coins'], money.coinsValue],
    [['改价', 'Reduction'], money.manualOff],
    [['实付', 'Paid'], money.payable],
    [['已退', 'Refunded'], money.refunded],
    [['净额', 'Net'], money.net],
  ];
  return (
    <>
      <table className="hs-table">
        <tbody>
          {lines.map((line) => (
            <tr key={line.id}>
              <td>
                {line.productName} <span className="k-quiet">{line.specName}</span>
              </td>
              <td className="k-number">
                {moneyText(line.price)} × {line.qty}
              </td>
              <td className="k-number">{moneyText(line.cash)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <dl className="hs-sum">
        {sums.map(([label, value]) => (
          <div key={label[0]}>
            <dt>{text(label)}</dt>
            <dd className="k-number">{moneyText(value)}</dd>
          </div>
        ))}
        <div>
          <dt>{text(['支付单', 'Payment'])}</dt>
          <dd>
            {payment.checkoutCode}
            {payment.paidAt &&
              ` · ${text(PAY_CHANNELS[String(payment.channel) as keyof typeof PAY_CHANNELS].label)} · ${instantFull(payment.paidAt)}`}
          </dd>
        </div>
        <div>
          <dt>{text(['发票', 'Invoice'])}</dt>
          <dd>
            {text(INVOICE_TYPES[String(invoice.type) as keyof typeof INVOICE_TYPES].label)}
            {invoice.type === 2 && ` · ${invoice.name} · ${invoice.dutyCode}`}
          </dd>
        </div>
      </dl>
    </>
  );
}

/** Refunds of the order, newest last. */
export function RefundsPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const view = useView();
  const audit = view.pathOf('mm_orderRefund');
  const { refunds = [] } = row as Detail;
  if (refunds.length === 0) return <p className="k-quiet">{text(['没有退款', 'No refunds'])}</p>;
  return (
    <table className="hs-table">
      <tbody>
        {refunds.map((refund) => (
          <tr key={refund.id}>
            <td>
              {audit ? (
                <button
                  type="button"
                  className="k-link"
                  onClick={() => view.open(`${audit}?detail=${refund.id}`)}
                >
                  {refund.code}
                </button>
              ) : (
                refund.code
              )}
            </td>
            <td className="k-number">{moneyText(refund.cash)}</td>
            <td>
              {text(
                REFUND_STATES.find((mark) => mark.name === refund.state)?.label ?? [
                  refund.state,
                  refund.state,
                ],
              )}
            </td>
            <td>{refund.reason}</td>
            <td className="k-number">{instantFull(refund.appliedAt)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The steps the money engine stored with the order. */
export function ExplainPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const { steps = [] } = row as Detail;
  return (
    <ol className="hs-steps">
      {steps.map((step, index) => (
        <li key={index}>
          <b>{step.code}</b> {text(step.label)} <span className="k-number">{moneyText(step.amount)}</span>{' '}
          <span className="k-quiet k-small">{text(step.formula)}</span>
        </li>
      ))}
    </ol>
  );
}
