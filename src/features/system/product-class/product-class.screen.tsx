import { ImportButton } from '../../../kernel/client/import/import-button.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { productClass } from './product-class.contract.ts';

/** Where a class stands, in the language of the page. */
function InWords({ row, of }: { readonly row: RowData; readonly of: 'label' | 'path' }) {
  const text = useText();
  return <>{text([String(row[of] ?? ''), String(row[`${of}En`] ?? row[of] ?? '')])}</>;
}

const slots: ScreenSlots = {
  cells: {
    label: (row) => <InWords row={row} of="label" />,
    path: (row) => <InWords row={row} of="path" />,
  },
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
