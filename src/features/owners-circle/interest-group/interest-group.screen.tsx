import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { interestGroup } from './interest-group.contract.ts';

const Members = lazyPart(() => import('./interest-group-parts.tsx').then((module) => module.Members));
const PointsLog = lazyPart(() => import('./interest-group-parts.tsx').then((module) => module.PointsLog));

const slots: ScreenSlots = {
  actionScreens: {
    members: (props) => <Members {...props} />,
    pointsLog: (props) => <PointsLog {...props} />,
  },
};

function InterestGroupScreen() {
  return <ScreenOf contract={interestGroup} slots={slots} />;
}

/** 业主圈小组: the default list; members and points open over it. */
export const screen = { contract: interestGroup, component: InterestGroupScreen };
