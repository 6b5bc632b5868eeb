import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { Button } from 'antd';
import type { Field } from '../../contract/fields.ts';
import type { ResourceSpec } from '../../contract/resource.ts';
import { useLanguageStore, useText } from '../language.ts';
import { Icon } from '../parts/icon.tsx';
import { LightInput } from '../parts/light-input.tsx';
import { useDraftText } from '../parts/use-draft-text.ts';
import { useOptionTitles } from '../parts/use-options.ts';
import { treeWords, words } from '../texts.ts';
import { chosenOf } from '../tree/chosen.rules.ts';
import { FilterInput } from './filter-input.tsx';
import { filterText, splitList } from './filter-values.rules.ts';
import { filterFieldsOf, hasKeyword, isFiltered } from './list-state.rules.ts';
import type { ListStore } from './list-store.ts';

const NARROWEST = 232;
const GAP = 8;

/** Filters of a list: keyword and the first few in one row, the rest behind 展开, applied ones as removable chips. */
export function SearchBar(props: {
  readonly resource: ResourceSpec;
  readonly store: ListStore;
  readonly onSearch: () => void;
  readonly onReset: () => void;
  /** Filters that are chosen elsewhere, such as in a tree beside the list. */
  readonly elsewhere?: readonly string[];
}) {
  const { resource, store, elsewhere = NOWHERE } = props;
  const text = useText();
  const [more, setMore] = useState(false);
  const host = useRef<HTMLDivElement>(null);
  const perRow = useColumnsThatFit(host);
  const fields = filterFieldsOf(resource);
  const names = (resource.list.filters ?? []).filter((name) => !elsewhere.includes(name));
  const keyword = hasKeyword(resource);
  const all = names.length + (keyword ? 1 : 0);
  if (all === 0 && !isFiltered(store.state, elsewhere)) return null;
  const room = Math.max(1, perRow) - (keyword ? 1 : 0);
  const shown = more ? names : names.slice(0, Math.max(0, room));
  const set = (name: string, wire: string) => {
    const filters: Record<string, string> = { ...store.state.filters };
    if (wire) filters[name] = wire;
    else delete filters[name];
    // What was chosen among the choices of the old value would only leave the list empty.
    if (wire)
      for (const other of Object.keys(filters)) if (fields[other]?.within === name) delete filters[other];
    store.update({ filters });
  };
  const buttons = (
    <div className="k-search-buttons">
      <Button htmlType="submit">{text(words.search)}</Button>
      <Button onClick={props.onReset} disabled={!isFiltered(store.state, elsewhere)}>
        {text(words.reset)}
      </Button>
      {names.length > room && (
        <button type="button" className="k-link k-more" aria-expanded={more} onClick={() => setMore(!more)}>
          {text(more ? words.less : words.more)}
          <Icon name={more ? 'up' : 'down'} className="k-caret" />
        </button>
      )}
    </div>
  );
  return (
    <form
      className="k-search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        props.onSearch();
      }}
    >
      <div className="k-search-row">
        <div
          ref={host}
          className="k-search-grid"
          style={{ gridTemplateColumns: `repeat(${Math.max(1, perRow)}, minmax(0, 1fr))` }}
        >
          {keyword && <KeywordInput resource={resource} store={store} />}
          {shown.map((name) => (
            <FilterInput
              key={name}
              field={fields[name]!}
              value={store.state.filters[name] ?? ''}
              within={store.state.filters[fields[name]!.within ?? '']}
              onChange={(wire) => set(name, wire)}
            />
          ))}
          {more && buttons}
        </div>
        {!more && buttons}
      </div>
      <FilterChips
        fields={fields}
        store={store}
        elsewhere={elsewhere}
        remove={(name) => set(name, '')}
        onReset={props.onReset}
      />
    </form>
  );
}

const NOWHERE: readonly string[] = [];

function KeywordInput({ resource, store }: { readonly resource: ResourceSpec; readonly store: ListStore }) {
  const text = useText();
  const [typed, setTyped] = useDraftText(store.state.keyword);
  const named = Object.values(resource.fields).filter((field) => field.keyword);
  const commit = () => typed.trim() !== store.state.keyword && store.update({ keyword: typed.trim() });
  const hint = named.map((field) => text(field.label)).join(' / ');
  return (
    <LightInput
      data-keyword=""
      prefix={<Icon name="search" />}
      value={typed}
      onClear={() => {
        setTyped('');
        store.update({ keyword: '' });
      }}
      placeholder={hint}
      title={hint}
      aria-label={`${text(words.keyword)}: ${hint}`}
      onChange={setTyped}
      onCommit={commit}
    />
  );
}

function FilterChips(props: {
  readonly fields: Readonly<Record<string, Field>>;
  readonly store: ListStore;
  readonly elsewhere: readonly string[];
  readonly remove: (name: string) => void;
  readonly onReset: () => void;
}) {
  const text = useText();
  const { filters, keyword } = props.store.state;
  const names = Object.keys(filters).filter((name) => !props.elsewhere.includes(name));
  if (names.length === 0 && !keyword) return null;
  return (
    <div className="k-chips" aria-label={text(words.appliedFilters)} role="group">
      {keyword && (
        <Chip
          label={text(words.keyword)}
          value={keyword}
          onRemove={() => props.store.update({ keyword: '' })}
        />
      )}
      {names.map((name) => (
        <FilterChip
          key={name}
          field={props.fields[name]!}
          wire={filters[name]!}
          onRemove={() => props.remove(name)}
        />
      ))}
      <button type="button" className="k-link" onClick={props.onReset}>
        {text(words.clearAll)}
      </button>
    </div>
  );
}

function FilterChip({
  field,
  wire,
  onRemove,
}: {
  readonly field: Field;
  readonly wire: string;
  readonly onRemove: () => void;
}) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const isRef = field.kind === 'ref' || field.kind === 'refs' || field.kind === 'treeRef';
  // Of a tree: the row above, and whether those further below count.
  const { id, below } = chosenOf(wire);
  const titles = useOptionTitles(isRef ? field.target : undefined, isRef ? splitList(id) : []);
  const value = filterText(field, id ?? '', language, titles);
  return (
    <Chip
      label={text(field.label)}
      value={below ? `${value} · ${text(treeWords.below)}` : value}
      onRemove={onRemove}
    />
  );
}

function Chip({
  label,
  value,
  onRemove,
}: {
  readonly label: string;
  readonly value: string;
  readonly onRemove: () => void;
}) {
  const text = useText();
  return (
    <span className="k-chip" title={`${label}: ${value}`}>
      <span className="k-chip-text">
        <span className="k-quiet">{label}</span> {value}
      </span>
      <button
        type="button"
        className="k-eye"
        aria-label={`${text(words.remove)} ${label}`}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}

/** How many filters fit beside each other; measured because the side menu and drawers change the room. */
function useColumnsThatFit(host: React.RefObject<HTMLElement | null>): number {
  const [count, setCount] = useState(4);
  const measured = useRef(false);
  const follow = (width: number) => {
    if (width > 0) setCount(Math.min(5, Math.max(1, Math.floor((width + GAP) / (NARROWEST + GAP)))));
  };
  const measure = useEffectEvent(follow);
  useLayoutEffect(() => {
    // Once before the first paint, so that no filter jumps; a tab that is shown again has its number.
    if (measured.current || !host.current) return;
    measured.current = true;
    measure(host.current.clientWidth);
  }, [host]);
  useEffect(() => {
    if (!host.current) return;
    const observer = new ResizeObserver(([entry]) => measure(entry!.contentRect.width));
    observer.observe(host.current);
    return () => observer.disconnect();
  }, [host]);
  return count;
}
