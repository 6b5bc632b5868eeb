import { FieldInput } from '../../../kernel/client/form/field-input.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import { decorationOffer } from './decoration-offer.contract.ts';

const slots: ScreenSlots = { inputs: { cost: (props) => <CostInput {...props} /> } };

/** Offers: the default list; the cost price is typed in by everybody who adds one and seen by few. */
function DecorationOfferScreen() {
  return <ScreenOf contract={decorationOffer} slots={slots} />;
}

/** Supervision offers. */
export const screen = { contract: decorationOffer, component: DecorationOfferScreen };

function CostInput({ rows, values: _values, id, value, onChange, disabled }: SlotInputProps) {
  const text = useText();
  const held = useHeld(decorationOffer);
  if (rows.length > 0 && !held('btn_cost'))
    return (
      <span className="k-quiet" {...(id ? { id } : {})}>
        {text(['无权查看，保持不变', 'Not shown to you; it stays as it is'])}
      </span>
    );
  return (
    <FieldInput
      field={decorationOffer.fields.cost}
      value={value}
      disabled={disabled}
      {...(id ? { id } : {})}
      {...(onChange ? { onChange } : {})}
    />
  );
}
