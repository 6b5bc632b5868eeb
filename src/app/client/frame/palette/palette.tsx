import './palette.css';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useText } from '../../../../kernel/client/language.ts';
import { useEscape } from '../../../../kernel/client/parts/use-escape.ts';
import { useSession } from '../../../../kernel/client/session.ts';
import type { Label } from '../../../../kernel/contract/label.ts';
import { go } from '../../location/location.ts';
import { closeLayer } from '../layers.ts';
import { menuLinks, type MenuLink } from '../menu-links.ts';
import { useFavourites } from '../sidebar/use-favourites.ts';
import { visitTabBehind } from '../tabs/visit-behind.ts';
import { matchMenus, type SearchableMenu } from './match-menus.rules.ts';
import { paletteActions } from './palette-actions.ts';
import { useRecentPaths } from './use-recent-paths.ts';
import { useRecordSearch } from './use-record-search.ts';

interface Entry {
  readonly key: string;
  readonly section: Label;
  readonly title: Label;
  readonly note?: Label;
  /** Opened in the frame; absent for actions. */
  readonly path?: string;
  readonly run: () => void;
}

const plain = (link: MenuLink): SearchableMenu => ({ ...link, pinyin: '', initials: '' });

/** Ctrl+K: menus by title, code and pinyin, actions, settings, and records by number or phone. */
export default function Palette() {
  const text = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const menus = useSearchableMenus();
  const { records, isSearching } = useRecordSearch(typed);
  const recent = useRecentPaths(menus);
  const favourites = useFavourites().codes;
  useEffect(() => dialog.current?.showModal(), []);
  useEscape(true, closeLayer);

  const menuEntry =
    (section: Label) =>
    (menu: MenuLink): Entry => ({
      key: `${section[1]} ${menu.path}`,
      section,
      title: menu.title,
      note: menu.group,
      path: menu.path,
      run: () => go(menu.path),
    });
  const entries: readonly Entry[] =
    typed.trim() === ''
      ? [
          ...recent
            .flatMap((path) => menus.find((menu) => menu.path === path) ?? [])
            .map(menuEntry(['最近访问', 'Recent'])),
          ...favourites
            .flatMap((code) => menus.find((menu) => menu.code === code) ?? [])
            .map(menuEntry(['收藏', 'Favourites'])),
        ]
      : [
          ...matchMenus(typed, menus).map(menuEntry(['菜单', 'Menus'])),
          ...records.map((record): Entry => ({
            key: `record ${record.route} ${record.code}`,
            section: ['记录', 'Records'],
            title: [record.title, record.title],
            note: [`${record.kind} ${record.code}`, `${record.kind} ${record.code}`],
            path: record.route,
            run: () => go(record.route),
          })),
          ...matchMenus(typed.replace(/^\s*(新增|新建|add|new)\s*/i, '') || typed, creatable(menus), 4)
            .map(menuEntry(['操作', 'Actions']))
            .map((entry): Entry => {
              const path = `${entry.path}?do=create`;
              const title: Label = [`新增：${entry.title[0]}`, `Add: ${entry.title[1]}`];
              return { ...entry, key: `add ${path}`, title, path, run: () => go(path) };
            }),
          ...paletteActions
            .filter((action) =>
              `${action.title.join(' ')} ${action.code}`.toLowerCase().includes(typed.trim().toLowerCase()),
            )
            .map((action): Entry => ({
              key: action.code,
              section: action.isSetting ? ['设置', 'Settings'] : ['操作', 'Actions'],
              title: action.title,
              run: action.run,
            })),
        ];
  const current = Math.min(at, entries.length - 1);

  const choose = (entry: Entry | undefined, staysOpen: boolean) => {
    if (!entry) return;
    if (staysOpen && entry.path) return visitTabBehind(entry.path);
    closeLayer();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setAt((current + step + entries.length) % Math.max(1, entries.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choose(entries[current], event.ctrlKey || event.metaKey);
    }
  };
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <dialog
      ref={dialog}
      className="layer palette"
      aria-label={text(['搜索', 'Search'])}
      onCancel={(event) => {
        event.preventDefault();
        closeLayer();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) closeLayer();
      }}
    >
      <input
        className="palette-input"
        value={typed}
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries.length > 0 ? `palette-${current}` : undefined}
        aria-label={text([
          '搜索菜单、操作、单据号和手机号',
          'Search menus, actions, record numbers and phones',
        ])}
        placeholder={text([
          '搜索菜单、操作、单据号和手机号（支持拼音首字母）',
          'Search menus, actions, record numbers and phones',
        ])}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-list" role="listbox" aria-label={text(['结果', 'Results'])} className="palette-list">
        {entries.map((entry, index) => (
          <li
            key={entry.key}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === current}
            onMouseMove={() => setAt(index)}
            onClick={(event) => choose(entry, event.ctrlKey || event.metaKey)}
          >
            <span className="palette-section">
              {entries[index - 1]?.section[1] === entry.section[1] ? '' : text(entry.section)}
            </span>
            <span className="palette-title">{text(entry.title)}</span>
            {entry.note && <span className="palette-note">{text(entry.note)}</span>}
          </li>
        ))}
      </ul>
      {entries.length === 0 && (
        <p className="palette-empty" role="status">
          {typed.trim() === ''
            ? text(['输入菜单名、拼音首字母或单据号', 'Type a menu, its initials or a record number'])
            : isSearching
              ? text(['正在查找…', 'Searching…'])
              : text(['没有找到', 'Nothing found'])}
        </p>
      )}
      <p className="palette-keys" aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> {text(['选择', 'move'])} <kbd>Enter</kbd> {text(['打开', 'open'])}{' '}
        <kbd>Ctrl Enter</kbd> {text(['后台打开', 'open behind'])} <kbd>Esc</kbd> {text(['关闭', 'close'])}
      </p>
    </dialog>
  );
}

/** Menus whose create action the staff holds. */
function creatable(menus: readonly SearchableMenu[]): readonly SearchableMenu[] {
  const { elements } = useSession.getState();
  return menus.filter((menu) => elements[`${menu.code}:btn_add`] || elements[`${menu.code}:btn_create`]);
}

/** Permitted menus; pinyin is added when the dictionary has arrived. */
function useSearchableMenus(): readonly SearchableMenu[] {
  const tree = useSession((state) => state.tree);
  const [menus, setMenus] = useState(() => menuLinks(tree).map(plain));
  useEffect(() => {
    let isGone = false;
    void import('./pinyin-menus.ts').then(({ withPinyin }) => {
      if (!isGone) setMenus([...withPinyin(menuLinks(tree))]);
    });
    return () => {
      isGone = true;
    };
  }, [tree]);
  return menus;
}
