import type { RegionNode } from '../../../domain/region/region.rules.ts';

/** How many of the chosen regions stand on each level. */
export interface LevelCounts {
  readonly provinces: number;
  readonly cities: number;
  readonly districts: number;
}

/** The tree below which everything matches the words or is chosen; undefined: nothing does. Words in a name keep all below it. */
export function filteredTree(
  nodes: readonly RegionNode[],
  words: string,
  chosen: ReadonlySet<string> | undefined,
): readonly RegionNode[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === '' && !chosen) return nodes;
  return nodes.flatMap((node) => {
    const named = wanted === '' || node.name.toLowerCase().includes(wanted) || node.code.startsWith(wanted);
    const taken = !chosen || chosen.has(node.id);
    // A chosen region stands for those below it.
    if (named && taken) return [node];
    const children = filteredTree(node.children, named ? '' : words, taken ? undefined : chosen);
    return children.length > 0 ? [{ ...node, children }] : [];
  });
}

/** Ids of all regions that have any below them: what is opened while something is looked for. */
export function branchIds(nodes: readonly RegionNode[]): string[] {
  return nodes.flatMap((node) => (node.children.length > 0 ? [node.id, ...branchIds(node.children)] : []));
}

/** Chosen regions without those that lie below another chosen one, and with a region for all of those below it. */
export function topmost(nodes: readonly RegionNode[], chosen: ReadonlySet<string>): string[] {
  return nodes.flatMap((node) => (isWhole(node, chosen) ? [node.id] : topmost(node.children, chosen)));
}

function isWhole(node: RegionNode, chosen: ReadonlySet<string>): boolean {
  if (chosen.has(node.id)) return true;
  return node.children.length > 0 && node.children.every((child) => isWhole(child, chosen));
}

/** Every region that is chosen by itself or through one above it, and those above whose every part is. */
export function ticked(nodes: readonly RegionNode[], chosen: ReadonlySet<string>): string[] {
  return nodes.flatMap((node): string[] =>
    isWhole(node, chosen) ? [node.id, ...allBelow(node)] : ticked(node.children, chosen),
  );
}

function allBelow(node: RegionNode): string[] {
  return node.children.flatMap((child) => [child.id, ...allBelow(child)]);
}

/** Regions with a part chosen below them, but not all: their tick is half. */
export function halfTicked(nodes: readonly RegionNode[], chosen: ReadonlySet<string>): string[] {
  return nodes.flatMap((node): string[] => {
    if (isWhole(node, chosen)) return [];
    return touched(node, chosen) ? [node.id, ...halfTicked(node.children, chosen)] : [];
  });
}

function touched(node: RegionNode, chosen: ReadonlySet<string>): boolean {
  return chosen.has(node.id) || node.children.some((child) => touched(child, chosen));
}

/** The chosen set after one region was ticked or unticked; what stood for it from above falls apart into the others. */
export function toggled(
  nodes: readonly RegionNode[],
  chosen: ReadonlySet<string>,
  id: string,
  on: boolean,
): ReadonlySet<string> {
  const all = new Set(ticked(nodes, chosen));
  // Regions that are offered no more stand in no tree: they stay as they are.
  const known = new Set(nodes.flatMap((node) => [node.id, ...allBelow(node)]));
  const outside = [...chosen].filter((one) => !known.has(one));
  const path = pathTo(nodes, id);
  const node = path.at(-1);
  if (!node) return chosen;
  for (const one of [node.id, ...allBelow(node)]) {
    if (on) all.add(one);
    else all.delete(one);
  }
  if (!on) for (const above of path) all.delete(above.id);
  return new Set([...topmost(nodes, all), ...outside]);
}

function pathTo(nodes: readonly RegionNode[], id: string): readonly RegionNode[] {
  for (const node of nodes) {
    if (node.id === id) return [node];
    const below = pathTo(node.children, id);
    if (below.length > 0) return [node, ...below];
  }
  return [];
}

/** Provinces, cities and districts among the chosen regions. */
export function levelCounts(nodes: readonly RegionNode[], chosen: ReadonlySet<string>): LevelCounts {
  const counts = [0, 0, 0];
  const walk = (some: readonly RegionNode[]) => {
    for (const node of some) {
      if (chosen.has(node.id)) counts[node.level - 1]! += 1;
      walk(node.children);
    }
  };
  walk(nodes);
  return { provinces: counts[0]!, cities: counts[1]!, districts: counts[2]! };
}

/** Full names by id: 江苏省 / 苏州市. */
export function fullNames(nodes: readonly RegionNode[], above = ''): Map<string, string> {
  const names = new Map<string, string>();
  for (const node of nodes) {
    const name = above ? `${above} / ${node.name}` : node.name;
    names.set(node.id, name);
    for (const [id, below] of fullNames(node.children, name)) names.set(id, below);
  }
  return names;
}
