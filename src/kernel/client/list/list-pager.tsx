import { useEffect, useEffectEvent, type ReactNode } from 'react';
import { Icon } from '../parts/icon.tsx';
import { fill } from '../../contract/label.ts';
import { thousands } from '../format.rules.ts';
import { useText } from '../language.ts';
import { words } from '../texts.ts';
import { PAGE_SIZES } from './list-state.rules.ts';
import type { ListStore } from './list-store.ts';
import { pagesAround } from './pages-around.rules.ts';
import type { ListData } from './use-list-data.ts';

/** Total and pages. A capped total reads "10,000+" and a click asks for the exact number. */
export function ListPager({
  store,
  data,
  compact,
  children,
}: {
  readonly store: ListStore;
  readonly data: ListData;
  readonly compact?: boolean;
  /** Stands behind the total. */
  readonly children?: ReactNode;
}) {
  const text = useText();
  const { page, limit } = store.state;
  usePageThatExists(store, data);
  if (data.first || (data.total === 0 && data.rows.length === 0)) return null;
  // Beyond the cap only the next page is known to exist.
  const reachable = data.capped
    ? Math.max(data.total, page * limit + (data.rows.length === limit ? 1 : 0))
    : data.total;
  if (compact && reachable <= limit) return null;
  const last = Math.max(1, Math.ceil(reachable / limit));
  const total = thousands(data.total) + (data.capped ? '+' : '');
  const go = (next: number) => store.update({ page: next });
  return (
    <nav className="k-pager" aria-label={text(fill(words.total, { n: total }))}>
      {data.capped ? (
        <button
          type="button"
          className="k-link"
          title={text(words.exactTotal)}
          onClick={() => void data.countExactly().catch(() => {})}
        >
          {text(fill(words.total, { n: total }))}
        </button>
      ) : (
        <span className="k-quiet k-number">{text(fill(words.total, { n: total }))}</span>
      )}
      {children}
      <ul className="k-pages">
        <li>
          <button
            type="button"
            disabled={page <= 1}
            aria-label={text(words.previousPage)}
            title={text(words.previousPage)}
            onClick={() => go(page - 1)}
          >
            <Icon name="left" />
          </button>
        </li>
        {pagesAround(page, last).map((one, index) => (
          <li key={one ?? `gap${index}`}>
            {one === null ? (
              <span aria-hidden="true">…</span>
            ) : (
              <button
                type="button"
                aria-current={one === page ? 'page' : undefined}
                aria-label={text(fill(words.pageNumber, { n: one }))}
                onClick={() => go(one)}
              >
                {one}
              </button>
            )}
          </li>
        ))}
        <li>
          <button
            type="button"
            disabled={page >= last}
            aria-label={text(words.nextPage)}
            title={text(words.nextPage)}
            onClick={() => go(page + 1)}
          >
            <Icon name="right" />
          </button>
        </li>
      </ul>
      {!compact && (
        <select
          className="k-page-size"
          aria-label={text(words.pageSize)}
          value={limit}
          onChange={(event) => store.update({ limit: Number(event.target.value) })}
        >
          {PAGE_SIZES.map((size) => (
            <option key={size} value={size}>
              {text(fill(words.perPage, { n: size }))}
            </option>
          ))}
        </select>
      )}
    </nav>
  );
}

/** A page past the end, as an old link or a deletion leaves it, shows the last page instead of nothing. */
function usePageThatExists(store: ListStore, data: ListData): void {
  const { page, limit } = store.state;
  const isPast = !data.stale && !data.loading && page > 1 && data.total > 0 && data.rows.length === 0;
  const toLast = useEffectEvent(() => {
    if (data.capped) void data.countExactly().catch(() => {});
    else store.update({ page: Math.min(page - 1, Math.ceil(data.total / limit)) });
  });
  useEffect(() => {
    if (isPast) toLast();
  }, [isPast, page, data.capped]);
}
