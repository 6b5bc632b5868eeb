import { useState, type UIEvent } from 'react';
import { Select, Spin } from 'antd';
import { useText } from '../language.ts';
import { formWords, words } from '../texts.ts';
import type { OptionEntry } from '../wire.ts';
import { tabLeaves } from './tab-leaves.ts';
import { useOptionPages, useSettled } from './use-options.ts';

/** What a remote select is given. Values are ids; `known` names those that are not among the loaded options. */
export interface RemoteSelectProps {
  readonly target: string;
  readonly value: readonly string[];
  readonly onChange: (ids: readonly string[], entries: readonly OptionEntry[]) => void;
  readonly known: Readonly<Record<string, string>>;
  readonly multiple?: boolean;
  readonly label: string;
  readonly prefix?: string;
  readonly placeholder?: string;
  readonly disabled?: boolean;
  readonly id?: string;
  /** Ids of another filter the choices follow, comma separated. */
  readonly within?: string;
  /** Open and focused from the start. */
  readonly opened?: boolean;
}

/** Selects rows of another resource: searched on the server, more pages on scrolling. */
export function RemoteSelect(props: RemoteSelectProps) {
  const text = useText();
  const [open, setOpen] = useState(props.opened ?? false);
  const [keyword, setKeyword, typed] = useSettled();
  const pages = useOptionPages(props.target, keyword, open, props.within);
  const titles: Record<string, string> = { ...props.known };
  for (const option of pages.options) titles[option.id] = option.title;
  const options = pages.options.map((option) => ({
    value: option.id,
    label: option.title,
    note: option.note,
  }));
  // A chosen value must have a name although its page is not loaded.
  const value = props.value.map((id) => ({ value: id, label: titles[id] ?? '…' }));
  const choose = (chosen: readonly { value: string }[]) => {
    const ids = chosen.map((one) => one.value);
    props.onChange(
      ids,
      ids.map((id) => pages.options.find((option) => option.id === id) ?? { id, title: titles[id] ?? id }),
    );
    setKeyword('');
  };
  const loadMore = (event: UIEvent<HTMLElement>) => {
    const list = event.currentTarget;
    if (
      list.scrollTop + list.clientHeight > list.scrollHeight - 48 &&
      pages.hasNextPage &&
      !pages.isFetchingNextPage
    )
      void pages.fetchNextPage();
  };
  return (
    <Select
      className="k-fill"
      {...(props.opened ? { autoFocus: true } : {})}
      open={open}
      {...(props.id ? { id: props.id } : {})}
      {...(props.multiple ? { mode: 'multiple' as const, maxTagCount: 'responsive' as const } : {})}
      labelInValue
      showSearch={{ filterOption: false, onSearch: setKeyword, searchValue: typed }}
      allowClear
      disabled={props.disabled ?? false}
      value={props.multiple ? value : ((value[0] ?? null) as never)}
      options={options}
      aria-label={props.label}
      {...(props.prefix ? { prefix: props.prefix } : {})}
      placeholder={props.placeholder ?? text(words.all)}
      loading={open && pages.isFetching}
      onInputKeyDown={(event) => props.multiple && tabLeaves(event, () => setOpen(false))}
      onOpenChange={setOpen}
      onPopupScroll={loadMore}
      popupMatchSelectWidth={false}
      optionRender={(option) => (
        <span className="k-option">
          {option.label}
          {option.data.note && <small className="k-quiet">{option.data.note}</small>}
        </span>
      )}
      notFoundContent={
        pages.isFetching ? (
          <Spin size="small" />
        ) : pages.isError ? (
          <button type="button" className="k-link" onClick={() => void pages.refetch()}>
            {text(formWords.optionsFailed)}
          </button>
        ) : (
          text(formWords.noOptions)
        )
      }
      onChange={(chosen: unknown) => choose(([chosen].flat() as { value: string }[]).filter(Boolean))}
    />
  );
}
