import type { RefValue } from '../../../kernel/contract/fields.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { HouseLink } from '../house/house-link.tsx';
import { ApplicantInput } from './applicant-input.tsx';
import { houseCustody } from './custody.contract.ts';

const slots: ScreenSlots = {
  cells: { house: (row) => <HouseLink house={row.house as RefValue | null} /> },
  inputs: { applicant: (props) => <ApplicantInput {...props} /> },
};

/** Custody of houses: the default list; the applicant is chosen among the residents of the chosen house. */
function CustodyScreen() {
  return <ScreenOf contract={houseCustody} slots={slots} />;
}

/** Custody of houses. */
export const screen = { contract: houseCustody, component: CustodyScreen };
