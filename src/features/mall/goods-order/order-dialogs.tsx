import { useEffect, useEffectEvent, useId, useState } from 'react';
import { Button, Input, Radio, Select, Skeleton, Space } from 'antd';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { CopyButton } from '../../../kernel/client/parts/copy-button.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { reprice } from '../../../domain/trade-money/quote.rules.ts';
import { goodsOrder } from './goods-order.contract.ts';
import { useOrder, useOrderSubmit } from './order-calls.ts';
import { Field, Refused } from './order-pieces.tsx';
import { TimeLeft } from '../../../kernel/client/parts/time-left.tsx';
import { PAY_CHANNELS } from './order-words.rules.ts';
import './goods-order.css';

const actions = goodsOrder.actions!;

/** 改价: a reduction of the whole order; the engine itself shows what becomes of lines, order and payment. */
export function PriceDialog({ row, close, done }: ActionScreenProps) {
  const text = useText();
  const id = useId();
  const submit = useOrderSubmit();
  const { data: order } = useOrder(row!.id);
  const [off, setOff] = useState('');
  const [reason, setReason] = useState('');
  const fen = fenFromYuan(off);
  const answer =
    order?.pricing && fen !== undefined && fen >= 0 ? reprice(order.pricing, { manualOff: fen }) : undefined;
  const problem =
    submit.error?.fields.off ??
    (off !== '' && fen === undefined
      ? text(['请输入金额，最多两位小数', 'Please enter an amount with at most two decimals'])
      : undefined) ??
    (answer && !answer.ok ? text(answer.message) : undefined);
  const next = answer?.ok ? answer.order : undefined;
  const send = () =>
    next &&
    submit.send(`/${row!.id}/price`, { version: order?.version, off, ...(reason ? { reason } : {}) }, () =>
      done([row!.id]),
    );
  return (
    <AppModal
      open
      title={`${text(actions.price!.label)} · ${String(row!.code)}`}
      okText={text(actions.price!.label)}
      okButtonProps={{ disabled: !next || submit.locked }}
      confirmLoading={submit.busy}
      onOk={send}
      onCancel={close}
    >
      {!order ? (
        <Skeleton active />
      ) : (
        <>
          <Field
            id={`${id}off`}
            label={actions.price!.input!.off!.label}
            required
            problem={problem}
            help={actions.price!.input!.off!.help}
          >
            <Input
              id={`${id}off`}
              autoFocus
              inputMode="decimal"
              value={off}
              suffix={text(['元', 'yuan'])}
              onChange={(event) => setOff(event.target.value)}
              onPressEnter={send}
            />
          </Field>
          <Field id={`${id}reason`} label={actions.price!.input!.reason!.label}>
            <Input
              id={`${id}reason`}
              maxLength={100}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          </Field>
          <dl className="go-sum" aria-live="polite">
            {order.lines.map((line) => {
              const changed = next?.lines.find((one) => one.lineNo === line.lineNo);
              return (
                <div key={line.id}>
                  <dt>{line.productName}</dt>
                  <dd className="k-number">
                    {moneyText(line.cash)} →{' '}
                    <b>{moneyText(changed ? yuanFromFen(changed.cash) : line.cash)}</b>
                  </dd>
                </div>
              );
            })}
            <div>
              <dt>{text(['应付（含运费）', 'To pay, freight included'])}</dt>
              <dd className="k-number">
                {moneyText(order.money.payable)} →{' '}
                <b>{moneyText(next ? yuanFromFen(next.payable) : order.money.payable)}</b>
              </dd>
            </div>
          </dl>
          <p className="k-quiet k-small">
            {text([
              '积分和优惠券不变；之前发出的支付链接立即失效。',
              'Points and coupons stay; pay links given out before are void at once.',
            ])}
          </p>
          <Refused error={submit.error} fields={['off']} />
        </>
      )}
    </AppModal>
  );
}

interface PayLink {
  readonly checkoutCode: string;
  readonly amount: string;
  /** Only the caller's part of a checkout with other merchants. */
  readonly partial: boolean;
  readonly mark: string;
  readonly channel: 1 | 2;
  readonly deadline: string;
  readonly payLink: string;
}

/** 发起支付: asks the channel, gives the link; with the sandbox the buyer's side stands below, bad days included. */
export function PayDialog({ row, close, done }: ActionScreenProps) {
  const text = useText();
  const ask = useOrderSubmit();
  const pay = useOrderSubmit();
  const [channel, setChannel] = useState<'1' | '2'>('2');
  const [link, setLink] = useState<PayLink>();
  const [waiting, setWaiting] = useState(false);
  // The result arrives as a callback, so the order is asked until it has moved on.
  const { data: order } = useOrder(row!.id, waiting ? 1_000 : false);
  const moved = waiting && order !== undefined && order.state !== 'pending_payment';
  const leave = useEffectEvent(() => done([row!.id]));
  useEffect(() => {
    if (moved) leave();
  }, [moved]);
  const request = () =>
    ask.send(`/${row!.id}/pay`, { channel }, (answer) => {
      setLink(answer.result as PayLink);
      setWaiting(true);
    });
  const simulate = (mode: string) =>
    pay.send(`/${row!.id}/sandboxPay`, { mark: link?.mark ?? '', channel, simulate: mode }, () =>
      setWaiting(true),
    );
  const modes: readonly (readonly [string, readonly [string, string]])[] = [
    ['wrong_amount', ['金额少1分', 'One fen short']],
    ['duplicate', ['重复通知5次', 'Five callbacks']],
    ['delay', ['延迟30秒', 'After 30 s']],
    ['lost', ['通知丢失', 'No callback']],
    ['fail', ['支付失败', 'Refused']],
  ];
  return (
    <AppModal
      open
      title={`${text(actions.pay!.label)} · ${String(row!.code)}`}
      okText={text(link ? ['重新询问渠道', 'Ask the channel again'] : actions.pay!.label)}
      okButtonProps={{ disabled: ask.locked }}
      confirmLoading={ask.busy}
      onOk={request}
      onCancel={close}
    >
      <Radio.Group
        value={channel}
        disabled={link !== undefined}
        onChange={(event) => setChannel(event.target.value as '1' | '2')}
        options={(['2', '1'] as const).map((value) => ({ value, label: text(PAY_CHANNELS[value].label) }))}
      />
      {!link && order && (
        <dl className="go-sum">
          <div>
            <dt>{text(['支付金额', 'Amount'])}</dt>
            <dd>
              <MoneyText value={order.payment.amount} strong />
            </dd>
          </div>
          <div>
            <dt>{text(['支付剩余', 'Time to pay'])}</dt>
            <dd>
              <TimeLeft until={row!.deadline as string | null} />
            </dd>
          </div>
        </dl>
      )}
      {link && (
        <div className="go-pay">
          <dl className="go-sum">
            <div>
              <dt>{text(['支付金额', 'Amount'])}</dt>
              <dd>
                <MoneyText value={link.amount} strong />
              </dd>
            </div>
            <div>
              <dt>{text(['支付剩余', 'Time to pay'])}</dt>
              <dd>
                <TimeLeft until={link.deadline} />
              </dd>
            </div>
          </dl>
          {link.partial && (
            <p className="k-quiet k-small">
              {text([
                '买家与其他商户的订单合并支付，此处为本商户部分。',
                'The buyer pays this together with orders of other merchants; this is your part.',
              ])}
            </p>
          )}
          <p className="go-link">
            <code>{link.payLink}</code>
            <CopyButton value={link.payLink} />
          </p>
          <p className="k-quiet k-small">
            {text(['沙箱渠道：以买家身份完成支付。', 'Sandbox channel: pay as the buyer would.'])}
          </p>
          <Space wrap>
            <Button type="primary" loading={pay.busy} onClick={() => simulate('ok')}>
              {text(['模拟支付成功', 'Pay'])}
            </Button>
            {modes.map(([mode, label]) => (
              <Button key={mode} disabled={pay.busy} onClick={() => simulate(mode)}>
                {text(label)}
              </Button>
            ))}
          </Space>
          <p className="k-quiet k-small" aria-live="polite">
            {waiting && !moved && text(['等待渠道通知…', 'Waiting for the channel…'])}
          </p>
        </div>
      )}
      <Refused error={pay.error ?? ask.error} fields={[]} />
    </AppModal>
  );
}

/** 改物流: another company and number for one parcel, with a reason; the old one stays on the timeline. */
export function LogisticsDialog({ row, close, done }: ActionScreenProps) {
  const text = useText();
  const id = useId();
  const submit = useOrderSubmit();
  const { data: order } = useOrder(row!.id);
  const input = actions.logistics!.input!;
  const [shipment, setShipment] = useState<string>();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const chosen = order?.shipments.find((parcel) => parcel.id === (shipment ?? order.shipments[0]?.id));
  const names =
    chosen?.way === 'own' ? ['courier', 'courierPhone', 'reason'] : ['company', 'trackingNo', 'reason'];
  // Who changes one of both seldom changes the other.
  const valueOf = (name: string) =>
    values[name] ??
    (name === 'company' ? chosen?.company : name === 'courier' ? chosen?.courier : undefined) ??
    '';
  const send = () =>
    chosen &&
    submit.send(
      `/${row!.id}/logistics`,
      {
        version: order?.version,
        shipment: chosen.id,
        ...Object.fromEntries(names.map((name) => [name, valueOf(name).trim()])),
      },
      () => done([row!.id]),
    );
  return (
    <AppModal
      open
      title={`${text(actions.logistics!.label)} · ${String(row!.code)}`}
      okText={text(actions.logistics!.label)}
      okButtonProps={{ disabled: !chosen || submit.locked }}
      confirmLoading={submit.busy}
      onOk={send}
      onCancel={close}
    >
      {!order ? (
        <Skeleton active />
      ) : (
        <>
          <Field id={`${id}p`} label={input.shipment!.label} required problem={submit.error?.fields.shipment}>
            <Select
              id={`${id}p`}
              className="k-fill"
              value={chosen?.id ?? null}
              onChange={(value) => {
                setShipment(value as string);
                setValues({});
              }}
              options={order.shipments.map((parcel) => ({
                value: parcel.id,
                label: parcel.way === 'own' ? parcel.courier : `${parcel.company} ${parcel.trackingNo}`,
              }))}
            />
          </Field>
          {names.map((name) => (
            <Field
              key={name}
              id={`${id}${name}`}
              label={input[name]!.label}
              required
              problem={submit.error?.fields[name]}
            >
              <Input
                id={`${id}${name}`}
                maxLength={input[name]!.max ?? 100}
                value={valueOf(name)}
                onChange={(event) => setValues({ ...values, [name]: event.target.value })}
              />
            </Field>
          ))}
          <Refused error={submit.error} fields={['shipment', ...names]} />
        </>
      )}
    </AppModal>
  );
}
