import { lazy, Suspense, useState } from 'react';
import { useText } from '../language.ts';
import { words } from '../texts.ts';
import '../kernel.css';

const load = () => import('./day-range.tsx');
const DayRange = lazy(() => load().then((module) => ({ default: module.DayRange })));

/** What a range of days in a search bar is given. */
export interface DayRangeFieldProps {
  /** Two days `yyyy-MM-dd`; empty sides are open. */
  readonly value: readonly [string, string];
  readonly onChange: (value: readonly [string, string]) => void;
  readonly label: string;
  readonly prefix?: string;
  readonly whole?: boolean;
  readonly status?: 'error';
}

/** A range of days that looks like an input at once; the picker (33 KB) is fetched when somebody reaches for it. */
export function DayRangeField(props: DayRangeFieldProps) {
  const text = useText();
  const [reached, setReached] = useState(false);
  const [from, to] = props.value;
  const shape = (
    <button
      type="button"
      className={`k-input-button${props.status === 'error' ? ' k-input-bad' : ''}`}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => setReached(true)}
    >
      <span className={props.prefix && !from && !to ? 'k-prefix' : 'k-hidden'}>{props.label}</span>
      <span className={from ? '' : 'k-quiet'}>{from || text(words.startDay)}</span>
      <span className="k-quiet">~</span>
      <span className={to ? '' : 'k-quiet'}>{to || text(words.endDay)}</span>
    </button>
  );
  if (!reached) return shape;
  return (
    <Suspense fallback={shape}>
      <DayRange {...props} opened />
    </Suspense>
  );
}
