import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { operationUser } from './operation-user.contract.ts';

/** Why a planned post was not published, in the reader's language. */
function Failure({ value }: { readonly value: unknown }) {
  const text = useText();
  return <>{value ? text(partsOfSaid(value)) : NOTHING}</>;
}

const slots: ScreenSlots = {
  parts: { planned: { cells: { failure: (row) => <Failure value={row.failure} /> } } },
};

/** 运营用户 with the posts planned in their names. */
export const screen = {
  contract: operationUser,
  component: () => <ScreenOf contract={operationUser} slots={slots} />,
};
