import { useState } from 'react';
import { Icon } from './icon.tsx';
import { NOTHING } from '../format.rules.ts';
import { useText } from '../language.ts';
import { words } from '../texts.ts';
import { hideRow, revealRow, useClearFields } from './reveal-store.ts';
import '../kernel.css';

/** A masked value with an eye that asks for the clear text and swaps back. Without the right the eye is left out. */
export function MaskedText(props: {
  readonly value: string | null | undefined;
  /** Name of the field, as the clear answer calls it. */
  readonly name: string;
  readonly encryptionField: string | undefined;
  readonly canReveal: boolean;
}) {
  const text = useText();
  const [asking, setAsking] = useState(false);
  const clear = useClearFields(props.encryptionField);
  if (!props.value) return NOTHING;
  if (!props.encryptionField || !props.canReveal) return props.value;
  const shown = clear?.[props.name] ?? props.value;
  const toggle = async () => {
    if (clear) return hideRow(props.encryptionField!);
    setAsking(true);
    // The frame has shown why.
    await revealRow(props.encryptionField!).catch(() => {});
    setAsking(false);
  };
  return (
    <span className="k-masked" title={shown}>
      <span className="k-masked-text">{shown}</span>
      <button
        type="button"
        className="k-eye"
        disabled={asking}
        aria-pressed={clear !== undefined}
        aria-label={text(clear ? words.hide : words.reveal)}
        title={text(clear ? words.hide : words.reveal)}
        onClick={(event) => {
          event.stopPropagation();
          void toggle();
        }}
      >
        <Icon name={clear ? 'eyeOff' : 'eye'} />
      </button>
    </span>
  );
}
