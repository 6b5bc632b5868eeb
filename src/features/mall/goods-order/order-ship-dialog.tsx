import { useId, useState } from 'react';
import { AutoComplete, Input, InputNumber, Radio, Skeleton } from 'antd';
import { useQueries } from '@tanstack/react-query';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import { goodsOrder } from './goods-order.contract.ts';
import { useOrder, useOrderContract, useOrderSubmit, type OrderRow } from './order-calls.ts';
import { Field, GoodsName, Refused } from './order-pieces.tsx';
import { TRACKING_PATTERN } from './order-words.rules.ts';
import './goods-order.css';

const action = goodsOrder.actions!.ship!;
const input = action.input!;
const COMPANIES: readonly (readonly [string, string])[] = [
  ['顺丰速运', 'SF Express'],
  ['中通快递', 'ZTO'],
  ['圆通速递', 'YTO'],
  ['申通快递', 'STO'],
  ['韵达速递', 'Yunda'],
  ['京东物流', 'JD Logistics'],
  ['邮政EMS', 'EMS'],
];
const TRACKING = new RegExp(`^${TRACKING_PATTERN}$`);

/** 发货: one parcel of an order, or one parcel for each selected order. */
export function ShipDialog(props: ActionScreenProps) {
  return props.row ? <ShipOne {...props} /> : <ShipMany {...props} />;
}

/** One parcel: way, number and pieces; pieces in an unfinished refund are not offered. */
function ShipOne({ row, close, done }: ActionScreenProps) {
  const text = useText();
  const id = useId();
  const submit = useOrderSubmit();
  const { data: order } = useOrder(row!.id);
  const [way, setWay] = useState<'express' | 'own'>('express');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [pieces, setPieces] = useState<Readonly<Record<string, number>>>({});
  const free = (line: OrderRow['lines'][number]) => line.unshipped - line.held;
  const open = order?.lines.filter((line) => line.unshipped > 0) ?? [];
  const qtyOf = (line: OrderRow['lines'][number]) => pieces[line.id] ?? Math.max(0, free(line));
  const parts = open.map((line) => ({ lineId: line.id, qty: qtyOf(line) })).filter((part) => part.qty > 0);
  const names = way === 'express' ? ['company', 'trackingNo'] : ['courier', 'courierPhone'];
  const bad =
    way === 'express' && (values.trackingNo ?? '') !== '' && !TRACKING.test(values.trackingNo!.trim());
  const send = () =>
    parts.length > 0 &&
    submit.send(
      `/${row!.id}/ship`,
      {
        version: order?.version,
        way,
        ...Object.fromEntries(names.map((name) => [name, (values[name] ?? '').trim()])),
        lines: parts,
      },
      () => done([row!.id]),
    );
  return (
    <AppModal
      open
      width={680}
      title={`${text(action.label)} · ${String(row!.code)}`}
      okText={text(action.label)}
      okButtonProps={{ disabled: parts.length === 0 || bad || submit.locked }}
      confirmLoading={submit.busy}
      onOk={send}
      onCancel={close}
    >
      {!order ? (
        <Skeleton active />
      ) : (
        <>
          <Radio.Group
            value={way}
            onChange={(event) => setWay(event.target.value as 'express' | 'own')}
            options={[
              { value: 'express', label: text(input.way!.choices!.express!.label) },
              { value: 'own', label: text(input.way!.choices!.own!.label) },
            ]}
          />
          <div className="go-two">
            {names.map((name) => (
              <Field
                key={name}
                id={`${id}${name}`}
                label={input[name]!.label}
                required
                problem={
                  submit.error?.fields[name] ??
                  (name === 'trackingNo' && bad ? text(input.trackingNo!.pattern!.message) : undefined)
                }
              >
                {name === 'company' ? (
                  <AutoComplete
                    id={`${id}${name}`}
                    className="k-fill"
                    value={values.company ?? ''}
                    options={COMPANIES.map((label) => ({ value: text(label) }))}
                    onChange={(value) => setValues({ ...values, company: value as string })}
                  />
                ) : (
                  <Input
                    id={`${id}${name}`}
                    value={values[name] ?? ''}
                    maxLength={input[name]!.max ?? 40}
                    onChange={(event) => setValues({ ...values, [name]: event.target.value })}
                  />
                )}
              </Field>
            ))}
          </div>
          <table className="go-table">
            <thead>
              <tr>
                <th>{text(['商品', 'Goods'])}</th>
                <th className="k-number">{text(['待发', 'Left'])}</th>
                <th>{text(['本次发货', 'In this parcel'])}</th>
              </tr>
            </thead>
            <tbody>
              {open.map((line) => (
                <tr key={line.id}>
                  <td>
                    <GoodsName
                      image={line.image}
                      name={line.productName}
                      spec={line.specName}
                      note={
                        line.held > 0 && (
                          <span className="k-bad">
                            {' '}
                            {text([
                              `${line.held} 件退款处理中，不能发货`,
                              `${line.held} in a refund, not to be shipped`,
                            ])}
                          </span>
                        )
                      }
                    />
                  </td>
                  <td className="k-number">{line.unshipped}</td>
                  <td>
                    <InputNumber
                      aria-label={`${line.productName} ${text(['本次发货', 'In this parcel'])}`}
                      min={0}
                      max={Math.max(0, free(line))}
                      precision={0}
                      value={qtyOf(line)}
                      onChange={(value) => setPieces({ ...pieces, [line.id]: value ?? 0 })}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {submit.error?.fields.lines && <p className="k-problem">{submit.error.fields.lines}</p>}
          <Refused error={submit.error} fields={['lines', ...names]} />
        </>
      )}
    </AppModal>
  );
}

/** Everything left of several orders, each with its own number; what failed stays with its reason. */
function ShipMany({ rows, close, done }: ActionScreenProps) {
  const text = useText();
  const guard = useSubmitGuard();
  const able = rows.filter((row) => row.actions.includes('ship'));
  const { contract, root } = useOrderContract();
  const orders = useQueries({
    queries: able.map((row) => ({
      queryKey: keysOf.row(contract.name, row.id),
      queryFn: () => call<OrderRow>('GET', `${root}/${row.id}`, { quiet: true }),
    })),
  });
  const [company, setCompany] = useState('');
  const [numbers, setNumbers] = useState<Readonly<Record<string, string>>>({});
  const [results, setResults] = useState<Readonly<Record<string, string>>>({});
  const [shipped, setShipped] = useState<readonly string[]>([]);
  const open = able.filter((row) => !shipped.includes(row.id));
  const ready = open.filter((row) => TRACKING.test((numbers[row.id] ?? '').trim()));
  const send = () =>
    void guard.run(async () => {
      const sent = [...shipped];
      const failures: Record<string, string> = {};
      for (const row of ready) {
        try {
          const body = { way: 'express', company: company.trim(), trackingNo: numbers[row.id]!.trim() };
          await call('POST', `${root}/${row.id}/ship`, {
            body,
            idempotencyKey: newIdempotencyKey(),
            quiet: true,
          });
          sent.push(row.id);
        } catch (error) {
          failures[row.id] = error instanceof ApiError ? error.message : String(error);
        }
      }
      setShipped(sent);
      setResults(failures);
      if (sent.length === able.length) done(sent);
    });
  return (
    <AppModal
      open
      width={820}
      title={text([`批量发货 · ${able.length} 单`, `Ship ${able.length} orders`])}
      okText={text([`发货 ${ready.length} 单`, `Ship ${ready.length}`])}
      okButtonProps={{
        disabled: ready.length === 0 || company.trim() === '' || (guard.locked && !guard.busy),
      }}
      cancelText={shipped.length > 0 ? text(['完成', 'Done']) : undefined}
      confirmLoading={guard.busy}
      onOk={send}
      onCancel={() => (shipped.length > 0 ? done(shipped) : close())}
    >
      <Field id="go-bulk-company" label={input.company!.label} required>
        <AutoComplete
          id="go-bulk-company"
          className="k-fill"
          value={company}
          options={COMPANIES.map((label) => ({ value: text(label) }))}
          onChange={(value) => setCompany(value as string)}
        />
      </Field>
      <div className="go-scroll go-tall">
        <table className="go-table">
          <thead>
            <tr>
              <th>{text(['订单号', 'Order no.'])}</th>
              <th>{text(['待发商品', 'Goods left'])}</th>
              <th>{text(input.trackingNo!.label)}</th>
            </tr>
          </thead>
          <tbody>
            {able.map((row, index) => (
              <tr key={row.id}>
                <td>{String(row.code)}</td>
                <td className="k-small">
                  {orders[index]?.data?.lines
                    .filter((line) => line.unshipped - line.held > 0)
                    .map((line) => `${line.productName} ${line.specName} × ${line.unshipped - line.held}`)
                    .join('；') ?? '…'}
                </td>
                <td>
                  {shipped.includes(row.id) ? (
                    <span className="k-good">{text(['已发货', 'Shipped'])}</span>
                  ) : (
                    <>
                      <Input
                        aria-label={`${String(row.code)} ${text(input.trackingNo!.label)}`}
                        value={numbers[row.id] ?? ''}
                        maxLength={32}
                        onChange={(event) => setNumbers({ ...numbers, [row.id]: event.target.value })}
                      />
                      {results[row.id] && <p className="k-problem">{results[row.id]}</p>}
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </AppModal>
  );
}
