import { lazy, Suspense, type ReactNode } from 'react';
import { Input, Radio, Select, Switch, type SelectProps } from 'antd';
import { refLabel, type Field, type FileValue, type RefValue } from '../../contract/fields.ts';
import { fill } from '../../contract/label.ts';
import { useText } from '../language.ts';
import { NumberText } from '../parts/number-text.tsx';
import { RemoteSelect } from '../parts/remote-select.tsx';
import { useTabLeaves } from '../parts/tab-leaves.ts';
import { words } from '../texts.ts';

const DateInput = lazy(() => import('./date-input.tsx').then((module) => ({ default: module.DateInput })));
const RemoteTreeSelect = lazy(() =>
  import('../parts/remote-tree-select.tsx').then((module) => ({ default: module.RemoteTreeSelect })),
);
const UploadInput = lazy(() =>
  import('./upload-input.tsx').then((module) => ({ default: module.UploadInput })),
);
const RichTextInput = lazy(() =>
  import('./rich-text-input.tsx').then((module) => ({ default: module.RichTextInput })),
);

const LinesInput = lazy(() => import('./lines-input.tsx').then((module) => ({ default: module.LinesInput })));

/** What the input of a field is given; value and change as the form holds them (see form-values.rules). */
export interface FieldInputProps {
  readonly field: Field;
  readonly value?: unknown;
  readonly onChange?: (value: unknown) => void;
  readonly onBlur?: () => void;
  readonly id?: string;
  readonly disabled?: boolean;
  /** What screen readers call it where no label stands beside it; default: the field's. */
  readonly label?: string;
  /** In a cell of a table: as little room as possible. */
  readonly compact?: boolean;
}

/** Several of fixed words; Tab leaves them as they were chosen. */
function WordsSelect(props: SelectProps<string[]>) {
  return <Select {...props} {...useTabLeaves()} mode="multiple" className="k-fill" />;
}

/** The input of a field, by its kind. */
export function FieldInput(props: FieldInputProps): ReactNode {
  const { field, value, disabled = false } = props;
  const text = useText();
  const label = props.label ?? text(field.label);
  // Beside a label of its own an input needs no second name.
  const named = props.label === undefined ? {} : { 'aria-label': props.label };
  const change = (next: unknown) => props.onChange?.(next);
  const blur = () => props.onBlur?.();
  const id = props.id ? { id: props.id } : {};
  const placeholder = field.placeholder ? { placeholder: text(field.placeholder) } : {};
  const unit = field.unit ? text(field.unit) : undefined;
  const choose = {
    placeholder: field.placeholder
      ? text(field.placeholder)
      : text(fill(words.pleaseSelect, { label: '' })).trim(),
  };
  switch (field.kind) {
    case 'longText':
      return (
        <Input.TextArea
          {...id}
          {...placeholder}
          {...named}
          value={(value as string | undefined) ?? ''}
          disabled={disabled}
          autoSize={{ minRows: props.compact ? 1 : 3, maxRows: 10 }}
          {...(field.max && !props.compact ? { count: { max: field.max, show: true } } : {})}
          onChange={(event) => change(event.target.value)}
          onBlur={blur}
        />
      );
    case 'json':
      return (
        <Input.TextArea
          {...id}
          className="k-code"
          spellCheck={false}
          value={(value as string | undefined) ?? ''}
          disabled={disabled}
          autoSize={{ minRows: 4, maxRows: 16 }}
          onChange={(event) => change(event.target.value)}
          onBlur={blur}
        />
      );
    case 'money':
      return (
        <NumberText
          {...id}
          {...(props.label === undefined ? {} : { label: props.label })}
          {...placeholder}
          value={(value as string | undefined) ?? ''}
          onChange={change}
          onBlur={blur}
          scale={2}
          pad
          disabled={disabled}
          {...(props.compact ? {} : { unit: unit ?? text(['元', 'CNY']) })}
          negative={field.min !== undefined && field.min < 0}
          min={field.min === undefined ? 0 : field.min / 100}
          max={field.max === undefined ? undefined : field.max / 100}
        />
      );
    case 'integer':
    case 'decimal':
    case 'percent':
      return (
        <NumberText
          {...id}
          {...(props.label === undefined ? {} : { label: props.label })}
          {...placeholder}
          value={(value as string | undefined) ?? ''}
          onChange={change}
          onBlur={blur}
          scale={field.kind === 'integer' ? 0 : (field.scale ?? 2)}
          disabled={disabled}
          negative={field.min === undefined || field.min < 0}
          min={field.min}
          max={field.max}
          {...(field.kind === 'percent' ? { unit: '%' } : unit && !props.compact ? { unit } : {})}
        />
      );
    case 'boolean':
      return (
        <Switch {...id} checked={value === true} disabled={disabled} aria-label={label} onChange={change} />
      );
    case 'choice': {
      const options = Object.entries(field.choices ?? {}).map(([word, choice]) => ({
        value: word,
        label: text(choice.label),
      }));
      if (options.length <= 3 && !props.compact)
        return (
          <Radio.Group
            {...id}
            value={value ?? null}
            disabled={disabled}
            options={options}
            onChange={(event) => change(event.target.value)}
          />
        );
      return (
        <Select
          {...id}
          {...choose}
          className="k-fill"
          value={(value ?? null) as never}
          disabled={disabled}
          allowClear={!field.required}
          showSearch={{ optionFilterProp: 'label' }}
          options={options}
          onChange={change}
          onBlur={blur}
          aria-label={label}
        />
      );
    }
    case 'date':
    case 'instant':
    case 'dateRange':
      return (
        <Suspense fallback={<span className="k-input-shape" />}>
          <DateInput {...props} />
        </Suspense>
      );
    case 'ref':
    case 'refs':
    case 'treeRef': {
      const many = field.kind === 'refs';
      const chosen = (
        many ? ((value as RefValue[] | undefined) ?? []) : value ? [value as RefValue] : []
      ) as readonly RefValue[];
      const Remote = field.kind === 'treeRef' ? RemoteTreeSelect : RemoteSelect;
      return (
        <Suspense fallback={<span className="k-input-shape" />}>
          <Remote
            {...id}
            {...choose}
            target={field.target!}
            label={label}
            multiple={many}
            disabled={disabled}
            value={chosen.map((one) => one.id)}
            known={Object.fromEntries(chosen.map((one) => [one.id, text(refLabel(one))]))}
            onChange={(_, entries) => change(many ? entries : (entries[0] ?? undefined))}
          />
        </Suspense>
      );
    }
    case 'image':
    case 'images':
    case 'file':
    case 'files':
      return (
        <Suspense fallback={<span className="k-input-shape" />}>
          <UploadInput
            {...id}
            label={label}
            image={field.kind === 'image' || field.kind === 'images'}
            max={field.kind === 'image' || field.kind === 'file' ? 1 : (field.max ?? 9)}
            megabytes={field.megabytes}
            pixels={field.pixels}
            value={[value ?? []].flat() as FileValue[]}
            disabled={disabled}
            onChange={(files) => change(field.kind === 'image' || field.kind === 'file' ? files[0] : files)}
          />
        </Suspense>
      );
    case 'lines':
      return (
        <Suspense fallback={<span className="k-input-shape" />}>
          <LinesInput {...props} />
        </Suspense>
      );
    case 'richText':
      return (
        <Suspense fallback={<span className="k-input-shape" />}>
          <RichTextInput
            {...id}
            label={label}
            value={(value as string | undefined) ?? ''}
            disabled={disabled}
            onChange={change}
            onBlur={blur}
          />
        </Suspense>
      );
    case 'tags':
      if (field.choices)
        return (
          <WordsSelect
            {...id}
            {...choose}
            value={(value as string[] | undefined) ?? []}
            disabled={disabled}
            options={Object.entries(field.choices).map(([key, one]) => ({
              value: key,
              label: text(one.label),
            }))}
            onChange={change}
            onBlur={blur}
            aria-label={label}
          />
        );
      return (
        <Select
          {...id}
          mode="tags"
          className="k-fill"
          value={(value as string[] | undefined) ?? []}
          disabled={disabled}
          maxCount={field.max ?? 20}
          tokenSeparators={[',', '，', ' ']}
          open={false}
          suffixIcon={null}
          {...placeholder}
          onChange={change}
          onBlur={blur}
          aria-label={label}
        />
      );
    default:
      if (field.secret)
        return (
          <Input.Password
            {...id}
            {...placeholder}
            value={(value as string | undefined) ?? ''}
            {...named}
            disabled={disabled}
            autoComplete="new-password"
            onChange={(event) => change(event.target.value)}
            onBlur={blur}
          />
        );
      return (
        <Input
          {...id}
          {...placeholder}
          value={(value as string | undefined) ?? ''}
          {...named}
          disabled={disabled}
          autoComplete="off"
          {...(unit && !props.compact ? { suffix: <span className="k-quiet">{unit}</span> } : {})}
          {...(field.max && field.max <= 100 && !props.compact
            ? { count: { max: field.max, show: field.kind === 'text' && field.max >= 20 } }
            : {})}
          onChange={(event) => change(event.target.value)}
          onBlur={blur}
        />
      );
  }
}
