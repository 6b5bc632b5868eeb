import { useLayoutEffect, useRef } from 'react';
import { DatePicker } from 'antd';
import dayjs from 'dayjs';
import { businessDayOf } from '../../contract/time.rules.ts';
import { useText } from '../language.ts';
import { dayPresets } from '../list/filter-values.rules.ts';
import { words } from '../texts.ts';

/** Two days `yyyy-MM-dd` with presets. Either may stay open unless `whole`. Loaded on demand: the picker is large. */
export function DayRange(props: {
  readonly value: readonly [string, string];
  readonly onChange: (value: readonly [string, string]) => void;
  readonly label: string;
  readonly prefix?: string;
  readonly whole?: boolean;
  readonly status?: 'error';
  readonly id?: string;
  /** Open and focused from the start. */
  readonly opened?: boolean;
}) {
  const text = useText();
  const host = useRef<HTMLDivElement>(null);
  // A focused range picker throws when its tab is hidden (measured). The layout effect of the parent is undone before
  // the picker loses its refs, so leaving the input here is early enough.
  useLayoutEffect(() => {
    const element = host.current;
    return () => {
      if (element?.contains(document.activeElement)) (document.activeElement as HTMLElement).blur();
    };
  }, []);
  const day = (value: string) => (value ? dayjs(value) : null);
  return (
    <div ref={host} className="k-fill">
      <DatePicker.RangePicker
        className="k-fill"
        {...(props.opened ? { defaultOpen: true, autoFocus: true } : {})}
        {...(props.id ? { id: { start: props.id, end: `${props.id}-end` } } : {})}
        value={[day(props.value[0]), day(props.value[1])]}
        allowEmpty={props.whole ? [false, false] : [true, true]}
        allowClear={!props.whole}
        {...(props.prefix && !props.value[0] && !props.value[1] ? { prefix: props.prefix } : {})}
        suffixIcon={null}
        separator="~"
        {...(props.status ? { status: props.status } : {})}
        placeholder={[text(words.startDay), text(words.endDay)]}
        aria-label={props.label}
        presets={dayPresets(businessDayOf(new Date())).map((preset) => ({
          label: text(preset.label),
          value: [dayjs(preset.range[0]), dayjs(preset.range[1])],
        }))}
        onChange={(days) =>
          props.onChange([days?.[0]?.format('YYYY-MM-DD') ?? '', days?.[1]?.format('YYYY-MM-DD') ?? ''])
        }
      />
    </div>
  );
}
