import { useState } from 'react';
import { Checkbox, Input, Tree } from 'antd';
import { SearchOutlined } from '@ant-design/icons';
import { useText } from '../../../kernel/client/language.ts';
import type { GroupNode } from './group-wire.ts';

interface Node {
  readonly key: string;
  readonly title: React.ReactNode;
  readonly children: Node[];
}

/** The groups of one type as a tree with filter and member counts. */
export function GroupTreePanel(props: {
  readonly groups: readonly GroupNode[];
  readonly active: string | undefined;
  readonly onActive: (id: string) => void;
}) {
  const text = useText();
  const [keyword, setKeyword] = useState('');
  const [withMembers, setWithMembers] = useState(false);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const wanted = keyword.trim().toLowerCase();
  const known = new Set(props.groups.map((group) => group.id));
  const below = new Map<string | null, GroupNode[]>();
  for (const group of props.groups) {
    const parent = group.parentId !== null && known.has(group.parentId) ? group.parentId : null;
    below.set(parent, [...(below.get(parent) ?? []), group]);
  }
  const fits = (group: GroupNode) =>
    `${group.name} ${group.code}`.toLowerCase().includes(wanted) && (!withMembers || group.members > 0);
  const nodesUnder = (parent: string | null): Node[] =>
    (below.get(parent) ?? []).flatMap((group) => {
      const children = nodesUnder(group.id);
      if (children.length === 0 && !fits(group)) return [];
      return [
        {
          key: group.id,
          children,
          title: (
            <span className={`pg-node${group.enabled ? '' : ' k-quiet'}`} title={group.code}>
              <span className="pg-node-name">{group.name}</span>
              {!group.enabled && <small>{text(['停用', 'Off'])}</small>}
              {group.tenant && <small className="k-quiet">{group.tenant}</small>}
              <small className="k-quiet pg-node-count">{group.members}</small>
            </span>
          ),
        },
      ];
    });
  const nodes = nodesUnder(null);
  return (
    <section className="pg-groups" aria-label={text(['角色', 'Groups'])}>
      <Input
        allowClear
        prefix={<SearchOutlined className="k-quiet" />}
        placeholder={text(['名称或编码', 'Name or code'])}
        aria-label={text(['筛选角色', 'Filter groups'])}
        value={keyword}
        onChange={(event) => setKeyword(event.target.value)}
      />
      <Checkbox checked={withMembers} onChange={(event) => setWithMembers(event.target.checked)}>
        {text(['只看有成员', 'With members only'])}
      </Checkbox>
      {nodes.length === 0 ? (
        <p className="k-state k-quiet">
          {text(
            wanted || withMembers
              ? ['没有符合条件的角色', 'No group matches']
              : ['还没有角色', 'No groups yet'],
          )}
        </p>
      ) : (
        <Tree
          blockNode
          motion={false}
          treeData={nodes}
          height={520}
          itemHeight={32}
          expandedKeys={props.groups
            .map((group) => group.id)
            .filter((id) => wanted !== '' || !closed.has(id))}
          onExpand={(_keys, info) => {
            const next = new Set(closed);
            if (info.expanded) next.delete(String(info.node.key));
            else next.add(String(info.node.key));
            setClosed(next);
          }}
          selectedKeys={props.active ? [props.active] : []}
          onSelect={(_keys, info) => props.onActive(String(info.node.key))}
        />
      )}
    </section>
  );
}
