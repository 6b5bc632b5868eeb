import './report.css';
import { useText } from '../language.ts';
import type { Label } from '../../contract/label.ts';

/** A figure above a list. */
export interface StripFigure {
  readonly label: Label;
  /** None while it is read. */
  readonly value: string | undefined;
  /** Shows its rows. */
  readonly open?: () => void;
  /** How it is reckoned. */
  readonly formula?: Label;
}

/** Figures of a list as a whole. */
export function FigureStrip({ figures }: { readonly figures: readonly StripFigure[] }) {
  const text = useText();
  return (
    <div className="k-figures">
      {figures.map(({ label, value, open, formula }) => {
        const body = (
          <>
            <span className="k-figure-label">{text(label)}</span>
            <span className="k-figure-value">{value ?? '…'}</span>
          </>
        );
        return open ? (
          <button key={label[1]} type="button" className="k-figure" onClick={open}>
            {body}
          </button>
        ) : (
          <div key={label[1]} className="k-figure" {...(formula && { title: text(formula) })}>
            {body}
          </div>
        );
      })}
    </div>
  );
}
