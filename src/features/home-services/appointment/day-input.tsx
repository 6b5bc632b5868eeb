import { DatePicker } from 'antd';
import dayjs from 'dayjs';
import { useText } from '../../../kernel/client/language.ts';

/** The day a calendar or sheet shows, `yyyy-MM-dd`; it always shows one. */
export function DayInput({
  day,
  onChange,
}: {
  readonly day: string;
  readonly onChange: (day: string) => void;
}) {
  const text = useText();
  return (
    <DatePicker
      aria-label={text(['日期', 'Day'])}
      allowClear={false}
      value={dayjs(day)}
      onChange={(chosen) => chosen && onChange(chosen.format('YYYY-MM-DD'))}
    />
  );
}
