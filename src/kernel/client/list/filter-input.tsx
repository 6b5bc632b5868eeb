import { lazy } from 'react';
import type { Field } from '../../contract/fields.ts';
import { useText } from '../language.ts';
import { DayRangeField } from '../parts/day-range-field.tsx';
import { LightInput } from '../parts/light-input.tsx';
import { NumberText } from '../parts/number-text.tsx';
import { RemoteSelectField, SelectShape } from '../parts/select-shape.tsx';
import { useDraftText } from '../parts/use-draft-text.ts';
import { useOptionTitles } from '../parts/use-options.ts';
import { words } from '../texts.ts';
import { joinRange, splitList, splitRange } from './filter-values.rules.ts';

const loadTree = () => import('../parts/remote-tree-select.tsx');
const RemoteTreeSelect = lazy(() => loadTree().then((module) => ({ default: module.RemoteTreeSelect })));
const loadChoice = () => import('./choice-select.tsx');
const ChoiceSelect = lazy(() => loadChoice().then((module) => ({ default: module.ChoiceSelect })));

/** What a filter input is given: the wire text of the filter. */
export interface FilterInputProps {
  readonly field: Field;
  readonly value: string;
  /** Wire text of the filter the choices follow, for fields that name one. */
  readonly within?: string | undefined;
  readonly onChange: (wire: string) => void;
}

/** The input of a filter, by field kind and search mode. Selects act at once, texts on Enter and on leaving. */
export function FilterInput({ field, value, within, onChange }: FilterInputProps) {
  const text = useText();
  const label = text(field.label);
  if (field.search === 'range')
    return field.kind === 'date' || field.kind === 'instant' || field.kind === 'dateRange' ? (
      <DayRangeField
        prefix={label}
        label={label}
        value={splitRange(value)}
        onChange={([from, to]) => onChange(joinRange(from, to))}
      />
    ) : (
      <NumberRange field={field} value={value} onChange={onChange} />
    );
  switch (field.kind) {
    case 'choice':
      return (
        <ChoiceFilter
          label={label}
          value={field.search === 'in' ? splitList(value) : value ? [value] : []}
          multiple={field.search === 'in'}
          placeholder={field.placeholder && text(field.placeholder)}
          options={Object.entries(field.choices ?? {}).map(([word, choice]) => ({
            value: word,
            label: text(choice.label),
          }))}
          onChange={onChange}
        />
      );
    case 'boolean':
      return (
        <ChoiceFilter
          label={label}
          value={value ? [value] : []}
          multiple={false}
          options={[
            { value: 'true', label: text(words.yes) },
            { value: 'false', label: text(words.no) },
          ]}
          onChange={onChange}
        />
      );
    case 'ref':
    case 'refs':
    case 'treeRef':
      return <RefFilter field={field} value={value} within={within} onChange={onChange} />;
    default:
      return <TextFilter field={field} value={value} onChange={onChange} />;
  }
}

function ChoiceFilter(props: {
  readonly label: string;
  readonly value: readonly string[];
  readonly multiple: boolean;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** What holds while nothing is chosen; default: all. */
  readonly placeholder?: string | undefined;
  readonly onChange: (wire: string) => void;
}) {
  const chosen = props.options.filter((option) => props.value.includes(option.value));
  return (
    <SelectShape
      label={props.label}
      prefix={props.label}
      placeholder={props.placeholder}
      chosen={chosen.map((option) => option.label).join('、')}
      preload={loadChoice}
    >
      <ChoiceSelect {...props} onChange={(chosenWords) => props.onChange(chosenWords.join(','))} />
    </SelectShape>
  );
}

function RefFilter({ field, value, within, onChange }: FilterInputProps) {
  const text = useText();
  const ids = splitList(value);
  const titles = useOptionTitles(field.target, ids);
  const shared = {
    target: field.target!,
    value: ids,
    multiple: field.search === 'in',
    prefix: text(field.label),
    label: text(field.label),
    ...(within ? { within } : {}),
    onChange: (chosen: readonly string[]) => onChange(chosen.join(',')),
  };
  if (field.kind !== 'treeRef') return <RemoteSelectField {...shared} />;
  return (
    <SelectShape
      label={shared.label}
      prefix={shared.prefix}
      chosen={ids.map((id) => titles[id] ?? '…').join('、')}
      preload={loadTree}
    >
      <RemoteTreeSelect {...shared} known={titles} opened />
    </SelectShape>
  );
}

function TextFilter({ field, value, onChange }: FilterInputProps) {
  const text = useText();
  const [typed, setTyped] = useDraftText(value);
  const commit = () => typed.trim() !== value && onChange(typed.trim());
  return (
    <LightInput
      prefix={<span className="k-prefix">{text(field.label)}</span>}
      value={typed}
      onClear={() => {
        setTyped('');
        onChange('');
      }}
      aria-label={text(field.label)}
      placeholder={
        field.placeholder ? text(field.placeholder) : field.search === 'equals' ? text(words.exact) : ''
      }
      onChange={setTyped}
      onCommit={commit}
    />
  );
}

function NumberRange({ field, value, onChange }: FilterInputProps) {
  const text = useText();
  const [from, to] = splitRange(value);
  const [low, setLow] = useDraftText(from);
  const [high, setHigh] = useDraftText(to);
  const label = text(field.label);
  const commit = (nextLow: string, nextHigh: string) => {
    // A range typed the wrong way round is meant the other way.
    const swap = nextLow !== '' && nextHigh !== '' && Number(nextLow) > Number(nextHigh);
    const wire = swap ? joinRange(nextHigh, nextLow) : joinRange(nextLow, nextHigh);
    if (wire !== value) onChange(wire);
  };
  const scale = field.kind === 'integer' ? 0 : (field.scale ?? 2);
  return (
    <div className="k-range" role="group" aria-label={label}>
      <NumberText
        value={low}
        onChange={setLow}
        scale={scale}
        prefix={label}
        placeholder={text(words.from)}
        label={`${label} ${text(words.from)}`}
        onCommit={(now) => commit(now, high)}
      />
      <span aria-hidden="true">~</span>
      <NumberText
        value={high}
        onChange={setHigh}
        scale={scale}
        placeholder={text(words.to)}
        label={`${label} ${text(words.to)}`}
        onCommit={(now) => commit(low, now)}
      />
    </div>
  );
}
