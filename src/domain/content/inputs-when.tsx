import { lazyPart } from '../../kernel/client/parts/lazy-part.tsx';
import type { ScreenSlots, SlotInputProps } from '../../kernel/client/slots.ts';
import type { Fields } from '../../kernel/contract/fields.ts';

const WhenInput = lazyPart(() => import('./when-input.tsx').then((module) => module.WhenInput));

/** Says of the values of a form whether they ask for a field. */
export type Asks = (values: SlotInputProps['values']) => boolean;

/** Inputs of fields that are shown where the values of the form ask for them alone. */
export function inputsWhen(
  fields: Fields,
  asks: Readonly<Record<string, Asks>>,
  clears = false,
): NonNullable<ScreenSlots['inputs']> {
  return Object.fromEntries(
    Object.entries(asks).map(([name, asked]) => [
      name,
      (props: SlotInputProps) => (
        <WhenInput {...props} field={fields[name]!} when={asked(props.values)} clears={clears} />
      ),
    ]),
  );
}
