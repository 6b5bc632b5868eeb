import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { workOrder } from './work-order.contract.ts';

function WorkOrderScreen() {
  return <ScreenOf contract={workOrder} />;
}

/** 工单管理. */
export const screen = { contract: workOrder, component: WorkOrderScreen };
