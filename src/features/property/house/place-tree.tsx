import '../../../kernel/client/tree/split-screen.css';
import './house.css';
import { Fragment, useDeferredValue, useRef, useState, type KeyboardEvent } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { Icon } from '../../../kernel/client/parts/icon.tsx';
import { LightInput } from '../../../kernel/client/parts/light-input.tsx';
import { keysOf } from '../../../kernel/client/wire.ts';
import { HOUSE_STATES, houseCard, type PlaceLine, type PlaceLines } from './house.contract.ts';

/** A place that was chosen, with those above it as far as they are known, topmost first. */
export type PlacePath = readonly Pick<PlaceLine, 'key' | 'name'>[];

interface Branches {
  readonly chosen: string | undefined;
  readonly isOpen: (key: string) => boolean;
  readonly toggle: (key: string, on: boolean) => void;
  readonly choose: (path: PlacePath) => void;
}

/** Projects, buildings, units, floors and houses; a level is fetched when it is opened. Moved in by arrow keys. */
export function HousePlaces({
  chosen,
  onChoose,
}: {
  readonly chosen: string | undefined;
  readonly onChoose: (path: PlacePath) => void;
}) {
  const text = useText();
  const [keyword, setKeyword] = useState('');
  const asked = useDeferredValue(keyword.trim());
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const host = useRef<HTMLUListElement>(null);
  const branches: Branches = {
    chosen,
    isOpen: (key) => open.has(key),
    toggle: (key, on) => setOpen(new Set(on ? [...open, key] : [...open].filter((one) => one !== key))),
    choose: onChoose,
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(host.current?.querySelectorAll<HTMLElement>('[role="treeitem"]') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const item = items[at];
    if (!item) return;
    const expanded = item.getAttribute('aria-expanded');
    const level = Number(item.getAttribute('aria-level'));
    const above = items.slice(0, at).findLast((one) => Number(one.getAttribute('aria-level')) < level);
    const moves: Partial<Record<string, () => void>> = {
      ArrowDown: () => items[at + 1]?.focus(),
      ArrowUp: () => items[at - 1]?.focus(),
      Home: () => items[0]?.focus(),
      End: () => items.at(-1)?.focus(),
      ArrowRight: () =>
        expanded === 'false' ? branches.toggle(item.dataset.key!, true) : expanded && items[at + 1]?.focus(),
      ArrowLeft: () => (expanded === 'true' ? branches.toggle(item.dataset.key!, false) : above?.focus()),
      Enter: () => item.click(),
      ' ': () => item.click(),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };
  return (
    <>
      <div className="split-tools">
        <LightInput
          placeholder={text(['楼栋、房号，如 1号楼 301', 'Building or number: 1号楼 301'])}
          aria-label={text(['查找房屋', 'Find a house'])}
          value={keyword}
          onChange={setKeyword}
          onClear={() => setKeyword('')}
        />
      </div>
      <ul
        className="light-tree house-tree"
        role="tree"
        aria-label={text(['房屋树', 'Tree of houses'])}
        ref={host}
        onKeyDown={onKeyDown}
      >
        <Level key={asked} parent="" search={asked} level={1} above={[]} branches={branches} />
      </ul>
    </>
  );
}

/** The places below one, part by part. */
function Level(props: {
  readonly parent: string;
  readonly search: string;
  readonly level: number;
  readonly above: PlacePath;
  readonly branches: Branches;
}) {
  const { parent, search, level, above, branches } = props;
  const text = useText();
  const { data, isPending, isError, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery({
      queryKey: [...keysOf.all(houseCard.name), 'places', parent, search],
      initialPageParam: '',
      queryFn: ({ signal, pageParam }) =>
        call<PlaceLines>('GET', '/api/jinmao/web/house/places', {
          query: search ? { searchVal: search } : { parent, after: pageParam },
          signal,
          quiet: true,
        }),
      getNextPageParam: (last) => last.next,
      staleTime: 30_000,
    });
  const indent = { paddingInlineStart: (level - 1) * 18 + 4 };
  if (isError && !data)
    return (
      <li role="none">
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      </li>
    );
  if (isPending)
    return (
      <li role="none" className="house-tree-quiet" style={indent}>
        {text(['加载中…', 'Loading…'])}
      </li>
    );
  const rows = data.pages.flatMap((page) => page.rows);
  return (
    <>
      {rows.length === 0 && (
        <li role="none" className="house-tree-quiet" style={indent}>
          {search ? text(['没有找到', 'Nothing found']) : text(['此处没有房屋', 'There are no houses here'])}
        </li>
      )}
      {rows.map((row, index) => {
        const path = [...above, { key: row.key, name: row.name }];
        const expanded = !row.leaf && branches.isOpen(row.key);
        return (
          <Fragment key={row.key}>
            <li
              role="treeitem"
              data-key={row.key}
              aria-level={level}
              aria-selected={row.key === branches.chosen}
              {...(row.leaf ? {} : { 'aria-expanded': expanded })}
              tabIndex={row.key === branches.chosen || (level === 1 && index === 0) ? 0 : -1}
              style={indent}
              onClick={() => {
                if (!row.leaf && !expanded) branches.toggle(row.key, true);
                branches.choose(path);
              }}
            >
              <span
                className="light-tree-fold"
                aria-hidden="true"
                onClick={(event) => {
                  if (row.leaf) return;
                  event.stopPropagation();
                  branches.toggle(row.key, !expanded);
                }}
              >
                {!row.leaf && <Icon name={expanded ? 'down' : 'right'} />}
              </span>
              <span className="light-tree-name" title={[row.path, row.name].filter(Boolean).join(' ')}>
                {nameOf(row, text)}
                {row.path && <small className="house-tree-path">{row.path}</small>}
                {row.houses !== undefined && <span className="split-count">{row.houses}</span>}
              </span>
              <Marks row={row} />
            </li>
            {expanded && (
              <Level parent={row.key} search="" level={level + 1} above={path} branches={branches} />
            )}
          </Fragment>
        );
      })}
      {hasNextPage && (
        <li role="none" style={indent}>
          <button
            type="button"
            className="k-link k-small"
            disabled={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {text(['显示更多', 'Show more'])}
          </button>
        </li>
      )}
    </>
  );
}

type Text = ReturnType<typeof useText>;

function nameOf(row: PlaceLine, text: Text): string {
  return row.key.startsWith('floor:') ? text([`${row.name}层`, `Floor ${row.name}`]) : row.name;
}

/** Vacant, let, in arrears: a letter and a colour each. */
function Marks({ row }: { readonly row: PlaceLine }) {
  const text = useText();
  if (!row.state) return null;
  return (
    <span className="house-marks">
      {row.state === 'vacant' && (
        <span className="house-mark-vacant" title={text(HOUSE_STATES.vacant.label)}>
          {text(['空', 'V'])}
        </span>
      )}
      {row.state === 'let' && (
        <span className="house-mark-let" title={text(HOUSE_STATES.let.label)}>
          {text(['租', 'L'])}
        </span>
      )}
      {row.owing && (
        <span className="house-mark-owing" title={text(['有欠费', 'In arrears'])}>
          {text(['欠', '!'])}
        </span>
      )}
    </span>
  );
}
