import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useText } from '../language.ts';
import { words } from '../texts.ts';
import type { RemoteSelectProps } from './remote-select.tsx';
import { useOptionTitles } from './use-options.ts';
import '../kernel.css';

const load = () => import('./remote-select.tsx');
const RemoteSelect = lazy(() => load().then((module) => ({ default: module.RemoteSelect })));

/**
 * Looks like a closed select at once; the select itself (28 KB) is fetched and opened when somebody reaches for it.
 * `children` is the real one.
 */
export function SelectShape(props: {
  readonly label: string;
  readonly prefix?: string | undefined;
  readonly placeholder?: string | undefined;
  /** What is chosen, as text. */
  readonly chosen: string;
  /** Starts loading before the click comes. */
  readonly preload: () => unknown;
  readonly children: ReactNode;
}) {
  const text = useText();
  const [reached, setReached] = useState(false);
  const shape = (
    <button
      type="button"
      role="combobox"
      aria-expanded={reached}
      aria-haspopup="listbox"
      aria-label={props.label}
      className="k-input-button k-select-shape"
      onPointerEnter={() => void props.preload()}
      onFocus={() => void props.preload()}
      onClick={() => setReached(true)}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown') return;
        event.preventDefault();
        setReached(true);
      }}
    >
      {props.prefix && <span>{props.prefix}</span>}
      <span className={props.chosen ? 'k-select-text' : 'k-select-text k-quiet'}>
        {props.chosen || (props.placeholder ?? text(words.all))}
      </span>
      <svg viewBox="0 0 24 24" width="12" height="12" aria-hidden="true" className="k-quiet">
        <path d="M5 9l7 7 7-7" fill="none" stroke="currentColor" strokeWidth="2" />
      </svg>
    </button>
  );
  return reached ? <Suspense fallback={shape}>{props.children}</Suspense> : shape;
}

/** A remote select that is fetched when somebody reaches for it. */
export function RemoteSelectField(props: Omit<RemoteSelectProps, 'known'>) {
  const titles = useOptionTitles(props.target, props.value);
  return (
    <SelectShape
      label={props.label}
      prefix={props.prefix}
      placeholder={props.placeholder}
      chosen={props.value.map((id) => titles[id] ?? '…').join('、')}
      preload={load}
    >
      <RemoteSelect {...props} known={titles} opened />
    </SelectShape>
  );
}
