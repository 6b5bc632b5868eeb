import { useEffect, useEffectEvent } from 'react';
import { Button, Tag } from 'antd';
import { LeftOutlined } from '@ant-design/icons';
import { useAction } from '../../../kernel/client/action/use-action.tsx';
import { DetailActions, DetailBody, DetailTitle } from '../../../kernel/client/detail/detail-body.tsx';
import { instantFull, NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { CopyButton } from '../../../kernel/client/parts/copy-button.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { MaskedText } from '../../../kernel/client/parts/masked-text.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { words } from '../../../kernel/client/texts.ts';
import { useView } from '../../../kernel/client/view.ts';
import { storedReason } from '../../../domain/checkout/order-events.rules.ts';
import { goodsOrder } from './goods-order.contract.ts';
import { useOrder, useOrderContract, type OrderRow } from './order-calls.ts';
import { ExplainPanel, LinesTable, MoneyBlock, Parcels, StateBar } from './order-detail-parts.tsx';
import { Cases, Operations, PaymentBlock, Refunds } from './order-detail-side.tsx';
import { Block, Fact } from './order-pieces.tsx';
import { INVOICE_TYPES, ORDER_SOURCES, ORDER_TYPES, REFUND_STATUS_SPECS } from './order-words.rules.ts';
import { TimeLeft } from '../../../kernel/client/parts/time-left.tsx';

const fields = goodsOrder.fields;

/** One order as a page: state with times, receiver, goods, parcels, money, payment, refunds, explanation, timeline. */
export function OrderDetailPage({ id, slots }: { readonly id: string; readonly slots: ScreenSlots }) {
  const text = useText();
  const { contract } = useOrderContract();
  const view = useView();
  const { data: row, isPending, isError, error, refetch } = useOrder(id);
  const action = useAction(contract, { slots });
  const list = view.pathOf(contract.menu);
  const nameTab = useEffectEvent((suffix: string) => view.setTitle(suffix));
  const code = row?.code as string | undefined;
  useEffect(() => {
    if (code) nameTab(code);
  }, [code]);
  return (
    <div className="k-screen">
      <header className="k-title">
        {list && (
          <Button
            type="text"
            icon={<LeftOutlined />}
            aria-label={text(words.back)}
            title={text(contract.title)}
            onClick={() => view.open(list)}
          />
        )}
        <h1>{row ? <DetailTitle resource={contract} row={row} /> : text(contract.title)}</h1>
        {row && row.refundStatus !== 'none' && (
          <StatusTag choice={REFUND_STATUS_SPECS[row.refundStatus as keyof typeof REFUND_STATUS_SPECS]} />
        )}
        <div className="k-title-actions">
          {row && <DetailActions resource={contract} row={row} action={action} />}
        </div>
      </header>
      {isPending ? (
        <DetailBody resource={contract} row={undefined} slots={slots} wide={window.innerWidth >= 1280} />
      ) : isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <OrderBody row={row} />
      )}
      {action.element}
    </div>
  );
}

function OrderBody({ row }: { readonly row: OrderRow }) {
  return (
    <div className="go-page">
      <div className="go-main">
        <StateBar row={row} />
        <Receiver row={row} />
        <LinesTable row={row} />
        <MoneyBlock row={row} />
        <ExplainPanel steps={row.steps} lines={row.lines} />
        <Parcels row={row} />
        <Refunds row={row} />
        <Cases row={row} />
      </div>
      <aside className="go-side">
        <PaymentBlock row={row} />
        <Operations row={row} />
      </aside>
    </div>
  );
}

function Receiver({ row }: { readonly row: OrderRow }) {
  const text = useText();
  const held = useHeld(useOrderContract().contract);
  const masked = (name: 'contactName' | 'contactPhone' | 'invoicePerson') => (
    <MaskedText
      value={row[name] as string}
      name={name}
      encryptionField={row.encryptionField}
      canReveal={held('btn_reveal')}
    />
  );
  const { invoice } = row;
  return (
    <Block title={['收货与订单', 'Receiver and order']}>
      <dl className="k-facts">
        <Fact label={['收货人', 'Receiver']}>{masked('contactName')}</Fact>
        <Fact label={['电话', 'Phone']}>{masked('contactPhone')}</Fact>
        <Fact label={fields.address.label} wide>
          {row.address as string}
          <CopyButton value={row.address as string} />
        </Fact>
        <Fact label={fields.merchant.label}>{titleOf(row.merchant)}</Fact>
        <Fact label={fields.project.label}>{titleOf(row.project)}</Fact>
        <Fact label={fields.type.label}>{text(ORDER_TYPES[row.type as keyof typeof ORDER_TYPES].label)}</Fact>
        <Fact label={fields.source.label}>
          {text(ORDER_SOURCES[row.source as keyof typeof ORDER_SOURCES].label)}
          {row.onBehalf && ` · ${text(['代客下单', 'On behalf'])}`}
        </Fact>
        <Fact label={['发票', 'Invoice']}>
          {text(INVOICE_TYPES[String(invoice.type) as keyof typeof INVOICE_TYPES].label)}
          {invoice.type === 1 && <> · {masked('invoicePerson')}</>}
          {invoice.type === 2 && ` · ${[invoice.name, invoice.dutyCode].filter(Boolean).join(' · ')}`}
          {invoice.toReverse && (
            <Tag color="orange" className="go-tag">
              {text(['需红冲', 'To be reversed'])}
            </Tag>
          )}
        </Fact>
        {row.deadline !== null && (
          <Fact
            label={
              row.state === 'pending_payment'
                ? ['支付剩余', 'Time to pay']
                : ['自动签收', 'Received automatically in']
            }
          >
            <TimeLeft until={row.deadline as string} />{' '}
            <span className="k-quiet k-small">{instantFull(row.deadline as string)}</span>
          </Fact>
        )}
        {row.closeReason !== '' && (
          <Fact label={['关闭原因', 'Closed because']}>{text(storedReason(String(row.closeReason)))}</Fact>
        )}
        <Fact label={['买家备注', 'Remark of the buyer']} wide>
          {(row.remark as string) || NOTHING}
        </Fact>
        <Fact label={fields.staffRemark.label} wide>
          {(row.staffRemark as string) || NOTHING}
        </Fact>
      </dl>
    </Block>
  );
}

function titleOf(value: unknown): string {
  return (value as { title: string } | null)?.title ?? NOTHING;
}
