import type { MenuNode } from '../../../kernel/client/session.ts';

/** The tree with only the entries whose code is among the held menus; a parent without entries goes too. */
export function permittedTree(
  tree: readonly MenuNode[],
  menus: Readonly<Record<string, true>>,
): readonly MenuNode[] {
  return tree.flatMap((node) => {
    if (!node.children?.length) return menus[node.code] ? [node] : [];
    const children = permittedTree(node.children, menus);
    return children.length > 0 ? [{ ...node, children }] : [];
  });
}
