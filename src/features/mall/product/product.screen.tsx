import { Tag } from 'antd';
import { moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { MovementsPart, OrdersPart, ReviewsPart, SpecsPart } from './product-parts.tsx';
import { ProductForm } from './product-form.tsx';
import { StockDialog } from './stock-dialog.tsx';
import { product } from './product.contract.ts';
import './product.css';

const slots: ScreenSlots = {
  cells: {
    name: (row) => <NameCell row={row} />,
    price: (row) => <PriceCell row={row} />,
    accountLimit: (row) => <LimitCell limit={row.accountLimit as number | null} />,
  },
  actionScreens: {
    create: (props) => <ProductForm {...props} />,
    update: (props) => <ProductForm {...props} />,
    stock: (props) => <StockDialog {...props} />,
  },
  detailParts: [
    { key: 'specs', label: ['规格', 'Specs'], render: (row) => <SpecsPart row={row} /> },
    {
      key: 'movements',
      label: ['库存流水', 'Stock movements'],
      render: (row) => <MovementsPart row={row} />,
    },
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

function LimitCell({ limit }: { readonly limit: number | null }) {
  const text = useText();
  return <>{limit ? text([`${limit} 件`, `${limit} pcs`]) : text(['不限', 'No limit'])}</>;
}

function PriceCell({ row }: { readonly row: RowData }) {
  const [low, high] = [row.price as string, row.priceMax as string | undefined];
  return (
    <span className="k-number">
      {high && high !== low ? `${moneyText(low)}–${moneyText(high)}` : moneyText(low)}
    </span>
  );
}
