import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { butlerShare } from './butler-share.contract.ts';

const ShareFunnel = lazyPart(() => import('./share-funnel.tsx').then((module) => module.ShareFunnel));

const slots: ScreenSlots = {
  detailParts: [{ key: 'funnel', label: ['漏斗', 'Funnel'], render: (row) => <ShareFunnel row={row} /> }],
};

/** Links of butlers with what came of them. */
function ButlerShareScreen() {
  return <ScreenOf contract={butlerShare} slots={slots} />;
}

/** Module of butler_share. */
export const screen = { contract: butlerShare, component: ButlerShareScreen };
