import { memo, useEffect, useRef, useState } from 'react';
import { useText } from '../../../../kernel/client/language.ts';
import { useEscape } from '../../../../kernel/client/parts/use-escape.ts';
import { MenuIcon } from '../../../../kernel/client/parts/menu-icon.tsx';
import { useSession, type MenuNode } from '../../../../kernel/client/session.ts';
import { beforePaint } from '../before-paint.ts';
import { titleOfNode, visibleChildren } from '../menu-links.ts';
import { useTabs } from '../tabs/tabs-store.ts';
import { Favourites } from './favourites.tsx';
import { groupHolding } from './group-holding.ts';
import { SideEntries } from './side-entries.tsx';
import { SideLink } from './side-link.tsx';
import { useRefundBadge } from './use-refund-badge.ts';

/** The permitted menus: one group open at a time; collapsed groups open as fly-outs. */
export const SideMenu = memo(function SideMenu({ collapsed }: { readonly collapsed: boolean }) {
  const text = useText();
  const tree = useSession((state) => state.tree);
  const active = useTabs((state) => state.active);
  const badge = useRefundBadge();
  const nav = useRef<HTMLElement>(null);
  const current = active ? groupHolding(tree, active) : undefined;
  // Open from the first drawing on: opening it afterwards would move the groups below.
  const [opened, setOpened] = useState(current);
  useEffect(() => {
    if (current) setOpened(current);
  }, [current, active]);
  useEffect(() => beforePaint(() => showCurrent(nav.current)), [active, opened]);
  return (
    <nav ref={nav} className="side-menu" aria-label={text(['主菜单', 'Main menu'])}>
      <ul>
        <li>
          <SideLink
            path="/dashboard"
            code="dashboard"
            title={['首页', 'Home']}
            icon="gauge"
            collapsed={collapsed}
            isCurrent={active === '/dashboard'}
          />
        </li>
        {!collapsed && <Favourites active={active} badge={badge} />}
        {tree
          .filter((group) => group.icon !== 'hidden' && visibleChildren(group).length > 0)
          .map((group) =>
            collapsed ? (
              <FlyoutGroup
                key={group.code}
                group={group}
                active={active}
                badge={badge}
                isCurrent={group.code === current}
              />
            ) : (
              <OpenGroup
                key={group.code}
                group={group}
                active={active}
                badge={badge}
                isOpen={opened === group.code}
                onToggle={() => setOpened(opened === group.code ? undefined : group.code)}
              />
            ),
          )}
      </ul>
    </nav>
  );
});

/** Scrolls the menu to the current page. Unlike scrollIntoView it leaves alone where the next Tab starts from. */
function showCurrent(nav: HTMLElement | null): void {
  const current = nav?.querySelector('[aria-current="page"]')?.getBoundingClientRect();
  if (!nav || !current) return;
  const { top, bottom } = nav.getBoundingClientRect();
  nav.scrollTop += Math.max(current.bottom - bottom, 0) - Math.max(top - current.top, 0);
}

interface GroupProps {
  readonly group: MenuNode;
  readonly active: string | undefined;
  readonly badge: string | undefined;
}

function OpenGroup(props: GroupProps & { readonly isOpen: boolean; readonly onToggle: () => void }) {
  const text = useText();
  const { group, active, badge, isOpen } = props;
  return (
    <li>
      <button type="button" className="side-group" aria-expanded={isOpen} onClick={props.onToggle}>
        <MenuIcon name={group.icon} code={group.code} />
        <span className="side-title">{text(titleOfNode(group))}</span>
        <i className="side-arrow" aria-hidden="true" />
      </button>
      {isOpen && <SideEntries group={group} node={group} active={active} badge={badge} depth={1} />}
    </li>
  );
}

function FlyoutGroup(props: GroupProps & { readonly isCurrent: boolean }) {
  const text = useText();
  const { group, active, badge } = props;
  const [top, setTop] = useState<number>();
  const item = useRef<HTMLLIElement>(null);
  const title = text(titleOfNode(group));
  useEscape(top !== undefined, () => {
    setTop(undefined);
    // Opened by the pointer it takes no focus from where somebody types.
    if (item.current?.contains(document.activeElement)) item.current.querySelector('button')?.focus();
  });
  const open = () => setTop(item.current?.getBoundingClientRect().top ?? 0);
  return (
    <li
      ref={item}
      onMouseEnter={open}
      onMouseLeave={() => setTop(undefined)}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setTop(undefined);
      }}
    >
      <button
        type="button"
        className="side-group"
        data-current={props.isCurrent}
        aria-label={title}
        title={title}
        aria-expanded={top !== undefined}
        onClick={() => (top === undefined ? open() : setTop(undefined))}
      >
        <MenuIcon name={group.icon} code={group.code} />
      </button>
      {top !== undefined && (
        <div
          className="side-flyout"
          style={{ top: `min(${top}px, calc(100vh - 60vh))` }}
          onClick={() => setTop(undefined)}
        >
          <p className="side-flyout-title">{title}</p>
          <SideEntries group={group} node={group} active={active} badge={badge} depth={0} />
        </div>
      )}
    </li>
  );
}
