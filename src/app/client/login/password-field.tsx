import { useState, type FocusEventHandler, type KeyboardEvent, type Ref } from 'react';
import { useText } from '../../../kernel/client/language.ts';

/** Plain password input with an eye toggle and a Caps Lock hint. */
export function PasswordField(props: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly autoComplete: 'current-password' | 'new-password';
  readonly placeholder?: string;
  /** Below the field while nothing is wrong. */
  readonly hint?: string;
  readonly inputRef?: Ref<HTMLInputElement>;
  readonly onChange: (value: string) => void;
  readonly onBlur?: FocusEventHandler<HTMLInputElement>;
}) {
  const text = useText();
  const [shown, setShown] = useState(false);
  const [capsLock, setCapsLock] = useState(false);
  const watchCapsLock = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'));
  const hint = capsLock ? text(['大写锁定已打开', 'Caps Lock is on']) : undefined;
  return (
    <div className="field">
      <label htmlFor={props.id}>{props.label}</label>
      <div className={props.error ? 'input-box bad' : 'input-box'}>
        <input
          id={props.id}
          ref={props.inputRef}
          name={props.id}
          type={shown ? 'text' : 'password'}
          value={props.value}
          autoComplete={props.autoComplete}
          placeholder={props.placeholder}
          spellCheck={false}
          aria-invalid={props.error !== undefined}
          aria-describedby={`${props.id}-message`}
          onChange={(event) => props.onChange(event.target.value)}
          onKeyDown={watchCapsLock}
          onKeyUp={watchCapsLock}
          onBlur={(event) => {
            setCapsLock(false);
            props.onBlur?.(event);
          }}
        />
        <button
          type="button"
          className="eye"
          aria-pressed={shown}
          aria-label={shown ? text(['隐藏密码', 'Hide password']) : text(['显示密码', 'Show password'])}
          onClick={() => setShown(!shown)}
        >
          <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
            <path d="M2 12s3.6-6.5 10-6.5S22 12 22 12s-3.6 6.5-10 6.5S2 12 2 12z" />
            <circle cx="12" cy="12" r="3" />
            {!shown && <path d="M4 4l16 16" />}
          </svg>
        </button>
      </div>
      <p className="field-message" id={`${props.id}-message`} role={props.error ? 'alert' : undefined}>
        {props.error ??
          (hint ? (
            <span className="hint">{hint}</span>
          ) : (
            props.hint && <span className="note">{props.hint}</span>
          ))}
      </p>
    </div>
  );
}
