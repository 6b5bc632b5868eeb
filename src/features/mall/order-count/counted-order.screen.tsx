import { useEffect } from 'react';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { countedOrder } from './order-count.contract.ts';

/**
 * The orders of a figure: the merchant is the one of the address, or of the query where a figure was clicked; everything else
 * stands in its query.
 */
function CountedOrders() {
  const view = useView();
  const clicked = view.query.get('id');
  const id = view.params.id ?? clicked ?? undefined;
  const merchant = view.query.get('merchant');
  const settled = clicked === null && (id === undefined || merchant === id);
  useEffect(() => {
    if (settled) return;
    const query = new URLSearchParams(view.query);
    query.delete('id');
    if (id !== undefined) query.set('merchant', id);
    view.setQuery(query);
  }, [id, settled, view]);
  return settled ? <ScreenOf contract={countedOrder} /> : null;
}

/** Module of numberOrdersDeatials. */
export const screen = { contract: countedOrder, component: CountedOrders };
