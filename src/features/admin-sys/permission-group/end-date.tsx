import { useState } from 'react';
import { DatePicker } from 'antd';
import dayjs from 'dayjs';
import { useText } from '../../../kernel/client/language.ts';
import './permission-group.css';

/** A day as text; a click makes it a picker, as a picker in each of many rows would be slow. */
export function EndDate({
  value,
  ended,
  onChange,
}: {
  readonly value: string | null;
  readonly ended: boolean;
  readonly onChange: (value: string | null) => void;
}) {
  const text = useText();
  const [open, setOpen] = useState(false);
  if (!open)
    return (
      <span className="pg-end">
        <button type="button" className="k-link" onClick={() => setOpen(true)}>
          {value ?? text(['无期限', 'No end'])}
        </button>
        {ended && <small className="k-bad">{text(['已到期', 'Ended'])}</small>}
      </span>
    );
  return (
    <DatePicker
      size="small"
      open
      autoFocus
      defaultValue={value ? dayjs(value) : null}
      minDate={dayjs()}
      aria-label={text(['结束日期', 'Ends on'])}
      onOpenChange={setOpen}
      onChange={(day) => {
        setOpen(false);
        onChange(day ? day.format('YYYY-MM-DD') : null);
      }}
    />
  );
}
