import { useEffect, useState, type ReactNode } from 'react';
import { Alert } from 'antd';
import type { Label } from '../../../kernel/contract/label.ts';
import type { ApiError } from '../../../kernel/client/api-client.ts';
import { instantFull, moneyText, NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { plainFormula } from '../../../domain/trade-money/plain-formula.rules.ts';
import type { CaseSuggestion } from './case-parts.ts';
import './case.css';

const RED_MS = 4 * 3_600_000;

/** Time until a deadline, to the minute; red under four hours. The full instant stands in the hint. */
export function TimeLeft({ until }: { readonly until: string | null | undefined }) {
  const text = useText();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!until) return;
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, [until]);
  if (!until) return NOTHING;
  const left = Date.parse(until) - now;
  return (
    <span title={instantFull(until)} className={left < RED_MS ? 'k-number k-problem' : 'k-number'}>
      {text(leftLabel(left))}
    </span>
  );
}

function leftLabel(left: number): Label {
  if (left <= 0) return ['已到期', 'Due'];
  const minutes = Math.ceil(left / 60_000);
  const days = Math.floor(minutes / 1440);
  const hours = Math.floor((minutes % 1440) / 60);
  if (days > 0) return [`${days}天${hours}小时`, `${days} d ${hours} h`];
  if (hours > 0) return [`${hours}小时${minutes % 60}分`, `${hours} h ${minutes % 60} min`];
  return [`${minutes}分钟`, `${minutes} min`];
}

/** A titled block of the case page. */
export function Block(props: {
  readonly title: Label;
  readonly extra?: ReactNode;
  readonly children: ReactNode;
}) {
  const text = useText();
  return (
    <section className="as-block">
      <header>
        <h2>{text(props.title)}</h2>
        {props.extra}
      </header>
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

/** Picture, name and spec of goods. */
export function Goods(props: {
  readonly image: string | null;
  readonly name: string;
  readonly spec: string;
  readonly note?: ReactNode;
}) {
  const [missing, setMissing] = useState(false);
  return (
    <span className="as-goods">
      {props.image && !missing ? (
        <img src={`/api/file/${props.image}`} alt="" loading="lazy" onError={() => setMissing(true)} />
      ) : (
        <i aria-hidden="true" />
      )}
      <span>
        {props.name}
        <small className="k-quiet">{props.spec}</small>
        {props.note}
      </span>
    </span>
  );
}

/** Label, input and message of one field of a dialog. */
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
    <div className="as-field">
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
export function Refused(props: { readonly error: ApiError | undefined; readonly fields: readonly string[] }) {
  const { error, fields } = props;
  if (!error || Object.keys(error.fields).some((field) => fields.includes(field))) return null;
  return <Alert className="k-dialog-error" type="error" showIcon title={error.message} />;
}

/** What the engine would give back, each row with its formula. */
export function Suggestion({ of }: { readonly of: CaseSuggestion }) {
  const text = useText();
  return (
    <div className="as-suggest">
      <p>
        {text(['建议退现金', 'Suggested cash'])} <strong className="k-number">¥{moneyText(of.cash)}</strong>
        {of.points > 0 && ` · ${text([`积分 ${of.points}`, `${of.points} points`])}`}
        {of.freight !== '0.00' && ` · ${text(['含运费', 'freight'])} ¥${moneyText(of.freight)}`}
      </p>
      <ul className="k-quiet k-small">
        {of.rows.map((row, index) => (
          <li key={index}>
            {row.product}
            {row.qty > 0 && ` × ${row.qty}`}
            {text(['：', ': '])}
            {plainFormula(text(row.formula))}
            {text(['（剩余 ', ' (left '])}
            {moneyText(row.before)} → {moneyText(row.after)}
            {text(['）', ')'])}
          </li>
        ))}
        {of.notices.map((notice) => (
          <li key={notice[0]} className="k-problem">
            {text(notice)}
          </li>
        ))}
      </ul>
    </div>
  );
}
