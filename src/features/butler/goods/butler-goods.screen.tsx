import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import { butlerGoods } from './butler-goods.contract.ts';

const GoodsPoster = lazyPart(() => import('./goods-poster.tsx').then((module) => module.GoodsPoster));
const IncentiveKind = lazyPart(() => import('./incentive-kind.tsx').then((module) => module.IncentiveKind));

const slots: ScreenSlots = {
  inputs: { incentive: (props: SlotInputProps) => <IncentiveKind {...props} /> },
  detailParts: [
    { key: 'poster', label: ['海报预览', 'Poster'], render: (row) => <GoodsPoster key={row.id} row={row} /> },
  ],
};

/** Goods butlers may share: the default list with the poster of each, and what a new incentive changes. */
function ButlerGoodsScreen() {
  return <ScreenOf contract={butlerGoods} slots={slots} />;
}

/** Module of butler_goods. */
export const screen = { contract: butlerGoods, component: ButlerGoodsScreen };
