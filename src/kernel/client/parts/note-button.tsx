import { useState } from 'react';
import type { Label } from '../../contract/label.ts';
import { useText } from '../language.ts';
import { Icon } from './icon.tsx';
import { PopButton } from './pop-button.tsx';

/** A sentence behind an info icon, for those who need it: by pointer, by focus or by click. */
export function NoteButton({ note }: { readonly note: Label }) {
  const text = useText();
  const [told, setTold] = useState(false);
  return (
    <PopButton
      hover
      open={told}
      onOpenChange={setTold}
      className="k-eye"
      label={text(note)}
      panel={<div className="k-purpose">{text(note)}</div>}
    >
      <Icon name="info" />
    </PopButton>
  );
}
