import type { MenuNode } from '../../../kernel/client/session.ts';
import type { Label } from '../../../kernel/contract/label.ts';

/** A menu the staff can open from the side menu. */
export interface MenuLink {
  readonly code: string;
  readonly path: string;
  readonly title: Label;
  readonly group: Label;
  /** Address of a link that opens in a window of its own. */
  readonly outside?: string | undefined;
}

/** Path of a side-menu entry: `/{groupCode}/{childCode}` unless the server names another one. */
export function pathOfNode(group: MenuNode, node: MenuNode): string {
  return node.path?.startsWith('/') ? node.path : `/${group.code}/${node.code}`;
}

/** Address of a link that opens in a window of its own, or undefined. */
export function outsideOf(node: MenuNode): string | undefined {
  return node.url && node.openIn !== 'frame' ? node.url : undefined;
}

/** Title of a node in both languages. */
export function titleOfNode(node: MenuNode): Label {
  return [node.title || node.name, node.titleEn || node.title || node.name];
}

/** Children that are drawn: an entry whose icon is `hidden` is not, nor a submenu without drawn children. */
export function visibleChildren(node: MenuNode): readonly MenuNode[] {
  return (node.children ?? []).filter(
    (child) => child.icon !== 'hidden' && (!child.children?.length || visibleChildren(child).length > 0),
  );
}

/** All entries of the side menu that open a screen, in its order. */
export function menuLinks(tree: readonly MenuNode[]): readonly MenuLink[] {
  const links: MenuLink[] = [];
  const walk = (group: MenuNode, node: MenuNode) => {
    for (const child of visibleChildren(node)) {
      if (child.children?.length) walk(group, child);
      else
        links.push({
          code: child.code,
          path: pathOfNode(group, child),
          title: titleOfNode(child),
          group: titleOfNode(group),
          outside: outsideOf(child),
        });
    }
  };
  for (const group of tree) walk(group, group);
  return links;
}
