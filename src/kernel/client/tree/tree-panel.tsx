import './tree.css';
import { useEffect, useRef, useState, type CSSProperties, type KeyboardEvent } from 'react';
import { Switch } from 'antd';
import { useQueryClient } from '@tanstack/react-query';
import { fill } from '../../contract/label.ts';
import type { ResourceSpec } from '../../contract/resource.ts';
import { rowActions, type NamedAction } from '../action/actions.rules.ts';
import { useAfterAction } from '../action/use-after-action.ts';
import type { ActionRunner } from '../action/use-action.tsx';
import { useText } from '../language.ts';
import { ErrorPanel } from '../parts/error-panel.tsx';
import { Icon } from '../parts/icon.tsx';
import { LightInput } from '../parts/light-input.tsx';
import { MenuButton, type MenuEntry } from '../parts/menu-button.tsx';
import { useDragRows } from '../parts/use-drag-rows.ts';
import { useNarrow } from '../parts/use-narrow.ts';
import { useSettled } from '../parts/use-options.ts';
import { usePreference } from '../preference.ts';
import { treeWords, words } from '../texts.ts';
import { keysOf } from '../wire.ts';
import { moveRow } from './move-row.ts';
import { OWN_ACTIONS } from '../action/actions.rules.ts';
import { keyMove, placeOf, TOP, type ShownNode, type TreeNode } from './tree.rules.ts';
import { useTree } from './use-tree.ts';

const WIDTH = { least: 176, most: 420, narrow: 200, wide: 248 } as const;

/** How a staff arranged the panel of a tree, kept under `tree.{menu}`. */
export interface TreePanelKept {
  readonly width?: number;
  readonly closed?: boolean;
}

/** What the panel of a tree is given. */
export interface TreePanelProps {
  readonly resource: ResourceSpec;
  readonly menu: string;
  /** Node the list is filtered by. */
  readonly chosen: string | undefined;
  /** Rows further below count too. */
  readonly below: boolean;
  readonly onChoose: (id: string | undefined, below: boolean) => void;
  readonly onOpen: (node: TreeNode) => void;
  readonly action: ActionRunner;
}

/** The rows of a resource as a tree at the left of their list: choosing filters, dragging moves, a menu has the actions. */
export function TreePanel(props: TreePanelProps) {
  const { resource, chosen, below } = props;
  const text = useText();
  const client = useQueryClient();
  const narrow = useNarrow();
  const after = useAfterAction(resource);
  const host = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLElement>(null);
  const [search, setSearch, typed] = useSettled();
  const [kept, keep] = usePreference<TreePanelKept>(`tree.${props.menu}`);
  const tree = useTree(resource, chosen, search.trim());
  const { shown } = tree;
  const [focused, setFocused] = useState<string>();
  const active = [focused, chosen].find((id) => id !== undefined && (id === TOP || has(shown, id))) ?? TOP;
  const letters = useRef({ typed: '', at: 0 });
  const noun = resource.noun ?? resource.title;
  const width = kept?.width ?? (narrow ? WIDTH.narrow : WIDTH.wide);
  const mover = resource.actions?.move ? 'move' : 'update';

  const focus = (id: string) => {
    setFocused(id);
    const element = nodeElement(host.current, id);
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: 'nearest' });
  };
  const choose = (id: string) => {
    setFocused(id);
    props.onChoose(id === TOP ? undefined : id, below);
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
    } else if (move.kind === 'choose') choose(move.id);
    else if (move.kind === 'menu') openMenu(host.current, move.id);
    else tree.expand(move.id, move.kind === 'expand');
  };
  const startDrag = useDragRows({
    host,
    rows: '[role=treeitem]',
    nests: true,
    allows: (from, to, place) => placeOf(shown, from, to, place) !== undefined,
    onDrop: (from, to, place) => {
      const target = placeOf(shown, from, to, place);
      const moving = shown.find((one) => one.node.id === from)?.node;
      if (!target || !moving) return;
      moveRow(resource, moving.row, target).then(
        (answer) => {
          if (target.parent !== null) tree.expand(target.parent, true);
          after('move', { label: treeWords.move }, [from], answer);
        },
        // The frame has shown why; somebody else may have moved it meanwhile.
        () => void client.invalidateQueries({ queryKey: keysOf.all(resource.name) }),
      );
    },
  });
  useEffect(() => {
    if (chosen !== undefined) nodeElement(host.current, chosen)?.scrollIntoView({ block: 'nearest' });
    // Once it is there, not with every other node that comes.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [chosen, chosen !== undefined && has(shown, chosen)]);

  if (kept?.closed)
    return (
      <aside className="k-tree-closed">
        <button
          type="button"
          className="k-tool"
          aria-expanded={false}
          aria-label={text(fill(treeWords.show, { title: text(noun) }))}
          title={text(fill(treeWords.show, { title: text(noun) }))}
          onClick={() => keep({ ...kept, closed: false })}
        >
          <Icon name="tree" />
        </button>
      </aside>
    );
  const label = text(fill(treeWords.tree, { title: text(noun) }));
  const menuOf = (one: ShownNode): MenuEntry[] => nodeMenu(one, props, text);
  return (
    <aside
      ref={panel}
      className="k-tree-panel"
      style={{ '--k-tree': `${width}px` } as CSSProperties}
      aria-label={label}
    >
      <div className="k-tree-tools">
        <LightInput
          value={typed}
          prefix={<Icon name="search" />}
          placeholder={text(treeWords.search)}
          aria-label={text(treeWords.search)}
          onChange={setSearch}
          onClear={() => setSearch('')}
        />
        <button
          type="button"
          className="k-tool"
          aria-label={text(treeWords.hide)}
          title={text(treeWords.hide)}
          onClick={() => keep({ ...kept, closed: true })}
        >
          <Icon name="left" />
        </button>
      </div>
      <label className="k-tree-below">
        <Switch
          size="small"
          checked={below}
          aria-label={text(treeWords.below)}
          onChange={(on) => props.onChoose(chosen, on)}
        />
        {text(treeWords.below)}
      </label>
      {tree.error !== undefined ? (
        <ErrorPanel error={tree.error} onRetry={tree.retry} />
      ) : tree.first ? (
        <TreeWaits />
      ) : (
        <div ref={host} className="k-tree" role="tree" aria-label={label} onKeyDown={pressed}>
          <div
            role="treeitem"
            className="k-tree-node k-tree-top"
            data-row-key={TOP}
            aria-level={1}
            aria-selected={chosen === undefined}
            tabIndex={active === TOP ? 0 : -1}
            onClick={() => choose(TOP)}
          >
            <span className="k-tree-name">{text(fill(treeWords.all, { title: text(noun) }))}</span>
          </div>
          {shown.map((one) => (
            <Node
              key={one.node.id}
              shown={one}
              chosen={chosen === one.node.id}
              active={active === one.node.id}
              menu={menuOf(one)}
              draggable={search === '' && one.node.row.actions.includes(mover)}
              onChoose={choose}
              onExpand={tree.expand}
              onDrag={startDrag}
            />
          ))}
          {shown.length === 0 && (
            <p className="k-tree-none">
              {text(search ? treeWords.nothingFound : (resource.list.empty ?? treeWords.nothing))}
            </p>
          )}
        </div>
      )}
      <Splitter
        width={width}
        label={text(treeWords.width)}
        onResize={(next) => panel.current?.style.setProperty('--k-tree', `${next}px`)}
        onDone={(next) => keep({ ...kept, width: next })}
      />
    </aside>
  );
}

function Node(props: {
  readonly shown: ShownNode;
  readonly chosen: boolean;
  readonly active: boolean;
  readonly draggable: boolean;
  readonly menu: readonly MenuEntry[];
  readonly onChoose: (id: string) => void;
  readonly onExpand: (id: string, open: boolean) => void;
  readonly onDrag: ReturnType<typeof useDragRows>;
}) {
  const { node, expanded, level, position, of, loading } = props.shown;
  const text = useText();
  const dimmed = node.row.enabled === false;
  return (
    <div
      role="treeitem"
      className={`k-tree-node${dimmed ? ' k-tree-dimmed' : ''}`}
      data-row-key={node.id}
      style={{ '--level': level } as CSSProperties}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={of}
      aria-selected={props.chosen}
      aria-label={node.children > 0 ? `${node.title} (${node.children})` : node.title}
      {...(expanded === undefined ? {} : { 'aria-expanded': expanded })}
      tabIndex={props.active ? 0 : -1}
      title={node.title}
      onClick={() => props.onChoose(node.id)}
      onDoubleClick={() => expanded !== undefined && props.onExpand(node.id, !expanded)}
      onContextMenu={(event) => {
        if (props.menu.length === 0) return;
        event.preventDefault();
        event.currentTarget.querySelector<HTMLElement>('.k-tree-menu')?.click();
      }}
      onPointerDown={(event) => {
        const onTool = (event.target as HTMLElement).closest('button, .k-tree-caret');
        if (props.draggable && !onTool && event.pointerType !== 'touch') props.onDrag(event, node.id);
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
        {loading ? (
          <Icon name="reload" className="k-spin" />
        ) : (
          expanded !== undefined && <Icon name={expanded ? 'down' : 'right'} />
        )}
      </span>
      <span className="k-tree-name">{node.title}</span>
      {node.children > 0 && <span className="k-count">{node.children}</span>}
      {props.menu.length > 0 && (
        <span onClick={(event) => event.stopPropagation()} onDoubleClick={(event) => event.stopPropagation()}>
          <MenuButton
            className="k-tree-menu"
            align="end"
            tabIndex={-1}
            label={`${text(words.actions)} ${node.title}`}
            entries={props.menu}
          >
            <Icon name="more" />
          </MenuButton>
        </span>
      )}
    </div>
  );
}

/** Detail, a row below, and what the server allows on the row; dangerous ones behind a line. */
function nodeMenu(one: ShownNode, props: TreePanelProps, text: ReturnType<typeof useText>): MenuEntry[] {
  const { resource, action } = props;
  const { node } = one;
  const deep = node.depth >= (resource.tree?.maxDepth ?? 10);
  const extra = action.extra.filter(({ name }) => !(deep && name === OWN_ACTIONS.addBelow));
  const actions = rowActions(resource, node.row, extra);
  const entry = ({ name, spec }: NamedAction): MenuEntry => ({
    key: name,
    label: text(spec.label),
    danger: spec.tone === 'danger',
    run: () => action.run(name, node.row),
  });
  const safe = actions.filter(({ spec }) => spec.tone !== 'danger');
  const danger = actions.filter(({ spec }) => spec.tone === 'danger');
  return [
    { key: '$open', label: text(words.details), run: () => props.onOpen(node) },
    // What is done most in a tree comes first.
    ...safe.filter(({ name }) => name === OWN_ACTIONS.addBelow).map(entry),
    ...safe.filter(({ name }) => name !== OWN_ACTIONS.addBelow).map(entry),
    ...(danger.length > 0 ? (['line'] as const) : []),
    ...danger.map(entry),
  ];
}

/** The edge of the panel: dragged or moved by arrow keys. */
function Splitter(props: {
  readonly width: number;
  readonly label: string;
  readonly onResize: (width: number) => void;
  readonly onDone: (width: number) => void;
}) {
  const clamp = (width: number) => Math.round(Math.min(WIDTH.most, Math.max(WIDTH.least, width)));
  return (
    <div
      className="k-tree-edge"
      role="separator"
      aria-orientation="vertical"
      aria-label={props.label}
      aria-valuemin={WIDTH.least}
      aria-valuemax={WIDTH.most}
      aria-valuenow={props.width}
      tabIndex={0}
      onKeyDown={(event) => {
        const step = event.key === 'ArrowLeft' ? -16 : event.key === 'ArrowRight' ? 16 : 0;
        if (step === 0) return;
        event.preventDefault();
        props.onDone(clamp(props.width + step));
      }}
      onPointerDown={(event) => {
        event.preventDefault();
        const edge = event.currentTarget;
        const from = event.clientX;
        edge.setPointerCapture(event.pointerId);
        let width = props.width;
        const move = (now: globalThis.PointerEvent) => {
          width = clamp(props.width + now.clientX - from);
          props.onResize(width);
        };
        edge.addEventListener('pointermove', move);
        edge.addEventListener(
          'lostpointercapture',
          () => {
            edge.removeEventListener('pointermove', move);
            if (width !== props.width) props.onDone(width);
          },
          { once: true },
        );
      }}
    />
  );
}

/** The shape of a tree that is on its way. */
function TreeWaits() {
  const text = useText();
  return (
    <div className="k-tree-waits" role="status" aria-label={text(words.loading)}>
      {[72, 54, 63, 80, 48, 66].map((share, index) => (
        <span key={index} className="k-bone" style={{ width: `${share}%` }} />
      ))}
    </div>
  );
}

function has(shown: readonly ShownNode[], id: string): boolean {
  return shown.some((one) => one.node.id === id);
}

function nodeElement(host: HTMLElement | null, id: string): HTMLElement | null {
  return host?.querySelector<HTMLElement>(`[data-row-key="${CSS.escape(id)}"]`) ?? null;
}

function openMenu(host: HTMLElement | null, id: string): void {
  nodeElement(host, id)?.querySelector<HTMLElement>('.k-tree-menu')?.click();
}
