import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { goodsOrder } from './goods-order.contract.ts';
import { ImportShipButton } from './order-import-dialog.tsx';
import { LogisticsDialog, PayDialog, PriceDialog } from './order-dialogs.tsx';
import { OrderCreateDrawer } from './order-create-drawer.tsx';
import { OrderDetailPage } from './order-detail-page.tsx';
import { PrintDialog } from './order-print.tsx';
import { RefundDialog } from './order-refund-dialog.tsx';
import { ShipDialog } from './order-ship-dialog.tsx';
import { TimeLeft } from './time-left.tsx';

/** Custom interactions of the order's actions, the same on the list and on the detail page. */
export const orderSlots: ScreenSlots = {
  cells: { deadline: (row) => <TimeLeft until={row.deadline as string | null} /> },
  toolbar: <ImportShipButton />,
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
    <OrderDetailPage id={id} slots={orderSlots} />
  );
}

/** 商品订单: list of orders, and one order as a page. */
export const screen = { contract: goodsOrder, component: GoodsOrderScreen };
