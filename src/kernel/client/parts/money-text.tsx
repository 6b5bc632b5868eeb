import { moneyText } from '../format.rules.ts';
import '../kernel.css';

/** Money of the wire (yuan text) with two digits, separators and equal digit widths; `–` for nothing. */
export function MoneyText({
  value,
  strong,
}: {
  readonly value: string | null | undefined;
  readonly strong?: boolean;
}) {
  const text = moneyText(value);
  return (
    <span className={`k-number${strong ? ' k-strong' : ''}${text.startsWith('-') ? ' k-negative' : ''}`}>
      {text}
    </span>
  );
}
