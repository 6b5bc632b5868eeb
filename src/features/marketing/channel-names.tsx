import { CHANNELS } from '../../domain/message-send/message.rules.ts';
import type { RefValue } from '../../kernel/contract/fields.ts';
import { useText } from '../../kernel/client/language.ts';

/** Channels in the reader's language. */
export function Channels({ value }: { readonly value: unknown }) {
  const text = useText();
  return (
    <>
      {((value ?? []) as readonly RefValue[])
        .map((one) => text(CHANNELS[Number(one.id) as keyof typeof CHANNELS] ?? [one.title, one.title]))
        .join(text(['、', ', ']))}
    </>
  );
}
