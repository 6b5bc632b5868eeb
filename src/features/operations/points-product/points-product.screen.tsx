import { inputsWhen } from '../../../domain/content/inputs-when.tsx';
import { NarrowedInput } from '../../../domain/content/narrowed-input.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { pointsProduct } from './points-product.contract.ts';

const { spec } = pointsProduct.actions!.stock.input!;

const slots: ScreenSlots = {
  inputs: {
    ...inputsWhen(pointsProduct.fields, {
      place: (values) => values.way === 'collect',
      coupon: (values) => values.way === 'coupon',
    }),
    spec: (props) => <NarrowedInput {...props} field={spec!} within={props.rows[0]?.id} />,
  },
};

/** 积分商品: stock is changed of the specs of the row alone. */
export const screen = {
  contract: pointsProduct,
  component: () => <ScreenOf contract={pointsProduct} slots={slots} />,
};
