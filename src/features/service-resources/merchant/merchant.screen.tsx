import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { merchantAgreement } from './merchant-agreement.contract.ts';
import { MerchantFigures, merchantSlots } from './merchant-parts.tsx';
import { merchant } from './merchant.contract.ts';

const slots = merchantSlots(merchant, merchantAgreement, {
  above: (
    <MerchantFigures
      contract={merchant}
      tabs={['operating', 'review', 'renewal', 'certificates', 'depositShort']}
    />
  ),
});

/** All merchants, with the figures that need a look. */
function MerchantScreen() {
  return <ScreenOf contract={merchant} slots={slots} />;
}

/** Merchants of both kinds. */
export const screen = { contract: merchant, component: MerchantScreen };
