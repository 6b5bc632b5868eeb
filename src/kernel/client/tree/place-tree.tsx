import './split-screen.css';
import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useText } from '../language.ts';
import { Icon } from '../parts/icon.tsx';
import { LightInput } from '../parts/light-input.tsx';
import { useView } from '../view.ts';

/** A node of a tree beside a list. `ids` is what a click filters by. */
export interface PlaceNode {
  readonly key: string;
  readonly name: string;
  readonly count?: number | string;
  readonly ids: readonly string[];
  /** Filter the node stands for, where it is another than that of the tree. */
  readonly filter?: string;
  readonly children?: readonly PlaceNode[];
}

/** A tree whose chosen node filters the list beside it through the query of the view; a second click shows all. */
export function PlaceTree(props: {
  readonly nodes: readonly PlaceNode[];
  /** Name of the list's filter. */
  readonly filter: string;
  readonly label: string;
  readonly tools?: ReactNode;
  /** Starts with the first level only: for trees of many nodes. */
  readonly folded?: boolean;
}) {
  const text = useText();
  const view = useView();
  const [keyword, setKeyword] = useState('');
  const shown = keyword ? matching(props.nodes, keyword.toLowerCase()) : props.nodes;
  const nodes = flat(props.nodes);
  const filterOf = (node: PlaceNode) => node.filter ?? props.filter;
  const chosen = nodes.find((node) => node.ids.join(',') === (view.query.get(filterOf(node)) ?? ''));
  const choose = (node: PlaceNode | undefined) => {
    const query = new URLSearchParams(view.query);
    query.delete('page');
    for (const name of new Set([props.filter, ...nodes.map(filterOf)])) query.delete(name);
    if (node && node !== chosen) query.set(filterOf(node), node.ids.join(','));
    view.setQuery(query);
  };
  return (
    <>
      <div className="split-tools">
        <LightInput
          placeholder={text(['筛选', 'Filter'])}
          aria-label={props.label}
          value={keyword}
          onChange={setKeyword}
          onClear={() => setKeyword('')}
        />
        {props.tools}
      </div>
      {props.nodes.length > 0 && (
        <LightTree
          nodes={shown}
          label={props.label}
          chosen={chosen?.key}
          allOpen={keyword !== ''}
          folded={props.folded ?? false}
          onChoose={choose}
        />
      )}
    </>
  );
}

interface Line {
  readonly node: PlaceNode;
  readonly level: number;
  readonly parent: string | undefined;
}

/** A tree of plain elements: the library's one weighs more than the rest of the list. Open at first unless folded, moved in by arrow keys. */
function LightTree(props: {
  readonly nodes: readonly PlaceNode[];
  readonly label: string;
  readonly chosen: string | undefined;
  readonly allOpen: boolean;
  readonly folded: boolean;
  readonly onChoose: (node: PlaceNode) => void;
}) {
  const { chosen, onChoose } = props;
  const [closed, setClosed] = useState<ReadonlySet<string>>(
    () => new Set(props.folded ? flat(props.nodes).flatMap((node) => (node.children ? [node.key] : [])) : []),
  );
  const [at, setAt] = useState<string>();
  const host = useRef<HTMLUListElement>(null);
  const isOpen = (key: string) => props.allOpen || !closed.has(key);
  const lines = linesOf(props.nodes, isOpen);
  const stop = [at, chosen].find((key) => lines.some((line) => line.node.key === key)) ?? lines[0]?.node.key;
  const open = (key: string, on: boolean) =>
    setClosed(new Set(on ? [...closed].filter((one) => one !== key) : [...closed, key]));
  const focus = (key: string | undefined) => {
    if (key === undefined) return;
    setAt(key);
    host.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent, { node, parent }: Line, index: number) => {
    const hasChildren = (node.children?.length ?? 0) > 0;
    const shut = hasChildren && isOpen(node.key);
    const moves: Partial<Record<string, () => void>> = {
      ArrowDown: () => focus(lines[index + 1]?.node.key),
      ArrowUp: () => focus(lines[index - 1]?.node.key),
      Home: () => focus(lines[0]?.node.key),
      End: () => focus(lines.at(-1)?.node.key),
      ArrowRight: () =>
        hasChildren && !isOpen(node.key) ? open(node.key, true) : shut && focus(lines[index + 1]?.node.key),
      ArrowLeft: () => (shut ? open(node.key, false) : focus(parent)),
      Enter: () => onChoose(node),
      ' ': () => onChoose(node),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };
  return (
    <ul className="light-tree" role="tree" aria-label={props.label} ref={host}>
      {lines.map((line, index) => {
        const { node, level } = line;
        const hasChildren = (node.children?.length ?? 0) > 0;
        return (
          <li
            key={node.key}
            data-key={node.key}
            role="treeitem"
            aria-level={level}
            aria-selected={node.key === chosen}
            {...(hasChildren && { 'aria-expanded': isOpen(node.key) })}
            tabIndex={node.key === stop ? 0 : -1}
            style={{ paddingInlineStart: (level - 1) * 20 }}
            onFocus={() => setAt(node.key)}
            onKeyDown={(event) => onKeyDown(event, line, index)}
            onClick={() => onChoose(node)}
          >
            <span
              className="light-tree-fold"
              aria-hidden="true"
              onClick={(event) => {
                if (!hasChildren) return;
                event.stopPropagation();
                open(node.key, !isOpen(node.key));
              }}
            >
              {hasChildren && <Icon name={isOpen(node.key) ? 'down' : 'right'} />}
            </span>
            <span className="light-tree-name" title={node.name}>
              {node.name}
              {node.count !== undefined && <span className="split-count">{node.count}</span>}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function linesOf(
  nodes: readonly PlaceNode[],
  isOpen: (key: string) => boolean,
  level = 1,
  parent?: string,
): readonly Line[] {
  return nodes.flatMap((node) => [
    { node, level, parent },
    ...(isOpen(node.key) ? linesOf(node.children ?? [], isOpen, level + 1, node.key) : []),
  ]);
}

function flat(nodes: readonly PlaceNode[]): PlaceNode[] {
  return nodes.flatMap((node) => [node, ...flat(node.children ?? [])]);
}

function matching(nodes: readonly PlaceNode[], keyword: string): PlaceNode[] {
  return nodes.flatMap((node) => {
    const children = matching(node.children ?? [], keyword);
    if (children.length > 0) return [{ ...node, children }];
    return node.name.toLowerCase().includes(keyword) ? [{ ...node, children: [] }] : [];
  });
}
