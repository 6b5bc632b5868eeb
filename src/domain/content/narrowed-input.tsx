import { useText } from '../../kernel/client/language.ts';
import { RemoteSelect } from '../../kernel/client/parts/remote-select.tsx';
import type { SlotInputProps } from '../../kernel/client/slots.ts';
import { fill } from '../../kernel/contract/label.ts';
import { words } from '../../kernel/client/texts.ts';
import { refLabel, type Field, type RefValue } from '../../kernel/contract/fields.ts';

/** The picker of a reference that offers what belongs to `within` alone (ids, comma separated), such as the row that is acted on. */
export function NarrowedInput({
  field,
  within,
  id,
  value,
  onChange,
  disabled,
}: SlotInputProps & { readonly field: Field; readonly within: string | undefined }) {
  const text = useText();
  const chosen = value as RefValue | null | undefined;
  return (
    <RemoteSelect
      target={field.target!}
      label={text(field.label)}
      placeholder={text(fill(words.pleaseSelect, { label: '' })).trim()}
      value={chosen ? [chosen.id] : []}
      known={chosen ? { [chosen.id]: text(refLabel(chosen)) } : {}}
      disabled={disabled}
      onChange={(_, entries) => onChange?.(entries[0])}
      {...(id ? { id } : {})}
      {...(within === undefined ? {} : { within })}
    />
  );
}
