import '../order-rule/order-rule.css';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { DetailPart, ScreenSlots } from '../../../kernel/client/slots.ts';
import { parkingLot } from './parking-lot.contract.ts';

const TodayPart = lazyPart(() => import('./parking-parts.tsx').then((module) => module.TodayPart));
const TrialPart = lazyPart(() => import('./parking-parts.tsx').then((module) => module.TrialPart));

const today: DetailPart = {
  key: 'today',
  label: ['今日', 'Today'],
  render: (row) => <TodayPart id={String(row.id)} />,
};
const trial: DetailPart = {
  key: 'trial',
  label: ['试算', 'Simulation'],
  render: (row) => <TrialPart id={String(row.id)} />,
};
const slots: ScreenSlots = { detailParts: [today] };
const withTrial: ScreenSlots = { detailParts: [today, trial] };

function LotScreen() {
  const held = useHeld(parkingLot);
  return <ScreenOf contract={parkingLot} slots={held('btn_simulate') ? withTrial : slots} />;
}

/** 停车场, with its add, edit and detail pages. */
export const screen = { contract: parkingLot, component: LotScreen };
