import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { HouseLink } from '../house/house-link.tsx';
import { visitor } from './visitor.contract.ts';

const PassCode = lazyPart(() => import('./visitor-parts.tsx').then((module) => module.PassCode));
const InviterInput = lazyPart(() => import('./visitor-parts.tsx').then((module) => module.InviterInput));

const QUARTER = 15 * 60_000;
/** Hours a visit is entered for at first. */
const USUAL_HOURS = 2;

const slots: ScreenSlots = {
  // Who stands at the desk comes now: read anew whenever the form opens.
  get createWith() {
    const from = Math.floor(Date.now() / QUARTER) * QUARTER;
    return {
      visitFrom: isoInstant(new Date(from)),
      visitTo: isoInstant(new Date(from + USUAL_HOURS * 3_600_000)),
    };
  },
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
