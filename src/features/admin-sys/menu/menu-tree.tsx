import { useEffect, useState, type ReactNode } from 'react';
import { Input, Tree } from 'antd';
import { SearchOutlined } from '@ant-design/icons';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { MenuIcon } from '../../../kernel/client/parts/menu-icon.tsx';
import type { MenuItem } from './menu-wire.ts';

interface Node {
  readonly key: string;
  readonly code: string;
  readonly parent: string | null;
  readonly title: ReactNode;
  readonly children: Node[];
  readonly disabled: boolean;
}

/** The menus as a tree with badges; dragging within one directory changes the order. Filter by title, code or pinyin. */
export function MenuTree(props: {
  readonly menus: readonly MenuItem[];
  readonly active: string | undefined;
  readonly canDrag: boolean;
  readonly onActive: (code: string) => void;
  readonly onOrder: (parent: string | null, codes: readonly string[]) => void;
}) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const [keyword, setKeyword] = useState('');
  const [opened, setOpened] = useState<readonly string[]>([]);
  const wanted = keyword.trim().toLowerCase();
  const spelling = usePinyin(props.menus, wanted);
  const known = new Set(props.menus.map((menu) => menu.code));
  const below = new Map<string | null, { menu: MenuItem; sort: number }[]>();
  for (const menu of props.menus) {
    const mode = menu.modeOf !== null && known.has(menu.modeOf);
    const places = mode || menu.places.length === 0 ? [{ parent: menu.modeOf, sort: 0 }] : menu.places;
    for (const place of places) {
      const parent = place.parent !== null && known.has(place.parent) ? place.parent : null;
      below.set(parent, [...(below.get(parent) ?? []), { menu, sort: place.sort }]);
    }
  }
  const fits = (menu: MenuItem) =>
    `${menu.titleZh} ${menu.titleEn} ${menu.code} ${spelling.get(menu.code) ?? ''}`
      .toLowerCase()
      .includes(wanted);
  const nodesUnder = (parent: string | null, path: string): Node[] =>
    (below.get(parent) ?? [])
      .sort((a, b) => a.sort - b.sort)
      .flatMap(({ menu }) => {
        const key = `${path}/${menu.code}`;
        const children = nodesUnder(menu.code, key);
        if (wanted && children.length === 0 && !fits(menu)) return [];
        return [
          {
            key,
            code: menu.code,
            parent,
            children,
            disabled: false,
            title: <NodeTitle menu={menu} name={language === 'zh' ? menu.titleZh : menu.titleEn} />,
          },
        ];
      });
  const nodes = nodesUnder(null, '');
  const folders: string[] = [];
  const walk = (list: readonly Node[]): void => {
    for (const node of list)
      if (node.children.length > 0) {
        folders.push(node.key);
        walk(node.children);
      }
  };
  walk(nodes);
  const find = (list: readonly Node[], key: string): Node | undefined => {
    for (const node of list) {
      const found = node.key === key ? node : find(node.children, key);
      if (found) return found;
    }
    return undefined;
  };
  const siblings = (parent: string | null) =>
    (below.get(parent) ?? [])
      .filter((one) => one.menu.modeOf === null || !known.has(one.menu.modeOf))
      .map((one) => one.menu.code);
  return (
    <section className="pg-groups" aria-label={text(['菜单', 'Menus'])}>
      <Input
        allowClear
        prefix={<SearchOutlined className="k-quiet" />}
        placeholder={text(['标题、编码、拼音', 'Title, code, pinyin'])}
        aria-label={text(['筛选菜单', 'Filter menus'])}
        value={keyword}
        onChange={(event) => setKeyword(event.target.value)}
      />
      <Tree<Node>
        blockNode
        motion={false}
        height={600}
        itemHeight={32}
        treeData={nodes}
        draggable={
          props.canDrag && wanted === ''
            ? {
                icon: false,
                nodeDraggable: (node) =>
                  !(
                    (node as Node).parent !== null &&
                    props.menus.find((menu) => menu.code === (node as Node).code)?.modeOf
                  ),
              }
            : false
        }
        allowDrop={({ dragNode, dropNode, dropPosition }) =>
          dropPosition !== 0 && (dragNode as Node).parent === (dropNode as Node).parent
        }
        expandedKeys={wanted ? folders : [...opened]}
        onExpand={(keys) => setOpened(keys as string[])}
        selectedKeys={
          props.active ? folders.concat(leaves(nodes)).filter((key) => key.endsWith(`/${props.active}`)) : []
        }
        onSelect={(_keys, info) => props.onActive((info.node as unknown as Node).code)}
        onDrop={({ dragNode, node, dropPosition, dropToGap }) => {
          const dragged = find(nodes, String(dragNode.key));
          const target = find(nodes, String(node.key));
          if (!dragged || !target || !dropToGap || dragged.parent !== target.parent) return;
          const codes = siblings(dragged.parent).filter((code) => code !== dragged.code);
          const at = codes.indexOf(target.code);
          const own = Number(node.pos.split('-').pop());
          codes.splice(dropPosition < own ? at : at + 1, 0, dragged.code);
          props.onOrder(dragged.parent, codes);
        }}
      />
    </section>
  );
}

function NodeTitle({ menu, name }: { readonly menu: MenuItem; readonly name: string }) {
  const text = useText();
  const badges: string[] = [];
  if (menu.retired) badges.push(text(['已下线', 'Retired']));
  if (menu.hidden || (menu.places[0]?.inMenu === false && menu.type !== 'dirt'))
    badges.push(text(['隐藏', 'Hidden']));
  if (menu.noCache) badges.push(text(['不缓存', 'No cache']));
  if (menu.builtIn) badges.push(text(['内置', 'Built-in']));
  return (
    <span className={`pg-node${menu.retired ? ' k-quiet' : ''}`} title={menu.code}>
      <MenuIcon name={menu.icon} code={menu.code} />
      <span className="pg-node-name">{name}</span>
      {badges.map((badge) => (
        <small key={badge} className="pg-scope">
          {badge}
        </small>
      ))}
    </span>
  );
}

function leaves(nodes: readonly Node[]): string[] {
  return nodes.flatMap((node) => [node.key, ...leaves(node.children)]);
}

/** Pinyin of the titles, loaded with the first keyword: the dictionary is large. */
function usePinyin(menus: readonly MenuItem[], wanted: string): ReadonlyMap<string, string> {
  const [spelling, setSpelling] = useState<ReadonlyMap<string, string>>(new Map());
  const needed = wanted !== '';
  useEffect(() => {
    if (!needed) return;
    let gone = false;
    void import('pinyin-pro').then(({ pinyin }) => {
      if (gone) return;
      setSpelling(
        new Map(
          menus.map((menu) => {
            const syllables = pinyin(menu.titleZh, { toneType: 'none', type: 'array' });
            return [menu.code, `${syllables.join('')} ${syllables.map((one) => one[0] ?? '').join('')}`];
          }),
        ),
      );
    });
    return () => {
      gone = true;
    };
  }, [menus, needed]);
  return spelling;
}
