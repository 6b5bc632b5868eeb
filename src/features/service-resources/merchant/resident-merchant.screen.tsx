import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { residentAgreement } from './merchant-agreement.contract.ts';
import { merchantSlots } from './merchant-parts.tsx';
import { residentMerchant } from './merchant.contract.ts';

const slots = merchantSlots(residentAgreement);

/** Resident merchants with their agreements. */
function ResidentMerchantScreen() {
  return <ScreenOf contract={residentMerchant} slots={slots} />;
}

/** Resident merchants. */
export const screen = { contract: residentMerchant, component: ResidentMerchantScreen };
