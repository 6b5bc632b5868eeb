import './split-screen.css';
import { useState, type Key, type ReactNode } from 'react';
import { Input, Tree } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { useView } from '../../../kernel/client/view.ts';

/** A node of a tree beside a list. `ids` is what a click filters by. */
export interface PlaceNode {
  readonly key: string;
  readonly name: string;
  readonly count?: number;
  readonly ids: readonly string[];
  readonly children?: readonly PlaceNode[];
}

/** A tree whose chosen node filters the list beside it through the query of the view; a second click shows all. */
export function PlaceTree(props: {
  readonly nodes: readonly PlaceNode[];
  /** Name of the list's filter. */
  readonly filter: string;
  readonly label: string;
  readonly tools?: ReactNode;
}) {
  const text = useText();
  const view = useView();
  const [keyword, setKeyword] = useState('');
  const shown = keyword ? matching(props.nodes, keyword.toLowerCase()) : props.nodes;
  const value = view.query.get(props.filter) ?? '';
  const chosen = flat(props.nodes).find((node) => node.ids.join(',') === value);
  const choose = (node: PlaceNode | undefined) => {
    const query = new URLSearchParams(view.query);
    query.delete('page');
    if (node && node !== chosen) query.set(props.filter, node.ids.join(','));
    else query.delete(props.filter);
    view.setQuery(query);
  };
  return (
    <>
      <div className="split-tools">
        <Input
          allowClear
          size="small"
          placeholder={text(['筛选', 'Filter'])}
          aria-label={props.label}
          value={keyword}
          onChange={(event) => setKeyword(event.target.value)}
        />
        {props.tools}
      </div>
      {props.nodes.length > 0 && (
        <Tree<TreeItem>
          blockNode
          defaultExpandAll
          {...(keyword ? { expandedKeys: flat(shown).map((node) => node.key) } : {})}
          treeData={shown.map(item)}
          selectedKeys={chosen ? [chosen.key] : []}
          onSelect={(keys: Key[], info) => choose(keys.length > 0 ? info.node.place : undefined)}
        />
      )}
    </>
  );
}

interface TreeItem {
  key: string;
  title: ReactNode;
  place: PlaceNode;
  children: TreeItem[];
}

function item(node: PlaceNode): TreeItem {
  return {
    key: node.key,
    place: node,
    title: (
      <span title={node.name}>
        {node.name}
        {node.count !== undefined && <span className="split-count">{node.count}</span>}
      </span>
    ),
    children: (node.children ?? []).map(item),
  };
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
