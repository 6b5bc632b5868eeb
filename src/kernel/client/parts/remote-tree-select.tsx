import { useState } from 'react';
import { TreeSelect } from 'antd';
import { useText } from '../language.ts';
import { formWords, words } from '../texts.ts';
import type { RemoteSelectProps } from './remote-select.tsx';
import { useAllOptions } from './use-options.ts';

/** Selects nodes of a tree whose options carry `parentId`; without them it is a flat list. */
export function RemoteTreeSelect(props: RemoteSelectProps) {
  const text = useText();
  const [open, setOpen] = useState(props.opened ?? false);
  const { data, isFetching } = useAllOptions(props.target, open);
  // Everything is open until the person closes something. The library's own default looks at the nodes of the first
  // drawing only, which are the chosen ones: a choice that stands already would leave the fetched tree closed.
  const [expanded, setExpanded] = useState<readonly string[]>();
  const entries = data ?? [];
  const ids = new Set(entries.map((entry) => entry.id));
  const nodes = entries.map((entry) => ({
    id: entry.id,
    value: entry.id,
    title: entry.title,
    pId: entry.parentId && ids.has(entry.parentId) ? entry.parentId : null,
  }));
  for (const id of props.value)
    if (!ids.has(id)) nodes.push({ id, value: id, title: props.known[id] ?? '…', pId: null });
  return (
    <TreeSelect
      className="k-fill"
      {...(props.opened ? { defaultOpen: true, autoFocus: true } : {})}
      {...(props.id ? { id: props.id } : {})}
      treeDataSimpleMode={{ id: 'id', pId: 'pId', rootPId: null as never }}
      treeData={nodes}
      value={props.multiple ? (props.value as string[]) : ((props.value[0] ?? null) as never)}
      multiple={props.multiple ?? false}
      {...(props.multiple ? { maxTagCount: 'responsive' as const } : {})}
      showSearch={{ treeNodeFilterProp: 'title' }}
      allowClear
      treeExpandedKeys={[...(expanded ?? ids)]}
      onTreeExpand={(keys) => setExpanded(keys.map(String))}
      disabled={props.disabled ?? false}
      loading={isFetching}
      {...(props.prefix ? { prefix: props.prefix } : {})}
      placeholder={props.placeholder ?? text(words.all)}
      aria-label={props.label}
      popupMatchSelectWidth={false}
      notFoundContent={text(formWords.noOptions)}
      onOpenChange={setOpen}
      onChange={(chosen: unknown) => {
        const list = ([chosen ?? []].flat() as string[]).filter(Boolean);
        props.onChange(
          list,
          list.map((id) => entries.find((entry) => entry.id === id) ?? { id, title: props.known[id] ?? id }),
        );
      }}
    />
  );
}
