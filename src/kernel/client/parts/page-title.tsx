import type { ReactNode } from 'react';
import type { Label } from '../../contract/label.ts';
import { useText } from '../language.ts';
import { NoteButton } from './note-button.tsx';
import '../kernel.css';

/** Title row of a screen: title, purpose for newcomers behind an icon, actions at the right, the primary one last. */
export function PageTitle(props: {
  readonly title: Label;
  readonly purpose?: Label | undefined;
  readonly before?: ReactNode;
  readonly after?: ReactNode;
  readonly children?: ReactNode;
}) {
  const text = useText();
  return (
    <header className="k-title">
      {props.before}
      <h1>{text(props.title)}</h1>
      {props.purpose && <NoteButton note={props.purpose} />}
      {props.after}
      <div className="k-title-actions">{props.children}</div>
    </header>
  );
}
