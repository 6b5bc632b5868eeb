import { Input, Radio } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import { DAY_TYPES } from './overtime.rules.ts';

/** Inputs of the overtime forms: times of day, and the compensation the day allows. */
export const overtimeInputs: NonNullable<ScreenSlots['inputs']> = {
  startTime: (props) => <TimeInput {...props} />,
  endTime: (props) => <TimeInput {...props} />,
  compensation: (props) => <CompensationInput {...props} />,
};

/** A time of day; not offered while half a day is chosen. */
function TimeInput({ id, value, onChange, values, disabled }: SlotInputProps) {
  const half = values.part === 'morning' || values.part === 'afternoon';
  return (
    <Input
      {...(id ? { id } : {})}
      type="time"
      value={half ? '' : ((value as string | undefined) ?? '')}
      disabled={disabled || half}
      onChange={(event) => onChange?.(event.target.value)}
    />
  );
}

/** Time off or pay, with the type of the chosen day beside it; a holiday is paid only. */
function CompensationInput({ id, value, onChange, values, disabled }: SlotInputProps) {
  const text = useText();
  const day = typeof values.day === 'string' ? values.day : '';
  const { data } = useQuery({
    queryKey: ['overtime', 'dayType', day],
    enabled: day !== '',
    staleTime: 10 * 60_000,
    queryFn: ({ signal }) =>
      call<{ dayType: keyof typeof DAY_TYPES }>('GET', '/api/admin/overtime/dayType', {
        query: { day },
        signal,
        quiet: true,
      }),
  });
  const holiday = data?.dayType === 'holiday';
  return (
    <span className="k-links" {...(id ? { id } : {})}>
      <Radio.Group
        value={value ?? null}
        disabled={disabled}
        options={[
          { value: 'time_off', label: text(['调休', 'Time off']), disabled: holiday },
          { value: 'pay', label: text(['加班费', 'Pay']) },
        ]}
        onChange={(event) => onChange?.(event.target.value)}
      />
      {data && (
        <span className="k-quiet">
          {text(['当天为', 'That day: '])}
          {text(DAY_TYPES[data.dayType].label)}
        </span>
      )}
    </span>
  );
}
