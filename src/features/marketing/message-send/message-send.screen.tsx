import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { Channels } from '../channel-names.tsx';
import { messageSend } from './message-send.contract.ts';

const SendProgress = lazyPart(() => import('./send-parts.tsx').then((module) => module.SendProgress));
const SavedEstimate = lazyPart(() => import('./send-parts.tsx').then((module) => module.SavedEstimate));
const EstimatedMode = lazyPart(() => import('./send-parts.tsx').then((module) => module.EstimatedSchedule));

const slots: ScreenSlots = {
  cells: { channels: (row) => <Channels value={row.channels} /> },
  inputs: { schedule: (props) => <EstimatedMode {...props} /> },
  dialogAbove: {
    submit: (row) => <SavedEstimate row={row} />,
    approve: (row) => <SavedEstimate row={row} />,
  },
  detailParts: [
    { key: 'progress', label: ['进度与漏斗', 'Progress'], render: (row) => <SendProgress row={row} /> },
    { key: 'reach', label: ['对象估算', 'Estimate'], render: (row) => <SavedEstimate row={row} /> },
  ],
};

/** Messages, their add, edit and detail pages. */
function SendScreen() {
  return <ScreenOf contract={messageSend} slots={slots} />;
}

/** Messages to members. */
export const screen = { contract: messageSend, component: SendScreen };
