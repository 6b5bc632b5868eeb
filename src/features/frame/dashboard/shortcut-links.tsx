import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { usePreference } from '../../../kernel/client/preference.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useSession, type MenuNode } from '../../../kernel/client/session.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { HomeBlock } from './home-block.tsx';

const MOST = 12;
const SHOWN_BY_DEFAULT = 8;

interface Link {
  readonly code: string;
  readonly title: Label;
}

/** Up to twelve menus; by default the most visited of 30 days, filled up with the first of the side menu. */
export function ShortcutLinks() {
  const text = useText();
  const view = useView();
  const tree = useSession((state) => state.tree);
  const [kept, store] = usePreference<readonly string[]>('home.shortcuts');
  const [isEditing, setEditing] = useState(false);
  const [dragged, setDragged] = useState<string>();
  const links = leavesOf(tree).filter((link) => view.pathOf(link.code) !== undefined);
  const visited = useVisitedMenus();
  const defaults = [...new Set([...visited, ...links.map((link) => link.code)])]
    .filter((code) => links.some((link) => link.code === code))
    .slice(0, SHOWN_BY_DEFAULT);
  const codes = kept ?? defaults;
  const shown = codes.flatMap((code) => links.find((link) => link.code === code) ?? []);
  const addable = links.filter((link) => !codes.includes(link.code));
  return (
    <HomeBlock
      name="shortcuts"
      title={['快捷入口', 'Shortcuts']}
      actions={
        <button
          type="button"
          className="link-button"
          aria-pressed={isEditing}
          onClick={() => setEditing(!isEditing)}
        >
          {isEditing ? text(['完成', 'Done']) : text(['编辑', 'Edit'])}
        </button>
      }
    >
      {shown.length === 0 && !isEditing && (
        <p className="todo-none">
          {text(['还没有快捷入口，点击编辑添加', 'No shortcuts yet; choose Edit to add some'])}
        </p>
      )}
      <ul className="home-shortcuts">
        {shown.map((link) => (
          <li
            key={link.code}
            draggable={isEditing}
            onDragStart={() => setDragged(link.code)}
            onDragOver={(event) => event.preventDefault()}
            onDrop={() => {
              if (dragged && dragged !== link.code) store(movedTo(codes, dragged, link.code));
            }}
            onDragEnd={() => setDragged(undefined)}
          >
            <button type="button" className="plain-button" onClick={() => view.open(view.pathOf(link.code)!)}>
              {text(link.title)}
            </button>
            {isEditing && (
              <button
                type="button"
                className="home-remove"
                aria-label={`${text(['移除', 'Remove'])}: ${text(link.title)}`}
                onClick={() => store(codes.filter((code) => code !== link.code))}
              >
                ×
              </button>
            )}
          </li>
        ))}
      </ul>
      {isEditing && (
        <div className="home-add">
          <select
            aria-label={text(['添加快捷入口', 'Add a shortcut'])}
            value=""
            disabled={codes.length >= MOST || addable.length === 0}
            onChange={(event) => store([...codes, event.target.value])}
          >
            <option value="">{text(['添加快捷入口', 'Add a shortcut'])}</option>
            {addable.map((link) => (
              <option key={link.code} value={link.code}>
                {text(link.title)}
              </option>
            ))}
          </select>
          <button type="button" className="link-button" onClick={() => store(defaults)}>
            {text(['恢复默认', 'Reset'])}
          </button>
        </div>
      )}
    </HomeBlock>
  );
}

function movedTo(codes: readonly string[], code: string, place: string): readonly string[] {
  const at = codes.indexOf(place);
  const rest = codes.filter((one) => one !== code);
  return [...rest.slice(0, at), code, ...rest.slice(at)];
}

function leavesOf(tree: readonly MenuNode[]): readonly Link[] {
  const links = new Map<string, Link>();
  const walk = (nodes: readonly MenuNode[]) => {
    for (const node of nodes) {
      if (node.icon === 'hidden') continue;
      if (node.children?.length) walk(node.children);
      else if (!links.has(node.code))
        links.set(node.code, { code: node.code, title: [node.title, node.titleEn || node.title] });
    }
  };
  walk(tree.flatMap((group) => group.children ?? []));
  return [...links.values()];
}

/** Codes of the menus visited most in 30 days; none when the server does not count visits. */
function useVisitedMenus(): readonly string[] {
  const { data } = useQuery({
    queryKey: ['profile', 'visits'],
    queryFn: () =>
      call<readonly { readonly menu: string }[]>('GET', '/api/admin/profile/visits', { quiet: true }),
  });
  return data?.map((visit) => visit.menu) ?? [];
}
