import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { selfAgreement } from './merchant-agreement.contract.ts';
import { merchantSlots } from './merchant-parts.tsx';
import { selfMerchant } from './merchant.contract.ts';

const slots = merchantSlots(selfMerchant, selfAgreement);

/** Self-operated merchants with their agreements. */
function SelfMerchantScreen() {
  return <ScreenOf contract={selfMerchant} slots={slots} />;
}

/** Self-operated merchants. */
export const screen = { contract: selfMerchant, component: SelfMerchantScreen };
