import { useState } from 'react';
import { Button } from 'antd';
import { DownOutlined, UpOutlined } from '@ant-design/icons';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { moneyText, NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { useSession } from '../../../kernel/client/session.ts';
import { useView } from '../../../kernel/client/view.ts';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { CASE_REASONS } from '../../../domain/after-sale/case.rules.ts';
import { CASE_ROOT } from './case-calls.ts';
import type { CaseFigures } from './case-parts.ts';
import '../../../kernel/client/report/report.css';
import './case.css';

const DayRange = lazyPart(() =>
  import('../../../kernel/client/parts/day-range.tsx').then((module) => module.DayRange),
);
const DAYS = 30;

const percent = (part: number, whole: number) =>
  whole === 0 ? NOTHING : `${((100 * part) / whole).toFixed(1)}%`;

/** Figures of a range above the list; each opens the cases it counts. */
export function CaseHead() {
  const text = useText();
  const view = useView();
  const isMerchant = useSession((session) => session.info?.tenantType === 2);
  const [open, setOpen] = useState(false);
  const [range, setRange] = useState<readonly [string, string]>(() => [
    businessDayOf(new Date(Date.now() - (DAYS - 1) * 86_400_000)),
    businessDayOf(new Date()),
  ]);
  const [from, to] = range;
  const { data } = useQuery({
    queryKey: ['afterSale', 'figures', from, to],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<CaseFigures>('GET', `${CASE_ROOT}/figures?from=${from}&to=${to}`, { signal, quiet: true }),
  });
  const days = `${from}~${to}`;
  const drill = (filters: Record<string, string>) =>
    view.setQuery(new URLSearchParams({ tab: 'all', ...filters, sort: '-appliedAt' }));
  const cards: readonly {
    readonly label: Label;
    readonly formula: Label;
    readonly value: string | undefined;
    readonly note: string | undefined;
    readonly filters: Record<string, string>;
  }[] = [
    {
      label: ['申请数', 'Applied'],
      formula: ['期间内申请的售后单', 'Cases applied for in the range'],
      value: data && String(data.applied),
      note: undefined,
      filters: { appliedAt: days },
    },
    {
      label: ['同意率', 'Agreed'],
      formula: ['同意数 ÷ 期间内审核数', 'Agreed ÷ decided in the range'],
      value: data && percent(data.agreed, data.decided),
      note: data && `${data.agreed} / ${data.decided}`,
      filters: { decidedAt: days },
    },
    {
      label: ['平均审核时长', 'Time to decide'],
      formula: ['工作时间内从申请到首次审核', 'Business time from application to the first decision'],
      value: data && (data.averageMinutes === null ? NOTHING : text(minutesLabel(data.averageMinutes))),
      note: undefined,
      filters: { decidedAt: days },
    },
    {
      label: ['退款金额', 'Refunded'],
      formula: ['期间内退款成功的现金合计', 'Cash of refunds that succeeded in the range'],
      value: data && `¥${moneyText(data.refunded)}`,
      note: data && text(fill(['{n}单', '{n} {n|case|cases}'], { n: data.refundedCases })),
      filters: { refundedAt: days },
    },
    {
      label: ['售后率', 'Rate'],
      formula: ['申请数 ÷ 期间内完成的订单行', 'Cases ÷ order lines completed in the range'],
      value: data && percent(data.applied, data.linesCompleted),
      note: data && `${data.applied} / ${data.linesCompleted}`,
      filters: { appliedAt: days },
    },
  ];
  return (
    <section className="as-head" aria-label={text(['售后概览', 'Figures of cases'])}>
      <header>
        <div className="as-head-range">
          <DayRange whole value={range} onChange={setRange} label={text(['统计期间', 'Range'])} />
        </div>
        <Button
          type="text"
          size="small"
          aria-expanded={open}
          icon={open ? <UpOutlined /> : <DownOutlined />}
          onClick={() => setOpen(!open)}
        >
          {text(isMerchant ? ['原因分布', 'Reasons'] : ['原因与商户', 'Reasons and merchants'])}
        </Button>
      </header>
      <div className="k-figures">
        {cards.map((card) => (
          <button
            key={card.label[1]}
            type="button"
            className="k-figure"
            title={`${text(card.label)} · ${text(card.formula)}`}
            onClick={() => drill(card.filters)}
          >
            <span className="k-figure-label">{text(card.label)}</span>
            <span className="k-figure-value">{card.value ?? <i className="k-figure-wait" />}</span>
            <span className="k-figure-foot k-quiet">{card.note ?? ''}</span>
          </button>
        ))}
      </div>
      {open && data && (
        <div className="as-more">
          <Bars data={data} onOpen={(reason) => drill({ appliedAt: days, reasonCode: reason })} />
          {!isMerchant && (
            <Merchants data={data} onOpen={(merchant, by) => drill({ [by]: days, merchant })} />
          )}
        </div>
      )}
    </section>
  );
}

function Bars(props: { readonly data: CaseFigures; readonly onOpen: (reason: string) => void }) {
  const text = useText();
  const { reasons } = props.data;
  const most = Math.max(1, ...reasons.map((one) => one.count));
  if (reasons.length === 0)
    return <p className="k-quiet">{text(['期间内没有申请', 'No cases in the range'])}</p>;
  return (
    <ul className="as-bars">
      {reasons.map((one) => (
        <li key={one.reason}>
          <button type="button" onClick={() => props.onOpen(one.reason)}>
            <span>{text(CASE_REASONS[one.reason as keyof typeof CASE_REASONS].label)}</span>
            <i aria-hidden="true" style={{ width: `${(100 * one.count) / most}%` }} />
            <span className="k-number">{one.count}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** A figure of the table that opens its cases. */
function Figure(props: { readonly value: string; readonly onOpen: (() => void) | undefined }) {
  return (
    <td className="k-number">
      {props.onOpen ? (
        <button type="button" className="k-link" onClick={props.onOpen}>
          {props.value}
        </button>
      ) : (
        props.value
      )}
    </td>
  );
}

function Merchants(props: {
  readonly data: CaseFigures;
  readonly onOpen: (merchant: string, by: 'appliedAt' | 'decidedAt' | 'refundedAt') => void;
}) {
  const text = useText();
  return (
    <div className="as-scroll">
      <table className="as-table">
        <thead>
          <tr>
            <th>{text(['商户', 'Merchant'])}</th>
            <th className="k-number">{text(['申请数', 'Applied'])}</th>
            <th className="k-number">{text(['同意率', 'Agreed'])}</th>
            <th className="k-number">{text(['退款金额', 'Refunded'])}</th>
          </tr>
        </thead>
        <tbody>
          {props.data.merchants.map((one) => (
            <tr key={one.id}>
              <td>{one.name}</td>
              <Figure value={String(one.applied)} onOpen={() => props.onOpen(one.id, 'appliedAt')} />
              <Figure
                value={percent(one.agreed, one.decided)}
                onOpen={one.decided > 0 ? () => props.onOpen(one.id, 'decidedAt') : undefined}
              />
              <Figure
                value={moneyText(one.refunded)}
                onOpen={one.refunded === '0.00' ? undefined : () => props.onOpen(one.id, 'refundedAt')}
              />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function minutesLabel(minutes: number): Label {
  const hours = Math.floor(minutes / 60);
  return hours > 0
    ? [`${hours}小时${minutes % 60}分`, `${hours} h ${minutes % 60} min`]
    : [`${minutes}分钟`, `${minutes} min`];
}
