import type { ReactNode } from 'react';
import { useText } from '../../../kernel/client/language.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import './work-order.css';

/** A titled block of a page. */
export function Block(props: { readonly title: Label; readonly children: ReactNode }) {
  const text = useText();
  return (
    <section className="wo-block">
      <h2>{text(props.title)}</h2>
      {props.children}
    </section>
  );
}

/** A label and its value in a list of facts. */
export function Fact(props: {
  readonly label: Label;
  readonly wide?: boolean;
  readonly children: ReactNode;
}) {
  const text = useText();
  return (
    <div className={props.wide ? 'k-fact k-fact-wide' : 'k-fact'}>
      <dt>{text(props.label)}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}
