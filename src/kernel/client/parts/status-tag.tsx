import type { Choice, Tone } from '../../contract/fields.ts';
import { useText } from '../language.ts';
import '../kernel.css';

/** A state or choice as text with a dot in its tone; never colour alone. */
export function StatusTag({ choice, tone }: { readonly choice: Choice; readonly tone?: Tone }) {
  const text = useText();
  return (
    <span className={`k-tag k-tone-${tone ?? choice.tone ?? 'default'}`}>
      <i aria-hidden="true" />
      {text(choice.label)}
    </span>
  );
}
