/** A menu as the page gets it. */
export interface MenuItem {
  readonly id: string;
  readonly code: string;
  readonly titleZh: string;
  readonly titleEn: string;
  readonly icon: string;
  readonly type: 'menu' | 'dirt' | 'sys' | 'link';
  readonly url: string;
  /** How a link opens. */
  readonly openIn: 'frame' | 'window';
  /** Screen the release has for it; empty for directories and links. */
  readonly component: string;
  readonly description: string;
  readonly hidden: boolean;
  readonly noCache: boolean;
  readonly subCache: boolean;
  readonly builtIn: boolean;
  readonly retired: boolean;
  readonly modeOf: string | null;
  readonly version: number;
  readonly updatedAt: string;
  readonly updater: string | null;
  readonly elements: number;
  readonly groups: number;
  readonly places: readonly {
    readonly parent: string | null;
    readonly route: string;
    readonly inMenu: boolean;
    readonly sort: number;
  }[];
}

/** An element as the page gets it. */
export interface ElementItem {
  readonly id: string;
  readonly code: string;
  readonly type: 'uri' | 'button';
  readonly name: string;
  readonly nameEn: string;
  readonly uri: string;
  readonly method: string;
  readonly description: string;
  readonly builtIn: boolean;
  readonly retired: boolean;
  readonly version: number;
  readonly groups: number;
  readonly endpoints: readonly string[];
}

/** Where the calls of menus live. */
export const MENU_ROOT = '/api/admin/menu';
/** Query keys of menus; invalidating the first refreshes tree and elements. */
export const MENU_KEY = ['menuManager'] as const;
