import { useState } from 'react';
import { Segmented, Skeleton, Table, theme } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { RemoteTreeSelect } from '../../../kernel/client/parts/remote-tree-select.tsx';
import { ResourceTable } from '../../../kernel/client/list/resource-table.tsx';
import { ChartCanvas } from '../../../kernel/client/report/chart-canvas.tsx';
import type { OptionEntry } from '../../../kernel/client/wire.ts';
import { addDays } from '../../../kernel/contract/time.rules.ts';
import { overtimeRecord } from './overtime-record.contract.ts';
import { DAY_TYPES } from './overtime.rules.ts';

interface Month {
  readonly month: string;
  readonly workday: number;
  readonly restDay: number;
  readonly holiday: number;
  readonly worked: number;
}

const SERIES = [
  ['workday', DAY_TYPES.workday.label],
  ['restDay', DAY_TYPES.rest_day.label],
  ['holiday', DAY_TYPES.holiday.label],
] as const;

/** Credited hours of twelve months, stacked by day type; a click shows the records of the month. */
export function MonthlyDialog({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  const { token } = theme.useToken();
  const [shape, setShape] = useState<'chart' | 'table'>('chart');
  const [department, setDepartment] = useState<OptionEntry>();
  const [month, setMonth] = useState<string>();
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: ['report', 'overtime', 'monthly', department?.id],
    queryFn: ({ signal }) =>
      call<readonly Month[]>('GET', '/api/admin/overtime/monthly', {
        query: { department: department?.id, months: 12 },
        signal,
        quiet: true,
      }),
  });
  return (
    <AppDrawer open size={960} title={text(['按月图表', 'Monthly chart'])} onClose={onClose}>
      <div className="screen-buttons">
        <span style={{ width: 240 }}>
          <RemoteTreeSelect
            target="department"
            label={text(['部门', 'Department'])}
            prefix={text(['部门', 'Department'])}
            value={department ? [department.id] : []}
            known={department ? { [department.id]: department.title } : {}}
            onChange={(_ids, entries) => setDepartment(entries[0])}
          />
        </span>
        <Segmented
          value={shape}
          onChange={setShape}
          options={[
            { value: 'chart', label: text(['图', 'Chart']) },
            { value: 'table', label: text(['表', 'Table']) },
          ]}
        />
        <span className="k-quiet">{text(['单位：小时，折算后', 'Credited hours'])}</span>
      </div>
      {isPending ? (
        <Skeleton active />
      ) : isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : shape === 'chart' ? (
        <ChartCanvas
          height={320}
          label={text(['每月加班折算小时', 'Credited overtime by month'])}
          onReady={ignore}
          onPoint={(index) => setMonth(data[index]?.month)}
          option={optionOf(
            data,
            SERIES.map(([, label]) => text(label)),
            token,
          )}
        />
      ) : (
        <Table
          className="k-table k-compact"
          size="small"
          rowKey="month"
          pagination={false}
          dataSource={data as Month[]}
          columns={[
            {
              title: text(['月份', 'Month']),
              dataIndex: 'month',
              render: (value: string) => (
                <button type="button" className="k-link" onClick={() => setMonth(value)}>
                  {value}
                </button>
              ),
            },
            ...SERIES.map(([name, label]) => ({
              title: text(label),
              dataIndex: name,
              align: 'right' as const,
              render: (value: number) => value.toFixed(1),
            })),
            {
              title: text(['加班时长', 'Overtime']),
              dataIndex: 'worked',
              align: 'right' as const,
              render: (value: number) => value.toFixed(1),
            },
          ]}
        />
      )}
      {month && (
        <section key={`${month}${department?.id ?? ''}`} className="k-facts-section">
          <h3>{text([`${month} 已通过的加班`, `Approved overtime of ${month}`])}</h3>
          <ResourceTable
            resource={overtimeRecord}
            actions={false}
            columns={['day', 'startTime', 'endTime', 'staff', 'department', 'dayType', 'hours', 'credited']}
            filters={{
              state: 'approved',
              day: daysOf(month),
              ...(department ? { department: department.id } : {}),
            }}
          />
        </section>
      )}
    </AppDrawer>
  );
}

const ignore = () => {};

function daysOf(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  const next = number === 12 ? `${year + 1}-01-01` : `${year}-${String(number + 1).padStart(2, '0')}-01`;
  return `${month}-01~${addDays(next, -1)}`;
}

function optionOf(
  months: readonly Month[],
  names: readonly string[],
  token: {
    colorText: string;
    colorTextSecondary: string;
    colorSplit: string;
    colorPrimary: string;
    colorWarning: string;
    colorError: string;
    fontFamily: string;
  },
) {
  const label = { color: token.colorTextSecondary, fontSize: 12 };
  return {
    animationDuration: 160,
    color: [token.colorPrimary, token.colorWarning, token.colorError],
    textStyle: { fontFamily: token.fontFamily, color: token.colorText },
    tooltip: { trigger: 'axis', confine: true, axisPointer: { type: 'shadow' } },
    legend: { top: 0, right: 0, type: 'scroll', textStyle: { color: token.colorText, fontSize: 12 } },
    grid: { left: 0, right: 12, top: 36, bottom: 0, containLabel: true },
    xAxis: {
      type: 'category',
      data: months.map((one) => one.month),
      axisTick: { show: false },
      axisLine: { lineStyle: { color: token.colorSplit } },
      axisLabel: label,
    },
    yAxis: {
      type: 'value',
      min: 0,
      splitNumber: 4,
      splitLine: { lineStyle: { color: token.colorSplit } },
      axisLabel: label,
    },
    series: SERIES.map(([name], at) => ({
      type: 'bar',
      stack: 'hours',
      name: names[at],
      barMaxWidth: 32,
      data: months.map((one) => one[name]),
    })),
  };
}
