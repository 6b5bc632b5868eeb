import { useId, useState } from 'react';
import { Alert, Checkbox, Input, InputNumber, Radio, Select, Skeleton } from 'antd';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { UploadInput } from '../../../kernel/client/form/upload-input.tsx';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { useView } from '../../../kernel/client/view.ts';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { fenFromYuan } from '../../../kernel/contract/money.rules.ts';
import { LIABLE } from '../refund/refund.contract.ts';
import { afterSale, VERDICTS } from './case.contract.ts';
import { CASE_ROOT, useCase, useCaseSubmit, useStill, type CaseRow } from './case-calls.ts';
import { Field, Goods, Refused, Suggestion } from './case-pieces.tsx';

type Verdict = keyof typeof VERDICTS;
const BAD_AMOUNT: Label = ['请输入金额，最多两位小数', 'Please enter an amount with at most two decimals'];

/** Why an amount cannot stand; empty is none. */
function amountProblem(typed: string, most: string | undefined): Label | undefined {
  if (typed === '') return undefined;
  const fen = fenFromYuan(typed);
  if (fen === undefined || fen < 0) return BAD_AMOUNT;
  if (most !== undefined && fen > fenFromYuan(most)!)
    return [`最多可退${moneyText(most)}元`, `At most ${moneyText(most)}`];
  return undefined;
}

/** 同意 and 平台裁决: the suggestion with its formula, the amount, the address the goods go to. */
export function AgreeDialog({
  row,
  close,
  done,
  action,
}: ActionScreenProps & { readonly action: 'agree' | 'decide' }) {
  const { data } = useCase(row!.id);
  const text = useText();
  const spec = afterSale.actions![action]!;
  const title = `${text(spec.label)} · ${String(row!.code)}`;
  if (!data)
    return (
      <AppModal open width={680} title={title} onCancel={close} footer={null}>
        <Skeleton active />
      </AppModal>
    );
  return <AgreeForm data={data} title={title} action={action} close={close} done={done} />;
}

function AgreeForm(props: {
  readonly data: CaseRow;
  readonly title: string;
  readonly action: 'agree' | 'decide';
  readonly close: () => void;
  readonly done: (changed?: readonly string[]) => void;
}) {
  const { data, action } = props;
  const text = useText();
  const id = useId();
  const view = useView();
  const { parts } = data;
  const submit = useCaseSubmit();
  const [verdict, setVerdict] = useState<Verdict>('agree');
  const [amount, setAmount] = useState('');
  const [amountReason, setAmountReason] = useState('');
  const [address, setAddress] = useState<string | undefined>(
    parts.addresses.find((one) => one.isDefault)?.id,
  );
  const [liable, setLiable] = useState<keyof typeof LIABLE>('merchant');
  const [reason, setReason] = useState('');
  const isDecision = action === 'decide';
  const refuses = isDecision && verdict === 'refuse';
  const goodsBack = parts.inspection !== null && parts.inspection.result !== 'reject';
  const money = !refuses && (data.type !== 'exchange' || verdict === 'refund');
  const sendsBack =
    !refuses && !goodsBack && data.type !== 'refund_only' && !(isDecision && verdict === 'refund');
  const problem = amountProblem(amount, parts.limit?.most);
  const lower =
    amount !== '' &&
    parts.limit !== null &&
    !problem &&
    fenFromYuan(amount)! < fenFromYuan(parts.limit.usual)!;
  const ready =
    (!money || (parts.now !== null && !problem && (!lower || amountReason.trim().length >= 2))) &&
    (!sendsBack || address !== undefined) &&
    (!isDecision || reason.trim().length >= 5);
  const send = () =>
    submit.send(
      `/${data.id}/${action}`,
      {
        version: data.version,
        ...(isDecision ? { verdict, reason: reason.trim() } : {}),
        ...(isDecision && !refuses ? { liable } : {}),
        ...(money && amount !== '' ? { amount } : {}),
        ...(money && lower ? { amountReason: amountReason.trim() } : {}),
        ...(sendsBack && address ? { address } : {}),
      },
      () => props.done([data.id]),
    );
  return (
    <AppModal
      open
      width={680}
      title={props.title}
      okText={text(afterSale.actions![action]!.label)}
      okButtonProps={{ disabled: !ready || submit.locked, danger: refuses }}
      confirmLoading={submit.busy}
      onOk={send}
      onCancel={props.close}
    >
      {isDecision && (
        <Field id={`${id}v`} label={['裁决', 'Verdict']} required problem={submit.error?.fields.verdict}>
          <Radio.Group
            id={`${id}v`}
            value={verdict}
            onChange={(event) => setVerdict(event.target.value as Verdict)}
            options={Object.entries(VERDICTS).map(([value, one]) => ({ value, label: text(one.label) }))}
          />
        </Field>
      )}
      {money && parts.now && <Suggestion of={parts.now} />}
      {money && parts.impossible && <Alert type="warning" showIcon title={text(parts.impossible)} />}
      {money && parts.limit && (
        <div className="as-two">
          <Field
            id={`${id}a`}
            label={['同意金额', 'Agreed amount']}
            problem={(problem && text(problem)) ?? submit.error?.fields.amount}
            help={[
              `不填则为 ${moneyText(parts.limit.usual)} 元，最多 ${moneyText(parts.limit.most)} 元`,
              `Empty: ${moneyText(parts.limit.usual)}, at most ${moneyText(parts.limit.most)}`,
            ]}
          >
            <Input
              id={`${id}a`}
              inputMode="decimal"
              {...(problem && { status: 'error' as const })}
              placeholder={parts.limit.usual}
              value={amount}
              suffix={text(['元', 'yuan'])}
              onChange={(event) => setAmount(event.target.value.trim())}
            />
          </Field>
          {lower && (
            <Field
              id={`${id}r`}
              label={['少退原因', 'Why less']}
              required
              problem={submit.error?.fields.amountReason}
            >
              <Input
                id={`${id}r`}
                maxLength={200}
                value={amountReason}
                onChange={(event) => setAmountReason(event.target.value)}
              />
            </Field>
          )}
        </div>
      )}
      {data.type === 'exchange' && !refuses && verdict !== 'refund' && (
        <Alert
          type="info"
          showIcon
          className="as-field"
          title={text([
            '同意后为买家预留换货规格的库存',
            'Stock of the spec wanted instead is kept for the buyer',
          ])}
        />
      )}
      {sendsBack && (
        <Field
          id={`${id}d`}
          label={['退货地址', 'Return address']}
          required
          problem={submit.error?.fields.address}
        >
          {parts.addresses.length === 0 ? (
            <Alert
              type="warning"
              showIcon
              title={text(['商户没有可用的退货地址', 'The merchant has no return address'])}
              action={
                view.pathOf('am_businessAddress') && (
                  <button
                    type="button"
                    className="k-link"
                    onClick={() => view.open(view.pathOf('am_businessAddress')!)}
                  >
                    {text(['去设置', 'Set one'])}
                  </button>
                )
              }
            />
          ) : (
            <Select
              id={`${id}d`}
              className="k-fill"
              value={address ?? null}
              onChange={(value) => setAddress(value as string)}
              options={parts.addresses.map((one) => ({
                value: one.id,
                label: one.isDefault ? `${one.title} · ${text(['默认', 'default'])}` : one.title,
              }))}
            />
          )}
        </Field>
      )}
      {isDecision && !refuses && (
        <Field
          id={`${id}l`}
          label={['责任方', 'Borne by']}
          help={[
            '平台承担时不从商户结算中扣减',
            'What the platform bears is not taken from the merchant’s settlement',
          ]}
        >
          <Select
            id={`${id}l`}
            className="k-fill"
            value={liable}
            onChange={setLiable}
            options={Object.entries(LIABLE).map(([value, one]) => ({
              value: value as keyof typeof LIABLE,
              label: text(one.label),
            }))}
          />
        </Field>
      )}
      {isDecision && (
        <Field id={`${id}w`} label={['裁决理由', 'Reason']} required problem={submit.error?.fields.reason}>
          <Input.TextArea
            id={`${id}w`}
            rows={2}
            maxLength={200}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </Field>
      )}
      <Refused error={submit.error} fields={['amount', 'amountReason', 'address', 'reason', 'verdict']} />
    </AppModal>
  );
}

interface Tried {
  readonly ok: boolean;
  /** What the accepted units give of the amount that was agreed to, and what this staff may give at most. */
  readonly limit?: { readonly usual: string; readonly most: string };
  readonly message?: string;
}

/** 收货验收: all, or a number of units of each line; the refund follows while it is typed. */
export function ReceiveDialog({ row, close, done }: ActionScreenProps) {
  const text = useText();
  const id = useId();
  const { data } = useCase(row!.id);
  const submit = useCaseSubmit();
  const [result, setResult] = useState<'pass' | 'partial'>('pass');
  const [accepted, setAccepted] = useState<Readonly<Record<string, number>>>({});
  const [amount, setAmount] = useState('');
  const [photos, setPhotos] = useState<readonly FileValue[]>([]);
  const [resellable, setResellable] = useState(false);
  const [note, setNote] = useState('');
  const lines = (data?.parts.lines ?? []).filter((line) => line.caseQty !== null);
  const partial = result === 'partial';
  const asked = useStill(lines.map((line) => ({ lineId: line.id, qty: accepted[line.id] ?? line.caseQty! })));
  const isExchange = data?.type === 'exchange';
  const { data: tried } = useQuery({
    queryKey: ['afterSale', 'receive', row!.id, asked],
    enabled: partial && asked.length > 0 && !isExchange,
    placeholderData: keepPreviousData,
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<Tried>('POST', `${CASE_ROOT}/${row!.id}/suggest`, { body: { lines: asked }, signal, quiet: true }),
  });
  const limit = partial ? tried?.limit : data?.parts.limit;
  const suggested = limit?.usual;
  const problem = amountProblem(amount, limit?.most);
  const lower =
    amount !== '' && !problem && suggested !== undefined && fenFromYuan(amount)! < fenFromYuan(suggested)!;
  const ready =
    data !== undefined && !problem && (!partial || photos.length > 0) && (!lower || note.trim().length >= 2);
  const send = () =>
    submit.send(
      `/${row!.id}/receive`,
      {
        version: data!.version,
        result,
        resellable,
        ...(partial ? { lines: asked } : {}),
        ...(amount !== '' ? { amount } : {}),
        ...(photos.length > 0 ? { photos: photos.map((one) => one.id) } : {}),
        ...(note.trim() ? { note: note.trim() } : {}),
      },
      () => done([row!.id]),
    );
  return (
    <AppModal
      open
      width={680}
      title={`${text(afterSale.actions!.receive!.label)} · ${String(row!.code)}`}
      okText={text(['确认收货', 'Receive'])}
      okButtonProps={{ disabled: !ready || submit.locked }}
      confirmLoading={submit.busy}
      onOk={send}
      onCancel={close}
    >
      {!data ? (
        <Skeleton active />
      ) : (
        <>
          <Field id={`${id}x`} label={['验收结果', 'Inspection']} required>
            <Radio.Group
              id={`${id}x`}
              value={result}
              onChange={(event) => setResult(event.target.value as 'pass' | 'partial')}
              options={[
                { value: 'pass', label: text(['验收合格', 'All accepted']) },
                { value: 'partial', label: text(['部分合格', 'Partly accepted']) },
              ]}
            />
          </Field>
          <table className="as-table">
            <thead>
              <tr>
                <th>{text(['商品', 'Goods'])}</th>
                <th className="k-number">{text(['退回', 'Sent back'])}</th>
                <th className="k-number">{text(['合格', 'Accepted'])}</th>
              </tr>
            </thead>
            <tbody>
              {lines.map((line) => (
                <tr key={line.id}>
                  <td>
                    <Goods image={line.image} name={line.product} spec={line.spec} />
                  </td>
                  <td className="k-number">{line.caseQty}</td>
                  <td className="k-number">
                    {partial ? (
                      <InputNumber
                        aria-label={`${line.product} ${text(['合格数量', 'accepted units'])}`}
                        min={0}
                        max={line.caseQty!}
                        precision={0}
                        value={accepted[line.id] ?? line.caseQty!}
                        onChange={(value) => setAccepted({ ...accepted, [line.id]: value ?? 0 })}
                      />
                    ) : (
                      line.caseQty
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {submit.error?.fields.lines && (
            <p className="k-problem" role="alert">
              {submit.error.fields.lines}
            </p>
          )}
          {!isExchange && suggested !== undefined && (
            <p className="as-money">
              {text(['将退现金', 'Cash to refund'])}{' '}
              <strong className="k-number">¥{moneyText(suggested)}</strong>
            </p>
          )}
          {partial && tried && !tried.ok && <Alert type="warning" showIcon title={tried.message} />}
          {!isExchange && (
            <Field
              id={`${id}a`}
              label={['退款金额', 'Amount']}
              problem={(problem && text(problem)) ?? submit.error?.fields.amount}
              help={['不填则按上面的金额；调低须填写验收说明', 'Empty: as above; less needs a note']}
            >
              <Input
                id={`${id}a`}
                inputMode="decimal"
                {...(problem && { status: 'error' as const })}
                placeholder={suggested ?? ''}
                value={amount}
                suffix={text(['元', 'yuan'])}
                onChange={(event) => setAmount(event.target.value.trim())}
              />
            </Field>
          )}
          <Field
            id={`${id}p`}
            label={['验收照片', 'Photos']}
            required={partial}
            problem={submit.error?.fields.photos}
          >
            <UploadInput
              id={`${id}p`}
              image
              max={9}
              label={text(['验收照片', 'Photos'])}
              value={photos}
              onChange={setPhotos}
            />
          </Field>
          <Field
            id={`${id}n`}
            label={['验收说明', 'Note']}
            required={lower}
            problem={submit.error?.fields.note ?? submit.error?.fields.amountReason}
          >
            <Input
              id={`${id}n`}
              maxLength={200}
              value={note}
              onChange={(event) => setNote(event.target.value)}
            />
          </Field>
          <Checkbox checked={resellable} onChange={(event) => setResellable(event.target.checked)}>
            {text(['可再售：合格商品回到可售库存', 'Can be sold again: accepted units go back to stock'])}
          </Checkbox>
          <Refused error={submit.error} fields={['lines', 'amount', 'photos', 'note', 'amountReason']} />
        </>
      )}
    </AppModal>
  );
}
