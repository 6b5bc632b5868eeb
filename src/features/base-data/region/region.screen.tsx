import { ImportButton } from '../../../kernel/client/import/import-button.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { region } from './region.contract.ts';

const slots: ScreenSlots = {
  toolbar: (
    <ImportButton
      element="areaNew:btn_import"
      choice={{ source: 'region', resource: 'region', title: ['国家名录', 'National list'] }}
    />
  ),
};

function RegionScreen() {
  return <ScreenOf contract={region} slots={slots} />;
}

/** Regions, with the import of the national list. */
export const screen = { contract: region, component: RegionScreen };
