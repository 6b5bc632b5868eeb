import { useId, useState } from 'react';
import { Alert, Button, Input, InputNumber, Radio, Select } from 'antd';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ApiError, call } from '../../../kernel/client/api-client.ts';
import { UploadInput } from '../../../kernel/client/form/upload-input.tsx';
import { moneyText, NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { words } from '../../../kernel/client/texts.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import { fenFromYuan } from '../../../kernel/contract/money.rules.ts';
import { plainFormula } from '../../../domain/trade-money/plain-formula.rules.ts';
import {
  CASE_REASONS,
  CASE_TYPES,
  type CaseReason,
  type CaseType,
} from '../../../domain/after-sale/case.rules.ts';
import { afterSale } from './case.contract.ts';
import { CASE_ROOT, useCaseSubmit, useStill } from './case-calls.ts';
import { Field, Goods, Refused } from './case-pieces.tsx';
import type { LookedUpOrder } from './case-parts.ts';

interface Tried {
  readonly ok: boolean;
  readonly message?: string;
  readonly cash?: string;
  readonly points?: number;
  readonly freight?: string;
  readonly notices?: readonly string[];
  readonly rows?: readonly { readonly qty: number; readonly formula: string }[];
}

type AskedLine =
  | { readonly lineId: string; readonly qty: number; readonly newSpecId?: string }
  | { readonly lineId: string; readonly amount: string };

/** 代客申请: the order by its number, what is wanted back of it, why, with evidence. */
export function ApplyDrawer({ close, done }: ActionScreenProps) {
  const text = useText();
  const id = useId();
  const submit = useCaseSubmit();
  const [typed, setTyped] = useState('');
  const [orderCode, setOrderCode] = useState('');
  const [type, setType] = useState<CaseType>('refund_only');
  const [qty, setQty] = useState<Readonly<Record<string, number>>>({});
  const [only, setOnly] = useState<Readonly<Record<string, string>>>({});
  const [specs, setSpecs] = useState<Readonly<Record<string, string>>>({});
  const [amount, setAmount] = useState('');
  const [reasonCode, setReasonCode] = useState<CaseReason>();
  const [reason, setReason] = useState('');
  const [evidence, setEvidence] = useState<readonly FileValue[]>([]);
  const [video, setVideo] = useState<readonly FileValue[]>([]);
  const {
    data: order,
    error: notFound,
    isFetching: isLooking,
  } = useQuery({
    queryKey: ['afterSale', 'lookUp', orderCode],
    enabled: orderCode.length >= 6,
    staleTime: 0,
    retry: false,
    queryFn: ({ signal }) =>
      call<LookedUpOrder>('GET', `${CASE_ROOT}/lookUp?orderCode=${encodeURIComponent(orderCode)}`, {
        signal,
        quiet: true,
      }),
  });
  const lines = (order?.lines ?? []).flatMap((line): AskedLine[] => {
    const pieces = qty[line.id] ?? 0;
    if (pieces > 0)
      return [
        {
          lineId: line.id,
          qty: pieces,
          ...(type === 'exchange' && specs[line.id] ? { newSpecId: specs[line.id] } : {}),
        },
      ];
    const cash = type === 'refund_only' ? (only[line.id] ?? '') : '';
    return cash !== '' && (fenFromYuan(cash) ?? 0) > 0 ? [{ lineId: line.id, amount: cash }] : [];
  });
  const asked = useStill({ orderCode, type, lines });
  const { data: tried } = useQuery({
    queryKey: ['afterSale', 'suggest', asked],
    enabled: asked.lines.length > 0 && asked.type !== 'exchange',
    placeholderData: keepPreviousData,
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<Tried>('POST', `${CASE_ROOT}/suggest`, { body: asked, signal, quiet: true }),
  });
  const good = type !== 'exchange' && lines.length > 0 && tried?.ok ? tried : undefined;
  const most = good?.cash;
  const fen = fenFromYuan(amount);
  const problem =
    amount === ''
      ? undefined
      : fen === undefined || fen < 0
        ? text(['请输入金额，最多两位小数', 'Please enter an amount with at most two decimals'])
        : most !== undefined && fen > fenFromYuan(most)!
          ? text([`最多可退${moneyText(most)}元`, `At most ${moneyText(most)}`])
          : undefined;
  const ready =
    order !== undefined &&
    lines.length > 0 &&
    !problem &&
    reasonCode !== undefined &&
    reason.trim().length >= 2 &&
    (type === 'exchange' ? lines.every((line) => 'newSpecId' in line) : good !== undefined);
  const send = () =>
    submit.send(
      '/action/apply',
      {
        orderCode,
        type,
        lines,
        reasonCode,
        reason: reason.trim(),
        ...(type !== 'exchange' && amount !== '' ? { amount } : {}),
        ...(evidence.length > 0 ? { evidence: evidence.map((file) => file.id) } : {}),
        ...(video[0] ? { video: video[0].id } : {}),
      },
      (answer) => done([String((answer as { id?: unknown } | null)?.id ?? '')]),
    );
  const dirty = order !== undefined || typed !== '';
  const free = (line: LookedUpOrder['lines'][number]) =>
    type === 'refund_only' ? line.free : line.returnable;
  return (
    <AppDrawer
      open
      guarded={dirty}
      size={860}
      title={text(afterSale.actions!.apply!.label)}
      onClose={close}
      footer={
        <div className="as-foot">
          <Button onClick={close}>{text(words.cancel)}</Button>
          <Button type="primary" disabled={!ready || submit.locked} loading={submit.busy} onClick={send}>
            {text(['提交申请', 'Apply'])}
          </Button>
        </div>
      }
    >
      <Field
        id={`${id}o`}
        label={['订单号', 'Order no.']}
        required
        problem={
          notFound instanceof ApiError && orderCode !== '' ? notFound.message : submit.error?.fields.orderCode
        }
      >
        <Input.Search
          id={`${id}o`}
          value={typed}
          loading={isLooking}
          enterButton={text(['查询', 'Find'])}
          maxLength={64}
          onChange={(event) => setTyped(event.target.value)}
          onSearch={(value) => {
            setOrderCode(value.trim().toUpperCase());
            setQty({});
            setOnly({});
          }}
        />
      </Field>
      {order && (
        <>
          <p className="k-quiet">
            {order.merchant} · {order.customer || NOTHING} · {text(order.state)}
          </p>
          <Field id={`${id}t`} label={['类型', 'Type']} required>
            <Radio.Group
              id={`${id}t`}
              value={type}
              onChange={(event) => setType(event.target.value as CaseType)}
              options={Object.entries(CASE_TYPES).map(([value, one]) => ({ value, label: text(one.label) }))}
            />
          </Field>
          <div className="as-scroll">
            <table className="as-table">
              <thead>
                <tr>
                  <th>{text(['商品', 'Goods'])}</th>
                  <th className="k-number">{text(['可申请', 'Free'])}</th>
                  <th className="k-number">{text(['剩余现金', 'Cash left'])}</th>
                  <th>{text(['件数', 'Units'])}</th>
                  {type === 'refund_only' && <th>{text(['或仅退金额', 'Or an amount'])}</th>}
                  {type === 'exchange' && <th>{text(['换为规格', 'Exchange for'])}</th>}
                </tr>
              </thead>
              <tbody>
                {order.lines.map((line) => (
                  <tr key={line.id}>
                    <td>
                      <Goods image={line.image} name={line.product} spec={line.spec} />
                    </td>
                    <td className="k-number">{free(line)}</td>
                    <td className="k-number">{moneyText(line.cashLeft)}</td>
                    <td>
                      <InputNumber
                        aria-label={`${line.product} ${text(['件数', 'units'])}`}
                        min={0}
                        max={free(line)}
                        precision={0}
                        disabled={free(line) === 0}
                        value={qty[line.id] ?? 0}
                        onChange={(value) => setQty({ ...qty, [line.id]: value ?? 0 })}
                      />
                    </td>
                    {type === 'refund_only' && (
                      <td>
                        <Input
                          aria-label={`${line.product} ${text(['仅退金额', 'amount only'])}`}
                          inputMode="decimal"
                          disabled={(qty[line.id] ?? 0) > 0}
                          value={only[line.id] ?? ''}
                          suffix={text(['元', 'yuan'])}
                          onChange={(event) => setOnly({ ...only, [line.id]: event.target.value.trim() })}
                        />
                      </td>
                    )}
                    {type === 'exchange' && (
                      <td>
                        <Select
                          aria-label={`${line.product} ${text(['换为规格', 'exchange for'])}`}
                          className="k-fill"
                          disabled={(qty[line.id] ?? 0) === 0}
                          value={specs[line.id] ?? null}
                          onChange={(value) => setSpecs({ ...specs, [line.id]: value as string })}
                          options={line.specs.map((spec) => ({
                            value: spec.id,
                            label: text([
                              `${spec.name}（库存${spec.stock}）`,
                              `${spec.name} (${spec.stock} in stock)`,
                            ]),
                            disabled: spec.stock === 0,
                          }))}
                        />
                      </td>
                    )}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <div aria-live="polite">
            {type !== 'exchange' && lines.length > 0 && tried && !tried.ok && (
              <Alert className="as-field" type="warning" showIcon title={tried.message} />
            )}
            {good && (
              <div className="as-suggest">
                <p>
                  {text(['建议退现金', 'Suggested cash'])}{' '}
                  <strong className="k-number">¥{moneyText(good.cash)}</strong>
                  {(good.points ?? 0) > 0 && ` · ${text([`积分 ${good.points}`, `${good.points} points`])}`}
                  {good.freight !== '0.00' && ` · ${text(['含运费', 'freight'])} ¥${moneyText(good.freight)}`}
                </p>
                <ul className="k-quiet k-small">
                  {good.rows?.map((part, index) => (
                    <li key={index}>{plainFormula(part.formula)}</li>
                  ))}
                  {good.notices?.map((notice) => (
                    <li key={notice} className="k-problem">
                      {notice}
                    </li>
                  ))}
                </ul>
              </div>
            )}
          </div>
          <div className="as-two">
            <Field
              id={`${id}r`}
              label={['原因', 'Reason']}
              required
              problem={submit.error?.fields.reasonCode}
              help={
                reasonCode === 'quality'
                  ? ['质量问题的售后期限更长', 'Quality problems have a longer period']
                  : undefined
              }
            >
              <Select
                id={`${id}r`}
                className="k-fill"
                value={reasonCode ?? null}
                onChange={(value) => setReasonCode(value as CaseReason)}
                options={Object.entries(CASE_REASONS).map(([value, one]) => ({
                  value,
                  label: text(one.label),
                }))}
              />
            </Field>
            {type !== 'exchange' && (
              <Field
                id={`${id}a`}
                label={['申请金额', 'Amount']}
                problem={problem ?? submit.error?.fields.amount}
                help={['不填则按建议金额', 'Empty: the suggested amount']}
              >
                <Input
                  id={`${id}a`}
                  inputMode="decimal"
                  {...(problem && { status: 'error' as const })}
                  placeholder={good?.cash ?? ''}
                  value={amount}
                  suffix={text(['元', 'yuan'])}
                  onChange={(event) => setAmount(event.target.value.trim())}
                />
              </Field>
            )}
          </div>
          <Field id={`${id}x`} label={['说明', 'Explanation']} required problem={submit.error?.fields.reason}>
            <Input.TextArea
              id={`${id}x`}
              rows={3}
              maxLength={500}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          </Field>
          <Field
            id={`${id}e`}
            label={['凭证图片', 'Evidence pictures']}
            problem={submit.error?.fields.evidence}
          >
            <UploadInput
              id={`${id}e`}
              image
              max={9}
              label={text(['凭证图片', 'Evidence pictures'])}
              value={evidence}
              onChange={setEvidence}
            />
          </Field>
          <Field id={`${id}m`} label={['凭证视频', 'Evidence video']} problem={submit.error?.fields.video}>
            <UploadInput
              id={`${id}m`}
              image={false}
              max={1}
              label={text(['凭证视频', 'Evidence video'])}
              value={video}
              onChange={setVideo}
            />
          </Field>
          <Refused
            error={submit.error}
            fields={['orderCode', 'reasonCode', 'amount', 'reason', 'evidence', 'video']}
          />
        </>
      )}
    </AppDrawer>
  );
}
