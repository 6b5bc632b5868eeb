import { useEffect, useEffectEvent } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { Label } from '../../kernel/contract/label.ts';
import { useText } from '../../kernel/client/language.ts';
import { TabList } from '../../kernel/client/parts/tab-list.tsx';
import { useView } from '../../kernel/client/view.ts';
import { keysOf } from '../../kernel/client/wire.ts';
import './monitor.css';

/** Tabs of a page of this group; the chosen one stands in the address, so that a link reproduces the view. */
export function Parts({
  title,
  parts,
}: {
  readonly title: Label;
  readonly parts: readonly { readonly key: string; readonly label: Label }[];
}) {
  const text = useText();
  const view = useView();
  const first = parts[0]!.key;
  return (
    <TabList
      label={text(title)}
      className="mon-parts"
      tabs={parts.map(({ key, label }) => ({ key, label: text(label) }))}
      active={view.query.get('part') ?? first}
      onChange={(key) => view.setQuery(new URLSearchParams(key === first ? {} : { part: key }))}
    />
  );
}

/** Which tab is shown. */
export function usePart(first: string): string {
  return useView().query.get('part') ?? first;
}

/** Reads lists anew every few seconds while their tab is looked at. */
export function useLiveRows(names: readonly string[], seconds: number): void {
  const client = useQueryClient();
  const { active } = useView();
  const again = useEffectEvent(() => {
    if (document.visibilityState !== 'visible') return;
    for (const name of names) void client.invalidateQueries({ queryKey: keysOf.page(name) });
  });
  useEffect(() => {
    if (!active) return;
    const timer = setInterval(again, seconds * 1000);
    return () => clearInterval(timer);
  }, [active, seconds]);
}

/** Seconds in words: 3 d 4 h, 12 min, 40 s. */
export function durationLabel(seconds: number): Label {
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor((seconds % 86_400) / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  if (days > 0) return [`${days}天${hours}小时`, `${days} d ${hours} h`];
  if (hours > 0) return [`${hours}小时${minutes}分`, `${hours} h ${minutes} min`];
  if (minutes > 0) return [`${minutes}分钟`, `${minutes} min`];
  const whole = Math.max(0, Math.round(seconds));
  return [`${whole}秒`, `${whole} s`];
}

/** A duration in the language of the page. */
export function Duration({ seconds }: { readonly seconds: number }) {
  return <>{useText()(durationLabel(seconds))}</>;
}
