import { lazy, Suspense } from 'react';
import { ScreenOf, ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { ImportButton } from '../../../kernel/client/import/import-button.tsx';
import { goodsOrder } from './goods-order.contract.ts';
import { TimeLeft } from '../../../kernel/client/parts/time-left.tsx';

// Loaded when they are opened: the list is what everybody waits for.
const LogisticsDialog = lazy(() =>
  import('./order-dialogs.tsx').then((module) => ({ default: module.LogisticsDialog })),
);
const PayDialog = lazy(() => import('./order-dialogs.tsx').then((module) => ({ default: module.PayDialog })));
const PriceDialog = lazy(() =>
  import('./order-dialogs.tsx').then((module) => ({ default: module.PriceDialog })),
);
const OrderCreateDrawer = lazy(() =>
  import('./order-create-drawer.tsx').then((module) => ({ default: module.OrderCreateDrawer })),
);
const OrderDetailPage = lazy(() =>
  import('./order-detail-page.tsx').then((module) => ({ default: module.OrderDetailPage })),
);
const PrintDialog = lazy(() =>
  import('./order-print.tsx').then((module) => ({ default: module.PrintDialog })),
);
const RefundDialog = lazy(() =>
  import('./order-refund-dialog.tsx').then((module) => ({ default: module.RefundDialog })),
);
const ShipDialog = lazy(() =>
  import('./order-ship-dialog.tsx').then((module) => ({ default: module.ShipDialog })),
);

/** Custom interactions of the order's actions, the same on the list and on the detail page. */
export const orderSlots: ScreenSlots = {
  cells: { deadline: (row) => <TimeLeft until={row.deadline as string | null} /> },
  toolbar: (
    <ImportButton
      element={`${goodsOrder.menu}:btn_importShip`}
      label={goodsOrder.elements!.btn_importShip!}
      choice={{ source: 'goodsOrderShip', resource: goodsOrder.name, title: ['发货', 'Shipments'] }}
    />
  ),
  dialogWith: {
    remark: (row) => ({ staffRemark: row.staffRemark }),
    address: (row) => ({ address: row.address }),
  },
  actionScreens: {
    create: (props) => <OrderCreateDrawer {...props} />,
    pay: (props) => <PayDialog {...props} />,
    price: (props) => <PriceDialog {...props} />,
    ship: (props) => <ShipDialog {...props} />,
    logistics: (props) => <LogisticsDialog {...props} />,
    refund: (props) => <RefundDialog {...props} action="refund" />,
    returnAudit: (props) => <RefundDialog {...props} action="returnAudit" />,
    print: (props) => <PrintDialog {...props} />,
  },
};

function GoodsOrderScreen() {
  const { id } = useView().params;
  return id === undefined ? (
    <ScreenOf contract={goodsOrder} slots={orderSlots} />
  ) : (
    <Suspense fallback={<ScreenWaits />}>
      <OrderDetailPage id={id} slots={orderSlots} />
    </Suspense>
  );
}

/** 商品订单: list of orders, and one order as a page. */
export const screen = { contract: goodsOrder, component: GoodsOrderScreen };
