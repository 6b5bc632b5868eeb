import './dictionary.css';
import { useEffect, useEffectEvent } from 'react';
import { Button } from 'antd';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useAction } from '../../../kernel/client/action/use-action.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf, ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { chosenOf, filterOf } from '../../../kernel/client/tree/chosen.rules.ts';
import { TreePanel } from '../../../kernel/client/tree/tree-panel.tsx';
import type { TreeNode } from '../../../kernel/client/tree/tree.rules.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, type RowData } from '../../../kernel/client/wire.ts';
import { useChildren } from '../../../kernel/client/tree/use-tree.ts';
import { useDictionaryChange } from '../../../domain/dictionary/use-dictionary.tsx';
import { dictType } from './dict-type.contract.ts';
import { dictValue } from './dict-value.contract.ts';
import { settingPage } from './setting.contract.ts';

const SettingList = lazyPart(
  () => import('./setting-list.tsx').then((module) => module.SettingList),
  <ScreenWaits />,
);
const UsedButton = lazyPart(() => import('./used-button.tsx').then((module) => module.UsedButton));

/** Dictionaries with their values, and the settings of all groups, as two tabs. */
function DictManager() {
  const view = useView();
  return view.query.get('part') === 'setting' ? <SettingList tabs={<Parts />} /> : <Dictionaries />;
}

/** 数据字典与参数. */
export const screen = { contract: dictValue, component: DictManager };

function Parts() {
  const text = useText();
  const view = useView();
  return (
    <TabList
      label={text(dictValue.title)}
      className="dict-parts"
      tabs={[
        { key: 'dictionary', label: text(['平台字典', 'Platform dictionaries']) },
        { key: 'setting', label: text(settingPage.title) },
      ]}
      active={view.query.get('part') === 'setting' ? 'setting' : 'dictionary'}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'setting' ? { part: key } : {}))}
    />
  );
}

function Dictionaries() {
  const view = useView();
  const client = useQueryClient();
  const place = chosenOf(view.query.get('type') ?? undefined);
  const action = useAction(dictType);
  const choose = (id: string | undefined, below: boolean) => {
    const query = new URLSearchParams(view.query);
    for (const name of ['page', 'detail', 'type']) query.delete(name);
    // A type that others stand below shows their values: it rarely has any itself.
    const node = id === undefined ? undefined : nodeOf(client, id);
    const wire = filterOf(id, id !== place.id && node ? node.children > 0 : below);
    if (wire) query.set('type', wire);
    view.setQuery(query);
  };
  useFirstType(place.id, choose);
  useDictionaryChange(() => {
    for (const name of [dictType.name, dictValue.name])
      void client.invalidateQueries({ queryKey: keysOf.all(name) });
  });
  const chosen = place.id === undefined ? undefined : nodeOf(client, place.id);
  const slots: ScreenSlots = {
    above: <Parts />,
    toolbar: <AddType onAdd={() => action.run('create')} />,
    cells: {
      used: (row) => <UsedButton row={row} />,
      tone: (row) => <ToneCell row={row} />,
    },
    ...(chosen && !place.below ? { createWith: { type: { id: chosen.id, title: chosen.title } } } : {}),
  };
  return (
    <div className="k-tree-split">
      <TreePanel
        resource={dictType}
        menu={dictType.menu}
        chosen={place.id}
        below={place.below}
        onChoose={choose}
        onOpen={(node) => action.run('update', node.row)}
        action={action}
      />
      <ScreenOf contract={dictValue} slots={slots} />
      {action.element}
    </div>
  );
}

/** Opened without a choice, the page shows the first type that has values. */
function useFirstType(
  chosen: string | undefined,
  choose: (id: string | undefined, below: boolean) => void,
): void {
  const { query } = useView();
  const asked = chosen !== undefined || query.size > 0;
  const roots = useChildren(dictType, null, !asked);
  const first = roots.data?.rows[0];
  const start = useEffectEvent(() => {
    if (first) choose(first.id, first.children > 0);
  });
  useEffect(() => {
    if (!asked && first) start();
    // Once: whoever takes the choice away wants to see all of them.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [first?.id]);
}

/** A node of the tree, from whichever part of it was loaded. */
function nodeOf(client: QueryClient, id: string): TreeNode | undefined {
  const answers = client.getQueriesData<{ rows?: readonly TreeNode[] }>({
    queryKey: [...keysOf.all(dictType.name), 'tree'],
  });
  return answers.flatMap(([, answer]) => answer?.rows ?? []).find((one) => one.id === id);
}

function AddType({ onAdd }: { readonly onAdd: () => void }) {
  const text = useText();
  const held = useHeld(dictType);
  if (!held('btn_add')) return null;
  return <Button onClick={onAdd}>{text(dictType.actions!.create!.label)}</Button>;
}

/** The colour as the label will look. */
function ToneCell({ row }: { readonly row: RowData }) {
  const choices = dictValue.fields.tone.choices;
  const choice = choices[row.tone as keyof typeof choices];
  return choice ? <StatusTag choice={{ ...choice, label: choice.label }} /> : null;
}
