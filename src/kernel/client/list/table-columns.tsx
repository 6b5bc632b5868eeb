import type { PointerEvent, ReactNode } from 'react';
import type { ResourceSpec } from '../../contract/resource.ts';
import { textOf, type Language } from '../../contract/label.ts';
import {
  actionsWidth,
  rowActions,
  splitRowActions,
  type ActionRoom,
  type NamedAction,
} from '../action/actions.rules.ts';
import { RowActions } from '../action/row-actions.tsx';
import { cellValue, isNumeric, type ValueContext } from '../parts/field-value.tsx';
import { Icon } from '../parts/icon.tsx';
import { formWords, treeWords, words } from '../texts.ts';
import { valueText } from '../value-text.rules.ts';
import type { RowData } from '../wire.ts';
import type { ColumnPlan } from './columns.rules.ts';

/** A column of the table as it is drawn. */
export interface TableColumn {
  readonly key: string;
  readonly title: string;
  /** What the column means, behind a question mark. */
  readonly help: string | undefined;
  readonly width: number;
  readonly pin: 'left' | 'right' | undefined;
  readonly className: string;
  readonly sortable: boolean;
  readonly resizable: boolean;
  readonly cell: (row: RowData) => ReactNode;
}

/** What the handles of rows in an order of their own do. */
export interface OrderHandle {
  readonly drag: (event: PointerEvent<HTMLElement>, id: string) => void;
  readonly step: (id: string, step: -1 | 1) => void;
  readonly label: (row: RowData) => string;
}

/** What the columns of a list need besides the plan. */
export interface ColumnContext extends ValueContext {
  readonly resource: ResourceSpec;
  /** Pixels the widest row of actions takes. */
  readonly actionsWidth: number;
  /** Opens the detail; absent: the first column is no link. */
  readonly open: ((row: RowData) => void) | undefined;
  /** The window is narrow: row actions take little room. */
  readonly narrow: boolean;
  /** Runs a row action; absent: no action column. */
  readonly run: ((name: string, row: RowData) => void) | undefined;
  /** Rows can be put in another order. */
  readonly handle?: OrderHandle | undefined;
  /** Row actions beside those the server names. */
  readonly extra?: readonly NamedAction[] | undefined;
}

/** Columns of a list: plain cells, server-side sorting, first column as link, actions at the right edge. */
export function tableColumns(plans: readonly ColumnPlan[], context: ColumnContext): readonly TableColumn[] {
  const link = context.resource.list.link ?? context.resource.list.columns[0];
  const columns = plans.map((plan) => column(plan, plan.name === link, context));
  if (context.handle) columns.unshift(handleColumn(context.handle, context.language));
  const actions = actionColumn(context);
  return actions ? [...columns, actions] : columns;
}

function column(plan: ColumnPlan, isLink: boolean, context: ColumnContext): TableColumn {
  const { name, field } = plan;
  return {
    key: name,
    title: textOf(field.label, context.language),
    help: field.help && textOf(field.help, context.language),
    width: plan.width,
    pin: plan.pin ? 'left' : undefined,
    className: isNumeric(field) ? 'k-number' : '',
    sortable: field.sortable === true,
    resizable: true,
    cell: (row) => {
      const shown = cellValue(name, field, row, context);
      return isLink && context.open ? linkCell(shown, name, plan, row, context) : shown;
    },
  };
}

function handleColumn(handle: OrderHandle, language: Language): TableColumn {
  return {
    key: '$order',
    title: textOf(treeWords.order, language),
    help: undefined,
    width: 56,
    pin: 'left',
    className: 'k-order-cell',
    sortable: false,
    resizable: false,
    cell: (row) =>
      row.actions.includes('order') && (
        <button
          type="button"
          className="k-handle"
          aria-label={handle.label(row)}
          title={textOf(formWords.orderHint, language)}
          onPointerDown={(event) => handle.drag(event, row.id)}
          onKeyDown={(event) => {
            const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined;
            if (step === undefined) return;
            event.preventDefault();
            handle.step(row.id, step);
          }}
        >
          <Icon name="grip" />
        </button>
      ),
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
      {/* A masked value has a button of its own, which stands in the detail. */}
      {plan.field.mask ? valueText(plan.field, row[name], context.language) : shown}
    </button>
  );
}

function actionColumn(context: ColumnContext): TableColumn | undefined {
  const { run, resource, narrow, language, extra } = context;
  if (!run || !hasRowActions(resource, extra)) return undefined;
  const room = actionRoom(narrow, language);
  return {
    key: '$actions',
    title: textOf(words.actions, language),
    help: undefined,
    width: context.actionsWidth,
    pin: 'right',
    className: 'k-actions-cell',
    sortable: false,
    resizable: false,
    cell: (row) => <RowActions resource={resource} row={row} run={run} room={room} extra={extra} />,
  };
}

function hasRowActions(resource: ResourceSpec, extra: readonly NamedAction[] = []): boolean {
  if (extra.length > 0) return true;
  return Object.values(resource.actions ?? {}).some((spec) => spec.on === 'row' || spec.on === 'rowAndBulk');
}

/**
 * Where columns do not fit, the actions stand over them: they get what three short words take, so that long ones cover no
 * date or state, and in a narrow window less than a third of it.
 */
function actionRoom(narrow: boolean, language: Language): ActionRoom {
  return { language, width: narrow ? 200 : 260 };
}

/** Width of the action column: what the row with the most words needs. */
export function actionColumnWidth(
  resource: ResourceSpec,
  rows: readonly RowData[],
  narrow: boolean,
  language: Language,
  extra?: readonly NamedAction[],
): number {
  if (!hasRowActions(resource, extra)) return 0;
  const room = actionRoom(narrow, language);
  const widest = rows.reduce(
    (width, row) =>
      Math.max(width, actionsWidth(splitRowActions(rowActions(resource, row, extra), room), language)),
    0,
  );
  return Math.max(80, Math.ceil(widest) + 20);
}
