import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { TimeLeft } from '../../../kernel/client/parts/time-left.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { Choice } from '../../../kernel/contract/fields.ts';
import { decorCase } from './decor-case.contract.ts';

const load = () => import('./decor-case-parts.tsx');
const Visits = lazyPart(() => load().then((module) => module.Visits));
const Refunds = lazyPart(() => load().then((module) => module.Refunds));
const AgreePreview = lazyPart(() => load().then((module) => module.AgreePreview));
const RefundAmount = lazyPart(() => load().then((module) => module.RefundAmount));

const DUE = {
  repair: { label: ['待上门', 'Visit due'], tone: 'processing' },
  exchange: { label: ['待寄回', 'To be sent back'], tone: 'processing' },
} as const satisfies Readonly<Record<string, Choice>>;

/** What an agreed case waits for is up to its type. */
function StateCell({ row }: { readonly row: RowData }) {
  const choice =
    row.state === 'agreed' ? DUE[row.type as keyof typeof DUE] : decorCase.states![String(row.state)];
  return choice ? <StatusTag choice={choice} /> : null;
}

const slots: ScreenSlots = {
  cells: {
    state: (row) => <StateCell row={row} />,
    deadline: (row) => <TimeLeft until={row.deadline as string | null} />,
  },
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
