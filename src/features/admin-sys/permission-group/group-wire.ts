import type { DataScope } from './grant-diff.rules.ts';

/** A group of the tree as the page gets it. */
export interface GroupNode {
  readonly id: string;
  readonly parentId: string | null;
  readonly type: string;
  readonly code: string;
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly inherit: boolean;
  readonly builtIn: boolean;
  readonly version: number;
  readonly department: { readonly id: string; readonly title: string } | null;
  readonly tenant: string | null;
  readonly members: number;
  readonly menus: number;
  readonly elements: number;
  readonly updatedAt: string;
  readonly updater: string | null;
  readonly actions: readonly string[];
}

/** Types and groups the staff may see. */
export interface GroupTree {
  readonly types: readonly { readonly code: string; readonly name: string; readonly nameEn: string }[];
  readonly groups: readonly GroupNode[];
}

/** A menu's grant on the wire. */
export interface WireMenuGrant {
  readonly code: string;
  readonly dataScope: DataScope;
  readonly departmentIds: readonly string[];
}

/** Grants on the wire. */
export interface WireGrants {
  readonly menus: readonly WireMenuGrant[];
  readonly elements: readonly string[];
}

/** A menu of the grants dialog; `may` is what the staff can give of it. */
export interface AuthorityMenu {
  readonly code: string;
  readonly parent: string | null;
  readonly title: string;
  readonly titleEn: string;
  readonly type: string;
  readonly modeOf: string | null;
  readonly may: { readonly scopes: readonly DataScope[]; readonly departments: readonly string[] | null };
}

/** An element of the grants dialog. */
export interface AuthorityElement {
  readonly code: string;
  readonly menu: string;
  readonly name: string;
  readonly nameEn: string;
  readonly type: string;
  readonly method: string;
  readonly uri: string;
  readonly held: boolean;
  readonly endpoints: readonly string[];
}

/** Everything the grants dialog shows. */
export interface Authority {
  readonly group: {
    readonly id: string;
    readonly name: string;
    readonly version: number;
    readonly inherit: boolean;
    readonly hasParent: boolean;
    readonly readOnly: boolean;
  };
  readonly menus: readonly AuthorityMenu[];
  readonly elements: readonly AuthorityElement[];
  /** Menus the staff holds in its own company only, while the group has members of another one or belongs to it. */
  readonly elsewhere: readonly string[];
  readonly departments: readonly {
    readonly id: string;
    readonly title: string;
    readonly parentId: string | null;
  }[];
  readonly granted: WireGrants;
  readonly inherited: WireGrants;
}

/** One changed right of a preview with the staff it concerns. */
export interface PreviewRow {
  readonly code: string;
  readonly title: string;
  readonly titleEn: string;
  readonly gain: number;
  readonly lose: number;
  readonly changed: number;
  readonly before?: WireMenuGrant;
  readonly after?: WireMenuGrant;
}

/** What a save would change. */
export interface PreviewAnswer {
  readonly version: number;
  readonly staff: number;
  readonly added: readonly PreviewRow[];
  readonly removed: readonly PreviewRow[];
  readonly widened: readonly PreviewRow[];
  readonly narrowed: readonly PreviewRow[];
  readonly rescoped: readonly PreviewRow[];
  readonly followed: readonly PreviewRow[];
  readonly inherit: boolean | null;
  readonly missing: readonly { readonly code: string; readonly title: string; readonly titleEn: string }[];
  readonly reasonRequired: boolean;
  readonly gone?: readonly string[];
}

/** A group as the dialogs need it. */
export interface GroupHandle {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly builtIn?: boolean;
}

/** Where the calls of groups live. */
export const GROUP_ROOT = '/api/admin/permissionGroup';
/** Query keys of groups; invalidating the first refreshes tree, members and history. */
export const GROUP_KEY = ['permissionGroup'] as const;
