import { instantFull } from '../../../kernel/client/format.rules.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { seckillReview } from './seckill.contract.ts';
import { checksAbove } from './seckill.screen.tsx';

const Terms = lazyPart(() => import('./seckill-review-parts.tsx').then((module) => module.Terms));
const Surroundings = lazyPart(() =>
  import('./seckill-review-parts.tsx').then((module) => module.Surroundings),
);

const DAY = 86_400_000;

/** The first start, red where it lies within a day and nobody decided yet. */
function FirstStart({ row }: { readonly row: RowData }) {
  const at = String(row.firstStart ?? '');
  if (!at) return <>–</>;
  const soon = row.state === 'reviewing' && new Date(at).getTime() - Date.now() < DAY;
  return <span className={soon ? 'k-problem' : ''}>{instantFull(at)}</span>;
}

const slots: ScreenSlots = {
  cells: {
    firstStart: (row) => <FirstStart row={row} />,
    failing: (row) => (
      <span className={Number(row.failing) > 0 ? 'k-problem k-number' : 'k-number'}>
        {row.failing === null || row.failing === undefined ? '–' : String(row.failing)}
      </span>
    ),
  },
  detailAbove: checksAbove,
  detailParts: [
    { key: 'terms', label: ['商品与价格', 'Goods and prices'], render: (row) => <Terms row={row} /> },
    {
      key: 'around',
      label: ['价格与档期', 'Prices and calendar'],
      render: (row) => <Surroundings row={row} />,
    },
  ],
};

/** 秒杀审核发布. */
export const screen = {
  contract: seckillReview,
  component: () => <ScreenOf contract={seckillReview} slots={slots} />,
};
