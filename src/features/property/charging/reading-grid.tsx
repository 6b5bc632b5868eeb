import { useState } from 'react';
import { Button, Checkbox, DatePicker, Input, Skeleton } from 'antd';
import dayjs from 'dayjs';
import { useQuery } from '@tanstack/react-query';
import { ApiError, call } from '../../../kernel/client/api-client.ts';
import { message } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { NumberText } from '../../../kernel/client/parts/number-text.tsx';
import { keysOf, type RowData } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { fill } from '../../../kernel/contract/label.ts';

/** Meters of a grid at most. */
const SHOWN = 100;

interface Entry {
  readonly value: string;
  readonly rolledOver?: boolean;
  readonly confirmed?: boolean;
  readonly problem?: string;
  readonly saved?: boolean;
}

/** 批量抄表: the meters that were not read this month, one behind the other; each is kept by itself. */
export function ReadingGrid({ close, done }: { readonly close: () => void; readonly done: () => void }) {
  const text = useText();
  const [readOn, setReadOn] = useState(businessDayOf(new Date()));
  const [find, setFind] = useState('');
  const [entries, setEntries] = useState<Readonly<Record<string, Entry>>>({});
  const [busy, setBusy] = useState(false);
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.all('meter'), 'grid', find],
    queryFn: ({ signal }) =>
      call<{ rows: readonly RowData[]; total: number }>(
        'GET',
        `/api/jinmao/web/meter/page?tab=unread&limit=${SHOWN}${find ? `&searchVal=${encodeURIComponent(find)}` : ''}`,
        { signal, quiet: true },
      ),
  });
  const set = (id: string, more: Partial<Entry>) =>
    setEntries((all) => {
      const { problem: _problem, ...entry } = all[id] ?? { value: '' };
      return { ...all, [id]: { ...entry, ...more } };
    });
  const open = Object.entries(entries).filter(([, one]) => one.value !== '' && !one.saved);
  const save = async () => {
    setBusy(true);
    let kept = 0;
    for (const [meter, one] of open)
      try {
        await call('POST', '/api/jinmao/web/meterReading', {
          body: {
            meter,
            readOn,
            value: one.value,
            rolledOver: one.rolledOver ?? false,
            confirmed: one.confirmed ?? false,
          },
          quiet: true,
        });
        kept += 1;
        set(meter, { saved: true });
      } catch (fault) {
        set(meter, { problem: wordsOf(fault) });
      }
    setBusy(false);
    if (kept === open.length) {
      message.success(text(fill(['已保存 {n} 条读数', '{n} {n|reading|readings} kept'], { n: kept })), 3);
      done();
    }
  };
  return (
    <AppModal
      open
      width={860}
      title={text(['批量抄表', 'Read meters'])}
      onCancel={() => (Object.values(entries).some((one) => one.saved) ? done() : close())}
      footer={
        <Button type="primary" loading={busy} disabled={open.length === 0} onClick={() => void save()}>
          {text([`保存 ${open.length} 条`, `Keep ${open.length}`])}
        </Button>
      }
    >
      <div className="meter-grid-head">
        <label>
          {text(['抄表日', 'Read on'])}{' '}
          <DatePicker
            value={dayjs(readOn)}
            allowClear={false}
            aria-label={text(['抄表日', 'Read on'])}
            disabledDate={(day) => day.isAfter(dayjs(), 'day')}
            onChange={(day) => day && setReadOn(day.format('YYYY-MM-DD'))}
          />
        </label>
        <Input.Search
          allowClear
          aria-label={text(['表号或位置', 'Number or place'])}
          placeholder={text(['表号或位置', 'Number or place'])}
          onSearch={setFind}
        />
      </div>
      {isError && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {!data && !isError && <Skeleton active paragraph={{ rows: 6 }} />}
      {data?.rows.length === 0 && (
        <p className="k-quiet">{text(['本月都已抄表', 'Every meter was read this month'])}</p>
      )}
      {data && data.rows.length > 0 && (
        <div className="meter-grid">
          <table className="charging-trial">
            <thead>
              <tr>
                <th scope="col">{text(['表号', 'Meter'])}</th>
                <th scope="col">{text(['位置', 'Where'])}</th>
                <th scope="col">{text(['上次', 'Last'])}</th>
                <th scope="col">{text(['本次', 'This'])}</th>
                <th scope="col">{text(['用量', 'Usage'])}</th>
                <th scope="col">{text(['核对', 'Check'])}</th>
              </tr>
            </thead>
            <tbody>
              {data.rows.map((row) => {
                const entry = entries[row.id] ?? { value: '' };
                return (
                  <tr key={row.id}>
                    <th scope="row">
                      {String(row.number)} <span className="k-quiet">{(row.item as RefValue).title}</span>
                    </th>
                    <td>
                      {(row.house as RefValue | null)?.title ??
                        [(row.building as RefValue | null)?.title, row.place].filter(Boolean).join(' ')}
                    </td>
                    <td>{String(row.lastValue)}</td>
                    <td>
                      <NumberText
                        value={entry.value}
                        scale={3}
                        min={0}
                        max={999_999_999}
                        label={`${text(['本次读数', 'This reading'])} ${String(row.number)}`}
                        disabled={entry.saved === true || busy}
                        onChange={(value) => set(row.id, { value })}
                      />
                      {entry.problem && <div role="alert">{entry.problem}</div>}
                    </td>
                    <td>{usageOf(row, entry)}</td>
                    <td>
                      {entry.saved ? (
                        text(['已保存', 'Kept'])
                      ) : (
                        <>
                          <Checkbox
                            checked={entry.rolledOver ?? false}
                            onChange={(event) => set(row.id, { rolledOver: event.target.checked })}
                          >
                            {text(['翻转', 'Rolled over'])}
                          </Checkbox>
                          <Checkbox
                            checked={entry.confirmed ?? false}
                            onChange={(event) => set(row.id, { confirmed: event.target.checked })}
                          >
                            {text(['已核对', 'Confirmed'])}
                          </Checkbox>
                        </>
                      )}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
          {data.total > data.rows.length && (
            <p className="k-quiet">
              {text([
                `共 ${data.total} 块，先显示 ${data.rows.length} 块`,
                `${data.total} meters, the first ${data.rows.length} are shown`,
              ])}
            </p>
          )}
        </div>
      )}
    </AppModal>
  );
}

/** What was used by what is typed; the server says the last word. */
function usageOf(row: RowData, entry: Entry): string {
  if (entry.value === '') return '';
  const turn = entry.rolledOver ? Number(row.maxValue) + 1 : 0;
  const usage = (Number(entry.value) + turn - Number(row.lastValue)) * Number(row.multiplier);
  return String(Math.round(usage * 1_000) / 1_000);
}

function wordsOf(fault: unknown): string {
  if (!(fault instanceof ApiError)) return String(fault);
  return Object.values(fault.fields).join('；') || fault.message;
}
