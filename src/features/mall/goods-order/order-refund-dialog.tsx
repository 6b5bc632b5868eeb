import { useId, useState } from 'react';
import { Alert, Input, InputNumber, Select, Skeleton } from 'antd';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { useSession } from '../../../kernel/client/session.ts';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { amountProblem } from './amount-problem.rules.ts';
import { plainFormula } from '../../../domain/trade-money/plain-formula.rules.ts';
import { goodsOrder } from './goods-order.contract.ts';
import { useOrder, useOrderContract, useOrderSubmit, useStill } from './order-calls.ts';
import { Field, GoodsName, Refused } from './order-pieces.tsx';
import './goods-order.css';

const PLATFORM = 3;
const fenOf = (yuan: string): number => fenFromYuan(yuan) ?? 0;

/** The refund engine's answer to what is asked for. */
type Suggestion =
  | { readonly ok: false; readonly message: string }
  | {
      readonly ok: true;
      readonly cash: string;
      readonly points: number;
      readonly pointsValue: string;
      readonly freight: string;
      readonly notices: readonly string[];
      readonly rows: readonly {
        readonly lineId: string;
        readonly productName: string;
        readonly qty: number;
        readonly cash: string;
        readonly formula: string;
        readonly before: string;
        readonly after: string;
      }[];
    };

/** 申请退款 / 售后退款: pieces or an amount per line; the engine says what goes back, with its formulas. */
export function RefundDialog({
  row,
  close,
  done,
  action: name,
}: ActionScreenProps & { readonly action: 'refund' | 'returnAudit' }) {
  const text = useText();
  const id = useId();
  const action = goodsOrder.actions![name]!;
  const input = action.input!;
  const submit = useOrderSubmit();
  const { contract, root } = useOrderContract();
  const isPlatform = useSession((session) => session.info?.tenantType === PLATFORM);
  const { data: order } = useOrder(row!.id);
  const [pieces, setPieces] = useState<Readonly<Record<string, number>>>({});
  const [amounts, setAmounts] = useState<Readonly<Record<string, string>>>({});
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const tooMuch = (typed: string | undefined, most: string | undefined) => {
    const problem = amountProblem(typed, most);
    return problem && text(problem);
  };
  const freightLeft = order && yuanFromFen(fenOf(order.money.freight) - fenOf(order.money.freightRefunded));
  const amountsTooMuch = (order?.lines ?? []).flatMap((line) => {
    const problem = tooMuch(amounts[line.id], line.cashLeft);
    return problem ? [[line.id, problem] as const] : [];
  });
  const lineProblems = Object.fromEntries(amountsTooMuch);
  const lines = [
    ...Object.entries(pieces)
      .filter(([, qty]) => qty > 0)
      .map(([lineId, qty]) => ({ lineId, qty })),
    ...Object.entries(amounts)
      .filter(([, amount]) => Number(amount) > 0)
      .map(([lineId, amount]) => ({ lineId, amount })),
  ];
  const asked = useStill({ lines, ...(values.freight ? { freight: values.freight } : {}) });
  const { data: suggestion, isFetching } = useQuery({
    queryKey: [contract.name, 'suggest', row!.id, asked],
    enabled: asked.lines.length > 0 || asked.freight !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<Suggestion>('POST', `${root}/${row!.id}/suggestRefund`, {
        body: asked,
        signal,
        quiet: true,
      }),
  });
  const mostOf = { cash: suggestion?.ok ? suggestion.cash : undefined, freight: freightLeft };
  const good = suggestion?.ok && lines.length + (values.freight ? 1 : 0) > 0 ? suggestion : undefined;
  const ready =
    good !== undefined &&
    !isFetching &&
    amountsTooMuch.length === 0 &&
    !tooMuch(values.cash, mostOf.cash) &&
    !tooMuch(values.freight, mostOf.freight) &&
    (values.reasonCode ?? '') !== '' &&
    (values.reason ?? '').trim().length >= 2;
  const change = (field: string) => (value: string) => setValues({ ...values, [field]: value });
  const send = () =>
    ready &&
    submit.send(
      `/${row!.id}/${name}`,
      {
        version: order?.version,
        lines,
        reasonCode: values.reasonCode,
        reason: values.reason!.trim(),
        ...(values.freight ? { freight: values.freight } : {}),
        ...(values.cash ? { cash: values.cash } : {}),
        ...(values.cashReason ? { cashReason: values.cashReason } : {}),
        ...(isPlatform && values.liable ? { liable: values.liable } : {}),
      },
      () => done([row!.id]),
    );
  return (
    <AppModal
      open
      width={820}
      title={`${text(action.label)} · ${String(row!.code)}`}
      okText={text(action.label)}
      okButtonProps={{ danger: true, disabled: !ready || submit.locked }}
      confirmLoading={submit.busy}
      onOk={send}
      onCancel={close}
    >
      {!order ? (
        <Skeleton active />
      ) : (
        <>
          <table className="go-table">
            <thead>
              <tr>
                <th>{text(['商品', 'Goods'])}</th>
                <th className="k-number">{text(['可退件数', 'Pieces left'])}</th>
                <th className="k-number">{text(['剩余现金', 'Cash left'])}</th>
                <th>{text(['退件数', 'Pieces'])}</th>
                <th>{text(['仅退金额', 'Amount only'])}</th>
              </tr>
            </thead>
            <tbody>
              {order.lines.map((line) => (
                <tr key={line.id}>
                  <td>
                    <GoodsName image={line.image} name={line.productName} spec={line.specName} />
                  </td>
                  <td className="k-number">{line.qty - line.refunded}</td>
                  <td className="k-number">
                    {moneyText(line.cashLeft)}
                    {Number(line.withheld) > 0 && (
                      <small className="k-quiet go-withheld">
                        {text([
                          `另少退 ${moneyText(line.withheld)}`,
                          `${moneyText(line.withheld)} kept back`,
                        ])}
                      </small>
                    )}
                  </td>
                  <td>
                    <InputNumber
                      aria-label={`${line.productName} ${text(['退件数', 'Pieces'])}`}
                      min={0}
                      max={line.qty - line.refunded}
                      precision={0}
                      value={pieces[line.id] ?? 0}
                      onChange={(value) => setPieces({ ...pieces, [line.id]: value ?? 0 })}
                    />
                  </td>
                  <td>
                    <Input
                      aria-label={`${line.productName} ${text(['仅退金额', 'Amount only'])}`}
                      inputMode="decimal"
                      {...(lineProblems[line.id] && { status: 'error' as const })}
                      aria-invalid={lineProblems[line.id] !== undefined}
                      value={amounts[line.id] ?? ''}
                      suffix={text(['元', 'yuan'])}
                      onChange={(event) => setAmounts({ ...amounts, [line.id]: event.target.value })}
                    />
                    {lineProblems[line.id] && (
                      <p className="k-problem" role="alert">
                        {lineProblems[line.id]}
                      </p>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <div aria-live="polite" className="go-suggest">
            {suggestion && !suggestion.ok && <Alert type="warning" showIcon title={suggestion.message} />}
            {good && (
              <>
                <p>
                  {text(['建议退现金', 'Suggested cash'])} <MoneyText value={good.cash} strong />
                  {' · '}
                  {text([`积分 ${good.points}`, `${good.points} points`])}
                  {' · '}
                  {text(['含运费', 'freight'])} <MoneyText value={good.freight} />
                </p>
                <ul className="k-quiet k-small">
                  {good.rows.map((part, index) => (
                    <li key={index}>
                      {part.productName}
                      {part.qty > 0 && ` × ${part.qty}`}：{plainFormula(part.formula)}（
                      {moneyText(part.before)} → {moneyText(part.after)}）
                    </li>
                  ))}
                  {good.notices.map((notice) => (
                    <li key={notice} className="k-bad">
                      {notice}
                    </li>
                  ))}
                </ul>
              </>
            )}
          </div>
          <div className="go-two">
            {(['cash', 'freight'] as const).map((field) => (
              <Field
                key={field}
                id={`${id}${field}`}
                label={input[field]!.label}
                help={input[field]!.help}
                problem={tooMuch(values[field], mostOf[field]) ?? submit.error?.fields[field]}
              >
                <Input
                  id={`${id}${field}`}
                  inputMode="decimal"
                  {...(tooMuch(values[field], mostOf[field]) && { status: 'error' as const })}
                  placeholder={field === 'cash' ? (good?.cash ?? '') : (good?.freight ?? '')}
                  value={values[field] ?? ''}
                  suffix={text(['元', 'yuan'])}
                  onChange={(event) => change(field)(event.target.value)}
                />
              </Field>
            ))}
          </div>
          {(values.cash || values.freight) && (
            <Field
              id={`${id}cr`}
              label={input.cashReason!.label}
              required
              problem={submit.error?.fields.cashReason}
            >
              <Input
                id={`${id}cr`}
                maxLength={200}
                value={values.cashReason ?? ''}
                onChange={(event) => change('cashReason')(event.target.value)}
              />
            </Field>
          )}
          <Field
            id={`${id}rc`}
            label={input.reasonCode!.label}
            required
            problem={submit.error?.fields.reasonCode}
          >
            <Select
              id={`${id}rc`}
              className="k-fill"
              value={values.reasonCode ?? null}
              onChange={(value) => change('reasonCode')(value as string)}
              options={Object.entries(input.reasonCode!.choices!).map(([value, one]) => ({
                value,
                label: text(one.label),
              }))}
            />
          </Field>
          {isPlatform && (
            <Field
              id={`${id}li`}
              label={input.liable!.label}
              help={input.liable!.help}
              problem={submit.error?.fields.liable}
            >
              <Select
                id={`${id}li`}
                className="k-fill"
                value={values.liable ?? 'merchant'}
                onChange={(value) => change('liable')(value as string)}
                options={Object.entries(input.liable!.choices!).map(([value, one]) => ({
                  value,
                  label: text(one.label),
                }))}
              />
            </Field>
          )}
          <Field id={`${id}r`} label={input.reason!.label} required problem={submit.error?.fields.reason}>
            <Input.TextArea
              id={`${id}r`}
              rows={2}
              maxLength={200}
              value={values.reason ?? ''}
              onChange={(event) => change('reason')(event.target.value)}
            />
          </Field>
          <Refused error={submit.error} fields={['cash', 'freight', 'cashReason', 'reasonCode', 'reason']} />
        </>
      )}
    </AppModal>
  );
}
