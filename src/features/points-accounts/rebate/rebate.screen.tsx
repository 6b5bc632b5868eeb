import { inputsWhen } from '../../../domain/content/inputs-when.tsx';
import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { rebateRule } from './rebate.contract.ts';
import './rebate.css';

const RebateTrial = lazyPart(() => import('./rebate-trial.tsx').then((module) => module.RebateTrial));

/** What a rule gives, in the reader's language. */
function Reward({ row }: { readonly row: RowData }) {
  const text = useText();
  return <>{text(partsOfSaid(row.reward))}</>;
}

/** A cap; −1 is none. */
function Cap({ value }: { readonly value: unknown }) {
  const text = useText();
  return (
    <span className="k-number">
      {Number(value) === -1 ? text(['不限', 'None']) : thousands(String(value))}
    </span>
  );
}

const reward = (row: RowData) => <Reward row={row} />;
const byMonths = (values: Readonly<Record<string, unknown>>) => values.basis === 'months';

const slots: ScreenSlots = {
  inputs: inputsWhen(rebateRule.fields, {
    coupon: (values) => values.rewardKind === 'coupon',
    perYuan: (values) => !byMonths(values),
    givePoints: (values) => !byMonths(values),
    rounding: (values) => !byMonths(values),
    monthPoints: byMonths,
    minMonths: byMonths,
  }),
  cells: {
    reward,
    capPayment: (row) => <Cap value={row.capPayment} />,
    capHouseYear: (row) => <Cap value={row.capHouseYear} />,
    capTotal: (row) => <Cap value={row.capTotal} />,
  },
  parts: { versions: { cells: { reward } } },
};
const withTrial: ScreenSlots = {
  ...slots,
  detailParts: [
    {
      key: 'trial',
      label: ['试算', 'Simulation'],
      render: (row) => <RebateTrial id={row.id} coupons={row.rewardKind === 'coupon'} />,
    },
  ],
};

function RebateScreen() {
  const held = useHeld(rebateRule);
  return <ScreenOf contract={rebateRule} slots={held('btn_simulate') ? withTrial : slots} />;
}

/** Rules of rebates, their add, edit and detail pages. */
export const screen = { contract: rebateRule, component: RebateScreen };
