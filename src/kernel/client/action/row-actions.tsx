import type { ResourceSpec } from '../../contract/resource.ts';
import { useText } from '../language.ts';
import type { RowData } from '../wire.ts';
import { MoreActions } from './more-actions.tsx';
import { rowActions, splitRowActions, type ActionRoom, type NamedAction } from './actions.rules.ts';

type Run = (name: string, row: RowData) => void;

/** The actions of a row as text links, at most three, fewer in a narrow window; the rest and the dangerous ones under 更多. */
export function RowActions({
  resource,
  row,
  run,
  room,
  extra,
}: {
  readonly resource: ResourceSpec;
  readonly row: RowData;
  readonly run: Run;
  readonly room?: ActionRoom | undefined;
  readonly extra?: readonly NamedAction[] | undefined;
}) {
  const text = useText();
  const { links, rest } = splitRowActions(rowActions(resource, row, extra), room);
  return (
    <span className="k-links">
      {links.map(({ name, spec }) => (
        <button
          key={name}
          type="button"
          className={`k-link${spec.tone === 'danger' ? ' k-danger' : ''}`}
          onClick={() => run(name, row)}
        >
          {text(spec.label)}
        </button>
      ))}
      <MoreActions className="k-link" actions={rest} run={(name) => run(name, row)} />
    </span>
  );
}
