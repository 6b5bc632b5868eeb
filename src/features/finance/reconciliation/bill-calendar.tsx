import { useState } from 'react';
import { Button } from 'antd';
import { LeftOutlined, RightOutlined } from '@ant-design/icons';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { channelBill } from './reconciliation.contract.ts';
import './reconciliation.css';

const pad = (value: number) => String(value).padStart(2, '0');

/** The month so many months from another, `2026-11`. */
const moved = (month: string, by: number) => {
  const [year, at] = month.split('-').map(Number) as [number, number];
  const count = year * 12 + at - 1 + by;
  return `${Math.floor(count / 12)}-${pad((count % 12) + 1)}`;
};

/** A month of bills, a line an account, a box a day; a click lists the bills of that account and day. */
export function BillCalendar() {
  const text = useText();
  const view = useView();
  const today = businessDayOf(new Date());
  const [month, setMonth] = useState(today.slice(0, 7));
  const [year, at] = month.split('-').map(Number) as [number, number];
  const last = new Date(Date.UTC(year, at, 0)).getUTCDate();
  const days = Array.from({ length: last }, (_, index) => `${month}-${pad(index + 1)}`);
  const { data } = useQuery({
    queryKey: [...keysOf.all(channelBill.name), 'month', month],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<{ rows: readonly RowData[] }>('GET', `${rootOf(channelBill)}/page`, {
        query: { billDate: `${month}-01~${month}-${pad(last)}`, page: '1', limit: '200', sort: 'billDate' },
        signal,
        quiet: true,
      }),
  });
  const rows = data?.rows ?? [];
  const accounts = new Map(
    rows.map((row) => [(row.account as RefValue).id, (row.account as RefValue).title] as const),
  );
  const show = (row: RowData) =>
    view.setQuery(
      new URLSearchParams({
        billDate: `${String(row.billDate)}~${String(row.billDate)}`,
        account: (row.account as RefValue).id,
      }),
    );
  return (
    <section className="recon-month" aria-label={text(['账单月历', 'Bills of the month'])}>
      <div className="recon-month-head">
        <Button
          size="small"
          icon={<LeftOutlined />}
          aria-label={text(['上个月', 'The month before'])}
          onClick={() => setMonth(moved(month, -1))}
        />
        <b>{month}</b>
        <Button
          size="small"
          icon={<RightOutlined />}
          aria-label={text(['下个月', 'The next month'])}
          disabled={month >= today.slice(0, 7)}
          onClick={() => setMonth(moved(month, 1))}
        />
        {accounts.size === 0 && (
          <span className="k-quiet">{text(['本月没有账单', 'No bills in this month'])}</span>
        )}
      </div>
      {accounts.size > 0 && (
        <div className="recon-month-scroll">
          <table>
            <tbody>
              {[...accounts].map(([id, title]) => (
                <tr key={id}>
                  <td role="rowheader">{title}</td>
                  {days.map((day) => {
                    const row = rows.find(
                      (each) => each.billDate === day && (each.account as RefValue).id === id,
                    );
                    const number = Number(day.slice(8));
                    return (
                      <td key={day}>
                        {row ? (
                          <button
                            type="button"
                            className={`recon-day recon-${String(row.state)}`}
                            title={`${day} ${text(channelBill.states![String(row.state)]!.label)} · ${text(['待处理', 'open'])} ${String(row.open)}`}
                            onClick={() => show(row)}
                          >
                            {Number(row.open) > 0 ? <b>{String(row.open)}</b> : number}
                          </button>
                        ) : (
                          <span className="recon-day k-quiet">{number}</span>
                        )}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
