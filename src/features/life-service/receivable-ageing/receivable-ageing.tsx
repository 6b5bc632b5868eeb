import './receivable-ageing.css';
import { useState } from 'react';
import { Button, Input, Select, Table } from 'antd';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { bucketNames } from '../../../domain/receivable/receivable.rules.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useView } from '../../../kernel/client/view.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessDayOf, isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { BASES, GROUPS, type AgeingLine, type AgeingRow, type AgeingTable } from './receivable-ageing.ts';

const ROOT = '/api/jinmao/web/receivableAgeing';

interface Cell {
  readonly key: string;
  readonly cell?: string;
  readonly title: string;
}

/** Receivables by how late they are on a day; every amount opens its lines. */
export function Ageing() {
  const text = useText();
  const view = useView();
  const today = businessDayOf(new Date());
  const asked = {
    asOf: view.query.get('asOf') ?? today,
    basis: view.query.get('basis') ?? 'due_on',
    limits: view.query.get('limits') ?? '30,60,90,120',
    by: view.query.get('by') ?? 'project',
  };
  const [limits, setLimits] = useState(asked.limits);
  const [cell, setCell] = useState<Cell>();
  const change = (more: Partial<typeof asked>) =>
    view.setQuery(new URLSearchParams({ part: 'ageing', ...asked, ...more }));
  const rising = limits
    .split(',')
    .map(Number)
    .every((one, index, all) => Number.isInteger(one) && one > (all[index - 1] ?? 0) && all.length <= 6);
  const table = useQuery({
    queryKey: ['resource', 'receivable', 'ageing', JSON.stringify(asked)],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => call<AgeingTable>('GET', ROOT, { query: asked, signal, quiet: true }),
  });
  const amount = (row: AgeingRow, value: string, title: string, which?: string) =>
    value === '0.00' ? (
      <span className="k-number k-quiet ageing-amount">0.00</span>
    ) : (
      <span className="ageing-amount">
        <button
          type="button"
          className="k-link k-number"
          onClick={() =>
            setCell({
              key: row.key,
              ...(which === undefined ? {} : { cell: which }),
              title: `${row.name} · ${title}`,
            })
          }
        >
          {moneyText(value)}
        </button>
      </span>
    );
  const names = bucketNames(table.data?.limits ?? []).map((name, index) =>
    index === 0 ? text(['未到期', 'Not due']) : text([`${name} 天`, `${name} days`]),
  );
  const rows = table.data
    ? [...table.data.rows, ...(table.data.rows.length > 0 ? [table.data.sums] : [])]
    : [];
  const select = <K extends string>(
    name: 'basis' | 'by',
    label: Label,
    of: Readonly<Record<K, { label: Label }>>,
  ) => (
    <label>
      {text(label)}
      <Select
        aria-label={text(label)}
        value={asked[name]}
        onChange={(value: string) => change({ [name]: value })}
        options={(Object.keys(of) as K[]).map((key) => ({ value: key, label: text(of[key].label) }))}
      />
    </label>
  );
  return (
    <>
      <div className="ageing-filters">
        <label>
          {text(['截止日期', 'As of'])}
          <Input
            type="date"
            max={today}
            value={asked.asOf}
            onChange={(event) => {
              if (isBusinessDay(event.target.value) && event.target.value <= today)
                change({ asOf: event.target.value });
            }}
          />
        </label>
        {select('basis', ['账龄起点', 'Counted from'], BASES)}
        {select('by', ['分组', 'Rows'], GROUPS)}
        <label>
          {text(['区间（天，1–6 个递增）', 'Bounds in days, rising'])}
          <Input
            value={limits}
            status={rising ? '' : 'error'}
            onChange={(event) => setLimits(event.target.value.replaceAll('，', ',').replaceAll(' ', ''))}
            onPressEnter={() => rising && change({ limits })}
            onBlur={() => rising && limits !== asked.limits && change({ limits })}
          />
        </label>
      </div>
      {table.isError ? (
        <ErrorPanel error={table.error} onRetry={() => void table.refetch()} />
      ) : (
        <Table
          size="small"
          rowKey="key"
          loading={table.isFetching}
          pagination={false}
          dataSource={rows}
          scroll={{ x: 'max-content' }}
          locale={{ emptyText: text(['该日没有未收余额', 'Nothing was owed on that day']) }}
          columns={[
            {
              title: text(GROUPS[asked.by as keyof typeof GROUPS]?.label ?? GROUPS.project.label),
              render: (_, row) => (row.key === '' ? <strong>{row.name}</strong> : row.name),
            },
            ...names.map((name, index) => ({
              title: name,
              align: 'end' as const,
              render: (_: unknown, row: AgeingRow) =>
                amount(row, row.cells[index] ?? '0.00', name, String(index)),
            })),
            {
              title: text(['合计', 'Total']),
              align: 'end' as const,
              render: (_, row) => <strong>{amount(row, row.total, text(['合计', 'Total']))}</strong>,
            },
            {
              title: text(['未来 30 天到期', 'Due in 30 days']),
              align: 'end' as const,
              render: (_, row) => amount(row, row.soon, text(['未来 30 天到期', 'Due in 30 days']), 'soon'),
            },
            {
              title: text(['预存余额（未冲抵）', 'Prepaid, not taken off']),
              align: 'end' as const,
              render: (_, row) => <span className="k-number ageing-amount">{moneyText(row.credit)}</span>,
            },
          ]}
        />
      )}
      {cell && <Lines asked={asked} cell={cell} close={() => setCell(undefined)} />}
    </>
  );
}

function Lines({
  asked,
  cell,
  close,
}: {
  readonly asked: Readonly<Record<string, string>>;
  readonly cell: Cell;
  readonly close: () => void;
}) {
  const text = useText();
  const view = useView();
  const lines = useQuery({
    queryKey: ['resource', 'receivable', 'ageing-lines', JSON.stringify({ ...asked, ...cell })],
    queryFn: ({ signal }) =>
      call<readonly AgeingLine[]>('GET', `${ROOT}/lines`, {
        query: {
          ...asked,
          ...(cell.key === '' ? {} : { key: cell.key }),
          ...(cell.cell === undefined ? {} : { cell: cell.cell }),
        },
        signal,
        quiet: true,
      }),
  });
  return (
    <AppDrawer open size={900} title={cell.title} onClose={close}>
      {lines.isError ? (
        <ErrorPanel error={lines.error} onRetry={() => void lines.refetch()} />
      ) : (
        <Table
          size="small"
          rowKey="id"
          loading={lines.isPending}
          dataSource={[...(lines.data ?? [])]}
          pagination={{ pageSize: 20, hideOnSinglePage: true }}
          scroll={{ x: 'max-content' }}
          columns={[
            {
              title: text(['编号', 'Code']),
              render: (_, line) => (
                <Button
                  type="link"
                  size="small"
                  onClick={() => view.open(`/lifeService/accountsReceivableDetails/${line.id}/receivable`)}
                >
                  {line.code}
                </Button>
              ),
            },
            { title: text(['付款方', 'Payer']), dataIndex: 'payer' },
            { title: text(['项目', 'Project']), dataIndex: 'project' },
            { title: text(['到期日', 'Due']), dataIndex: 'dueOn' },
            { title: text(['逾期天数', 'Days late']), dataIndex: 'days', align: 'end' },
            {
              title: text(['余额', 'Balance']),
              align: 'end',
              render: (_, line) => <span className="k-number">{moneyText(line.balance)}</span>,
            },
          ]}
        />
      )}
    </AppDrawer>
  );
}
