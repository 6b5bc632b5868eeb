import { lazy, Suspense } from 'react';
import { Tag } from 'antd';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { AreasPart, MovementsPart, OrdersPart, ReviewsPart, SpecsPart } from './product-parts.tsx';
import { ProductForm } from './product-form.tsx';
import { StockDialog } from './stock-dialog.tsx';
import { product } from './product.contract.ts';
import './product.css';

// Loaded when they are needed: the list is what everybody waits for.
const ImportButton = lazy(() =>
  import('../../shared/import-dialog/import-dialog.tsx').then((module) => ({ default: module.ImportButton })),
);
const AreaDialog = lazy(() => import('./area-dialog.tsx').then((module) => ({ default: module.AreaDialog })));

const slots: ScreenSlots = {
  cells: {
    name: (row) => <NameCell row={row} />,
    price: (row) => <PriceCell row={row} />,
  },
  toolbar: (
    <Suspense>
      <ImportButton
        element={`${product.menu}:btn_import`}
        choice={{ source: 'product', resource: product.name, title: ['商品', 'Goods'] }}
      />
    </Suspense>
  ),
  actionScreens: {
    create: (props) => <ProductForm {...props} />,
    update: (props) => <ProductForm {...props} />,
    stock: (props) => <StockDialog {...props} />,
    noDelivery: (props) => <AreaDialog {...props} />,
  },
  detailParts: [
    { key: 'specs', label: ['规格', 'Specs'], render: (row) => <SpecsPart row={row} /> },
    {
      key: 'movements',
      label: ['库存流水', 'Stock movements'],
      render: (row) => <MovementsPart row={row} />,
    },
    { key: 'areas', label: ['不配送区域', 'No delivery'], render: (row) => <AreasPart row={row} /> },
    { key: 'reviews', label: ['审核记录', 'Reviews'], render: (row) => <ReviewsPart row={row} /> },
    { key: 'orders', label: ['订单', 'Orders'], render: (row) => <OrdersPart row={row} /> },
  ],
};

/** Goods of merchants: the default list with a three-step form, signed stock changes and the parts of a product. */
export function ProductScreen() {
  return <ScreenOf contract={product} slots={slots} />;
}

/** Module of mm_commodityMana. */
export const screen = { contract: product, component: ProductScreen };

function NameCell({ row }: { readonly row: RowData }) {
  const text = useText();
  return (
    <>
      {String(row.name)}
      {row.pendingChange === true && (
        <Tag color="orange" className="product-waiting">
          {text(product.fields.pendingChange.label)}
        </Tag>
      )}
    </>
  );
}

function PriceCell({ row }: { readonly row: RowData }) {
  const [low, high] = [row.price as string, row.priceMax as string | undefined];
  return (
    <span className="k-number">
      {high && high !== low ? `${moneyText(low)}–${moneyText(high)}` : moneyText(low)}
    </span>
  );
}
