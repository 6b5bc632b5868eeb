import type { Page } from './page.ts';
import type { Report } from './report.ts';
import type { Resource } from './resource.ts';
import type { Settings } from './settings.ts';

/** What a screen module hands to the frame: a contract (default screen) or a component. */
export type ScreenModule =
  | { readonly contract: Resource | Report | Settings | Page; readonly component?: unknown }
  | { readonly component: unknown };

/** A route of a group: menu code, path below the group and the lazily loaded module. */
export interface ScreenSpec {
  readonly menu: string;
  /** Path below the group, default the menu code; `:id` parameters allowed. */
  readonly path?: string;
  readonly load: () => Promise<ScreenModule>;
}

/** One of the 22 route groups of the specification. */
export interface GroupSpec {
  /** First path segment with the slash: `/service`. */
  readonly path: string;
  readonly screens: readonly ScreenSpec[];
}

/** Declares a group's screens in the order of the menu. */
export function defineGroup(spec: GroupSpec): GroupSpec {
  return spec;
}
