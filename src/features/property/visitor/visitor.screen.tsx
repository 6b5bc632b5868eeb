import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { HouseLink } from '../house/house-link.tsx';
import { visitor } from './visitor.contract.ts';

const PassCode = lazyPart(() => import('./visitor-parts.tsx').then((module) => module.PassCode));
const InviterInput = lazyPart(() => import('./visitor-parts.tsx').then((module) => module.InviterInput));

const slots: ScreenSlots = {
  cells: { house: (row) => <HouseLink house={row.house as RefValue | null} /> },
  detailAbove: (row) => <PassCode row={row} />,
  inputs: { inviter: (props) => <InviterInput {...props} /> },
};

/** Visits: the list, the form that goes from house to resident, and the pass above the detail. */
function VisitorScreen() {
  return <ScreenOf contract={visitor} slots={slots} />;
}

/** Module of cs_visitRegistration. */
export const screen = { contract: visitor, component: VisitorScreen };
