import { Button, DatePicker } from 'antd';
import dayjs from 'dayjs';
import { useText } from '../../../kernel/client/language.ts';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';

/** Days a stand-in acts at most. */
const MOST = 60;

/** The days an approved leave proposes for a stand-in: none that is over, at most sixty. */
function proposed(leave: unknown): { readonly from: string; readonly to: string } | undefined {
  const [first, last] = typeof leave === 'string' ? leave.split(' – ') : [];
  if (!first || !last) return undefined;
  const today = businessDayOf(new Date());
  const from = first < today ? today : first;
  const most = addDays(from, MOST - 1);
  return { from, to: last > most ? most : last };
}

/** A day of a stand-in; an approved leave of the butler proposes it. */
export function LeaveDay({
  end,
  id,
  value,
  onChange,
  rows,
  disabled,
}: SlotInputProps & { readonly end: 'from' | 'to' }) {
  const text = useText();
  const day = proposed(rows[0]?.leave)?.[end];
  return (
    <>
      <DatePicker
        {...(id === undefined ? {} : { id })}
        className="k-fill"
        disabled={disabled}
        value={typeof value === 'string' && value ? dayjs(value) : null}
        onChange={(chosen) => onChange?.(chosen ? chosen.format('YYYY-MM-DD') : undefined)}
      />
      {day && day !== value && (
        <Button type="link" size="small" disabled={disabled} onClick={() => onChange?.(day)}>
          {text([`按已批休假：${day}`, `As the approved leave: ${day}`])}
        </Button>
      )}
    </>
  );
}
