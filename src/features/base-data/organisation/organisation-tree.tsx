import '../../../kernel/client/tree/tree.css';
import './organisation.css';
import { useRef, useState, type CSSProperties, type KeyboardEvent } from 'react';
import { Switch } from 'antd';
import type { ActionRunner } from '../../../kernel/client/action/use-action.tsx';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { useAfterAction } from '../../../kernel/client/action/use-after-action.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { Icon } from '../../../kernel/client/parts/icon.tsx';
import { LightInput } from '../../../kernel/client/parts/light-input.tsx';
import { MenuButton, type MenuEntry } from '../../../kernel/client/parts/menu-button.tsx';
import { useDragRows } from '../../../kernel/client/parts/use-drag-rows.ts';
import { useSettled } from '../../../kernel/client/parts/use-options.ts';
import { treeWords, words } from '../../../kernel/client/texts.ts';
import { chosenOf, filterOf } from '../../../kernel/client/tree/chosen.rules.ts';
import {
  foundTree,
  keyMove,
  placeOf,
  shownNodes,
  TOP,
  type ShownNode,
  type TreeNode,
} from '../../../kernel/client/tree/tree.rules.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { choicesBelow, organisation } from './organisation.contract.ts';
import { useForest, type ForestNode } from './use-forest.ts';

const TITLE = ['机构树', 'Tree of organisations'] as const;

/**
 * The tree with the projects as leaves and their counts: choosing filters the list, dragging sorts among siblings and asks where it
 * would move to another parent.
 */
export function OrganisationTree({ action }: { readonly action: ActionRunner }) {
  const text = useText();
  const view = useView();
  const held = useHeld(organisation);
  const after = useAfterAction(organisation);
  const host = useRef<HTMLDivElement>(null);
  const [search, setSearch, typed] = useSettled();
  const [stopped, setStopped] = useState(false);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState(TOP);
  const letters = useRef({ typed: '', at: 0 });
  const forest = useForest({ searchVal: search.trim(), includeStopped: stopped });
  const nodes = forest.data ?? [];
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const tree = foundTree(nodes.map(treeNode));
  const expanded = new Set([...tree.expanded].filter((id) => search !== '' || !closed.has(id)));
  const shown = shownNodes(tree.childrenOf, expanded);
  const { id: chosen, below } = chosenOf(view.query.get('parent') ?? undefined);

  const choose = (id: string | undefined, further: boolean) => {
    const query = new URLSearchParams(view.query);
    query.delete('page');
    const wire = filterOf(id, further);
    if (wire) query.set('parent', wire);
    else query.delete('parent');
    view.setQuery(query);
  };
  // A project is shown with what else its unit has.
  const pick = (id: string) => {
    setFocused(id);
    const node = byId.get(id);
    choose(node?.kind === 'project' ? (node.parentId ?? undefined) : id || undefined, below);
  };
  const expand = (id: string, open: boolean) => {
    const next = new Set(closed);
    if (open) next.delete(id);
    else next.add(id);
    setClosed(next);
  };
  const focus = (id: string) => {
    setFocused(id);
    const element = host.current?.querySelector<HTMLElement>(`[data-row-key="${CSS.escape(id)}"]`);
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: 'nearest' });
  };
  const pressed = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing) return;
    if ((event.target as HTMLElement).closest('[role=menu]')) return;
    const now = Date.now();
    const before = now - letters.current.at < 600 ? letters.current.typed : '';
    const move = keyMove(event, shown, active, before);
    if (!move) return;
    event.preventDefault();
    if (move.kind === 'focus') {
      if (event.key.length === 1) letters.current = { typed: before + event.key, at: now };
      focus(move.id);
    } else if (move.kind === 'choose') pick(move.id);
    else if (move.kind === 'menu')
      host.current
        ?.querySelector<HTMLElement>(`[data-row-key="${CSS.escape(move.id)}"] .k-tree-menu`)
        ?.click();
    else expand(move.id, move.kind === 'expand');
  };
  const startDrag = useDragRows({
    host,
    rows: '[role=treeitem]',
    nests: true,
    allows: (from, to, place) => {
      const target = placeOf(shown, from, to, place);
      const [moving, parent] = [byId.get(from), target?.parent ? byId.get(target.parent) : undefined];
      if (!target || !moving || moving.kind === 'project' || parent?.kind === 'project') return false;
      if (target.parent === moving.parentId) return held('btn_sort');
      return held('btn_move') && choicesBelow(parent?.kind as never).includes(moving.kind);
    },
    onDrop: (from, to, place) => {
      const target = placeOf(shown, from, to, place);
      const moving = byId.get(from);
      if (!target || !moving) return;
      if (target.parent !== moving.parentId)
        return action.run('move', { ...rowOf(moving), dropped: target.parent });
      call('POST', '/api/jinmao/web/organisation/order', {
        body: { id: from, before: target.before?.startsWith('p') ? null : target.before },
        idempotencyKey: newIdempotencyKey(),
      }).then(
        () => after('order', { label: ['排序', 'Sort'] }, [from]),
        () => void forest.refetch(),
      );
    },
  });
  const active = focused === TOP || byId.has(focused) ? focused : TOP;
  return (
    <aside className="k-tree-panel" style={{ '--k-tree': '272px' } as CSSProperties} aria-label={text(TITLE)}>
      <div className="k-tree-tools">
        <LightInput
          value={typed}
          prefix={<Icon name="search" />}
          placeholder={text(['名称、编码、拼音', 'Name, code, pinyin'])}
          aria-label={text(['查找机构和项目', 'Find organisations and projects'])}
          onChange={setSearch}
          onClear={() => setSearch('')}
        />
      </div>
      <div className="org-switches">
        <Toggle label={text(treeWords.below)} on={below} onChange={(on) => choose(chosen, on)} />
        <Toggle label={text(['显示已停用', 'Show stopped'])} on={stopped} onChange={setStopped} />
      </div>
      {forest.isError ? (
        <ErrorPanel error={forest.error} onRetry={() => void forest.refetch()} />
      ) : !forest.data ? (
        <div className="k-tree-waits" role="status" aria-label={text(words.loading)}>
          {[72, 54, 63, 80, 48].map((share, index) => (
            <span key={index} className="k-bone" style={{ width: `${share}%` }} />
          ))}
        </div>
      ) : (
        <div ref={host} className="k-tree" role="tree" aria-label={text(TITLE)} onKeyDown={pressed}>
          <div
            role="treeitem"
            className="k-tree-node k-tree-top"
            data-row-key={TOP}
            aria-level={1}
            aria-selected={chosen === undefined}
            tabIndex={active === TOP ? 0 : -1}
            onClick={() => pick(TOP)}
          >
            <span className="k-tree-name">{text(['全部机构', 'All organisations'])}</span>
          </div>
          {shown.map((one) => (
            <Node
              key={one.node.id}
              shown={one}
              node={byId.get(one.node.id)!}
              chosen={chosen === one.node.id}
              active={active === one.node.id}
              draggable={search === '' && (held('btn_sort') || held('btn_move'))}
              action={action}
              onChoose={pick}
              onExpand={expand}
              onDrag={startDrag}
            />
          ))}
          {shown.length === 0 && (
            <p className="k-tree-none">{text(search ? treeWords.nothingFound : organisation.list.empty!)}</p>
          )}
        </div>
      )}
    </aside>
  );
}

function Toggle(props: {
  readonly label: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
}) {
  return (
    <label className="k-tree-below">
      <Switch size="small" checked={props.on} aria-label={props.label} onChange={props.onChange} />
      {props.label}
    </label>
  );
}

function Node(props: {
  readonly shown: ShownNode;
  readonly node: ForestNode;
  readonly chosen: boolean;
  readonly active: boolean;
  readonly draggable: boolean;
  readonly action: ActionRunner;
  readonly onChoose: (id: string) => void;
  readonly onExpand: (id: string, open: boolean) => void;
  readonly onDrag: ReturnType<typeof useDragRows>;
}) {
  const { node, shown } = props;
  const { expanded } = shown;
  const text = useText();
  const isLeaf = node.kind === 'project';
  const counts = isLeaf
    ? text([`${node.houses} 户`, `${node.houses} houses`])
    : text([
        `${node.projects} 项目 · ${node.houses} 户`,
        `${node.projects} projects · ${node.houses} houses`,
      ]);
  return (
    <div
      role="treeitem"
      className={`k-tree-node${node.state === 'enabled' ? '' : ' k-tree-dimmed'}${isLeaf ? ' org-leaf' : ''}`}
      data-row-key={node.id}
      style={{ '--level': shown.level } as CSSProperties}
      aria-level={shown.level}
      aria-posinset={shown.position}
      aria-setsize={shown.of}
      aria-selected={props.chosen}
      aria-label={`${node.name} ${counts}`}
      {...(expanded === undefined ? {} : { 'aria-expanded': expanded })}
      tabIndex={props.active ? 0 : -1}
      title={`${node.name} ${node.code}\n${counts}`}
      onClick={() => props.onChoose(node.id)}
      onPointerDown={(event) => {
        const onTool = (event.target as HTMLElement).closest('button, .k-tree-caret');
        if (props.draggable && !isLeaf && !onTool && event.pointerType !== 'touch')
          props.onDrag(event, node.id);
      }}
    >
      <span
        className="k-tree-caret"
        aria-hidden="true"
        onClick={(event) => {
          if (expanded === undefined) return;
          event.stopPropagation();
          props.onExpand(node.id, !expanded);
        }}
      >
        {expanded !== undefined && <Icon name={expanded ? 'down' : 'right'} />}
      </span>
      <span className="k-tree-name">{node.name}</span>
      <span className="org-count" aria-hidden="true">
        {isLeaf ? node.houses : `${node.projects} · ${node.houses}`}
      </span>
      {!isLeaf && <NodeMenu node={node} />}
    </div>
  );
}

/** A row below, details and edit; everything else is done from the row itself, where the server says what is allowed. */
function NodeMenu({ node }: { readonly node: ForestNode }) {
  const text = useText();
  const view = useView();
  const held = useHeld(organisation);
  const details = () => {
    const query = new URLSearchParams(view.query);
    query.set('detail', node.id);
    view.setQuery(query);
  };
  const entries: MenuEntry[] = [
    { key: 'open', label: text(words.details), run: details },
    ...(held('btn_add') && node.state === 'enabled'
      ? choicesBelow(node.kind as never).map((kind) => ({
          key: kind,
          label: text(ADD[kind]),
          run: () => view.open(`/baseData/mechanismAdd?parentId=${node.id}&kind=${kind}`),
        }))
      : []),
    ...(held('btn_edit') && node.state !== 'merged'
      ? [
          {
            key: 'edit',
            label: text(['编辑', 'Edit']),
            run: () => view.open(`/baseData/mechanismAdd?id=${node.id}`),
          },
        ]
      : []),
  ];
  return (
    <span onClick={(event) => event.stopPropagation()}>
      <MenuButton
        className="k-tree-menu"
        align="end"
        tabIndex={-1}
        label={`${text(words.actions)} ${node.name}`}
        entries={entries}
      >
        <Icon name="more" />
      </MenuButton>
    </span>
  );
}

const ADD = {
  company: ['新增下级公司', 'Add company'],
  centre_city: ['新增中心城市', 'Add centre city'],
  management_unit: ['新增管理单元', 'Add management unit'],
} as const;

const treeNode = (node: ForestNode): TreeNode => ({
  id: node.id,
  title: node.name,
  parentId: node.parentId,
  children: 0,
  depth: 0,
  row: rowOf(node),
});

/** What the dialogs read of a row. Without a version the server takes the newest. */
const rowOf = (node: ForestNode): RowData =>
  ({
    id: node.id,
    name: node.name,
    kind: node.kind,
    parent: node.parentId === null ? null : { id: node.parentId, title: '' },
    actions: [],
  }) as unknown as RowData;
