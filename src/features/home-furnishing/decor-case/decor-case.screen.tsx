import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { decorCase } from './decor-case.contract.ts';

const load = () => import('./decor-case-parts.tsx');
const Visits = lazyPart(() => load().then((module) => module.Visits));
const Refunds = lazyPart(() => load().then((module) => module.Refunds));
const AgreePreview = lazyPart(() => load().then((module) => module.AgreePreview));
const RefundAmount = lazyPart(() => load().then((module) => module.RefundAmount));

const slots: ScreenSlots = {
  inputs: { cash: (props) => <RefundAmount {...props} /> },
  dialogAbove: { agree: (row) => <AgreePreview row={row} /> },
  detailParts: [
    { key: 'visits', label: ['上门', 'Visits'], render: (row) => <Visits row={row} /> },
    { key: 'refunds', label: ['退款', 'Refunds'], render: (row) => <Refunds row={row} /> },
  ],
};

/** 美居售后. */
export const screen = {
  contract: decorCase,
  component: () => <ScreenOf contract={decorCase} slots={slots} />,
};
