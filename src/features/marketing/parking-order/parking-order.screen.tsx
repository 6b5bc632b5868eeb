import '../order-rule/order-rule.css';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useText } from '../../../kernel/client/language.ts';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { parkingOrder } from './parking-order.contract.ts';

const FeePart = lazyPart(() => import('./fee-parts.tsx').then((module) => module.FeePart));
const DueNow = lazyPart(() => import('./fee-parts.tsx').then((module) => module.DueNow));

/** A photo of a gate lies with its maker; it is opened there. */
function Photo({ url }: { readonly url: unknown }) {
  const text = useText();
  if (typeof url !== 'string' || url === '') return <>—</>;
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {text(['查看照片', 'Open the photo'])}
    </a>
  );
}

const photo = (field: string) => (row: RowData) => <Photo url={row[field]} />;

const slots: ScreenSlots = {
  cells: { entryImage: photo('entryImage'), exitImage: photo('exitImage') },
  dialogAbove: { collect: (row) => <DueNow row={row} /> },
  detailParts: [{ key: 'fee', label: ['费用', 'Fee'], render: (row) => <FeePart id={String(row.id)} /> }],
};

/** 停车订单, with its detail page. */
export const screen = {
  contract: parkingOrder,
  component: () => <ScreenOf contract={parkingOrder} slots={slots} />,
};
