import { useState, type ReactNode } from 'react';
import { Icon } from './icon.tsx';
import type { Label } from '../../contract/label.ts';
import { useText } from '../language.ts';
import { PopButton } from './pop-button.tsx';
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
  const [told, setTold] = useState(false);
  return (
    <header className="k-title">
      {props.before}
      <h1>{text(props.title)}</h1>
      {props.purpose && (
        <PopButton
          hover
          open={told}
          onOpenChange={setTold}
          className="k-eye"
          label={text(props.purpose)}
          panel={<div className="k-purpose">{text(props.purpose)}</div>}
        >
          <Icon name="info" />
        </PopButton>
      )}
      {props.after}
      <div className="k-title-actions">{props.children}</div>
    </header>
  );
}
