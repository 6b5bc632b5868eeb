import { useState } from 'react';
import { Button, Skeleton } from 'antd';
import { LeftOutlined, RightOutlined } from '@ant-design/icons';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { OCCUPANCY_KINDS, positionOccupancy } from './position.contract.ts';
import { ContractLink } from './position-contracts.tsx';
import { daysOfYear } from './position.rules.ts';
import './position.css';

type Kind = keyof typeof OCCUPANCY_KINDS;

/** A year of a position, a line a month; days that are taken have the colour of their kind and say by whom. */
export function YearCalendar({ id }: { readonly id: string }) {
  const text = useText();
  const today = businessDayOf(new Date());
  const [year, setYear] = useState(() => Number(today.slice(0, 4)));
  const [chosen, setChosen] = useState<string>();
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.all(positionOccupancy.name), 'year', id, year],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<{ rows: readonly RowData[] }>('GET', `${rootOf(positionOccupancy)}/page`, {
        query: { position: id, within: `${year}-01-01~${year}-12-31`, page: '1', limit: '200' },
        signal,
        quiet: true,
      }),
  });
  if (isError && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active />;
  const rows = data.rows.filter((row) => row.standing !== 'released');
  const of = (day: string) => rows.find((row) => String(row.from) <= day && String(row.to) >= day);
  const shown = rows.find((row) => row.id === chosen);
  return (
    <section className="ps-year">
      <div className="ps-year-head">
        <Button
          icon={<LeftOutlined />}
          aria-label={text(['上一年', 'The year before'])}
          onClick={() => setYear(year - 1)}
        />
        <b>{year}</b>
        <Button
          icon={<RightOutlined />}
          aria-label={text(['下一年', 'The next year'])}
          onClick={() => setYear(year + 1)}
        />
        <Legend />
      </div>
      <div className="ps-year-scroll">
        <table>
          <tbody>
            {daysOfYear(year).map((days, month) => (
              <tr key={days[0]}>
                <th scope="row">{text([`${month + 1}月`, MONTHS[month]!])}</th>
                {days.map((day) => {
                  const row = of(day);
                  const mark = day === today ? ' ps-today' : '';
                  return (
                    <td key={day} className={mark}>
                      {row ? (
                        <button
                          type="button"
                          className={`ps-day ps-${String(row.kind)}`}
                          title={`${day} ${wordsOf(row, text)}`}
                          aria-pressed={row.id === chosen}
                          onClick={() => setChosen(row.id)}
                        >
                          {Number(day.slice(8))}
                        </button>
                      ) : (
                        <span className="ps-day">{Number(day.slice(8))}</span>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p role="status" className={shown ? '' : 'k-quiet'}>
        {shown ? (
          <>
            {`${String(shown.from)} – ${String(shown.to)} · ${wordsOf(shown, text)} `}
            {shown.contract && (
              <ContractLink id={(shown.contract as RefValue).id} code={(shown.contract as RefValue).title} />
            )}
          </>
        ) : (
          text(['点击有颜色的日期查看占用', 'Click a coloured day to see who has it'])
        )}
      </p>
    </section>
  );
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** What the colours mean. */
export function Legend() {
  const text = useText();
  return (
    <span className="ps-legend">
      {Object.entries(OCCUPANCY_KINDS).map(([kind, { label }]) => (
        <span key={kind}>
          <i className={`ps-${kind}`} />
          {text(label)}
        </span>
      ))}
    </span>
  );
}

/** An occupancy in a line: what, for whom, why. */
function wordsOf(row: RowData, text: ReturnType<typeof useText>): string {
  return [
    text(OCCUPANCY_KINDS[row.kind as Kind].label),
    row.client,
    row.reason,
    (row.holder as RefValue | null)?.title,
  ]
    .filter(Boolean)
    .join(' · ');
}
