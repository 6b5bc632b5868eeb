import { lazy, Suspense } from 'react';
import { ScreenOf, ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import type { Resource } from '../../../kernel/contract/resource.ts';
import { useView } from '../../../kernel/client/view.ts';
import { orderSlots } from '../goods-order/goods-order.screen.tsx';
import { OrderContract } from '../goods-order/order-calls.ts';
import { groupOrder } from './group-order.contract.ts';

const OrderDetailPage = lazy(() =>
  import('../goods-order/order-detail-page.tsx').then((module) => ({ default: module.OrderDetailPage })),
);

const contract = groupOrder as unknown as Resource;
const { toolbar: _toolbar, ...slots } = orderSlots;

function GroupOrderScreen() {
  const { id } = useView().params;
  return (
    <OrderContract value={contract}>
      {id === undefined ? (
        <ScreenOf contract={contract} slots={slots} />
      ) : (
        <Suspense fallback={<ScreenWaits />}>
          <OrderDetailPage id={id} slots={slots} />
        </Suspense>
      )}
    </OrderContract>
  );
}

/** 团购订单: the list of group orders, and one of them as a page. */
export const screen = { contract: groupOrder, component: GroupOrderScreen };
