import { useState } from 'react';
import { Checkbox, Table } from 'antd';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { message, tellFault } from '../../../kernel/client/feedback.ts';
import { durationText } from '../../../kernel/client/format.rules.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { PopButton } from '../../../kernel/client/parts/pop-button.tsx';
import { readReportState } from '../../../kernel/client/report/report-state.rules.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { Report } from '../../../kernel/contract/report.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import {
  operationsStatistics,
  propertyStatistics,
  WEEKDAYS,
  type FrozenChanges,
  type Heat,
} from './order-statistics.contract.ts';
import './statistics.css';

type Cycle = 'weekly' | 'monthly';
const CYCLES: Readonly<Record<Cycle, Label>> = {
  weekly: ['每周一 08:00', 'Mondays at 08:00'],
  monthly: ['每月 6 日 08:00', 'On the 6th at 08:00'],
};
const CHANGES: Readonly<Record<FrozenChanges['rows'][number]['change'], Label>> = {
  added: ['新增', 'Added'],
  removed: ['移除', 'Removed'],
  changed: ['变更', 'Changed'],
};
const RATES = [
  'completionRate',
  'responseRate',
  'solveRate',
  'averageResponse',
  'averageSolve',
  'medianResponse',
  'p90Response',
  'medianSolve',
  'p90Solve',
  'reopenRate',
  'ratedRate',
  'score',
] as const;

const signed = (n: number) => (n > 0 ? `+${n}` : `−${Math.abs(n)}`);

/** A rate with the numbers of its formula on hover. */
function RateCell({ row, name }: { readonly row: RowData; readonly name: string }) {
  const language = useLanguageStore((state) => state.language);
  const working = (row.working as Readonly<Record<string, string>> | undefined)?.[name];
  const value = row[name];
  if (value === null || value === undefined || value === '') return <>—</>;
  const shown = /^(average|median|p90)/.test(name)
    ? durationText(Number(value), language)
    : name === 'score'
      ? Number(value).toFixed(2)
      : `${String(value)}${name.endsWith('Rate') ? '%' : ''}`;
  return <span title={working}>{shown}</span>;
}

/** What the current figures differ by from the frozen months; a click lists the orders and what changed about them. */
function SinceFrozen({ report, family }: { readonly report: Report; readonly family: string }) {
  const text = useText();
  const view = useView();
  const [metric, setMetric] = useState<string>();
  const { parameters } = readReportState(report, view.query, businessDayOf(new Date()));
  const ask = (one: string | undefined) => ({
    queryKey: ['report', report.name, 'changes', parameters, one],
    queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
      call<FrozenChanges>('GET', `/api/jinmao/web/workOrderReport/${family}/changes`, {
        query: { ...parameters, ...(one && { metric: one }) },
        signal,
        quiet: true,
      }),
  });
  const all = useQuery(ask(undefined));
  const one = useQuery({ ...ask(metric), enabled: metric !== undefined });
  const detail = view.pathOf('cs_orderDetail');
  if (!all.data) return null;
  return (
    <p className="k-quiet">
      {text(['较封版：', 'Since frozen: '])}
      {all.data.figures.length === 0 && text(['无变化', 'no change'])}
      {all.data.figures.map((figure) => (
        <button
          key={figure.metric}
          type="button"
          className="k-link"
          style={{ marginInlineEnd: 12 }}
          onClick={() => setMetric(figure.metric)}
        >
          {`${figure.label} ${figure.by === 0 ? '±0' : signed(figure.by)}`}
        </button>
      ))}
      {metric !== undefined && (
        <AppDrawer
          open
          size={900}
          title={`${text(['较封版变化', 'Changed since frozen'])} · ${all.data.figures.find((figure) => figure.metric === metric)?.label ?? ''}`}
          onClose={() => setMetric(undefined)}
        >
          <Table
            size="small"
            rowKey="id"
            loading={one.isFetching}
            dataSource={[...(one.data?.rows ?? [])]}
            pagination={false}
            scroll={{ x: 760 }}
            columns={[
              {
                key: 'code',
                title: text(['工单编号', 'Order no.']),
                width: 170,
                render: (_, row) =>
                  detail ? (
                    <button
                      type="button"
                      className="k-link"
                      onClick={() => view.open(`${detail}?id=${row.id}&objType=1`)}
                    >
                      {row.code}
                    </button>
                  ) : (
                    row.code
                  ),
              },
              { key: 'title', title: text(['标题', 'Title']), dataIndex: 'title', width: 180 },
              {
                key: 'change',
                title: text(['变化', 'Change']),
                width: 90,
                render: (_, row) => text(CHANGES[row.change]),
              },
              {
                key: 'fields',
                title: text(['变更内容', 'What changed']),
                render: (_, row) =>
                  row.fields.map((field) => (
                    <div key={field.label}>
                      {text([`${field.label}：`, `${field.label}: `])}
                      {`${field.from} → ${field.to}`}
                    </div>
                  )),
              },
            ]}
          />
        </AppDrawer>
      )}
    </p>
  );
}

/** When orders come in: weekday by hour; a cell opens its orders. */
function HeatMap({ report, family }: { readonly report: Report; readonly family: string }) {
  const text = useText();
  const view = useView();
  const { parameters } = readReportState(report, view.query, businessDayOf(new Date()));
  const { data } = useQuery({
    queryKey: ['report', report.name, 'heat', parameters],
    queryFn: ({ signal }) =>
      call<Heat>('GET', `/api/jinmao/web/workOrderReport/${family}/heat`, {
        query: { ...parameters },
        signal,
        quiet: true,
      }),
  });
  const detail = view.pathOf(family === 'property' ? 'or_ProOperDetail' : 'or_operDetail');
  if (!data) return null;
  if (data.cells.length === 0)
    return <p className="k-quiet">{text(['该时段没有工单', 'No orders in this period'])}</p>;
  const most = Math.max(...data.cells.map((cell) => cell.orders));
  const at = (weekday: number, hour: number) =>
    data.cells.find((cell) => cell.weekday === weekday && cell.hour === hour);
  const hours = Array.from({ length: 24 }, (_, hour) => hour);
  return (
    <div className="os-heat">
      <table>
        <thead>
          <tr>
            <td />
            {hours.map((hour) => (
              <th key={hour} scope="col">
                {hour}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Object.values(WEEKDAYS).map(({ label }, index) => (
            <tr key={label[0]}>
              <th scope="row">{text(label)}</th>
              {hours.map((hour) => {
                const cell = at(index + 1, hour);
                if (!cell) return <td key={hour} />;
                const said = `${text(label)} ${hour}:00 · ${cell.orders}`;
                return (
                  <td
                    key={hour}
                    style={{
                      background: `color-mix(in srgb, var(--ant-color-primary) ${Math.round((35 * cell.orders) / most)}%, transparent)`,
                    }}
                  >
                    {detail ? (
                      <button
                        type="button"
                        aria-label={said}
                        title={said}
                        onClick={() => view.open(`${detail}?${cell.query}`)}
                      >
                        {cell.orders}
                      </button>
                    ) : (
                      <span title={said}>{cell.orders}</span>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Weekly or monthly, to the own messages. */
function Subscribe({ family }: { readonly family: string }) {
  const text = useText();
  const client = useQueryClient();
  const path = `/api/jinmao/web/workOrderReport/${family}/subscription`;
  const key = ['reportSubscription', family];
  const { data } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => call<{ cycles: Cycle[] }>('GET', path, { signal, quiet: true }),
  });
  const save = useMutation({
    mutationFn: (cycles: Cycle[]) => call<{ cycles: Cycle[] }>('POST', path, { body: { cycles } }),
    onSuccess: (saved) => {
      client.setQueryData(key, saved);
      message.success(text(['订阅已保存', 'Subscription saved']), 2);
    },
    onError: tellFault,
  });
  return (
    <Checkbox.Group<Cycle>
      value={data?.cycles ?? []}
      disabled={!data || save.isPending}
      options={(Object.keys(CYCLES) as Cycle[]).map((value) => ({ value, label: text(CYCLES[value]) }))}
      onChange={(cycles) => save.mutate(cycles)}
    />
  );
}

function Statistics({ report, family }: { readonly report: Report; readonly family: string }) {
  const text = useText();
  const view = useView();
  const held = useHeld(report);
  const [open, setOpen] = useState(false);
  const [heat, setHeat] = useState(false);
  const current = view.query.get('version') === 'current';
  return (
    <ScreenOf
      contract={report}
      slots={{
        above: (
          <>
            {held('btn_subscribe') && (
              <PopButton
                className="k-link"
                open={open}
                onOpenChange={setOpen}
                panel={<Subscribe family={family} />}
              >
                {text(['订阅', 'Subscribe'])}
              </PopButton>
            )}
            <button
              type="button"
              className="k-link"
              aria-expanded={heat}
              style={{ marginInlineStart: 12 }}
              onClick={() => setHeat(!heat)}
            >
              {text(['创建时段热力图', 'When orders come in'])}
            </button>
            {heat && <HeatMap report={report} family={family} />}
            {current && held('btn_freezeView') && <SinceFrozen report={report} family={family} />}
          </>
        ),
        cells: Object.fromEntries(
          RATES.map((name) => [name, (row: RowData) => <RateCell row={row} name={name} />]),
        ),
      }}
    />
  );
}

/** 物业工单统计. */
export const property = {
  contract: propertyStatistics,
  component: () => <Statistics report={propertyStatistics} family="property" />,
};
/** 运营工单统计. */
export const operations = {
  contract: operationsStatistics,
  component: () => <Statistics report={operationsStatistics} family="operations" />,
};
