import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { ImportButton } from '../../../kernel/client/import/import-button.tsx';
import { priceSpan } from './price-span.rules.ts';
import { commentSlots } from '../../../domain/order-comment/comment-slots.tsx';
import { product } from './product.contract.ts';
import './product.css';

// Loaded when they are opened: the list is what everybody waits for.
const ProductForm = lazyPart(() => import('./product-form.tsx').then((module) => module.ProductForm));
const StockDialog = lazyPart(() => import('./stock-dialog.tsx').then((module) => module.StockDialog));
const SpecsPart = lazyPart(() => import('./product-parts.tsx').then((module) => module.SpecsPart));
const AreaDialog = lazyPart(() => import('./area-dialog.tsx').then((module) => module.AreaDialog));
const AreasPart = lazyPart(() => import('./product-parts.tsx').then((module) => module.AreasPart));
const MovementsPart = lazyPart(() => import('./product-parts.tsx').then((module) => module.MovementsPart));
const ReviewsPart = lazyPart(() => import('./product-parts.tsx').then((module) => module.ReviewsPart));
const RecommendationsPart = lazyPart(() =>
  import('./product-parts.tsx').then((module) => module.RecommendationsPart),
);
const OrdersPart = lazyPart(() => import('./product-parts.tsx').then((module) => module.OrdersPart));

const slots: ScreenSlots = {
  parts: { comments: commentSlots },
  cells: {
    name: (row) => <NameCell row={row} />,
    price: (row) => <PriceCell row={row} />,
    accountLimit: (row) => <LimitCell limit={row.accountLimit as number | null} />,
  },
  toolbar: (
    <ImportButton
      element={`${product.menu}:btn_import`}
      choice={{ source: 'product', resource: product.name, title: ['商品', 'Goods'] }}
    />
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
    {
      key: 'recommendations',
      label: ['推荐', 'Recommended'],
      render: (row) => <RecommendationsPart row={row} />,
    },
  ],
};

/** Goods of merchants: the default list with a three-step form, signed stock changes and the parts of a product. */
export function ProductScreen() {
  return <ScreenOf contract={product} slots={slots} />;
}

/** Module of mm_commodityMana. */
export const screen = { contract: product, component: ProductScreen };

function NameCell({ row }: { readonly row: RowData }) {
  return (
    <>
      {String(row.name)}
      {row.pendingChange === true && (
        <span className="product-waiting">
          <StatusTag choice={{ label: product.fields.pendingChange.label, tone: 'warning' }} />
        </span>
      )}
    </>
  );
}

function LimitCell({ limit }: { readonly limit: number | null }) {
  const text = useText();
  return <>{limit ? text([`${limit} 件`, `${limit} pcs`]) : text(['不限', 'No limit'])}</>;
}

function PriceCell({ row }: { readonly row: RowData }) {
  return (
    <span className="k-number">{priceSpan(row.price as string, row.priceMax as string | undefined)}</span>
  );
}
