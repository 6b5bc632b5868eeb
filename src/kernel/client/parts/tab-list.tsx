import type { KeyboardEvent, ReactNode } from 'react';
import '../kernel.css';

/** One entry of a tab list. */
export interface TabEntry {
  readonly key: string;
  readonly label: ReactNode;
  /** Count or mark behind the label. */
  readonly extra?: ReactNode;
}

/** Tabs with arrow keys; light enough for every list. `panel` is the id of what they switch. */
export function TabList(props: {
  readonly tabs: readonly TabEntry[];
  readonly active: string | undefined;
  readonly onChange: (key: string) => void;
  readonly label: string;
  readonly panel?: string;
  readonly className?: string;
  /** They stand below each other: the other arrows move too. */
  readonly vertical?: boolean;
}) {
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const steps: Readonly<Record<string, number>> = {
      ...(props.vertical && { ArrowDown: 1, ArrowUp: -1 }),
      ArrowRight: 1,
      ArrowLeft: -1,
      Home: -Infinity,
      End: Infinity,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    const at = props.tabs.findIndex((tab) => tab.key === props.active);
    const next = Math.max(0, Math.min(props.tabs.length - 1, at + step));
    event.preventDefault();
    props.onChange(props.tabs[next]!.key);
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  return (
    <div
      role="tablist"
      aria-label={props.label}
      aria-orientation={props.vertical ? 'vertical' : 'horizontal'}
      className={`k-tabs ${props.className ?? ''}`}
      onKeyDown={move}
    >
      {props.tabs.map((tab) => (
        <button
          key={tab.key}
          type="button"
          role="tab"
          className="k-tab"
          aria-selected={tab.key === props.active}
          tabIndex={tab.key === props.active ? 0 : -1}
          {...(props.panel ? { 'aria-controls': props.panel } : {})}
          onClick={() => props.onChange(tab.key)}
        >
          {tab.label}
          {tab.extra}
        </button>
      ))}
    </div>
  );
}
