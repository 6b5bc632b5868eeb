import { useState } from 'react';
import { clampNumber, numericInput } from '../format.rules.ts';
import { LightInput } from './light-input.tsx';

/** What a number input is given. Value and limits are in the unit shown. */
export interface NumberTextProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Decimal places. */
  readonly scale?: number;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** Always write this many decimals on leaving. */
  readonly pad?: boolean;
  readonly negative?: boolean;
  readonly unit?: string;
  readonly prefix?: string;
  readonly placeholder?: string;
  readonly label?: string;
  readonly disabled?: boolean;
  readonly id?: string;
  readonly onBlur?: () => void;
  /** Called with the clamped value on leaving and on Enter; `onChange` then only follows the typing. */
  readonly onCommit?: (value: string) => void;
}

/** Number as text: strips every other character, cuts decimals, clamps on leaving. No rounding by floating point. */
export function NumberText(props: NumberTextProps) {
  const [focused, setFocused] = useState(false);
  const scale = props.scale ?? 2;
  const finish = () => {
    const value = clampNumber(props.value, {
      min: props.min,
      max: props.max,
      digits: props.pad ? scale : undefined,
    });
    if (value !== props.value) props.onChange(value);
    props.onCommit?.(value);
  };
  return (
    <LightInput
      className="k-number-input"
      {...(props.id ? { id: props.id } : {})}
      value={props.value}
      inputMode={scale === 0 ? 'numeric' : 'decimal'}
      disabled={props.disabled ?? false}
      aria-label={props.label}
      {...(props.prefix ? { prefix: <span className="k-prefix">{props.prefix}</span> } : {})}
      {...(props.unit ? { suffix: <span className="k-quiet">{props.unit}</span> } : {})}
      {...(props.placeholder ? { placeholder: props.placeholder } : {})}
      data-focused={focused || undefined}
      onFocus={() => setFocused(true)}
      onChange={(typed) => props.onChange(numericInput(typed, scale, props.negative))}
      onCommit={finish}
      onBlur={() => {
        setFocused(false);
        props.onBlur?.();
      }}
    />
  );
}
