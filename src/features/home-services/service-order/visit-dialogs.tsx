import { useEffect, useEffectEvent, useId, useState } from 'react';
import { Alert, Button, Input, Radio, Select, Skeleton, Space } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { CopyButton } from '../../../kernel/client/parts/copy-button.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { PAY_CHANNELS } from '../../mall/goods-order/order-words.rules.ts';
import { serviceOrder } from './service-order.contract.ts';
import { dayAndTime, refusalText, useVisitSubmit } from './visit-calls.ts';
import './visits.css';

const actions = serviceOrder.actions!;

interface DialogProps extends ActionScreenProps {
  /** Where the rows live: orders or appointments. */
  readonly root: string;
}

interface Person {
  readonly id: string;
  readonly name: string;
  readonly phone: string;
  readonly load: number;
  readonly current: boolean;
  readonly refusal: string | null;
}

interface Times {
  readonly service: string;
  readonly minutes: number;
  readonly current: string | null;
  readonly canOverbook: boolean;
  readonly times: readonly { readonly at: string; readonly left: number }[];
}

/** A labelled input of a dialog. */
export function VisitField({
  id,
  label,
  required = false,
  children,
}: {
  readonly id: string;
  readonly label: Label;
  readonly required?: boolean;
  readonly children: React.ReactNode;
}) {
  const text = useText();
  return (
    <div className="hs-field">
      <label htmlFor={id}>
        {required && <b aria-hidden="true">*</b>}
        {text(label)}
      </label>
      {children}
    </div>
  );
}

/** 派单 and 改派: people with their load of the day; who cannot come stands below with the reason. */
export function AssignDialog({ root, row, close, done, again }: DialogProps & { readonly again: boolean }) {
  const text = useText();
  const id = useId();
  const submit = useVisitSubmit(root);
  const [person, setPerson] = useState<string>();
  const [reason, setReason] = useState('');
  const { data: people } = useQuery({
    queryKey: ['visit', root, row!.id, 'candidates'],
    staleTime: 0,
    queryFn: ({ signal }) => call<readonly Person[]>('GET', `${root}/${row!.id}/candidates`, { signal }),
  });
  const chosen = person ?? people?.find((one) => !one.refusal && !one.current)?.id;
  const action = again ? 'reassign' : 'assign';
  return (
    <AppModal
      open
      title={`${text(actions[action].label)} · ${String(row!.code)}`}
      okText={text(actions[action].label)}
      okButtonProps={{ disabled: !chosen || submit.locked || (again && reason.trim().length < 2) }}
      confirmLoading={submit.busy}
      onOk={() =>
        submit.send(
          `/${row!.id}/${action}`,
          { version: row!.version, person: chosen, ...(again ? { reason: reason.trim() } : {}) },
          () => done([row!.id]),
        )
      }
      onCancel={close}
    >
      {!people ? (
        <Skeleton active />
      ) : people.length === 0 ? (
        <p className="k-quiet">{text(['该商户还没有服务人员', 'The merchant has no people yet'])}</p>
      ) : (
        <Radio.Group
          className="hs-people"
          value={chosen}
          onChange={(event) => setPerson(event.target.value as string)}
        >
          {people.map((one) => (
            <Radio key={one.id} value={one.id} disabled={one.refusal !== null || one.current}>
              <span>{one.name}</span> <span className="k-quiet k-number">{one.phone}</span>{' '}
              <span className="k-quiet k-small">
                {one.current
                  ? text(['当前人员', 'Has it now'])
                  : (one.refusal ?? text([`当日${one.load}单`, `${one.load} that day`]))}
              </span>
            </Radio>
          ))}
        </Radio.Group>
      )}
      {again && (
        <VisitField id={`${id}r`} label={['改派原因', 'Reason']} required>
          <Input
            id={`${id}r`}
            maxLength={100}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </VisitField>
      )}
      {submit.error && <Alert type="error" showIcon title={refusalText(submit.error)} />}
    </AppModal>
  );
}

/** Day and time among the offered ones; full times can be chosen by who may overbook. */
export function TimePicker({
  times,
  value,
  onChange,
  canOverbook,
}: {
  readonly times: Times['times'];
  readonly value: string | undefined;
  readonly onChange: (at: string) => void;
  readonly canOverbook: boolean;
}) {
  const text = useText();
  const days = [...new Set(times.map((one) => dayAndTime(one.at).day))];
  const [day, setDay] = useState<string>();
  const shown = day ?? (value ? dayAndTime(value).day : days[0]);
  return (
    <div className="hs-times">
      <Select
        aria-label={text(['日期', 'Day'])}
        value={shown ?? null}
        onChange={(next) => setDay(next as string)}
        options={days.map((one) => ({ value: one, label: one }))}
        notFoundContent={text(['没有可约的时间', 'No times are offered'])}
      />
      <div role="radiogroup" aria-label={text(['时间', 'Time'])} className="hs-slots">
        {times
          .filter((one) => dayAndTime(one.at).day === shown)
          .map((one) => (
            <button
              key={one.at}
              type="button"
              role="radio"
              aria-checked={one.at === value}
              disabled={one.left === 0 && !canOverbook}
              className={one.left === 0 ? 'hs-slot hs-full' : 'hs-slot'}
              onClick={() => onChange(one.at)}
            >
              {dayAndTime(one.at).time}
              <small>
                {one.left === 0 ? text(['约满', 'Full']) : text([`余${one.left}`, `${one.left} left`])}
              </small>
            </button>
          ))}
      </div>
    </div>
  );
}

/** 改约: another time, and another person with it if wanted. */
export function RescheduleDialog({ root, row, close, done }: DialogProps) {
  const text = useText();
  const id = useId();
  const submit = useVisitSubmit(root);
  const [at, setAt] = useState<string>();
  const [person, setPerson] = useState<string>();
  const [reason, setReason] = useState('');
  const [over, setOver] = useState('');
  const { data } = useQuery({
    queryKey: ['visit', root, row!.id, 'times'],
    staleTime: 0,
    queryFn: ({ signal }) => call<Times>('GET', `${root}/${row!.id}/times`, { signal }),
  });
  const { data: people } = useQuery({
    queryKey: ['visit', root, row!.id, 'candidates', at],
    enabled: at !== undefined,
    queryFn: ({ signal }) =>
      call<readonly Person[]>('GET', `${root}/${row!.id}/candidates`, { query: { startsAt: at! }, signal }),
  });
  const isFull = data?.times.find((one) => one.at === at)?.left === 0;
  const ready = at !== undefined && reason.trim().length >= 2 && (!isFull || over.trim().length >= 2);
  return (
    <AppModal
      open
      width={640}
      title={`${text(actions.reschedule.label)} · ${String(row!.code)}`}
      okText={text(actions.reschedule.label)}
      okButtonProps={{ disabled: !ready || submit.locked }}
      confirmLoading={submit.busy}
      onOk={() =>
        submit.send(
          `/${row!.id}/reschedule`,
          {
            version: row!.version,
            startsAt: at,
            reason: reason.trim(),
            ...(person ? { person } : {}),
            ...(isFull ? { overbookReason: over.trim() } : {}),
          },
          () => done([row!.id]),
        )
      }
      onCancel={close}
    >
      {!data ? (
        <Skeleton active />
      ) : (
        <>
          <p className="k-quiet">
            {data.service} · {text([`${data.minutes}分钟`, `${data.minutes} min`])}
            {data.current &&
              ` · ${text(['现为', 'Now'])} ${dayAndTime(data.current).day} ${dayAndTime(data.current).time}`}
          </p>
          <TimePicker times={data.times} value={at} onChange={setAt} canOverbook={data.canOverbook} />
          {at && (
            <VisitField id={`${id}p`} label={['服务人员', 'Person']}>
              <Select
                id={`${id}p`}
                className="k-fill"
                allowClear
                placeholder={text(['不变', 'As it is'])}
                value={person ?? null}
                onChange={(next: string | null) => setPerson(next ?? undefined)}
                options={(people ?? []).map((one) => ({
                  value: one.id,
                  disabled: one.refusal !== null,
                  label: `${one.name} · ${one.refusal ?? text([`当日${one.load}单`, `${one.load} that day`])}`,
                }))}
              />
            </VisitField>
          )}
          {isFull && (
            <VisitField id={`${id}o`} label={['超额原因', 'Why overbooked']} required>
              <Input
                id={`${id}o`}
                maxLength={100}
                value={over}
                onChange={(event) => setOver(event.target.value)}
              />
            </VisitField>
          )}
          <VisitField id={`${id}r`} label={['改约原因', 'Reason']} required>
            <Input
              id={`${id}r`}
              maxLength={100}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          </VisitField>
        </>
      )}
      {submit.error && <Alert type="error" showIcon title={refusalText(submit.error)} />}
    </AppModal>
  );
}

/** 取消 with what it costs and gives back, reckoned by the server for each side that may cancel. */
export function CancelDialog({ root, row, close, done }: DialogProps) {
  const text = useText();
  const id = useId();
  const submit = useVisitSubmit(root);
  const [by, setBy] = useState<'member' | 'merchant'>('member');
  const [reason, setReason] = useState('');
  const { data, error } = useQuery({
    queryKey: ['visit', root, row!.id, 'cancel', by],
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<{ percent: number; fee: string; refund: string; points: number; orderStatus: number }>(
        'GET',
        `${root}/${row!.id}/cancelPreview`,
        { query: { by }, signal, quiet: true },
      ),
  });
  return (
    <AppModal
      open
      title={`${text(actions.cancel.label)} · ${String(row!.code)}`}
      okText={text(['确认取消服务', 'Cancel the visit'])}
      cancelText={text(['返回', 'Back'])}
      okButtonProps={{ danger: true, disabled: !data || reason.trim().length < 2 || submit.locked }}
      confirmLoading={submit.busy}
      onOk={() =>
        submit.send(`/${row!.id}/cancel`, { version: row!.version, by, reason: reason.trim() }, () =>
          done([row!.id]),
        )
      }
      onCancel={close}
    >
      <Radio.Group
        value={by}
        onChange={(event) => setBy(event.target.value as 'member' | 'merchant')}
        options={[
          { value: 'member', label: text(['客户取消', 'By the customer']) },
          { value: 'merchant', label: text(['商户取消（不收违约金）', 'By the merchant (no fee)']) },
        ]}
      />
      {data && (
        <dl className="hs-sum" aria-live="polite">
          <div>
            <dt>{text([`违约金 ${data.percent}%`, `Fee ${data.percent} %`])}</dt>
            <dd>
              <MoneyText value={data.fee} />
            </dd>
          </div>
          <div>
            <dt>{text(['退款', 'Refund'])}</dt>
            <dd>
              <MoneyText value={data.refund} strong />
              {data.points > 0 && text([`，积分 ${data.points}`, `, ${data.points} points`])}
            </dd>
          </div>
          <div>
            <dt>{text(['订单变为', 'The order becomes'])}</dt>
            <dd>{text(data.orderStatus === 45 ? ['已关闭', 'Closed'] : ['已完成', 'Completed'])}</dd>
          </div>
        </dl>
      )}
      {error && <Alert type="warning" showIcon title={error.message} />}
      <VisitField id={`${id}r`} label={['取消原因', 'Reason']} required>
        <Input
          id={`${id}r`}
          maxLength={100}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </VisitField>
      {submit.error && <Alert type="error" showIcon title={refusalText(submit.error)} />}
    </AppModal>
  );
}

/** 发起支付: asks the channel and gives the link; with the sandbox the buyer's side stands below. */
export function PayDialog({ root, row, close, done }: DialogProps) {
  const text = useText();
  const ask = useVisitSubmit(root);
  const pay = useVisitSubmit(root);
  const [channel, setChannel] = useState<'1' | '2'>('2');
  const [link, setLink] = useState<{
    readonly amount: string;
    readonly mark: string;
    readonly payLink: string;
  }>();
  const { data: order } = useQuery({
    queryKey: ['visit', root, row!.id, 'paid'],
    enabled: link !== undefined,
    refetchInterval: 1_000,
    queryFn: ({ signal }) => call<{ state: string }>('GET', `${root}/${row!.id}`, { signal, quiet: true }),
  });
  const moved = order !== undefined && order.state !== 'pending_payment';
  const leave = useEffectEvent(() => done([row!.id]));
  useEffect(() => {
    if (moved) leave();
  }, [moved]);
  const error = pay.error ?? ask.error;
  return (
    <AppModal
      open
      title={`${text(actions.pay.label)} · ${String(row!.code)}`}
      okText={text(link ? ['重新询问渠道', 'Ask the channel again'] : actions.pay.label)}
      okButtonProps={{ disabled: ask.locked }}
      confirmLoading={ask.busy}
      onOk={() => ask.send(`/${row!.id}/pay`, { channel }, (answer) => setLink(answer.result as never))}
      onCancel={close}
    >
      <Radio.Group
        value={channel}
        disabled={link !== undefined}
        onChange={(event) => setChannel(event.target.value as '1' | '2')}
        options={(['2', '1'] as const).map((value) => ({ value, label: text(PAY_CHANNELS[value].label) }))}
      />
      <dl className="hs-sum">
        <div>
          <dt>{text(['支付金额', 'Amount'])}</dt>
          <dd>
            <MoneyText value={link?.amount ?? (row!.payable as string)} strong />
          </dd>
        </div>
      </dl>
      {link && (
        <>
          <p className="hs-link">
            <code>{link.payLink}</code>
            <CopyButton value={link.payLink} />
          </p>
          <p className="k-quiet k-small">
            {text(['沙箱渠道：以买家身份完成支付。', 'Sandbox channel: pay as the buyer would.'])}
          </p>
          <Space>
            <Button
              type="primary"
              loading={pay.busy}
              onClick={() =>
                pay.send(
                  `/${row!.id}/sandboxPay`,
                  { mark: link.mark, channel, simulate: 'ok' },
                  () => undefined,
                )
              }
            >
              {text(['模拟支付成功', 'Pay'])}
            </Button>
          </Space>
        </>
      )}
      {error && <Alert type="error" showIcon title={refusalText(error)} />}
    </AppModal>
  );
}
