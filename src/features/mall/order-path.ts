import type { View } from '../../kernel/client/view.ts';
import type { RowData } from '../../kernel/client/wire.ts';
import type { RefValue } from '../../kernel/contract/fields.ts';

/** Lists an order of a kind stands in: group orders in the first, all in the second. */
const LISTS: Readonly<Record<string, readonly [group: string, all: string]>> = {
  goods: ['mm_groupOrder', 'mm_businessOrder_wx'],
  service: ['mm_groupOrderService', 'mm_reservationOrder_wx'],
};

/**
 * Where the order of a row (`order`, `orderKind`) opens, for whoever may see it: orders of goods are pages, those of services
 * stand in the drawer of their list.
 */
export function orderPathOf(view: Pick<View, 'pathOf'>, row: RowData, isGroup = false): string | undefined {
  const id = (row.order as RefValue | null)?.id;
  const [group, all] = LISTS[String(row.orderKind)] ?? [];
  if (!id || !group || !all) return undefined;
  const list = (isGroup ? view.pathOf(group) : undefined) ?? view.pathOf(all);
  return list && `${list}${row.orderKind === 'service' ? '?detail=' : '/'}${id}`;
}
