import type { InputHTMLAttributes, ReactNode } from 'react';
import { useText } from '../language.ts';
import { words } from '../texts.ts';
import { Icon } from './icon.tsx';
import '../kernel.css';

/** What a light input is given, besides what a native one takes. */
export interface LightInputProps extends Omit<
  InputHTMLAttributes<HTMLInputElement>,
  'onChange' | 'prefix' | 'value'
> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** On Enter and on leaving. */
  readonly onCommit?: () => void;
  /** Offers a cross that empties the input. */
  readonly onClear?: () => void;
  readonly prefix?: ReactNode;
  readonly suffix?: ReactNode;
}

/** A text input in the look of the library's, without its weight: search bars and number fields hold many. */
export function LightInput({
  value,
  onChange,
  onCommit,
  onClear,
  prefix,
  suffix,
  className,
  ...rest
}: LightInputProps) {
  const text = useText();
  return (
    <span className={`k-input${rest.disabled ? ' k-disabled' : ''} ${className ?? ''}`}>
      {prefix && <span className="k-input-prefix">{prefix}</span>}
      <input
        type="text"
        autoComplete="off"
        {...rest}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          // Enter of an input method ends a word, not the input.
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) onCommit?.();
          rest.onKeyDown?.(event);
        }}
        onBlur={(event) => {
          onCommit?.();
          rest.onBlur?.(event);
        }}
      />
      {onClear && value !== '' && (
        <button
          type="button"
          className="k-input-clear"
          tabIndex={-1}
          aria-label={text(words.clear)}
          // Keeps the focus where it is: leaving the input would commit the old text first.
          onPointerDown={(event) => event.preventDefault()}
          onClick={onClear}
        >
          <Icon name="close" />
        </button>
      )}
      {suffix}
    </span>
  );
}
