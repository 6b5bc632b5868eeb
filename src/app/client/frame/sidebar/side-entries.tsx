import { useState } from 'react';
import { useText } from '../../../../kernel/client/language.ts';
import type { MenuNode } from '../../../../kernel/client/session.ts';
import { outsideOf, pathOfNode, titleOfNode, visibleChildren } from '../menu-links.ts';
import { SideLink } from './side-link.tsx';

const BADGE_MENU = 'mm_orderRefund';

/** Entries of a group; an entry with entries of its own is a nested menu. */
export function SideEntries(props: {
  readonly group: MenuNode;
  readonly node: MenuNode;
  readonly active: string | undefined;
  readonly badge: string | undefined;
  readonly depth: number;
}) {
  const { group, node, active, badge, depth } = props;
  return (
    <ul className="side-entries" data-depth={depth}>
      {visibleChildren(node).map((child) =>
        child.children?.length ? (
          <NestedMenu key={child.code} {...props} node={child} />
        ) : (
          <li key={child.code}>
            <SideLink
              path={pathOfNode(group, child)}
              outside={outsideOf(child)}
              code={child.code}
              title={titleOfNode(child)}
              isCurrent={active === pathOfNode(group, child)}
              canBeFavourite
              {...(child.code === BADGE_MENU && badge && { badge })}
            />
          </li>
        ),
      )}
    </ul>
  );
}

function NestedMenu(props: Parameters<typeof SideEntries>[0]) {
  const text = useText();
  const [isOpen, setOpen] = useState(true);
  return (
    <li>
      <button
        type="button"
        className="side-group nested"
        aria-expanded={isOpen}
        onClick={(event) => {
          event.stopPropagation();
          setOpen(!isOpen);
        }}
      >
        <span className="side-title">{text(titleOfNode(props.node))}</span>
        <i className="side-arrow" aria-hidden="true" />
      </button>
      {isOpen && <SideEntries {...props} depth={props.depth + 1} />}
    </li>
  );
}
