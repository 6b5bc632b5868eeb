import { useState, type ReactNode } from 'react';
import { Alert } from 'antd';
import type { Label } from '../../../kernel/contract/label.ts';
import type { ApiError } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { pictureUrl } from './order-calls.ts';
import './goods-order.css';

/** A label and its value in a list of facts. */
export function Fact({
  label,
  children,
  wide,
}: {
  readonly label: Label;
  readonly children: ReactNode;
  readonly wide?: boolean;
}) {
  const text = useText();
  return (
    <div className={wide ? 'k-fact k-fact-wide' : 'k-fact'}>
      <dt>{text(label)}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A titled block of the order page. */
export function Block({
  title,
  extra,
  children,
}: {
  readonly title: Label;
  readonly extra?: ReactNode;
  readonly children: ReactNode;
}) {
  const text = useText();
  return (
    <section className="go-block">
      <header>
        <h2>{text(title)}</h2>
        {extra}
      </header>
      {children}
    </section>
  );
}

/** Picture, name and spec of goods. */
export function GoodsName({
  image,
  name,
  spec,
  note,
}: {
  readonly image: string | null;
  readonly name: string;
  readonly spec: string;
  readonly note?: ReactNode;
}) {
  const url = pictureUrl(image);
  const [missing, setMissing] = useState(false);
  return (
    <span className="go-goods">
      {url && !missing ? (
        <img src={url} alt="" loading="lazy" onError={() => setMissing(true)} />
      ) : (
        <i aria-hidden="true" />
      )}
      <span>
        {name}
        <small className="k-quiet">
          {spec}
          {note}
        </small>
      </span>
    </span>
  );
}

/** Label, input and message of one field of a hand-made dialog. */
export function Field(props: {
  readonly id: string;
  readonly label: Label;
  readonly required?: boolean;
  readonly problem?: string | undefined;
  readonly help?: Label | undefined;
  readonly children: ReactNode;
}) {
  const text = useText();
  return (
    <div className="go-field">
      <label htmlFor={props.id}>
        {text(props.label)}
        {props.required && <b aria-hidden="true">*</b>}
      </label>
      {props.children}
      {props.problem ? (
        <p className="k-problem" role="alert">
          {props.problem}
        </p>
      ) : (
        props.help && <p className="k-quiet k-small">{text(props.help)}</p>
      )}
    </div>
  );
}

/** A refusal that belongs to no field of the dialog. */
export function Refused({
  error,
  fields,
}: {
  readonly error: ApiError | undefined;
  readonly fields: readonly string[];
}) {
  if (!error || Object.keys(error.fields).some((field) => fields.includes(field))) return null;
  return <Alert className="k-dialog-error" type="error" showIcon title={error.message} />;
}
