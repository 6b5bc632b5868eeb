import { useState, type ReactNode } from 'react';
import { Input, Tree } from 'antd';
import { LockOutlined, SearchOutlined } from '@ant-design/icons';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { isGivable, notGivable, type Ticks } from './authority-state.rules.ts';
import { SCOPE_LABELS } from './grant-diff.rules.ts';
import type { Authority, AuthorityMenu } from './group-wire.ts';

interface Node {
  readonly key: string;
  readonly title: ReactNode;
  readonly children: Node[];
  readonly disableCheckbox: boolean;
  readonly className: string;
}

const HEIGHT = 440;

/** The menus of the grants dialog; only the rows in sight are drawn. */
export function AuthorityTree(props: {
  readonly authority: Authority;
  readonly ticks: Ticks;
  readonly active: string | undefined;
  readonly onActive: (code: string) => void;
  readonly onToggle: (code: string, on: boolean) => void;
}) {
  const { authority, ticks } = props;
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const [keyword, setKeyword] = useState('');
  const [opened, setOpened] = useState<readonly string[]>();
  const inherited = new Map(ticks.inherit ? authority.inherited.menus.map((menu) => [menu.code, menu]) : []);
  const total = new Map<string, number>();
  const chosen = new Map<string, number>();
  for (const element of authority.elements) {
    total.set(element.menu, (total.get(element.menu) ?? 0) + 1);
    if (ticks.elements.has(element.code)) chosen.set(element.menu, (chosen.get(element.menu) ?? 0) + 1);
  }
  // Details and forms come with the page they belong to.
  const implied = (menu: AuthorityMenu) =>
    menu.modeOf !== null &&
    !ticks.menus.has(menu.code) &&
    (ticks.menus.has(menu.modeOf) || inherited.has(menu.modeOf));
  const nameOf = (menu: AuthorityMenu) => (language === 'zh' ? menu.title : menu.titleEn);
  const wanted = keyword.trim().toLowerCase();
  const matches = (menu: AuthorityMenu) =>
    `${menu.title} ${menu.titleEn} ${menu.code}`.toLowerCase().includes(wanted);
  const titleOf = (menu: AuthorityMenu) => {
    const grant = ticks.menus.get(menu.code) ?? inherited.get(menu.code);
    return (
      <span className="pg-node">
        <span className="pg-node-name">{nameOf(menu)}</span>
        {!isGivable(menu) && (
          <LockOutlined
            className="k-quiet"
            title={text(notGivable(authority, menu.code))}
            aria-label={text(notGivable(authority, menu.code))}
          />
        )}
        {inherited.has(menu.code) && !ticks.menus.has(menu.code) && (
          <small className="k-quiet">{text(['继承', 'Inherited'])}</small>
        )}
        {implied(menu) && <small className="k-quiet">{text(['随主页面', 'With its page'])}</small>}
        {grant && menu.type !== 'dirt' && grant.dataScope !== 'all' && (
          <small className="pg-scope">{text(SCOPE_LABELS[grant.dataScope])}</small>
        )}
        {total.has(menu.code) && (
          <small className="k-quiet pg-node-count">
            {chosen.get(menu.code) ?? 0}/{total.get(menu.code)}
          </small>
        )}
      </span>
    );
  };
  const below = new Map<string | null, AuthorityMenu[]>();
  const known = new Set(authority.menus.map((menu) => menu.code));
  for (const menu of authority.menus) {
    const parent = menu.parent !== null && known.has(menu.parent) ? menu.parent : null;
    below.set(parent, [...(below.get(parent) ?? []), menu]);
  }
  const nodesUnder = (parent: string | null): Node[] =>
    (below.get(parent) ?? []).flatMap((menu) => {
      const children = nodesUnder(menu.code);
      if (wanted && children.length === 0 && !matches(menu)) return [];
      const byInheritance = (inherited.has(menu.code) && !ticks.menus.has(menu.code)) || implied(menu);
      return [
        {
          key: menu.code,
          title: titleOf(menu),
          children,
          disableCheckbox: authority.group.readOnly || byInheritance || !isGivable(menu),
          className: byInheritance ? 'pg-inherited' : '',
        },
      ];
    });
  const checked = authority.group.readOnly
    ? authority.menus.map((menu) => menu.code)
    : [
        ...ticks.menus.keys(),
        ...inherited.keys(),
        ...authority.menus.filter(implied).map((menu) => menu.code),
      ];
  const folders = authority.menus.filter((menu) => below.has(menu.code)).map((menu) => menu.code);
  return (
    <section className="pg-tree" aria-label={text(['菜单', 'Menus'])}>
      <Input
        allowClear
        prefix={<SearchOutlined className="k-quiet" />}
        placeholder={text(['名称或编码', 'Name or code'])}
        aria-label={text(['筛选菜单', 'Filter menus'])}
        value={keyword}
        onChange={(event) => setKeyword(event.target.value)}
      />
      <Tree
        checkable
        checkStrictly
        blockNode
        virtual
        motion={false}
        height={HEIGHT}
        itemHeight={28}
        treeData={nodesUnder(null)}
        expandedKeys={wanted ? folders : [...(opened ?? folders)]}
        onExpand={(keys) => setOpened(keys as string[])}
        checkedKeys={{ checked, halfChecked: [] }}
        selectedKeys={props.active ? [props.active] : []}
        onSelect={(_keys, info) => props.onActive(String(info.node.key))}
        onCheck={(_keys, info) => {
          props.onActive(String(info.node.key));
          props.onToggle(String(info.node.key), info.checked);
        }}
      />
    </section>
  );
}
