import { useQuery } from '@tanstack/react-query';
import { DatePicker, Descriptions, Skeleton } from 'antd';
import dayjs from 'dayjs';
import { call } from '../../../kernel/client/api-client.ts';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { butlerInfo, type HandoverLoad } from './information.contract.ts';
import '../butler.css';

const ITEMS: readonly (readonly [keyof HandoverLoad, Label])[] = [
  ['houses', ['户数', 'Houses']],
  ['workOrders', ['未完工单', 'Open work orders']],
  ['reminders', ['未读提醒', 'Unread reminders']],
  ['bills', ['未缴账单', 'Unpaid bills']],
  ['owed', ['欠费金额', 'Owed']],
];

const idsOf = (value: unknown): string =>
  (Array.isArray(value) ? value : [])
    .map((one: unknown) =>
      typeof one === 'object' && one !== null
        ? String((one as { id?: unknown; value?: unknown }).id ?? (one as { value?: unknown }).value ?? '')
        : String(one),
    )
    .join(',');

/** The day of a handover, and what goes along with the chosen houses. */
export function DayWithLoad({ id, value, onChange, values, rows, disabled }: SlotInputProps) {
  const text = useText();
  const butler = rows[0]?.id ?? '';
  const named = {
    buildings: idsOf(values.buildings),
    units: idsOf(values.units),
    houses: idsOf(values.houses),
  };
  const load = useQuery({
    queryKey: [butlerInfo.name, 'load', butler, named],
    enabled: butler !== '' && Object.values(named).some(Boolean),
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<HandoverLoad>('GET', `${rootOf(butlerInfo)}/${butler}/load`, {
        query: named,
        signal,
        quiet: true,
      }),
  });
  return (
    <>
      <DatePicker
        {...(id === undefined ? {} : { id })}
        disabled={disabled}
        value={typeof value === 'string' && value ? dayjs(value) : null}
        disabledDate={(day) => day.isBefore(dayjs(businessDayOf(new Date())))}
        onChange={(day) => onChange?.(day ? day.format('YYYY-MM-DD') : undefined)}
      />
      {load.isError ? (
        <ErrorPanel error={load.error} onRetry={() => void load.refetch()} />
      ) : load.data ? (
        <section aria-label={text(['随带事项', 'What goes along'])} className="bt-preview">
          <Descriptions
            size="small"
            column={2}
            items={ITEMS.map(([name, label]) => ({
              key: name,
              label: text(label),
              children: <span className="k-number">{thousands(String(load.data[name]))}</span>,
            }))}
          />
        </section>
      ) : load.isFetching ? (
        <Skeleton active title={false} paragraph={{ rows: 2 }} />
      ) : null}
    </>
  );
}
