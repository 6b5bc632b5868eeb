import { DatePicker } from 'antd';
import dayjs from 'dayjs';
import { dateOf } from '../format.rules.ts';
import { useText } from '../language.ts';
import { DayRange } from '../parts/day-range.tsx';
import { businessTimeText } from '../../contract/time.rules.ts';
import type { FieldInputProps } from './field-input.tsx';

/** Day, instant or range of days. Instants are typed in business time whatever the computer's zone is. */
export function DateInput({ field, value, onChange, onBlur, id, label, disabled = false }: FieldInputProps) {
  const text = useText();
  const own = { ...(id ? { id } : {}), ...(label ? { 'aria-label': label } : {}) };
  if (field.kind === 'dateRange') {
    const [from = '', to = ''] = (value as readonly [string, string] | undefined) ?? [];
    return (
      <DayRange
        {...(id ? { id } : {})}
        value={[from, to]}
        label={label ?? text(field.label)}
        whole={field.required ?? false}
        onChange={(range) => onChange?.(range[0] && range[1] ? range : undefined)}
      />
    );
  }
  if (field.kind === 'date')
    return (
      <DatePicker
        {...own}
        className="k-fill"
        disabled={disabled}
        value={value ? dayjs(value as string) : null}
        onChange={(day) => onChange?.(day ? day.format('YYYY-MM-DD') : undefined)}
        onBlur={() => onBlur?.()}
      />
    );
  const date = dateOf(value as string | undefined);
  return (
    <DatePicker
      {...own}
      className="k-fill"
      disabled={disabled}
      showTime={{ format: 'HH:mm' }}
      // What is typed counts when it is left, as in every other input.
      needConfirm={false}
      format="YYYY-MM-DD HH:mm"
      value={date ? dayjs(businessTimeText(date)) : null}
      onChange={(time) => onChange?.(time ? `${time.format('YYYY-MM-DDTHH:mm:00')}+08:00` : undefined)}
      onBlur={() => onBlur?.()}
    />
  );
}
