import type { MenuNode } from '../../../../kernel/client/session.ts';
import { pathOfNode } from '../menu-links.ts';

/** Code of the group whose menu holds a path, or undefined; a detail path counts by its first segment. */
export function groupHolding(tree: readonly MenuNode[], path: string): string | undefined {
  const holds = (group: MenuNode, node: MenuNode): boolean =>
    (node.children ?? []).some((child) => pathOfNode(group, child) === path || holds(group, child));
  const exact = tree.find((group) => holds(group, group));
  if (exact) return exact.code;
  const first = path.split('/')[1];
  return tree.find((group) => group.code === first || group.path === `/${first}`)?.code;
}
