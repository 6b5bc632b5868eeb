import { ImportButton } from '../../../kernel/client/import/import-button.tsx';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { redemption } from './redemption.contract.ts';

const PrintDialog = lazyPart(() => import('./redemption-print.tsx').then((module) => module.PrintDialog));

const slots: ScreenSlots = {
  toolbar: (
    <ImportButton
      element={`${redemption.menu}:btn_ship`}
      label={['批量发货', 'Ship from a file']}
      choice={{ source: 'redemptionShip', resource: redemption.name, title: ['发货单', 'Shipments'] }}
    />
  ),
  actionScreens: { print: (props) => <PrintDialog {...props} /> },
};

/** 积分兑换: what members redeemed, shipped from a file and printed as slips. */
export const screen = {
  contract: redemption,
  component: () => <ScreenOf contract={redemption} slots={slots} />,
};
