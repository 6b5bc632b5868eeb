import {
  allNodes,
  isBranching,
  type AskNode,
  type Branch,
  type BranchNode,
  type ProcessNode,
} from '../../../domain/approval/process.rules.ts';

/** A place between nodes: in the main line (`''`) or a branch, before the node of this index. */
export interface Place {
  readonly line: string;
  readonly index: number;
}

type Nodes = readonly ProcessNode[];

/** A key nothing in the tree has yet. */
export function freshKey(nodes: Nodes, prefix: string): string {
  const taken = new Set(keysIn(nodes));
  for (let n = 1; ; n++) if (!taken.has(`${prefix}${n}`)) return `${prefix}${n}`;
}

function keysIn(nodes: Nodes): string[] {
  return allNodes(nodes).flatMap((node) => [
    node.key,
    ...(isBranching(node) ? node.branches.map((branch) => branch.key) : []),
  ]);
}

/** What a new node of a type starts with. */
export function newNode(
  nodes: Nodes,
  type: ProcessNode['type'],
  name: string,
  branchName: string,
): ProcessNode {
  const key = freshKey(nodes, type);
  switch (type) {
    case 'approve':
    case 'handle':
      return {
        key,
        type,
        name,
        candidates: [],
        mode: 'any',
        starterRule: 'head',
        nobody: 'admin',
        onRefuse: 'end',
        resubmit: 'all',
        allowed: ['transfer', 'addSign', 'return'],
        batch: true,
        opinionRequired: false,
        hidden: [],
      } satisfies AskNode;
    case 'copy':
      return { key, type, name, candidates: [] };
    case 'delay':
      return { key, type, name, hours: 24 };
    default:
      return {
        key,
        type,
        name,
        branches: [
          type === 'parallel'
            ? { key: `${key}a`, name: `${branchName} 1`, nodes: [] }
            : { key: `${key}a`, name: `${branchName} 1`, condition: [[]], nodes: [] },
          type === 'parallel'
            ? { key: `${key}b`, name: `${branchName} 2`, nodes: [] }
            : { key: `${key}b`, name: branchName, otherwise: true, nodes: [] },
        ],
      } satisfies BranchNode;
  }
}

/** The tree with the nodes of one line changed. */
function changeLine(nodes: Nodes, line: string, change: (list: Nodes) => Nodes): Nodes {
  if (line === '') return change(nodes);
  return nodes.map((node) =>
    isBranching(node)
      ? {
          ...node,
          branches: node.branches.map((branch) => ({
            ...branch,
            nodes: branch.key === line ? change(branch.nodes) : changeLine(branch.nodes, line, change),
          })),
        }
      : node,
  );
}

/** The tree with one node changed. */
export function changeNode(nodes: Nodes, key: string, change: (node: ProcessNode) => ProcessNode): Nodes {
  return nodes.map((node) => {
    if (node.key === key) return change(node);
    if (!isBranching(node)) return node;
    return {
      ...node,
      branches: node.branches.map((branch) => ({
        ...branch,
        nodes: changeNode(branch.nodes, key, change),
      })),
    };
  });
}

/** The tree with a node put in at a place. */
export function insertNode(nodes: Nodes, place: Place, node: ProcessNode): Nodes {
  return changeLine(nodes, place.line, (list) => [
    ...list.slice(0, place.index),
    node,
    ...list.slice(place.index),
  ]);
}

/** The tree without a node and what hangs in it; who goes back to it on refusal ends instead. */
export function removeNode(nodes: Nodes, key: string): Nodes {
  const without = dropNode(nodes, key);
  const left = new Set(allNodes(without).map((node) => node.key));
  return allNodes(without)
    .filter(
      (node): node is AskNode => 'onRefuse' in node && node.onRefuse !== 'end' && !left.has(node.onRefuse),
    )
    .reduce(
      (tree, node) => changeNode(tree, node.key, (one) => ({ ...(one as AskNode), onRefuse: 'end' })),
      without,
    );
}

function dropNode(nodes: Nodes, key: string): Nodes {
  return nodes
    .filter((node) => node.key !== key)
    .map((node) =>
      isBranching(node)
        ? {
            ...node,
            branches: node.branches.map((branch) => ({ ...branch, nodes: dropNode(branch.nodes, key) })),
          }
        : node,
    );
}

/** Where a node stands; undefined for none. */
export function placeOf(nodes: Nodes, key: string, line = ''): Place | undefined {
  for (const [index, node] of nodes.entries()) {
    if (node.key === key) return { line, index };
    if (!isBranching(node)) continue;
    for (const branch of node.branches) {
      const found = placeOf(branch.nodes, key, branch.key);
      if (found) return found;
    }
  }
  return undefined;
}

/** Whether a node may stand at a place: not inside of itself, and not where it stands already. */
export function mayMove(nodes: Nodes, key: string, to: Place): boolean {
  const from = placeOf(nodes, key);
  if (!from) return false;
  if (from.line === to.line && (to.index === from.index || to.index === from.index + 1)) return false;
  const node = allNodes(nodes).find((one) => one.key === key)!;
  return !isBranching(node) || !keysIn([node]).includes(to.line);
}

/** The tree with a node moved to a place. */
export function moveNode(nodes: Nodes, key: string, to: Place): Nodes {
  if (!mayMove(nodes, key, to)) return nodes;
  const from = placeOf(nodes, key)!;
  const node = allNodes(nodes).find((one) => one.key === key)!;
  // What was taken out before the place in the same line is no longer counted.
  const index = from.line === to.line && from.index < to.index ? to.index - 1 : to.index;
  return insertNode(dropNode(nodes, key), { line: to.line, index }, node);
}

/** One step up or down inside of its line; the tree itself where there is none. */
export function stepNode(nodes: Nodes, key: string, by: -1 | 1): Nodes {
  const from = placeOf(nodes, key);
  if (!from) return nodes;
  const index = by === -1 ? from.index - 1 : from.index + 2;
  const length = lineOf(nodes, from.line).length;
  return index < 0 || index > length ? nodes : moveNode(nodes, key, { line: from.line, index });
}

/** The nodes of a line. */
export function lineOf(nodes: Nodes, line: string): Nodes {
  if (line === '') return nodes;
  for (const node of allNodes(nodes))
    if (isBranching(node)) for (const branch of node.branches) if (branch.key === line) return branch.nodes;
  return [];
}

/** The tree with a copy of a node behind it; keys inside are new. */
export function copyNode(nodes: Nodes, key: string, suffix: string): Nodes {
  const from = placeOf(nodes, key);
  if (!from) return nodes;
  const node = allNodes(nodes).find((one) => one.key === key)!;
  const taken = new Set(keysIn(nodes));
  const renamed = new Map<string, string>();
  const next = (old: string) => {
    let n = 2;
    const stem = old.slice(0, 30).replace(/_\d+$/, '');
    while (taken.has(`${stem}_${n}`)) n += 1;
    taken.add(`${stem}_${n}`);
    renamed.set(old, `${stem}_${n}`);
    return `${stem}_${n}`;
  };
  const again = (one: ProcessNode): ProcessNode =>
    isBranching(one)
      ? {
          ...one,
          key: next(one.key),
          branches: one.branches.map((branch) => ({
            ...branch,
            key: next(branch.key),
            nodes: branch.nodes.map(again),
          })),
        }
      : { ...one, key: next(one.key) };
  const copy = again(node);
  const inside = allNodes([copy]).reduce<Nodes>(
    (tree, one) =>
      'onRefuse' in one && renamed.has(one.onRefuse)
        ? changeNode(tree, one.key, (each) => ({
            ...(each as AskNode),
            onRefuse: renamed.get((each as AskNode).onRefuse)!,
          }))
        : tree,
    [{ ...copy, name: `${node.name}${suffix}`.slice(0, 40) } as ProcessNode],
  )[0]!;
  return insertNode(nodes, { line: from.line, index: from.index + 1 }, inside);
}

/** A branching node with one more branch, before the default one. */
export function addBranch(nodes: Nodes, key: string, name: string): Nodes {
  const branchKey = freshKey(nodes, `${key.slice(0, 30)}-`);
  return changeNode(nodes, key, (node) => {
    if (!isBranching(node)) return node;
    const added: Branch =
      node.type === 'parallel'
        ? { key: branchKey, name, nodes: [] }
        : { key: branchKey, name, condition: [[]], nodes: [] };
    const at = node.branches.findIndex((branch) => branch.otherwise);
    const index = at < 0 ? node.branches.length : at;
    return { ...node, branches: [...node.branches.slice(0, index), added, ...node.branches.slice(index)] };
  });
}

/** A branching node without one of its branches. */
export function removeBranch(nodes: Nodes, key: string, branchKey: string): Nodes {
  return changeNode(nodes, key, (node) =>
    isBranching(node)
      ? { ...node, branches: node.branches.filter((branch) => branch.key !== branchKey) }
      : node,
  );
}

/** A branching node with a branch tested one place earlier or later; the default one stays last. */
export function stepBranch(nodes: Nodes, key: string, branchKey: string, by: -1 | 1): Nodes {
  return changeNode(nodes, key, (node) => {
    if (!isBranching(node)) return node;
    const at = node.branches.findIndex((branch) => branch.key === branchKey);
    const other = node.branches[at + by];
    if (!other || other.otherwise || node.branches[at]!.otherwise) return node;
    const branches = [...node.branches];
    [branches[at], branches[at + by]] = [branches[at + by]!, branches[at]!];
    return { ...node, branches };
  });
}

/** A state with what it was and what was taken back. */
export interface History<T> {
  readonly past: readonly T[];
  readonly now: T;
  readonly future: readonly T[];
}

/** Steps that can be taken back. Source: group 17, createProcess. */
export const MOST_STEPS = 50;

/** The history with one more step. */
export function withStep<T>(history: History<T>, next: T): History<T> {
  if (Object.is(history.now, next)) return history;
  return { past: [...history.past, history.now].slice(-MOST_STEPS), now: next, future: [] };
}

/** One step back; the same history where there is none. */
export function undone<T>(history: History<T>): History<T> {
  if (history.past.length === 0) return history;
  return {
    past: history.past.slice(0, -1),
    now: history.past.at(-1)!,
    future: [history.now, ...history.future],
  };
}

/** One step forth; the same history where there is none. */
export function redone<T>(history: History<T>): History<T> {
  if (history.future.length === 0) return history;
  return {
    past: [...history.past, history.now],
    now: history.future[0]!,
    future: history.future.slice(1),
  };
}

/** How a node stands in a newer tree beside an older one. */
export type NodeChange = 'added' | 'removed' | 'changed' | 'moved' | 'same';

/** What became of each node between two trees, by key. */
export function treeDifference(before: Nodes, after: Nodes): ReadonlyMap<string, NodeChange> {
  const found = new Map<string, NodeChange>();
  const old = new Map(allNodes(before).map((node) => [node.key, node]));
  for (const node of allNodes(after)) {
    const was = old.get(node.key);
    if (!was) found.set(node.key, 'added');
    else if (ownText(was) !== ownText(node)) found.set(node.key, 'changed');
    else if (lineIn(before, node.key) !== lineIn(after, node.key)) found.set(node.key, 'moved');
    else found.set(node.key, sameOrder(before, after, node.key) ? 'same' : 'moved');
  }
  for (const key of old.keys()) if (!found.has(key)) found.set(key, 'removed');
  return found;
}

/** A node without what hangs in it. */
function ownText(node: ProcessNode): string {
  return JSON.stringify(
    isBranching(node)
      ? { ...node, branches: node.branches.map((branch) => ({ ...branch, nodes: [] })) }
      : node,
  );
}

const lineIn = (nodes: Nodes, key: string) => placeOf(nodes, key)?.line;

/** Whether the nodes both lines share stand in the same order around this one. */
function sameOrder(before: Nodes, after: Nodes, key: string): boolean {
  const line = lineIn(after, key)!;
  const old = lineOf(before, line).map((node) => node.key);
  const now = lineOf(after, line).map((node) => node.key);
  const shared = (list: readonly string[], other: readonly string[]) =>
    list.filter((one) => other.includes(one)).indexOf(key);
  return shared(old, now) === shared(now, old);
}
