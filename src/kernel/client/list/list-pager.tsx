import { Pagination } from 'antd';
import { fill } from '../../contract/label.ts';
import { thousands } from '../format.rules.ts';
import { useText } from '../language.ts';
import { words } from '../texts.ts';
import { PAGE_SIZES } from './list-state.rules.ts';
import type { ListStore } from './list-store.ts';
import type { ListData } from './use-list-data.ts';

/** Total and pages. A capped total reads "10,000+" and a click asks for the exact number. */
export function ListPager({
  store,
  data,
  compact,
}: {
  readonly store: ListStore;
  readonly data: ListData;
  readonly compact?: boolean;
}) {
  const text = useText();
  const { page, limit } = store.state;
  if (data.first || (data.total === 0 && data.rows.length === 0)) return null;
  // Beyond the cap only the next page is known to exist.
  const reachable = data.capped
    ? Math.max(data.total, page * limit + (data.rows.length === limit ? 1 : 0))
    : data.total;
  if (compact && reachable <= limit) return null;
  const total = thousands(data.total) + (data.capped ? '+' : '');
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
      <Pagination
        size="small"
        current={page}
        pageSize={limit}
        total={reachable}
        showSizeChanger={compact ? false : { 'aria-label': text(fill(words.perPage, { n: limit })) }}
        pageSizeOptions={[...PAGE_SIZES]}
        showLessItems
        onChange={(nextPage, nextLimit) =>
          store.update(nextLimit === limit ? { page: nextPage } : { limit: nextLimit })
        }
      />
    </nav>
  );
}
