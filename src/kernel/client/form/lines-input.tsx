import { memo, useId, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { Button, Form } from 'antd';
import type { Field } from '../../contract/fields.ts';
import { fill } from '../../contract/label.ts';
import { useLanguageStore, useText } from '../language.ts';
import { isNumeric } from '../parts/field-value.tsx';
import { Icon } from '../parts/icon.tsx';
import { useDragRows } from '../parts/use-drag-rows.ts';
import { useLatest } from '../parts/use-latest.ts';
import { formWords, words } from '../texts.ts';
import { valueText } from '../value-text.rules.ts';
import { FieldInput, type FieldInputProps } from './field-input.tsx';
import { ruleHint } from './form-values.rules.ts';
import { errorsByCell, lineInputs, newLine, type Line } from './lines.rules.ts';
import { dropIndex, moved } from '../parts/moved.rules.ts';

const NO_LINES: readonly Line[] = [];
const WIDTHS: Partial<Record<Field['kind'], number>> = {
  boolean: 64,
  integer: 110,
  decimal: 110,
  percent: 110,
  money: 130,
  date: 140,
  instant: 180,
  dateRange: 240,
  longText: 220,
  choice: 130,
  phone: 140,
};

/** Rows inside of a form as a small table: add, remove, change the order by handle or arrow keys; errors at their cells. */
export function LinesInput(props: FieldInputProps) {
  const { field, disabled = false } = props;
  const lines = (props.value as readonly Line[] | undefined) ?? NO_LINES;
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const { errors } = Form.Item.useStatus();
  const byCell = errorsByCell(errors);
  const label = useId();
  const host = useRef<HTMLDivElement>(null);
  const [said, setSaid] = useState('');
  // Rows have no name of their own until they are stored; what follows them through a new order is made here.
  const counter = useRef(lines.length);
  const [kept, setKept] = useState<readonly string[]>(() => lines.map((_, index) => String(index)));
  const keys = kept.length === lines.length ? kept : lines.map((_, index) => `${lines.length}:${index}`);
  const names = lineInputs(field);
  const most = field.max ?? 100;
  const change = (next: readonly Line[], nextKeys: readonly string[]) => {
    setKept(nextKeys);
    props.onChange?.(next);
  };
  const move = (from: number, to: number) => {
    if (to < 0 || to >= lines.length || to === from) return;
    change(moved(lines, from, to), moved(keys, from, to));
    setSaid(text(fill(formWords.lineMoved, { n: to + 1, all: lines.length })));
    const key = keys[from];
    requestAnimationFrame(() =>
      host.current?.querySelector<HTMLElement>(`[data-row-key="${key}"] .k-handle`)?.focus(),
    );
  };
  const add = () => {
    const key = `n${++counter.current}`;
    change([...lines, newLine(field)], [...keys, key]);
    requestAnimationFrame(() =>
      host.current
        ?.querySelector<HTMLElement>(`[data-row-key="${key}"] :is(input, textarea, button:not(.k-handle))`)
        ?.focus(),
    );
  };
  const startDrag = useDragRows({
    host,
    rows: 'tbody > tr',
    onDrop: (from, to, place) => {
      const at = keys.indexOf(from);
      move(at, dropIndex(at, keys.indexOf(to), place));
    },
  });
  const latest = useLatest({
    cell: (index: number, name: string, value: unknown) =>
      change(
        lines.map((line, at) => (at === index ? { ...line, [name]: value } : line)),
        keys,
      ),
    remove: (index: number) => {
      change(
        lines.filter((_, at) => at !== index),
        keys.filter((_, at) => at !== index),
      );
      // The row below takes its place, and the focus with it.
      requestAnimationFrame(() => {
        const buttons = host.current?.querySelectorAll<HTMLElement>('.k-line-remove');
        (
          buttons?.[Math.min(index, buttons.length - 1)] ??
          host.current?.querySelector<HTMLElement>('.k-lines-add')
        )?.focus();
      });
    },
    move,
    startDrag,
  });
  const hint = ruleHint(field, language);
  return (
    <div
      ref={host}
      className="k-lines-input"
      role="group"
      aria-labelledby={label}
      id={props.id}
      tabIndex={-1}
    >
      <div className="k-lines-head">
        <span id={label} className={field.required ? 'k-required' : ''}>
          {text(field.label)}
        </span>
        <span className="k-quiet k-small">
          {text(fill(formWords.linesOf, { n: lines.length, max: most }))}
        </span>
        {hint && <span className="k-quiet k-small">{hint}</span>}
      </div>
      {lines.length === 0 ? (
        <p className="k-lines-empty">{text(formWords.noLines)}</p>
      ) : (
        <div className="k-lines-scroll">
          <table>
            <thead>
              <tr>
                {!disabled && (
                  <th className="k-line-tool">
                    <span className="k-hidden">{text(formWords.order)}</span>
                  </th>
                )}
                {names.map((name) => {
                  const one = field.lines![name]!;
                  return (
                    <th
                      key={name}
                      scope="col"
                      className={one.required ? 'k-required' : ''}
                      style={{ minWidth: one.width ?? WIDTHS[one.kind] ?? 160 }}
                      title={one.help && text(one.help)}
                    >
                      {text(one.label)}
                      {one.unit && <span className="k-quiet"> ({text(one.unit)})</span>}
                    </th>
                  );
                })}
                {!disabled && (
                  <th className="k-line-tool">
                    <span className="k-hidden">{text(words.remove)}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {lines.map((line, index) => (
                <LineRow
                  key={keys[index]}
                  rowKey={keys[index]!}
                  field={field}
                  line={line}
                  index={index}
                  errors={errorsOf(byCell, index)}
                  disabled={disabled}
                  on={latest}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {byCell[''] && (
        <p className="k-lines-error k-problem" role="alert">
          {byCell['']}
        </p>
      )}
      {!disabled && (
        <Button
          type="dashed"
          size="small"
          className="k-lines-add"
          icon={<Icon name="plus" />}
          disabled={lines.length >= most}
          title={lines.length >= most ? text(fill(formWords.mostLines, { n: most })) : undefined}
          onClick={add}
        >
          {text(formWords.addLine)}
        </Button>
      )}
      <span className="k-hidden" aria-live="polite">
        {said}
      </span>
    </div>
  );
}

interface LineEvents {
  readonly cell: (index: number, name: string, value: unknown) => void;
  readonly remove: (index: number) => void;
  readonly move: (from: number, to: number) => void;
  readonly startDrag: (event: PointerEvent<HTMLElement>, id: string) => void;
}

/** One row, drawn anew only when something of it changed: a list may hold a hundred. `errors` is JSON for that. */
const LineRow = memo(function LineRow(props: {
  readonly rowKey: string;
  readonly field: Field;
  readonly line: Line;
  readonly index: number;
  readonly errors: string | undefined;
  readonly disabled: boolean;
  readonly on: LineEvents;
}) {
  const { field, line, index, disabled, on } = props;
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const errors = (props.errors ? JSON.parse(props.errors) : {}) as Readonly<Record<string, string>>;
  const place = text(fill(formWords.lineNumber, { n: index + 1 }));
  const moveByKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (step === 0) return;
    event.preventDefault();
    on.move(index, index + step);
  };
  return (
    <tr data-row-key={props.rowKey}>
      {!disabled && (
        <td className="k-line-tool">
          <button
            type="button"
            className="k-handle"
            aria-label={`${text(formWords.order)} ${place}`}
            title={text(formWords.orderHint)}
            onPointerDown={(event) => on.startDrag(event, props.rowKey)}
            onKeyDown={moveByKey}
          >
            <Icon name="grip" />
          </button>
        </td>
      )}
      {lineInputs(field).map((name) => {
        const one = field.lines![name]!;
        const error = errors[name];
        const fixed = one.readOnly === true || (one.createOnly === true && line.id !== undefined);
        return (
          <td key={name} className={`${error ? 'k-cell-bad' : ''}${isNumeric(one) ? ' k-number' : ''}`}>
            {fixed ? (
              <span className="k-line-text">{valueText(one, line[name], language)}</span>
            ) : (
              <Form.Item noStyle validateStatus={error ? 'error' : ''}>
                <FieldInput
                  field={one}
                  compact
                  label={`${text(one.label)} ${place}${error ? ` ${error}` : ''}`}
                  value={line[name]}
                  disabled={disabled}
                  onChange={(value) => on.cell(index, name, value)}
                />
              </Form.Item>
            )}
            {error && <div className="k-cell-error">{error}</div>}
          </td>
        );
      })}
      {!disabled && (
        <td className="k-line-tool">
          <button
            type="button"
            className="k-eye k-line-remove"
            aria-label={`${text(words.remove)} ${place}`}
            title={text(words.remove)}
            onClick={() => on.remove(index)}
          >
            <Icon name="close" />
          </button>
        </td>
      )}
    </tr>
  );
});

function errorsOf(byCell: Readonly<Record<string, string>>, index: number): string | undefined {
  const own = Object.entries(byCell).filter(([cell]) => cell.startsWith(`${index}.`));
  if (own.length === 0) return undefined;
  return JSON.stringify(
    Object.fromEntries(own.map(([cell, error]) => [cell.slice(cell.indexOf('.') + 1), error])),
  );
}
