/** Modes of a default screen that live below its own path: `…/add/0`, `…/edit/7`, `…/detail/7`. */
export const impliedModes: readonly string[] = ['add', 'edit', 'detail'];

/**
 * What somebody else may read of a path: a screen, and the number of a row in it. What else stands below a screen may
 * name a person, such as the staff of a report, and is `/` here.
 */
export function openPath(pathname: string): string {
  const below = pathname.replace(/\/+$/, '').split('/').slice(3);
  const id = below.pop();
  const isOpen =
    id === undefined ||
    (/^\d+$/.test(id) && (below.length === 0 || (below.length === 1 && impliedModes.includes(below[0]!))));
  return isOpen ? pathname : '/';
}
