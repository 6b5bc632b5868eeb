import type { DropPlace } from '../parts/use-drag-rows.ts';
import type { RowData } from '../wire.ts';

/** A node as the server sends it. */
export interface TreeNode {
  readonly id: string;
  readonly title: string;
  readonly parentId: string | null;
  /** Rows directly below it. */
  readonly children: number;
  /** Level, counted from 1. */
  readonly depth: number;
  readonly row: RowData;
}

/** A node in sight. */
export interface ShownNode {
  readonly node: TreeNode;
  /** Undefined: nothing below it. */
  readonly expanded: boolean | undefined;
  readonly level: number;
  readonly position: number;
  readonly of: number;
  /** What is below it is on its way. */
  readonly loading: boolean;
}

/** Nodes below a node (null: at the top); undefined while they are not known. */
export type ChildrenOf = (id: string | null) => readonly TreeNode[] | undefined;

/** The nodes in sight from top to bottom. */
export function shownNodes(childrenOf: ChildrenOf, expanded: ReadonlySet<string>): ShownNode[] {
  const shown: ShownNode[] = [];
  const walk = (parent: string | null, level: number, above: ReadonlySet<string>) => {
    const nodes = childrenOf(parent) ?? [];
    nodes.forEach((node, index) => {
      // Two answers of different times may make a circle; it is cut.
      if (above.has(node.id)) return;
      const below = childrenOf(node.id);
      const isOpen = expanded.has(node.id);
      const has = node.children > 0 || (below?.length ?? 0) > 0;
      shown.push({
        node,
        level,
        position: index + 1,
        of: nodes.length,
        expanded: has ? isOpen : undefined,
        loading: has && isOpen && below === undefined,
      });
      if (isOpen) walk(node.id, level + 1, new Set([...above, node.id]));
    });
  };
  walk(null, 1, new Set());
  return shown;
}

/** Found nodes with what stands above them, as a tree that is open as far as it is known. */
export function foundTree(nodes: readonly TreeNode[]): {
  readonly childrenOf: ChildrenOf;
  readonly expanded: ReadonlySet<string>;
} {
  const ids = new Set(nodes.map((node) => node.id));
  const byParent = new Map<string | null, TreeNode[]>();
  for (const node of nodes) {
    const parent = node.parentId !== null && ids.has(node.parentId) ? node.parentId : null;
    byParent.set(parent, [...(byParent.get(parent) ?? []), node]);
  }
  // Only what was found is shown below a node, whatever else there is.
  const own = (node: TreeNode): TreeNode => ({ ...node, children: byParent.get(node.id)?.length ?? 0 });
  return {
    childrenOf: (id) => (byParent.get(id) ?? []).map(own),
    expanded: new Set([...byParent.keys()].filter((id): id is string => id !== null)),
  };
}

/** What a key does in a tree. Source: WAI-ARIA tree pattern. */
export type TreeMove =
  | { readonly kind: 'focus'; readonly id: string }
  | { readonly kind: 'expand' | 'collapse' | 'choose' | 'menu'; readonly id: string };

/** The id under which the place above all nodes stands in keyboard and drag. */
export const TOP = '';

/** Where a key leads from the node that has the focus; `typed` is what was typed before it within a moment. */
export function keyMove(
  key: { readonly key: string; readonly shiftKey: boolean },
  shown: readonly ShownNode[],
  at: string,
  typed = '',
): TreeMove | undefined {
  const ids = [TOP, ...shown.map(({ node }) => node.id)];
  const index = ids.indexOf(at);
  const current = shown[index - 1];
  const focus = (id: string | undefined): TreeMove | undefined =>
    id === undefined ? undefined : { kind: 'focus', id };
  switch (key.key) {
    case 'ArrowDown':
      return focus(ids[index + 1]);
    case 'ArrowUp':
      return focus(ids[index - 1]);
    case 'Home':
      return focus(ids[0]);
    case 'End':
      return focus(ids.at(-1));
    case 'ArrowRight':
      if (!current || current.expanded === undefined) return undefined;
      return current.expanded ? focus(ids[index + 1]) : { kind: 'expand', id: at };
    case 'ArrowLeft':
      if (!current) return undefined;
      if (current.expanded) return { kind: 'collapse', id: at };
      return focus(shown.slice(0, index).findLast((one) => one.level === current.level - 1)?.node.id ?? TOP);
    case 'Enter':
    case ' ':
      return { kind: 'choose', id: at };
    case 'ContextMenu':
      return { kind: 'menu', id: at };
    case 'F10':
      return key.shiftKey ? { kind: 'menu', id: at } : undefined;
    default: {
      if (Array.from(key.key).length !== 1) return undefined;
      const wanted = (typed + key.key).toLowerCase();
      // One letter goes on to the next node that begins with it; more letters narrow the one it is at.
      const from = typed === '' ? index : index - 1;
      const rest = [...shown.slice(Math.max(0, from)), ...shown.slice(0, Math.max(0, from))];
      return focus(rest.find(({ node }) => node.title.toLowerCase().startsWith(wanted))?.node.id);
    }
  }
}

/** A place a node is moved to. */
export interface Place {
  readonly parent: string | null;
  /** The node it stands in front of; null: last. */
  readonly before: string | null;
}

/** Where a dropped node goes; undefined where it would stand below itself or where it is already. */
export function placeOf(
  shown: readonly ShownNode[],
  from: string,
  to: string,
  place: DropPlace,
): Place | undefined {
  const byId = new Map(shown.map((one) => [one.node.id, one]));
  const moving = byId.get(from)?.node;
  if (!moving || from === to) return undefined;
  if (to === TOP) return { parent: null, before: null };
  const target = byId.get(to);
  if (!target) return undefined;
  for (let up: string | null = to; up !== null; up = byId.get(up)?.node.parentId ?? null)
    if (up === from) return undefined;
  if (place === 'inside') return { parent: to, before: null };
  if (place === 'after' && target.expanded) {
    const first = shown[shown.indexOf(target) + 1]?.node;
    if (first?.parentId === to) return first.id === from ? undefined : { parent: to, before: first.id };
  }
  const siblings = shown
    .filter((one) => one.node.parentId === target.node.parentId)
    .map(({ node }) => node.id);
  const index = siblings.indexOf(to);
  const before = place === 'before' ? to : (siblings[index + 1] ?? null);
  // In front of itself or behind itself it stands already.
  if (before === from || (place === 'before' && siblings[index - 1] === from)) return undefined;
  return { parent: target.node.parentId, before };
}
