import { useState } from 'react';
import { Button, Input } from 'antd';
import { CloseOutlined, DeleteOutlined, PlusOutlined, VerticalAlignBottomOutlined } from '@ant-design/icons';
import { useText } from '../../../kernel/client/language.ts';
import { NumberText } from '../../../kernel/client/parts/number-text.tsx';
import { words } from '../../../kernel/client/texts.ts';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { SpecImage } from './spec-image.tsx';
import {
  arrangeSpecs,
  combinationsOf,
  dimensionsOf,
  newSpec,
  readSpecs,
  renameValue,
  SPEC_LIMITS,
  specProblemText,
  type SpecDraft,
  type SpecWire,
} from './spec.rules.ts';

/** What the matrix edits: the specs as JSON text, the form of a `json` field. */
export interface SpecMatrixProps {
  readonly id?: string;
  readonly value: unknown;
  readonly onChange: (value: string) => void;
  readonly disabled: boolean;
  /** Marks bad cells; before the first submit nothing is marked. */
  readonly showProblems: boolean;
  /** What can be sold now by spec id; existing specs change it by 调整库存 only. */
  readonly stocks: Readonly<Record<string, number>>;
}

const COLUMNS: readonly {
  readonly name: keyof SpecWire;
  readonly label: Label;
  readonly fill: boolean;
  readonly needed?: boolean;
}[] = [
  { name: 'price', label: ['价格（元）', 'Price'], fill: true, needed: true },
  { name: 'marketPrice', label: ['市场价（元）', 'Market price'], fill: true },
  { name: 'stock', label: ['库存', 'Stock'], fill: true, needed: true },
  { name: 'stockAlert', label: ['库存预警', 'Alert at'], fill: true },
  { name: 'unit', label: ['单位', 'Unit'], fill: true, needed: true },
  { name: 'weightG', label: ['重量（克）', 'Weight (g)'], fill: true },
  { name: 'barcode', label: ['条码', 'Barcode'], fill: false },
  { name: 'imageId', label: ['图片', 'Image'], fill: true },
];

/** Up to 3 dimensions of 10 values and the table of their combinations; every column can be filled down. */
export function SpecMatrix(props: SpecMatrixProps) {
  const { disabled } = props;
  const text = useText();
  const specs = readDrafts(props.value);
  const names = specs.map((spec) => spec.name);
  // A product without variants has one nameless spec until somebody names it.
  const [kept, setDimensions] = useState<string[][]>(() => namedDimensions(names));
  const [isTooMany, setTooMany] = useState(false);
  // Specs may also come from elsewhere (a draft, somebody else's version): then their names say the dimensions.
  const combinations = new Set(combinationsOf(kept.map((values) => values.filter((value) => value !== ''))));
  const dimensions = names.every((name) => name === '' || combinations.has(name))
    ? kept
    : namedDimensions(names);
  const { problems } = readSpecs(specs);
  const problem = props.showProblems ? specProblemText(problems) : undefined;
  const write = (next: readonly SpecDraft[]) => props.onChange(JSON.stringify(next));
  const arrange = (next: string[][]) => {
    const filled = next.map((values) => values.filter((value) => value !== ''));
    const fits = combinationsOf(filled).length <= SPEC_LIMITS.specs;
    setTooMany(!fits);
    if (!fits) return;
    setDimensions(next);
    write(arrangeSpecs(specs, filled));
  };
  const rename = (at: number, place: number, value: string) => {
    const from = dimensions[at]![place]!;
    const to = value.trim();
    if (to === from.trim() || (to !== '' && dimensions[at]!.includes(to))) return;
    const next = dimensions.map((values, index) =>
      index === at ? values.map((one, position) => (position === place ? to : one)) : values,
    );
    if (from === '' || to === '') {
      const first = specs.length === 1 && specs[0]!.name === '' && to !== '';
      if (!first) return arrange(next);
      setDimensions(next);
      return write([{ ...specs[0]!, name: to }]);
    }
    setDimensions(next);
    write(renameValue(specs, at, from, to));
  };
  const set = (index: number, name: keyof SpecWire, value: unknown) =>
    write(specs.map((spec, at) => (at === index ? { ...spec, [name]: value } : spec)));
  const fillDown = (name: keyof SpecWire) =>
    write(specs.map((spec) => (name === 'stock' && spec.id ? spec : { ...spec, [name]: specs[0]![name] })));
  const drop = (at: number, place: number) =>
    arrange(
      dimensions
        .map((values, index) => (index === at ? values.filter((_, position) => position !== place) : values))
        .filter((values) => values.length > 0),
    );
  const bad = (index: number, name: keyof SpecWire) =>
    props.showProblems && problems.some((one) => one.index === index && one.field === name);
  return (
    <div id={props.id}>
      {dimensions.map((values, at) => (
        <div key={at} className="spec-dimension">
          <span className="k-quiet">{text(fill(['规格项 {n}', 'Dimension {n}'], { n: at + 1 }))}</span>
          {values.map((value, place) => (
            <ValueInput
              key={`${place}:${value}`}
              value={value}
              label={text(fill(['规格项 {n} 的值', 'Value of dimension {n}'], { n: at + 1 }))}
              removable={!disabled && (values.length > 1 || dimensions.length > 1)}
              disabled={disabled}
              onCommit={(next) => rename(at, place, next)}
              onRemove={() => drop(at, place)}
            />
          ))}
          {values.length < SPEC_LIMITS.values && (
            <Button
              size="small"
              type="dashed"
              icon={<PlusOutlined />}
              disabled={disabled || values.includes('')}
              onClick={() =>
                setDimensions(dimensions.map((one, index) => (index === at ? [...one, ''] : one)))
              }
            >
              {text(['添加值', 'Add value'])}
            </Button>
          )}
        </div>
      ))}
      {dimensions.length < SPEC_LIMITS.dimensions && (
        <Button
          size="small"
          icon={<PlusOutlined />}
          disabled={disabled || dimensions.some((values) => values.includes(''))}
          onClick={() => setDimensions([...dimensions, ['']])}
        >
          {text(['添加规格项（如颜色、尺寸）', 'Add a dimension (colour, size …)'])}
        </Button>
      )}
      {isTooMany && (
        <p className="k-problem spec-problem" role="alert">
          {text(
            fill(['组合超过{n}个，未添加', 'More than {n} combinations: not added'], {
              n: SPEC_LIMITS.specs,
            }),
          )}
        </p>
      )}
      <div className="spec-scroll">
        <table className="spec-table">
          <thead>
            <tr>
              <th scope="col">{text(['规格', 'Spec'])}</th>
              {COLUMNS.map((column) => (
                <th scope="col" key={column.name}>
                  {text(column.label)}
                  {column.needed && <span className="k-problem"> *</span>}
                  {column.fill && specs.length > 1 && (
                    <Button
                      type="text"
                      size="small"
                      disabled={disabled}
                      icon={<VerticalAlignBottomOutlined />}
                      title={text(['用第一行填充整列', 'Fill the column from its first row'])}
                      aria-label={`${text(['用第一行填充整列', 'Fill the column from its first row'])} ${text(column.label)}`}
                      onClick={() => fillDown(column.name)}
                    />
                  )}
                </th>
              ))}
              <th />
            </tr>
          </thead>
          <tbody>
            {specs.map((spec, index) => (
              <tr key={spec.id ?? `new:${spec.name}`}>
                <td className={bad(index, 'name') ? 'spec-bad' : ''}>
                  {spec.name === '' ? <span className="k-nothing">–</span> : spec.name}
                </td>
                {COLUMNS.map(({ name, label }) => (
                  <td key={name} className={bad(index, name) ? 'spec-bad' : ''}>
                    <Cell
                      spec={spec}
                      name={name}
                      label={`${spec.name} ${text(label)}`}
                      stock={spec.id ? props.stocks[spec.id] : undefined}
                      disabled={disabled}
                      onChange={(value) => set(index, name, value)}
                    />
                  </td>
                ))}
                <td>
                  {specs.length > 1 && (
                    <Button
                      type="text"
                      size="small"
                      danger
                      disabled={disabled}
                      icon={<DeleteOutlined />}
                      aria-label={`${text(words.remove)} ${spec.name}`}
                      title={text(words.remove)}
                      onClick={() => write(specs.filter((_, at) => at !== index))}
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {problem && (
        <p className="k-problem spec-problem" role="alert">
          {text(problem)}
        </p>
      )}
    </div>
  );
}

function Cell(props: {
  readonly spec: SpecDraft;
  readonly name: keyof SpecWire;
  readonly label: string;
  readonly stock: number | undefined;
  readonly disabled: boolean;
  readonly onChange: (value: unknown) => void;
}) {
  const { spec, name, label, disabled } = props;
  const value = spec[name] ?? '';
  if (name === 'stock' && spec.id) return <span className="k-number k-quiet">{props.stock ?? '–'}</span>;
  if (name === 'price' || name === 'marketPrice')
    return (
      <NumberText
        value={String(value)}
        label={label}
        disabled={disabled}
        scale={2}
        pad
        max={SPEC_LIMITS.price / 100}
        onChange={(next) => props.onChange(next === '' && name === 'marketPrice' ? null : next)}
      />
    );
  if (name === 'stock' || name === 'stockAlert' || name === 'weightG')
    return (
      <NumberText
        value={String(value)}
        label={label}
        disabled={disabled}
        scale={0}
        min={0}
        max={name === 'weightG' ? 9_999_999 : SPEC_LIMITS.stock}
        onChange={(next) => props.onChange(next === '' ? null : Number(next))}
      />
    );
  if (name === 'imageId')
    return (
      <SpecImage value={spec.imageId ?? null} label={label} disabled={disabled} onChange={props.onChange} />
    );
  return (
    <Input
      value={String(value)}
      aria-label={label}
      disabled={disabled}
      maxLength={name === 'unit' ? 8 : 32}
      onChange={(event) =>
        props.onChange(event.target.value === '' && name === 'barcode' ? null : event.target.value)
      }
    />
  );
}

/** A value of a dimension; typing changes nothing until the field is left, so that the table does not jump. */
function ValueInput(props: {
  readonly value: string;
  readonly label: string;
  readonly removable: boolean;
  readonly disabled: boolean;
  readonly onCommit: (value: string) => void;
  readonly onRemove: () => void;
}) {
  const text = useText();
  const [typed, setTyped] = useState(props.value);
  return (
    <span className="spec-value">
      <Input
        size="small"
        value={typed}
        maxLength={20}
        aria-label={props.label}
        disabled={props.disabled}
        placeholder={text(['如 5kg', 'e.g. 5 kg'])}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => props.onCommit(typed.replaceAll(' / ', '/'))}
        onPressEnter={(event) => {
          event.preventDefault();
          event.currentTarget.blur();
        }}
      />
      {props.removable && (
        <Button
          type="text"
          size="small"
          icon={<CloseOutlined />}
          aria-label={`${text(words.remove)} ${props.value}`}
          title={text(words.remove)}
          onClick={props.onRemove}
        />
      )}
    </span>
  );
}

function namedDimensions(names: readonly string[]): string[][] {
  return names.length === 1 && names[0] === '' ? [['']] : dimensionsOf(names);
}

function readDrafts(value: unknown): SpecDraft[] {
  try {
    const read: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    if (Array.isArray(read) && read.length > 0) return read as SpecDraft[];
  } catch {
    // What cannot be read starts anew.
  }
  return [newSpec('')];
}
