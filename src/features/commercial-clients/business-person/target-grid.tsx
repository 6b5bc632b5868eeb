import './target-grid.css';
import { useState, type ClipboardEvent } from 'react';
import { Button, Input, Segmented, Skeleton } from 'antd';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { message, tellFault } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import {
  businessTarget,
  TARGET_VALUES,
  type TargetGrid as Grid,
  type TargetValue,
} from './business-target.contract.ts';

const NUMBER = /^\d{1,8}(\.\d{1,2})?$/;

/** Targets of a year: people down, months across, one value at a time. A block copied from a table is pasted from the cell on. */
export function TargetGrid() {
  const text = useText();
  const client = useQueryClient();
  const may = useHeld(businessTarget)('btn_target');
  const [year, setYear] = useState(() => Number(businessDayOf(new Date()).slice(0, 4)));
  const [value, setValue] = useState<TargetValue>('signedAmount');
  const [changed, setChanged] = useState<Readonly<Record<string, string>>>({});
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.all(businessTarget.name), 'grid', year],
    queryFn: ({ signal }) =>
      call<Grid>('GET', '/api/jinmao/web/businessTarget/grid', {
        query: { year: String(year) },
        signal,
        quiet: true,
      }),
  });
  const save = useMutation({
    mutationFn: () =>
      call('POST', '/api/jinmao/web/businessTarget/grid', {
        body: {
          value,
          cells: Object.entries(changed).map(([key, to]) => {
            const [staff, month] = key.split('.');
            return { staff, month, to: to.trim() === '' ? null : to.trim() };
          }),
        },
        idempotencyKey: newIdempotencyKey(),
      }),
    onSuccess: () => {
      setChanged({});
      void client.invalidateQueries({ queryKey: keysOf.all(businessTarget.name) });
      void message.success(text(['已保存', 'Saved']), 2);
    },
    onError: tellFault,
  });
  if (isError && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active />;
  const months = Array.from({ length: 12 }, (_, at) => `${year}-${String(at + 1).padStart(2, '0')}`);
  const stored = new Map(data.cells.map((cell) => [`${cell.staff}.${cell.month}`, cell[value]]));
  const whole = TARGET_VALUES[value].kind !== 'money';
  const bad = Object.values(changed).some(
    (one) => one.trim() !== '' && !(NUMBER.test(one.trim()) && !(whole && one.includes('.'))),
  );
  const show = (next: { year?: number; value?: TargetValue }) => {
    setChanged({});
    if (next.year) setYear(next.year);
    if (next.value) setValue(next.value);
  };
  const paste = (row: number, column: number) => (event: ClipboardEvent<HTMLInputElement>) => {
    const copied = event.clipboardData.getData('text').replace(/\r?\n$/, '');
    if (!/[\t\n]/.test(copied)) return;
    event.preventDefault();
    const fresh = { ...changed };
    for (const [down, line] of copied.split(/\r?\n/).entries())
      for (const [right, cell] of line.split('\t').entries()) {
        const person = data.people[row + down];
        const month = months[column + right];
        if (person && month && !data.frozen.includes(month))
          fresh[`${person.id}.${month}`] = cell.replaceAll(',', '').trim();
      }
    setChanged(fresh);
  };
  return (
    <section aria-label={text(['目标表', 'Targets of a year'])}>
      <div className="tg-tools">
        <Button
          size="small"
          onClick={() => show({ year: year - 1 })}
          aria-label={text(['上一年', 'Year before'])}
        >
          ‹
        </Button>
        <strong>{year}</strong>
        <Button
          size="small"
          onClick={() => show({ year: year + 1 })}
          aria-label={text(['下一年', 'Next year'])}
        >
          ›
        </Button>
        <Segmented
          size="small"
          value={value}
          onChange={(next) => show({ value: next })}
          options={(Object.keys(TARGET_VALUES) as TargetValue[]).map((key) => ({
            value: key,
            label: text(TARGET_VALUES[key].label),
          }))}
        />
        {may && (
          <Button
            size="small"
            type="primary"
            disabled={Object.keys(changed).length === 0 || bad}
            loading={save.isPending}
            onClick={() => save.mutate()}
          >
            {text(['保存', 'Save'])}
          </Button>
        )}
        <span className="k-quiet k-small">
          {bad
            ? text(['目标须为不小于 0 的数', 'A target is a number not below 0'])
            : text(['可从表格复制后整块粘贴', 'A block copied from a table can be pasted'])}
        </span>
      </div>
      <div className="tg-box">
        <table>
          <thead>
            <tr>
              <th scope="col">{text(['人员', 'Person'])}</th>
              {months.map((month) => (
                <th key={month} scope="col">
                  {month.slice(5)}
                  {data.frozen.includes(month) && ` ${text(['冻结', 'frozen'])}`}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.people.map((person, row) => (
              <tr key={person.id}>
                <th scope="row">{person.name}</th>
                {months.map((month, column) => {
                  const key = `${person.id}.${month}`;
                  const held = stored.get(key);
                  const shown = changed[key] ?? (held === null || held === undefined ? '' : String(held));
                  return (
                    <td key={month}>
                      {may && !data.frozen.includes(month) ? (
                        <Input
                          size="small"
                          value={shown}
                          maxLength={14}
                          aria-label={`${person.name} ${month}`}
                          onChange={(event) => setChanged({ ...changed, [key]: event.target.value })}
                          onPaste={paste(row, column)}
                        />
                      ) : (
                        shown || '—'
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
        {data.people.length === 0 && (
          <p className="k-quiet">{text(['还没有招商人员', 'There are no business people yet'])}</p>
        )}
      </div>
    </section>
  );
}
