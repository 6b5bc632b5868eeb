import { useEffect, useState } from 'react';
import { instantFull, NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { dueLabel } from './due.rules.ts';

/** Time left or over, to the minute; red when it is over. */
export function DueText({ until }: { readonly until: string | null | undefined }) {
  const text = useText();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!until) return;
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, [until]);
  if (!until) return NOTHING;
  return (
    <span title={instantFull(until)} className={Date.parse(until) <= now ? 'k-number k-problem' : 'k-number'}>
      {text(dueLabel(until, now))}
    </span>
  );
}
