import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { priceSpan } from '../product/price-span.rules.ts';
import { businessAna } from './sales-analysis.contract.ts';

const slots: ScreenSlots = {
  cells: {
    unitPrice: (row) => {
      const [low = '', high] = String(row.unitPrice).split('–');
      return priceSpan(low, high);
    },
  },
};

/** Sales analysis: the default report with prices as amounts. */
export function SalesAnalysisScreen() {
  return <ScreenOf contract={businessAna} slots={slots} />;
}

/** Module of mm_businessAna. */
export const screen = { contract: businessAna, component: SalesAnalysisScreen };
