import { useEffect } from 'react';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { countedOrder } from './order-count.contract.ts';

/** The orders of a figure: the merchant is the one of the address, everything else stands in its query. */
function CountedOrders() {
  const view = useView();
  const { id } = view.params;
  const merchant = view.query.get('merchant');
  useEffect(() => {
    if (id === undefined || merchant === id) return;
    const query = new URLSearchParams(view.query);
    query.set('merchant', id);
    view.setQuery(query);
  }, [id, merchant, view]);
  return id !== undefined && merchant !== id ? null : <ScreenOf contract={countedOrder} />;
}

/** Module of numberOrdersDeatials. */
export const screen = { contract: countedOrder, component: CountedOrders };
