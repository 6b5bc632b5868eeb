import { Button } from 'antd';
import { DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import {
  FIRST_RANGES,
  gapsOf,
  MOST_RANGES,
  rangesProblem,
  type PointsRange,
} from '../../../domain/points-task/points-ranges.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { NumberText } from '../../../kernel/client/parts/number-text.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import { words } from '../../../kernel/client/texts.ts';
import { pointsRange } from './points-range.contract.ts';
import './points-range.css';

/** Rows of ranges in their order; holds the JSON text of the setting. */
function RangesInput(props: SlotInputProps) {
  const text = useText();
  const rows = readRows(props.value);
  const write = (next: readonly PointsRange[]) => props.onChange?.(JSON.stringify(next));
  const set = (index: number, patch: Partial<PointsRange>) =>
    write(rows.map((row, at) => (at === index ? { ...row, ...patch } : row)));
  const last = rows.at(-1);
  const gaps = rangesProblem(rows) ? [] : gapsOf(rows);
  return (
    <div className="pt-ranges" {...(props.id ? { id: props.id } : {})} tabIndex={-1}>
      <table>
        <thead>
          <tr>
            <th>{text(['顺序', 'Order'])}</th>
            <th>{text(['开始积分', 'From'])}</th>
            <th>{text(['结束积分（−1 不封顶）', 'To (−1: no end)'])}</th>
            <th>
              <span className="k-hidden">{text(['操作', 'Actions'])}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              <td>{index + 1}</td>
              {(['start', 'end'] as const).map((name) => (
                <td key={name}>
                  <NumberText
                    value={String(row[name])}
                    label={`${text(name === 'start' ? ['开始积分', 'From'] : ['结束积分', 'To'])} ${index + 1}`}
                    scale={0}
                    min={name === 'start' ? 0 : -1}
                    max={1_000_000_000}
                    disabled={props.disabled}
                    onChange={(value) => set(index, { [name]: value === '' ? 0 : Number(value) })}
                  />
                </td>
              ))}
              <td>
                <Button
                  type="text"
                  size="small"
                  danger
                  icon={<DeleteOutlined />}
                  disabled={props.disabled || rows.length === 1}
                  aria-label={`${text(words.remove)} ${index + 1}`}
                  title={text(words.remove)}
                  onClick={() => write(rows.filter((_, at) => at !== index))}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {gaps.length > 0 && (
        <p className="pt-gap" role="status">
          {text([
            `第 ${gaps.join('、')} 行之前有未覆盖的积分`,
            `Points before row ${gaps.join(', ')} belong to no range`,
          ])}
        </p>
      )}
      <Button
        type="dashed"
        icon={<PlusOutlined />}
        disabled={props.disabled || rows.length >= MOST_RANGES}
        onClick={() =>
          write([
            ...rows.map((row, at) =>
              at === rows.length - 1 && row.end === -1 ? { ...row, end: row.start + 999 } : row,
            ),
            { start: last ? (last.end === -1 ? last.start + 1_000 : last.end + 1) : 0, end: -1 },
          ])
        }
      >
        {text(['添加一行', 'Add a row'])}
      </Button>
    </div>
  );
}

function readRows(value: unknown): readonly PointsRange[] {
  try {
    const read: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    return Array.isArray(read) && read.length > 0 ? (read as PointsRange[]) : FIRST_RANGES;
  } catch {
    return FIRST_RANGES;
  }
}

const slots: ScreenSlots = {
  inputs: { points_screen_ranges: (props) => <RangesInput {...props} /> },
};

function PointsRangeScreen() {
  return <ScreenOf contract={pointsRange} slots={slots} />;
}

/** 积分范围筛选. */
export const screen = { contract: pointsRange, component: PointsRangeScreen };
