import { useEffect, useState } from 'react';
import type { Label } from '../../contract/label.ts';
import { instantFull, NOTHING } from '../format.rules.ts';
import { useText } from '../language.ts';

/** Time until a deadline, to the minute; what is under ten minutes is red. The full instant stands in the hint. */
export function TimeLeft({ until }: { readonly until: string | null | undefined }) {
  const text = useText();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!until) return;
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, [until]);
  if (!until) return NOTHING;
  const left = Date.parse(until) - now;
  return (
    <span title={instantFull(until)} className={left < 600_000 ? 'k-number k-bad' : 'k-number'}>
      {text(leftLabel(left))}
    </span>
  );
}

/** Milliseconds as days, hours and minutes; past ones as overdue. */
function leftLabel(left: number): Label {
  if (left <= 0) return ['已到期', 'Due'];
  const minutes = Math.ceil(left / 60_000);
  const days = Math.floor(minutes / 1440);
  const hours = Math.floor((minutes % 1440) / 60);
  if (days > 0) return [`${days}天${hours}小时`, `${days} d ${hours} h`];
  if (hours > 0) return [`${hours}小时${minutes % 60}分`, `${hours} h ${minutes % 60} min`];
  return [`${minutes}分钟`, `${minutes} min`];
}
