import { Button } from 'antd';
import { Icon } from '../parts/icon.tsx';
import { fill, type Label } from '../../contract/label.ts';
import { useText } from '../language.ts';
import { words } from '../texts.ts';

/** The shape of a table while its first rows are on their way. */
export function TableSkeleton({
  rows = 8,
  columns = 6,
  compact = false,
}: {
  readonly rows?: number;
  readonly columns?: number;
  readonly compact?: boolean;
}) {
  const text = useText();
  return (
    <div
      className={compact ? 'k-skeleton k-compact' : 'k-skeleton'}
      role="status"
      aria-label={text(words.loading)}
    >
      <div className="k-skeleton-row k-skeleton-head" />
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="k-skeleton-row">
          {Array.from({ length: columns }, (_, column) => (
            <span
              key={column}
              style={{ width: `${[62, 84, 48, 70, 40, 56, 76][(row * 3 + column * 2) % 7]}%` }}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

/** Says why a list is empty and offers the next step. */
export function EmptyState(props: {
  readonly title: Label;
  /** Instead of the general words for a list without rows. */
  readonly words?: Label | undefined;
  readonly filtered: boolean;
  readonly onReset: () => void;
  readonly create?: { readonly label: Label; readonly run: () => void } | undefined;
}) {
  const text = useText();
  const name = fill(words.emptyAll, { title: '' });
  const title = props.filtered
    ? words.emptyFiltered
    : (props.words ??
      ([
        name[0] + props.title[0],
        words.emptyAll[1].replace('{title}', props.title[1].toLowerCase()),
      ] as const));
  return (
    <div className="k-state">
      <Icon name="inbox" className="k-state-icon" />
      <strong>{text(title)}</strong>
      {(props.filtered || !props.words) && (
        <span className="k-quiet">{text(props.filtered ? words.emptyFilteredNote : words.emptyAllNote)}</span>
      )}
      {props.filtered ? (
        <Button onClick={props.onReset}>{text(words.clearFilters)}</Button>
      ) : (
        props.create && <Button onClick={props.create.run}>{text(props.create.label)}</Button>
      )}
    </div>
  );
}
