import { useText } from '../../../../kernel/client/language.ts';
import { fill } from '../../../../kernel/contract/label.ts';
import { useErrorLog } from '../../failures/error-log.ts';
import { openLayer } from '../layers.ts';
import { BarIcon } from './bar-icon.tsx';

/** Opens the error log; drawn only when errors were logged. */
export function BugButton() {
  const text = useText();
  const count = useErrorLog((state) => state.errors.length);
  if (count === 0) return null;
  const label = text(fill(['错误日志（{n}）', 'Error Log ({n})'], { n: count }));
  return (
    <button type="button" className="bar-button" title={label} onClick={() => openLayer('errors')}>
      <BarIcon name="bug" />
      <span className="visually-hidden">{label}</span>
      <span className="bar-badge" aria-hidden="true">
        {count}
      </span>
    </button>
  );
}
