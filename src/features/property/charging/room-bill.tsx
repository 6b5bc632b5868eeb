import { useState } from 'react';
import { Button, Checkbox, DatePicker, Input, Radio, Select, Skeleton, Tag } from 'antd';
import dayjs from 'dayjs';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { message, tellFault } from '../../../kernel/client/feedback.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { NumberText } from '../../../kernel/client/parts/number-text.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { UploadInput } from '../../../kernel/client/form/upload-input.tsx';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { bill } from './bill.contract.ts';
import { ALL_CHANNELS, CHANNELS, PREPAID } from './charging-words.rules.ts';
import { NoticeDialog } from './notice-print.tsx';
import { PayCodeButtons, PayCodeDialog } from './pay-code.tsx';
import { Fact, ReceiptDialog, type ReceiptData } from './receipt.tsx';

type Kind = keyof typeof PREPAID;
type Channel = keyof typeof CHANNELS;

interface Room {
  readonly slip: boolean;
  readonly ahead: readonly { readonly id: string; readonly name: string }[];
  readonly house: {
    readonly id: string;
    readonly title: string;
    readonly project: string;
    readonly debtor: string;
  };
  readonly bills: readonly {
    readonly id: string;
    readonly code: string;
    readonly item: string;
    readonly from: string;
    readonly to: string;
    readonly due: string;
    readonly principal: string;
    readonly lateFee: string;
    readonly owed: string;
    readonly disputed: boolean;
    readonly held: boolean;
  }[];
  readonly online: string | null;
  readonly prepaid: Readonly<Record<Kind, string>>;
  readonly payments: readonly {
    readonly id: string;
    readonly receiptNo: string;
    readonly payer: string;
    readonly channel: keyof typeof ALL_CHANNELS;
    readonly amount: string;
    readonly toPrepaid: string;
    readonly valueDate: string;
    readonly at: string;
    readonly cashier: string;
  }[];
}

interface Quote {
  readonly quoteId: string;
  readonly lines: readonly {
    readonly billId: string;
    readonly code: string;
    readonly item: string;
    readonly receiptItem: string;
    readonly from: string;
    readonly to: string;
    readonly principal: string;
    readonly lateFee: string;
    readonly paid: string;
    readonly working: {
      readonly ppm: number;
      readonly once: string;
      readonly capped: boolean;
      readonly spans: readonly {
        readonly from: string;
        readonly to: string;
        readonly days: number;
        readonly base: string;
      }[];
    };
  }[];
  readonly principal: string;
  readonly lateFee: string;
  readonly discount: string;
  readonly discounts: readonly {
    readonly ruleId: string;
    readonly name: string;
    readonly used: boolean;
    readonly amount: string;
    readonly months: number;
    readonly reason: string;
  }[];
  readonly due: string;
  readonly amount: string;
  readonly rest: string;
}

interface Paid {
  /** Number of a transfer that waits for its confirmation. */
  readonly slip: string;
  readonly receiptNo: string;
  readonly amount: string;
  readonly toPrepaid: string;
  readonly change: string;
}

const today = () => businessDayOf(new Date());

/** A house with what it owes on a day; nothing is asked before one is chosen. */
function useRoom(houseId: string | undefined, valueDate: string) {
  return useQuery({
    queryKey: ['resource', 'bill', 'room', houseId, valueDate],
    enabled: houseId !== undefined,
    queryFn: ({ signal }) =>
      call<Room>('GET', '/api/jinmao/web/bill/room', { query: { houseId, valueDate }, signal, quiet: true }),
  });
}

/** The cashier's workplace: one house, its open bills, a quote, the money and the receipt. */
export function RoomBill() {
  const text = useText();
  const view = useView();
  const houseId = view.query.get('house') ?? undefined;
  const { data: opened } = useRoom(houseId, today());
  const known = opened ? { [opened.house.id]: opened.house.title } : {};
  const choose = (id: string | undefined) => {
    const query = new URLSearchParams(view.query);
    if (id) query.set('house', id);
    else query.delete('house');
    view.setQuery(query);
  };
  return (
    <>
      <div className="room-pick">
        <RemoteSelect
          target="chargedHouse"
          label={text(['房屋', 'House'])}
          prefix={text(['房屋', 'House'])}
          placeholder={text(['输入楼栋、房号选择房屋', 'Type building and number'])}
          value={houseId ? [houseId] : []}
          known={known}
          onChange={(ids) => choose(ids[0])}
        />
      </div>
      {houseId ? (
        <OneRoom key={houseId} houseId={houseId} />
      ) : (
        <p className="k-quiet">
          {text(['选择房屋后显示欠费、试算与收款', 'Choose a house to see what it owes and to collect'])}
        </p>
      )}
    </>
  );
}

function OneRoom({ houseId }: { readonly houseId: string }) {
  const text = useText();
  const held = useHeld(bill);
  const client = useQueryClient();
  const [valueDate, setValueDate] = useState(today);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [receipt, setReceipt] = useState<ReceiptData>();
  const [code, setCode] = useState<string>();
  const [notice, setNotice] = useState(false);
  const { data, isError, error, refetch } = useRoom(houseId, valueDate);
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active paragraph={{ rows: 8 }} />;
  // What is being paid online cannot be taken at the counter: it is neither ticked nor can be.
  const free = data.bills.filter((one) => !one.held);
  const ticked = free.filter((one) => !left.has(one.id));
  const refresh = () => {
    for (const name of ['bill', 'billPayment', 'prepaidAccount'])
      void client.invalidateQueries({ queryKey: ['resource', name] });
  };
  const toggle = (id: string) => {
    const next = new Set(left);
    if (!next.delete(id)) next.add(id);
    setLeft(next);
  };
  return (
    <div className="room">
      <div>
        <dl className="room-head">
          <Fact term={text(['房屋', 'House'])}>
            {data.house.project} {data.house.title}
          </Fact>
          <Fact term={text(['业主', 'Owner'])}>{data.house.debtor || '–'}</Fact>
          {(Object.keys(PREPAID) as Kind[]).map((kind) => (
            <Fact key={kind} term={text(['预存·', 'Prepaid, ']) + text(PREPAID[kind].label)}>
              <MoneyText value={data.prepaid[kind]} />
            </Fact>
          ))}
        </dl>
        <section className="room-card" aria-label={text(['待缴账单', 'Open bills'])}>
          <h2>
            {text(['待缴账单', 'Open bills'])}{' '}
            {held('btn_print') && ticked.length > 0 && (
              <button type="button" className="k-link k-small" onClick={() => setNotice(true)}>
                {text(['打印通知单', 'Payment notice'])}
              </button>
            )}
          </h2>
          {data.bills.length === 0 ? (
            <p className="k-quiet">
              {text(['没有欠费，可直接预存', 'Nothing is owed; money can be paid ahead'])}
            </p>
          ) : (
            <table className="charging-rows">
              <thead>
                <tr>
                  <th scope="col">
                    <Checkbox
                      checked={free.length > 0 && ticked.length === free.length}
                      indeterminate={ticked.length > 0 && ticked.length < free.length}
                      disabled={free.length === 0}
                      aria-label={text(['全选', 'All'])}
                      onChange={() =>
                        setLeft(
                          ticked.length === free.length ? new Set(free.map((one) => one.id)) : new Set(),
                        )
                      }
                    />
                  </th>
                  <th scope="col">{text(['收费项目', 'Fee item'])}</th>
                  <th scope="col">{text(['账期', 'Period'])}</th>
                  <th scope="col">{text(['到期日', 'Due'])}</th>
                  <th scope="col" className="charging-number">
                    {text(['本金', 'Principal'])}
                  </th>
                  <th scope="col" className="charging-number">
                    {text(['滞纳金', 'Late fee'])}
                  </th>
                  <th scope="col" className="charging-number">
                    {text(['应缴', 'To pay'])}
                  </th>
                </tr>
              </thead>
              <tbody>
                {data.bills.map((one) => (
                  <tr key={one.id}>
                    <td>
                      <Checkbox
                        checked={!one.held && !left.has(one.id)}
                        disabled={one.held}
                        aria-label={`${one.item} ${one.from}`}
                        onChange={() => toggle(one.id)}
                      />
                    </td>
                    <td title={one.code}>
                      {one.item} {one.disputed && <Tag color="warning">{text(['争议', 'Disputed'])}</Tag>}
                      {one.held && <Tag color="processing">{text(['线上支付中', 'Being paid online'])}</Tag>}
                    </td>
                    <td>
                      {one.from} ~ {one.to}
                    </td>
                    <td>{one.due}</td>
                    <td className="charging-number">
                      <MoneyText value={one.principal} />
                    </td>
                    <td className="charging-number">
                      <MoneyText value={one.lateFee} />
                    </td>
                    <td className="charging-number">
                      <MoneyText value={one.owed} strong />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </section>
        {held('btn_payCode') && (
          <section className="room-card" aria-label={text(['线上收款', 'Online'])}>
            <h2>{text(['线上收款', 'Online'])}</h2>
            {data.online ? (
              <Button onClick={() => setCode(data.online!)}>
                {text(['查看支付中的收款码', 'Show the code that is being paid'])}
              </Button>
            ) : (
              <PayCodeButtons
                houseId={houseId}
                billIds={ticked.map((one) => one.id)}
                started={(id) => {
                  setCode(id);
                  refresh();
                }}
              />
            )}
          </section>
        )}
        {held('btn_collect') && data.ahead.length > 0 && <Ahead room={data} />}
        <History room={data} />
      </div>
      {held('btn_collect') && (
        <Cashier
          key={`${ticked.map((one) => one.id).join()}|${valueDate}|${data.payments[0]?.id ?? ''}`}
          room={data}
          billIds={ticked.map((one) => one.id)}
          valueDate={valueDate}
          setValueDate={held('btn_backdate') ? setValueDate : undefined}
          onPaid={(paid, quote, channel, payer) => {
            if (paid.receiptNo)
              setReceipt({
                receiptNo: paid.receiptNo,
                project: data.house.project,
                house: data.house.title,
                payer: payer || data.house.debtor,
                channel,
                amount: paid.amount,
                toPrepaid: paid.toPrepaid,
                valueDate,
                lines: quote.lines
                  .filter((line) => Number(line.paid) > 0)
                  .map((line) => ({
                    item: line.receiptItem,
                    from: line.from,
                    to: line.to,
                    amount: line.paid,
                  })),
              });
            setLeft(new Set());
            refresh();
          }}
        />
      )}
      {code && <PayCodeDialog id={code} close={() => setCode(undefined)} changed={refresh} />}
      {notice && (
        <NoticeDialog
          notices={[
            {
              project: data.house.project,
              house: data.house.title,
              debtor: data.house.debtor,
              lines: ticked,
            },
          ]}
          close={() => setNotice(false)}
        />
      )}
      {receipt && <ReceiptDialog data={receipt} close={() => setReceipt(undefined)} />}
    </div>
  );
}

function Cashier(props: {
  readonly room: Room;
  readonly billIds: readonly string[];
  readonly valueDate: string;
  readonly setValueDate: ((day: string) => void) | undefined;
  readonly onPaid: (paid: Paid, quote: Quote, channel: Channel, payer: string) => void;
}) {
  const text = useText();
  const { room, billIds, valueDate } = props;
  const [amount, setAmount] = useState<string>();
  const [asked, setAsked] = useState<string>();
  const [channel, setChannel] = useState<Channel>('cash');
  const [received, setReceived] = useState<string>();
  const [kind, setKind] = useState<Kind>('general');
  const [payer, setPayer] = useState('');
  const [tradeNo, setTradeNo] = useState('');
  const [remark, setRemark] = useState('');
  const [slips, setSlips] = useState<readonly FileValue[]>([]);
  const owed = room.bills.filter((one) => billIds.includes(one.id)).map((one) => `${one.id}:${one.owed}`);
  const ready = billIds.length > 0 || Number(asked) > 0;
  const quote = useQuery({
    // Asked for what the room shows, and never before the room itself is fresh: paid bills have no quote.
    queryKey: ['billQuote', room.house.id, owed, valueDate, asked, room.payments[0]?.id],
    enabled: ready,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    queryFn: () =>
      call<Quote>('POST', '/api/jinmao/web/bill/quote', {
        body: { houseId: room.house.id, billIds, valueDate, ...(asked ? { amount: asked } : {}) },
        quiet: true,
      }),
  });
  const { data } = quote;
  const asksSlip = channel === 'transfer' && room.slip;
  const handed = received ?? data?.amount ?? '';
  const collect = useMutation({
    mutationFn: () =>
      call<Paid>('POST', '/api/jinmao/web/bill/collect', {
        body: {
          quoteId: data!.quoteId,
          channel,
          received: channel === 'cash' ? handed : data!.amount,
          prepaidKind: kind,
          payer,
          tradeNo,
          remark,
          slipIds: asksSlip ? slips.map((one) => one.id) : [],
        },
      }),
    onSuccess: (paid) => {
      message.success(
        text(
          paid.slip
            ? [`已登记 ${paid.slip}，待另一人确认`, `${paid.slip} recorded, another person confirms it`]
            : [`已收款，收据号 ${paid.receiptNo}`, `Collected, receipt ${paid.receiptNo}`],
        ),
        3,
      );
      props.onPaid(paid, data!, channel, payer);
    },
    onError: (error) => {
      tellFault(error);
      void quote.refetch();
    },
  });
  const change = data && channel === 'cash' ? Number(handed || 0) - Number(data.amount) : 0;
  return (
    <aside className="room-side room-card" aria-label={text(['收款', 'Collect'])}>
      <h2>{text(['收款', 'Collect'])}</h2>
      <div className="room-fields">
        <Field label={text(['收款日期', 'Day'])}>
          <DatePicker
            value={dayjs(valueDate)}
            allowClear={false}
            disabled={!props.setValueDate}
            aria-label={text(['收款日期', 'Day'])}
            disabledDate={(day) =>
              day.isAfter(dayjs(), 'day') || day.isBefore(dayjs().subtract(30, 'day'), 'day')
            }
            onChange={(day) => day && props.setValueDate?.(day.format('YYYY-MM-DD'))}
          />
        </Field>
        <Field label={text(['本次金额', 'Amount'])}>
          <NumberText
            value={amount ?? data?.amount ?? ''}
            label={text(['本次金额', 'Amount'])}
            unit={text(['元', 'yuan'])}
            pad
            min={0.01}
            max={9_999_999.99}
            onChange={setAmount}
            onCommit={(value) => {
              setAmount(value);
              setAsked(value === '' ? undefined : value);
            }}
          />
        </Field>
        <Field label={text(['收款方式', 'Channel'])}>
          <Radio.Group
            value={channel}
            aria-label={text(['收款方式', 'Channel'])}
            options={(Object.keys(CHANNELS) as Channel[]).map((value) => ({
              value,
              label: text(CHANNELS[value]),
            }))}
            onChange={(event) => setChannel(event.target.value as Channel)}
          />
        </Field>
        {(channel === 'prepaid' || Number(data?.rest ?? 0) > 0) && (
          <Field
            label={
              channel === 'prepaid' ? text(['扣款账户', 'Paid from']) : text(['余额存入', 'Rest goes to'])
            }
          >
            <Select
              value={kind}
              aria-label={text(['预存账户', 'Prepaid account'])}
              options={(Object.keys(PREPAID) as Kind[]).map((value) => ({
                value,
                label: `${text(PREPAID[value].label)} ${moneyText(room.prepaid[value])}`,
              }))}
              onChange={setKind}
            />
          </Field>
        )}
        {channel === 'cash' && (
          <Field label={text(['实收', 'Received'])}>
            <NumberText
              value={handed}
              label={text(['实收', 'Received'])}
              unit={text(['元', 'yuan'])}
              pad
              min={0}
              max={9_999_999.99}
              onChange={setReceived}
            />
          </Field>
        )}
        {(channel === 'pos' || channel === 'transfer') && (
          <Field label={text(['流水号', 'Trade no.'])}>
            <Input
              value={tradeNo}
              maxLength={64}
              aria-label={text(['流水号', 'Trade no.'])}
              onChange={(event) => setTradeNo(event.target.value)}
            />
          </Field>
        )}
        {asksSlip && (
          <Field label={text(['转账凭证', 'Transfer slip'])}>
            <UploadInput
              image
              max={9}
              value={slips}
              label={text(['转账凭证', 'Transfer slip'])}
              onChange={setSlips}
            />
          </Field>
        )}
        <Field label={text(['缴费人', 'Payer'])}>
          <Input
            value={payer}
            maxLength={40}
            aria-label={text(['缴费人', 'Payer'])}
            onChange={(event) => setPayer(event.target.value)}
          />
        </Field>
        <Field label={text(['备注', 'Remark'])}>
          <Input
            value={remark}
            maxLength={200}
            aria-label={text(['备注', 'Remark'])}
            onChange={(event) => setRemark(event.target.value)}
          />
        </Field>
      </div>
      {quote.isError && <ErrorPanel error={quote.error} onRetry={() => void quote.refetch()} />}
      {data && (
        <>
          <div className="room-due">
            <span>{text(['应缴合计', 'Due'])}</span>
            <MoneyText value={data.due} strong />
          </div>
          {data.discounts.length > 0 && <Discounts quote={data} />}
          <details>
            <summary>{text(['计算过程', 'Working'])}</summary>
            <Working quote={data} />
          </details>
          {Number(data.rest) > 0 && (
            <p>
              {text(['存入预存 ', 'Paid ahead '])}
              <MoneyText value={data.rest} strong />
            </p>
          )}
          {change < 0 && (
            <p className="k-bad">
              {text(['实收不足，还差 ', 'Not enough yet, missing '])}
              <MoneyText value={(-change).toFixed(2)} strong />
            </p>
          )}
          {change > 0 && (
            <p>
              {text(['找零 ', 'Change '])}
              <MoneyText value={change.toFixed(2)} strong />
            </p>
          )}
        </>
      )}
      <Button
        type="primary"
        block
        disabled={
          !data ||
          quote.isFetching ||
          change < 0 ||
          Number(data.amount) <= 0 ||
          (asksSlip && (slips.length === 0 || tradeNo === ''))
        }
        loading={collect.isPending}
        onClick={() => collect.mutate()}
      >
        {text(['确认收款', 'Collect'])} {data ? moneyText(data.amount) : ''}
      </Button>
    </aside>
  );
}

/** Makes the bills of coming months, which are then paid like others. */
function Ahead({ room }: { readonly room: Room }) {
  const text = useText();
  const client = useQueryClient();
  const [item, setItem] = useState(room.ahead[0]!.id);
  const [months, setMonths] = useState(12);
  const make = useMutation({
    mutationFn: () =>
      call<{ bills: number; amount: string }>('POST', '/api/jinmao/web/bill/ahead', {
        body: { houseId: room.house.id, itemId: item, months },
      }),
    onSuccess: (made) => {
      message.success(
        text(
          fill(['已生成 {n} 张账单，共 {sum}', '{n} {n|bill|bills} made, {sum}'], {
            n: made.bills,
            sum: moneyText(made.amount),
          }),
        ),
        3,
      );
      void client.invalidateQueries({ queryKey: ['resource', 'bill'] });
    },
    onError: tellFault,
  });
  return (
    <section className="room-card" aria-label={text(['预缴账期', 'Months ahead'])}>
      <h2>{text(['预缴账期', 'Months ahead'])}</h2>
      <div className="room-ahead">
        <Select
          value={item}
          aria-label={text(['收费项目', 'Fee item'])}
          options={room.ahead.map((one) => ({ value: one.id, label: one.name }))}
          onChange={setItem}
        />
        <Select
          value={months}
          aria-label={text(['月数', 'Months'])}
          options={[1, 3, 6, 12, 24].map((value) => ({
            value,
            label: text(fill(['{n} 个月', '{n} {n|month|months}'], { n: value })),
          }))}
          onChange={setMonths}
        />
        <Button loading={make.isPending} onClick={() => make.mutate()}>
          {text(['生成账单', 'Make the bills'])}
        </Button>
      </div>
    </section>
  );
}

/** Which discount is used, and why the others are not. */
function Discounts({ quote }: { readonly quote: Quote }) {
  const text = useText();
  return (
    <ul className="room-discounts">
      {quote.discounts.map((one) => (
        <li key={one.ruleId} className={one.used ? '' : 'k-quiet'}>
          {one.name}
          {one.used ? (
            <>
              {one.months > 0 && ` ${text([`赠 ${one.months} 期`, `${one.months} given`])} `}
              <MoneyText value={`-${one.amount}`} />
            </>
          ) : (
            text([`：${one.reason}`, `: ${one.reason}`])
          )}
        </li>
      ))}
    </ul>
  );
}

function Working({ quote }: { readonly quote: Quote }) {
  const text = useText();
  return (
    <table className="charging-rows">
      <tbody>
        {quote.lines.map((line) => (
          <tr key={line.billId}>
            <th scope="row">
              {line.item} {line.from.slice(0, 7)}
            </th>
            <td className="k-small">
              {text(['本金 ', 'Principal '])}
              {moneyText(line.principal)}
              {line.working.spans.map((span) => (
                <div key={span.from}>
                  {text(
                    fill(
                      [
                        '{from} 起 {n} 天 × {base} × {rate}%',
                        '{n} {n|day|days} from {from} × {base} × {rate} %',
                      ],
                      {
                        n: span.days,
                        from: span.from,
                        base: moneyText(span.base),
                        rate: line.working.ppm / 10_000,
                      },
                    ),
                  )}
                </div>
              ))}
              {Number(line.working.once) > 0 && (
                <div>
                  {text(['一次性 ', 'Once '])}
                  {moneyText(line.working.once)}
                </div>
              )}
              {line.working.capped && <div>{text(['已封顶', 'At its cap'])}</div>}
              {Number(line.lateFee) > 0 && (
                <div>
                  {text(['滞纳金 ', 'Late fee '])}
                  {moneyText(line.lateFee)}
                </div>
              )}
            </td>
            <td className="charging-number">
              <MoneyText value={line.paid} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function History({ room }: { readonly room: Room }) {
  const text = useText();
  if (room.payments.length === 0) return null;
  return (
    <section className="room-card room-history" aria-label={text(['缴费记录', 'Payments'])}>
      <h2>{text(['最近缴费', 'Latest payments'])}</h2>
      <table className="charging-rows">
        <tbody>
          {room.payments.map((one) => (
            <tr key={one.id}>
              <td>{one.receiptNo}</td>
              <td>{text(ALL_CHANNELS[one.channel])}</td>
              <td>{one.valueDate}</td>
              <td>{one.payer}</td>
              <td>{one.cashier || text(['系统', 'System'])}</td>
              <td className="charging-number">
                <MoneyText value={one.amount} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Field(props: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <div className="room-field">
      <span className="k-quiet">{props.label}</span>
      {props.children}
    </div>
  );
}
