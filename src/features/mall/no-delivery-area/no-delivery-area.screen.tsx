import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { noDeliveryArea } from './no-delivery-area.contract.ts';

const AreaBoard = lazyPart(() => import('./area-board.tsx').then((module) => module.AreaBoard));

/** Regions a merchant does not deliver to: the tree at the left, the set with who wrote it at the right. */
function NoDeliveryScreen() {
  return <AreaBoard />;
}

/** Module of mm_noDeliveryArea. */
export const screen = { contract: noDeliveryArea, component: NoDeliveryScreen };
