import { useState } from 'react';
import { Button } from 'antd';
import type { Label } from '../../../kernel/contract/label.ts';
import { instantFull, instantShort, moneyText, NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { CopyButton } from '../../../kernel/client/parts/copy-button.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { plainFormula } from '../../../domain/trade-money/plain-formula.rules.ts';
import type { OrderRow } from './order-calls.ts';
import type { OrderLinePart } from './order-parts.rules.ts';
import type { WireStep } from './quote-wire.rules.ts';
import { Block, GoodsName } from './order-pieces.tsx';
import { COMMENT_STATUSES } from './order-words.rules.ts';

/** The order's way with the time of every step; a closed order shows where it ended. */
export function StateBar({ row }: { readonly row: OrderRow }) {
  const text = useText();
  const { times } = row;
  const steps: readonly (readonly [Label, string | null])[] = [
    [['下单', 'Ordered'], times.createdAt],
    [['支付', 'Paid'], times.paidAt],
    [['发货', 'Shipped'], times.shippedAt],
    ...(row.state === 'closed'
      ? [[['关闭', 'Closed'], times.closedAt] as const]
      : [[['完成', 'Completed'], times.completedAt] as const]),
  ];
  return (
    <ol className="go-states">
      {steps.map(([label, at]) => (
        <li key={label[1]} className={at ? 'go-done' : ''} aria-current={at ? undefined : 'step'}>
          <strong>{text(label)}</strong>
          <span className="k-quiet k-small k-number" title={instantFull(at)}>
            {at ? instantShort(at) : NOTHING}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Lines with what each discount took, cash, shipped and refunded pieces. */
export function LinesTable({ row }: { readonly row: OrderRow }) {
  const text = useText();
  const shares: readonly (readonly [Label, (line: OrderLinePart) => string])[] = [
    [['商户券', 'Merchant coupon'], (line) => line.shares.merchantCoupon],
    [['平台券', 'Platform coupon'], (line) => line.shares.platformCoupon],
    [['积分', 'Points'], (line) => line.shares.pointsValue],
    [['代币', 'Coins'], (line) => line.shares.coinsValue],
    [['改价', 'Reduction'], (line) => line.shares.manualOff],
  ];
  const used = shares.filter(([, of]) => row.lines.some((line) => of(line) !== '0.00'));
  return (
    <Block title={['商品', 'Goods']}>
      <div className="go-scroll">
        <table className="go-table">
          <thead>
            <tr>
              <th>{text(['商品', 'Goods'])}</th>
              <th className="k-number">{text(['单价', 'Price'])}</th>
              <th className="k-number">{text(['数量', 'Qty'])}</th>
              <th className="k-number">{text(['金额', 'Amount'])}</th>
              {used.map(([label]) => (
                <th key={label[1]} className="k-number">
                  {text(label)}
                </th>
              ))}
              <th className="k-number">{text(['实付现金', 'Cash'])}</th>
              <th className="k-number">{text(['已发', 'Shipped'])}</th>
              <th className="k-number">{text(['已退', 'Refunded'])}</th>
              <th>{text(['状态', 'Status'])}</th>
              {row.state === 'completed' && <th>{text(['评价', 'Comment'])}</th>}
            </tr>
          </thead>
          <tbody>
            {row.lines.map((line) => (
              <tr key={line.id}>
                <td>
                  <GoodsName
                    image={line.image}
                    name={line.productName}
                    spec={`${line.specName} · ${line.specCode}`}
                  />
                </td>
                <td className="k-number">{moneyText(line.price)}</td>
                <td className="k-number">{line.qty}</td>
                <td className="k-number">{moneyText(line.goods)}</td>
                {used.map(([label, of]) => (
                  <td key={label[1]} className="k-number">
                    {of(line) === '0.00' ? NOTHING : `−${moneyText(of(line))}`}
                  </td>
                ))}
                <td className="k-number k-strong">{moneyText(line.cash)}</td>
                <td className="k-number">{line.shipped}</td>
                <td className="k-number">{line.refunded}</td>
                <td>
                  <StatusTag choice={lineState(line, row.state as string)} />
                </td>
                {row.state === 'completed' && (
                  <td className={line.commented ? '' : 'k-quiet'}>
                    {text(COMMENT_STATUSES[line.commented ? '1' : '0'].label)}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {row.comment && (
        <p className={row.comment.shown ? '' : 'k-quiet'}>
          {text(['评价：', 'Comment: '])}
          {`${row.comment.stars}★ ${row.comment.content}`}
          {!row.comment.shown && text(['（未展示）', ' (not shown)'])}
          {row.comment.reply !== '' && (
            <>
              <br />
              {text(['回复：', 'Reply: '])}
              {row.comment.reply}
            </>
          )}
        </p>
      )}
    </Block>
  );
}

/** goods − each discount + freight = paid; refunded; net. */
export function MoneyBlock({ row }: { readonly row: OrderRow }) {
  const text = useText();
  const { money } = row;
  const terms: readonly (readonly [Label, string])[] = [
    [['商户优惠券', 'Merchant coupon'], money.merchantCoupon],
    [['平台优惠券', 'Platform coupon'], money.platformCoupon],
    [[`积分抵扣（${money.points}）`, `Points (${money.points})`], money.pointsValue],
    [['代币抵扣', 'Coins'], money.coinsValue],
    [['改价', 'Reduction'], money.manualOff],
  ];
  const isPaid = row.times.paidAt !== null;
  return (
    <Block title={['金额', 'Money']}>
      <dl className="go-sum">
        <Term label={['商品金额', 'Goods']} value={money.goods} />
        {terms
          .filter(([, value]) => value !== '0.00')
          .map(([label, value]) => (
            <Term key={label[1]} sign="−" label={label} value={value} />
          ))}
        <Term sign="+" label={['运费', 'Freight']} value={money.freight} />
        <Term sign="=" label={isPaid ? ['实付', 'Paid'] : ['应付', 'To pay']} value={money.payable} strong />
        {isPaid && <Term sign="−" label={['已退款', 'Refunded']} value={money.refunded} />}
        {isPaid && <Term sign="=" label={['净额', 'Net']} value={money.net} strong />}
      </dl>
      {money.pointsRefunded > 0 && (
        <p className="k-quiet k-small">
          {text([`已退积分 ${money.pointsRefunded}`, `${money.pointsRefunded} points given back`])}
        </p>
      )}
    </Block>
  );
}

function Term({
  sign,
  label,
  value,
  strong,
}: {
  readonly sign?: string;
  readonly label: Label;
  readonly value: string;
  readonly strong?: boolean;
}) {
  const text = useText();
  return (
    <div>
      <dt>
        <i aria-hidden="true">{sign ?? ''}</i>
        {text(label)}
      </dt>
      <dd>
        <MoneyText value={value} {...(strong ? { strong } : {})} />
      </dd>
    </div>
  );
}

/** 计算说明: the stored steps of the money engine, word for word; nothing is computed here. */
export function ExplainPanel({
  steps,
  lines,
}: {
  readonly steps: readonly WireStep[];
  readonly lines: readonly { lineNo: number; productName: string }[];
}) {
  const text = useText();
  const [open, setOpen] = useState(false);
  const names = new Map(lines.map((line) => [line.lineNo, line.productName]));
  if (steps.length === 0) return null;
  return (
    <Block
      title={['计算说明', 'How it was computed']}
      extra={
        <Button type="link" size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
          {text(open ? ['收起', 'Hide'] : ['展开', 'Show'])}
        </Button>
      }
    >
      {open && (
        <ol className="go-steps">
          {steps.map((step, index) => (
            <li key={`${step.code}-${index}`}>
              <span className="go-step-code">{step.code}</span>
              <div>
                <strong>{text(step.label)}</strong> <MoneyText value={step.amount} />
                {step.units > 0 && (
                  <span className="k-quiet"> · {text([`${step.units} 积分`, `${step.units} points`])}</span>
                )}
                <p className="k-quiet k-small">{plainFormula(text(step.formula))}</p>
                {step.code !== 10 && step.lines.length > 0 && (
                  <p className="k-small k-number">
                    {step.lines
                      .map(
                        (line) =>
                          `${names.get(line.lineNo) ?? line.lineNo} ${line.amount}${line.units > 0 ? ` (${line.units})` : ''}`,
                      )
                      .join(text(['；', '; ']))}
                  </p>
                )}
              </div>
            </li>
          ))}
        </ol>
      )}
    </Block>
  );
}

/** Parcels with their pieces. */
export function Parcels({ row }: { readonly row: OrderRow }) {
  const text = useText();
  return (
    <Block title={['包裹', 'Parcels']}>
      {row.shipments.length === 0 && (
        <p className="k-quiet">{text(['还没有发货', 'Nothing has been shipped yet'])}</p>
      )}
      {row.shipments.map((parcel, index) => (
        <article key={parcel.id} className="go-parcel">
          <header>
            <strong>{text([`包裹 ${index + 1}`, `Parcel ${index + 1}`])}</strong>
            <span>
              {parcel.way === 'own'
                ? `${text(['自营配送', 'Own delivery'])} ${parcel.courier} ${parcel.courierPhone}`
                : `${parcel.company} ${parcel.trackingNo}`}
              {parcel.trackingNo && <CopyButton value={parcel.trackingNo} />}
            </span>
            <span className="k-quiet k-small" title={instantFull(parcel.at)}>
              {instantShort(parcel.at)} {parcel.who}
            </span>
          </header>
          <ul>
            {parcel.lines.map((line) => (
              <li key={line.lineId}>
                {line.productName} <span className="k-quiet">{line.specName}</span> × {line.qty}
              </li>
            ))}
          </ul>
        </article>
      ))}
    </Block>
  );
}

function lineState(
  line: OrderLinePart,
  state: string,
): { label: Label; tone: 'default' | 'processing' | 'warning' | 'success' } {
  if (line.refunded >= line.qty) return { label: ['已退款', 'Refunded'], tone: 'success' };
  if (line.held > 0) return { label: ['退款中', 'Refunding'], tone: 'processing' };
  if (state === 'pending_payment') return { label: ['待支付', 'To pay'], tone: 'warning' };
  if (state === 'closed') return { label: ['已关闭', 'Closed'], tone: 'default' };
  if (state === 'completed') return { label: ['已完成', 'Completed'], tone: 'success' };
  if (line.unshipped === 0) return { label: ['已发货', 'Shipped'], tone: 'success' };
  return line.shipped > 0
    ? { label: ['部分发货', 'Partly shipped'], tone: 'processing' }
    : { label: ['待发货', 'To ship'], tone: 'warning' };
}
