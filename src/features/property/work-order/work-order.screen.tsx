import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { orderSlots } from './order-slots.tsx';
import { workOrder } from './work-order.contract.ts';

function WorkOrderScreen() {
  return <ScreenOf contract={workOrder} slots={orderSlots} />;
}

/** 工单管理. */
export const screen = { contract: workOrder, component: WorkOrderScreen };
