import type { Label } from '../../../kernel/contract/label.ts';
import { instantFull, instantShort, moneyText, NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { CopyButton } from '../../../kernel/client/parts/copy-button.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { actorLabel } from '../../../kernel/client/texts.ts';
import { useView } from '../../../kernel/client/view.ts';
import {
  CASE_MENU,
  CASE_STATES,
  CASE_TYPES,
  type CaseState,
  type CaseType,
} from '../../../domain/after-sale/case.rules.ts';
import { storedReason } from '../../../domain/checkout/order-events.rules.ts';
import { REFUND_STATES } from '../../../domain/trade-money/states.rules.ts';
import type { OrderRow } from './order-calls.ts';
import { Block, Fact } from './order-pieces.tsx';
import { ORDER_STATE_SPECS, PAY_CHANNELS } from './order-words.rules.ts';

/** Refunds of the order with links to their audit. */
export function Refunds({ row }: { readonly row: OrderRow }) {
  const text = useText();
  const view = useView();
  const path = view.pathOf('mm_orderRefund');
  if (row.refunds.length === 0) return null;
  return (
    <Block title={['退款', 'Refunds']}>
      <table className="go-table">
        <thead>
          <tr>
            <th>{text(['退款单号', 'Refund no.'])}</th>
            <th>{text(['状态', 'Status'])}</th>
            <th className="k-number">{text(['退现金', 'Cash back'])}</th>
            <th className="k-number">{text(['退积分', 'Points back'])}</th>
            <th>{text(['原因', 'Reason'])}</th>
            <th>{text(['申请时间', 'Applied'])}</th>
          </tr>
        </thead>
        <tbody>
          {row.refunds.map((refund) => {
            const mark = REFUND_STATES.find((state) => state.name === refund.state);
            return (
              <tr key={refund.id}>
                <td>
                  {path ? (
                    <button
                      type="button"
                      className="k-link"
                      onClick={() => view.open(`${path}?detail=${refund.id}`)}
                    >
                      {refund.code}
                    </button>
                  ) : (
                    refund.code
                  )}
                </td>
                <td>{mark && <StatusTag choice={mark} />}</td>
                <td className="k-number">{moneyText(refund.cash)}</td>
                <td className="k-number">{refund.points || NOTHING}</td>
                <td>{refund.reason || NOTHING}</td>
                <td title={instantFull(refund.appliedAt)}>{instantShort(refund.appliedAt)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Block>
  );
}

/** After-sales cases of the order with links to their pages. */
export function Cases({ row }: { readonly row: OrderRow }) {
  const text = useText();
  const view = useView();
  const list = view.pathOf(CASE_MENU);
  if (row.cases.length === 0) return null;
  return (
    <Block title={['售后单', 'After-sales cases']}>
      <table className="go-table">
        <thead>
          <tr>
            <th>{text(['售后单号', 'Case no.'])}</th>
            <th>{text(['类型', 'Type'])}</th>
            <th>{text(['状态', 'Status'])}</th>
            <th className="k-number">{text(['金额', 'Amount'])}</th>
            <th>{text(['申请时间', 'Applied'])}</th>
          </tr>
        </thead>
        <tbody>
          {row.cases.map((one) => (
            <tr key={one.id}>
              <td>
                {list ? (
                  <button
                    type="button"
                    className="k-link"
                    onClick={() => view.open(`${list.replace(CASE_MENU, 'am_orderdetails')}?id=${one.id}`)}
                  >
                    {one.code}
                  </button>
                ) : (
                  one.code
                )}
              </td>
              <td>{text(CASE_TYPES[one.type as CaseType].label)}</td>
              <td>
                <StatusTag choice={CASE_STATES[one.state as CaseState]} />
              </td>
              <td className="k-number">{one.type === 'exchange' ? NOTHING : moneyText(one.cash)}</td>
              <td title={instantFull(one.appliedAt)}>{instantShort(one.appliedAt)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Block>
  );
}

/** The payment and the other orders of the checkout the staff may see. */
export function PaymentBlock({ row }: { readonly row: OrderRow }) {
  const text = useText();
  const view = useView();
  const { payment } = row;
  return (
    <Block title={['支付', 'Payment']}>
      <dl className="go-facts">
        <Fact label={['商户支付单号', 'Payment no.']}>
          {payment.checkoutCode}
          <CopyButton value={payment.checkoutCode} />
        </Fact>
        <Fact label={['状态', 'Status']}>{text(PAYMENT_STATES[payment.state] ?? ['未知', 'Unknown'])}</Fact>
        <Fact label={['支付方式', 'Pay way']}>
          {payment.state === 2
            ? text(PAY_CHANNELS[String(payment.channel) as keyof typeof PAY_CHANNELS].label)
            : NOTHING}
        </Fact>
        <Fact label={['支付金额', 'Amount']}>
          <MoneyText value={payment.amount} strong />
        </Fact>
        <Fact label={['渠道流水号', 'Trade no.']}>{payment.tradeNo ?? NOTHING}</Fact>
        <Fact label={['支付时间', 'Paid at']}>{instantFull(payment.paidAt)}</Fact>
      </dl>
      {payment.orders.length > 1 && (
        <ul className="go-sisters">
          {payment.orders.map((order) => (
            <li key={order.id}>
              {order.id === row.id ? (
                <span>{order.code}</span>
              ) : (
                <button
                  type="button"
                  className="k-link"
                  onClick={() => view.open(`/merchantManager/mm_businessOrder_wx/${order.id}`)}
                >
                  {order.code}
                </button>
              )}
              <span className="k-quiet">{order.merchant}</span>
              <StatusTag choice={ORDER_STATE_SPECS[order.state]!} />
              <MoneyText value={order.payable} />
            </li>
          ))}
        </ul>
      )}
    </Block>
  );
}

/** The order's own timeline, newest first. */
export function Operations({ row }: { readonly row: OrderRow }) {
  const text = useText();
  return (
    <Block title={['操作记录', 'Timeline']}>
      <ol className="k-timeline">
        {[...row.operations].reverse().map((entry, index) => (
          <li key={index}>
            <div className="k-timeline-head">
              <strong>{text(entry.label)}</strong>
            </div>
            <div className="k-quiet k-small">
              {entry.who && <span>{text(actorLabel(entry.who))} · </span>}
              <time title={instantFull(entry.at)}>{instantShort(entry.at)}</time>
            </div>
            {entry.remark && <p className="k-remark">{text(remarkLabel(entry.remark))}</p>}
          </li>
        ))}
      </ol>
    </Block>
  );
}

const PAYMENT_STATES: Readonly<Record<number, Label>> = {
  1: ['未支付', 'Unpaid'],
  2: ['已支付', 'Paid'],
  3: ['支付失败', 'Failed'],
};

/** Steps of a refund remark its amount alone: shown as money. */
function remarkLabel(remark: string): Label {
  return /^\d+\.\d\d$/.test(remark)
    ? [`¥${moneyText(remark)}`, `¥${moneyText(remark)}`]
    : storedReason(remark);
}
