import type { ReactNode } from 'react';
import type { TableColumnType } from 'antd';
import { QuestionCircleOutlined } from '@ant-design/icons';
import type { ResourceSpec } from '../../contract/resource.ts';
import { textOf } from '../../contract/label.ts';
import { rowActions, splitRowActions, textWidth } from '../action/actions.rules.ts';
import { RowActions } from '../action/row-actions.tsx';
import { cellValue, isNumeric, type ValueContext } from '../parts/field-value.tsx';
import { words } from '../texts.ts';
import { valueText } from '../value-text.rules.ts';
import type { RowData } from '../wire.ts';
import type { ColumnPlan } from './columns.rules.ts';

/** What the columns of a list need besides the plan. */
export interface ColumnContext extends ValueContext {
  readonly resource: ResourceSpec;
  readonly rows: readonly RowData[];
  readonly sort: string;
  /** Opens the detail; absent: the first column is no link. */
  readonly open: ((row: RowData) => void) | undefined;
  /** Runs a row action; absent: no action column. */
  readonly run: ((name: string, row: RowData) => void) | undefined;
  readonly resize: (name: string, width: number) => void;
}

/** antd columns of a list: plain cells, server-side sorting, first column as link, actions at the right edge. */
export function tableColumns(
  plans: readonly ColumnPlan[],
  context: ColumnContext,
): TableColumnType<RowData>[] {
  const link = context.resource.list.link ?? context.resource.list.columns[0];
  const columns = plans.map((plan) => column(plan, plan.name === link, context));
  const actions = actionColumn(context);
  return actions ? [...columns, actions] : columns;
}

function column(plan: ColumnPlan, isLink: boolean, context: ColumnContext): TableColumnType<RowData> {
  const { name, field } = plan;
  const title = textOf(field.label, context.language);
  const numeric = isNumeric(field);
  const descending = context.sort.startsWith('-');
  const sorted = context.sort.replace(/^-/, '') === name;
  return {
    key: name,
    dataIndex: name,
    title: field.help ? (
      <span title={textOf(field.help, context.language)}>
        {title}{' '}
        <QuestionCircleOutlined className="k-quiet" aria-label={textOf(field.help, context.language)} />
      </span>
    ) : (
      title
    ),
    width: plan.width,
    ellipsis: true,
    ...(plan.pin ? { fixed: 'left' as const } : {}),
    ...(numeric ? { align: 'right' as const, className: 'k-number' } : {}),
    ...(field.sortable
      ? {
          sorter: true,
          sortOrder: sorted ? (descending ? ('descend' as const) : ('ascend' as const)) : null,
          sortDirections: ['descend', 'ascend', 'descend'] as const as never,
        }
      : {}),
    onHeaderCell: () =>
      ({ 'data-column': name, onResize: (width: number) => context.resize(name, width) }) as object,
    render: (_: unknown, row: RowData) => {
      const shown = cellValue(name, field, row, context);
      return isLink && context.open ? linkCell(shown, name, plan, row, context) : shown;
    },
  };
}

function linkCell(
  shown: ReactNode,
  name: string,
  plan: ColumnPlan,
  row: RowData,
  context: ColumnContext,
): ReactNode {
  return (
    <button
      type="button"
      className="k-link k-cell-link"
      title={valueText(plan.field, row[name], context.language)}
      onClick={() => context.open!(row)}
    >
      {shown}
    </button>
  );
}

function actionColumn(context: ColumnContext): TableColumnType<RowData> | undefined {
  const { run, resource, rows, language } = context;
  const any = Object.values(resource.actions ?? {}).some(
    (spec) => spec.on === 'row' || spec.on === 'rowAndBulk',
  );
  if (!run || !any) return undefined;
  const widest = rows.reduce((width, row) => {
    const { links, rest } = splitRowActions(rowActions(resource, row));
    const labels = links.map(({ spec }) => textWidth(textOf(spec.label, language)));
    if (rest.length > 0) labels.push(textWidth(textOf(words.moreActions, language)) + 16);
    return Math.max(
      width,
      labels.reduce((sum, label) => sum + label + 16, 0),
    );
  }, 0);
  return {
    key: '$actions',
    title: textOf(words.actions, language),
    width: Math.max(80, Math.ceil(widest) + 20),
    fixed: 'right',
    className: 'k-actions-cell',
    render: (_: unknown, row: RowData) => <RowActions resource={resource} row={row} run={run} />,
  };
}
