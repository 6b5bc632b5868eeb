import { useText } from '../../../kernel/client/language.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import './group-buy.css';

const PARTS = [
  ['sold', ['已售', 'Sold']],
  ['held', ['占用', 'Held']],
  ['remaining', ['剩余', 'Left']],
  ['returned', ['已归还', 'Returned']],
] as const;

/** Where the copies of an item are: the four parts are always the whole. */
export function StockBar({ row }: { readonly row: RowData }) {
  const text = useText();
  const all = Number(row.copies) || 1;
  return (
    <section className="gb-stock" aria-label={text(['份数去向', 'Where the copies are'])}>
      <div className="gb-bar" aria-hidden="true">
        {PARTS.map(([name]) => (
          <span
            key={name}
            className={`gb-${name}`}
            style={{ width: `${(Number(row[name]) * 100) / all}%` }}
          />
        ))}
      </div>
      <p className="gb-sum">
        {PARTS.map(([name, label]) => (
          <span key={name}>
            <i className={`gb-dot gb-${name}`} aria-hidden="true" /> {text(label)}{' '}
            <b className="k-number">{String(row[name])}</b>
          </span>
        ))}
        <span>
          {text(['合计', 'In all'])} <b className="k-number">{String(row.copies)}</b>
        </span>
      </p>
    </section>
  );
}
