import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { rootOf } from '../../../kernel/client/wire.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import { serviceGroupOrder } from './service-group-order.contract.ts';
import { serviceOrderSlots } from './service-order.screen.tsx';
import { useVisitsTogether } from './visits-together.ts';

const contract = serviceGroupOrder as unknown as Resource;
const slots = serviceOrderSlots(rootOf(contract));

function ServiceGroupOrderScreen() {
  useVisitsTogether();
  return <ScreenOf contract={contract} slots={slots} />;
}

/** 服务团购订单, mounted by groups 7 and 8. */
export const screen = { contract: serviceGroupOrder, component: ServiceGroupOrderScreen };
