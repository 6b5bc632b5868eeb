/** A menu at one of its places, in menu order. */
export interface PlacedMenu {
  readonly code: string;
  readonly title: string;
  readonly titleEn: string;
  readonly icon: string;
  readonly type: string;
  /** Not to be shown at this place. */
  readonly hidden: boolean;
  readonly noCache: boolean;
  readonly path: string;
  /** Address and way of opening of an outside link; empty address for screens. */
  readonly url: string;
  readonly openIn: 'frame' | 'window';
  /** Code of the menu above, null at the top. */
  readonly parent: string | null;
}

/** A node of the side menu as front/menus sends it. */
export interface MenuTreeNode {
  readonly name: string;
  readonly title: string;
  readonly titleEn: string;
  readonly code: string;
  /** `hidden`: the node is a route, but not shown. */
  readonly icon: string;
  readonly path: string;
  readonly noCache: boolean;
  /** Outside links only: where they lead and how they open. */
  readonly url?: string;
  readonly openIn?: 'frame' | 'window';
  readonly children: readonly MenuTreeNode[];
}

/**
 * The permitted tree in menu order. Hidden pages stay with icon `hidden`; a group whose children are all hidden is
 * hidden too; a group without any is left out.
 */
export function menuTree(places: readonly PlacedMenu[]): MenuTreeNode[] {
  const below = new Map<string | null, PlacedMenu[]>();
  for (const place of places) below.set(place.parent, [...(below.get(place.parent) ?? []), place]);
  // The path from the top keeps a menu that was moved below itself from going round for ever.
  const nodesUnder = (parent: string | null, above: readonly string[]): MenuTreeNode[] =>
    (below.get(parent) ?? []).flatMap((place) => {
      if (above.includes(place.code)) return [];
      const children = nodesUnder(place.code, [...above, place.code]);
      if (place.type === 'dirt' && children.length === 0) return [];
      const isShown =
        !place.hidden && (place.type !== 'dirt' || children.some((child) => child.icon !== 'hidden'));
      return [nodeOf(place, isShown, children)];
    });
  return nodesUnder(null, []);
}

function nodeOf(place: PlacedMenu, isShown: boolean, children: readonly MenuTreeNode[]): MenuTreeNode {
  const { code, title, titleEn, path, noCache, url, openIn } = place;
  return {
    name: code,
    title,
    titleEn,
    code,
    icon: isShown ? place.icon : 'hidden',
    path,
    noCache,
    ...(place.type === 'link' ? { url, openIn } : {}),
    children,
  };
}
