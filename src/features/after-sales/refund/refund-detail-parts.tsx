import type { ReactNode } from 'react';
import { Table, Tag, type TableColumnType } from 'antd';
import { instantFull, moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { actorLabel } from '../../../kernel/client/texts.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { plainFormula } from '../../../domain/trade-money/plain-formula.rules.ts';
import { OUTCOMES } from './coupon-outcomes.ts';
import { refund } from './refund.contract.ts';
import type { CouponEffect, LinePart, MoneyRow, RefundParts, SuggestedRow } from './refund-parts.ts';

interface PartProps {
  readonly row: RowData;
}

/** Order, payment and the money table: paid, refunded, in progress, this refund, left after. */
export function MoneyPart({ row }: PartProps) {
  const text = useText();
  const { order, payment, money } = row.parts as RefundParts;
  const amount = (
    name: Exclude<keyof MoneyRow, 'scope'>,
    label: Label,
    strong = false,
  ): TableColumnType<MoneyRow> => ({
    key: name,
    title: text(label),
    align: 'right',
    className: 'k-number',
    render: (_, line) => <MoneyText value={line[name]} strong={strong} />,
  });
  return (
    <>
      <Facts
        facts={[
          [['订单', 'Order'], `${order.code} · ${text(order.state)}`],
          [['下单时间', 'Ordered'], instantFull(order.createdAt)],
          [['支付渠道', 'Channel'], text(CHANNELS[payment.channel] ?? CHANNELS[0]!)],
          [['支付时间', 'Paid'], instantFull(payment.paidAt)],
          [['渠道交易号', 'Trade no.'], payment.tradeNo || '–'],
        ]}
      />
      <Table<MoneyRow>
        size="small"
        rowKey="scope"
        pagination={false}
        scroll={{ x: 560 }}
        dataSource={[...money]}
        columns={[
          {
            key: 'scope',
            title: '',
            render: (_, line) =>
              text(line.scope === 'order' ? ['本订单', 'This order'] : ['整笔支付', 'Whole payment']),
          },
          amount('paid', ['实付', 'Paid']),
          amount('refunded', ['已退', 'Refunded']),
          amount('inProgress', ['其他处理中', 'Others in progress']),
          amount('current', ['本次', 'This refund'], true),
          amount('leftAfter', ['退后剩余', 'Left after']),
        ]}
      />
    </>
  );
}

/** Lines of the order with every share, and what this refund takes of them. */
export function LinesPart({ row }: PartProps) {
  const text = useText();
  const { lines, coupons } = row.parts as RefundParts;
  return (
    <>
      <Table<LinePart>
        size="small"
        rowKey="lineNo"
        pagination={false}
        scroll={{ x: 620 }}
        dataSource={[...lines]}
        columns={[
          {
            key: 'product',
            title: text(['商品', 'Product']),
            render: (_, line) => <ProductCell line={line} />,
          },
          // What this refund takes comes first: the rest may need scrolling.
          number(text(['本次数量', 'Units now']), (line) => line.currentQty || '–'),
          number(text(['本次现金', 'Cash now']), (line) => (
            <>
              <MoneyText value={line.currentCash} strong />
              {line.currentWithheld !== '0.00' && (
                <small className="k-quiet refund-withheld">
                  {text([
                    `少退 ${moneyText(line.currentWithheld)}`,
                    `${moneyText(line.currentWithheld)} kept`,
                  ])}
                </small>
              )}
            </>
          )),
          number(text(['单价', 'Price']), (line) => <MoneyText value={line.price} />),
          number(
            text(['数量 / 已发 / 已退', 'Qty / shipped / refunded']),
            (line) => `${line.qty} / ${line.shipped} / ${line.refundedQty}`,
          ),
          number(text(['优惠与抵扣', 'Shares']), (line) => <Shares line={line} />),
          number(text(['现金', 'Cash']), (line) => <MoneyText value={line.cash} />),
          number(text(['已退现金', 'Cash refunded']), (line) => <MoneyText value={line.cashRefunded} />),
        ]}
      />
      {coupons.length > 0 && (
        <section className="k-facts-section">
          <h3>{text(['优惠券', 'Coupons'])}</h3>
          {coupons.map((coupon, index) => (
            <Coupon key={index} coupon={coupon} />
          ))}
        </section>
      )}
    </>
  );
}

/** Suggested against applied, each row with its formula. */
export function SuggestionPart({ row }: PartProps) {
  const text = useText();
  const parts = row.parts as RefundParts;
  return (
    <>
      <Facts
        facts={[
          [['建议退现金', 'Suggested cash'], <MoneyText key="s" value={parts.suggestedCash} />],
          [['申请退现金', 'Applied cash'], <MoneyText key="a" value={parts.appliedCash} strong />],
          [['其中运费', 'Of it freight'], <MoneyText key="f" value={row.freightPart as string} />],
          [['违约金', 'Fee'], <MoneyText key="e" value={row.fee as string} />],
        ]}
      />
      <Table<SuggestedRow>
        size="small"
        rowKey={(line) => `${line.kind}${line.lineNo}`}
        pagination={false}
        scroll={{ x: 560 }}
        dataSource={[...parts.suggested]}
        columns={[
          {
            key: 'product',
            title: text(['商品', 'Product']),
            render: (_, line) => (
              <>
                {line.product}
                {line.kind === 'recheck' && <Recheck />}
              </>
            ),
          },
          {
            key: 'formula',
            title: text(['计算', 'Formula']),
            render: (_, line) => <span className="refund-formula">{plainFormula(text(line.formula))}</span>,
          },
          {
            key: 'before',
            title: text(['退前现金', 'Cash before']),
            align: 'right',
            className: 'k-number',
            render: (_, line) => <MoneyText value={line.before} />,
          },
          {
            key: 'cash',
            title: text(['退现金', 'Cash']),
            align: 'right',
            className: 'k-number',
            render: (_, line) => <MoneyText value={line.cash} strong />,
          },
          {
            key: 'after',
            title: text(['退后现金', 'Cash after']),
            align: 'right',
            className: 'k-number',
            render: (_, line) => <MoneyText value={line.after} />,
          },
        ]}
      />
      {parts.suggested.length > 0 && (
        <p className="k-quiet k-small">{text(['金额不足一分的部分舍去', 'Fractions of a fen are cut'])}</p>
      )}
      {parts.notices.map((notice, index) => (
        <p key={index} className="k-problem">
          {text(notice)}
        </p>
      ))}
    </>
  );
}

/** Number, attempts and every answer of the channel. */
export function ChannelPart({ row }: PartProps) {
  const text = useText();
  const { channel, events } = row.parts as RefundParts;
  const stateText = (state: string | null) =>
    state ? text(refund.states![state]?.label ?? [state, state]) : '–';
  return (
    <>
      <Facts
        facts={[
          [['渠道退款号', 'Channel refund no.'], channel.number],
          [['发送次数', 'Attempts'], String(channel.attempts)],
          [['最近发送', 'Last sent'], instantFull(channel.sentAt)],
          [['渠道应答', 'Answer'], [channel.code, channel.message].filter(Boolean).join(' ') || '–'],
        ]}
      />
      <ol className="k-timeline">
        {[...events].reverse().map((event, index) => (
          <li key={index}>
            <div className="k-timeline-head">
              <strong>
                {event.from === null || event.from === event.to
                  ? stateText(event.to)
                  : `${stateText(event.from)} → ${stateText(event.to)}`}
              </strong>
            </div>
            <div className="k-quiet k-small">
              {text(actorLabel(event.who))} · <time>{instantFull(event.at)}</time>
            </div>
            {[event.remark, event.answer].filter(Boolean).map((line) => (
              <div key={line}>{line}</div>
            ))}
          </li>
        ))}
      </ol>
    </>
  );
}

const CHANNELS: readonly Label[] = [
  ['零元订单', 'Nothing to pay'],
  ['支付宝', 'Alipay'],
  ['微信', 'WeChat'],
];
const STEPS: Readonly<Record<number, Label>> = {
  20: ['商户券', 'Merchant coupon'],
  30: ['平台券', 'Platform coupon'],
  40: ['积分', 'Points'],
  45: ['代币', 'Coins'],
  60: ['改价', 'Price reduction'],
};
function Facts({ facts }: { readonly facts: readonly (readonly [Label, ReactNode])[] }) {
  const text = useText();
  return (
    <dl className="k-facts refund-facts">
      {facts.map(([label, value]) => (
        <div key={label[1]} className="k-fact">
          <dt>{text(label)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function number(title: string, render: (line: LinePart) => ReactNode): TableColumnType<LinePart> {
  return { key: title, title, align: 'right', className: 'k-number', render: (_, line) => render(line) };
}

function ProductCell({ line }: { readonly line: LinePart }) {
  return (
    <>
      {line.product} <span className="k-quiet">{line.spec}</span>
      {line.recheck && <Recheck />}
    </>
  );
}

function Recheck() {
  const text = useText();
  return (
    <Tag color="orange" className="refund-recheck">
      {text(['门槛重算', 'Re-check'])}
    </Tag>
  );
}

function Shares({ line }: { readonly line: LinePart }) {
  const text = useText();
  if (line.shares.length === 0) return <span className="k-nothing">–</span>;
  return (
    <>
      {line.shares.map((share) => (
        <div key={share.step}>
          <span className="k-quiet">{text(STEPS[share.step] ?? ['其他', 'Other'])}</span>{' '}
          <MoneyText value={share.amount} />
          {share.current !== '0.00' && (
            <>
              {' '}
              → −<MoneyText value={share.current} />
            </>
          )}
          {share.currentUnits > 0 && (
            <span className="k-quiet">{text([`（${share.currentUnits}）`, ` (${share.currentUnits})`])}</span>
          )}
        </div>
      ))}
    </>
  );
}

function Coupon({ coupon }: { readonly coupon: CouponEffect }) {
  const text = useText();
  const rule: Label =
    coupon.rule === 'recheck' ? ['重算门槛', 'Threshold checked again'] : ['按分摊', 'By share'];
  return (
    <p>
      <strong>{coupon.name}</strong>{' '}
      <span className="k-quiet">
        {text(STEPS[coupon.step]!)} · {text(rule)} · {text(['门槛', 'Threshold'])}{' '}
        <MoneyText value={coupon.threshold} />
      </span>
      <br />
      {text(['本次失效', 'Lapses now'])} <MoneyText value={coupon.lapses} />
      {text(['，', '; '])}
      {text(OUTCOMES[coupon.outcome])}
    </p>
  );
}
