import { ImportButton } from '../../../kernel/client/import/import-button.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { productClass } from './product-class.contract.ts';

const slots: ScreenSlots = {
  toolbar: (
    <ImportButton
      element="Proclass:btn_import"
      choice={{ source: 'productClass', resource: 'productClass', title: ['商品分类', 'Product classes'] }}
    />
  ),
};

function ProductClassScreen() {
  return <ScreenOf contract={productClass} slots={slots} />;
}

/** Product classes with their import. */
export const screen = { contract: productClass, component: ProductClassScreen };
