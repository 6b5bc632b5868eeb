import { DatePicker, Input, Select } from 'antd';
import dayjs from 'dayjs';
import type { Label } from '../../../kernel/contract/label.ts';
import { useText } from '../../../kernel/client/language.ts';
import { NumberText } from '../../../kernel/client/parts/number-text.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import type { ApprovalField, FactValue } from '../../../domain/approval/process.rules.ts';
import type { Names } from './flow-words.ts';

/** A select of fixed words. */
export function Words<T extends string>(props: {
  readonly label: string;
  readonly value: T | undefined;
  readonly options: Readonly<Record<T, Label>> | readonly (readonly [T, Label])[];
  readonly placeholder?: string;
  readonly onChange: (value: T) => void;
}) {
  const text = useText();
  const entries = (
    Array.isArray(props.options) ? props.options : Object.entries(props.options)
  ) as readonly (readonly [T, Label])[];
  return (
    <Select
      className="k-fill"
      aria-label={props.label}
      value={props.value ?? null}
      {...(props.placeholder ? { placeholder: props.placeholder } : {})}
      popupMatchSelectWidth={false}
      options={entries.map(([value, label]) => ({ value: value as T | null, label: text(label) }))}
      onChange={(value) => value !== null && props.onChange(value)}
    />
  );
}

/** An input with its name above it. */
export function Named(props: {
  readonly label: Label;
  readonly note?: Label;
  readonly children: React.ReactNode;
}) {
  const text = useText();
  return (
    <fieldset className="pc-field">
      <legend className="k-strong k-small">{text(props.label)}</legend>
      {props.children}
      {props.note && <span className="k-quiet k-small">{text(props.note)}</span>}
    </fieldset>
  );
}

/** People of a node or condition. */
export function StaffInput(props: {
  readonly label: string;
  readonly value: readonly number[];
  readonly names: Names;
  readonly multiple?: boolean;
  readonly onChange: (ids: readonly number[]) => void;
}) {
  return (
    <RemoteSelect
      target="approvalStaff"
      label={props.label}
      multiple={props.multiple ?? true}
      value={props.value.map(String)}
      known={props.names.staff}
      placeholder=""
      onChange={(ids) => props.onChange(ids.map(Number))}
    />
  );
}

/** The value of a field: of a condition or of an object made up for a trial. Money is typed in yuan and kept in fen. */
export function FactInput(props: {
  readonly field: ApprovalField;
  readonly value: FactValue | undefined;
  readonly label: string;
  readonly names: Names;
  readonly onChange: (value: FactValue) => void;
}) {
  const text = useText();
  const { field, value, label } = props;
  switch (field.kind) {
    case 'money':
      return (
        <NumberText
          label={label}
          value={typeof value === 'number' ? String(value / 100) : ''}
          scale={2}
          negative
          unit={text(['元', 'CNY'])}
          onChange={(next) =>
            props.onChange(next === '' || next === '-' ? null : Math.round(Number(next) * 100))
          }
        />
      );
    case 'number':
      return (
        <NumberText
          label={label}
          value={typeof value === 'number' ? String(value) : ''}
          scale={2}
          negative
          onChange={(next) => props.onChange(next === '' || next === '-' ? null : Number(next))}
        />
      );
    case 'boolean':
      return (
        <Words
          label={label}
          value={value === true ? 'yes' : value === false ? 'no' : undefined}
          options={{ yes: ['是', 'Yes'], no: ['否', 'No'] }}
          onChange={(next) => props.onChange(next === 'yes')}
        />
      );
    case 'choice':
      return (
        <Words
          label={label}
          value={typeof value === 'string' ? value : undefined}
          options={(field.options ?? []).map((one) => [one.value, one.label] as const)}
          onChange={props.onChange}
        />
      );
    case 'date':
      return (
        <DatePicker
          className="k-fill"
          aria-label={label}
          value={typeof value === 'string' && value ? dayjs(value) : null}
          onChange={(day) => props.onChange(day ? day.format('YYYY-MM-DD') : null)}
        />
      );
    case 'staff':
      return (
        <StaffInput
          label={label}
          value={typeof value === 'number' ? [value] : []}
          names={props.names}
          multiple={false}
          onChange={(ids) => props.onChange(ids[0] ?? null)}
        />
      );
    case 'text':
      return (
        <Input
          aria-label={label}
          maxLength={200}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => props.onChange(event.target.value)}
        />
      );
  }
}
