import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { residentAgreement } from './merchant-agreement.contract.ts';
import { merchantSlots } from './merchant-parts.tsx';
import { residentMerchant } from './merchant.contract.ts';

const slots = merchantSlots(residentMerchant, residentAgreement, {
  cells: {
    // Red once a review takes longer than it may.
    waitingDays: (row) =>
      row.waitingDays === null || row.waitingDays === undefined ? (
        '–'
      ) : (
        <span className={row.reviewLate === true ? 'k-number k-bad' : 'k-number'}>
          {String(row.waitingDays)}
        </span>
      ),
  },
});

/** Resident merchants with their agreements. */
function ResidentMerchantScreen() {
  return <ScreenOf contract={residentMerchant} slots={slots} />;
}

/** Resident merchants. */
export const screen = { contract: residentMerchant, component: ResidentMerchantScreen };
