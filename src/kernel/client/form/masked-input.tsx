import { useState } from 'react';
import { Input } from 'antd';
import { useText } from '../language.ts';
import { Icon } from '../parts/icon.tsx';
import { hideRow, revealRow, useClearFields } from '../parts/reveal-store.ts';
import { formWords, words } from '../texts.ts';
import { FieldInput, type FieldInputProps } from './field-input.tsx';

/** How the masked values of the row in a form can be seen in clear. */
export interface Masked {
  readonly encryptionField: string | undefined;
  readonly canReveal: boolean;
}

/**
 * A personal value in an edit form. It came masked and stays as it is unless the staff says otherwise: what is shown
 * cannot be typed into, so that half of a mask is never saved. 修改 begins an empty input, or the clear text once revealed.
 */
export function MaskedInput(
  props: FieldInputProps & {
    /** Name of the field, as the clear answer calls it. */
    readonly name: string;
    /** The masked value; the form holds it while the field is unchanged. */
    readonly initial: string;
    readonly masked: Masked;
    /** What the field accepts, shown while it is changed. */
    readonly hint?: string | undefined;
  },
) {
  const { name, initial, masked, hint, ...input } = props;
  const text = useText();
  const [asking, setAsking] = useState(false);
  const clear = useClearFields(masked.encryptionField);
  const label = text(props.field.label);
  const become = (value: string) => {
    props.onChange?.(value);
    // The other input stands there with the next drawing.
    if (props.id) requestAnimationFrame(() => document.getElementById(props.id!)?.focus());
  };
  if ((props.value ?? '') !== initial)
    return (
      <>
        <FieldInput {...input} />
        <span className="k-masked-note">
          {hint && <span>{hint}</span>}
          {!props.field.required && !props.value && <span>{text(formWords.maskedRemoves)}</span>}
          <button type="button" className="k-link" disabled={props.disabled} onClick={() => become(initial)}>
            {text(formWords.maskedKeep)}
          </button>
        </span>
      </>
    );
  const toggle = async () => {
    if (clear) return hideRow(masked.encryptionField!);
    setAsking(true);
    // The frame has shown why.
    await revealRow(masked.encryptionField!).catch(() => {});
    setAsking(false);
  };
  return (
    <>
      <Input
        {...(props.id ? { id: props.id } : {})}
        readOnly
        variant="filled"
        value={clear?.[name] ?? initial}
        disabled={props.disabled ?? false}
        onBlur={() => props.onBlur?.()}
        suffix={
          <span className="k-masked-tools">
            {masked.encryptionField && masked.canReveal && (
              <button
                type="button"
                className="k-eye"
                disabled={asking}
                aria-pressed={clear !== undefined}
                aria-label={`${text(clear ? words.hide : words.reveal)}: ${label}`}
                title={text(clear ? words.hide : words.reveal)}
                onClick={() => void toggle()}
              >
                <Icon name={clear ? 'eyeOff' : 'eye'} />
              </button>
            )}
            <button
              type="button"
              className="k-link"
              disabled={props.disabled}
              aria-label={`${text(formWords.maskedChange)}: ${label}`}
              onClick={() => become(clear?.[name] ?? '')}
            >
              {text(formWords.maskedChange)}
            </button>
          </span>
        }
      />
      <span className="k-masked-note">{text(formWords.maskedStays)}</span>
    </>
  );
}
