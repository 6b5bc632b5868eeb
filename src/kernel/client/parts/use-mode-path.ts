import { useContext } from 'react';
import type { ResourceSpec } from '../../contract/resource.ts';
import { modePath, type ModeKind } from '../modes.rules.ts';
import { ViewContext } from '../view.ts';
import type { RowData } from '../wire.ts';

/** Path of the list of a resource that the staff may open, the one in the group of this view first. */
export function useListPath(resource: Pick<ResourceSpec, 'menu' | 'alsoMenus'>): string | undefined {
  const view = useContext(ViewContext);
  if (!view) return undefined;
  const group = `/${view.path.split('/')[1]}/`;
  const menus = [resource.menu, ...(resource.alsoMenus ?? [])];
  // A view of the list itself, whichever of its menus it is.
  const base = menus.map((menu) => `${group}${menu}`).find((path) => isBelow(view.path, path));
  if (base && view.mayOpen(base)) return base;
  const paths = menus.flatMap((menu) => view.pathOf(menu) ?? []);
  return paths.find((path) => path.startsWith(group)) ?? paths[0];
}

/** Says where a mode of a resource is shown; undefined: over the list, also for staff who may not open its route. */
export function useModePath(
  resource: ResourceSpec,
): (kind: ModeKind, id?: string, query?: URLSearchParams, row?: RowData) => string | undefined {
  const view = useContext(ViewContext);
  const list = useListPath(resource);
  return (kind, id, query, row) => {
    const path = list && view ? modePath(resource, kind, list, id, row) : undefined;
    if (!path || !view?.mayOpen(path)) return undefined;
    const search = query?.toString();
    return search ? `${path}${path.includes('?') ? '&' : '?'}${search}` : path;
  };
}

function isBelow(path: string, list: string): boolean {
  return path === list || path.startsWith(`${list}/`);
}
