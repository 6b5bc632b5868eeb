import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { coinRule } from './coin-deduction-rule.contract.ts';

const parts = () => import('./coin-parts.tsx');
const CoinDaysPart = lazyPart(() => parts().then((module) => module.CoinDaysPart));
const CoinTrialPart = lazyPart(() => parts().then((module) => module.CoinTrialPart));
const CoinWarnings = lazyPart(() => parts().then((module) => module.CoinWarnings));

/** A text that was said in both languages. */
function Said({ value }: { readonly value: unknown }) {
  const text = useText();
  return <>{text(partsOfSaid(value))}</>;
}

const said = (field: string) => (row: RowData) => <Said value={row[field]} />;
const warnings = (row: RowData) => <CoinWarnings row={row} />;

const slots: ScreenSlots = {
  cells: { stacks: said('stacks') },
  parts: {
    versions: { cells: { difference: said('difference') } },
    uses: { cells: { explain: said('explain') } },
  },
  dialogAbove: { enable: warnings },
  detailAbove: warnings,
  detailParts: [
    { key: 'days', label: ['每日抵扣', 'By day'], render: (row) => <CoinDaysPart id={String(row.id)} /> },
  ],
};
const withTrial: ScreenSlots = {
  ...slots,
  detailParts: [
    ...slots.detailParts!,
    { key: 'trial', label: ['试算', 'Simulation'], render: (row) => <CoinTrialPart id={String(row.id)} /> },
  ],
};

function CoinScreen() {
  const held = useHeld(coinRule);
  return <ScreenOf contract={coinRule} slots={held('btn_simulate') ? withTrial : slots} />;
}

/** Rules by which coins pay for orders, their add, edit and detail pages. */
export const screen = { contract: coinRule, component: CoinScreen };
