import { Radio } from 'antd';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { butlerGoods } from './butler-goods.contract.ts';
import '../butler.css';

/** Rows that are named; more are counted. */
const NAMED = 8;
const KINDS = butlerGoods.fields.incentive.choices!;

/** An incentive in words: ¥5.00 a piece, 3.00 %, by the plan. */
function said(kind: unknown, fixed: unknown, rate: unknown): Label | undefined {
  const given = (value: unknown) => value !== null && value !== undefined && value !== '';
  if (kind === 'fixed') {
    const amount = `¥${thousands(Number(fixed).toFixed(2))}`;
    return given(fixed) ? [`${amount} / 件`, `${amount} a piece`] : undefined;
  }
  if (kind === 'rate') {
    const percent = `${Number(rate).toFixed(2)}%`;
    return given(rate) ? [percent, percent] : undefined;
  }
  return kind === 'plan' ? KINDS.plan!.label : undefined;
}

/** How goods earn; where there are rows already, what each has now and what it will have. */
export function IncentiveKind({ id, value, onChange, values, rows, disabled }: SlotInputProps) {
  const text = useText();
  const next = said(value, values.fixed, values.rate);
  return (
    <>
      <Radio.Group
        {...(id === undefined ? {} : { id })}
        value={value ?? null}
        disabled={disabled}
        options={Object.entries(KINDS).map(([kind, one]) => ({ value: kind, label: text(one.label) }))}
        onChange={(event) => onChange?.(event.target.value)}
      />
      {rows.length > 0 && next && (
        <ul className="bt-changes" aria-label={text(['激励变更', 'What changes'])}>
          {rows.slice(0, NAMED).map((row) => {
            const now = said(row.incentive, row.fixed, row.rate);
            return (
              <li key={row.id}>
                {String(row.productName)}：<span className="k-number">{now && text(now)}</span> →{' '}
                <b className="k-number">{text(next)}</b>
              </li>
            );
          })}
          {rows.length > NAMED && (
            <li className="k-quiet">
              {text([`另有 ${rows.length - NAMED} 个`, `${rows.length - NAMED} more`])}
            </li>
          )}
        </ul>
      )}
    </>
  );
}
