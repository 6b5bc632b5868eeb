import type { RefValue } from '../../../kernel/contract/fields.ts';
import { useText } from '../../../kernel/client/language.ts';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import { HouseLink } from '../house/house-link.tsx';
import { houseCustody } from './custody.contract.ts';

const slots: ScreenSlots = {
  cells: { house: (row) => <HouseLink house={row.house as RefValue | null} /> },
  inputs: { applicant: (props) => <Applicant {...props} /> },
};

/** Custody of houses: the default list; the applicant is chosen among the residents of the chosen house. */
function CustodyScreen() {
  return <ScreenOf contract={houseCustody} slots={slots} />;
}

/** Custody of houses. */
export const screen = { contract: houseCustody, component: CustodyScreen };

function Applicant({ id, value, onChange, values, disabled }: SlotInputProps) {
  const text = useText();
  const house = (values.house as RefValue | null | undefined)?.id;
  const chosen = value as RefValue | null | undefined;
  return (
    <RemoteSelect
      {...(id ? { id } : {})}
      target={houseCustody.fields.applicant.target!}
      label={text(houseCustody.fields.applicant.label)}
      placeholder={
        house ? text(houseCustody.fields.applicant.help!) : text(['请先选择房屋', 'Choose the house first'])
      }
      disabled={disabled || !house}
      value={chosen ? [chosen.id] : []}
      known={chosen ? { [chosen.id]: chosen.title } : {}}
      {...(house ? { within: house } : {})}
      onChange={(_ids, entries) =>
        onChange?.(entries[0] ? { id: entries[0].id, title: entries[0].title } : undefined)
      }
    />
  );
}
