import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { decorReview } from './decor-review.contract.ts';

const Checks = lazyPart(() => import('./decor-review-parts.tsx').then((module) => module.Checks));
const Comparison = lazyPart(() => import('./decor-review-parts.tsx').then((module) => module.Comparison));
const Prices = lazyPart(() => import('./decor-review-parts.tsx').then((module) => module.Prices));

const slots: ScreenSlots = {
  cells: { priceLow: (row) => <Change row={row} />, waited: (row) => <Waited row={row} /> },
  detailAbove: (row) => <Checks row={row} />,
  detailParts: [
    { key: 'prices', label: ['价格对比', 'Prices'], render: (row) => <Prices row={row} /> },
    { key: 'content', label: ['内容对比', 'Content'], render: (row) => <Comparison row={row} /> },
  ],
};

/** How far prices move, from the least to the most. */
function Change({ row }: { readonly row: RowData }) {
  const text = useText();
  if (row.priceLow === null || row.priceLow === undefined)
    return <span className="k-quiet">{text(['新套餐', 'New'])}</span>;
  const [low, high] = [Number(row.priceLow), Number(row.priceHigh)];
  if (low === 0 && high === 0) return <span className="k-quiet">{text(['不变', 'Unchanged'])}</span>;
  const signed = (value: number) => `${value > 0 ? '+' : ''}${value} %`;
  return <span className="k-number">{low === high ? signed(low) : `${signed(low)} – ${signed(high)}`}</span>;
}

/** Waiting time, marked after a day. */
function Waited({ row }: { readonly row: RowData }) {
  const text = useText();
  if (row.waited === null || row.waited === undefined) return <>–</>;
  const minutes = Number(row.waited);
  const [days, hours] = [Math.floor(minutes / 1_440), Math.floor((minutes % 1_440) / 60)];
  const said =
    days > 0
      ? text([`${days} 天 ${hours} 小时`, `${days} d ${hours} h`])
      : hours > 0
        ? text([`${hours} 小时`, `${hours} h`])
        : text([`${minutes} 分钟`, `${minutes} min`]);
  return <span className={row.state === 'waiting' && minutes > 1_440 ? 'k-problem' : ''}>{said}</span>;
}

function DecorReviews() {
  return <ScreenOf contract={decorReview} slots={slots} />;
}

/** 美居审核. */
export const screen = { contract: decorReview, component: DecorReviews };
