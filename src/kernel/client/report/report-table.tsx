import { Pagination, Table, type TableColumnType } from 'antd';
import { fill, textOf } from '../../contract/label.ts';
import type { Report, ReportAnswer } from '../../contract/report.ts';
import { isEmpty } from '../../contract/input.ts';
import { thousands } from '../format.rules.ts';
import { useLanguageStore, useText } from '../language.ts';
import { defaultWidth } from '../list/columns.rules.ts';
import { cellValue, isNumeric } from '../parts/field-value.tsx';
import type { ScreenSlots } from '../slots.ts';
import { reportWords, words } from '../texts.ts';
import { valueText } from '../value-text.rules.ts';
import type { RowData } from '../wire.ts';
import type { ReportState } from './report-state.rules.ts';

type ReportRow = Readonly<Record<string, unknown>>;

/** The table of a report: the same numbers as the charts, with a row of sums; drillable figures are links. */
export function ReportTable(props: {
  readonly report: Report;
  readonly state: ReportState;
  readonly answer: ReportAnswer;
  readonly stale: boolean;
  readonly cells: ScreenSlots['cells'];
  readonly canDrill: (column: string) => boolean;
  readonly onDrill: (column: string, row: ReportRow) => void;
  readonly onChange: (patch: Partial<ReportState>) => void;
}) {
  const { report, state, answer } = props;
  const text = useText();
  const language = useLanguageStore((current) => current.language);
  // The server may answer the whole table at once or one page of it.
  const whole = answer.rows.length > state.limit || answer.rows.length === answer.total;
  const rows = whole
    ? answer.rows.slice((state.page - 1) * state.limit, state.page * state.limit)
    : answer.rows;
  const sorted = state.sort.replace(/^-/, '');
  const columns = report.columns.map((name): TableColumnType<ReportRow> => {
    const field = report.fields[name]!;
    const drill = props.canDrill(name);
    return {
      key: name,
      title: textOf(field.label, language),
      width: defaultWidth(field),
      ellipsis: true,
      ...(isNumeric(field) ? { align: 'right' as const, className: 'k-number' } : {}),
      ...(field.sortable
        ? {
            sorter: true,
            sortOrder:
              sorted === name
                ? state.sort.startsWith('-')
                  ? ('descend' as const)
                  : ('ascend' as const)
                : null,
          }
        : {}),
      render: (_: unknown, row) => {
        const shown = cellValue(name, field, row as unknown as RowData, {
          language,
          canReveal: false,
          cells: props.cells,
        });
        const zero = isEmpty(row[name]) || Number(row[name]) === 0;
        return drill && !zero ? (
          <button
            type="button"
            className="k-link"
            title={text(reportWords.drill)}
            onClick={() => props.onDrill(name, row)}
          >
            {shown}
          </button>
        ) : (
          shown
        );
      },
    };
  });
  return (
    <>
      <Table<ReportRow>
        className={`k-table k-compact${props.stale ? ' k-stale' : ''}`}
        rowKey={(row) => String(row.id ?? row.key ?? JSON.stringify(row))}
        size="small"
        columns={columns}
        dataSource={rows as ReportRow[]}
        pagination={false}
        tableLayout="fixed"
        scroll={{ x: columns.reduce((sum, column) => sum + (column.width as number), 0) }}
        sticky={{ offsetHeader: 0, offsetScroll: 45 }}
        showSorterTooltip={false}
        locale={{ emptyText: <div className="k-state">{text(reportWords.noData)}</div> }}
        onChange={(_pages, _filters, sorter) => {
          const one = Array.isArray(sorter) ? sorter[0] : sorter;
          if (one?.columnKey)
            props.onChange({ sort: `${one.order === 'ascend' ? '' : '-'}${String(one.columnKey)}`, page: 1 });
        }}
        summary={() =>
          answer.rows.length === 0 ? null : (
            <Table.Summary.Row className="k-sums">
              {report.columns.map((name, index) => {
                const sum = answer.sums[name];
                const shown =
                  sum === undefined || sum === null ? '' : valueText(report.fields[name]!, sum, language);
                return (
                  <Table.Summary.Cell
                    key={name}
                    index={index}
                    {...(isNumeric(report.fields[name]!) ? { align: 'right' as const } : {})}
                  >
                    {index === 0 ? text(reportWords.sums) : <span className="k-number">{shown}</span>}
                  </Table.Summary.Cell>
                );
              })}
            </Table.Summary.Row>
          )
        }
      />
      <nav className="k-pager" aria-label={text(fill(words.total, { n: answer.total }))}>
        <span className="k-quiet k-number">{text(fill(words.total, { n: thousands(answer.total) }))}</span>
        {answer.total > state.limit && (
          <Pagination
            size="small"
            current={state.page}
            pageSize={state.limit}
            total={answer.total}
            showSizeChanger={false}
            showLessItems
            onChange={(page) => props.onChange({ page })}
          />
        )}
      </nav>
    </>
  );
}
