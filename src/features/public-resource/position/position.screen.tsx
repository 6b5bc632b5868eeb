import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { position } from './position.contract.ts';

const YearCalendar = lazyPart(() => import('./year-calendar.tsx').then((module) => module.YearCalendar));
const ContractsPart = lazyPart(() =>
  import('./position-contracts.tsx').then((module) => module.ContractsPart),
);
const OrdersPart = lazyPart(() => import('./position-orders.tsx').then((module) => module.OrdersPart));
const PricePreview = lazyPart(() => import('./price-preview.tsx').then((module) => module.PricePreview));

const slots: ScreenSlots = {
  inputs: { amount: (props) => <PricePreview {...props} /> },
  detailParts: [
    {
      key: 'year',
      label: ['年历', 'Year'],
      render: (row) => <YearCalendar id={row.id} />,
    },
    { key: 'contracts', label: ['合同与收入', 'Contracts'], render: (row) => <ContractsPart row={row} /> },
    { key: 'orders', label: ['工单', 'Work orders'], render: (row) => <OrdersPart row={row} /> },
  ],
};

/** 点位台账 with its detail: a calendar of the year and contracts with their income and work orders beside occupancies and prices. */
function Positions() {
  return <ScreenOf contract={position} slots={slots} />;
}

/** 点位台账. */
export const screen = { contract: position, component: Positions };
