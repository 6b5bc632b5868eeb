import { useText } from '../../../kernel/client/language.ts';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { houseCustody } from './custody.contract.ts';

/** Who applies: chosen among the residents of the chosen house. */
export function ApplicantInput({ id, value, onChange, values, disabled }: SlotInputProps) {
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
