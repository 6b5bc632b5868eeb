import { useDictionary, type DictionaryPlace } from '../../../domain/dictionary/use-dictionary.tsx';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { useText } from '../../../kernel/client/language.ts';

/** A reference to a value of a dictionary in the reader's language. */
export function DictionaryCell({
  place,
  value,
}: {
  readonly place: DictionaryPlace;
  readonly value: RefValue | null;
}) {
  const text = useText();
  const item = useDictionary(place).find((one) => one.id === value?.id);
  return <>{item ? text(item.label) : (value?.title ?? '–')}</>;
}
