import { Pagination } from 'antd';
import { fill, textOf } from '../../contract/label.ts';
import type { Report, ReportAnswer } from '../../contract/report.ts';
import { isEmpty } from '../../contract/input.ts';
import { thousands } from '../format.rules.ts';
import { useLanguageStore, useText } from '../language.ts';
import { defaultWidth } from '../list/columns.rules.ts';
import { DataGrid } from '../list/data-grid.tsx';
import type { TableColumn } from '../list/table-columns.tsx';
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
  const shown = report.columns.filter((name) => answer.titles?.[name] !== null);
  const columns = shown.map((name): TableColumn => {
    const field = report.fields[name]!;
    const drill = props.canDrill(name);
    return {
      key: name,
      title: textOf(answer.titles?.[name] ?? field.label, language),
      help: field.help && textOf(field.help, language),
      width: defaultWidth(field),
      pin: undefined,
      className: isNumeric(field) ? 'k-number' : '',
      sortable: field.sortable === true,
      resizable: false,
      cell: (row) => {
        const value = cellValue(name, field, row, { language, canReveal: false, cells: props.cells });
        const zero = isEmpty(row[name]) || Number(row[name]) === 0;
        return drill && !zero ? (
          <button
            type="button"
            className="k-link"
            title={text(reportWords.drill)}
            onClick={() => props.onDrill(name, row)}
          >
            {value}
          </button>
        ) : (
          value
        );
      },
    };
  });
  const sumOf = (column: TableColumn, index: number) => {
    if (index === 0) return text(reportWords.sums);
    const sum = answer.sums[column.key];
    return sum === undefined || sum === null ? '' : valueText(report.fields[column.key]!, sum, language);
  };
  return (
    <>
      <DataGrid
        className={`k-compact${props.stale ? ' k-stale' : ''}`}
        columns={columns}
        rows={rows.map(rowOf)}
        busy={props.stale}
        sticky
        sort={state.sort}
        onSort={(sort) => props.onChange({ sort, page: 1 })}
        flashing={() => false}
        selection={undefined}
        empty={<div className="k-state">{text(reportWords.noData)}</div>}
        foot={answer.rows.length === 0 ? undefined : sumOf}
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

/** A row of a report has no id of its own; its words tell it apart. */
function rowOf(row: ReportRow): RowData {
  return { ...row, id: String(row.id ?? row.key ?? JSON.stringify(row)) } as RowData;
}
