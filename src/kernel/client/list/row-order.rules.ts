import type { ResourceSpec } from '../../contract/resource.ts';
import type { ListState } from './list-state.rules.ts';

/**
 * True while the rows stand in their own order and none of their neighbours is left out: sorted by the order field, and
 * filtered by nothing but the field whose rows of one value are ordered among themselves.
 */
export function showsOwnOrder(
  resource: Pick<ResourceSpec, 'orderable' | 'list'>,
  state: Pick<ListState, 'filters' | 'keyword' | 'sort' | 'tab'>,
): boolean {
  const { orderable } = resource;
  if (!orderable || state.sort !== orderable.field || state.keyword !== '') return false;
  const tab = resource.list.tabs?.find((one) => one.key === state.tab);
  if (tab && (tab.named || Object.keys(tab.filter ?? {}).length > 0)) return false;
  const { within } = orderable;
  const names = Object.keys(state.filters);
  if (within === undefined) return names.length === 0;
  return names.length === 1 && /^[^,:~]+$/.test(state.filters[within] ?? '');
}
