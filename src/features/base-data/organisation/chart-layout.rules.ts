/** Size of a box and the room between boxes. */
export const BOX = { width: 216, height: 56, gapX: 56, gapY: 14, margin: 8 } as const;

/** A box of the chart at its place. */
export interface ChartBox<N> {
  readonly node: N;
  readonly x: number;
  readonly y: number;
  readonly folded: boolean;
  readonly hasBelow: boolean;
}

/** Boxes from left to right by level, each beside the middle of those below it; folded ones hide theirs. */
export function chartLayout<N extends { readonly id: string; readonly parentId: string | null }>(
  nodes: readonly N[],
  folded: ReadonlySet<string>,
): {
  readonly boxes: readonly ChartBox<N>[];
  readonly lines: readonly { readonly key: string; readonly d: string }[];
  readonly width: number;
  readonly height: number;
} {
  const known = new Set(nodes.map((node) => node.id));
  const below = new Map<string | null, N[]>();
  for (const node of nodes) {
    const parent = node.parentId !== null && known.has(node.parentId) ? node.parentId : null;
    below.set(parent, [...(below.get(parent) ?? []), node]);
  }
  const boxes: ChartBox<N>[] = [];
  const lines: { key: string; d: string }[] = [];
  let next: number = BOX.margin;
  let right: number = 0;
  const place = (node: N, level: number): ChartBox<N> => {
    const all = below.get(node.id) ?? [];
    const isFolded = folded.has(node.id);
    const children = isFolded ? [] : all.map((one) => place(one, level + 1));
    const x = BOX.margin + level * (BOX.width + BOX.gapX);
    let y: number = next;
    if (children.length === 0) next += BOX.height + BOX.gapY;
    else y = (children[0]!.y + children.at(-1)!.y) / 2;
    right = Math.max(right, x + BOX.width);
    const box = { node, x, y, folded: isFolded, hasBelow: all.length > 0 };
    boxes.push(box);
    const from = { x: x + BOX.width, y: y + BOX.height / 2 };
    for (const child of children) {
      const to = { x: child.x, y: child.y + BOX.height / 2 };
      const middle = from.x + BOX.gapX / 2;
      lines.push({ key: child.node.id, d: `M${from.x} ${from.y}H${middle}V${to.y}H${to.x}` });
    }
    return box;
  };
  for (const root of below.get(null) ?? []) place(root, 0);
  return { boxes, lines, width: right + BOX.margin, height: next - BOX.gapY + BOX.margin };
}
