import type { MouseEvent } from 'react';
import { useText } from '../../../../kernel/client/language.ts';
import { useSession, type MenuNode } from '../../../../kernel/client/session.ts';
import type { Label } from '../../../../kernel/contract/label.ts';
import { go } from '../../location/location.ts';
import { titleOfNode } from '../menu-links.ts';
import { productRoutes } from '../routes/product-routes.ts';
import { useScreenFacts } from '../routes/screen-facts.ts';
import { homeTitle, useTitleOf } from '../routes/titles.ts';
import { useTabs } from '../tabs/tabs-store.ts';
import { pathOfMenu } from '../views/path-of-menu.ts';

interface Crumb {
  readonly title: Label;
  readonly path?: string | undefined;
}

/** Home, the titles on the way, and the current one as plain text. */
export function Breadcrumb() {
  const text = useText();
  const tree = useSession((state) => state.tree);
  const active = useTabs((state) => state.active);
  const suffix = useTabs((state) => state.tabs.find((tab) => tab.path === state.active)?.suffix);
  const held = useSession((state) => state.info?.menus);
  const titleOf = useTitleOf();
  const facts = useScreenFacts((state) => state.facts);
  const crumbs: Crumb[] = [{ title: homeTitle, path: '/dashboard' }];
  if (active && active !== '/dashboard') {
    const route = productRoutes.find(active)?.route;
    const menu = (route && facts[route.pattern]?.list) ?? route?.menu;
    // A detail that is no entry of the menu stands below the one it belongs to.
    const group = active.split('/')[1];
    const own = chainOf(tree, group, menu);
    const owner = held?.find((one) => one.code === menu)?.modeOf ?? undefined;
    const chain = own.length > 0 ? own : chainOf(tree, group, owner);
    for (const node of chain.slice(0, -1))
      crumbs.push({ title: titleOfNode(node), path: pathOfMenu(node.code) });
    const last = chain.at(-1);
    // A detail stands below the entry it belongs to; a menu of several groups is the same list in each.
    const parent = last && (last.path || pathOfMenu(last.code));
    if (last && parent !== active && !isListOf(active, last.code))
      crumbs.push({ title: titleOfNode(last), path: parent });
    const title = titleOf(active);
    // Below its list, the number of the record says it all.
    const isRepeated = title[0] === crumbs.at(-1)!.title[0];
    const whole: Label = suffix ? [`${title[0]} ${suffix}`, `${title[1]} ${suffix}`] : title;
    crumbs.push({ title: suffix && isRepeated ? [suffix, suffix] : whole });
  }
  const follow = (event: MouseEvent, path: string) => {
    event.preventDefault();
    go(path);
  };
  return (
    <nav className="breadcrumb" aria-label={text(['面包屑', 'Breadcrumb'])}>
      <ol>
        {crumbs.map(({ title, path }, index) => {
          const isLast = index === crumbs.length - 1;
          return (
            <li key={index}>
              {path && !isLast ? (
                <a href={path} onClick={(event) => follow(event, path)}>
                  {text(title)}
                </a>
              ) : (
                <span aria-current={isLast ? 'page' : undefined}>{text(title)}</span>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

function isListOf(path: string, menu: string): boolean {
  const [, , segment, ...rest] = path.split('/');
  return segment === menu && rest.length === 0;
}

/** Nodes from the group down to a menu, in the group of the path when the menu stands in several. */
function chainOf(
  tree: readonly MenuNode[],
  groupSegment: string | undefined,
  menu: string | undefined,
): readonly MenuNode[] {
  if (!menu) return [];
  const search = (node: MenuNode): readonly MenuNode[] | undefined => {
    if (node.code === menu) return [node];
    for (const child of node.children ?? []) {
      const found = search(child);
      if (found) return [node, ...found];
    }
    return undefined;
  };
  const own = tree.filter((group) => group.code === groupSegment || group.path === `/${groupSegment}`);
  for (const group of [...own, ...tree]) {
    const chain = search(group);
    if (chain) return chain;
  }
  return [];
}
