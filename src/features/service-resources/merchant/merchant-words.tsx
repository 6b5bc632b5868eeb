import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { stateReasonLabel } from './state-reason.rules.ts';

/** A text kept in both languages, in the reader's. */
export function SaidTwice({ value }: { readonly value: unknown }) {
  const text = useText();
  return <>{value ? text(partsOfSaid(value)) : '–'}</>;
}

/** Why a merchant stands where it does; what the product says of it in the reader's language. */
export function StateReason({ value }: { readonly value: unknown }) {
  const text = useText();
  return <>{value ? text(stateReasonLabel(String(value))) : '–'}</>;
}
