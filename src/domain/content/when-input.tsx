import { useEffect, useEffectEvent } from 'react';
import { FieldInput } from '../../kernel/client/form/field-input.tsx';
import type { SlotInputProps } from '../../kernel/client/slots.ts';
import type { Field } from '../../kernel/contract/fields.ts';
import './when-input.css';

/** The input of a field that other values of the form ask for, gone with its label where they do not; `clears`: its value goes, too. */
export function WhenInput({
  field,
  when,
  clears = false,
  id,
  value,
  onChange,
  disabled,
}: SlotInputProps & { readonly field: Field; readonly when: boolean; readonly clears?: boolean }) {
  const change = (next: unknown) => onChange?.(next);
  const clear = useEffectEvent(() => change(undefined));
  const stale = clears && !when && value !== undefined && value !== null && value !== '';
  useEffect(() => {
    if (stale) clear();
  }, [stale]);
  if (!when) return <span className="when-not" />;
  return (
    <FieldInput field={field} value={value} onChange={change} disabled={disabled} {...(id ? { id } : {})} />
  );
}
