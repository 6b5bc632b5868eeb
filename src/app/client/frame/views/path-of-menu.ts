import { useSession, type MenuNode } from '../../../../kernel/client/session.ts';
import { productRoutes } from '../routes/product-routes.ts';

/** Where a menu's screen lives, or undefined when the staff does not hold it; the group the side menu shows wins. */
export function pathOfMenu(menu: string): string | undefined {
  if (menu === 'dashboard') return '/dashboard';
  const { menus, tree } = useSession.getState();
  if (!menus[menu]) return undefined;
  const patterns = productRoutes.ofMenu(menu).map((route) => route.pattern);
  return patterns.find((pattern) => isInTree(tree, pattern)) ?? patterns[0];
}

/** The business log with the records of one row, or undefined for staff without `btn_history`. */
export function historyOf(resource: string, id: string): string | undefined {
  const log = 'ssm_businessLog';
  const place = useSession.getState().elements[`${log}:btn_history`] ? pathOfMenu(log) : undefined;
  return place && `${place}?${new URLSearchParams({ entity: resource, row: id }).toString()}`;
}

function isInTree(tree: readonly MenuNode[], pattern: string): boolean {
  const [, group, code] = pattern.split('/');
  const node = tree.find((one) => one.code === group || one.path === `/${group}`);
  const has = (nodes: readonly MenuNode[] | undefined): boolean =>
    nodes?.some((child) => child.code === code || has(child.children)) ?? false;
  return has(node?.children);
}
