import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { butlerPerformance } from './achievement.contract.ts';

const PerformanceWhy = lazyPart(() =>
  import('./performance-why.tsx').then((module) => module.PerformanceWhy),
);
const LinesHead = lazyPart(() => import('./lines-head.tsx').then((module) => module.LinesHead));

const slots: ScreenSlots = {
  above: <LinesHead />,
  detailParts: [
    { key: 'why', label: ['归属与计算', 'Why and how'], render: (row) => <PerformanceWhy row={row} /> },
  ],
};

/** Lines of results: the default list with whose they are and what each one rests on. */
function PerformanceScreen() {
  return <ScreenOf contract={butlerPerformance} slots={slots} />;
}

/** Module of butlerAchievementDeatils. */
export const screen = { contract: butlerPerformance, component: PerformanceScreen };
