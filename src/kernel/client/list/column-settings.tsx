import { useState } from 'react';
import { Button } from 'antd';
import { ArrowDownOutlined, ArrowUpOutlined, PushpinFilled, PushpinOutlined } from '@ant-design/icons';
import { fieldsOf, type ResourceSpec } from '../../contract/resource.ts';
import { useText } from '../language.ts';
import { NumberText } from '../parts/number-text.tsx';
import { words } from '../texts.ts';
import { COLUMN_LIMITS, defaultWidth, type ColumnChoice } from './columns.rules.ts';

/** Show, hide, order, width and pin of every column. Takes effect at once and is kept for the staff. */
export function ColumnSettings(props: {
  readonly resource: ResourceSpec;
  readonly columns: readonly ColumnChoice[];
  readonly onChange: (columns: readonly ColumnChoice[]) => void;
  readonly onReset: () => void;
}) {
  const text = useText();
  const fields = fieldsOf(props.resource);
  const [dragged, setDragged] = useState<number>();
  const change = (index: number, patch: Partial<ColumnChoice>) =>
    props.onChange(props.columns.map((column, at) => (at === index ? { ...column, ...patch } : column)));
  const move = (from: number, to: number) => {
    if (to < 0 || to >= props.columns.length || from === to) return;
    const next = [...props.columns];
    next.splice(to, 0, next.splice(from, 1)[0]!);
    props.onChange(next);
  };
  const visible = props.columns.filter((column) => !column.hidden).length;
  return (
    <div className="k-columns">
      <ul>
        {props.columns.map((column, index) => {
          const field = fields[column.name]!;
          const label = text(field.label);
          return (
            <li
              key={column.name}
              draggable
              className={dragged === index ? 'k-dragged' : ''}
              onDragStart={() => setDragged(index)}
              onDragOver={(event) => event.preventDefault()}
              onDragEnd={() => setDragged(undefined)}
              onDrop={() => {
                if (dragged !== undefined) move(dragged, index);
                setDragged(undefined);
              }}
            >
              <label>
                <input
                  type="checkbox"
                  className="k-check"
                  checked={!column.hidden}
                  disabled={!column.hidden && visible === 1}
                  onChange={(event) => change(index, { hidden: !event.target.checked })}
                />
                <span>{label}</span>
              </label>
              <WidthInput
                label={`${label} ${text(words.columnWidth)}`}
                width={column.width ?? defaultWidth(field)}
                onChange={(width) => change(index, { width })}
              />
              <Button
                type="text"
                size="small"
                disabled={index === 0}
                icon={<ArrowUpOutlined />}
                aria-label={`${text(words.moveUp)} ${label}`}
                title={text(words.moveUp)}
                onClick={() => move(index, index - 1)}
              />
              <Button
                type="text"
                size="small"
                disabled={index === props.columns.length - 1}
                icon={<ArrowDownOutlined />}
                aria-label={`${text(words.moveDown)} ${label}`}
                title={text(words.moveDown)}
                onClick={() => move(index, index + 1)}
              />
              <Button
                type="text"
                size="small"
                icon={column.pin ? <PushpinFilled /> : <PushpinOutlined />}
                aria-pressed={column.pin === true}
                aria-label={`${text(words.pin)} ${label}`}
                title={text(column.pin ? words.unpin : words.pin)}
                onClick={() => change(index, { pin: !column.pin })}
              />
            </li>
          );
        })}
      </ul>
      <button type="button" className="k-link" onClick={props.onReset}>
        {text(words.restoreDefault)}
      </button>
    </div>
  );
}

function WidthInput({
  label,
  width,
  onChange,
}: {
  readonly label: string;
  readonly width: number;
  readonly onChange: (width: number) => void;
}) {
  const [typed, setTyped] = useState(String(width));
  const [base, setBase] = useState(width);
  if (base !== width) {
    setBase(width);
    setTyped(String(width));
  }
  return (
    <span className="k-width">
      <NumberText
        value={typed}
        onChange={setTyped}
        scale={0}
        min={COLUMN_LIMITS.min}
        max={COLUMN_LIMITS.max}
        label={label}
        unit="px"
        onCommit={(value) =>
          value === '' ? setTyped(String(width)) : Number(value) !== width && onChange(Number(value))
        }
      />
    </span>
  );
}
