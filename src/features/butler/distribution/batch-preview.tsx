import { useQuery } from '@tanstack/react-query';
import { Alert, DatePicker, Descriptions, Skeleton } from 'antd';
import dayjs from 'dayjs';
import { call } from '../../../kernel/client/api-client.ts';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { incentiveBatch, type BatchPreview } from './distribution.contract.ts';
import '../butler.css';

const TERMS: readonly (readonly [keyof BatchPreview, Label])[] = [
  ['butlers', ['管家数', 'Butlers']],
  ['sale', ['激励', 'Sales']],
  ['bonus', ['阶梯奖', 'Bonus']],
  ['clawback', ['追回', 'Clawback']],
  ['capCut', ['封顶扣减', 'Cap']],
  ['carryIn', ['上期结转', 'Carried in']],
  ['rewards', ['任务奖励', 'Task rewards']],
  ['net', ['应发', 'Net']],
];

const idOf = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? String((value as { id?: unknown; value?: unknown }).id ?? (value as { value?: unknown }).value ?? '')
    : String(value ?? '');

/** The month of a batch, and what the batch would hold of it. */
export function MonthWithPreview({ id, value, onChange, values, disabled }: SlotInputProps) {
  const text = useText();
  const month = typeof value === 'string' ? value : '';
  const centre = idOf(values.centre);
  const preview = useQuery({
    queryKey: ['incentiveBatch', 'preview', centre, month],
    enabled: centre !== '' && month !== '',
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<BatchPreview>('GET', `${rootOf(incentiveBatch)}/preview`, {
        query: { centre, month },
        signal,
        quiet: true,
      }),
  });
  return (
    <>
      <DatePicker
        {...(id === undefined ? {} : { id })}
        picker="month"
        disabled={disabled}
        value={month ? dayjs(`${month}-01`) : null}
        disabledDate={(day) => !day.isBefore(dayjs().startOf('month'))}
        onChange={(day) => onChange?.(day ? day.format('YYYY-MM') : undefined)}
      />
      {preview.isError ? (
        <ErrorPanel error={preview.error} onRetry={() => void preview.refetch()} />
      ) : preview.data ? (
        <section aria-label={text(['批次预览', 'Preview'])} className="bt-preview">
          {preview.data.problem && <Alert type="warning" showIcon title={text(preview.data.problem)} />}
          <Descriptions
            size="small"
            column={2}
            items={TERMS.map(([name, label]) => ({
              key: name,
              label: text(label),
              children: <span className="k-number">{thousands(String(preview.data[name]))}</span>,
            }))}
          />
        </section>
      ) : preview.isFetching ? (
        <Skeleton active title={false} paragraph={{ rows: 3 }} />
      ) : null}
    </>
  );
}
