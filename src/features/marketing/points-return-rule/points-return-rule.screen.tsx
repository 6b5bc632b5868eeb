import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { returnRule } from './points-return-rule.contract.ts';

const parts = () => import('./return-parts.tsx');
const ReturnDaysPart = lazyPart(() => parts().then((module) => module.ReturnDaysPart));
const ReturnTrialPart = lazyPart(() => parts().then((module) => module.ReturnTrialPart));
const OverlapWarning = lazyPart(() =>
  import('../order-rule/overlap-warning.tsx').then((module) => module.OverlapWarning),
);

/** A text that was said in both languages. */
function Said({ value }: { readonly value: unknown }) {
  const text = useText();
  return <>{text(partsOfSaid(value))}</>;
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

const said = (field: string) => (row: RowData) => <Said value={row[field]} />;
const cap = (field: string) => (row: RowData) => <Cap value={row[field]} />;
const warning = (row: RowData) => <OverlapWarning contract={returnRule} row={row} />;

const slots: ScreenSlots = {
  cells: {
    rate: said('rate'),
    capOrder: cap('capOrder'),
    capDay: cap('capDay'),
    capMonth: cap('capMonth'),
    capTotal: cap('capTotal'),
  },
  parts: {
    versions: { cells: { rate: said('rate'), difference: said('difference') } },
    grants: { cells: { explain: said('explain'), failure: said('failure') } },
  },
  dialogAbove: { enable: warning },
  detailAbove: (row) => (row.state === 'enabled' ? warning(row) : null),
  detailParts: [
    { key: 'days', label: ['每日返还', 'By day'], render: (row) => <ReturnDaysPart id={String(row.id)} /> },
  ],
};
const withTrial: ScreenSlots = {
  ...slots,
  detailParts: [
    ...slots.detailParts!,
    { key: 'trial', label: ['试算', 'Simulation'], render: (row) => <ReturnTrialPart id={String(row.id)} /> },
  ],
};

function ReturnScreen() {
  const held = useHeld(returnRule);
  return <ScreenOf contract={returnRule} slots={held('btn_simulate') ? withTrial : slots} />;
}

/** Rules by which orders give points back, their add, edit and detail pages. */
export const screen = { contract: returnRule, component: ReturnScreen };
