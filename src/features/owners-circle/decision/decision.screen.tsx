import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { decision } from './decision.contract.ts';

const Bars = lazyPart(() => import('./decision-parts.tsx').then((module) => module.Bars));
const Buildings = lazyPart(() => import('./decision-parts.tsx').then((module) => module.Buildings));
const RollHouse = lazyPart(() => import('./decision-parts.tsx').then((module) => module.RollHouse));
const ResultSheet = lazyPart(() => import('./decision-parts.tsx').then((module) => module.ResultSheet));

const slots: ScreenSlots = {
  detailAbove: (row) => <Bars row={row} />,
  detailParts: [
    { key: 'buildings', label: ['楼栋参与', 'By building'], render: (row) => <Buildings row={row} /> },
  ],
  inputs: { house: (props) => <RollHouse {...props} /> },
  actionScreens: { sheet: (props) => <ResultSheet {...props} /> },
};

/** Decisions of owners: the default list; the detail opens with the standing against the rules. */
function DecisionScreen() {
  return <ScreenOf contract={decision} slots={slots} />;
}

/** Module of cs_policyDecision. */
export const screen = { contract: decision, component: DecisionScreen };
